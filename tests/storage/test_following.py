"""A remember in a cell goes on from the last write of its store, unless another came between."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from stage import PATIENCE
from storage.contract.given import say
from storage.postgres import NONE, binaries
from storage.trips import counted

from wangchuan import Host, Memory
from wangchuan.storage import Store
from wangchuan.storage.patience import patiently
from wangchuan.storage.postgres import store as stores
from wangchuan.storage.postgres.backend import PostgresBackend
from wangchuan.storage.store import Outrun
from wangchuan.types import Message

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)
WAITING = {"learn": False, "model_url": "http://127.0.0.1:9/v1", "model_name": "none"}


@pytest.fixture
def two(cell: str, tmp_path: Path) -> Iterator[tuple[Any, Any]]:
    """Two stores of one agent, as two processes have them; the first has written three times."""
    cells = PostgresBackend(cell, tmp_path), PostgresBackend(cell, tmp_path)
    ours, theirs = (one.open(tmp_path.name[-60:]) for one in cells)
    for n in range(3):
        accept(ours, f"ours {n}")
    yield ours, theirs
    ours.close(), theirs.close()


def accept(store: Store, text: str, limit: int = 100) -> int | None:
    def stored() -> int | None:
        with store.write(again=True) as tx:
            return tx.accept([Message("user", text)], 1.0, limit, [text.split()])

    return patiently(stored)


def said(store: Store) -> list[str]:
    with store.read() as tx:
        return [message.content for message in tx.messages.between(1, 999)]


def test_one_that_goes_on_is_sent_whole(
    cell: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    took = list[int]()
    with (
        counted(cell, tmp_path_factory.mktemp("t")) as (dsn, trips),
        Host(dsn, settings={"learn": False}) as host,
        host.open("sent_whole") as memory,
    ):
        for n in range(12):
            assert memory.flush(PATIENCE)
            time.sleep(0.05)  # its lane has looked for the last time
            before = trips.count
            memory.remember(f"number {n}")
            took.append(trips.count - before)
    assert min(took) == 1


def test_one_that_was_outrun_stores_nothing_and_is_made_again(two: tuple[Any, Any]) -> None:
    ours, theirs = two
    with theirs.write() as tx:
        say(tx, "theirs")
    with pytest.raises(Outrun), ours.write(again=True) as tx:
        say(tx, "ours, too early")
    assert accept(ours, "ours at last") is not None
    assert said(ours) == ["ours 0", "ours 1", "ours 2", "theirs", "ours at last"]
    with ours.read() as tx:
        assert [m.place for m in tx.messages.between(1, 9)] == [0, 1, 2, 3, 4]
        assert tx.index.postings("last", 9) == tx.index.postings("last", 9, "at") != []


def test_one_that_cannot_be_made_again_is_never_outrun(two: tuple[Any, Any]) -> None:
    ours, theirs = two
    with theirs.write() as tx:
        say(tx, "theirs")
    with ours.write() as tx:
        say(tx, "ours")
    assert said(ours)[3:] == ["theirs", "ours"]


def test_whoever_was_outrun_waits_for_its_turn_for_a_while(two: tuple[Any, Any]) -> None:
    ours, theirs = two
    with theirs.write() as tx:
        say(tx, "theirs")
    accept(ours, "outrun")
    waited = 0
    while ours._following <= 0:
        waited += 1
        accept(ours, f"waited for {waited}")
    assert waited > stores.MISSED
    assert ours._turn(again=True).sure


def test_where_nobody_else_writes_others_of_the_same_store_are_gone_on_from(
    two: tuple[Any, Any],
) -> None:
    ours, _ = two
    with ours.read() as tx:
        tx.then(lambda: None, lambda written: written.signals.accessed([1], 2.0))
    with ours.write() as tx:
        tx.jobs.drop(tx.jobs.add("observe", 1.0))
    assert ours._known is not None
    assert accept(ours, "ours 3") == 4
    assert said(ours) == [f"ours {n}" for n in range(4)]


def test_a_part_that_was_undone_is_not_gone_on_from(two: tuple[Any, Any]) -> None:
    ours, _ = two
    with ours.write() as tx:
        with suppress(ZeroDivisionError), tx.part():
            tx.accept([Message("user", "undone")], 1.0, 100)
            raise ZeroDivisionError
        tx.meta.set("note", "kept")
    assert accept(ours, "ours 3") == 4
    assert said(ours) == [f"ours {n}" for n in range(4)]


def test_a_full_queue_is_full_whoever_filled_it(two: tuple[Any, Any]) -> None:
    ours, theirs = two
    assert accept(ours, "the fourth", 5) is not None
    assert accept(theirs, "the fifth", 5) is not None
    assert accept(ours, "one too many", 5) is None
    with theirs.write() as tx:
        tx.jobs.finish(1, 2.0)
    assert accept(ours, "the sixth", 5) is not None
    assert accept(ours, "one too many", 5) is None
    assert len(said(ours)) == 6


def test_a_message_that_was_erased_is_not_gone_on_from(two: tuple[Any, Any]) -> None:
    ours, _ = two
    with ours.write() as tx:
        last = tx.messages.last()
        assert last is not None
        tx.erase_message(last)
        assert tx.messages.last() != last
    assert ours._known is None


def test_many_threads_in_two_processes_lose_and_double_nothing(two: tuple[Any, Any]) -> None:
    texts = [f"text {n}" for n in range(120)]
    with ThreadPoolExecutor(6) as threads:
        jobs = list(threads.map(lambda n: accept(two[int(n % 5 == 0)], texts[n], 999), range(120)))
    assert sorted(said(two[0])[3:]) == sorted(texts)
    assert sorted(jobs) == list(range(4, 124))  # type: ignore[type-var]


@pytest.mark.parametrize("stored", [False, True])
def test_one_that_goes_on_and_loses_its_connection_is_there_once(
    two: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch, stored: bool
) -> None:
    ours, _ = two
    commit, left = stores.commit, [stored]

    def lose(connection: Any, pipeline: Any) -> Any:
        if not left:
            return commit(connection, pipeline)
        if left.pop():
            connection.execute("COMMIT")
            pipeline.sync()
        connection.close()
        raise psycopg.OperationalError("the connection is lost")

    monkeypatch.setattr(stores, "commit", lose)
    assert ours._known is not None
    assert accept(ours, "ours 3") == 4
    assert accept(ours, "ours 4") == 5
    assert said(ours) == [f"ours {n}" for n in range(5)]


def test_memories_in_two_hosts_remember_in_turn(cell: str, tmp_path: Path) -> None:
    with (
        Host(cell, settings=WAITING) as one,
        Host(cell, settings=WAITING) as other,
        one.open("in_turn") as ours,
        other.open("in_turn") as theirs,
    ):
        for n in range(30):
            whose: Memory = theirs if n % 7 == 6 else ours
            assert whose.remember(f"number {n}").status == "accepted"
    store = PostgresBackend(cell, tmp_path).open("in_turn")
    assert said(store) == [f"number {n}" for n in range(30)]
