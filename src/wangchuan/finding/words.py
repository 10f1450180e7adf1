"""The words of one question, and where they stand in what was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from wangchuan.finding.matter import ANSWERS, KIND, OTHER
from wangchuan.finding.query import Query
from wangchuan.language.common import is_common
from wangchuan.language.kinds import is_general
from wangchuan.language.terms import TWICE, is_bare, named, sentences_asked, telling, terms
from wangchuan.network import ranking
from wangchuan.network.ranking import Evidence
from wangchuan.spots import is_character
from wangchuan.storage import Transaction

MOST_TERMS = 256  # of one question, the last ones
SHORT = 2000  # characters of a text whose terms are kept in memory

Asked = tuple[int, bool, tuple[str, ...]]  # how many postings, of whole words or not, of what


@dataclass(slots=True)
class Words:
    """The words of one question: what they are worth as evidence, and who and when they name."""

    tx: Transaction
    query: Query
    evidence: Evidence = field(default_factory=lambda: Evidence(0, 0))
    names: frozenset[str] = frozenset()  # speakers that the question names
    asked: set[str] = field(default_factory=set)  # with the terms of all speakers' names
    dated: float = 0.0  # what the figures of the times it names are worth as words
    average: float = 1.0  # terms of a message, among those found
    counts: Counter[str] = field(default_factory=Counter)  # see `named`
    known: dict[Asked, list[int]] = field(default_factory=dict)  # postings that were read
    tells: Mapping[str, float] = field(default_factory=dict)  # see `is_met`

    def named(self) -> Counter[str]:
        """Return the terms of the question, with how often it names each."""
        self.counts = self.counts or named(self.query.text)
        return self.counts

    def soon(self, tx: Transaction) -> None:
        """Ask where terms of the question stand, once and twice; brief ones also as beginnings."""
        each = [(term,) for term in [*self.named()][-MOST_TERMS:]]
        begun = [one for one in each if is_character(*one) and len(each) <= ranking.TOGETHER]
        tx.together(
            lambda tx: self.postings(each, tx=tx),
            lambda tx: self.postings([(term + TWICE,) for (term,) in each], tx=tx),
            lambda tx: self.postings(begun, whole=False, tx=tx),
        )

    def read(self) -> None:
        """Look up where the terms of the question stand, and who of the speakers is named."""
        counts = self.named()
        wanted = [*counts][-MOST_TERMS:]
        spoken_by = {name: set(terms_of(name)) for name in self.tx.messages.speakers()}
        known = set().union(*spoken_by.values())
        self.asked = {*counts, *known}
        self.names = frozenset(name for name, parts in spoken_by.items() if parts & set(wanted))
        content = [term for term in wanted if term not in known] or wanted
        found = self.places(content)
        self.average = average = ranking.average_length(found.values())
        telling = [term for term, spots in found.items() if 0 < len(spots) < ranking.POSTINGS]
        twice = dict(zip(telling, self.postings([(t + TWICE,) for t in telling]), strict=True))
        for term, spots in found.items():
            self.evidence.add(term, spots, twice.get(term, ()), average, counts[term])
        pairs = list(self.evidence.rarest_pairs())
        together = self.postings(pairs, ranking.TOGETHER * ranking.POSTINGS)
        for pair, both in zip(pairs, together, strict=True):
            self.evidence.add_pair(pair, both, average)
        self.tells = self._in_doubt()
        figures = {t for span in self.query.spans for t in terms(span.words) if t.isdecimal()}
        self.dated = sum(self.evidence.worth.get(figure, 0.0) for figure in figures)

    def _in_doubt(self) -> dict[str, float]:
        """Return how much each term tells of what the question is about, if that is in doubt.

        It is where one sentence names something that nobody ever said, and neither a time nor
        anybody who spoke. Who gives bare words looks for any of them.
        """
        text, unsaid = self.query.text, self.evidence.unsaid()
        known = self.names or self.query.spans or self.query.tags
        if not unsaid or known or is_bare(text) or len(sentences_asked(text)) > 1:
            return {}
        naming = {**dict.fromkeys(self.evidence.worth, OTHER), **telling(text)}
        once = {
            t: much / ranking.emphasis("", self.counts[t])
            for t, much in self.evidence.worth.items()
        }
        tells = {t: much * telling_of(t, naming[t], unsaid) for t, much in once.items()}
        return tells if any(tells[term] for term in unsaid) else {}

    @property
    def are_few(self) -> bool:
        """Tell whether the question is brief."""
        return len(self.evidence.worth) <= ranking.TOGETHER

    def are_enough(self, held: Collection[str]) -> bool:
        """Tell whether terms may be an answer: single characters are none where much is asked."""
        return self.are_few or not held or not all(map(is_character, held))

    def is_met(self, held: Iterable[str]) -> bool:
        """Tell whether terms hold enough of what the question is about, where that is in doubt."""
        whole = sum(self.tells.values())
        return sum(self.tells.get(term, 0.0) for term in held) >= ANSWERS * whole

    def places(self, content: Sequence[str]) -> dict[str, list[int]]:
        """Return where terms stand.

        Of a brief question, a character that never stands alone is found where it begins a word; a
        long one has others to be found by.
        """
        each = self.postings([(term,) for term in content])
        places = dict(zip(content, each, strict=True))
        brief = len(content) <= ranking.TOGETHER
        parts = [t for t, spots in places.items() if brief and is_character(t) and not spots]
        begun = self.postings([(part,) for part in parts], whole=False)
        return places | dict(zip(parts, begun, strict=True))

    def postings(
        self,
        asked: Iterable[tuple[str, ...]],
        most: int = ranking.POSTINGS,
        *,
        whole: bool = True,
        tx: Transaction | None = None,
    ) -> list[list[int]]:
        """Return, for each, the newest places where its terms stand, in what was asked for."""
        wanted = [(most, whole, (*terms, *self.query.tags)) for terms in asked]
        fresh = [one for one in wanted if one not in self.known]
        tagged = [terms for _, _, terms in fresh]
        found = (tx or self.tx).index.postings_of(tagged, most, whole=whole)
        self.known.update(zip(fresh, found, strict=True))
        return [self.known[one] for one in wanted]


def telling_of(term: str, naming: float, unsaid: set[str]) -> float:
    """Return how much a term tells of what a question is about, given how much it names.

    A common word that was never said tells nothing: the same may have been said in other words. Two
    single Chinese characters that nobody ever said are a name, which no dictionary has. A word for
    a kind of thing tells less than a name.
    """
    if term not in unsaid:
        return min(naming, KIND) if is_general(term) else naming
    if not term.isascii():
        coined = len(term) == 2 and unsaid.issuperset(term) and not any(map(is_common, term))
        return 1.0 if coined else 0.0
    return 0.0 if is_common(term) else naming


def terms_of(text: str) -> Sequence[str]:
    """Return the terms of a text; those of short ones, which are met again, are kept."""
    return _kept_terms(text) if len(text) <= SHORT else terms(text)


@lru_cache(1 << 12)
def _kept_terms(text: str) -> tuple[str, ...]:
    return tuple(terms(text))
