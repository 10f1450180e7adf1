"""What a question is about, and how much of that a text holds.

People ask by naming things. A name or a noun that is rare here tells most, a verb little: what
holds none of the things a question names is no answer, however many of its other words it has, and
a question about things that were never said has none. Words for the time asked about, for asking
itself and for the two who talk name nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from wangchuan.language.kinds import is_general, kin
from wangchuan.language.terms import asked, telling, terms
from wangchuan.language.text import words
from wangchuan.network.ranking import FEW, rarity
from wangchuan.patterns import regex
from wangchuan.settings.fields import Settings
from wangchuan.storage import Transaction

ANSWERS = 0.4  # share of what a question names that the best answer must hold
UNNAMED = 0.7  # the same, where it names nothing
BESIDE = 0.3  # share of what the best one holds that others must hold
OTHER = 0.1  # what a word counts that names nothing, beside 1 for a name
KIND = 0.5  # what a word for a kind of thing counts at least, where facts are asked for
ALIKE = 0.7  # what holding another word for the same kind counts, beside 1 for the word
MOST_TERMS = 64
MOST_HOLDING = 200  # places counted: more make a word no more common


@dataclass(frozen=True, slots=True)
class Matter:
    """What a question is about: its terms, what each names (see `telling`) and how rare it is."""

    naming: Mapping[str, float]
    worth: Mapping[str, float]

    @classmethod
    def of(cls, tx: Transaction, settings: Settings, text: str) -> Matter:
        """Weigh the terms of a question by what they name and how rare they are here.

        Two halves of two words (录用 in 登录用什么) that were never said are no word of it.
        """
        for asks, word in _MEANING:
            text = asks.sub(f" {word} ", text)
        unsaid, naming = _speakers(tx, settings), dict(telling(text))
        found = [term for term in asked(text) if term not in unsaid][:MOST_TERMS]
        total, held = max(FEW, tx.messages.newest()), {term: _holding(tx, term) for term in found}
        whole = {word.text.lower() for word in words(text)} | naming.keys()
        held = {t: many for t, many in held.items() if many or t.isascii() or t in whole}
        for term in [one for one in naming if held.get(one) == 0]:
            heads = [t for t in held if t != term and len(t) > 1 and term.endswith(t) and held[t]]
            if heads:  # 新手机 was never said, but 手机 was
                naming[heads[0]] = naming.pop(term)
                del held[term]
        worth = {term: rarity(many, total) for term, many in held.items()}
        return cls({term: naming[term] for term in held if term in naming}, worth)

    def share(self, held: Collection[str]) -> float:
        """Return how much of what is asked about a text with these terms holds, of 1."""
        weights = {t: self.naming.get(t, OTHER) * worth for t, worth in self.worth.items()}
        total = sum(weights.values())
        return sum(w for term, w in weights.items() if term in held) / total if total else 0.0

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
        ("哪[天里儿个家位年些]?|几(?=[楼层])|什么时候|(?<=叫)什么名字?", ""),
        (r"\bnames? of\b", ""),
        ("多大(?=了|年|岁|[?？]|$)|几岁|多少岁", "年龄"),
        (r"\bhow old\b", "age"),
        (r"\bfor a living\b", "job"),
    )
)


def _speakers(tx: Transaction, settings: Settings) -> frozenset[str]:
    """Return the terms that name those who talk."""
    names = ["user", "assistant", settings.user_name, settings.agent_name, *tx.messages.speakers()]
    return frozenset(term for name in names for term in terms(name))


def _holding(tx: Transaction, term: str) -> int:
    return len(tx.index.postings(term, MOST_HOLDING)) + len(
        tx.index.facts_holding(term, MOST_HOLDING)
    )
