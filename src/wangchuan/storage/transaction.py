"""A transaction: reads and writes of one moment, by drawers.

`tx.jobs.finish(seq, at)`, `tx.links.of(n)`: a call says which drawer it needs. A method that needs
several drawers at once stands here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar, cast

from wangchuan.storage.drawers.facts import Facts
from wangchuan.storage.drawers.index import Index
from wangchuan.storage.drawers.items import Items
from wangchuan.storage.drawers.jobs import Jobs
from wangchuan.storage.drawers.journal import Journal, tight
from wangchuan.storage.drawers.links import Links
from wangchuan.storage.drawers.messages import Messages
from wangchuan.storage.drawers.meta import Meta
from wangchuan.storage.drawers.models import Models
from wangchuan.storage.drawers.nodes import Nodes
from wangchuan.storage.drawers.rows import Rows
from wangchuan.storage.drawers.signals import Signals
from wangchuan.storage.drawers.ticks import Ticks
from wangchuan.storage.drawers.tombstones import Tombstones
from wangchuan.storage.drawers.trash import Trash
from wangchuan.storage.drawers.undo import Undo
from wangchuan.storage.drawers.vectors import Vectors
from wangchuan.storage.records import MessageRecord, Pruned, Repeated
from wangchuan.storage.statements import Drawer, Engine, Tuple, Values, Work
from wangchuan.types import Message

D = TypeVar("D", bound=Drawer)
MESSAGES = "message"  # the kind of a message's tombstone
Mark = Callable[["Transaction"], None]  # writes a consequence of a reading
PRUNED = "pruned"  # the note of up to where records were dropped


class Sent(Exception):
    """A reading that was begun ahead has asked its question."""


class Sending:
    """An engine that sends questions ahead and waits for no answer; it knows earlier answers."""

    waits = True

    def __init__(self, engine: Engine) -> None:
        self.ahead, self.compares, self.seen = engine.ahead, engine.compares, engine.seen

    def rows(self, name: str, values: Values) -> list[Tuple]:
        """Return the rows of a statement, or send it."""
        return self.answers([(name, values)])[0]

    def answers(self, asked: Iterable[tuple[str, Values]]) -> list[list[Tuple]]:
        """Return the rows of several statements, or send those without an answer yet."""
        found = [self.ahead(name, values) for name, values in asked]
        known = [rows for rows in found if rows is not None]
        if len(known) < len(found):
            raise Sent
        return known


class Following(NamedTuple):
    """The calls that a reading put off until its end; see `Transaction.then`."""

    tell: Callable[[], None]
    write: Mark | None


class Own(Generic[D]):
    """A drawer of a transaction, which has it once it is used: most use few of theirs."""

    def __init__(self, kind: type[D]) -> None:
        self._kind = kind

    def __set_name__(self, _: object, name: str) -> None:
        self._name = name

    def __get__(self, tx: Transaction, _: object) -> D:
        drawer = tx.__dict__[self._name] = self._kind(tx._work)
        return drawer


class Transaction:
    """The drawers of one agent's store, on one connection."""

    meta, jobs, messages = Own(Meta), Own(Jobs), Own(Messages)
    index, vectors, nodes = Own(Index), Own(Vectors), Own(Nodes)
    facts, ticks, links = Own(Facts), Own(Ticks), Own(Links)
    journal, signals, undo = Own(Journal), Own(Signals), Own(Undo)
    models, tombstones, rows = Own(Models), Own(Tombstones), Own(Rows)
    items, trash = Own(Items), Own(Trash)

    def __init__(self, engine: Engine, work: Work | None = None) -> None:
        """Begin with nothing read, or go on with the work of the transaction before."""
        self._engine, self._work = engine, work or Work(engine)
        self.following: Following | None = None

    @property
    def waits(self) -> bool:
        """Tell whether each question costs a round trip, so that asking for more may pay."""
        return self._engine.waits

    def ahead(self, *readings: Callable[[Transaction], object]) -> None:
        """Send the questions of readings that will be made soon, in order to wait once for all.

        Each reading is begun and stopped at its first question without an answer.
        """
        if self._engine.waits:
            for reading in readings:
                with suppress(Sent):
                    reading(Transaction(cast("Engine", Sending(self._engine))))

    def together(self, *readings: Callable[[Transaction], object]) -> None:
        """Make readings now, waiting once, of which some will be needed.

        Where no server is waited for, no reading is made: each would cost as much as later.
        """
        if self._engine.waits:
            self.ahead(*readings)
            for reading in readings:
                reading(self)

    def after(self, call: Callable[[], None]) -> None:
        """Put off a call until the transaction is durable and other writers may begin."""
        self._work.calls.append(call)

    def then(self, tell: Callable[[], None], write: Mark | None) -> None:
        """Once this reading has ended, call `tell`, then `write` in a soft transaction of its own.

        A server is sent both along with the end of the reading, and waited for once.
        """
        self.following = Following(tell, write)

    def done(self) -> list[Callable[[], None]]:
        """Return the calls that were put off until now, once."""
        calls, self._work.calls = self._work.calls, []
        return calls

    @contextmanager
    def part(self) -> Iterator[None]:
        """Let the writes of this block happen whole or, if anything is raised, not at all."""
        calls = len(self._work.calls)
        try:
            with self._engine.part():
                yield
        except BaseException:
            self._work.read_anew()
            del self._work.calls[calls:]
            raise

    # the network's clock

    def passes(self) -> int:
        """Return how many passes have been made."""
        if self._work.passes is None:
            self._work.passes = int(self._engine.rows("meta.passes", {})[0][0])
        return self._work.passes

    def advance(self) -> None:
        """Make one pass: the unit of time of the network."""
        passes = self._work.passes
        self._engine.do("meta.advance", {})
        self._work.drop_note("passes")
        self._work.passes = None if passes is None else passes + 1

    # several drawers at once

    def accept(
        self,
        messages: Sequence[Message],
        at: float,
        limit: int,
        terms: Sequence[Sequence[str]] = (),
    ) -> int | None:
        """Store messages with the job to digest them; None, storing nothing, if `limit` wait.

        `terms` are the index terms of each message.
        """
        if self._work.tail.last is None or not self._work.tail.counted:
            self.ahead(lambda soon: soon.jobs.waiting_span(), lambda soon: soon.messages.last())
        if self.jobs.is_full(limit):
            return None
        first, before = None, self.messages.last()
        for n, message in enumerate(messages):
            before = self.messages.add(message, before, at)
            self.index.add(before, terms[n] if terms else ())
            first = first or before.seq
        last = before.seq if messages and before else None
        return self.jobs.add("remember", at, first, last)

    def given_again(self, messages: Sequence[Message]) -> Repeated:
        """Return which of the messages, by the ids that callers gave them, are known already.

        An erased message counts as known: it does not come back. Of several with one id and role
        the first stands; a question and its answer may share an id.
        """
        ids = {message.id for message in messages if message.id is not None}
        found = self.messages.given(ids) if ids else []
        gone = set(self.tombstones.among(MESSAGES, ids)) if ids else set()
        said = {(record.id, record.role): record.content for record in reversed(found)}
        fresh, known, changed = [], [], []
        for n, message in enumerate(messages):
            key = message.id, message.role
            if message.id is None or (key not in said and message.id not in gone):
                fresh.append(n)
                said[key] = message.content
                continue
            known.append(message.id)
            if said.get(key, "") not in (message.content, ""):  # or the words were not kept
                changed.append(message.id)
        job = self.jobs.bringing(found[-1].seq) if found else None
        return Repeated(tuple(fresh), tuple(known), tuple(changed), job)

    def erase_node(self, n: int) -> Counter[str]:
        """Destroy a node and its rows in all drawers; return how many rows went from each."""
        removed = Counter(links=self.links.drop(n), journal=self.journal.blank_of(n))
        return removed + self._erase_parts(n)

    def _erase_parts(self, n: int) -> Counter[str]:
        """Remove a node and its rows in all drawers but links and journal."""
        self.facts.drop_successor(n)
        return Counter(
            facts=self.facts.drop(n),
            evidence=self.facts.drop_evidence(n),
            index=self.index.drop_fact(n),
            signals=self.signals.drop(n),
            lifecycle=self.ticks.drop(n),
            memories=self.nodes.drop(n),
        )

    def erase_message(self, record: MessageRecord) -> Counter[str]:
        """Leave an empty shell of a message; return how many rows went from each drawer."""
        n = record.seq
        removed = Counter(vectors=self.vectors.erase(n), messages=self.messages.empty(n))
        removed["index"] = self.index.erase(n)
        if record.name is not None:
            removed["speakers"] = self.messages.drop_speaker(record.name)
        return removed

    # rows dropped to keep the store bounded: see `erasing.bounds`

    def drop_node(self, n: int) -> None:
        """Drop a node; links that lead to it stay."""
        self.journal.drop_of(n)
        self.links.drop_from(n)
        self._erase_parts(n)

    def drop_message(self, record: MessageRecord) -> None:
        """Drop a message."""
        self.vectors.erase(record.seq)
        self.index.erase(record.seq)
        self.facts.drop_message(record.seq)
        self.messages.drop(record.seq)

    def pruned(self) -> Pruned:
        """Return up to which entry, time and pass records were dropped."""
        return Pruned(*json.loads(self.meta.get(PRUNED) or "[]"))

    def note_pruned(self, **values: float) -> None:
        """Note up to which entry, time and pass records were dropped; these only move on."""
        was = self.pruned()
        later = {name: max(value, getattr(was, name)) for name, value in values.items()}
        self.meta.set(PRUNED, tight(replace(was, **later)))

    def clear_traces(self) -> Counter[str]:
        """Drop rows that may hold anybody's words: kept answers, and the reasons of failed jobs."""
        orphans = self.index.orphans()
        for n in orphans:
            self.index.drop_fact(n)
        return Counter(
            answers=self.models.clear_answers(),
            jobs=self.jobs.blank_reasons() + self.jobs.blank_reviews(),
            index=len(orphans),
        )
