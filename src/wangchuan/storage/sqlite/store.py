"""The store in SQLite.

One connection writes, two read, each by one thread at a time, so threads of one process queue up
without SQLite's busy-waiting (see `connections`). Other processes are waited for by the busy
timeout. Transactions that write begin IMMEDIATE: a reader never has to be upgraded, which is the
one case in which SQLite gives up at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import apsw

from wangchuan.errors import StorageError, WangchuanError
from wangchuan.storage.compact import read
from wangchuan.storage.files import READ_ONLY, make_file
from wangchuan.storage.sqlite import schema
from wangchuan.storage.sqlite.connections import BUSY_MS, Connections
from wangchuan.storage.sqlite.engine import SQLiteEngine
from wangchuan.storage.sqlite.scrubbing import drop_copies, found_in, scrubbed
from wangchuan.storage.statements import Work
from wangchuan.storage.store import follow
from wangchuan.storage.transaction import Transaction

MOST_KNOWN = 1_000  # rows; a transaction that knows more hands nothing on to the next
SCRUB_MS = 5_000  # how long readers of other programs are waited for
WRONG = {  # texts that are no JSON, or missing; of jobs, only remember has progress in JSON
    "keywords of nodes is no JSON": "nodes WHERE NOT json_valid(keywords)",
    "sources of nodes is no JSON": (
        f"nodes WHERE NOT coalesce(json_valid({read('sqlite', 'node', 'sources')}), 0)"
    ),
    "original of nodes is not there": f"nodes WHERE {read('sqlite', 'node', 'original')} IS NULL",
    "links of nodes is no JSON": "bundles WHERE NOT json_valid(ties_told(ties))",
    "progress of jobs is no JSON": (
        "jobs WHERE kind = 'remember' AND NOT json_valid(unfolded(progress))"
    ),
    "detail of journal is no JSON": "journal WHERE NOT json_valid(unfolded(detail))",
}
# Statements with triggers, whose texts SQLite reads only when it prepares such a statement.
TRIGGERING = ("UPDATE messages SET id = id, content = content", "DELETE FROM messages")
SYNCHRONOUS = {"full": "FULL", "normal": "NORMAL"}
UNCERTAIN = (
    "the disk failed while this call was being made durable, so it may have been stored: look"
    " before you repeat it"
)


class Known(NamedTuple):
    """The rows a transaction knew, for the next one to go on from."""

    engine: SQLiteEngine
    work: Work
    version: object  # of the data, as the connection saw it


class SQLiteStore:
    """One agent's `memory.db`."""

    read_only: bool
    beyond: tuple[str, ...] = ()

    def __init__(self, path: Path, *, durability: str = "full", vfs: str | None = None) -> None:
        self._path, self._vfs, self._synchronous = path.absolute(), vfs, SYNCHRONOUS[durability]
        self._connections = Connections(self._path, self._synchronous, vfs)
        self.read_only = self._connections.read_only
        self._last: Known | None = None
        self._synced: tuple[apsw.Connection, str] | None = None
        try:
            with self._connections.alone() as writer:
                schema.prepare(writer, path)
                self._connections.made = True
        except BaseException:
            self.close()
            raise

    @contextmanager
    def read(self, *, long: bool = False, once: bool = False) -> Iterator[Transaction]:  # noqa: ARG002
        """Open a transaction that only reads, at one moment; a `long` one is in nobody's way."""
        channel = self._connections.walking if long else self._connections.reading
        try:
            with channel.turn():
                channel.connection.execute("BEGIN")
                tx = Transaction(SQLiteEngine(channel.connection))
                yield tx
        except Exception as error:
            self._tell("read", error)
            raise
        follow(self, tx)

    @contextmanager
    def write(self, *, soft: bool = False, again: bool = False) -> Iterator[Transaction]:  # noqa: ARG002
        """Open a transaction that is durable once left; `soft` ones may be lost to a power cut."""
        if self.read_only:
            raise StorageError(READ_ONLY.format(self._path.parent))
        stored = "nothing of this call was stored"
        try:
            with self._connections.writing.turn() as channel:
                connection = channel.connection
                self._sync(connection, "NORMAL" if soft else self._synchronous)
                connection.execute("BEGIN IMMEDIATE")
                known = self._known(connection)
                tx = Transaction(known.engine, known.work)
                yield tx
                stored = UNCERTAIN
                connection.execute("COMMIT")
                small = known.work.size <= MOST_KNOWN
                self._last = known if known.engine.seen and small else None
        except Exception as error:
            self._tell("write", error, f"; {stored}")
            raise
        for call in tx.done():
            call()

    def _sync(self, connection: apsw.Connection, level: str) -> None:
        """Set the writing connection's level of syncing, if it differs."""
        if self._synced != (connection, level):
            connection.pragma("synchronous", level)
            self._synced = connection, level

    def _known(self, connection: apsw.Connection) -> Known:
        """Return what the last transaction knew; nothing, if another connection wrote since.

        The version of the data changes when another connection writes, and only then.
        """
        last, self._last = self._last, None
        version = connection.execute("PRAGMA data_version").fetchall()[0][0]
        if last and last.engine.connection is connection and last.version == version:
            return last
        engine = SQLiteEngine(connection)
        return Known(engine, Work(engine), version)

    @contextmanager
    def snapshot(self) -> Iterator[Transaction]:
        """Open a reader of its own: it sees one moment for as long as it likes, and only reads."""
        try:
            with self._connections.once() as connection:
                connection.pragma("query_only", True)
                connection.execute("BEGIN")
                yield Transaction(SQLiteEngine(connection))
        except Exception as error:
            self._tell("read", error)
            raise

    def _tell(self, doing: str, error: Exception, stored: str = "") -> None:
        """Raise StorageError if the file is the cause; a damaged file may raise any error."""
        why: object = None
        if isinstance(error, apsw.Error | json.JSONDecodeError):
            why = error
        elif not isinstance(error, WangchuanError):
            why = next(iter(self.check()), None)
        if why:
            raise StorageError(f"cannot {doing} {self._path}: {why}{stored}") from error

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy, as it is at one moment, into a file that is not there yet.

        The copy holds no bytes of deleted rows, and is on disk when this returns.
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
        """Return the faults that SQLite finds in the file; none means sound.

        A fresh connection looks. One that has been at work keeps parts of the full text that
        another connection has merged away since, and would take their absence for damage.
        """
        try:
            with self._connections.once() as connection:
                found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
                for statement in TRIGGERING:
                    connection.execute(f"EXPLAIN {statement}").fetchall()
                found += [
                    f"{name}, {count} times"
                    for name, wrong in WRONG.items()
                    for (count,) in connection.execute(f"SELECT count(*) FROM {wrong}")
                    if count
                ]
        except (apsw.Error, StorageError) as error:
            return [f"{self._path.name}: {error}"]
        return [f"{self._path.name}: {line}" for line in found if line != "ok"]

    def scrub(self) -> int:
        """Destroy the bytes that deleted rows left; return how many old copies went."""
        with self._connections.alone() as writer:
            writer.set_busy_timeout(SCRUB_MS)
            try:
                clean = scrubbed(writer, self._vfs)
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
        try:
            with self._connections.reading.turn():  # no fork comes in between
                return found_in(self._path, pieces, self._vfs)
        except (apsw.Error, OSError) as error:
            gone = "what was erased is gone from the memory, but its bytes could not be looked for"
            raise StorageError(f"cannot read {self._path}: {error}; {gone}") from error

    def size(self) -> int:
        """Return the bytes on disk, write-ahead log included."""
        parts = (self._path, self._path.with_name(self._path.name + "-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def let_go(self) -> None:
        """Release the locks that an interrupted call of this thread left."""
        self._connections.let_go()

    def close(self) -> None:
        """Close the connections; the last one to close folds the log into the file."""
        self._connections.close()
