"""What a question is about, and how much of that a text holds.

People ask by naming things. A name or a noun that is rare here tells most, a verb little: what
holds none of the things a question names is no answer, however many of its other words it has, and
a question about things that were never said has none. Words for the time asked about, for asking
itself and for the two who talk name nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace

from wangchuan.language.kinds import alike, is_general, is_person, kin
from wangchuan.language.numerals import values
from wangchuan.language.terms import asked, telling, terms
from wangchuan.language.text import words
from wangchuan.language.words import POLITE
from wangchuan.network.ranking import FEW, rarity
from wangchuan.patterns import regex
from wangchuan.settings.fields import Settings
from wangchuan.spots import is_character
from wangchuan.storage import Transaction
from wangchuan.types import value

ANSWERS = 0.4  # share of what a question names that the best answer must hold
UNNAMED = 0.7  # the same, where it names nothing
BESIDE = 0.4  # share of what the best one holds that others must hold
OTHER = 0.15  # what a word counts that names nothing, beside 1 for a name
NAME, TIME, CHARACTER = 1.0, 0.7, 0.5  # what those count, where `telling` has its own for nouns
SOUGHT = 0.5  # what a word for the kind of thing asked for counts, where it was never said
PART = 0.6  # of a word: so much of it, said by itself, is as good as the word
KIND = 0.5  # what a word for a kind of thing counts at least, where facts are asked for
ALIKE = 0.7  # what holding another word for the same kind counts, beside 1 for the word
MOST_TERMS = 64
MOST_HOLDING = 200  # places counted: more make a word no more common


@value
class Matter:
    """What a question is about: its terms, what each names (see `telling`) and how rare it is.

    For people who were never named so, `alike` has other words that were said: "mum", "mother".
    """

    naming: Mapping[str, float]
    worth: Mapping[str, float]
    alike: Mapping[str, Collection[str]] = field(default_factory=dict)
    unsaid: frozenset[str] = frozenset()  # of its nouns and names, those that were never said

    @classmethod
    def of(cls, tx: Transaction, settings: Settings, text: str) -> Matter:
        """Weigh the terms of a question by what they name and how rare they are here.

        Two halves of two words (录用 in 登录用什么) that were never said are no word of it. A word
        that was never said is as rare as one that was said once, since people ask in other words;
        but a name that was never said is nobody known.
        """
        sought = _sought(text)
        for asks, word in _MEANING:
            text = asks.sub(f" {word} ", text)
        if all(word.tag == "filler" or word.text.lower() in POLITE for word in words(text)):
            return cls({}, {})  # a greeting
        unsaid, naming = _speakers(tx, settings), _naming(text)
        found = [term for term in asked(text) if term not in unsaid][:MOST_TERMS]
        tx.ahead(lambda tx: tx.messages.newest())
        held, total = _holding(tx, found), max(FEW, tx.messages.newest())
        whole = {word.text.lower() for word in words(text)} | naming.keys()
        held = {t: many for t, many in held.items() if many or t.isascii() or t in whole}
        for term in [one for one in naming if held.get(one) == 0]:
            if part := _part(term, [t for t, many in held.items() if many]):
                naming[part] = naming.pop(term)
                del held[term]
        unknown = {term for term, many in held.items() if not many}
        unsaid = _apart(naming.keys() & unknown, naming.keys() - unknown)
        if not naming.keys() & unknown - sought:
            naming = {t: worth for t, worth in naming.items() if t not in unknown & sought}
        known = {t: rarity(many or naming.get(t, 0.0) < NAME, total) for t, many in held.items()}
        others = {t: sorted(_stand_ins(t) - held.keys()) for t in unknown}
        said = _holding(tx, [other for each in others.values() for other in each])
        alike = {t: [other for other in each if said[other]] for t, each in others.items()}
        if any(not alike[t] for t in unknown & naming.keys() - sought):
            alike = {t: some for t, some in alike.items() if is_person(t)}
        known |= {t: SOUGHT * known[t] for t in unknown & sought - naming.keys()}
        return cls({term: naming[term] for term in held if term in naming}, known, alike, unsaid)

    def widened(self, tx: Transaction) -> Matter:
        """Return the same, where other words for the same kinds of things will do, if said.

        Not where something is named that was never said in any words.
        """
        others = {t: sorted(_stand_ins(t) - self.worth.keys()) for t in self.worth}
        asked_for = {*self.naming, *(o for some in others.values() for o in some)}
        held = _holding(tx, sorted(asked_for))
        said = {t: [o for o in some if held[o]] for t, some in others.items()}
        met = {**{t: some for t, some in said.items() if some}, **self.alike}
        unmet = self.naming.keys() - met.keys()
        return self if any(not held[t] for t in unmet) else replace(self, alike=met)

    @property
    def weights(self) -> dict[str, float]:
        """Return how much each term counts of what is asked about."""
        return {t: self.naming.get(t, OTHER) * worth for t, worth in self.worth.items()}

    def is_by_name(self, held: Collection[str]) -> bool:
        """Tell whether a text holds a name that is asked about, and nothing of what is asked of it.

        Everything that was said of somebody has the name.
        """
        names = self.names
        rest = self.naming.keys() - names | self.unsaid
        return bool(names) and bool(rest) and not any(self._holds(held, term) for term in rest)

    @property
    def names(self) -> set[str]:
        """Return the names that are asked about and were said."""
        return {t for t, weight in self.naming.items() if weight >= NAME} - self.unsaid

    def is_of_named(self, held: Collection[str]) -> bool:
        """Tell whether a text holds a name that is asked about, or none is."""
        return not self.names or not self.names.isdisjoint(held)

    def _holds(self, held: Collection[str], term: str) -> bool:
        return term in held or not alike(term).isdisjoint(held)

    @property
    def is_of_stranger(self) -> bool:
        """Tell whether somebody or something is asked about by a name that was never said."""
        names = {t for t in self.unsaid if self.naming.get(t, 0.0) >= NAME or is_person(t)}
        return any(not self.alike.get(term) for term in names)

    @property
    def is_met(self) -> bool:
        """Tell whether all nouns and names were said, in these words or in others."""
        return all(self.alike.get(term) for term in self.unsaid)

    def share(self, held: Collection[str]) -> float:
        """Return how much of what is asked about a text with these terms holds, of 1."""
        weights = self.weights
        total = sum(weights.values())
        got = sum(w for term, w in weights.items() if term in held)
        met = (t for t, others in self.alike.items() if not set(others).isdisjoint(held))
        return (got + ALIKE * sum(weights[term] for term in met)) / total if total else 0.0

    def share_of_kind(self, held: Collection[str]) -> float:
        """Return the same, where another word for the same kind of thing does almost as well."""
        total = got = 0.0
        for term, worth in self.worth.items():
            weight = worth * self.naming.get(term, KIND if kin(term) else OTHER)
            total += weight
            if term in held:
                got += weight
            elif not kin(term).isdisjoint(held):
                got += ALIKE * weight
        return got / total if total else 0.0

    @property
    def least(self) -> float:
        """Return how much of it an answer must hold."""
        return ANSWERS if self.naming else UNNAMED

    @property
    def least_of_kind(self) -> float:
        """Return the same for facts, where a word for a kind of thing names enough."""
        return ANSWERS if self.naming or any(map(kin, self.worth)) else UNNAMED

    def is_general(self, is_known: Callable[[str], bool]) -> bool:
        """Tell whether all that is named is a kind of thing that people are asked about."""
        return all(is_general(term) or is_known(term) for term in self.naming or self.worth)


# Words that ask, and what they ask for: 天 of 哪天 names nothing, "how old" an age.
_MEANING = tuple(
    (regex(asks, re.IGNORECASE), word)
    for asks, word in (
        ("怎么回事|哪[天里儿个家位年些]?|几(?=[楼层])|什么时候|(?<=叫)什么名字?", ""),
        ("现在|目前|如今|(?:要|得|会)?花?[了掉]?多(?:少钱|长时间|久)", ""),
        (r"\b(?:names?|dates?) of\b|\b(?:what|which) (?:day|date|time|month|year)s?\b", ""),
        (r"\b(?:right now|now|currently|at the moment|these days)\b", ""),
        ("多大(?=了|年|岁|[?？]|$)|几岁|多少岁", "年龄"),
        (r"\bhow old\b", "age"),
        (r"\bhow (?:long|much|many|far|often)\b", ""),
        (r"\bfor a living\b", "job"),
        (r"\bnext door\b", "neighbour"),
    )
)
_SOUGHT = regex(
    r"(?:什么|哪[个种款家只条首部本门项])(\w{1,3})|\b(?:which|what) ([a-z]{3,20})(?=[ ?])",
    re.IGNORECASE,
)


def _naming(text: str) -> dict[str, float]:
    """Return the terms of what a question names, with how much each tells.

    These are those of any text, and besides times, which it names for a reason, people near
    (妈) and single Chinese characters that are words (腰).
    """
    naming = dict(telling(text))
    for word in words(text):
        is_time = word.tag == "time" and values(word.text)
        if any(map(is_person, found := terms(word.text))):
            naming |= dict.fromkeys((term for term in found if is_person(term)), TIME)
        if is_time or (word.tag == "noun" and is_character(word.text)):
            naming |= dict.fromkeys(terms(word.text), TIME if is_time else CHARACTER)
    return naming


def _sought(text: str) -> set[str]:
    """Return the terms for what kind of thing is asked for (版本 of 哪个版本, "which colour").

    An answer is one of the kind, and need not say so.
    """
    return {term for found in _SOUGHT.finditer(text) for term in terms(found[1] or found[2])}


def _part(term: str, said: Iterable[str]) -> str | None:
    """Return the part of a word that will do where the word itself was never said.

    It ends with it (手机 for 新手机), or such parts make up most of it (羽毛 for 羽毛球拍).
    """
    parts = [one for one in said if len(one) > 1 and one != term and one in term]
    most = len({*"".join(parts)}) > PART * len(term)
    return next((one for one in parts if most or term.endswith(one)), None)


def _stand_ins(term: str) -> frozenset[str]:
    """Return the terms that may stand for one; of a longer Chinese word, for its parts."""
    if found := alike(term):
        return found
    parts = {term[i:j] for i in range(len(term)) for j in range(i + 2, len(term) + 1)}
    return frozenset().union(parts, *map(alike, parts)) if not term.isascii() else found


def _apart(unknown: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """Return unknown terms without those that reach over a known one (绍教 of 林绍教什么)."""
    said = {c for term in known if not term.isascii() for c in term}
    return frozenset(term for term in unknown if said.isdisjoint(term))


def _speakers(tx: Transaction, settings: Settings) -> frozenset[str]:
    """Return the terms that name those who talk."""
    names = ["user", "assistant", settings.user_name, settings.agent_name, *tx.messages.speakers()]
    return frozenset(term for name in names for term in terms(name))


def _holding(tx: Transaction, terms: Sequence[str]) -> dict[str, int]:
    """Return how many messages and facts hold each of some terms, asked for at once."""

    def said(tx: Transaction) -> list[list[int]]:
        return tx.index.postings_of([(term,) for term in terms], MOST_HOLDING)

    def learned(tx: Transaction) -> dict[str, list[int]]:
        return tx.index.facts_holding_each(terms, MOST_HOLDING)

    tx.ahead(said, learned)
    facts = learned(tx)
    found = zip(terms, said(tx), strict=True)
    return {term: len(spots) + len(facts[term]) for term, spots in found}
