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
from itertools import combinations

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
CLOSE = 0.35  # share from which on a neighbour is an answer that may be found
TALK, TALK_K = 0.8, 1.2  # what the whole conversation adds, and how soon more of it adds less
SPEAKER = 1.2  # what being said by someone the question names adds
TIME = 6.0  # what being said when the question says adds, at least
POSTINGS = 200  # of a term, the newest; a more frequent one tells little apart
TELLING = 0.3  # of what the rarest term is worth: the least a fact must hold of a question
FEW = 50  # messages: among fewer, a word that is there is hardly less telling than one that is not
TOGETHER = 4  # of the rarest terms: where two of them stand together is looked up besides
RANK = 10  # reciprocal rank fusion: how much the first places stand out
LEARNED = {"fact": 0.9, "core": 0.9, "system": 0.9, "episode": 0.5}  # of a place among these
VECTOR = 0.4  # the weight of a place in the list by vectors, beside 1 by words

TEXT, LINK, TALKED, SPOKE, TIMED, VECTORS = "text", "link", "talk", "speaker", "time", "vector"


def rarity(holding: int, total: int) -> float:
    """Return what a term is worth that so many of all messages hold."""
    return math.log(1 + (max(total - holding, 0) + 0.5) / (holding + 0.5))


def holders(spots: Sequence[int], limit: int, total: int) -> int:
    """Return how many of all messages hold a term, judging by its newest spots, up to a limit."""
    if len(spots) < limit:
        return len(spots)
    newest = total - (spots[-1] >> MESSAGE_SHIFT) + 1
    return int(len(spots) * total / newest)


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
    gains: dict[str, dict[int, float]] = field(default_factory=dict)  # by term: by message
    own: dict[int, float] = field(default_factory=dict)  # by message
    firsts: dict[int, int] = field(default_factory=dict)  # the first of a message's conversation
    lengths: dict[int, int] = field(default_factory=dict)  # of messages, in terms
    talk: dict[int, float] = field(default_factory=dict)  # by first message
    asked: float = 0.0  # what all terms of the question are worth
    looked_at: dict[int, dict[str, float]] = field(default_factory=dict)  # see `held`

    def add(self, term: str, spots: Sequence[int], twice: Iterable[int], average: float) -> None:
        """Count a term that stands at these spots, newest first, and `twice` at some of them."""
        holding = holders(spots, POSTINGS, self.messages)
        self.worth[term] = rarity(holding, self.messages)
        self.asked += self.worth[term]
        self.gains[term] = {}
        firsts = self._gain(term, spots, twice, average)
        self._add_talks(Counter(firsts), holding, len(spots))

    def add_pair(self, one: str, other: str, spots: Sequence[int], average: float) -> None:
        """Count two terms that stand together at spots, of which some were read already."""
        for term in (one, other):
            known = self.gains[term]
            fresh = [spot for spot in spots if spot >> MESSAGE_SHIFT not in known]
            for first in self._gain(term, fresh, (), average):
                self.talk.setdefault(first, 0.0)

    def _gain(
        self, term: str, spots: Sequence[int], twice: Iterable[int], average: float
    ) -> list[int]:
        """Note what a term is worth where it stands; return the first messages of these talks."""
        messages = [spot >> MESSAGE_SHIFT for spot in spots]
        firsts = [(s >> MESSAGE_SHIFT) - (s >> LENGTH_BITS & PLACES) for s in spots]
        lengths = list(map(LENGTHS.__and__, spots))
        once, per_term = 1 + K1 * (1 - B), K1 * B / average
        gain = self.worth[term] * (K1 + 1)
        gains = dict(zip(messages, [gain / (once + per_term * n) for n in lengths], strict=True))
        for spot in twice:
            if spot >> MESSAGE_SHIFT in gains:
                more = gain * 2 / (1 + once + per_term * (spot & LENGTHS))
                gains[spot >> MESSAGE_SHIFT] = more
        self.gains[term] |= gains
        self.firsts.update(zip(messages, firsts, strict=True))
        self.lengths.update(zip(messages, lengths, strict=True))
        own = self.own
        for message, here in gains.items():
            own[message] = own.get(message, 0.0) + here
        self.looked_at.clear()
        return firsts

    def held(self, message: int) -> dict[str, float]:
        """Return what the terms that a message holds itself are worth there."""
        if message not in self.looked_at:
            gains = self.gains.items()
            self.looked_at[message] = {term: by[message] for term, by in gains if message in by}
        return self.looked_at[message]

    def rarest_pairs(self) -> list[tuple[str, str]]:
        """Return pairs of the rarest terms of which one, at least, was not read to its end."""
        found = [term for term, gains in self.gains.items() if gains]
        rarest = heapq.nlargest(TOGETHER, found, key=self.worth.__getitem__)
        cut = {term for term in rarest if len(self.gains[term]) >= POSTINGS}
        return [pair for pair in combinations(rarest, 2) if not cut.isdisjoint(pair)]

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
        """Return the numbers of the messages close to one, itself included."""
        return [message, *(message - far for far, share in SHARES.items() if share >= CLOSE)]

    def weigh(self, message: int, first: int) -> tuple[float, float]:
        """Return the total of `score` and how much of the question's worth is covered."""
        best, _ = self._best(message, first, self.held(message))
        if not best:
            return 0.0, 0.0
        covered = sum(map(self.worth.__getitem__, best)) / self.asked
        return sum(best.values()) + self.talk.get(first, 0.0), covered

    def coverage(self, message: int) -> float:
        """Return how much of the question's worth a message holds itself."""
        return sum(map(self.worth.__getitem__, self.held(message))) / (self.asked or 1.0)

    @property
    def demanded(self) -> float:
        """Return how much of it a message must hold where little is not enough."""
        return TELLING * max(self.worth.values(), default=0.0) / (self.asked or 1.0)

    def score(self, message: int, first: int, *, own: bool = True) -> Score:
        """Return what the words, their neighbours and the conversation say for a message.

        Without its `own` words, a message is judged by what is around it.
        """
        mine = self.held(message) if own else {}
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
        firsts = self.firsts
        for distance, share in SHARES.items():
            near = message + distance
            if firsts.get(near) == first:
                for term, there in self.held(near).items():
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
