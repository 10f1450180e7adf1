"""Threads for calls that may hang, and what memories of one process have in common."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from calls import PATIENCE
from stage import FakeClock, LineModel

from wangchuan import Closed, Host, Memory
from wangchuan.jobs.pool import MOST_STUCK, Pool


def test_calls_that_hang_do_not_take_the_threads_from_others() -> None:
    pool, hangs = Pool(2, "test", longest=0.0), threading.Event()
    stuck = [pool.submit(hangs.wait, PATIENCE) for _ in range(5)]
    assert pool.submit(lambda: 7).result(PATIENCE) == 7
    hangs.set()
    assert all(future.result(PATIENCE) for future in stuck)
    pool.shutdown()
    with pytest.raises(RuntimeError):
        pool.submit(print)


def test_threads_that_hang_are_replaced_a_bounded_number_of_times() -> None:
    pool, hangs, before = Pool(1, "test", longest=0.0), threading.Event(), threading.active_count()
    for _ in range(MOST_STUCK * 2):
        pool.submit(hangs.wait, PATIENCE)
    assert threading.active_count() - before <= MOST_STUCK + 1
    hangs.set()
    pool.shutdown()


class HangingModel(LineModel):
    """A model that never answers about `hang`."""

    inline = False

    def complete(self, ask: Any) -> Any:
        if "hang" in str(ask.data):
            time.sleep(10**6)
        return super().complete(ask)


def test_hung_calls_of_some_agents_do_not_take_the_model_from_another(tmp_path: Path) -> None:
    settings = {"worker_timeout_ms": 100, "model_concurrency": 2, "learn": False}
    with Host(tmp_path, settings=settings, model=HangingModel()) as host:
        for agent in ("a", "b", "c"):
            host.open(agent).remember("Please hang now.")
        good = host.open("good").remember("An answer, please.")
        assert good.result(PATIENCE)


HUNG = """
import sys, threading
from wangchuan import Memory
asked = threading.Event()
class Hung:
    name = "hung"
    def complete(self, ask):
        asked.set()
        threading.Event().wait()
memory = Memory.open("a", root=sys.argv[1], model=Hung(), settings={"close_patience": 0.1})
memory.remember("Nobody answers.")
asked.wait()
"""


def test_a_model_that_hangs_keeps_no_process_from_ending(tmp_path: Path) -> None:
    program = [sys.executable, "-c", HUNG, str(tmp_path)]
    subprocess.run(program, check=True, timeout=PATIENCE)


MOMENTARY = 3  # a lane may just be looking for work: one more lock or connection, but not 200


def handles() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_an_agent_opened_many_times_costs_no_more_than_once(tmp_path: Path) -> None:
    first = Memory.open("a", root=tmp_path)
    first.stats()
    threads, files = threading.active_count(), handles()
    others = [Memory.open("a", root=tmp_path) for _ in range(200)]
    others[-1].stats()
    assert threading.active_count() <= threads + MOMENTARY
    assert handles() <= files + MOMENTARY
    first.remember("Said once.").result(PATIENCE)
    first.close()
    with pytest.raises(Closed):
        first.stats()
    assert [node.content for node in others[0].nodes()] == ["Said once."]
    for memory in others:
        memory.close()
    assert others[0]._host.closed


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_memories_that_are_forgotten_about_leave_neither_threads_nor_files(tmp_path: Path) -> None:
    gc.collect()
    threads, files = threading.active_count(), handles()
    for n in range(20):
        Memory.open(f"a{n % 3}", root=tmp_path, clock=FakeClock() if n % 2 else None).stats()
    gc.collect()
    for _ in range(PATIENCE * 100):
        if threading.active_count() <= threads and handles() <= files:
            break
        time.sleep(0.01)
    assert threading.active_count() <= threads
    assert handles() <= files


def test_a_receipt_keeps_its_memory_open(tmp_path: Path) -> None:
    receipt = Memory.open("a", root=tmp_path).remember("Nobody keeps the memory.")
    gc.collect()
    assert receipt.result(PATIENCE)


def test_memories_opened_differently_have_hosts_of_their_own(tmp_path: Path) -> None:
    def opened(agent: str = "a", **given: Any) -> Memory:
        return Memory.open(agent, root=given.pop("root", tmp_path), **given)

    memories = [
        opened(),
        opened("b"),
        opened(root=tmp_path / "other"),
        opened(settings={"workers": 1}),
        opened(model=LineModel()),
        opened(clock=FakeClock()),
        opened(work_dir=tmp_path),
    ]
    assert len({memory._host for memory in memories}) == len(memories)
    assert opened()._host is memories[0]._host
    for memory in memories:
        memory.close()
