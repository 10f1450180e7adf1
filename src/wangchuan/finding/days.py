"""What was said at the times that a question names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta

from wangchuan.language.dates.spans import Span
from wangchuan.language.terms import terms
from wangchuan.network.ranking import rarity
from wangchuan.storage import NodeRecord, Transaction
from wangchuan.types import Part, value

MOST_SPAN = 600  # messages of a time that are looked at
TURNS = 12  # messages that were just said
DAY = 86_400.0  # seconds
COMMON = 20  # places from which on a word tells no days apart


@value
class Days:
    """What was said at some times, and just now."""

    tx: Transaction
    spans: list[Span]

    def hold(self, said_at: float) -> bool:
        """Tell whether a moment is of one of the times."""
        return any(span.first <= said_at < span.last for span in self.spans)

    def messages(self) -> list[int]:
        """Return the messages of the times, in their order, or else of the days of these times."""
        exact = [(span.first, span.last) for span in self.spans]
        return self._said_in(exact) or self._said_in([_whole_day(*times) for times in exact])

    def just_said(self) -> list[int]:
        """Return the last messages of the present conversation, in their order."""
        last = self.tx.messages.last()
        if last is None:
            return []
        return list(range(last.seq - min(last.place, TURNS - 1), last.seq + 1))

    def _said_in(self, times: Iterable[tuple[float, float]]) -> list[int]:
        """Return the messages of some times, in their order."""
        found = (self.tx.messages.said_between(*time, MOST_SPAN) for time in times)
        return sorted({message for some in found for message in some})

    def most_telling(self, parts: list[Part]) -> list[Part]:
        """Return parts, those with the rarest words first, and users' before replies."""
        holding: dict[str, int] = {}
        total = self.tx.messages.newest()

        def worth(part: Part) -> float:
            found = set(terms(part.content))
            for term in found - holding.keys():
                holding[term] = len(self.tx.index.postings(term, COMMON))
            told = sum(rarity(holding[term], total) for term in found if holding[term] < COMMON)
            return told if part.who != "assistant" else told / 2

        return sorted(parts, key=worth, reverse=True)

    def episodes_of(self, messages: list[int]) -> list[NodeRecord]:
        """Return the episodes that were made of these messages, most of each."""
        learned = Counter(n for _, n in self.tx.facts.learned_from(messages))
        found = [record for n in sorted(learned) if (record := self.tx.nodes.get(n))]
        living = [r for r in found if r.kind == "episode" and r.forgotten_at is None]
        return [r for r in living if 2 * learned[r.n] >= len(self.tx.facts.evidence_of(r.n))]


def _whole_day(first: float, last: float) -> tuple[float, float]:
    """Return the day of a part of one: who asks for last night may mean what was said at noon."""
    if last - first >= DAY:
        return first, last
    begun = datetime.fromtimestamp(first).replace(hour=0, minute=0, second=0, microsecond=0)
    return begun.timestamp(), (begun + timedelta(days=1)).timestamp()
