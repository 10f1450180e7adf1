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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wangchuan.facts.records import Facts
from wangchuan.finding.candidates import (
    ANSWERS,
    MOST_ENTRIES,
    Candidates,
    said_in,
    seeds_of,
)
from wangchuan.finding.found import DROPPED, Found
from wangchuan.finding.learned import Learned
from wangchuan.finding.query import Query
from wangchuan.finding.weighing import Weighing
from wangchuan.finding.words import Words, terms_of
from wangchuan.language.changes import asks_of_past, says_changed
from wangchuan.language.terms import is_bare
from wangchuan.living.lens import Lens
from wangchuan.living.view import Reading, read_links
from wangchuan.network import ranking
from wangchuan.network.activity import COLD
from wangchuan.network.ranking import Evidence, Score
from wangchuan.storage import NodeRecord, Transaction
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
    learned: Learned = field(init=False)
    weights: dict[int, float] = field(default_factory=dict)  # what speaks for candidates, in all

    def __post_init__(self) -> None:
        self.words = Words(self.tx, self.query)
        self.learned = Learned(self.tx, self.lens, self.query, self.facts, self.words)
        self.tx.ahead(
            lambda tx: tx.messages.last(),
            lambda tx: tx.messages.speakers(),
            lambda tx: tx.nodes.highest(),
            lambda tx: self.facts and self.facts.holding(tx, self.query.text),
            *(lambda tx, span=span: said_in(tx, span) for span in self.query.spans),
        )
        self.tx.ahead(self._nearest)
        self.words.soon(self.tx)
        last = self.tx.messages.last()
        self.is_empty = last is None
        evidence = Evidence(max(last.seq, ranking.FEW), last.talk) if last else Evidence(0, 0)
        self.words.evidence = evidence
        self.candidates = Candidates(self.tx, self.query, evidence)
        self.weighing = Weighing(self.query, self.words, self.candidates)

    def hits(self) -> list[Hit]:
        """Return what was found, best first."""
        reading, told = Reading(self.tx, self.lens), list(self.found())
        lost = [found.lost for found in told]
        nodes = [found.closest(why) for found, why in zip(told, lost, strict=True)]
        self.candidates.look_up(filter(None, map(_bringing, told)))
        reading.faded([node for node in nodes if node])
        said = [self._hit(reading, *one) for one in zip(told, lost, nodes, strict=True)]
        return self.learned.among(said)

    def found(self) -> Iterator[Found]:
        """Yield the messages that were found, best first."""
        if self.is_empty or not self.query.limit:
            return
        self.tx.ahead(self.learned.soon)
        self.words.read()
        if "segment" not in self.query.kinds:
            return
        near = self._nearest(self.tx)
        self.candidates.gather(near)
        yield from self._answer(self._ranked(near))

    def _nearest(self, tx: Transaction) -> list[tuple[int, float]]:
        most = MOST_ENTRIES if self.query.tags else 4 * seeds_of(self.query)
        return self.nearest(tx, self.query.text, most) if self.nearest else []

    # joining

    def _ranked(self, near: list[tuple[int, float]]) -> list[int]:
        """Return the candidates, best first."""
        weights = {message: self.weighing.weigh(message) for message in self.candidates.heads}
        if not self.query.forgotten:
            self._judge_faded(weights)
        if not self._answers(weights):
            weights, self.weighing.known = {}, 0.0
        self._step_on(weights)
        if self.words.are_few and is_bare(self.query.text):
            self._judge_lent(weights)
        if not self.query.forgotten:
            self._judge_superseded(weights)
        self._add_meaning(weights, near)
        if not self.query.forgotten:
            self._judge_updates(weights)
        self.weights = weights
        return _ranked(weights)

    def _answers(self, weights: Mapping[int, float]) -> bool:
        """Tell whether the best candidate is an answer, or one of the first what is asked about."""
        best = max(weights, key=weights.__getitem__, default=0)
        if not best or self.weighing.score_of(weights[best]) < LEAST:
            return False
        if not self.words.are_enough(self.words.evidence.held(best)):
            return False
        first = _ranked(weights)[:ANSWERS] if self.words.tells else [best]
        return any(self.words.is_met(self.weighing.score(message).around) for message in first)

    def _step_on(self, weights: dict[int, float]) -> None:
        """Add what the words of the first answers lead to: more about what they name."""
        first = self._first(weights)
        self.candidates.look_up(first)
        found, likely = self._leads(weights, first)
        self._read_beside(weights, likely)
        spots = self.words.postings([(term,) for term in likely])
        places = {term: at for term, at in zip(likely, spots, strict=True) if len(at) > 1}
        sure = ranking.STEP * self.weighing.score_of(weights[first[0]]) if first else 0.0
        worth = {t: found[t] * sure * self.words.evidence.rarity_of(at) for t, at in places.items()}
        for term in heapq.nlargest(WALKED, worth, key=worth.__getitem__):
            there = ranking.worths(places[term], worth[term], self.words.average)
            for message, more in there.items():
                self.weighing.stepped[message] = self.weighing.stepped.get(message, 0.0) + more
        self._add_stepped(weights)

    def _first(self, weights: Mapping[int, float]) -> list[int]:
        """Return the first answers, from whose words a step goes on."""
        return [m for m in _ranked(weights)[:FIRST] if m not in self.weighing.faded]

    def _leads(
        self, weights: Mapping[int, float], first: Iterable[int]
    ) -> tuple[dict[str, float], list[str]]:
        """Return the terms that lead on from answers, with how much each counts, and the best."""
        records = self.candidates.records
        said = [(weights[m], terms_of(records[m].content)) for m in first if m in records]
        found = ranking.leads(said, self.words.asked)
        return found, sorted(found, key=lambda term: (-found[term], -len(term), term))[:LEADS]

    def _read_beside(self, weights: Mapping[int, float], leads: Sequence[str]) -> None:
        """Ask at once where words lead, and for what is needed of the first answers."""
        first = _ranked(weights)[: self.query.limit]
        nodes = [node for message in first for node in self.candidates.made.get(message, ())]
        self.tx.ahead(self.learned.soon)
        self.tx.together(
            lambda tx: self.words.postings([(term,) for term in leads], tx=tx),
            lambda tx: self.candidates.read_corrected(first, tx),
            lambda tx: read_links(tx, nodes),
        )

    def _read_stepped(self, weights: Mapping[int, float], best: list[int]) -> None:
        """Ask at once for what is needed of those that a step may bring among the first."""
        stepped = self.weighing.stepped
        whole = {m: weights.get(m, 0.0) + stepped.get(m, 0.0) for m in (*weights, *best)}
        first = _ranked(whole)[: self.query.limit + CHUNK // 2]
        corrected = self.candidates.corrected(first)
        self.tx.ahead(self.learned.soon)
        self.tx.together(
            lambda tx: self.candidates.read_heads(best, tx),
            lambda tx: self.candidates.look_up(first, tx),
            lambda tx: self.candidates.read_corrected(first, tx),
            lambda tx: self.candidates.read_sources(corrected, tx),
            lambda tx: tx.nodes.read_ahead(corrected),
        )

    def _add_stepped(self, weights: dict[int, float]) -> None:
        fresh = [m for m in self.weighing.stepped if m not in self.candidates.heads]
        best = heapq.nlargest(seeds_of(self.query), fresh, key=self.weighing.stepped.__getitem__)
        self._read_stepped(weights, best)
        self.candidates.heads |= self.candidates.able(best)
        for message, more in self.weighing.stepped.items():
            if message in self.candidates.heads and message not in self.weighing.faded:
                weights[message] = weights.get(message, 0.0) + more

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
        will do.
        """
        return self.lens.settings.vector_floor * (0.5 if self.weighing.known >= KNOWN else 1.0)

    def _judge_superseded(self, weights: dict[int, float]) -> None:
        """Rank what a corrected fact was learned from below what corrected it."""
        first = _ranked(weights)[: self.query.limit]
        for message, sources in self.candidates.correcting(first).items():
            for newer in set(sources):
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

    def _judge_faded(self, weights: dict[int, float]) -> None:
        """Judge those whose words are gone by what is around them."""
        top = _ranked(weights)[: self.query.limit + CHUNK // 2]
        likely = self._leads(weights, self._first(weights))[1] if self.tx.waits else []
        self.tx.ahead(lambda tx: self.candidates.look_up(top, tx))
        self._read_beside(weights, likely)  # few of the first are judged otherwise
        self.candidates.look_up(top)
        for message in top:
            faded = any(node.content is not None for node in self.candidates.made.get(message, ()))
            if faded and self._found(message).lost == DROPPED:
                self.weighing.faded.add(message)
                weights[message] = self.weighing.score(message).total

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

    def _hit(
        self, reading: Reading, found: Found, lost: str | None, node: NodeRecord | None
    ) -> Hit:
        score = self.weighing.score_of(self.weights[found.record.seq])
        return Hit(
            node=reading.present_any(node) if node else None,
            score=score,
            terms=_terms_of_score(found.score, score),
            path=self._path(found),
            sources=(found.record.public,),
            lost=lost,
        )

    def _path(self, found: Found) -> tuple[str, ...]:
        """Name the neighbour that brought a message, if there is one."""
        via = _bringing(found)
        if via is None:
            return ()
        relation = AFTER if via < found.record.seq else BEFORE
        return (self.candidates.name(via), relation, self.candidates.name(found.record.seq))


def _bringing(found: Found) -> int | None:
    """Return the neighbour that brought a message, if it did more than the message's own words."""
    parts = found.score.parts
    return found.score.via if parts[ranking.TEXT] < parts[ranking.LINK] else None


def _ranked(weights: Mapping[int, float]) -> list[int]:
    """Return those with any weight, heaviest first, newest first among equals."""
    return [-m for _, m in sorted([(-w, -m) for m, w in weights.items() if w])]


def _terms_of_score(score: Score, whole: float) -> dict[str, float]:
    """Return what each kind of evidence gave to the score: the parts sum to it."""
    if not score.total:  # it corrects what was found
        return {ranking.LINK: whole}
    return {name: whole * part / score.total for name, part in score.parts.items() if part}
