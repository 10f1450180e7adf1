"""The store of one agent in a cell.

A transaction names its agent first, and PostgreSQL shows it no other's rows. One that writes takes
the agent's own row before anything else, so writers of an agent take turns, and leaves a mark in
it. If the connection is lost while a write is being made durable, the mark tells afterwards, also
on another server that took over, whether it was: so a caller learns what became of a call, or that
nothing did.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg_pool import PoolTimeout

from wangchuan.errors import StorageError, Unreachable, WangchuanError
from wangchuan.spots import MESSAGE_SHIFT
from wangchuan.storage.postgres.copying import copy_into_file
from wangchuan.storage.postgres.engine import Known, PostgresEngine
from wangchuan.storage.postgres.pool import Connection, Pool, escaped
from wangchuan.storage.postgres.schema import shown
from wangchuan.storage.statements import Work
from wangchuan.storage.store import Outrun, follow
from wangchuan.storage.transaction import Following, Transaction

MARKS = 32  # of the last writes of an agent: more than come between a lost commit and the next look
READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
NAMED = "SELECT set_config('wc.agent', %(agent)s, true)"
SOFT = "SET LOCAL synchronous_commit = off"
TURN = f"SELECT * FROM follow_turn(%(number)s, %(mark)s, {MARKS}, %(before)s, %(sure)s)"
NOBODY = -1  # is no mark
MISSED = 32  # writes that follow each other before one goes on unasked, after one that did not
LOST = (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout)
OURS = (psycopg.errors.QueryCanceled, psycopg.errors.PipelineAborted)  # the server is there
MOVING = "WC001"  # what the server says of an agent that is being moved
OUTRUN = "WC002"  # and of a write that was sure to follow another one, and did not
NOTHING = "nothing of this call was stored"
GONE = "the agent was moved or erased meanwhile; open it again"
UNCERTAIN = (
    "the connection was lost while this call was being made durable, so it may have been stored:"
    " look before you repeat it"
)
BEYOND = (
    "rows are gone from the tables and were looked for there; PostgreSQL keeps their bytes in free"
    " space until the tables are vacuumed, in its write-ahead log, on replicas and in backups until"
    " those are recycled: that is for the operator of the database to do (docs/operations.md)",
)


def commit(connection: Connection, _: psycopg.Pipeline) -> psycopg.Cursor[Any]:
    """Ask for a transaction to be made durable; leaving the pipeline waits for that."""
    return connection.execute("COMMIT")


def _first(error: BaseException) -> BaseException:
    """Return the error that came first, of those that leaving a pipeline adds to it."""
    before = None if error.__suppress_context__ else error.__context__
    return _first(before) if isinstance(before, psycopg.Error) else error


def _sqlstate(error: BaseException) -> str | None:
    """Return how the server names the error that came first."""
    return getattr(_first(error), "sqlstate", None)


class PostgresStore:
    """One agent's rows in a cell."""

    read_only: bool
    beyond: tuple[str, ...]

    def __init__(self, pool: Pool, number: int, *, readers: Pool | None = None) -> None:
        self._pool, self._number, self._readers = pool, number, readers or pool
        self.read_only, self.beyond = False, BEYOND
        self._where = shown(pool.dsn)
        self._known: Known | None = None
        self._following = 0  # writes of this store that followed each other, as far as is known

    @contextmanager
    def read(self, *, long: bool = False, once: bool = False) -> Iterator[Transaction]:
        """Open a transaction that only reads, at one moment; a `long` one may be a replica's.

        One in which something is asked `once` ends with the answer, which saves a trip.
        """
        pool = self._readers if long else self._pool
        written: Written | None = None
        try:
            with pool.connection() as connection:
                with connection.pipeline() as pipeline:
                    connection.execute(READ)
                    connection.execute(NAMED, {"agent": str(self._number)})
                    engine = PostgresEngine(connection, once=once, compares=self._pool.compares)
                    tx = Transaction(engine)
                    yield tx
                    engine.end()
                    if pool is self._pool and tx.following and engine.notes:
                        written = self._follow(connection, pipeline, tx.following)
                if not engine.notes:
                    raise Unreachable(f"cannot read {self._where}: {GONE}")
                if written:
                    self._go_on_from(written)
        except Exception as error:
            self._tell("read", error)
            raise
        if pool is not self._pool:
            follow(self, tx)
        for call in written.tx.done() if written else ():
            call()

    def _follow(
        self, connection: Connection, pipeline: psycopg.Pipeline, following: Following
    ) -> Written | None:
        """Do what follows a reading, sent along with its end; return what was written, if any."""
        following.tell()
        if following.write is None:
            return None
        written = self._begun(connection, self._turn(), soft=True)
        following.write(written.tx)
        written.engine.ask_what_is_missing()
        commit(connection, pipeline)
        return written

    def snapshot(self) -> Any:
        """Open a reader of its own: it sees one moment for as long as it likes, and only reads."""
        return self.read()

    @contextmanager
    def write(self, *, soft: bool = False, again: bool = False) -> Iterator[Transaction]:
        """Open a transaction that is durable once left; `soft` ones may be lost to a crash.

        One that can be made `again` goes on from what the last write knew: its turn is not waited
        for. If somebody else wrote meanwhile, nothing is stored, and Outrun is raised.
        """
        turn = self._turn(again=again)
        try:
            with self._pool.connection() as connection:
                with connection.pipeline() as pipeline:
                    written = self._begun(connection, turn, soft)
                    yield written.tx
                    written.engine.ask_what_is_missing()
                    turn.ending = True
                    ended = commit(connection, pipeline)
                if ended.statusmessage != "COMMIT":
                    raise StorageError(f"cannot write {self._where}: {NOTHING}")
                self._go_on_from(written)
        except Exception as error:
            if not (turn.ending and isinstance(error, LOST) and self._was_stored(turn, error)):
                self._tell("write", error, f"; {NOTHING}")
                raise
        for call in written.tx.done():
            call()

    def _turn(self, *, again: bool = False) -> Turn:
        """Return a turn that takes what is known: until it is over, nobody goes on from there."""
        known, self._known = self._known, None
        return Turn(before=known, sure=again and known is not None and self._following > 0)

    def _begun(self, connection: Connection, turn: Turn, soft: bool) -> Written:
        connection.execute("BEGIN")
        if soft:
            connection.execute(SOFT)
        before, known = turn.before, turn.before if turn.sure else None
        values = {"mark": turn.mark, "number": self._number, "sure": turn.sure}
        values["before"] = before.mark if before else NOBODY
        turn.taken = connection.execute(TURN, values)
        compares = self._pool.compares
        engine = PostgresEngine(connection, turn=turn.taken, compares=compares, known=known)
        work = Work(engine)
        if known:
            work.tail = replace(known.tail)
        return Written(turn, engine, Transaction(engine, work), work)

    def _go_on_from(self, written: Written) -> None:
        """Keep what the next write may go on from."""
        turn, engine = written.turn, written.engine
        before = None if turn.sure else turn.before
        self._known = engine.known(turn.mark, written.work.tail, before)
        if before:
            self._following = self._following + 1 if engine.follows else min(self._following, 0)

    def _was_stored(self, turn: Turn, error: Exception) -> bool:
        """Tell whether a write was stored whose connection was lost; Unreachable if it was not.

        To take the agent's turn is to wait until the server has ended the lost connection's.
        """
        self._pool.drop_broken()
        try:
            with self._pool.connection() as connection, connection.transaction():
                row: Any = connection.execute(
                    "SELECT writes, marks FROM agents WHERE number = %s FOR UPDATE", (self._number,)
                ).fetchone()
        except LOST:
            row = None
        if row is not None and turn.mark in row[1]:
            return True
        writes = turn.writes()
        known = row is not None and (
            len(row[1]) < MARKS or (writes is not None and row[0] - writes < MARKS)
        )
        if known:
            raise Unreachable(f"cannot write {self._where}: {error}; {NOTHING}") from error
        raise StorageError(f"cannot write {self._where}: {error}; {UNCERTAIN}") from error

    def _tell(self, doing: str, error: Exception, stored: str = "") -> None:
        """Raise an error of ours if the database is why."""
        if isinstance(error, WangchuanError):
            return
        if isinstance(error, psycopg.Error) and _sqlstate(error) == OUTRUN:
            self._following = -MISSED
            raise Outrun from error
        told = f"cannot {doing} {self._where}: {_first(error)}{stored}"
        if isinstance(error, LOST) and not isinstance(error, OURS):
            self._pool.drop_broken()
            raise Unreachable(told) from error
        if isinstance(error, psycopg.Error) and error.sqlstate == MOVING:
            raise Unreachable(told) from error
        if isinstance(error, psycopg.Error | json.JSONDecodeError):  # or a row that is no sense
            raise StorageError(told) from error

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy into a file that is not there yet: a database of SQLite."""
        copy_into_file(self, path)

    def check(self) -> list[str]:
        """Return what is wrong with the agent's place in the cell; nothing means sound."""
        try:
            with self.read() as tx:
                engine: Any = tx._engine
                (row,) = engine.connection.execute(CHECK, {"number": self._number}).fetchall()
        except StorageError as error:
            return [str(error)]
        wrong = dict(zip(CHECKED, row, strict=True))
        return [f"{self._where}: {told}" for told, found in wrong.items() if found]

    def scrub(self) -> int:
        """Return 0: there are no old copies of ours. What is beyond our reach, `beyond` says."""
        return 0

    def found(self, pieces: Iterable[bytes]) -> dict[str, list[bytes]]:
        """Return which pieces of text stand in which tables."""
        found: dict[str, list[bytes]] = {}
        with self.read() as tx:
            engine: Any = tx._engine
            for piece in pieces:
                wanted = escaped(piece.decode("utf-8", "surrogateescape"))
                values = {"piece": wanted.encode("utf-8", "surrogateescape")}
                for (table,) in engine.connection.execute(HOLDING, values).fetchall():
                    found.setdefault(table, []).append(piece)
        return found

    def size(self) -> int:
        """Return about how many bytes the agent's rows take, without their indexes."""
        with self.read() as tx:
            engine: Any = tx._engine
            return int(engine.connection.execute(SIZE).fetchall()[0][0])

    def let_go(self) -> None:
        """Do nothing: an interrupted call holds nothing."""

    def close(self) -> None:
        """Do nothing: connections belong to the process."""


