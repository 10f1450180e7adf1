"""What becomes of a write whose connection is lost: it is known, and it is done once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from stage import PATIENCE
from storage.contract.given import say
from storage.postgres import NONE, binaries

from wangchuan import Memory
from wangchuan.errors import StorageError, Unreachable
from wangchuan.storage.postgres import store as stores
from wangchuan.storage.postgres.backend import PostgresBackend
from wangchuan.storage.postgres.schema import connected

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)


def lost(connection: Any) -> None:
    connection.close()
    raise psycopg.OperationalError("the connection is lost")


def lost_before(connection: Any, pipeline: Any) -> None:
    """Lose the connection just before the server hears of the commit."""
    lost(connection)


def lost_after(connection: Any, pipeline: Any) -> None:
    """Lose the connection when the server has committed and nobody knows."""
    connection.execute("COMMIT")
    pipeline.sync()
    lost(connection)


Losing = Callable[..., None]


def losing(monkeypatch: pytest.MonkeyPatch, how: Losing, times: int) -> list[Losing]:
    """Let so many commits go wrong; return those that are still to come."""
    left, commit = [how] * times, stores.commit
    once = lambda *given: left.pop()(*given) if left else commit(*given)  # noqa: E731
    monkeypatch.setattr(stores, "commit", once)
    return left


@pytest.mark.parametrize("how", [lost_before, lost_after])
def test_a_remember_whose_commit_is_lost_is_there_once(
    how: Losing, cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = how.__name__
    with Memory.open(agent, root=tmp_path, store=cell) as memory:
        left = losing(monkeypatch, how, 2)
        for text in ("one", "two", "three"):
            assert memory.remember(text).status == "accepted"
        assert left == []
        assert memory.flush(PATIENCE)
    with PostgresBackend(cell, tmp_path).open(agent).read() as tx:
        assert [m.content for m in tx.messages.between(1, 9)] == ["one", "two", "three"]


def test_a_write_that_was_not_stored_says_so(
    cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PostgresBackend(cell, tmp_path).open("not_stored")
    losing(monkeypatch, lost_before, 1)
    with pytest.raises(Unreachable, match="nothing of this call was stored"), store.write() as tx:
        say(tx, "lost")
    with store.read() as tx:
        assert tx.messages.last() is None


def test_where_too_much_was_written_since_nothing_is_promised(
    cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PostgresBackend(cell, tmp_path).open("much_written")

    def lost_long_ago(connection: Any, pipeline: Any) -> None:
        connection.execute("ROLLBACK")
        pipeline.sync()
        for _ in range(stores.MARKS + 1):
            with store.write() as tx:
                tx.advance()
        lost(connection)

    losing(monkeypatch, lost_long_ago, 1)
    with pytest.raises(StorageError, match="look before you repeat it"), store.write() as tx:
        say(tx, "lost")


def test_a_connection_ended_by_the_server_costs_a_remember_nothing(
    cell: str, tmp_path: Path
) -> None:
    others = """SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"""
    with Memory.open("ended", root=tmp_path, store=cell) as memory:
        for n in range(4):
            with connected(cell) as connection:
                connection.execute(others)
            assert memory.remember(f"number {n}").status == "accepted"
        assert memory.flush(PATIENCE)
    with PostgresBackend(cell, tmp_path).open("ended").read() as tx:
        assert [m.content for m in tx.messages.between(1, 9)] == [f"number {n}" for n in range(4)]
