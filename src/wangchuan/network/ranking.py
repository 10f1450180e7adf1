"""Ranking what was said by what is asked: pure rules over plain numbers.

A message is worth what its own words are worth: a term counts by its rarity, less in a long
message (BM25, every term once or twice), and by how often the question names it. People answer
one another in few words, so a term also counts, at a smaller share, for the messages that answer
the one that holds it or are answered by it; of a message's own word and its neighbours' the best
counts, not the sum, so that context never outweighs the words themselves. What the same speaker
said next stands alone: a list of notes lends nothing. Then the conversation as a whole, the
speaker and the time add to it; what only asks is worth less than what states.

From the first answers a second step goes on: the words that they name, and the question does not,
lead to other messages about the same thing. What is near in meaning adds in the measure in which
the words leave the question open. All of it is one sum, the evidence, and `score_of` says what it
means. The numbers are stated in `docs/search.md`. Nothing here knows how faded a memory is:
forgetting decides what is at hand, never what a question means.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar

from wangchuan.spots import LENGTH_BITS, LENGTHS, MESSAGE_SHIFT, PLACES, is_character

K1, B = 0.9, 0.6  # saturation and length correction of BM25
BACK, AHEAD = 0.6, 0.4  # share of a term of the turn that a message answers, and of its answer
REACH = 4  # turns: each further one lends its share of the nearer one's
TALK = 0.8  # what the whole conversation adds
SPEAKER = 2.0  # what being said by someone the question names adds
TIME = 6.0  # what being said when the question says adds, at least
ASKING = 0.8  # of what a message is worth that ends with a question
CHARACTER = 0.4  # of what a term is worth that is a single Chinese character
POSTINGS = 100  # of a term, the newest; a more frequent one tells little apart
TELLING = 0.3  # of what the rarest term is worth: the least a fact must hold of a question
FEW = 50  # messages: among fewer, a word that is there is hardly less telling than one that is not
TOGETHER = 4  # of the rarest terms: where two of them stand together is looked up besides
STEP = 0.5  # of what the words of the first answers are worth that lead on from them
MEANING = 0.4  # of what speaks for the best answer: what being nearest in meaning adds, at most
LEARNED = 0.5  # of the score of something learned, beside what was said

Key = TypeVar("Key")

TEXT, LINK, TALKED, SPOKE, TIMED = "text", "link", "talk", "speaker", "time"
STEPPED, VECTORS = "step", "vector"


def rarity(holding: int, total: int) -> float:
    """Return what a term is worth that so many of all messages hold."""
    return math.log(1 + (max(total - holding, 0) + 0.5) / (holding + 0.5))


def shares(asked: Iterable[str], held: Sequence[Collection[str]]) -> list[float]:
    """Return for each text, given its terms, how much of a question's terms it holds, up to 1.

    A term counts by its rarity among these texts.
    """
    wanted = list(asked)
    worth = {term: rarity(sum(term in one for one in held), len(held)) for term in wanted}
    total = sum(worth.values()) or 1.0
    return [sum(worth[term] for term in wanted if term in one) / total for one in held]


def emphasis(term: str, times: int = 1) -> float:
    """Return by how much a term counts that a question names so many times.

    A single Chinese character counts in part: it begins many words.
    """
    part = CHARACTER if is_character(term) else 1.0
    return part * (1.0 + math.log(times))


def holders(spots: Sequence[int], limit: int, total: int) -> int:
    """Return how many of all messages hold a term, judging by its newest spots, up to a limit."""
    if len(spots) < limit:
        return len(spots)
    newest = total - (spots[-1] >> MESSAGE_SHIFT) + 1
    return int(len(spots) * total / newest)


def score_of(evidence: float, asked: float) -> float:
    """Return the evidence for an answer as a score from 0 to 1.

    It is a half where the evidence is the square root of what the question is worth, since a long
    question is worth more than any one message can hold; or all of it, where that is less.
    """
    enough = min(asked, asked * asked)
    return evidence * evidence / (evidence * evidence + enough) if evidence else 0.0


def evidence_for(score: float, asked: float) -> float:
    """Return the evidence that has a score; where nothing is asked in words, the score itself."""
    enough = min(asked, asked * asked)
    return math.sqrt(score / (1.0 - min(score, 0.999)) * enough) if enough else score


@dataclass(frozen=True, slots=True)
class Score:
    """What speaks for one message, part by part, and the neighbour that brought most of it."""

    total: float
    parts: Mapping[str, float]
    covered: float  # share of the question's worth that the message or its neighbours hold
    matched: frozenset[str]  # terms it holds itself
    around: frozenset[str]  # and those that the turns around it hold
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
    talk: dict[int, float] = field(default_factory=dict)  # by first message
    asked: float = 0.0  # what all terms of the question are worth
    answering: set[int] = field(default_factory=set)  # messages that follow another speaker
    looked_at: dict[int, dict[str, float]] = field(default_factory=dict)  # see `held`

    def add(
        self, term: str, spots: Sequence[int], twice: Iterable[int], average: float, times: int = 1
    ) -> None:
        """Count a term that stands at these spots, newest first, and `twice` at some of them.

        The question names it so many `times`.
        """
        holding = holders(spots, POSTINGS, self.messages)
        self.worth[term] = self.rarity_of(spots) * emphasis(term, times)
        self.asked += self.worth[term]
        self.gains[term] = {}
        firsts = self._gain(term, spots, twice, average)
        self._add_talks(Counter(firsts), holding, len(spots))

    def rarity_of(self, spots: Sequence[int]) -> float:
        """Return what a term is worth that stands at these spots, newest first."""
        return rarity(holders(spots, POSTINGS, self.messages), self.messages)

    def add_pair(self, pair: Iterable[str], spots: Sequence[int], average: float) -> None:
        """Count two terms that stand together at spots, of which some were read already.

        Where a Chinese word stands, so do its parts: 自行 and 行车 in 自行车.
        """
        if not spots:
            return
        for term in (part for whole in pair for part in self.worth if part in whole):
            known = self.gains[term]
            fresh = [spot for spot in spots if spot >> MESSAGE_SHIFT not in known]
            for first in self._gain(term, fresh, (), average):
                self.talk.setdefault(first, 0.0)

    def _gain(
        self, term: str, spots: Sequence[int], twice: Iterable[int], average: float
    ) -> list[int]:
        """Note what a term is worth where it stands; return the first messages of these talks."""
        gains = worths(spots, self.worth[term], average)
        if twice:
            more = worths(twice, self.worth[term], average, times=2)
            gains |= {message: worth for message, worth in more.items() if message in gains}
        self.gains[term] |= gains
        firsts = [(s >> MESSAGE_SHIFT) - (s >> LENGTH_BITS & PLACES) for s in spots]
        self.firsts.update(zip(gains, firsts, strict=True))
        own, had = self.own, self.own.get
        for message, here in gains.items():
            own[message] = had(message, 0.0) + here
        self.looked_at.clear()
        return firsts

    def held(self, message: int) -> dict[str, float]:
        """Return what the terms that a message holds itself are worth there."""
        found = self.looked_at.get(message)
        if found is None:
            gains = self.gains.items() if message in self.firsts else ()
            found = {term: by[message] for term, by in gains if message in by}
            self.looked_at[message] = found
        return found

    def rarest_pairs(self) -> list[tuple[str, str]]:
        """Return pairs of the rarest terms of which one, at least, was not read to its end."""
        found = [term for term, gains in self.gains.items() if gains]
        apart: list[str] = []
        for term in sorted(found, key=self.worth.__getitem__, reverse=True):
            if len(apart) < TOGETHER and not any(are_of_one_word(term, one) for one in apart):
                apart.append(term)
        cut = {term for term in apart if len(self.gains[term]) >= POSTINGS}
        return [pair for pair in combinations(apart, 2) if not cut.isdisjoint(pair)]

    def _add_talks(self, counts: Mapping[int, int], holding: int, seen: int) -> None:
        among = len(counts) * holding // seen if seen else 0
        worth, talk = TALK * rarity(among, self.talks) * (K1 + 1), self.talk
        for first, count in counts.items():
            talk[first] = talk.get(first, 0.0) + worth * count / (count + K1)

    def best(self, most: int) -> list[int]:
        """Return the messages for which most speaks: own words, and these with the conversation."""
        talk, firsts = self.talk, self.firsts
        told = {m: own + talk[firsts[m]] for m, own in self.own.items()}
        return list(dict.fromkeys([*heaviest(told, most), *heaviest(self.own, most)]))

    def lenders(self, message: int) -> Iterator[tuple[int, float]]:
        """Yield the turns around a message and the share of their words that it has.

        Turns depend on each other as far as one answers the other without a break.
        """
        for near, share in self._chain(message, -1, BACK):
            yield near, share
        for near, share in self._chain(message, 1, AHEAD):
            yield near, share

    def _chain(self, message: int, way: int, share: float) -> Iterator[tuple[int, float]]:
        given = 1.0
        for _ in range(REACH):
            if (message if way < 0 else message + 1) not in self.answering:
                return
            message, given = message + way, given * share
            yield message, given

    def weigh(self, message: int, first: int) -> tuple[float, float]:
        """Return the total of `score` and how much of the question's worth is covered."""
        best, _ = self._best(message, self.held(message))
        if not best:
            return 0.0, 0.0
        covered = sum(map(self.worth.__getitem__, best)) / self.asked
        return sum(best.values()) + self._talked(message, first), covered

    def _talked(self, message: int, first: int) -> float:
        """Return what its conversation says for a message that answers or is answered."""
        in_talk = message in self.answering or message + 1 in self.answering
        return self.talk.get(first, 0.0) if in_talk else 0.0

    def coverage(self, message: int) -> float:
        """Return how much of the question's worth a message holds itself."""
        return sum(map(self.worth.__getitem__, self.held(message))) / (self.asked or 1.0)

    def unsaid(self) -> set[str]:
        """Return the terms of the question that stand nowhere."""
        return {term for term, gains in self.gains.items() if not gains}

    def score(self, message: int, first: int, *, own: bool = True) -> Score:
        """Return what the words, their neighbours and the conversation say for a message.

        Without its `own` words, a message is judged by what is around it.
        """
        mine = self.held(message) if own else {}
        best, givers = self._best(message, mine)
        text, whole = sum(mine.values()), sum(best.values())
        talk = self._talked(message, first) if best else 0.0
        return Score(
            total=whole + talk,
            parts={TEXT: text, LINK: whole - text, TALKED: talk},
            covered=sum(map(self.worth.__getitem__, best)) / (self.asked or 1.0),
            matched=frozenset(mine),
            around=frozenset(best),
            via=_most_generous(givers, best, mine) if givers else None,
        )

    def _best(
        self, message: int, mine: Mapping[str, float]
    ) -> tuple[dict[str, float], dict[str, int]]:
        """Return what each term is worth here at best, and the neighbours who gave it."""
        givers: dict[str, int] = {}
        if message not in self.answering and message + 1 not in self.answering:
            return {**mine}, givers  # it stands alone
        best = {**mine}
        for near, share in self.lenders(message):
            if near in self.firsts:
                for term, there in self.held(near).items():
                    given = there * share
                    if term not in best or given > best[term]:
                        best[term], givers[term] = given, near
        return best, givers


