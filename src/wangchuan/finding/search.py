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
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice

from wangchuan.facts.records import Facts, outdated_among
from wangchuan.finding.query import Query
from wangchuan.ids import message_name, name_of
from wangchuan.language.changes import asks_of_past, says_changed
from wangchuan.language.terms import TWICE, named, terms
from wangchuan.living.lens import Lens
from wangchuan.living.view import Reading
from wangchuan.network import ranking
from wangchuan.network.activity import COLD
from wangchuan.network.ranking import Evidence, Score
from wangchuan.spots import is_character
from wangchuan.storage import MessageRecord, NodeRecord, Transaction
from wangchuan.storage.records import Head
from wangchuan.types import AFTER, BEFORE, Hit

MOST_TERMS = 256  # of one question, the last ones
FIRST = 3  # answers from whose words a second step goes on
LEADS = 16  # of their words that are looked up
WALKED = 6  # of these, the rarest, that are followed
MOST_SEEDS = 200  # messages whose surroundings are looked at: twice the limit, or so many
MOST_ENTRIES = 1000  # messages looked through for some that can be answers
BESIDE = 3  # facts and episodes among messages, at most; asked for alone, as many as wanted
LEAST = 0.15  # the score of the best answer, at least
KNOWN = 0.5  # share of it that, met in one place, says that the question is about known things
CHUNK = 20  # messages looked up at once
SHORT = 2000  # characters of a text whose terms are kept in memory
ANSWERS = 5  # the first places, in which a newer statement goes above one that it replaces
SAME = 0.5  # share of what the older says of the question, and of its weight, that it must have
ASKS = frozenset("?？")  # at the end of a message
DROPPED, FORGOTTEN = "faded", "forgotten"  # see also COLD

Nearest = Callable[[Transaction, str, int], list[tuple[int, float]]]


@dataclass(frozen=True, slots=True)
class Found:
    """A message that was found, with the memories made of it."""

    record: MessageRecord
    score: Score
    made: list[NodeRecord]
    passes: int
    cold: Collection[int] = ()

    @property
    def alive(self) -> list[NodeRecord]:
        """Return the memories of it that are not forgotten."""
        return [node for node in self.made if node.is_alive(self.passes)]

    @property
    def dead(self) -> list[NodeRecord]:
        """Return the memories of it that are forgotten."""
        return [node for node in self.made if not node.is_alive(self.passes)]

    @property
    def lost(self) -> str | None:
        """Say whether what was found is no longer at hand; None while nothing was made of it."""
        alive, matched = self.alive, self.score.matched
        if not alive:
            return FORGOTTEN if self.made else None
        if all(node.n in self.cold for node in alive):
            return COLD
        whole = [node for node in alive if node.content is None]
        if not matched or len(whole) == len(self.made) or _any_holds(alive, matched):
            return None
        if _any_holds(self.dead, matched, once=True):
            return FORGOTTEN
        faded = [node for node in alive if node.content is not None]
        return DROPPED if not whole or _any_holds(faded, matched, once=True) else None

    def closest(self, lost: str | None) -> NodeRecord | None:
        """Return the memory that holds most of what was asked for."""
        nodes = self.dead if lost == FORGOTTEN else self.alive
        matched = self.score.matched
        if len(nodes) < 2 or not matched:
            return nodes[0] if nodes else None
        return max(nodes, key=lambda n: (len(matched.intersection(_terms_of(n.text))), -n.n))


