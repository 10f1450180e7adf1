"""The store in SQLite, through apsw, which carries a current SQLite with it.

One connection writes, two read; each is a channel, used by one thread at a time, so threads of
one process queue up without SQLite's busy-waiting. Other processes are waited for by
the busy timeout. Transactions that write begin IMMEDIATE: a reader never has to be upgraded,
which is the one case in which SQLite gives up at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import apsw

from wangchuan.errors import InvalidInput, StorageError
from wangchuan.spots import PLACES
from wangchuan.storage import schema
from wangchuan.storage.connections import BUSY_MS, Connections
from wangchuan.storage.contract import (
    KEPT,
    TALK_SECONDS,
    FactRecord,
    JobRecord,
    JournalRecord,
    LinkRecord,
    MessageRecord,
    NodeRecord,
    SignalsRecord,
    UndoRow,
    UsageRecord,
)
from wangchuan.storage.erasing import ErasingStatements, drop_copies, found_in, scrubbed
from wangchuan.storage.files import make_file
from wangchuan.storage.finding import FindingStatements, match
from wangchuan.storage.lifecycle import LifecycleStatements
from wangchuan.storage.recording import FOCUS, NO_TEXT, Recording
from wangchuan.types import Message

SCRUB_MS = 5_000  # how long readers of other programs are waited for
UNCERTAIN = (
    "the disk failed while this call was being made durable, so it may have been stored: look"
    " before you repeat it"
)
RECORDS: dict[str, type[Any]] = {**KEPT, "undo": UndoRow}
SYNCHRONOUS = {"full": "FULL", "normal": "NORMAL"}
LINK_COLUMNS = len(fields(LinkRecord))


@cache
def queries() -> dict[str, str]:
    """Return the named SQL of `queries.sql`, with the records' columns filled in."""
    text = files("wangchuan.storage").joinpath("queries.sql").read_text(encoding="utf-8")
    for name, record in RECORDS.items():
        columns = [field.name for field in fields(record)]
        text = text.replace(f"${name}", ", ".join(columns))
        text = text.replace(f"$:{name}", ", ".join(f":{column}" for column in columns))
        for alias in "lmt":
            text = text.replace(f"${alias}.{name}", ", ".join(f"{alias}.{c}" for c in columns))
    found = {}
    for block in text.split("-- name: ")[1:]:
        name, _, rest = block.partition("\n")
        _, _, sql = rest.partition("\n")
        found[name.strip()] = sql.strip().rstrip(";")
    return found


def _values(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__slots__}


def _noted_signals(record: SignalsRecord) -> dict[str, int]:
    return {name: getattr(record, name) for name in ("node", "access_count", "traverse_count")}


