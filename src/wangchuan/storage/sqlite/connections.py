"""The connections to one database, and the turns that threads take at them.

An interrupt (Ctrl-C) may come between any two steps of a call. So nothing is taken for granted when
a turn begins: a transaction that an interrupted call left open is rolled back, and a lock that it
left held is let go by its own thread. A call that ends late, because something held on to it, does
not end the turn of another.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from wangchuan.errors import StorageError
from wangchuan.storage.files import is_writable, make_file
from wangchuan.storage.sqlite import forking
from wangchuan.storage.sqlite.functions import teach
from wangchuan.storage.store import INHERITED

BUSY_MS = 60_000
LOOK_SECONDS = 0.01  # how often a fork looks whether a connection used once is closed


class Channel:
    """A connection that is opened when needed and used by one thread at a time."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connect, self._pid = connect, os.getpid()
        self._lock, self._turn, self._paused = threading.RLock(), 0, False
        self._connection: apsw.Connection | None = None

    @property
    def connection(self) -> apsw.Connection:
        """Return the connection, opening it if needed; only the holder of the turn may ask."""
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    @contextmanager
    def turn(self) -> Iterator[Channel]:
        """Wait for a turn; a transaction begun in it is rolled back unless it was committed."""
        if self._pid != os.getpid():
            raise StorageError(f"this memory {INHERITED}")
        turn = None
        try:
            turn = self._take()
            self._roll_back()
            yield self
        finally:
            self._leave(turn)

    def _take(self) -> int:
        self.let_go()
        self._lock.acquire()
        self._turn += 1
        return self._turn

    def _leave(self, turn: int | None) -> None:
        if self._pid != os.getpid() or turn not in (None, self._turn):
            return  # in a child, the connection is the parent's; else the turn is another's by now
        if turn is not None:
            self._roll_back()
        self.let_go()

    def let_go(self) -> None:
        """Let go of the lock if this thread has it."""
        with suppress(RuntimeError):
            while True:
                self._lock.release()

    def _roll_back(self) -> None:
        if self._connection is None or not self._connection.in_transaction:
            return
        try:
            self._connection.execute("ROLLBACK")
        except apsw.Error:  # in an unknown state: begin with a new connection
            self.close()

    def close(self) -> None:
        """Close the connection; for whoever has the turn."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(apsw.Error):  # writes not folded into the file stay in the log
                connection.close(True)

    # forks

    def pause(self, until: float) -> bool:
        """Take the turn, and close the connection; False if it is in use until then."""
        if not self._lock.acquire(timeout=max(0.0, until - time.monotonic())):
            return False
        self._paused = True
        if self._connection is not None and self._connection.in_transaction:
            return False  # the forking thread itself has the turn
        self.close()
        return True

    def resume(self) -> None:
        """Give the turn back, if it was taken."""
        if self._paused:
            self._paused = False
            self._lock.release()

    def forsake(self) -> None:
        """In a child: leave the connection alone."""
        if self._connection is not None:
            forking.forsake(self._connection)


class Connections:
    """One connection writes, two read; others are used once. A fork closes them: see `forking`."""

    def __init__(self, path: Path, synchronous: str, vfs: str | None) -> None:
        self._path, self._synchronous, self._vfs = path.absolute(), synchronous, vfs
        self._pid, self._closed = os.getpid(), False
        self.made = False  # the database is there, and is not made a second time
        self.read_only = self._path.is_file() and not is_writable(self._path)
        self.reading, self.walking, self.writing = (Channel(self._open) for _ in range(3))
        self._channels = (self.reading, self.walking, self.writing)
        self._once: list[apsw.Connection] = []
        forking.watch(self)

    def _open(self) -> apsw.Connection:
        if self._closed:
            raise StorageError(f"{self._path} is closed")
        flags = apsw.SQLITE_OPEN_READWRITE | (0 if self.made else apsw.SQLITE_OPEN_CREATE)
        try:
            if self.read_only:
                connection = self._open_to_read()
            else:
                if not self.made:
                    make_file(self._path)
                connection = apsw.Connection(str(self._path), flags=flags, vfs=self._vfs)
            connection.set_busy_timeout(BUSY_MS)
            teach(connection)
            connection.pragma("synchronous", self._synchronous)
        except (apsw.Error, OSError) as error:
            raise StorageError(f"cannot open {self._path}: {error}") from error
        return connection

    def _open_to_read(self) -> apsw.Connection:
        """Open a database that cannot be written.

        SQLite reads a log only by its index, which it cannot make here. Without a log there is no
        writer, and the file is read as one that nobody changes.
        """
        _, log, index = self.files()
        if log.exists() and not index.exists():
            raise StorageError(
                f"{self._path} was not closed, and is read-only: what its log holds cannot be read"
                " here. Copy the folder to where it can be written"
            )
        name = f"{self._path.as_uri()}?mode=ro{'' if log.exists() else '&immutable=1'}"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return apsw.Connection(name, flags=flags, vfs=self._vfs)

    def files(self) -> list[Path]:
        """Return the database's files, also those that do not exist yet."""
        return [self._path.with_name(self._path.name + end) for end in ("", "-wal", "-shm")]

    @contextmanager
    def once(self) -> Iterator[apsw.Connection]:
        """Open a connection beside the others, for as long as it is used."""
        connection = None
        try:
            with forking.forks.gate:  # a fork waits until this connection is known
                connection = self._open()
                self._once.append(connection)
            yield connection
        finally:
            if connection is not None and os.getpid() == self._pid:  # else it belongs to the parent
                connection.close(True)
                self._once = [other for other in self._once if other is not connection]

    @contextmanager
    def alone(self) -> Iterator[apsw.Connection]:
        """Wait until no thread uses the database; return the connection that writes."""
        with self.reading.turn(), self.walking.turn(), self.writing.turn() as channel:
            yield channel.connection

    def let_go(self) -> None:
        """Let go of what an interrupted call of this thread left locked."""
        for channel in self._channels:
            channel.let_go()

    def close(self) -> None:
        """Close the connections; the last one to close folds the log into the file."""
        if os.getpid() != self._pid:
            return
        self._closed = True
        with self.reading.turn(), self.walking.turn(), self.writing.turn():
            for channel in self._channels:
                channel.close()
        forking.unwatch(self)

    def pause(self, until: float) -> bool:
        """Close the connections once nobody uses them; False if some are in use for too long."""
        while self._once and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
        if not self._once and all(channel.pause(until) for channel in self._channels):
            return True
        self.resume()
        return False

    def resume(self) -> None:
        """Let others use them again."""
        for channel in self._channels:
            channel.resume()

    def forsake(self) -> None:
        """In a child: see that nothing ever closes the connections, which are the parent's."""
        for channel in self._channels:
            channel.forsake()
        for connection in self._once:
            forking.forsake(connection)
