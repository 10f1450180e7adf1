"""What a cell that cannot be used is told of by: the reason, at once, and what to do about it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg_pool import PoolTimeout
from stage import PATIENCE
from storage.postgres import NONE, binaries

from wangchuan.errors import StorageError, Unreachable
from wangchuan.jobs.scheduler import Scheduler
from wangchuan.storage import patience
from wangchuan.storage.postgres import pool as pools
from wangchuan.storage.postgres import schema
from wangchuan.storage.postgres.backend import PostgresBackend
from wangchuan.storage.postgres.pool import Pool

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)


@pytest.fixture
def stranger(cell: str) -> Iterator[str]:
    """Return the DSN of a cell for somebody who was given nothing there."""
    with schema.connected(cell) as connection:
        connection.execute("CREATE ROLE stranger LOGIN")
    yield cell.replace("//wangchuan@", "//stranger@")
    with schema.connected(cell) as connection:
        connection.execute("DROP ROLE stranger")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [("//wangchuan@/nowhere?", "nowhere.*does not exist"), ("//nobody@/postgres?", "nobody.*not")],
)
def test_who_is_refused_is_told_at_once(
    wrong: str, told: str, cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "PATIENCE", 0.0)
    backend = PostgresBackend(cell.replace("//wangchuan@/postgres?", wrong), tmp_path)
    with pytest.raises(StorageError, match=f"{told}.*check its user, password") as caught:
        backend.agents()
    assert not isinstance(caught.value, Unreachable)  # for which a remember would wait


def test_who_may_not_use_a_cell_is_told_what_to_grant(stranger: str, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="GRANT wangchuan_serving TO stranger"):
        PostgresBackend(stranger, tmp_path).agents()
    with pytest.raises(StorageError, match=r"(?s)permission denied.*may make roles"):
        schema.make(stranger)


def test_who_waits_in_vain_for_a_connection_is_told_why(
    cell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("CONNECT_SECONDS", 0.0), ("TRY_SECONDS", 0.1), ("MOST_CONNECTIONS", 1)):
        monkeypatch.setattr(pools, name, value)
    nowhere = Pool("postgresql://wangchuan@/postgres?host=/no/such/place")
    with pytest.raises(PoolTimeout, match="No such file or directory"), nowhere.connection():
        pass
    monkeypatch.setattr(pools, "TRY_SECONDS", PATIENCE)
    busy = Pool(cell)
    with busy.connection():
        busy._pool.timeout = 0.1
        with pytest.raises(PoolTimeout, match="all 1 connections"), busy.connection():
            pass


def test_a_cell_is_reached_whatever_became_of_the_connections_at_hand(
    cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "MOST_CONNECTIONS", 1)
    monkeypatch.setattr(pools, "AT_HAND", 0.05)
    named = f"{cell}&application_name=reached"
    backend = PostgresBackend(named, tmp_path)
    backend.reach()
    with backend.pool().connection():  # all are in use
        backend.reach()
    with schema.connected(cell) as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE application_name = 'reached'"
        ).fetchall()
    assert ended == [(True,)]
    backend.reach()


def test_who_cannot_be_reached_is_asked_once(
    cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = PostgresBackend("postgresql://wangchuan@/postgres?host=/no/such/place", tmp_path)
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it waited to ask again"))
    with pytest.raises(Unreachable, match="No such file or directory"):
        away.reach()
    away._checked.append(schema.Cell(1, 1))  # it was there before
    with pytest.raises(Unreachable, match="No such file or directory"):
        away.reach()


def ended() -> None:
    try:
        raise psycopg.errors.AdminShutdown("terminating connection")
    except psycopg.Error:  # what leaving the pipeline adds says nothing to anybody
        raise psycopg.OperationalError("cannot exit pipeline mode while busy")  # noqa: B904


def test_a_server_that_ends_a_connection_is_quoted(cell: str, tmp_path: Path) -> None:
    store = PostgresBackend(cell, tmp_path).open("quoted")
    with pytest.raises(Unreachable, match="terminating"), store.read():
        ended()


def test_a_lane_whose_server_is_away_takes_one_line_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scheduler = Scheduler(workers=1)

    class Lost:
        agent, queued, running, again = "a", False, False, False

        def turn(self) -> float:
            scheduler._ready.put(None)  # it was the last one
            raise Unreachable("the server is away")

    lane: Any = Lost()
    scheduler.wake(lane)
    scheduler._threads[0].join(PATIENCE)
    scheduler.close()
    assert caplog.record_tuples == [
        ("wangchuan", logging.WARNING, "agent a: the server is away; it will be tried again")
    ]
    assert caplog.records[0].exc_info is None


def test_a_program_that_ends_without_closing_says_nothing_and_loses_nothing(
    cell: str, tmp_path: Path
) -> None:
    program = """
from wangchuan import Memory
memory = Memory.open("unclosed")
memory.remember("The spare key is under the blue pot.")
"""
    environment = {**os.environ, "WANGCHUAN_STORE": cell, "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=tmp_path, capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    with PostgresBackend(cell, tmp_path).open("unclosed").read() as tx:
        assert tx.messages.between(1, 9)[0].content == "The spare key is under the blue pot."