class SQLiteTransaction(ErasingStatements, FindingStatements, LifecycleStatements, Recording):
    """Reads and writes on one connection; see `Transaction` for what they promise."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection, queries())

    # notes of the store itself

    def meta(self, key: str) -> str | None:
        value: str | None = self._value("meta", key=key)
        return value

    def set_meta(self, key: str, value: str) -> None:
        self._run("set_meta", key=key, value=value)

    def passes(self) -> int:
        return int(self._value("passes"))

    def advance(self) -> None:
        self._run("advance")

    def counts(self, passes: int) -> dict[str, int]:
        return self._figures("counts", passes)

    def _figures(self, name: str, passes: int) -> dict[str, int]:
        cursor = self._connection.execute(self._sql[name], {"passes": passes})
        names = [column[0] for column in cursor.get_description()]
        values = cursor.fetchall()[0]
        return {name: int(value or 0) for name, value in zip(names, values, strict=True)}

    # jobs and messages

    def accept(
        self,
        messages: Sequence[Message],
        at: float,
        limit: int,
        terms: Sequence[Sequence[str]] = (),
    ) -> int | None:
        nearly_full = (self._value("waiting_span") or 0) * 2 >= limit
        if nearly_full and self._value("waiting", limit=limit) >= limit:
            return None
        first, before = None, self.last_message()
        for n, message in enumerate(messages):
            before = self._add_message(message, before, at)
            self.index(before, terms[n] if terms else ())
            first = first or before.seq
        last = before.seq if messages and before else None
        self._run("add_job", kind="remember", first=first, last=last, at=at)
        return self._connection.last_insert_rowid()

    def _add_message(
        self, message: Message, before: MessageRecord | None, at: float
    ) -> MessageRecord:
        """Keep a message and say where in which conversation it stands."""
        said_at = at if message.timestamp is None else message.timestamp
        talk, place = (before.talk, before.place + 1) if before else (1, 0)
        if before and (place > PLACES or abs(said_at - before.said_at) > TALK_SECONDS):
            talk, place = talk + 1, 0
        values = {name: getattr(message, name) for name in message.__slots__}
        values |= {"talk": talk, "place": place, "said_at": said_at}
        self._run("add_message", **values)
        if message.name is not None:
            self._run("add_speaker", name=message.name)
        return MessageRecord(seq=self._connection.last_insert_rowid(), **values)

    def add_job(self, kind: str, at: float) -> int:
        self._run("add_job", kind=kind, first=None, last=None, at=at)
        return self._connection.last_insert_rowid()

    def next_job(self, at: float, retries: int, longest: float) -> JobRecord | None:
        values = {"at": at, "retries": retries, "latest": at + longest}
        rows = self._rows("next_remember", **values) or self._rows("first_remember")
        jobs = [JobRecord(*row) for row in [*rows, *self._rows("pending_upkeep")]]
        # A time further off than any wait means that the clock went back: it is over.
        waits = {job.seq: at < job.not_before <= at + longest for job in jobs}
        return min(jobs, key=lambda job: (waits[job.seq], job.place), default=None)

    def upkeep_waits(self, kind: str) -> bool:
        return any(JobRecord(*row).kind == kind for row in self._rows("pending_upkeep"))

    def last_accepted(self) -> float | None:
        found: float | None = self._value("last_accepted")
        return found

    def job(self, seq: int) -> JobRecord | None:
        return next((JobRecord(*row) for row in self._rows("job", seq=seq)), None)

    def jobs(self, state: str) -> list[JobRecord]:
        return [JobRecord(*row) for row in self._rows("jobs", state=state)]

    def last_job(self) -> int:
        return int(self._value("last_job"))

    def unsettled(self, upto: int) -> bool:
        return bool(self._value("unsettled", upto=upto))

    def pending(self) -> int:
        return int(self._value("pending"))

    def finish_job(self, seq: int, at: float, progress: str | None = None) -> None:
        self._run("finish_job", seq=seq, at=at, progress=progress)

    def drop_job(self, seq: int) -> None:
        self._run("drop_job", seq=seq)

    def progress_job(self, seq: int, progress: str) -> None:
        self._run("progress_job", seq=seq, progress=progress)

    def postpone_job(self, seq: int, attempts: int, not_before: float, reason: str) -> None:
        self._run("postpone_job", seq=seq, attempts=attempts, not_before=not_before, reason=reason)

    def send_back_job(self, seq: int) -> None:
        self._run("send_back_job", seq=seq)

    def fail_job(self, seq: int, at: float, reason: str) -> None:
        self._run("fail_job", seq=seq, at=at, reason=reason)

    def retry_job(self, seq: int) -> None:
        self._run("retry_job", seq=seq)

    def messages_between(self, first: int, last: int) -> list[MessageRecord]:
        rows = self._rows("messages_between", first=first, last=last)
        return [MessageRecord(*row) for row in rows]

    def waiting_messages(self, limit: int) -> list[MessageRecord]:
        found: list[MessageRecord] = []
        for first, last in sorted(self._rows("waiting_ranges"), reverse=True):
            newest = self.messages_between(max(first, last + 1 - limit + len(found)), last)
            found += reversed(newest)
            if len(found) >= limit:
                break
        return found[:limit]

    # memories

    def add_node(self, **values: Any) -> int:
        self._run("add_node", **values)
        n = self._connection.last_insert_rowid()
        if self._noted is not None:
            self._noted.rows["node", (n,)] = None
        return n

    def node(self, n: int) -> NodeRecord | None:
        return next((NodeRecord(*row) for row in self._rows("node", n=n)), None)

    def save_node(self, record: NodeRecord) -> None:
        self._note("node", (record.n,))
        self._connection.execute(self._sql["save_node"], _values(record))

    def _nodes(self, name: str, /, **values: Any) -> list[NodeRecord]:
        return [NodeRecord(*row) for row in self._rows(name, **values)]

    def alive(self, passes: int, limit: int = -1, offset: int = 0) -> list[NodeRecord]:
        return self._nodes("alive", passes=passes, limit=limit, offset=offset)

    def fading(self, passes: int, limit: int = -1) -> list[NodeRecord]:
        return self._nodes("fading", passes=passes, limit=limit)

    def trash(self, passes: int, limit: int = -1) -> list[NodeRecord]:
        return self._nodes("trash", passes=passes, limit=limit)

    def dying(self, passes: int, limit: int) -> list[NodeRecord]:
        return self._nodes("dying", passes=passes, limit=limit)

    def due(self, passes: int, limit: int) -> list[NodeRecord]:
        return self._nodes("due", passes=passes, limit=limit)

    def due_exists(self, passes: int) -> bool:
        return bool(self._value("due_exists", passes=passes))

    def still(self, after: int, limit: int) -> list[NodeRecord]:
        return self._nodes("still", after=after, limit=limit)

    def nearest_alive(self, n: int, passes: int) -> NodeRecord | None:
        return next(iter(self._nodes("nearest_alive", n=n, passes=passes)), None)

    def lowest_alive(self) -> int:
        return int(self._value("lowest_alive"))

    def highest_node(self) -> int:
        return int(self._value("highest_node"))

    def living(self, passes: int) -> int:
        return int(self._value("living", passes=passes))

    # facts and episodes

    def put_fact(self, record: FactRecord) -> None:
        self._note("fact", (record.node,))
        self._run("put_fact", **_values(record))

    def fact(self, n: int) -> FactRecord | None:
        return next((FactRecord(*row) for row in self._rows("fact", n=n)), None)

    def facts(self, kinds: Iterable[str], limit: int = -1) -> list[NodeRecord]:
        found = [r for kind in set(kinds) for r in self._nodes("facts", kind=kind, limit=limit)]
        found.sort(key=lambda record: -record.n)
        return found if limit < 0 else found[:limit]

    def facts_after(self, n: int, limit: int) -> list[NodeRecord]:
        return self._nodes("facts_after", n=n, limit=limit)

    def set_kind(self, n: int, kind: str) -> None:
        self._note("node", (n,))
        self._run("set_kind", n=n, kind=kind)

    def facts_to_review(self, limit: int) -> list[FactRecord]:
        return [FactRecord(*row) for row in self._rows("facts_to_review", limit=limit)]

    def learn_from(self, n: int, messages: Iterable[int]) -> None:
        self._note("evidence", (n,))
        self._run_many("learn_from", ({"node": n, "message": m} for m in messages))

    def evidence_of(self, n: int) -> list[int]:
        return [row[0] for row in self._rows("evidence_of", n=n)]

    def learned_from(self, messages: Iterable[int]) -> list[tuple[int, int]]:
        rows = self._rows("learned_from", messages=json.dumps(list(messages)))
        return [(row[0], row[1]) for row in rows]

    def index_fact(self, n: int, terms: Sequence[str]) -> None:
        if terms:
            self._run("index_fact", n=n, terms=" ".join(terms))

    def facts_holding(self, term: str, limit: int) -> list[int]:
        return [row[0] for row in self._rows("facts_holding", match=match(term), limit=limit)]

    # links and focus

    def put_link(self, link: LinkRecord) -> None:
        self.put_links([link])

    def put_links(self, links: Iterable[LinkRecord]) -> None:
        put = list(links)
        for link in put:
            self._note("link", (link.source, link.target))
        self._run_many("put_link", map(_values, put))

    def links_from(self, n: int) -> list[LinkRecord]:
        return [LinkRecord(*row) for row in self._rows("links_from", n=n)]

    def links_to(self, n: int) -> list[LinkRecord]:
        return [LinkRecord(*row) for row in self._rows("links_to", n=n)]

    def neighbours(self, n: int) -> list[tuple[LinkRecord, NodeRecord | None]]:
        return [
            (
                LinkRecord(*row[:LINK_COLUMNS]),
                None if row[LINK_COLUMNS] is None else NodeRecord(*row[LINK_COLUMNS:]),
            )
            for row in self._rows("neighbours", n=n)
        ]

    def supporters(self, n: int) -> list[LinkRecord]:
        return [LinkRecord(*row) for row in self._rows("supporters", n=n)]

    def focus(self) -> list[int]:
        return [row[0] for row in self._rows("focus")]

    def set_focus(self, nodes: Sequence[int]) -> None:
        self._note("focus", FOCUS)
        self._run("clear_focus")
        self._run_many("add_focus", ({"place": i, "node": n} for i, n in enumerate(nodes)))

    # what happened

    def log(self, kind: str, node: int | None, detail: dict[str, Any], at: float) -> None:
        text = json.dumps(detail, ensure_ascii=False, separators=(",", ":"))
        self._run("log", kind=kind, node=node, detail=text, at=at)
        self._note_entry(kind, node)

    def journal_of(self, n: int) -> list[JournalRecord]:
        return [JournalRecord(*row) for row in self._rows("journal_of", n=n)]

    def journal(self, after: int = 0, kind: str | None = None) -> list[JournalRecord]:
        return [JournalRecord(*row) for row in self._rows("journal", after=after, kind=kind)]

    def entry(self, seq: int) -> JournalRecord | None:
        return next((JournalRecord(*row) for row in self._rows("entry", seq=seq)), None)

    def last_entry(self) -> int:
        return int(self._value("last_entry"))

    def accessed(self, nodes: Iterable[int], at: float) -> None:
        self._run_many("accessed", ({"node": n, "at": at} for n in nodes))

    def traversed(self, nodes: Iterable[int], at: float) -> None:
        self._run_many("traversed", ({"node": n, "at": at} for n in nodes))

    def signals(self, n: int) -> SignalsRecord | None:
        return next((SignalsRecord(*row) for row in self._rows("signals", n=n)), None)

    def unnoted(self) -> list[SignalsRecord]:
        return [SignalsRecord(*row) for row in self._rows("unnoted")]

    def note_signals(self, records: Iterable[SignalsRecord]) -> None:
        self._run_many("note_signals", map(_noted_signals, records))

    def put_signals(self, records: Iterable[SignalsRecord]) -> None:
        self._run_many("put_signals", map(_values, records))

    def add_usage(self, usage: UsageRecord) -> None:
        self._run("add_usage", **_values(usage))

    def usage(self, since: str = "") -> list[UsageRecord]:
        return [UsageRecord(*row) for row in self._rows("usage", since=since)]

    def answer(self, key: str) -> str | None:
        found: str | None = self._value("answer", hash=key)
        return found

    def keep_answer(self, key: str, answer: str, at: float, most: int) -> None:
        self._run("keep_answer", hash=key, answer=answer, at=at)
        self._run("drop_old_answers", most=most - 1)

    # all of it

    def every(self, kind: str) -> Iterator[Any]:
        make = KEPT[kind]
        try:
            for row in self._connection.execute(self._sql[f"every_{kind}"]):
                yield make(*row)
        except UnicodeDecodeError as error:
            raise StorageError(NO_TEXT) from error

    def how_many(self, kind: str) -> int:
        counted = f"SELECT count(*) FROM ({self._sql[f'every_{kind}']})"
        found: Any = self._connection.execute(counted).fetchall()
        return int(found[0][0])

    def take_in(self, kind: str, record: Any) -> None:
        try:
            self._run(f"take_in_{kind}", **_values(record))
        except apsw.ConstraintError as error:
            raise InvalidInput(f"this {kind} is there already ({error})") from error
        if kind == "message" and record.name is not None:
            self._run("add_speaker", name=record.name)

    def last_number(self) -> int:
        return int(self._value("last_number"))

    def reserve(self, upto: int) -> None:
        self._run("raise_number", upto=upto)
        self._run("first_number", upto=upto)

    def buried(self) -> frozenset[tuple[str, str]]:
        return frozenset((row[0], row[1]) for row in self._rows("tombstones"))


class SQLiteStore:
    """One agent's `memory.db`."""

    def __init__(self, path: Path, *, durability: str = "full", vfs: str | None = None) -> None:
        self._path, self._vfs, self._synchronous = path.absolute(), vfs, SYNCHRONOUS[durability]
        self._connections = Connections(self._path, self._synchronous, vfs)
        try:
            with self._connections.alone() as writer:
                schema.prepare(writer, path)
                self._connections.made = True
        except BaseException:
            self.close()
            raise

    @contextmanager
    def read(self, *, long: bool = False) -> Iterator[SQLiteTransaction]:
        """Open a transaction that only reads, at one moment; a `long` one is in nobody's way."""
        channel = self._connections.walking if long else self._connections.reading
        try:
            with channel.turn():
                channel.connection.execute("BEGIN")
                yield SQLiteTransaction(channel.connection)
        except apsw.Error as error:
            raise StorageError(f"cannot read {self._path}: {error}") from error

    @contextmanager
    def write(self, *, soft: bool = False) -> Iterator[SQLiteTransaction]:
        """Open a transaction that is durable once left; `soft` ones may be lost to a power cut."""
        stored = "nothing of this call was stored"
        try:
            with self._connections.writing.turn() as channel:
                connection = channel.connection
                connection.pragma("synchronous", "NORMAL" if soft else self._synchronous)
                connection.execute("BEGIN IMMEDIATE")
                tx = SQLiteTransaction(connection)
                yield tx
                stored = UNCERTAIN
                connection.execute("COMMIT")
        except apsw.Error as error:
            raise StorageError(f"cannot write {self._path}: {error}; {stored}") from error
        for call in tx.done():
            call()

    @contextmanager
    def snapshot(self) -> Iterator[SQLiteTransaction]:
        """Open a reader of its own: it sees one moment for as long as it likes, and only reads."""
        try:
            with self._connections.once() as connection:
                connection.pragma("query_only", True)
                connection.execute("BEGIN")
                yield SQLiteTransaction(connection)
        except apsw.Error as error:
            raise StorageError(f"cannot read {self._path}: {error}") from error

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy, as it is at one moment, into a file that is not there yet.

        It holds no leftovers of what was deleted, and is on disk once this returns.
        """
        try:
            make_file(path)
            with self._connections.once() as source:
                source.execute("VACUUM INTO ?", (str(path),))
                copy = apsw.Connection(str(path))
                copy.pragma("journal_mode", "wal")  # which VACUUM INTO does not hand on
                copy.close()
            with path.open("rb+") as written:
                os.fsync(written.fileno())
        except (apsw.Error, OSError) as error:
            raise StorageError(f"cannot copy {self._path} to {path}: {error}") from error

    def check(self) -> list[str]:
        """Return what SQLite finds wrong with the file; nothing means sound.

        A connection that has been at work keeps parts of the full text that another one has merged
        away since, and would take their absence for damage: so a fresh connection looks.
        """
        try:
            with self.snapshot() as tx:
                found = [row[0] for row in tx._connection.execute("PRAGMA integrity_check")]
        except StorageError as error:
            return [str(error)]
        return [f"{self._path.name}: {line}" for line in found if line != "ok"]

    def scrub(self) -> int:
        """Leave no byte of what was deleted; return how many old copies went."""
        with self._connections.alone() as writer:
            writer.set_busy_timeout(SCRUB_MS)
            try:
                clean = scrubbed(writer)
            except apsw.BusyError:
                clean = False
            except apsw.Error as error:
                raise StorageError(f"cannot scrub {self._path}: {error}") from error
            finally:
                writer.set_busy_timeout(BUSY_MS)
            copies = drop_copies(self._path)
        if not clean:
            raise StorageError(
                f"{self._path} is being read by another program: what was erased is gone from the"
                " memory, but its bytes are not gone from the disk. That is tried again"
                " while the agent is open, and when it is next opened."
            )
        return copies

    def found(self, pieces: Iterable[bytes]) -> dict[str, list[bytes]]:
        """Return which pieces of text stand in which files of the folder."""
        with self._connections.reading.turn():  # no fork comes in between
            return found_in(self._path, pieces, self._vfs)

    def size(self) -> int:
        """Return the bytes on disk, write-ahead log included."""
        parts = (self._path, self._path.with_name(self._path.name + "-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def let_go(self) -> None:
        """Let go of what an interrupted call of this thread left locked."""
        self._connections.let_go()

    def close(self) -> None:
        """Close the connections; the last one to close folds the log into the file."""
        self._connections.close()
