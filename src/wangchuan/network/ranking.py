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
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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
RANK = 10  # reciprocal rank fusion: how much the first places stand out
VECTOR = 0.4  # the weight of a place in the list by vectors, beside 1 by words

TEXT, LINK, TALKED, SPOKE, TIMED, VECTORS = "text", "link", "talk", "speaker", "time", "vector"


def rarity(holding: int, total: int) -> float:
    """Return what a term is worth that so many of all messages hold."""
    return math.log(1 + (max(total - holding, 0) + 0.5) / (holding + 0.5))


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a term stands, and how often: in a message of a length, in a conversation."""

    message: int
    first: int  # message of the conversation
    length: int
    times: int = 1


@dataclass(frozen=True, slots=True)
class Score:
    """What speaks for one message, part by part, and the neighbour that brought most of it."""

    parts: Mapping[str, float]
    covered: float  # share of the question's worth that the message or its neighbours hold
    matched: frozenset[str]
    via: int | None = None

    @property
    def total(self) -> float:
        """Return the sum of the parts."""
        return sum(self.parts.values())


@dataclass(slots=True)
class Evidence:
    """What the terms of one question say about messages and conversations."""

    messages: int  # how many there are in all
    talks: int
    worth: dict[str, float] = field(default_factory=dict)  # of each term of the question
    held: dict[str, dict[int, float]] = field(default_factory=dict)  # by term: by message
    firsts: dict[int, int] = field(default_factory=dict)
    own: dict[int, float] = field(default_factory=dict)
    talk: dict[int, float] = field(default_factory=dict)  # by first message

    def add(self, term: str, spots: Sequence[Spot], holding: int, average: float) -> None:
        """Count a term that so many messages hold, some of them at the spots given."""
        worth = self.worth[term] = rarity(holding, self.messages)
        flat, per_term, gain = K1 * (1 - B), K1 * B / average, worth * (K1 + 1)
        held, own, firsts = {}, self.own, self.firsts
        for spot in spots:
            message, times = spot.message, spot.times
            held[message] = here = gain * times / (times + flat + per_term * spot.length)
            own[message] = own.get(message, 0.0) + here
            firsts[message] = spot.first
        self.held[term] = held
        self._add_talks(Counter(spot.first for spot in spots), holding, len(spots))

    def _add_talks(self, counts: Counter[int], holding: int, seen: int) -> None:
        among = len(counts) * holding // seen if seen else 0
        worth = TALK * rarity(among, self.talks) * (TALK_K + 1)
        for first, count in counts.items():
            self.talk[first] = self.talk.get(first, 0.0) + worth * count / (count + TALK_K)

    def best(self, most: int) -> list[int]:
        """Return the messages whose own words and conversation speak most for them."""
        talk, firsts = self.talk, self.firsts
        ranked = ((own + talk[firsts[m]], m) for m, own in self.own.items())
        return [message for _, message in heapq.nlargest(most, ranked)]

    def around(self, message: int) -> list[int]:
        """Return the numbers of the messages near one, itself included."""
        return [message, *(message - distance for distance in SHARES)]

    def score(self, message: int, first: int, *, own: bool = True) -> Score:
        """Return what the words, their neighbours and the conversation say for a message.

        Without its `own` words, a message is judged by what is around it.
        """
        text = link = covered = 0.0
        gifts: dict[int, float] = {}
        matched, nearby = [], [(message + d, share) for d, share in SHARES.items()]
        for term, held in self.held.items():
            best = here = held.get(message, 0.0) if own else 0.0
            giver = message
            for near, share in nearby:
                there = held.get(near)
                if there and there * share > best and self.firsts[near] == first:
                    best, giver = there * share, near
            if here:
                matched.append(term)
                text += here
            if best:
                covered += self.worth[term]
            if giver != message:
                link += best - here
                gifts[giver] = gifts.get(giver, 0.0) + best - here
        parts = {TEXT: text, LINK: link}
        if covered:
            parts[TALKED] = self.talk.get(first, 0.0)
        via = max(gifts, key=lambda m: (gifts[m], m)) if gifts else None
        return Score(parts, covered / self.asked, frozenset(matched), via)

    @property
    def asked(self) -> float:
        """Return what all terms of the question are worth."""
        return sum(self.worth.values()) or 1.0


def fused(lists: Iterable[tuple[float, Sequence[int]]]) -> dict[int, list[float]]:
    """Join ranked lists: return for each entry what its place in each list is worth."""
    lists = list(lists)
    found: dict[int, list[float]] = {}
    for n, (weight, ranked) in enumerate(lists):
        for place, entry in enumerate(ranked):
            found.setdefault(entry, [0.0] * len(lists))[n] = weight / (RANK + place)
    return found
