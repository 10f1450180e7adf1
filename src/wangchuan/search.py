"""Search: finding something in everything that was ever said.

Where recall walks from the attention, search looks at the whole memory. Full text and, where there
is an embedder, vectors give entry points; from them relevance spreads to the turns around them and
along the links of the network; the lists are joined by rank (`network.ranking`). What is found are
messages, because they are there from the moment they are accepted; each comes with the memory that
was made of it. What was forgotten, and the words that fading dropped, are found only when asked
for, and marked.

The cost is bounded: of every term so many postings are read, newest first, and so many candidates
are weighed, however much is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from wangchuan.errors import InvalidInput
from wangchuan.models.dates import Span, spans
from wangchuan.models.terms import TWICE, asked, terms
from wangchuan.network import ranking
from wangchuan.network.ranking import Evidence, Score
from wangchuan.reading import Reading, checked_limit
from wangchuan.spots import LENGTHS
from wangchuan.storage import MessageRecord, NodeRecord, Transaction
from wangchuan.storage.contract import Head
from wangchuan.types import AFTER, BEFORE, Hit, Message
from wangchuan.upkeep import Upkeep, name_of

KINDS = ("segment", "episode", "fact", "core", "system")
MOST_TERMS = 32  # of one question
SEEDS = 20  # messages whose surroundings are looked at, at least; twice the limit
MOST_SEEDS = 200
DAY_MESSAGES = 200  # messages of a named time that are candidates for it alone
LONGEST_QUERY = 10_000  # characters
FLOOR = 0.1  # share of the question's worth that must be met
KNOWN = 0.5  # share of it that, met in one place, says that the question is about known things
CHUNK = 20  # messages looked up at once
DROPPED, FORGOTTEN = "faded", "forgotten"

Nearest = Callable[[Transaction, str, int], list[tuple[int, float]]]


@dataclass(frozen=True, slots=True)
class Query:
    """A checked call of search."""

    text: str
    limit: int = 10
    kinds: frozenset[str] = frozenset(KINDS)
    since: float | None = None
    until: float | None = None
    forgotten: bool = False
    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, text: object, now: float, **options: Any) -> Query:
        """Check the arguments of a search, or raise InvalidInput."""
        if not isinstance(text, str):
            raise InvalidInput(f"a query is a string, not {type(text).__name__}: {text!r:.60}")
        text = text[:LONGEST_QUERY]
        return cls(
            text=text,
            limit=checked_limit(options["limit"]),
            kinds=_checked_kinds(options["kinds"]),
            since=checked_time(options["since"], "since"),
            until=checked_time(options["until"], "until"),
            forgotten=bool(options["forgotten"]),
            spans=tuple(spans(text, now)),
        )

    def admits(self, said_at: float) -> bool:
        """Tell whether something said then can be an answer."""
        after = self.since is None or said_at >= self.since
        return after and (self.until is None or said_at < self.until)

    def names_time_of(self, said_at: float) -> bool:
        """Tell whether the question names the time when this was said."""
        return any(span.first <= said_at < span.last for span in self.spans)


def _checked_kinds(kinds: object) -> frozenset[str]:
    if kinds is None:
        return frozenset(KINDS)
    given = [kinds] if isinstance(kinds, str) else kinds
    if not isinstance(given, Collection) or not set(given) <= set(KINDS):
        raise InvalidInput(f"kinds are {', '.join(KINDS)}, not {kinds!r:.60}")
    return frozenset(given)


def checked_time(at: object, name: str) -> float | None:
    """Return a time in seconds since 1970, None for none, or raise InvalidInput."""
    if at is None:
        return None
    moment = at.timestamp() if hasattr(at, "timestamp") else at
    if isinstance(moment, bool) or not isinstance(moment, int | float) or moment != moment:
        raise InvalidInput(f"{name} must be a time (seconds since 1970, or a datetime): {at!r:.60}")
    return float(moment)


@dataclass(frozen=True, slots=True)
class Found:
    """A message that was found, with the memories made of it."""

    record: MessageRecord
    score: Score
    made: list[NodeRecord]
    passes: int

    @property
    def alive(self) -> list[NodeRecord]:
        """Return the memories of it that are not forgotten."""
        return [node for node in self.made if node.is_alive(self.passes)]

    @property
    def lost(self) -> str | None:
        """Say whether what was found is no longer at hand; None while nothing was made of it."""
        if not self.made:
            return None
        if not self.alive:
            return FORGOTTEN
        if self.score.matched and all(node.content is not None for node in self.made):
            left = {term for node in self.alive for term in terms(node.text)}
            return None if left & self.score.matched else DROPPED
        return None

    @property
    def closest(self) -> NodeRecord | None:
        """Return the memory that holds most of what was asked for."""
        nodes = self.alive or self.made
        if len(nodes) < 2:
            return nodes[0] if nodes else None
        words = [term if len(term) < 4 else term[:-1] for term in self.score.matched]
        return max(nodes, key=lambda n: (sum(w in n.text.casefold() for w in words), -n.n))


@dataclass(slots=True)
class Search:
    """One search over one moment of the memory."""

    tx: Transaction
    upkeep: Upkeep
    query: Query
    nearest: Nearest | None = None
    names: frozenset[str] = frozenset()
    passes: int = 0
    evidence: Evidence = field(init=False)
    heads: dict[int, Head] = field(default_factory=dict)  # of all candidates
    records: dict[int, MessageRecord] = field(default_factory=dict)  # of those looked at
    made: dict[int, list[NodeRecord]] = field(default_factory=dict)
    scores: dict[int, Score] = field(default_factory=dict)
    known: float = 0.0  # the most of the question that was met in one place
    places: dict[int, list[float]] = field(default_factory=dict)  # worth of places in the lists

    def hits(self) -> list[Hit]:
        """Return what was found, best first."""
        last = self.tx.last_message()
        if last is None or not self.query.limit or "segment" not in self.query.kinds:
            return []
        self.passes = self.tx.passes()
        self.evidence = Evidence(messages=last.seq, talks=last.talk)
        self._read_terms()
        near = self.nearest(self.tx, self.query.text, 2 * self.seeds) if self.nearest else []
        self._gather(near)
        return list(self._answer(self._fused(near)))

    @property
    def seeds(self) -> int:
        """Return how many entry points are looked at."""
        return min(max(SEEDS, 2 * self.query.limit), MOST_SEEDS)

    # words

    def _read_terms(self) -> None:
        wanted = asked(self.query.text)[:MOST_TERMS]
        spoken_by = {name: set(_terms_of(name)) for name in self.tx.speakers()}
        known = set().union(*spoken_by.values())
        self.names = frozenset(name for name, parts in spoken_by.items() if parts & set(wanted))
        content = [term for term in wanted if term not in known] or wanted
        found = {term: self.tx.postings(term, ranking.POSTINGS) for term in content}
        average = _average_length(found.values())
        for term, spots in found.items():
            twice = self.tx.postings(term + TWICE, ranking.POSTINGS) if spots else ()
            self.evidence.add(term, spots, frozenset(twice), average)

    # candidates

    def _gather(self, near: list[tuple[int, float]]) -> None:
        """Look up the messages that may be answers."""
        wanted = {m for seed in self.evidence.best(self.seeds) for m in self.evidence.around(seed)}
        wanted |= {message for message, _ in near}
        for span in self.query.spans:
            day = self.tx.said_between(span.first, span.last, DAY_MESSAGES + 1)
            wanted |= set(day) if len(day) <= DAY_MESSAGES else set()
        heads = self.tx.heads(sorted(wanted))
        self.heads = {head[0]: head for head in heads if self.query.admits(head[3])}

    def _weigh(self, message: int) -> float:
        """Return what speaks for a message; 0.0 if that is too little to be an answer."""
        total, covered = self.evidence.weigh(message, message - self.heads[message][1])
        more = self._more(message, covered)
        self.known = max(self.known, covered)
        return total + sum(more.values()) if covered >= FLOOR or ranking.TIMED in more else 0.0

    def _more(self, message: int, covered: float) -> dict[str, float]:
        """Return what speaks for a message beside words: who said it, and when."""
        _, _, name, said_at = self.heads[message]
        more: dict[str, float] = {}
        if covered and name in self.names:
            more[ranking.SPOKE] = ranking.SPEAKER
        if self.query.spans and self.query.names_time_of(said_at):
            more[ranking.TIMED] = max(ranking.TIME, self.evidence.asked / 2)
        return more

    def _score(self, message: int, *, own: bool = True) -> Score:
        """Return the same as `_weigh`, part by part."""
        score = self.evidence.score(message, message - self.heads[message][1], own=own)
        more = self._more(message, score.covered)
        total = score.total + sum(more.values())
        return replace(score, total=total, parts={**score.parts, **more}) if more else score

    # joining

    def _fused(self, near: list[tuple[int, float]]) -> list[int]:
        """Return the candidates, best first."""
        weights = {message: self._weigh(message) for message in self.heads}
        if not self.query.forgotten:
            self._judge_faded(weights)
        by_words = _ranked(weights)
        worded, floor = set(by_words), self._vector_floor()
        by_vectors = [m for m, close in near if m in worded or (m in self.heads and close >= floor)]
        self.places = ranking.fused([(1.0, by_words), (ranking.VECTOR, by_vectors)])
        return sorted(self.places, key=lambda m: (-sum(self.places[m]), -m))

    def _vector_floor(self) -> float:
        """Return how near a message with no word in common must be.

        Where words have found something the question is about things that are known, and less
        will do.
        """
        return self.upkeep.settings.vector_floor * (0.5 if self.known >= KNOWN else 1.0)

    def _judge_faded(self, weights: dict[int, float]) -> None:
        """Judge those whose words are gone by what is around them."""
        top = _ranked(weights)[: self.query.limit + CHUNK // 2]
        self._look_up(top)
        for message in top:
            if self._found(message).lost == DROPPED:
                score = self.scores[message] = self._score(message, own=False)
                weights[message] = score.total if score.covered >= FLOOR else 0.0

    # answering

    def _answer(self, ranked: list[int]) -> Iterator[Hit]:
        reading, left = Reading(self.tx, self.upkeep), self.query.limit
        for start in range(0, len(ranked), CHUNK):
            chunk = ranked[start : start + min(CHUNK, left)]
            self._look_up(chunk)
            for message in chunk:
                found = self._found(message)
                if found.lost and not self.query.forgotten:
                    continue
                yield self._hit(reading, found)
                left -= 1
                if not left:
                    return

    def _look_up(self, messages: Iterable[int]) -> None:
        """Read messages and the memories made of them, once."""
        fresh = [message for message in messages if message not in self.records]
        if not fresh:
            return
        self.records |= {record.seq: record for record in self.tx.messages(fresh)}
        for node in self.tx.segments_of(fresh):
            self.made.setdefault(node.message or 0, []).append(node)

    def _found(self, message: int) -> Found:
        if message not in self.scores:
            self.scores[message] = self._score(message)
        made = self.made.get(message, [])
        return Found(self.records[message], self.scores[message], made, self.passes)

    def _hit(self, reading: Reading, found: Found) -> Hit:
        node, places = found.closest, self.places[found.record.seq]
        return Hit(
            node=reading.present_any(node) if node else None,
            score=sum(places),
            terms=_terms_of_score(found.score, places),
            path=self._path(found.record, found.score),
            sources=(_public(found.record),),
            lost=found.lost,
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
        return name_of(made[0].n) if made else f"msg_{message}"


def _ranked(weights: Mapping[int, float]) -> list[int]:
    """Return those with any weight, heaviest first, newest first among equals."""
    return sorted((m for m, w in weights.items() if w), key=lambda m: (-weights[m], -m))


def _average_length(found: Iterable[Sequence[int]]) -> float:
    lengths = [spot & LENGTHS for spots in found for spot in spots]
    return sum(lengths) / len(lengths) if lengths else 1.0


@lru_cache(1 << 12)
def _terms_of(name: str) -> tuple[str, ...]:
    return tuple(terms(name))


def _terms_of_score(score: Score, places: list[float]) -> dict[str, float]:
    """Return what each kind of evidence gave to the score: the parts sum to it."""
    words, vector = places
    found = {ranking.VECTORS: vector} if vector else {}
    for name, part in score.parts.items():
        if part and words:
            found[name] = words * part / score.total
    return found


def _public(record: MessageRecord) -> Message:
    return Message(record.role, record.content, record.public_id, record.name, record.said_at)
