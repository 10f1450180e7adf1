"""Ranking what was said by what is asked: pure rules over plain numbers.

A message is worth what its own words are worth: a term counts by its rarity, less in a long
message (BM25, every term once). People answer one another in few words, so a term also counts,
at a smaller share, for the messages around the one that holds it; of a message's own word and
its neighbours' the best counts, not the sum, so that context never outweighs the words
themselves. Then the conversation as a whole, the speaker and the time add to it.

Lists that cannot be compared by their numbers (words, vectors) are joined by rank. The shares and
weights were chosen on LoCoMo and MemoryBank conversations and are stated in `docs/search.md`.
Nothing here knows how faded a memory is: forgetting decides what is at hand, never what a
question means.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from wangchuan.spots import LENGTH_BITS, LENGTHS, MESSAGE_SHIFT, PLACES

K1, B = 0.9, 0.4  # saturation and length correction of BM25
SHARES = {
    -1: 0.6,
    1: 0.4,
    -2: 0.35,
    2: 0.2,
    -3: 0.2,
    3: 0.1,
    -4: 0.1,
}  # of a neighbour's term, by distance
TALK, TALK_K = 0.8, 1.2  # what the whole conversation adds, and how soon more of it adds less
SPEAKER = 1.2  # what being said by someone the question names adds
TIME = 6.0  # what being said when the question says adds, at least
POSTINGS = 500  # of a term, the newest; a more frequent one tells little apart
RANK = 10  # reciprocal rank fusion: how much the first places stand out
LEARNED = {"fact": 0.9, "core": 0.9, "system": 0.9, "episode": 0.5}  # of a place among these
VECTOR = 0.4  # the weight of a place in the list by vectors, beside 1 by words

TEXT, LINK, TALKED, SPOKE, TIMED, VECTORS = "text", "link", "talk", "speaker", "time", "vector"


def rarity(holding: int, total: int) -> float:
    """Return what a term is worth that so many of all messages hold."""
    return math.log(1 + (max(total - holding, 0) + 0.5) / (holding + 0.5))


@dataclass(frozen=True, slots=True)
class Score:
    """What speaks for one message, part by part, and the neighbour that brought most of it."""

    total: float
    parts: Mapping[str, float]
    covered: float  # share of the question's worth that the message or its neighbours hold
    matched: frozenset[str]  # terms it holds itself
    via: int | None = None


@dataclass(slots=True)
class Evidence:
    """What the terms of one question say about messages and conversations."""

    messages: int  # how many there are in all
    talks: int
    worth: dict[str, float] = field(default_factory=dict)  # of each term of the question
    held: dict[int, dict[str, float]] = field(default_factory=dict)  # by message: by term
    own: dict[int, float] = field(default_factory=dict)  # by message
    firsts: dict[int, int] = field(default_factory=dict)  # the first of a message's conversation
    talk: dict[int, float] = field(default_factory=dict)  # by first message
    asked: float = 0.0  # what all terms of the question are worth

    def add(self, term: str, spots: Sequence[int], twice: Collection[int], average: float) -> None:
        """Count a term that stands at these spots, newest first, and `twice` at some of them."""
        holding = self._holding(spots)
        worth = self.worth[term] = rarity(holding, self.messages)
        self.asked += worth
        flat, per_term, gain = K1 * (1 - B), K1 * B / average, worth * (K1 + 1)
        held, own, firsts, counts = self.held, self.own, self.firsts, dict[int, int]()
        for spot in spots:
            message = spot >> MESSAGE_SHIFT
            firsts[message] = first = message - (spot >> LENGTH_BITS & PLACES)
            counts[first] = counts.get(first, 0) + 1
            times = 2 if spot in twice else 1
            here = gain * times / (times + flat + per_term * (spot & LENGTHS))
            if message in held:
                held[message][term] = here
                own[message] += here
            else:
                held[message] = {term: here}
                own[message] = here
        self._add_talks(counts, holding, len(spots))

    def _holding(self, spots: Sequence[int]) -> int:
        """Return how many messages hold a term, judging by the newest ones."""
        if len(spots) < POSTINGS:
            return len(spots)
        newest = self.messages - (spots[-1] >> MESSAGE_SHIFT) + 1
        return int(len(spots) * self.messages / newest)

    def _add_talks(self, counts: Mapping[int, int], holding: int, seen: int) -> None:
        among = len(counts) * holding // seen if seen else 0
        worth, talk = TALK * rarity(among, self.talks) * (TALK_K + 1), self.talk
        for first, count in counts.items():
            talk[first] = talk.get(first, 0.0) + worth * count / (count + TALK_K)

    def best(self, most: int) -> list[int]:
        """Return the messages whose own words and conversation speak most for them."""
        talk, firsts = self.talk, self.firsts
        ranked = [(own + talk[firsts[m]], m) for m, own in self.own.items()]
        return [message for _, message in heapq.nlargest(most, ranked)]

    def around(self, message: int) -> list[int]:
        """Return the numbers of the messages near one, itself included."""
        return [message, *(message - distance for distance in SHARES)]

    def weigh(self, message: int, first: int) -> tuple[float, float]:
        """Return the total of `score` and how much of the question's worth is covered."""
        best, _ = self._best(message, first, self.held.get(message, {}))
        if not best:
            return 0.0, 0.0
        covered = sum(map(self.worth.__getitem__, best)) / self.asked
        return sum(best.values()) + self.talk.get(first, 0.0), covered

    def score(self, message: int, first: int, *, own: bool = True) -> Score:
        """Return what the words, their neighbours and the conversation say for a message.

        Without its `own` words, a message is judged by what is around it.
        """
        mine = self.held.get(message, {}) if own else {}
        best, givers = self._best(message, first, mine)
        text, whole = sum(mine.values()), sum(best.values())
        talk = self.talk.get(first, 0.0) if best else 0.0
        return Score(
            total=whole + talk,
            parts={TEXT: text, LINK: whole - text, TALKED: talk},
            covered=sum(map(self.worth.__getitem__, best)) / (self.asked or 1.0),
            matched=frozenset(mine),
            via=_most_generous(givers, best, mine) if givers else None,
        )

    def _best(
        self, message: int, first: int, mine: Mapping[str, float]
    ) -> tuple[dict[str, float], dict[str, int]]:
        """Return what each term is worth here at best, and the neighbours who gave it."""
        best, givers = dict(mine), dict[str, int]()
        firsts, held = self.firsts, self.held
        for distance, share in SHARES.items():
            near = message + distance
            if near in held and firsts[near] == first:
                for term, there in held[near].items():
                    given = there * share
                    if term not in best or given > best[term]:
                        best[term], givers[term] = given, near
        return best, givers


def _most_generous(
    givers: Mapping[str, int], best: Mapping[str, float], mine: Mapping[str, float]
) -> int:
    """Return the neighbour that gave most, the later one in a tie."""
    gifts: dict[int, float] = {}
    for term, giver in givers.items():
        gifts[giver] = gifts.get(giver, 0.0) + best[term] - mine.get(term, 0.0)
    return max(gifts, key=lambda m: (gifts[m], m))


def fused(lists: Iterable[tuple[float, Sequence[int]]]) -> dict[int, list[float]]:
    """Join ranked lists: return for each entry what its place in each list is worth."""
    lists = list(lists)
    found: dict[int, list[float]] = {}
    for n, (weight, ranked) in enumerate(lists):
        for place, entry in enumerate(ranked):
            found.setdefault(entry, [0.0] * len(lists))[n] = weight / (RANK + place)
    return found
