"""What was said later on the same matter as a statement, in whose place it stands.

Not all that changes is put right in so many words, and few changes become facts. So for what is to
be told the latest statement of the same speaker is looked up that speaks of the same and gives
another value: it says that something changed, of what is asked or of a name that stood there.
What only says the same with another figure may be one of a series.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from wangchuan.finding.exchange import Figure
from wangchuan.finding.matter import Matter
from wangchuan.finding.telling import question_of
from wangchuan.language.changes import changes
from wangchuan.language.facts.figures import figures
from wangchuan.language.terms import NAMING, telling, terms
from wangchuan.language.text import words
from wangchuan.network.ranking import rarity
from wangchuan.patterns import regex
from wangchuan.spots import is_character, message_at
from wangchuan.storage import MessageRecord, Transaction
from wangchuan.types import value

ENOUGH = 3  # terms of a statement by which later ones are looked up
MOST_STATEMENTS = 6  # for which later ones are looked up
MOST_PLACES = 40  # of a word: one that stands in more tells nothing of the matter
MOST_LATER = 6  # statements after one that are read
SAME = 0.5  # of a statement, or of what it holds of the question: so much is the same matter

PAST = regex(
    r"以前|之前|原来|原先|原定|最初|当初|一开始|\b(?:used to|originally|before|at first|first)\b",
    re.IGNORECASE,
)
_TIME = regex(r"(?:second|minute|hour|day|week|month|year)s?|分钟|小时|个月|[天周年]")
_CLAUSE = regex(r"[^，。！？；,!?;]+")


@value
class Latest:
    """What was said later on the matter of statements, as seen from one question."""

    tx: Transaction
    matter: Matter
    figure: Figure

    def of(self, statements: Iterable[MessageRecord]) -> dict[int, MessageRecord]:
        """Return what stands in the place of statements, by their numbers."""
        said = [one for one in statements if one.role == "user"][:MOST_STATEMENTS]
        if not said or PAST.search(self.figure.query):
            return {}
        held = {one.seq: self._telling(one.content) for one in said}
        places = self._places({term for some in held.values() for term in some})
        after = {n: self._after(n, some, places) for n, some in held.items()}
        wanted = {m for some in after.values() for m in some}
        records = {record.seq: record for record in self.tx.messages.of(wanted)} if wanted else {}
        found: dict[int, MessageRecord] = {}
        for one in said:
            newer = sorted(after[one.seq], reverse=True)
            later = (records[m] for m in newer if m in records)
            if last := next((r for r in later if self._replaces(one, r, places)), None):
                found[one.seq] = last
        return found

    def _telling(self, text: str) -> set[str]:
        """Return the terms that a statement names or the question asks; all, if these are few."""
        found = set(terms(text))
        few = found & (telling(text).keys() | self.matter.worth.keys())
        return few if len(few) >= ENOUGH else found

    def _places(self, found: Collection[str]) -> dict[str, list[int]]:
        """Return the messages that hold terms, for those that are rare enough to tell."""
        asked = sorted(found)
        spots = self.tx.index.postings_of([(term,) for term in asked], MOST_PLACES, whole=True)
        return {
            term: [message_at(spot) for spot in some]
            for term, some in zip(asked, spots, strict=True)
            if len(some) < MOST_PLACES
        }

    def _after(self, n: int, held: Iterable[str], places: Mapping[str, list[int]]) -> list[int]:
        """Return the later messages that share most with a statement."""
        shared: dict[int, float] = {}
        for term in held:
            there = places.get(term, [])
            for message in (m for m in there if m > n):
                shared[message] = shared.get(message, 0.0) + 1 / len(there)
        return sorted(shared, key=lambda m: (-shared[m], -m))[:MOST_LATER]

    def _replaces(
        self, one: MessageRecord, other: MessageRecord, places: Mapping[str, list[int]]
    ) -> bool:
        """Tell whether a later message stands in the place of a statement."""
        if (one.role, one.name) != (other.role, other.name) or question_of(other.content):
            return False
        said, now = set(terms(one.content)), set(terms(other.content))
        shared, asked = said & now & places.keys(), said & self.matter.worth.keys()
        if not shared or not all(self.figure.is_told(r.content) for r in (one, other)):
            return False
        changed = [start for start, _ in changes(other.content)]
        gone = _names(one.content) & shared - asked & _beside(other.content, changed)
        if gone and said & now - gone:
            return True
        if not changed or not self._of_slot(asked & now):
            return False
        worth = self.matter.weights
        held = sum(worth[t] for t in asked & now) / (sum(worth[t] for t in asked) or 1.0)
        kept = said - (_names(one.content) - now)  # a name that is not said again is a value
        common = _common(kept, now, places, self.tx.messages.newest())
        anew = _refigured(one.content, other.content)
        same = min(held, common) >= SAME
        return same or (anew and (self.figure.is_asked or max(held, common) >= SAME))

    def _of_slot(self, held: Iterable[str]) -> bool:
        """Tell whether terms of the question say what is asked of somebody, not only of whom."""
        names = [t for t, weight in self.matter.naming.items() if weight >= NAMING["name"]]
        return any(not (is_character(term) or any(term in name for name in names)) for term in held)


def _names(text: str) -> set[str]:
    """Return the terms of the names in a text."""
    return {term for term, weight in telling(text).items() if weight >= NAMING["name"]}


def _beside(text: str, places: Sequence[int]) -> set[str]:
    """Return the terms of the clauses that hold one of some places, or stand right beside it."""
    spans = [match.span() for match in _CLAUSE.finditer(text)]
    there = [n for n, (start, end) in enumerate(spans) if any(start <= p < end for p in places)]
    near = {n + far for n in there for far in (-1, 0, 1)} & {*range(len(spans))}
    return {t for n in near for t in terms(text[spans[n][0] : spans[n][1]])}


def _refigured(one: str, other: str) -> bool:
    """Tell whether two texts state different figures of one kind, of the same things if of any."""
    said, now = ([f for f in figures(text) if f.kind != "one"] for text in (one, other))
    return any(
        f.kind == g.kind
        and (_unit(f.unit) == _unit(g.unit) or not (f.unit and g.unit))
        and one[f.start : f.end] != other[g.start : g.end]
        for f in said
        for g in now
    )


def _unit(unit: str) -> str:
    """Return what is counted: minutes and hours are both time."""
    return "time" if _TIME.fullmatch(unit) else unit.rstrip("s")


def _common(
    said: Collection[str], now: Collection[str], places: Mapping[str, list[int]], total: int
) -> float:
    """Return the share of what a statement tells that another says, too, beside its figures."""
    worth = {t: rarity(len(places[t]), total) for t in said if t in places and not any(_counts(t))}
    return sum(w for t, w in worth.items() if t in now) / (sum(worth.values()) or 1.0)


def _counts(term: str) -> Iterable[bool]:
    """Yield for the words of a term whether they are numbers."""
    return (word.tag in ("num", "unit") for word in words(term))