@dataclass(slots=True)
class Search:
    """One search over one moment of the memory."""

    tx: Transaction
    lens: Lens
    query: Query
    nearest: Nearest | None = None
    facts: Facts | None = None
    names: frozenset[str] = frozenset()
    passes: int = 0
    evidence: Evidence = field(default_factory=lambda: Evidence(ranking.FEW, 1))
    heads: dict[int, Head] = field(default_factory=dict)  # of all candidates
    records: dict[int, MessageRecord] = field(default_factory=dict)  # of those looked at
    made: dict[int, list[NodeRecord]] = field(default_factory=dict)
    cold: set[int] = field(default_factory=set)  # memories among them
    weights: dict[int, float] = field(default_factory=dict)  # what speaks for candidates, in all
    faded: set[int] = field(default_factory=set)  # candidates whose words are gone
    counts: Counter[str] = field(default_factory=Counter)  # see `_named`
    asked_terms: set[str] = field(default_factory=set)  # with those of all speakers' names
    known: float = 0.0  # the most of the question that was met in one place
    dated: float = 0.0  # what the figures of the times it names are worth as words
    average: float = 1.0  # terms of a message, among those found
    stepped: dict[int, float] = field(default_factory=dict)  # what a second step brought
    meant: dict[int, float] = field(default_factory=dict)  # what being near in meaning did

    def hits(self) -> list[Hit]:
        """Return what was found, best first."""
        reading = Reading(self.tx, self.lens)
        return self._merged([self._hit(reading, found) for found in self.found()])

    def found(self) -> Iterator[Found]:
        """Yield the messages that were found, best first."""
        self.tx.ahead(
            lambda soon: soon.messages.last(),
            lambda soon: soon.messages.speakers(),
            lambda soon: self._places([*self._named()][-MOST_TERMS:], soon),
            lambda soon: self.facts and self.facts.holding(soon, self.query.text),
            lambda soon: soon.nodes.highest(),
        )
        last = self.tx.messages.last()
        if last is None or not self.query.limit:
            return
        self.passes = self.tx.passes()
        self.evidence = Evidence(messages=max(last.seq, ranking.FEW), talks=last.talk)
        self._read_terms()
        if "segment" not in self.query.kinds:
            return
        near = self._near()
        self._gather(near)
        yield from self._answer(self._ranked(near))

    def _near(self) -> list[tuple[int, float]]:
        """Return the messages nearest in meaning; a strict search names something for that."""
        if self.nearest is None or (self.query.strict and not self.evidence.worth):
            return []
        most = MOST_ENTRIES if self.query.tags else 4 * self.seeds
        return self.nearest(self.tx, self.query.text, most)

    def _merged(self, said: Iterable[Hit]) -> list[Hit]:
        """Return what was said and what was learned in one list, best first."""
        kinds, query = self.query.kinds - {"segment"}, self.query
        found: list[tuple[float, Hit | NodeRecord]] = [(hit.score, hit) for hit in said]
        if kinds and self.facts is not None:
            most = query.limit if kinds == query.kinds else min(query.limit, BESIDE)
            holding = self.facts.holding(self.tx, query.text)
            ranked = self.facts.ranked(self.tx, holding, kinds, forgotten=query.forgotten)
            related = islice(ranked, query.limit)
            learned = islice(filter(self._was_said_then, related), most)
            scored = [(self._score_of_learned(record, holding), record) for record in learned]
            found += [one for one in scored if one[0] or kinds == query.kinds]
        best = sorted(found, key=lambda one: -one[0])[: query.limit]
        reading = Reading(self.tx, self.lens)
        return [
            one if isinstance(one, Hit) else self._fact_hit(reading, one, score)
            for score, one in best
        ]

    def _score_of_learned(self, record: NodeRecord, holding: Mapping[str, Sequence[int]]) -> float:
        """Return the score of something learned by what it holds of the terms of the question."""
        asked = {term: self.evidence.worth.get(term, 1.0) for term in self._named()}
        held = [term for term, nodes in holding.items() if term in asked and record.n in nodes]
        evidence = sum(map(asked.__getitem__, held))
        return ranking.LEARNED * ranking.score_of(evidence, sum(asked.values()))

    def _was_said_then(self, record: NodeRecord) -> bool:
        """Tell whether something learned was said when and where it was asked.

        What a person told us counts as said when it was told, in no session.
        """
        query = self.query
        if query.since is None and query.until is None and not query.tags:
            return True
        said = self.tx.messages.of(self.tx.facts.evidence_of(record.n))
        told = not said and not query.tags and query.admits(record.created_at)
        return told or any(query.admits(m.said_at) and m.has(query.tags) for m in said)

    def _fact_hit(self, reading: Reading, record: NodeRecord, score: float) -> Hit:
        said = self.tx.messages.of(self.tx.facts.evidence_of(record.n))
        return Hit(
            node=reading.present_any(record),
            score=score,
            terms={record.kind: score},
            path=(),
            sources=tuple(m.public for m in said),
            lost=None if record.forgotten_at is None else FORGOTTEN,
        )

    @property
    def seeds(self) -> int:
        """Return how many entry points are looked at."""
        return min(2 * max(self.query.limit, ANSWERS), MOST_SEEDS)

    # words

    def _named(self) -> Counter[str]:
        """Return the terms of the question, with how often it names each."""
        self.counts = self.counts or named(self.query.text)
        return self.counts

    def _read_terms(self) -> None:
        counts = self._named()
        wanted = [*counts][-MOST_TERMS:]
        spoken_by = {name: set(_terms_of(name)) for name in self.tx.messages.speakers()}
        known = set().union(*spoken_by.values())
        self.asked_terms = {*counts, *known}
        self.names = frozenset(name for name, parts in spoken_by.items() if parts & set(wanted))
        content = [term for term in wanted if term not in known] or wanted
        found = self._places(content)
        self.average = average = ranking.average_length(found.values())
        telling = [term for term, spots in found.items() if 0 < len(spots) < ranking.POSTINGS]
        twice = dict(zip(telling, self._postings([(t + TWICE,) for t in telling]), strict=True))
        for term, spots in found.items():
            self.evidence.add(term, spots, twice.get(term, ()), average, counts[term])
        pairs = list(self.evidence.rarest_pairs())
        together = self._postings(pairs, ranking.TOGETHER * ranking.POSTINGS)
        for pair, both in zip(pairs, together, strict=True):
            self.evidence.add_pair(pair, both, average)
        figures = {t for span in self.query.spans for t in terms(span.words) if t.isdecimal()}
        self.dated = sum(self.evidence.worth.get(figure, 0.0) for figure in figures)

    def _places(
        self, content: Sequence[str], tx: Transaction | None = None
    ) -> dict[str, list[int]]:
        """Return where terms stand.

        Of a brief question, a character that never stands alone is found where it begins a word; a
        long one has others to be found by.
        """
        each = self._postings([(term,) for term in content], tx=tx)
        places = dict(zip(content, each, strict=True))
        brief = len(content) <= ranking.TOGETHER
        parts = [t for t, spots in places.items() if brief and is_character(t) and not spots]
        begun = self._postings([(part,) for part in parts], whole=False)
        return places | dict(zip(parts, begun, strict=True))

    def _postings(
        self,
        asked: Iterable[tuple[str, ...]],
        most: int = ranking.POSTINGS,
        *,
        whole: bool = True,
        tx: Transaction | None = None,
    ) -> list[list[int]]:
        """Return, for each, the newest places where its terms stand, in what was asked for."""
        tagged = [(*terms, *self.query.tags) for terms in asked]
        return (tx or self.tx).index.postings_of(tagged, most, whole=whole)

    # candidates

    def _gather(self, near: list[tuple[int, float]]) -> None:
        """Look up the messages that may be answers: those found, and the turns around them."""
        entries = self._entries()
        self._read_answering(entries)
        wanted = {m for seed in entries for m in self._around(seed)}
        wanted |= {message for message, _ in near}
        for span in self.query.spans:
            day = self.tx.messages.said_between(span.first, span.last, MOST_SEEDS + 1)
            wanted |= set(day) if len(day) <= MOST_SEEDS else set()
        self.heads = self._heads(wanted)

    def _read_answering(self, messages: Iterable[int]) -> None:
        """Read which of the turns around messages answer the one before."""
        self.evidence.answering |= set(self.tx.messages.answering(ranking.turns_around(messages)))

    def _around(self, message: int) -> list[int]:
        """Return a message and those that may be answers by it: the turns next to it."""
        return [message, *(near for near, share in self.evidence.lenders(message))]

    def _heads(self, messages: Iterable[int]) -> dict[int, Head]:
        """Return what is known of those messages that can be answers.

        One that was said at another time than asked for or is out of mind cannot; in a strict
        search, neither can one that says of it only what was corrected since.
        """
        passes = None if self.query.forgotten else self.passes
        heads = self.tx.messages.heads(sorted(messages), passes, cold=self.query.cold)
        able = {head[0]: head for head in heads if self.query.admits(head[3])}
        if self.query.tags:
            tagged = {m.seq for m in self.tx.messages.of(able) if m.has(self.query.tags)}
            able = {message: head for message, head in able.items() if message in tagged}
        old = outdated_among(self.tx, able, self.evidence.worth) if self.query.strict else ()
        return {message: head for message, head in able.items() if message not in old}

    def _entries(self) -> list[int]:
        """Return the best entry points, and others in place of those that can be no answers."""
        best = self.evidence.best(self.seeds)
        self.tx.ahead(lambda soon: soon.messages.answering(ranking.turns_around(best)))
        if len(self._heads(best)) == len(best):
            return best
        others = self.evidence.best(MOST_ENTRIES)
        able = self._heads(others)
        return [*best, *[message for message in others if message in able][: self.seeds]]

    def _weigh(self, message: int) -> float:
        """Return what speaks for a message; 0.0 if that is too little to be an answer."""
        total, covered = self.evidence.weigh(message, self._first(message))
        if covered > self.known:
            self.known = covered
        elif not covered and not self.query.spans:
            return 0.0  # neither words nor times speak for it
        more = self._more(message, covered)
        weight = (total + sum(more.values())) * self._stating(message)
        return weight if self._is_enough(message, weight) else 0.0

    def _score_of(self, weight: float) -> float:
        return ranking.score_of(weight, self.evidence.asked)

    def _stating(self, message: int) -> float:
        """Return the share of its worth that a message keeps: what asks tells less."""
        return ranking.ASKING if self.heads[message][4] in ASKS else 1.0

    def _is_enough(self, message: int, weight: float) -> bool:
        """Tell whether enough speaks for a message to be an answer beside a better one.

        In a strict search it must hold as much as a fact must, in its own words or in those of
        the turn before, which it then answers.
        """
        if not self.query.strict or not weight:
            return weight > 0
        turns = [message, message - 1] if message > self._first(message) else [message]
        return max(map(self.evidence.coverage, turns)) >= self.evidence.demanded

    def _more(self, message: int, covered: float) -> dict[str, float]:
        """Return what speaks for a message beside words: who said it, and when."""
        _, _, name, said_at, _ = self.heads[message]
        more: dict[str, float] = {}
        if covered and name in self.names:
            more[ranking.SPOKE] = ranking.SPEAKER
        if self.query.spans and self.query.names_time_of(said_at):
            more[ranking.TIMED] = max(ranking.TIME, self.evidence.asked / 2, self.dated)
        return more

    def _score(self, message: int) -> Score:
        """Return the same as `_weigh`, part by part, and what was added to it since."""
        own = message not in self.faded
        score = self.evidence.score(message, self._first(message), own=own)
        more = self._more(message, score.covered)
        kept = self._stating(message)
        parts = {name: part * kept for name, part in {**score.parts, **more}.items()}
        if own:
            parts |= {ranking.STEPPED: self.stepped.get(message, 0.0)}
        parts |= {ranking.VECTORS: self.meant.get(message, 0.0)}
        return replace(score, total=sum(parts.values()), parts=parts)

    # joining

    def _ranked(self, near: list[tuple[int, float]]) -> list[int]:
        """Return the candidates, best first."""
        weights = {message: self._weigh(message) for message in self.heads}
        if not self.query.forgotten:
            self._judge_faded(weights)
        if not self._answers(weights):
            weights = {}
        self._step_on(weights)
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
        if not best or self._score_of(weights[best]) < LEAST:
            return False
        held = self.evidence.held(best)
        return self._is_brief or not held or not all(map(is_character, held))

    @property
    def _is_brief(self) -> bool:
        return len(self.evidence.worth) <= ranking.TOGETHER

    def _step_on(self, weights: dict[int, float]) -> None:
        """Add what the words of the first answers lead to: more about what they name."""
        first = [m for m in _ranked(weights)[:FIRST] if m not in self.faded]
        self._look_up(first)
        said = [(weights[m], _terms_of(self.records[m].content)) for m in first]
        found = ranking.leads(said, self.asked_terms)
        likely = sorted(found, key=lambda term: (-found[term], -len(term), term))[:LEADS]
        spots = self._postings([(term,) for term in likely])
        places = {term: at for term, at in zip(likely, spots, strict=True) if len(at) > 1}
        sure = ranking.STEP * self._score_of(weights[first[0]]) if first else 0.0
        worth = {t: found[t] * sure * self.evidence.rarity_of(at) for t, at in places.items()}
        for term in heapq.nlargest(WALKED, worth, key=worth.__getitem__):
            there = ranking.worths(places[term], worth[term], self.average)
            for message, more in there.items():
                self.stepped[message] = self.stepped.get(message, 0.0) + more
        self._add_stepped(weights)

    def _add_stepped(self, weights: dict[int, float]) -> None:
        fresh = [m for m in self.stepped if m not in self.heads]
        best = heapq.nlargest(self.seeds, fresh, key=self.stepped.__getitem__)
        self.heads |= self._heads(best)
        for message, more in self.stepped.items():
            if message in self.heads and message not in self.faded:
                whole = weights.get(message, 0.0) + more
                weights[message] = whole if self._is_enough(message, whole) else 0.0

    def _add_meaning(self, weights: dict[int, float], near: list[tuple[int, float]]) -> None:
        """Add what is near in meaning, the more the less of the question its words have met.

        A message for which no words speak must be near enough by itself; its score is the cosine.
        """
        best = max(weights, key=weights.__getitem__, default=0)
        most = weights[best] if best else 0.0
        met = self._score(best).covered if most else 0.0
        floor, closeness = self._vector_floor(), ranking.nearness(near)
        for message, close in near:
            if message in self.heads and (weights.get(message) or close >= floor):
                more = ranking.MEANING * (1 - met / 2) * most * closeness[message]
                if not weights.get(message):
                    alone = ranking.evidence_for(close, self.evidence.asked)
                    more = min(more, alone) if most else alone
                self.meant[message] = more
                weights[message] = weights.get(message, 0.0) + more

    def _vector_floor(self) -> float:
        """Return how near a message with no word in common must be.

        Where words have found something the question is about things that are known, and less
        will do, unless the search is strict.
        """
        less = self.known >= KNOWN and not self.query.strict
        return self.lens.settings.vector_floor * (0.5 if less else 1.0)

    def _judge_superseded(self, weights: dict[int, float]) -> None:
        """Rank what a corrected fact was learned from below what corrected it."""
        first = _ranked(weights)[: self.query.limit]
        for message, facts in outdated_among(self.tx, first, self.evidence.worth).items():
            for newer in {m for fact in facts for m in self._sources_of_successor(fact)}:
                self._gather_more(newer)
                if newer in self.heads and newer != message:
                    above = max(weights.get(newer, 0.0), weights[message])
                    weights[newer], weights[message] = above, min(weights[message], above * 0.99)

    def _judge_updates(self, weights: dict[int, float]) -> None:
        """Rank a newer statement right above one of the first answers that it seems to replace.

        That is one by the same speaker that says much of what the older says of the question, or
        some of it and that something changed. Only the order of the first answers changes, and not
        where the question is about the past.
        """
        first = _ranked(weights)[:ANSWERS]
        if self.query.spans or asks_of_past(self.query.text):
            return
        self._look_up(first)
        for older in first:
            newer = [m for m in first if m > older and weights[m] < weights[older]]
            replacing = [m for m in newer if self._replaces(m, older, weights)]
            weights |= dict.fromkeys(replacing, weights[older] * 1.0001)

    def _replaces(self, newer: int, older: int, weights: Mapping[int, float]) -> bool:
        said, now = self.evidence.held(older), self.evidence.held(newer)
        common = sum(self.evidence.worth[term] for term in said.keys() & now.keys())
        one, other = self.records[older], self.records[newer]
        if not common or (one.role, one.name) != (other.role, other.name):
            return False
        if says_changed(other.content):
            return True
        whole = sum(self.evidence.worth[term] for term in said)
        return common > SAME * whole and weights[newer] >= SAME * weights[older]

    def _first(self, message: int) -> int:
        """Return the first message of the same conversation."""
        return message - self.heads[message][1]

    def _sources_of_successor(self, n: int) -> list[int]:
        """Return the messages that a fact's latest correction was learned from."""
        seen, fact = {n}, self.tx.facts.get(n)
        while fact and fact.successor and fact.successor not in seen:
            seen.add(fact.successor)
            fact = self.tx.facts.get(fact.successor)
        return self.tx.facts.evidence_of(fact.node) if fact and fact.node != n else []

    def _gather_more(self, message: int) -> None:
        if message not in self.heads:
            self.heads |= self._heads([message])

    def _judge_faded(self, weights: dict[int, float]) -> None:
        """Judge those whose words are gone by what is around them."""
        top = _ranked(weights)[: self.query.limit + CHUNK // 2]
        self._look_up(top)
        for message in top:
            faded = any(node.content is not None for node in self.made.get(message, ()))
            if faded and self._found(message).lost == DROPPED:
                self.faded.add(message)
                left = self._score(message).total
                at_hand = self._is_enough(message, left) and not self.query.strict
                weights[message] = left if at_hand else 0.0

    # answering

    def _answer(self, ranked: list[int]) -> Iterator[Found]:
        left, start = self.query.limit, 0
        while left and start < len(ranked):
            chunk = ranked[start : start + min(CHUNK, left)]
            start += len(chunk)
            self._look_up(chunk)
            for found in map(self._found, chunk):
                cold = found.lost == COLD and self.query.cold
                at_hand = not found.lost or cold or self.query.forgotten
                if at_hand and (found.made or found.record.content.strip()):
                    yield found
                    left -= 1

    def _look_up(self, messages: Iterable[int]) -> None:
        """Read messages and the memories made of them, once."""
        fresh = [message for message in messages if message not in self.records]
        if not fresh:
            return
        self.tx.ahead(lambda soon: soon.nodes.segments_of(fresh))
        self.records |= {record.seq: record for record in self.tx.messages.of(fresh)}
        nodes = self.tx.nodes.segments_of(fresh)
        for node in nodes:
            self.made.setdefault(node.message or 0, []).append(node)
        self.cold |= self.tx.lifecycle.cold_among(node.n for node in nodes)

    def _found(self, message: int) -> Found:
        made = self.made.get(message, [])
        return Found(self.records[message], self._score(message), made, self.passes, self.cold)

    def _hit(self, reading: Reading, found: Found) -> Hit:
        lost = found.lost
        node = found.closest(lost)
        score = self._score_of(self.weights[found.record.seq])
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
        self._look_up([score.via])
        relation = AFTER if score.via < record.seq else BEFORE
        return (self._name(score.via), relation, self._name(record.seq))

    def _name(self, message: int) -> str:
        made = self.made.get(message)
        return name_of(made[0].n) if made else message_name(message)


def _any_holds(nodes: Iterable[NodeRecord], wanted: Iterable[str], *, once: bool = False) -> bool:
    """Tell whether any of these memories holds, or `once` held, one of the terms."""
    left = {term for node in nodes for term in _terms_of(node.original if once else node.text)}
    short = tuple(term for term in wanted if len(term) == 1)  # these find what begins with them
    return not left.isdisjoint(wanted) or any(term.startswith(short) for term in left)


def _ranked(weights: Mapping[int, float]) -> list[int]:
    """Return those with any weight, heaviest first, newest first among equals."""
    return [-m for _, m in sorted([(-w, -m) for m, w in weights.items() if w])]


def _terms_of(text: str) -> Sequence[str]:
    """Return the terms of a text; those of short ones, which are met again, are kept."""
    return _kept_terms(text) if len(text) <= SHORT else terms(text)


@lru_cache(1 << 12)
def _kept_terms(text: str) -> tuple[str, ...]:
    return tuple(terms(text))


def _terms_of_score(score: Score, whole: float) -> dict[str, float]:
    """Return what each kind of evidence gave to the score: the parts sum to it."""
    if not score.total:  # it corrects what was found
        return {ranking.LINK: whole}
    return {name: whole * part / score.total for name, part in score.parts.items() if part}
