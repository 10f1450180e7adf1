"""Ways to a cell: from earlier formats, by several hosts, by a replica."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg_pool import ConnectionPool
from stage import PATIENCE

from wangchuan import Host
from wangchuan.storage import Transaction
from wangchuan.storage.postgres import schema
from wangchuan.storage.postgres.backend import PostgresBackend
from wangchuan.storage.postgres.pool import Pool, pool_of

STEPS = schema.migrations()
NUMBERS = count()
OLD = """SELECT make_agent('old', 7); SELECT set_config('wc.agent', '7', false);
INSERT INTO messages (seq, role, content, said_at) VALUES (1, 'user', 'The key is blue.', 5.0);
INSERT INTO vectors (message, vector) VALUES (1, '\\x003c0040');"""


@pytest.fixture
def blank(database: str) -> Iterator[Callable[[], str]]:
    """Make databases that are gone after the test."""
    made: list[str] = []

    def make() -> str:
        made.append(f"blank_{next(NUMBERS)}")
        with schema.connected(database) as connection:
            connection.execute(f"CREATE DATABASE {made[-1]}")
        return database.replace("/postgres?", f"/{made[-1]}?")

    yield make
    with schema.connected(database) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize("version", range(1, len(STEPS)))
def test_a_cell_of_every_earlier_format_is_upgraded_with_what_it_holds(
    blank: Callable[[], str], version: int, tmp_path: Path
) -> None:
    dsn = blank()
    schema.make(dsn, 1, STEPS[:version])
    with schema.connected(dsn) as connection:
        connection.execute(f"SET search_path = wangchuan; {OLD}")
    broken = (*STEPS[:version], "SELECT 1 / 0")
    with pytest.raises(schema.StorageError):
        schema.make(dsn, 1, broken)
    assert schema.make(dsn).version == len(STEPS)
    with PostgresBackend(dsn, tmp_path).open("old").write() as tx:
        assert [message.content for message in tx.messages.page(0, 9)] == ["The key is blue."]
        assert tx.vectors.after(0, 9) == ([1], bytes.fromhex("003c0040"))
        assert tx.vectors.nearest([1.0, 0.0], 9) in (None, [(1, 1.0)])


def test_pgvector_that_comes_later_is_used_after_an_upgrade(
    blank: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    dsn = blank()
    with monkeypatch.context() as without:
        without.setattr(schema, "_make_extension", lambda _: None)
        assert not schema.make(dsn, 1).compares
    with schema.connected(dsn) as connection:
        there = connection.execute(
            "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
        ).fetchone()
    assert schema.make(dsn).compares == schema.make(dsn).compares == bool(there)


def test_of_several_hosts_the_one_that_is_there_is_used(cell: str) -> None:
    several = cell.replace("?host=", "?target_session_attrs=read-write&host=/no/such/place,")
    with Host(several) as host, host.open("by_several") as memory:
        memory.remember("The spare key is under the blue pot.")
        assert memory.flush(PATIENCE)
        assert memory.search("spare key").result(PATIENCE)
        host_name = psycopg.conninfo.conninfo_to_dict(several)["host"]
    assert str(host_name).startswith("/no/such/place")


def test_an_eventual_reader_asks_another_pool_and_writes_by_the_first(
    cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PostgresBackend(cell, tmp_path, eventual=True).open("eventual")
    used: list[Pool] = []
    lend = Pool.connection

    def connection(self: Pool) -> object:
        used.append(self)
        return lend(self)

    monkeypatch.setattr(Pool, "connection", connection)

    def write(tx: Transaction) -> None:
        tx.meta.set("tea", "green")

    told: list[str] = []
    with store.read(long=True) as tx:
        tx.then(lambda: told.append("told"), write)
        tx.messages.last()
    with store.read() as tx:
        assert (tx.meta.get("tea"), told) == ("green", ["told"])
    assert used[0] is store._readers
    assert used[0] is not store._pool
    assert used[1:] == [store._pool, store._pool]


def test_a_pool_that_is_being_closed_is_lent_to_nobody(
    cell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dsn, lent, close = f"{cell}&application_name=closing", list[Pool](), ConnectionPool.close

    def closing(self: ConnectionPool, timeout: float = 5.0) -> None:
        if not lent:
            lent.append(pool_of(dsn))
        close(self, timeout)

    with monkeypatch.context() as patch:
        patch.setattr(ConnectionPool, "close", closing)
        pool = pool_of(dsn)
        first = pool._pool
        del pool
        gc.collect()
    assert [one._pool is first for one in lent] == [False]
    with lent[0].connection() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_an_error_of_ours_leaves_no_word_of_the_pool(
    cell: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = PostgresBackend(cell, tmp_path).open("quiet")
    caplog.set_level(logging.WARNING, "psycopg.pool")
    with pytest.raises(LookupError), store.write() as tx:  # noqa: PT012
        tx.meta.set("a", "b")
        raise LookupError
    assert caplog.text == ""
