"""Search: finding something in everything that was ever said.

Where recall walks from the attention, search looks at the whole memory. Full text and, where there
is an embedder, vectors give entry points; from them relevance spreads to the turns around them and
along the links of the network; the lists are joined by rank (`network.ranking`). What is found are
messages, because they are there from the moment they are accepted; each comes with the memory that
was made of it. What has gone cold is found and marked; what was forgotten, and the words that
fading dropped, only when asked for, and marked as well.

The cost is bounded: of every term so many postings are read, newest first, and so many candidates
are weighed, however much is remembered.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from wangchuan.facts.records import Facts, outdated_among
from wangchuan.finding.candidates import ANSWERS, MOST_ENTRIES, Candidates
from wangchuan.finding.found import DROPPED, Found
from wangchuan.finding.learned import Learned
from wangchuan.finding.query import Query
from wangchuan.finding.weighing import Weighing
from wangchuan.finding.words import Words, terms_of
from wangchuan.language.changes import asks_of_past, says_changed
from wangchuan.language.terms import is_bare
from wangchuan.living.lens import Lens
from wangchuan.living.view import Reading
from wangchuan.network import ranking
from wangchuan.network.activity import COLD
from wangchuan.network.ranking import Evidence, Score
from wangchuan.spots import is_character
from wangchuan.storage import MessageRecord, Transaction
from wangchuan.types import AFTER, BEFORE, Hit

FIRST = 3  # answers from whose words a second step goes on
LEADS = 16  # of their words that are looked up
WALKED = 6  # of these, the rarest, that are followed
LEAST = 0.15  # the score of the best answer, at least
KNOWN = 0.5  # share of it that, met in one place, says that the question is about known things
CHUNK = 20  # messages looked up at once
BELOW = 0.99  # of what speaks for one message: another that is to stand below it has so much
SAME = 0.5  # share of what the older says of the question, and of its weight, that it must have

Nearest = Callable[[Transaction, str, int], list[tuple[int, float]]]


@dataclass(slots=True)
class Search:
    """One search over one moment of the memory."""

    tx: Transaction
    lens: Lens
    query: Query
    nearest: Nearest | None = None
    facts: Facts | None = None
    is_empty: bool = field(init=False)  # nothing was ever said
    words: Words = field(init=False)
    candidates: Candidates = field(init=False)
    weighing: Weighing = field(init=False)
    weights: dict[int, float] = field(default_factory=dict)  # what speaks for candidates, in all

    def __post_init__(self) -> None:
        self.words = Words(self.tx, self.query)
        self.tx.ahead(
            lambda soon: soon.messages.last(),
            lambda soon: soon.messages.speakers(),
            self.words.read_ahead,
            lambda soon: self.facts and self.facts.holding(soon, self.query.text),
            lambda soon: soon.nodes.highest(),
        )
        last = self.tx.messages.last()
        self.is_empty = last is None
        evidence = Evidence(max(last.seq, ranking.FEW), last.talk) if last else Evidence(0, 0)
        self.words.evidence = evidence
        self.candidates = Candidates(self.tx, self.query, evidence)
        self.weighing = Weighing(self.query, self.words, self.candidates)

    def hits(self) -> list[Hit]:
        """Return what was found, best first."""
        reading = Reading(self.tx, self.lens)
        said = [self._hit(reading, found) for found in self.found()]
        learned = Learned(self.tx, self.lens, self.query, self.facts, self.words)
        return learned.among(said)

    def found(self) -> Iterator[Found]:
        """Yield the messages that were found, best first."""
        if self.is_empty or not self.query.limit:
            return
        self.words.read()
        if "segment" not in self.query.kinds:
            return
        near = self._near()
        self.candidates.gather(near)
        yield from self._answer(self._ranked(near))

    def _near(self) -> list[tuple[int, float]]:
        """Return the messages nearest in meaning; a strict search names something for that."""
        if self.nearest is None or (self.query.strict and not self.words.evidence.worth):
            return []
        most = MOST_ENTRIES if self.query.tags else 4 * self.candidates.seeds
        return self.nearest(self.tx, self.query.text, most)

    # joining

    def _ranked(self, near: list[tuple[int, float]]) -> list[int]:
        """Return the candidates, best first."""
        weights = {message: self.weighing.weigh(message) for message in self.candidates.heads}
        if not self.query.forgotten:
            self._judge_faded(weights)
        if not self._answers(weights):
            weights = {}
        self._step_on(weights)
        if self._is_brief and is_bare(self.query.text):
            self._judge_lent(weights)
        if not self.query.forgotten:
            self._judge_superseded(weights)
        self._add_meaning(weights, near)
        if not self.query.forgotten:
            self._judge_updates(weights)
        self.weights = weights
        return _ranked(weights)

    def _answers(self, weights: Mapping[int, float]) -> bool:
        """Tell whether the best candidate is an answer; characters alone are none to much asked."""
        best = max(weights, key=weights.__getitem__, default=0)
        if not best or self.weighing.score_of(weights[best]) < LEAST:
            return False
        held = self.words.evidence.held(best)
        return self._is_brief or not held or not all(map(is_character, held))

    @property
    def _is_brief(self) -> bool:
        return len(self.words.evidence.worth) <= ranking.TOGETHER

    def _step_on(self, weights: dict[int, float]) -> None:
        """Add what the words of the first answers lead to: more about what they name."""
        first = [m for m in _ranked(weights)[:FIRST] if m not in self.weighing.faded]
        self.candidates.look_up(first)
        said = [(weights[m], terms_of(self.candidates.records[m].content)) for m in first]
        found = ranking.leads(said, self.words.asked)
        likely = sorted(found, key=lambda term: (-found[term], -len(term), term))[:LEADS]
        spots = self.words.postings([(term,) for term in likely])
        places = {term: at for term, at in zip(likely, spots, strict=True) if len(at) > 1}
        sure = ranking.STEP * self.weighing.score_of(weights[first[0]]) if first else 0.0
        worth = {t: found[t] * sure * self.words.evidence.rarity_of(at) for t, at in places.items()}
        for term in heapq.nlargest(WALKED, worth, key=worth.__getitem__):
            there = ranking.worths(places[term], worth[term], self.words.average)
            for message, more in there.items():
                self.weighing.stepped[message] = self.weighing.stepped.get(message, 0.0) + more
        self._add_stepped(weights)

    def _add_stepped(self, weights: dict[int, float]) -> None:
        fresh = [m for m in self.weighing.stepped if m not in self.candidates.heads]
        best = heapq.nlargest(self.candidates.seeds, fresh, key=self.weighing.stepped.__getitem__)
        self.candidates.heads |= self.candidates.able(best)
        for message, more in self.weighing.stepped.items():
            if message in self.candidates.heads and message not in self.weighing.faded:
                whole = weights.get(message, 0.0) + more
                weights[message] = whole if self.weighing.is_enough(message, whole) else 0.0

    def _judge_lent(self, weights: dict[int, float]) -> None:
        """Rank what holds none of the question's words below what holds most of them.

        Whoever gives a name alone wants to see where it stands; a question may be answered by what
        follows on its words.
        """
        own = {m: self.weighing.own(m) for m, weight in weights.items() if weight}
        lent = [weights[message] for message, share in own.items() if not share]
        held = [weights[message] for message, share in own.items() if share >= KNOWN]
        if lent and held:
            less = min(1.0, BELOW * min(held) / max(lent))
            weights |= {m: weights[m] * less for m, share in own.items() if not share}

    def _add_meaning(self, weights: dict[int, float], near: list[tuple[int, float]]) -> None:
        """Add what is near in meaning, the more the less of the question its words have met.

        A message for which no words speak must be near enough by itself; its score is the cosine.
        """
        best = max(weights, key=weights.__getitem__, default=0)
        most = weights[best] if best else 0.0
        met = self.weighing.score(best).covered if most else 0.0
        floor, closeness = self._vector_floor(), ranking.nearness(near)
        for message, close in near:
            if message in self.candidates.heads and (weights.get(message) or close >= floor):
                more = ranking.MEANING * (1 - met / 2) * most * closeness[message]
                if not weights.get(message):
                    alone = ranking.evidence_for(close, self.words.evidence.asked)
                    more = min(more, alone) if most else alone
                self.weighing.meant[message] = more
                weights[message] = weights.get(message, 0.0) + more

    def _vector_floor(self) -> float:
        """Return how near a message with no word in common must be.

        Where words have found something the question is about things that are known, and less
        will do, unless the search is strict.
        """
        less = self.weighing.known >= KNOWN and not self.query.strict
        return self.lens.settings.vector_floor * (0.5 if less else 1.0)

    def _judge_superseded(self, weights: dict[int, float]) -> None:
        """Rank what a corrected fact was learned from below what corrected it."""
        first = _ranked(weights)[: self.query.limit]
        for message, facts in outdated_among(self.tx, first, self.words.evidence.worth).items():
            for newer in {m for fact in facts for m in self._sources_of_successor(fact)}:
                self.candidates.add(newer)
                if newer in self.candidates.heads and newer != message:
                    above = max(weights.get(newer, 0.0), weights[message])
                    weights[newer], weights[message] = above, min(weights[message], above * BELOW)

    def _judge_updates(self, weights: dict[int, float]) -> None:
        """Rank a newer statement right above one of the first answers that it seems to replace.

        That is one by the same speaker that says much of what the older says of the question, or
        some of it and that something changed. Only the order of the first answers changes, and not
        where the question is about the past.
        """
        first = _ranked(weights)[:ANSWERS]
        if self.query.spans or asks_of_past(self.query.text):
            return
        self.candidates.look_up(first)
        for older in first:
            newer = [m for m in first if m > older and weights[m] < weights[older]]
            replacing = [m for m in newer if self._replaces(m, older, weights)]
            weights |= dict.fromkeys(replacing, weights[older] * 1.0001)

    def _replaces(self, newer: int, older: int, weights: Mapping[int, float]) -> bool:
        said, now = self.words.evidence.held(older), self.words.evidence.held(newer)
        common = sum(self.words.evidence.worth[term] for term in said.keys() & now.keys())
        one, other = self.candidates.records[older], self.candidates.records[newer]
        if not common or (one.role, one.name) != (other.role, other.name):
            return False
        if says_changed(other.content):
            return True
        whole = sum(self.words.evidence.worth[term] for term in said)
        return common > SAME * whole and weights[newer] >= SAME * weights[older]

    def _sources_of_successor(self, n: int) -> list[int]:
        """Return the messages that a fact's latest correction was learned from."""
        seen, fact = {n}, self.tx.facts.get(n)
        while fact and fact.successor and fact.successor not in seen:
            seen.add(fact.successor)
            fact = self.tx.facts.get(fact.successor)
        return self.tx.facts.evidence_of(fact.node) if fact and fact.node != n else []

    def _judge_faded(self, weights: dict[int, float]) -> None:
        """Judge those whose words are gone by what is around them."""
        top = _ranked(weights)[: self.query.limit + CHUNK // 2]
        self.candidates.look_up(top)
        for message in top:
            faded = any(node.content is not None for node in self.candidates.made.get(message, ()))
            if faded and self._found(message).lost == DROPPED:
                self.weighing.faded.add(message)
                left = self.weighing.score(message).total
                at_hand = self.weighing.is_enough(message, left) and not self.query.strict
                weights[message] = left if at_hand else 0.0

    # answering

    def _answer(self, ranked: list[int]) -> Iterator[Found]:
        left, start = self.query.limit, 0
        while left and start < len(ranked):
            chunk = ranked[start : start + min(CHUNK, left)]
            start += len(chunk)
            self.candidates.look_up(chunk)
            for found in map(self._found, chunk):
                cold = found.lost == COLD and self.query.cold
                at_hand = not found.lost or cold or self.query.forgotten
                if at_hand and (found.made or found.record.content.strip()):
                    yield found
                    left -= 1

    def _found(self, message: int) -> Found:
        read, score = self.candidates, self.weighing.score(message)
        made = read.made.get(message, [])
        return Found(read.records[message], score, made, self.tx.passes(), read.cold)

    def _hit(self, reading: Reading, found: Found) -> Hit:
        lost = found.lost
        node = found.closest(lost)
        score = self.weighing.score_of(self.weights[found.record.seq])
        return Hit(
            node=reading.present_any(node) if node else None,
            score=score,
            terms=_terms_of_score(found.score, score),
            path=self._path(found.record, found.score),
            sources=(found.record.public,),
            lost=lost,
        )

    def _path(self, record: MessageRecord, score: Score) -> tuple[str, ...]:
        """Name the neighbour that brought this message, if it did more than its own words."""
        if score.via is None or score.parts[ranking.TEXT] >= score.parts[ranking.LINK]:
            return ()
        self.candidates.look_up([score.via])
        relation = AFTER if score.via < record.seq else BEFORE
        return (self.candidates.name(score.via), relation, self.candidates.name(record.seq))


def _ranked(weights: Mapping[int, float]) -> list[int]:
    """Return those with any weight, heaviest first, newest first among equals."""
    return [-m for _, m in sorted([(-w, -m) for m, w in weights.items() if w])]


def _terms_of_score(score: Score, whole: float) -> dict[str, float]:
    """Return what each kind of evidence gave to the score: the parts sum to it."""
    if not score.total:  # it corrects what was found
        return {ranking.LINK: whole}
    return {name: whole * part / score.total for name, part in score.parts.items() if part}
