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

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from wangchuan.errors import InvalidInput
from wangchuan.models.dates import Span, spans
from wangchuan.models.terms import TWICE, asked, terms
from wangchuan.network import ranking
from wangchuan.network.ranking import Evidence, Score, Spot
from wangchuan.reading import Reading, checked_limit
from wangchuan.storage import MessageRecord, NodeRecord, Transaction
from wangchuan.storage.contract import length_at, message_at, place_at
from wangchuan.types import AFTER, BEFORE, Hit, Message
from wangchuan.upkeep import Upkeep, name_of

KINDS = ("segment", "episode", "fact", "core", "system")
POSTINGS = 1000  # read per term
MOST_TERMS = 32  # of one question
SEEDS = 40  # messages whose surroundings are looked at
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
            since=_checked_time(options["since"], "since"),
            until=_checked_time(options["until"], "until"),
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


def _checked_time(at: object, name: str) -> float | None:
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
    heads: dict[int, MessageRecord] = field(default_factory=dict)
    places: dict[int, list[float]] = field(default_factory=dict)  # worth of places in the lists

    def hits(self) -> list[Hit]:
        """Return what was found, best first."""
        last = self.tx.last_message()
        if last is None or not self.query.limit or "segment" not in self.query.kinds:
            return []
        self.passes = self.tx.passes()
        self.evidence = Evidence(messages=last.seq, talks=last.talk)
        self._read_terms()
        near = self.nearest(self.tx, self.query.text, SEEDS) if self.nearest else []
        scores = {record.seq: self._score(record) for record in self._candidates(near)}
        return list(self._answer(self._fused(scores, near), scores))

    # words

    def _read_terms(self) -> None:
        wanted = asked(self.query.text)[:MOST_TERMS]
        spoken_by = {name: set(_terms_of(name)) for name in self.tx.speakers()}
        known = set().union(*spoken_by.values()) if spoken_by else set()
        self.names = frozenset(
            name for name, parts in spoken_by.items() if parts & set(wanted) and parts
        )
        content = [term for term in wanted if term not in known] or wanted
        found = {term: self.tx.postings(term, POSTINGS) for term in content}
        average = _average_length(found.values())
        for term, where in found.items():
            twice = set(self.tx.postings(term + TWICE, POSTINGS)) if where else set()
            spots = [_spot(s, 2 if s in twice else 1) for s in where]
            self.evidence.add(term, spots, self._holding(spots), average)

    def _holding(self, spots: Sequence[Spot]) -> int:
        """Return how many messages hold a term, judging by the newest ones."""
        if len(spots) < POSTINGS:
            return len(spots)
        newest = self.evidence.messages - spots[-1].message + 1
        return int(len(spots) * self.evidence.messages / newest)

    # candidates

    def _candidates(self, near: list[tuple[int, float]]) -> list[MessageRecord]:
        wanted = {m for seed in self.evidence.best(SEEDS) for m in self.evidence.around(seed)}
        wanted |= {message for message, _ in near}
        for span in self.query.spans:
            day = self.tx.said_between(span.first, span.last, DAY_MESSAGES + 1)
            wanted |= set(day) if len(day) <= DAY_MESSAGES else set()
        records = [r for r in self.tx.messages(sorted(wanted)) if self.query.admits(r.said_at)]
        self.heads = {record.seq: record for record in records}
        return records

    def _score(self, record: MessageRecord, *, own: bool = True) -> Score:
        """Return what speaks for a message: its words and what is around it, who said it, when."""
        score = self.evidence.score(record.seq, record.seq - record.place, own=own)
        more: dict[str, float] = {}
        if score.covered and record.name in self.names:
            more[ranking.SPOKE] = ranking.SPEAKER
        if self.query.names_time_of(record.said_at):
            more[ranking.TIMED] = max(ranking.TIME, self.evidence.asked / 2)
        return replace(score, parts={**score.parts, **more}) if more else score

    # joining

    def _fused(self, scores: dict[int, Score], near: list[tuple[int, float]]) -> list[int]:
        self._judge_faded(scores)
        by_words = self._by_words(scores)
        worded, floor = set(by_words), self._vector_floor(scores)
        by_vectors = [m for m, close in near if m in worded or (m in scores and close >= floor)]
        self.places = ranking.fused([(1.0, by_words), (ranking.VECTOR, by_vectors)])
        return sorted(self.places, key=lambda m: (-sum(self.places[m]), -m))

    def _vector_floor(self, scores: dict[int, Score]) -> float:
        """Return how near a message with no word in common must be.

        Where words have found something the question is about things that are known, and less
        will do.
        """
        known = max((score.covered for score in scores.values()), default=0.0) >= KNOWN
        return self.upkeep.settings.vector_floor * (0.5 if known else 1.0)

    def _by_words(self, scores: dict[int, Score]) -> list[int]:
        relevant = [m for m, score in scores.items() if self._relevant(score)]
        return sorted(relevant, key=lambda m: (-scores[m].total, -m))

    def _relevant(self, score: Score) -> bool:
        return score.covered >= FLOOR or ranking.TIMED in score.parts

    def _judge_faded(self, scores: dict[int, Score]) -> None:
        """Judge those whose words are gone by what is around them."""
        if self.query.forgotten:
            return
        top = self._by_words(scores)[: 2 * self.query.limit + CHUNK]
        for message, made in self._made_of(top).items():
            found = Found(self.heads[message], scores[message], made, self.passes)
            if found.lost == DROPPED:
                scores[message] = self._score(self.heads[message], own=False)

    # answering

    def _answer(self, ranked: list[int], scores: dict[int, Score]) -> Iterator[Hit]:
        reading, left = Reading(self.tx, self.upkeep), self.query.limit
        for start in range(0, len(ranked), CHUNK):
            chunk = ranked[start : start + CHUNK]
            made = self._made_of(chunk)
            for message in chunk:
                found = Found(
                    self.heads[message], scores[message], made.get(message, []), self.passes
                )
                if found.lost and not self.query.forgotten:
                    continue
                yield self._hit(reading, found)
                left -= 1
                if not left:
                    return

    def _made_of(self, messages: Iterable[int]) -> dict[int, list[NodeRecord]]:
        made: dict[int, list[NodeRecord]] = {}
        for node in self.tx.segments_of(messages):
            made.setdefault(node.message or 0, []).append(node)
        return made

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
        """Name the steps by which a neighbour brought this message."""
        if score.via is None or score.parts[ranking.TEXT] >= score.parts[ranking.LINK]:
            return ()
        step = 1 if score.via < record.seq else -1
        names = [self._name(m) for m in range(score.via, record.seq + step, step)]
        relation = AFTER if step == 1 else BEFORE
        return tuple(part for name in names for part in (name, relation))[:-1]

    def _name(self, message: int) -> str:
        made = self.tx.segments_of([message])
        return name_of(made[0].n) if made else f"msg_{message}"


def _average_length(found: Iterable[Sequence[int]]) -> float:
    lengths = [length_at(where) for spots in found for where in spots]
    return sum(lengths) / len(lengths) if lengths else 1.0


def _spot(where: int, times: int) -> Spot:
    message = message_at(where)
    return Spot(message, message - place_at(where), length_at(where), times)


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
