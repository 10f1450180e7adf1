"""Several jobs in one transaction: in order, each whole or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel

from wangchuan import Memory
from wangchuan.errors import StorageError
from wangchuan.jobs import lanes
from wangchuan.jobs.burst import Writers
from wangchuan.storage.sqlite.store import SQLiteStore


class Picky(LineModel):
    """Fails on one text as our own code would, so often; the answer is there at once."""

    inline = True

    def __init__(self, text: str, failures: int = 10**9) -> None:
        super().__init__()
        self.text, self.failures = text, failures

    def complete(self, ask: Any) -> dict[str, Any]:
        if self.failures > 0 and ask.routine == "digest" and self.text in str(ask.data["messages"]):
            self.failures -= 1
            raise ZeroDivisionError(self.text)
        return super().complete(ask)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a group take its time, so that it holds all that waits on a slow machine, too."""
    monkeypatch.setattr(lanes, "GROUP_SECONDS", PATIENCE)


@contextmanager
def writes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Count the transactions that write, by the jobs that each finished."""
    finished: list[int] = []
    write = SQLiteStore.write

    @contextmanager
    def counted(self: SQLiteStore, **how: bool) -> Iterator[Any]:
        with write(self, **how) as tx:
            before = len(tx.jobs.in_state("done"))
            yield tx
            finished.append(len(tx.jobs.in_state("done")) - before)

    monkeypatch.setattr(SQLiteStore, "write", counted)
    yield finished


def texts(memory: Memory) -> list[str]:
    return [node.content for node in memory.nodes()]


def held_back(memory: Memory, say: Callable[[], None]) -> None:
    """Let all that is said wait, then let the lane work."""
    with memory._agent.lane._turning:
        say()
    assert memory.flush(PATIENCE)


@pytest.mark.in_a_folder("it counts the transactions of a file")
@pytest.mark.usefixtures("patient")
def test_what_waits_is_done_in_order_in_one_transaction(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(model=Picky("nothing"), learn=False)
    with writes(monkeypatch) as finished:
        held_back(memory, lambda: [memory.remember(f"line {n}") for n in range(12)])
    assert texts(memory) == [f"line {n}" for n in range(12)]
    assert max(finished) == 12
    assert memory.stats().passes == 12


@pytest.mark.usefixtures("patient")
def test_an_error_in_one_job_takes_no_other_with_it(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(model=Picky("line 3"), learn=False, max_retries=0)
    stored: list[Any] = []
    memory.on("stored", stored.append)
    receipts: list[Any] = []
    held_back(memory, lambda: receipts.extend(memory.remember(f"line {n}") for n in range(6)))
    assert texts(memory) == [f"line {n}" for n in (0, 1, 2, 4, 5)]
    assert memory.stats().failed == 1
    assert [receipt.result(PATIENCE) for n, receipt in enumerate(receipts) if n != 3]
    assert [event.detail["job"] for event in stored] == [f"job_{n}" for n in (1, 2, 3, 5, 6)]


@pytest.mark.usefixtures("patient")
def test_a_job_that_failed_once_is_done_in_its_place(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(model=Picky("line 1", failures=1), learn=False)
    with memory._agent.lane._turning:
        receipts = [memory.remember(f"line {n}") for n in range(3)]
    for _ in range(2000):
        if receipts[2].done():
            break
        clock.now += 31
        memory._agent.lane.wake()
        memory.flush(0.01)
    assert texts(memory) == ["line 0", "line 1", "line 2"]


@pytest.mark.usefixtures("patient")
def test_a_group_that_cannot_be_stored_is_done_one_by_one(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(model=Picky("nothing"), learn=False)
    write = SQLiteStore.write

    @contextmanager
    def once_too_many(self: SQLiteStore, **how: bool) -> Iterator[Any]:
        with write(self, **how) as tx:
            before = len(tx.jobs.in_state("done"))
            yield tx
            if len(tx.jobs.in_state("done")) - before > 1:
                raise StorageError("disk full")

    monkeypatch.setattr(SQLiteStore, "write", once_too_many)
    held_back(memory, lambda: [memory.remember(f"line {n}") for n in range(5)])
    assert texts(memory) == [f"line {n}" for n in range(5)]
    assert memory.stats().failed == 0


@pytest.mark.in_a_folder("it counts the transactions of a file")
@pytest.mark.usefixtures("patient")
def test_who_wants_to_write_waits_for_one_job_only(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(model=Picky("nothing"), learn=False)
    memory.on("stored", lambda _: None)
    following = lanes.Lane._following

    def with_a_writer(self: lanes.Lane, *given: Any) -> Any:
        with self.making_way():
            return following(self, *given)

    monkeypatch.setattr(lanes.Lane, "_following", with_a_writer)
    with writes(monkeypatch) as finished:
        held_back(memory, lambda: [memory.remember(f"line {n}") for n in range(4)])
    assert max(finished) == 1
    assert len(texts(memory)) == 4


def test_a_lane_lets_those_who_write_go_first_but_not_for_ever() -> None:
    writers = Writers()
    writers.go_first()  # nobody: at once
    order = list[str]()
    inside, leave = threading.Event(), threading.Event()

    def write() -> None:
        with writers.one():
            inside.set()
            leave.wait(PATIENCE)
            order.append("written")

    thread = threading.Thread(target=write)
    thread.start()
    assert inside.wait(PATIENCE)
    with writers.one():  # one of two that ends does not end the other
        pass
    assert writers.some
    writers.go_first()
    order.append("worked")  # a lull was waited for, and no longer
    leave.set()
    thread.join(PATIENCE)
    writers.go_first()
    assert (order, writers.some) == (["worked", "written"], False)