@dataclass(slots=True)
class Turn:
    """One write of an agent: its mark, what the server said of it, and how far it is."""

    mark: int = field(default_factory=lambda: secrets.randbits(62))
    taken: psycopg.Cursor[Any] | None = None
    ending: bool = False
    before: Known | None = None  # the write that it follows, as far as is known
    sure: bool = False  # that it does

    def writes(self) -> int | None:
        """Return which write of the agent it is, if that is known."""
        if self.sure and self.before:
            return self.before.writes + 1
        if self.taken is None or self.taken.pgresult is None:
            return None
        self.taken.scroll(0, mode="absolute")  # somebody may have read it
        return int((self.taken.fetchone() or (0,))[0])


class Written(NamedTuple):
    """A write that is under way, or over."""

    turn: Turn
    engine: PostgresEngine
    tx: Transaction
    work: Work


TEXTS = {
    "messages": "id, name, content, session, metadata",
    "speakers": "name",
    "nodes": "original, content, phrase, keywords, sources",
    "links": "relation",
    "journal": "detail",
    "jobs": "reason, progress",
    "answers": "answer",
    "meta": "value",
    "tombstones": "id",
    "items": "namespace, key, value, terms",
}
HOLDING = " UNION ALL ".join(
    f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table} WHERE"
    f" position(%(piece)s IN convert_to(concat_ws(chr(10), {columns}), 'UTF8')) > 0)"
    for table, columns in TEXTS.items()
)
SIZE = "SELECT " + " + ".join(
    f"(SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM {table} t)"
    for table in (*TEXTS, "facts", "vectors", "undo", "spoken", "spoken_postings")
)
CHECKED = (
    "the agent has no place here",
    "a memory has a higher number than was ever given",
    "something in the full text belongs to no message",
    "the number of waiting jobs is not what is noted for workers",
)
CHECK = f"""SELECT NOT EXISTS (SELECT 1 FROM agents WHERE number = %(number)s),
    (SELECT max(op) FROM undo) > (SELECT last FROM counters WHERE name = 'undo'),
    EXISTS (SELECT 1 FROM spoken
        WHERE spot >> {MESSAGE_SHIFT} > (SELECT coalesce(max(seq), 0) FROM messages)),
    (SELECT pending FROM agents WHERE number = %(number)s)
        <> (SELECT count(*) FROM jobs WHERE state = 'pending')"""
