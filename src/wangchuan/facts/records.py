"""Facts and episodes: what was learned from what was said.

They are nodes like any other, in the same table, journal and trash; what differs is that days
wear them away and not passes, and that each carries a weight, moved only by fixed steps: a use
adds 0.3, a review that keeps a fading fact sets 0.5. A fact that is corrected is superseded: it
goes to the trash with a note of its successor, and the two are linked both ways.

Nothing here asks a model. Routines decide what is a fact, what was used, what is worth keeping;
this module does what they decided.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heapify, heappop
from itertools import islice

from wangchuan.errors import InvalidInput
from wangchuan.ids import name_of
from wangchuan.language.facts.observer import slot_of
from wangchuan.language.labels import keywords, phrase
from wangchuan.language.terms import asked, terms
from wangchuan.living.trash import Trash
from wangchuan.network import ageing
from wangchuan.network.ranking import FEW, TELLING, rarity
from wangchuan.storage import (
    FactRecord,
    LinkRecord,
    MessageRecord,
    NodeRecord,
    Transaction,
    journal,
)
from wangchuan.types import Clock, Fact, value

KINDS = ("fact", "core")
TOPICS = ("preference", "personal", "memory", "promise", "other")
SOURCES = ("user", "background_ai", "system")
PROMOTION, DECAY, UNDECIDED = "promotion", "decay", "undecided"
REPLACED_BY, REPLACES = "更新为", "取代"
AGED, DELETED, REVIEWED = "aged", "no longer true", "review"
ERASED = "erased"  # the note that counts erasures
LATEST = 50  # facts looked at for what passes
POSTINGS = 100  # facts looked at per term, the newest
READ = 10  # facts read at once
MOST_TERMS = 64  # of one text
LONGEST = 2000  # characters of one fact


@value
class Learned:
    """A fact to keep: its text, what it is about, the messages it came from and who says so.

    `since` is when it became known, where that was elsewhere and earlier.
    """

    text: str
    topic: str = "other"
    messages: tuple[int, ...] = ()
    source: str = "background_ai"
    verified: bool = False
    kind: str = "fact"
    since: float | None = None


class Facts:
    """The facts and episodes of one agent."""

    def __init__(self, trash: Trash, clock: Clock) -> None:
        self._trash, self._clock = trash, clock

    # looking

    def weight(self, record: NodeRecord, fact: FactRecord) -> float:
        """Return what is left of a fact's weight."""
        now = self._clock()
        return ageing.left(record.kind, fact.weight, fact.used_at, fact.aged, now)

    def present(self, tx: Transaction, record: NodeRecord) -> Fact:
        """Return a fact or an episode as a public value."""
        fact = self._row(tx, record)
        sources = [m.public_id for m in tx.messages.of(tx.facts.evidence_of(record.n))]
        return Fact(
            id=name_of(record.n),
            kind=record.kind,
            text=record.text,
            topic=fact.topic,
            weight=round(self.weight(record, fact), ageing.DIGITS),
            source=fact.source,
            verified=bool(fact.verified),
            created_at=record.created_at,
            used_at=fact.used_at,
            sources=tuple(sources),
            successor=name_of(fact.successor) if fact.successor else None,
            review=fact.review,
        )

    def _row(self, tx: Transaction, record: NodeRecord) -> FactRecord:
        found = tx.facts.get(record.n)
        if found is None:
            raise InvalidInput(f"{name_of(record.n)} is a {record.kind}, not a fact or an episode")
        return found

    def related(
        self,
        tx: Transaction,
        text: str,
        most: int,
        kinds: Iterable[str] = KINDS,
        *,
        forgotten: bool = False,
    ) -> list[NodeRecord]:
        """Return the facts that have most in common with a text, best first.

        Those that hold too little of what the text names are left out (`TELLING`), and unless
        asked for, those that are forgotten.
        """
        holding = self.holding(tx, text)
        return list(islice(self.ranked(tx, holding, kinds, forgotten=forgotten), most))

    def holding(self, tx: Transaction, text: str) -> dict[str, list[int]]:
        """Return the newest facts that hold each term of a text."""
        return tx.index.facts_holding_each(asked(text)[:MOST_TERMS], POSTINGS)

    def ranked(
        self,
        tx: Transaction,
        holding: Mapping[str, Sequence[int]],
        kinds: Iterable[str] = KINDS,
        *,
        forgotten: bool = False,
    ) -> Iterator[NodeRecord]:
        """Yield facts by the terms that they hold, best first; `related` says which."""
        wanted, ranked = set(kinds), _ranked(holding, tx.nodes.highest())
        while some := list(islice(ranked, READ)):
            _read_ahead(tx, some)
            for record in filter(None, map(tx.nodes.get, some)):
                if record.kind in wanted and (forgotten or record.forgotten_at is None):
                    yield record

    def in_mind(self, tx: Transaction, since: float, most: int) -> list[NodeRecord]:
        """Return core memories, and the states and plans of late, the newest first."""
        passing = [r for r in tx.facts.passing(LATEST) if r.created_at >= since]
        return [*tx.facts.of_kinds(["core"], most), *passing[:most]]

    def saying(self, tx: Transaction, text: str) -> NodeRecord | None:
        """Return the living fact that says exactly this; None if there is none."""
        related = self.related(tx, text, 10)  # it holds all the words: it is among the first
        return next((record for record in related if record.text == text), None)

    def same_slot(self, tx: Transaction, text: str) -> Iterator[NodeRecord]:
        """Return the living facts that answer the same question as a fact, newest first."""
        term = _slot_term(text)
        for n in tx.index.facts_holding(term, POSTINGS) if term else ():
            record = tx.nodes.get(n)
            if record and record.forgotten_at is None and record.kind in KINDS:
                yield record

    # learning

    def add(self, tx: Transaction, learned: Learned) -> int:
        """Store a new fact or episode; return its number."""
        if learned.kind == "episode":  # the messages it was made of have left working memory
            return self._add(tx, learned, self._clock())
        with tx.undo.change(journal.Learned, None):
            return self._add(tx, learned, self._clock())

    def _add(self, tx: Transaction, learned: Learned, at: float) -> int:
        text = learned.text.strip()[:LONGEST]
        said = tx.messages.of(learned.messages)
        n = tx.nodes.add(
            kind=learned.kind,
            job=None,
            message=None,
            original=text,
            phrase=phrase(text),
            keywords=json.dumps(keywords(text), ensure_ascii=False),
            sources=json.dumps([m.public_id for m in said], ensure_ascii=False),
            created_at=at if learned.since is None else learned.since,
        )
        tx.facts.learn_from(n, (m.seq for m in said))
        tx.index.add_fact(n, found_by(text))
        tx.facts.put(
            FactRecord(
                node=n,
                weight=ageing.INITIAL[learned.kind],
                used_at=at,
                aged=0,
                source=learned.source,
                verified=int(learned.verified),
                topic=learned.topic if learned.topic in TOPICS else "other",
                successor=None,
                review=PROMOTION if learned.kind == "fact" and _is_standing(text) else None,
            )
        )
        tx.journal.log(journal.Learned(n, learned.kind, learned.source, learned.verified), at)
        self._trash.schedule.tell(tx, "learned", node=name_of(n), kind=learned.kind)
        return n

    def supersede(self, tx: Transaction, record: NodeRecord, learned: Learned) -> int:
        """Keep a fact that replaces another one, which stays in the trash and in history."""
        with tx.undo.change(journal.Forgotten, record.n):
            return self._supersede(tx, record, learned)

    def _supersede(self, tx: Transaction, record: NodeRecord, learned: Learned) -> int:
        former, at = self._row(tx, record), self._clock()
        topic = learned.topic if former.topic == "other" else former.topic
        n = self._add(tx, replace(learned, topic=topic), at)
        if record.kind == "core":
            self._set_kind(tx, n, "core", "takes the place of a core memory")
        tx.links.put(
            [
                LinkRecord(record.n, n, 1.0, 0, REPLACED_BY),
                LinkRecord(n, record.n, 1.0, 0, REPLACES),
            ]
        )
        tx.facts.put(replace(former, successor=n, review=None))
        reason = f"{journal.SUPERSEDED} {name_of(n)}"
        self._trash.forget(tx, record, reason, at, successor=n)
        return n

    def replaced_by(self, tx: Transaction, n: int) -> list[int]:
        """Return the facts that a fact took the place of."""
        return [link.target for link in tx.links.of(n) if link.relation == REPLACES]

    def boost(self, tx: Transaction, record: NodeRecord) -> None:
        """Count one use of a fact."""
        fact = self._row(tx, record)
        before = self.weight(record, fact)
        after = ageing.boosted(before)
        review = fact.review if fact.review == PROMOTION else None
        if record.kind == "fact" and ageing.crosses_up(before, after):
            review = PROMOTION
        self._reweigh(tx, record, fact, after, review, journal.Boosted)
        self._tell(tx, "boosted", record)

    def revive(self, tx: Transaction, record: NodeRecord) -> None:
        """Let the days of what was restored begin anew, at no less than a review would keep it."""
        fact = self._row(tx, record)
        weight = max(self.weight(record, fact), ageing.KEPT)
        self._reweigh(tx, record, fact, weight, None, journal.Revived)

    def has_worn(self, tx: Transaction, n: int) -> bool:
        """Tell whether days have worn away at a fact since it was last asked for."""
        fact = tx.facts.get(n)
        return fact is not None and _days(fact, self._clock()) > 0

    def refresh(self, tx: Transaction, record: NodeRecord) -> None:
        """Let the days of a fact that was asked for begin anew; its weight stays what is left."""
        fact = self._row(tx, record)
        if record.kind == "fact" and _days(fact, self._clock()):
            weight = round(self.weight(record, fact), ageing.DIGITS)
            self._reweigh(tx, record, fact, weight, fact.review, journal.Refreshed)

    def delete(
        self, tx: Transaction, record: NodeRecord, reason: str = DELETED, at: float | None = None
    ) -> None:
        """Move a fact to the trash; `at` is the time of a larger change this is part of."""
        with tx.undo.change(journal.Forgotten, record.n):
            tx.facts.put(replace(self._row(tx, record), review=None))
            self._trash.forget(tx, record, reason, at)

    def verify(self, tx: Transaction, record: NodeRecord) -> None:
        """Note that a person confirmed a fact."""
        fact = self._row(tx, record)
        before = {"verified": fact.verified, "source": fact.source}
        with tx.undo.change(journal.Verified, record.n):
            tx.facts.put(replace(fact, verified=1, source="user"))
            tx.journal.log(journal.Verified(record.n, before), self._clock())
        self._tell(tx, "verified", record)

    def _tell(self, tx: Transaction, event: str, record: NodeRecord) -> None:
        self._trash.schedule.tell(tx, event, node=name_of(record.n))

    def _reweigh(
        self,
        tx: Transaction,
        record: NodeRecord,
        fact: FactRecord,
        weight: float,
        review: str | None,
        step: type[journal.Boosted | journal.Revived | journal.Refreshed | journal.Kept],
    ) -> None:
        at = self._clock()
        before = journal.Weighed(fact.weight, fact.used_at, fact.aged, fact.review)
        with tx.undo.change(step, record.n):
            tx.journal.log(step(record.n, before, weight=weight), at)
            tx.facts.put(replace(fact, weight=weight, used_at=at, aged=0, review=review))

    # deciding

    def promote(self, tx: Transaction, record: NodeRecord) -> None:
        """Make a fact a core memory, which no day wears away; one that is stays as it is."""
        if record.kind == "core":
            return
        fact = self._row(tx, record)
        weight = max(self.weight(record, fact), ageing.PROTECTED)
        with tx.undo.change(journal.Promoted, record.n):
            self._set_kind(tx, record.n, "core", REVIEWED)
            tx.facts.put(replace(fact, weight=weight, review=None))
        self._tell(tx, "promoted", record)

    def keep(self, tx: Transaction, record: NodeRecord) -> None:
        """Keep a fact: as it is after a promotion review, at 0.5 after one of decay."""
        fact = self._row(tx, record)
        self._tell(tx, "kept", record)
        if fact.review != PROMOTION:
            self._reweigh(tx, record, fact, ageing.KEPT, None, journal.Kept)
            return
        with tx.undo.change(journal.Kept, record.n):
            tx.journal.log(journal.Kept(record.n, weight=fact.weight), self._clock())
            tx.facts.put(replace(fact, review=None))

    def leave_undecided(self, tx: Transaction, record: NodeRecord) -> None:
        """Note that a review came to no decision; the node's time may be over already."""
        fact, at = self._row(tx, record), self._clock()
        review = None if fact.review == PROMOTION else UNDECIDED
        tx.journal.log(journal.Undecided(record.n, fact.review), at)
        tx.facts.put(replace(fact, review=review))
        self._age_all(tx, [record], True, at)

    def _set_kind(self, tx: Transaction, n: int, kind: str, why: str) -> None:
        record = tx.nodes.get(n)
        if record is None:
            return
        tx.journal.log(journal.Promoted(n, record.kind, why), self._clock())
        tx.nodes.set_kind(n, kind)
        fact = self._row(tx, record)
        tx.facts.put(replace(fact, weight=max(fact.weight, ageing.PROTECTED)))

    # ageing

    def age(self, tx: Transaction, records: Sequence[NodeRecord], *, reviewed: bool) -> int:
        """Age facts and episodes by the days that went by; return how many left.

        With a reviewer (`reviewed`) a fact that falls below 0.5 waits for a decision first.
        """
        if not records:
            return 0
        at, span = self._clock(), (records[0].n, records[-1].n)
        tx.journal.log(journal.Aged(span, reviewed), at)
        return self._age_all(tx, records, reviewed, at)

    def _age_all(
        self, tx: Transaction, records: Iterable[NodeRecord], reviewed: bool, at: float
    ) -> int:
        left = 0
        for record in records:
            fact = self._row(tx, record)
            days = _days(fact, at)
            if days > fact.aged:
                fact = replace(fact, aged=days)
                tx.facts.put(fact)
            left += self._age(tx, record, fact, reviewed, at)
        return left

    def _age(
        self, tx: Transaction, record: NodeRecord, fact: FactRecord, reviewed: bool, at: float
    ) -> bool:
        fallen = ageing.falls_below(record.kind, fact.weight, fact.aged)
        waits = reviewed and fact.review not in (UNDECIDED, None)
        if ageing.is_gone(record.kind, fact.weight, fact.aged):
            self.delete(tx, record, AGED, at)
            return True
        if fallen and reviewed and fact.review is None:
            tx.facts.put(replace(fact, review=DECAY))
        elif fallen == "gone" and not waits:
            self.delete(tx, record, AGED, at)
            return True
        return False