def heaviest(weights: Mapping[Key, float], most: int) -> list[Key]:
    """Return the keys with most weight, heaviest first, as they stand among equals.

    To sort bare numbers first, for the least weight that is wanted, is what takes least time.
    """
    if len(weights) > most > 0:
        least = sorted(weights.values())[-most]
        weights = {key: weight for key, weight in weights.items() if weight >= least}
    return sorted(weights, key=weights.__getitem__, reverse=True)[:most]


def are_of_one_word(one: str, other: str) -> bool:
    """Tell whether two terms may be halves of one Chinese word, which tell the same."""
    return not (one.isascii() or other.isascii() or set(one).isdisjoint(other))


def worths(spots: Iterable[int], worth: float, average: float, times: int = 1) -> dict[int, float]:
    """Return what a term is worth in the messages where it stands so many times, by length."""
    once, per_term, gain = times + K1 * (1 - B), K1 * B / average, worth * (K1 + 1) * times
    return {s >> MESSAGE_SHIFT: gain / (once + per_term * (s & LENGTHS)) for s in spots}


def _most_generous(
    givers: Mapping[str, int], best: Mapping[str, float], mine: Mapping[str, float]
) -> int:
    """Return the neighbour that gave most, the later one in a tie."""
    gifts: dict[int, float] = {}
    for term, giver in givers.items():
        gifts[giver] = gifts.get(giver, 0.0) + best[term] - mine.get(term, 0.0)
    return max(gifts, key=lambda m: (gifts[m], m))


