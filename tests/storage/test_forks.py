"""Forks of a process that has memories open: the child and the parent both go on, and nothing of
either is lost. Children end by `os._exit`, so that pytest does not end twice."""

from __future__ import annotations

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from calls import CALLS, PATIENCE, Stage

from wangchuan import Closed, Host, Memory, StorageError
from wangchuan.storage.sqlite import forking
from wangchuan.storage.sqlite.store import SQLiteStore

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
SETTINGS = {"durability": "normal"}


def child(work: Callable[[], object]) -> int:
    """Fork a child that does something; return its id."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


def ended(pid: int) -> int:
    """Wait for a child, not forever; return how it ended."""
    for _ in range(PATIENCE * 100):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    raise AssertionError("the child hangs")


def remember(memory: Memory, whose: str, count: int) -> None:
    for i in range(count):
        assert memory.remember(f"{whose} said number {i}.").status == "accepted"


def open_and_remember(root: Path, whose: str, count: int = 20) -> None:
    with Memory.open("a", root=root, settings=SETTINGS) as memory:
        remember(memory, whose, count)
        assert memory.flush(PATIENCE)


def assert_all_there(root: Path, count: int) -> None:
    with Memory.open("a", root=root, settings=SETTINGS) as memory:
        assert memory.flush(PATIENCE)
        assert memory.stats().messages == count
        with memory._agent.store() as store:
            assert store.check() == []


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open("a", root=tmp_path, settings=SETTINGS) as memory:
        remember(memory, "parent", 2)
        yield memory


@pytest.mark.parametrize("round_", range(3))
def test_parent_and_child_write_at_the_same_time_and_nothing_is_lost(
    memory: Memory, tmp_path: Path, round_: int
) -> None:
    pid = child(lambda: open_and_remember(tmp_path, "child"))
    remember(memory, "parent", 20)
    assert ended(pid) == 0
    remember(memory, "parent", round_)
    memory.close()
    assert_all_there(tmp_path, 42 + round_)


def test_a_child_may_outlive_the_parent_s_memory(memory: Memory, tmp_path: Path) -> None:
    reading, writing = os.pipe()

    def work() -> None:
        os.read(reading, 1)
        open_and_remember(tmp_path, "child")

    pid = child(work)
    memory.close()
    os.write(writing, b"!")
    assert ended(pid) == 0
    assert_all_there(tmp_path, 22)


def test_a_child_works_that_was_forked_by_a_thread_amid_transactions(
    memory: Memory, tmp_path: Path
) -> None:
    ends, pids = threading.Event(), list[int]()

    def write() -> None:
        while not ends.is_set():
            memory.facts.add("The parent goes on and on.")
            memory.nodes()

    def fork() -> None:
        for number in range(3):
            pids.append(child(lambda n=number: open_and_remember(tmp_path, f"child {n}", 5)))
            assert ended(pids[-1]) == 0

    threads = [threading.Thread(target=work) for work in (write, write, fork)]
    for thread in threads:
        thread.start()
    threads[-1].join(3 * PATIENCE)
    ends.set()
    for thread in threads:
        thread.join(PATIENCE)
    memory.close()
    assert len(pids) == 3
    assert_all_there(tmp_path, 17)


def test_a_process_of_multiprocessing_opens_its_own(memory: Memory, tmp_path: Path) -> None:
    process = multiprocessing.get_context("fork").Process(
        target=open_and_remember, args=(tmp_path, "child")
    )
    process.start()
    remember(memory, "parent", 20)
    process.join(PATIENCE)
    assert process.exitcode == 0
    memory.close()
    assert_all_there(tmp_path, 42)


def test_whatever_a_child_does_with_an_inherited_memory_it_is_told_to_open_its_own(
    tmp_path: Path,
) -> None:
    quiet = {
        "Host.closed",
        "Host.is_open",
        "Host.let_go",
        "Host.release",
        "Host.has",
        "Look.settings",
    }
    quiet |= {"Memory.agent_id", "Memory.path", "Memory.on", "Host.agents"}
    quiet |= {"Memory.open", "Memory.connect", "Host.close"}  # these open one of their own
    settings = {**SETTINGS, "work_dir": tmp_path}
    host = Host(tmp_path / "data", settings=settings)
    stage = Stage(host.open("a"), host, tmp_path)
    stage.node()
    waiting = stage.memory.recall(["Anna"])

    def work() -> None:
        for name in sorted(CALLS.keys() - quiet):
            with pytest.raises((Closed, StorageError), match="before this process was forked"):
                CALLS[name](stage)
        with pytest.raises(Closed, match="forked"):
            waiting.result(1)
        with stage.memory, host:
            pass  # closing does nothing
        gc.collect()

    before = stage.memory.stats()
    assert ended(child(work)) == 0
    assert stage.memory.stats().messages == before.messages
    assert waiting.result(PATIENCE)
    host.close()


def test_a_child_lets_the_parent_s_lease_alone(memory: Memory, tmp_path: Path) -> None:
    lease = memory._agent.lane._lease
    assert memory.flush(PATIENCE)
    while not lease.take():  # the lane is just about to give it back
        time.sleep(0.01)

    def work() -> None:
        gc.collect()
        with Memory.open("a", root=tmp_path, settings=SETTINGS) as own:
            remember(own, "child", 1)
            assert not own.flush(0.2)  # the parent works

    assert ended(child(work)) == 0
    lease.give()
    assert memory.flush(PATIENCE)


def test_a_child_forked_within_a_transaction_is_refused_and_the_parent_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forking, "PATIENCE_SECONDS", 0.2)
    store = SQLiteStore(tmp_path / "memory.db")

    def work() -> None:
        with pytest.raises(StorageError, match="forked in the midst"):
            SQLiteStore(tmp_path / "memory.db")

    with store.write() as tx:
        tx.meta.set("said", "before")
        assert ended(child(work)) == 0
        tx.meta.set("heard", "after")
    with store.snapshot():
        assert ended(child(work)) == 0
    with store.read() as tx:
        assert (tx.meta.get("said"), tx.meta.get("heard")) == ("before", "after")
    store.close()
    assert ended(child(lambda: SQLiteStore(tmp_path / "memory.db").close())) == 0


AT_EXIT = """
import os, sys
from wangchuan import Memory
memory = Memory.open("a", root=sys.argv[1])
memory.remember("parent said this.")
if os.fork() == 0:
    Memory.open("a", root=sys.argv[1]).remember("child said this.")
    sys.exit(0)  # handlers at exit run, and nothing was closed by hand
assert os.wait()[1] == 0
memory.remember("parent said that.")
"""


def test_a_child_ends_like_any_process(tmp_path: Path) -> None:
    program = [sys.executable, "-W", "ignore", "-c", AT_EXIT, str(tmp_path)]
    subprocess.run(program, check=True, timeout=PATIENCE)
    assert_all_there(tmp_path, 3)
