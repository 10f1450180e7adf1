"""Facts and episodes that bear on a question.

They are found by its words, by other words for the same kind of thing, and, where there is an
embedder, by meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from wangchuan.facts.records import Facts
from wangchuan.finding.exchange import WHO, Figure
from wangchuan.finding.matter import ALIKE, Matter
from wangchuan.language.kinds import kin
from wangchuan.language.terms import terms
from wangchuan.patterns import regex
from wangchuan.storage import NodeRecord, Transaction
from wangchuan.types import value

POSTINGS = 100  # facts looked at per term, the newest
MEANT = 500  # facts compared by meaning, the newest
NEAR = 0.28  # cosine from which meaning alone is enough; they are shorter than messages
TURNS = 6  # messages: where a fact was learned of so many, facts are most of what is known
CLOSE = 0.5  # cosine of what is surely meant
FAR = 0.26  # cosine below which a fact has hardly to do with a question

MOST = 0.8  # of what the best one holds: of those that hold so much the newest goes first
SURE = 0.8  # of what is asked: a fact that holds less may not be the one that is meant
OF_OTHERS = 0.4  # what a fact of another counts, where somebody asks of himself
OWN = regex(r"我|\b(?:I|my|me)\b")
# Something that one has
OF_OWN = regex(r"\w{1,20}?的(\w{1,3})|(?:\w{1,20} ){1,2}?\w{1,20}['’]s (\w+)")

Closeness = Callable[[str, Sequence[str]], list[float]]  # of texts to a question, as cosines


@value
class Known:
    """What was learned, as seen from one question."""

    tx: Transaction
    facts: Facts
    figure: Figure
    matter: Matter
    since: float
    closeness: Closeness | None

    def about(self, kind: str, most: int) -> list[NodeRecord]:
        """Return those of a kind that bear on the question, best first, the newest of equals."""
        found = {record.n: record for record in self._records(kind)}
        held, meant = self._held(found), self._meant(list(found.values()))
        matter, told = self.matter, kind == "episode"
        measure = matter.share if told else matter.share_of_kind
        least = matter.least if told else matter.least_of_kind
        shares = {
            n: measure(some) * (1.0 if told else self._bearing(found[n].text, some))
            for n, some in held.items()
        }
        if not matter.is_met:
            shares = {n: share for n, share in shares.items() if not matter.is_by_name(held[n])}
        shares |= {n: max(near, shares.get(n, 0.0)) for n, near in meant.items() if near >= NEAR}
        best = max(shares.values(), default=0.0)
        near = [n for n, share in shares.items() if best >= least and share >= ALIKE * best - 1e-9]
        near.sort(key=lambda n: (shares[n] < MOST * best, -n))
        return [found[n] for n in near[:most]]

    def is_sure(self, facts: Sequence[NodeRecord]) -> bool:
        """Tell whether the first of some facts holds nearly all that is asked, or is very near."""
        first = list(facts[:1])
        held = self._held(fact.n for fact in first)
        meant = any(near >= CLOSE for near in self._meant(first).values())
        return meant or any(self.matter.share_of_kind(some) >= SURE for some in held.values())

    def _bearing(self, text: str, held: Collection[str]) -> float:
        """Return how far a fact bears on the question that holds so much of it.

        One that is found by other words alone must state the figure that is asked for; who asks of
        himself means no fact of something or somebody that is his.
        """
        figure, worth = self.figure, self.matter.worth
        if figure.is_asked and worth.keys().isdisjoint(held) and figure.is_lacking(text):
            return 0.0
        is_own = OWN.search(figure.query) and not (WHO.search(figure.query) or self.matter.naming)
        thing = OF_OWN.match(text) if is_own else None
        of = set(terms(thing[1] or thing[2])) if thing else set()
        return OF_OTHERS if thing and not any({t, *kin(t)} & of for t in worth) else 1.0

    def foremost(self, kind: str, most: int, *, stating: bool = True) -> list[NodeRecord]:
        """Return those of a kind, if `stating` what is asked for: all, or the nearest in meaning.

        All if they are few and most of what is known: else what holds no word of the question is
        hardly the answer, unless an embedder tells.
        """
        every = self._records(kind)
        records = [r for r in every if not stating or self.figure.is_stated(r.text)]
        near = self._meant(records)
        records.sort(key=lambda record: -near.get(record.n, 0.0))
        if len(every) <= most and TURNS * len(every) >= self.tx.messages.newest():
            return records
        return [record for record in records if near.get(record.n, 0.0) >= FAR][: most // 2]

    def _records(self, kind: str) -> list[NodeRecord]:
        found = self.tx.facts.of_kinds([kind], MEANT)
        return [record for record in found if record.created_at >= self.since]

    def _held(self, among: Iterable[int]) -> dict[int, set[str]]:
        """Return which terms of the question, or other words for them, are held by which."""
        wanted = {term for one in self.matter.worth for term in {one, *kin(one)}}
        held: dict[int, set[str]] = {n: set() for n in among}
        for term, holding in self.tx.index.facts_holding_each(wanted, POSTINGS).items():
            for n in held.keys() & holding:
                held[n].add(term)
        return {n: some for n, some in held.items() if some}

    def _meant(self, records: list[NodeRecord]) -> dict[int, float]:
        """Return how near facts are in meaning; nothing if there is no way to tell."""
        if self.closeness is None or not records:
            return {}
        close = self.closeness(self.figure.query, [record.text for record in records])
        return dict(zip((record.n for record in records), close, strict=False))