def leads(answers: Iterable[tuple[float, Iterable[str]]], known: set[str]) -> dict[str, float]:
    """Return the terms that lead on from the first answers, with how much each counts.

    An answer is given by what speaks for it and its terms; those `known` from the question lead
    nowhere new.
    """
    said = [(weight, set(terms) - known) for weight, terms in answers]
    whole, found = sum(weight for weight, _ in said), dict[str, float]()
    for weight, terms in said:
        for term in terms:
            found[term] = found.get(term, 0.0) + weight / whole
    return found


def nearness(near: Sequence[tuple[int, float]]) -> dict[int, float]:
    """Return how near messages are in meaning, from 0 for the last of a list to 1 for its first."""
    if not near:
        return {}
    nearest, last = near[0][1], near[-1][1]
    width = nearest - last
    return {m: (close - last) / width if width > 0 else 1.0 for m, close in near}


def turns_around(messages: Iterable[int]) -> list[int]:
    """Return the numbers of the turns within reach of messages, in order."""
    around = range(-REACH, REACH + 1)
    return sorted({message + far for message in messages for far in around})


def average_length(found: Iterable[Sequence[int]]) -> float:
    """Return how many terms a message has on average, judging by those where terms were found.

    A message is met the more often the longer it is, hence the harmonic mean.
    """
    lengths = Counter([spot & LENGTHS or 1 for spots in found for spot in spots])
    counted = sum(n / length for length, n in lengths.items())
    return lengths.total() / counted if counted else 1.0
