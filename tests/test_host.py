"""Many agents in one process: isolation, fair turns, a bounded number of open files."""

from __future__ import annotations

import os
import threading
import time
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from soak.figures import figures, size
from stage import PATIENCE, LineModel, run_passes, snapshot, text_of

from wangchuan import Closed, Host, Memory, StorageError
from wangchuan.jobs.failures import retry_delay
from wangchuan.jobs.work import Plan
from wangchuan.living.schedule import SWEEP
from wangchuan.storage import JobRecord, Store

AGENTS = size("AGENTS", 100)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_agents_are_listed_whether_open_or_not(tmp_path: Path) -> None:
    with Host(tmp_path, model=LineModel()) as host:
        assert host.agents() == []
        host.open("b")
        host.open("a").close()
        assert host.agents() == ["a", "b"]
    (tmp_path / "no agent").mkdir()
    with Host(tmp_path) as host:
        assert host.agents() == ["a", "b"]


def test_driving_one_agent_to_full_forgetting_leaves_another_byte_for_byte(
    tmp_path: Path,
) -> None:
    with Host(tmp_path, model=LineModel(), settings={"strategy": "every"}) as host:
        a, b = host.open("a"), host.open("b")
        for memory in (a, b):
            for i in range(10):
                memory.remember(text_of(i)).result(PATIENCE)
            assert memory.flush(PATIENCE)
        b_before = snapshot(b)
        with a._agent.store() as store, store.write() as tx:
            a._agent.living.schedule.refocus(tx, [])
        run_passes(a, 200)
        assert a.nodes() == []
        assert snapshot(b) == b_before


def test_the_same_agent_may_be_opened_twice(tmp_path: Path) -> None:
    with Host(tmp_path, model=LineModel()) as host:
        first, second = host.open("a"), host.open("a")
        first.remember("said to the first").result(PATIENCE)
        assert [n.content for n in second.nodes()] == ["said to the first"]
        first.close()
        second.remember("said to the second").result(PATIENCE)
        assert len(second.nodes()) == 2
        with pytest.raises(Closed):
            first.nodes()


def test_a_closed_host_opens_nothing(tmp_path: Path) -> None:
    host = Host(tmp_path)
    memory = host.open("a")
    host.close()
    host.close()
    with pytest.raises(Closed):
        host.open("a")
    with pytest.raises(Closed):
        memory.remember("x").result(1)


def test_an_agent_is_erased_though_a_thread_was_just_using_its_store(tmp_path: Path) -> None:
    with Host(tmp_path, model=LineModel()) as host:
        memory = host.open("a")
        memory.remember("I am here").result(PATIENCE)
        borrowed, ending = threading.Event(), threading.Event()

        def use() -> None:
            with memory._agent.store():
                borrowed.set()
                ending.wait(PATIENCE)

        thread = threading.Thread(target=use)
        thread.start()
        borrowed.wait(PATIENCE)
        memory.close()
        threading.Timer(0.2, ending.set).start()
        host.erase("a")
        thread.join(PATIENCE)
        assert host.agents() == []


@pytest.mark.slow
def test_many_agents_need_few_open_files(tmp_path: Path) -> None:
    settings = {"max_open_agents": 8, "durability": "normal"}
    with (
        figures("agents on one host") as told,
        Host(tmp_path, model=LineModel(), settings=settings) as host,
    ):
        before = open_files()
        memories = [host.open(f"agent{i}") for i in range(AGENTS)]
        receipts = [memory.remember(f"I am number {i}") for i, memory in enumerate(memories)]
        most = 0
        for receipt in receipts:
            receipt.result(PATIENCE)
            most = max(most, open_files())
        assert most - before <= 8 * 10
        told["how many"] = AGENTS
        told["lost"] = sum(memory.stats().nodes != 1 for memory in memories)
        assert told["lost"] == 0
        for i in (0, 17, AGENTS - 1):
            assert memories[i].recall(["number"]).result(PATIENCE) == f"[记忆] I am number {i}"


class Counting(LineModel):
    """Notes in which order agents were served; every digest takes a moment of fake work."""

    inline = False

    def __init__(self) -> None:
        super().__init__()
        self.order: list[str] = []
        self.gate = threading.Event()

    def complete(self, ask: Any) -> dict[str, Any]:
        if ask.routine == "digest":
            assert self.gate.wait(PATIENCE)
            self.order.append(ask.data["messages"][0]["content"].split()[0])
        return super().complete(ask)


def test_a_busy_agent_does_not_hold_up_another(tmp_path: Path) -> None:
    model = Counting()
    settings = {"workers": 1, "max_queue_size": 20_000, "durability": "normal"}
    with Host(tmp_path, model=model, settings={**settings, "time_slice_ms": 0}) as host:
        busy, quiet = host.open("busy"), host.open("quiet")
        with busy._agent.store() as store, store.write() as tx:
            from wangchuan.messages import checked

            for i in range(10_000):
                tx.accept(checked(f"busy {i}"), 0.0, 20_000)
        busy.remember("busy again")
        model.gate.set()
        quiet.remember("quiet please").result(PATIENCE)
        assert "quiet" in model.order
        assert model.order.index("quiet") < 50
        assert busy.stats().pending > 9_000


