"""Connections to a cell: one pool per database and process, whatever many hosts use it.

PostgreSQL has no text with a zero character in it, and takes no negative limit. What an agent says
may hold the one, so it is written with an escape; where the engine means "all" by the other, none
is given.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakValueDictionary, finalize

import psycopg
from psycopg.pq import Format
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumperUnknown, TextLoader
from psycopg_pool import ConnectionPool, PoolTimeout

from wangchuan.errors import StorageError

Connection = psycopg.Connection[tuple[Any, ...]]
SCHEMA, OWNER, SERVING = "wangchuan", "wangchuan_owner", "wangchuan_serving"
MOST_CONNECTIONS = 16  # of one process to one cell
CONNECT_SECONDS = 30.0  # how long a connection is waited for: a failover takes 3 to 22
TRY_SECONDS = 2.0  # after which the pool begins anew: it pauses longer after every try
IDLE_SECONDS = 60.0
CLOSE_SECONDS = 2.0
ASK_SECONDS = 2  # how long it is asked why there is no connection
AT_HAND = 0.5  # seconds in which a connection that is at hand is had
# A statement is planned once for all agents, maybe for one that has few rows as yet: what is right
# for those who have many is to look rows up by their keys.
POINTED = "SET enable_seqscan = off; SET random_page_cost = 1.1"
LOCK_MS = 60_000  # how long a writer waits for another
ESCAPE, ZERO = "\U0010ffff", "\0"  # the escape is no character of any script

_pools: WeakValueDictionary[tuple[int, str, bool], Pool] = WeakValueDictionary()
_lock = threading.Lock()


def _is_news(record: logging.LogRecord) -> bool:
    """Tell whether psycopg's log says more than that connections end, which callers are told."""
    return not str(record.msg).startswith(
        ("discarding", "error ignored", "error connecting", "reconnection")
    )


for name in ("psycopg", "psycopg.pool"):
    logging.getLogger(name).addFilter(_is_news)


class Pool:
    """The connections of this process to one cell; those that only read may go to a replica."""

    def __init__(self, dsn: str, *, stale: bool = False) -> None:
        self.dsn, self.pid = dsn, os.getpid()
        self.compares = False  # vectors, as far as was looked
        more = {"target_session_attrs": "prefer-standby"} if stale else {}
        self._pool = ConnectionPool(
            dsn,
            kwargs={"autocommit": True, **more},
            min_size=0,
            max_size=MOST_CONNECTIONS,
            max_idle=IDLE_SECONDS,
            timeout=TRY_SECONDS,
            reconnect_timeout=TRY_SECONDS,
            configure=_configure,
            open=True,
            name="wangchuan",
        )
        # Not __del__: while that runs, `pool_of` would still find what is being closed. And not at
        # the end of a program: then hosts that were left open close, which need it.
        finalize(self, _close, self._pool, self.pid).atexit = False

    @contextmanager
    def connection(self, patience: float | None = None) -> Iterator[Connection]:
        """Lend a connection; a transaction left open is rolled back.

        After an error it is not used again: a rollback makes psycopg drop what is prepared, which
        must not come in between what is sent along in the next pipeline.
        """
        if self.pid != os.getpid():
            raise StorageError(
                "this store was opened before this process was forked; open it again"
            )
        connection = self._waited_for() if patience is None else self._pool.getconn(patience)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        finally:
            self._pool.putconn(connection)

    def _waited_for(self) -> Connection:
        until = time.monotonic() + CONNECT_SECONDS
        while True:
            try:
                return self._pool.getconn()
            except PoolTimeout:
                if time.monotonic() >= until:
                    raise PoolTimeout(self._why()) from None

    def _why(self) -> str:
        """Return why no connection was to be had: the pool only says that there was none."""
        try:
            self._ask_anew()
        except psycopg.Error as error:
            return str(error)
        return f"all {MOST_CONNECTIONS} connections of this process are in use"

    def reach(self) -> None:
        """Ask the server one thing, by a connection at hand, or else by a new one.

        Raises psycopg.Error with the reason.
        """
        with suppress(psycopg.OperationalError), self.connection(AT_HAND) as connection:
            connection.execute("SELECT 1")
            return
        self._ask_anew()

    def _ask_anew(self) -> None:
        with psycopg.connect(self.dsn, connect_timeout=ASK_SECONDS) as connection:
            _configure(connection)

    def drop_broken(self) -> None:
        """Let go of connections whose server is gone, so that the next one is a new one."""
        self._pool.check()


def _close(pool: ConnectionPool[Connection], pid: int) -> None:
    """Close the connections of a pool that nobody has any more, unless they are a parent's."""
    if pid == os.getpid():
        with suppress(RuntimeError):  # collected in a worker of its own, which cannot await itself
            pool.close(timeout=CLOSE_SECONDS)


def pool_of(dsn: str, *, stale: bool = False) -> Pool:
    """Return the pool of a database in this process, opening it if there is none."""
    with _lock:
        key = (os.getpid(), dsn, stale)
        found = _pools.get(key)
        if found is None:
            found = _pools[key] = Pool(dsn, stale=stale)
        return found


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _configure(connection: Connection) -> None:
    """Serve as the role that sees one agent's rows only, whoever connected."""
    adapt(connection)
    connection.execute(
        f"SET ROLE {SERVING}; SET search_path = {SCHEMA}; SET lock_timeout = {LOCK_MS};"
        f" SET plan_cache_mode = force_generic_plan; {POINTED}"
    )
    connection.prepared_max = None  # as many as there are statements
    connection.prepare_threshold = 0  # planning for all partitions costs more than running


def adapt(connection: Connection) -> None:
    """Let whole numbers be BIGINT and texts hold any character."""
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(str, _TextDumper)
    for kind in ("text", "varchar", "name"):
        connection.adapters.register_loader(kind, _TextLoader)


class _TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Any:
        if ZERO in obj or ESCAPE in obj:
            obj = escaped(obj)
        return super().dump(obj)


class _TextLoader(TextLoader):
    format = Format.TEXT

    def load(self, data: Any) -> Any:
        text = super().load(data)
        return unescaped(text) if isinstance(text, str) and ESCAPE in text else text


def escaped(text: str) -> str:
    """Return a text without the zero character."""
    return text.replace(ESCAPE, ESCAPE + "1").replace(ZERO, ESCAPE + "0")


def unescaped(text: str) -> str:
    """Return a text as it was before `escaped`."""
    return text.replace(ESCAPE + "0", ZERO).replace(ESCAPE + "1", ESCAPE)