def _days(fact: FactRecord, at: float) -> int:
    return max(fact.aged, ageing.days_between(fact.used_at, at))


def _read_ahead(tx: Transaction, facts: list[int]) -> None:
    """Read facts, and what belongs to them where a server is waited for, waiting once."""
    tx.together(lambda tx: tx.nodes.read_ahead(facts), lambda tx: tx.facts.read_ahead(facts))
    tx.nodes.read_ahead(facts)


def _ranked(found: Mapping[str, Sequence[int]], highest: int) -> Iterator[int]:
    """Yield nodes by what the terms that they hold are worth, the heaviest first."""
    worth = {term: rarity(len(holding), max(FEW, highest)) for term, holding in found.items()}
    bound = TELLING * max(worth.values(), default=0.0)
    weights: dict[int, float] = {}
    for term, holding in found.items():
        for n in holding:
            weights[n] = weights.get(n, 0.0) + worth[term]
    relevant = [(-weight, -n) for n, weight in weights.items() if weight >= bound]
    heapify(relevant)  # few of many are asked for
    while relevant:
        yield -heappop(relevant)[1]


def found_by(text: str) -> list[str]:
    """Return the terms by which a fact or an episode is found."""
    return [*dict.fromkeys(terms(text)), *filter(None, [_slot_term(text)])]