class Slices:
    """Two agents with one worker: what each of them does, step by step."""

    def __init__(self, root: Path, time_slice_ms: int, steps: int = 40) -> None:
        settings = {"workers": 1, "durability": "normal", "time_slice_ms": time_slice_ms}
        self.host = Host(root, model=LineModel(), settings={**settings, "learn": False})
        self.done: list[str] = []
        self.steps, self.begun = steps, threading.Event()
        self.memories = {name: self.host.open(name) for name in ("a", "b")}
        for name, memory in self.memories.items():
            assert memory.flush(PATIENCE)
            memory._agent.lane._steps[SWEEP] = partial(self._step, name)
            memory.on("stored", lambda _, name=name: self.done.append(name.upper()))

    def _step(self, name: str, store: Store, job: JobRecord) -> Plan:
        def act(store: Store, _: object) -> None:
            time.sleep(0.002)
            self.done.append(name)
            self.begun.set()
            if self.done.count(name) == self.steps:
                with store.write() as tx:
                    tx.jobs.drop(job.seq)

        return Plan(None, lambda _: None, act)

    def compress(self, name: str) -> None:
        memory = self.memories[name]
        with memory._agent.store() as store, store.write() as tx:
            tx.jobs.add(SWEEP, 0.0)
        memory._agent.lane.wake()
        assert self.begun.wait(PATIENCE)

    def runs(self) -> list[tuple[str, int]]:
        for memory in self.memories.values():
            assert memory.flush(PATIENCE)
        self.host.close()
        return [(name, len(list(group))) for name, group in groupby(self.done)]


@pytest.mark.parametrize("time_slice_ms", [30_000, 60, 0])
def test_agents_compress_by_turns_as_long_as_a_time_slice(
    time_slice_ms: int, tmp_path: Path
) -> None:
    slices = Slices(tmp_path, time_slice_ms)
    slices.compress("a")
    slices.compress("b")
    runs = slices.runs()
    assert sum(count for _, count in runs) == 80
    longest = max(count for _, count in runs)
    if time_slice_ms == 30_000:
        assert longest == 40
        assert len(runs) <= 3  # it makes way once for one of which it is not known what it wants
    else:
        assert longest < 40
        assert len(runs) > 3


def test_nobody_waits_for_a_time_slice_to_be_remembered(tmp_path: Path) -> None:
    slices = Slices(tmp_path, 30_000, steps=400)
    slices.compress("a")
    slices.memories["b"].remember("The gate is green.").result(PATIENCE)
    assert slices.done.count("a") < 400
    slices.runs()


def test_one_agents_broken_callback_does_not_stop_anything(tmp_path: Path) -> None:
    with Host(tmp_path, model=LineModel()) as host:
        memory = host.open("a")
        heard: list[object] = []
        memory.on("stored", lambda event: 1 / 0)
        stop = memory.on("*", lambda event: heard.append(event.name))
        memory.remember("one").result(PATIENCE)
        memory.forget("mem_1")
        memory.restore("mem_1")
        memory.flush(PATIENCE)
        stop()
        memory.remember("two").result(PATIENCE)
        assert heard == ["accepted", "stored", "forgotten", "restored"]
        with pytest.raises(ValueError, match="no event is called"):
            memory.on("stroed", print)


def test_retries_wait_one_two_four_up_to_thirty_seconds() -> None:
    delays = [retry_delay(attempt) for attempt in range(1, 16)]
    assert delays == [1, 2, 4, 8, 16, *[30] * 10]
    assert sum(delays) == 331


@pytest.mark.parametrize("obstacle", ["another program", "the disk"])
def test_an_agent_that_could_not_be_erased_goes_on(
    tmp_path: Path, obstacle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import apsw

    monkeypatch.setattr("wangchuan.storage.sqlite.scrubbing.ALONE_MS", 50)
    with Host(tmp_path) as host, host.open("a") as memory:
        heard: list[object] = []
        memory.on("stored", heard.append)
        memory.remember("Before.").result(PATIENCE)
        assert memory.flush(PATIENCE)
        other = apsw.Connection(str(memory.path / "memory.db"))
        if obstacle == "another program":
            other.execute("SELECT count(*) FROM messages").fetchall()
        else:
            other.close()
            monkeypatch.setattr(Path, "rename", _refused)
        with pytest.raises(StorageError, match=r"has .* open|cannot destroy"):
            host.erase("a")
        other.close()
        monkeypatch.undo()
        heard.clear()
        memory.remember("After.").result(PATIENCE)
        assert memory.flush(PATIENCE)
        assert heard  # who listened still does
        assert memory.stats().messages == 2
        assert host.agents() == ["a"]
        with memory._agent.store() as store:
            assert store._connections.writing.connection.pragma("journal_mode") == "wal"  # type: ignore[attr-defined]
        assert host.erase("a").removed["files"]
        with pytest.raises(Closed, match="was erased"):
            memory.stats()


def _refused(*_: object) -> None:
    raise OSError(5, "Input/output error")


def test_one_who_died_while_alone_leaves_no_other_journal(tmp_path: Path) -> None:
    import apsw

    Memory.open("a", root=tmp_path).close()
    connection = apsw.Connection(str(tmp_path / "a" / "memory.db"))
    connection.pragma("journal_mode", "delete")
    connection.close()
    with Memory.open("a", root=tmp_path) as memory, memory._agent.store() as store:
        assert store._connections.writing.connection.pragma("journal_mode") == "wal"  # type: ignore[attr-defined]