def _slot_term(text: str) -> str | None:
    """Return the term under which facts that answer the same question are found together."""
    slot = slot_of(text)
    if slot is None:
        return None
    plain = "".join(part if part.isalnum() else "-" for part in "·".join(slot))
    return "§" + "".join(c for c in plain if not c.isascii() or c.isalnum())


def _is_standing(text: str) -> bool:
    """Tell whether a fact is a request for all time, which a review may make core at once."""
    slot = slot_of(text)
    return slot is not None and slot[1] == "standing"


def outdated_among(
    tx: Transaction, messages: Iterable[int], wanted: Collection[str] | None = None
) -> dict[int, list[int]]:
    """Return messages that facts were learned from that were corrected since, with these.

    With `wanted` terms, only those that hold no other of these than the facts do: of what
    else was said there, the corrections say nothing.
    """
    corrected = corrected_among(tx, messages)
    said = {message.seq: message for message in tx.messages.of(corrected)} if corrected else {}
    return still_outdated(tx, corrected, said, wanted or ())


def corrected_among(tx: Transaction, messages: Iterable[int]) -> dict[int, list[int]]:
    """Return messages that facts were learned from that were corrected since, with these."""
    found: dict[int, list[int]] = {}
    for message, n in tx.facts.corrected_from(messages):
        found.setdefault(message, []).append(n)
    return found


def still_outdated(
    tx: Transaction,
    corrected: Mapping[int, list[int]],
    said: Mapping[int, MessageRecord],
    wanted: Collection[str],
) -> dict[int, list[int]]:
    """Return messages of which nothing but what was corrected is wanted; see `outdated_among`."""
    tx.nodes.read_ahead(n for facts in corrected.values() for n in facts)
    return {
        message: facts
        for message, facts in corrected.items()
        if message not in said or not _says_more(tx, said[message], facts, wanted)
    }


def _says_more(
    tx: Transaction, said: MessageRecord, facts: Iterable[int], wanted: Collection[str]
) -> bool:
    """Tell whether of these terms a message holds any that facts learned from it do not."""
    records = filter(None, map(tx.nodes.get, facts))
    known = {term for record in records for term in terms(record.text)}
    return not set(terms(said.content)) & set(wanted) <= known


def living(tx: Transaction, node_id: str) -> NodeRecord | None:
    """Return a fact or an episode by its id, None if it is no longer there."""
    number = node_id.removeprefix("mem_")
    record = tx.nodes.get(int(number)) if number.isdecimal() else None
    return record if record and record.forgotten_at is None and tx.facts.get(record.n) else None
