"""Interrupts (Ctrl-C) at any moment of any call: afterwards everything works as before.

`SOAK_INTERRUPTS` says how many there are; `./run soak` makes many.
"""

from __future__ import annotations

import itertools
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType

import pytest
from calls import CALLS, PATIENCE, Stage
from soak.figures import figures, size
from stage import LineModel

from wangchuan import Host, Memory, WangchuanError

COUNT = size("INTERRUPTS", 60)
SETTINGS = {"durability": "normal", "max_open_agents": 4}

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")


def interrupt(call: Callable[[], object], seconds: float) -> BaseException | None:
    """Make a call, interrupted after so many seconds; return the interrupt if it came in time."""
    try:
        return _interrupted(call, seconds)
    except KeyboardInterrupt as error:  # while the alarm was being put away
        return error


def _interrupted(call: Callable[[], object], seconds: float) -> BaseException | None:
    def raise_it(*_: object) -> None:
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGALRM, raise_it)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        call()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt as error:
        return error
    except WangchuanError:
        return None  # an earlier interrupt may have taken away what this call needs
    except ValueError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            return error  # pydantic, which tells of it in its own way
        raise
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    return None


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    settings = {**SETTINGS, "work_dir": tmp_path}
    with Host(tmp_path / "data", settings=settings) as host, host.open("a") as memory:
        stage = Stage(memory, host, tmp_path)
        stage.node()
        yield stage


def usual_seconds(stage: Stage, name: str) -> float:
    began = time.perf_counter()
    CALLS[name](stage)
    return time.perf_counter() - began


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # a file that was just being opened
def test_interrupts_at_any_moment_of_any_call_harm_nothing(stage: Stage) -> None:
    chance, names = random.Random(7), sorted(CALLS)
    usual = {name: usual_seconds(stage, name) for name in names}
    held: BaseException | None = None  # as an interactive shell holds on to the last one
    with figures("interrupts at any moment of any call") as told:
        for n in range(COUNT):
            name = names[n % len(names)]
            seconds = max(1e-6, chance.random() * usual[name])
            held = interrupt(lambda name=name: CALLS[name](stage), seconds) or held
        told["how many"] = COUNT
        assert_sound(stage)
    assert held is not None


def assert_sound(stage: Stage) -> None:
    """Every call works, from other threads too; nothing that was accepted is missing."""
    assert stage.memory.flush(PATIENCE)
    for name in sorted(CALLS):
        CALLS[name](stage)
    other = threading.Thread(target=lambda: [stage.remember(), stage.memory.stats()], daemon=True)
    other.start()
    other.join(PATIENCE)
    assert not other.is_alive()
    assert stage.memory.flush(PATIENCE)
    with stage.memory._agent.store() as store:
        with store.read() as tx:
            missing = [said for said in stage.accepted if not tx.messages.named(said)]
        assert (missing, store.check()) == ([], [])
    assert not stage.memory.look.faults()


class Interrupting:
    """A profiler that raises KeyboardInterrupt at the n-th point of storage or queue where the
    interpreter looks for signals: when a function begins, and when a call into C has ended."""

    PLACES = ("wangchuan/storage/", "wangchuan/jobs/", "/contextlib.py")

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, frame: FrameType, event: str, what: object) -> None:
        if getattr(what, "__name__", "") == "__enter__":  # a `with` does not look for signals
            return
        if any(place in frame.f_code.co_filename for place in self.PLACES):
            self.left -= event in ("call", "c_return")
            if self.left == 0:
                self.left = -1
                raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["stats", "nodes", "remember", "flush", "recall"])
def test_an_interrupt_at_any_step_in_storage_or_queue_is_over_with_the_next_call(
    tmp_path: Path, name: str
) -> None:
    model, former = LineModel(), sys.getprofile()
    calls: dict[str, Callable[[], object]] = {
        "remember": lambda: memory.remember("Said."),
        "flush": lambda: memory.flush(PATIENCE),
        "recall": lambda: memory.recall(["Said"]),
    }
    with Memory.open("a", root=tmp_path, settings=SETTINGS, model=model) as memory:
        call = calls.get(name) or getattr(memory, name)
        for at in itertools.count(1):
            tracer, held = Interrupting(at), None
            try:
                sys.setprofile(tracer)
                call()
            except KeyboardInterrupt as error:
                held = error  # with its traceback, and what is in its frames
            finally:
                sys.setprofile(former)
            memory.stats()
            with ThreadPoolExecutor(1) as other:
                other.submit(memory.forget, "mem_0").exception(PATIENCE)
                other.submit(memory.nodes).result(PATIENCE)
            if held is None:
                break
        assert at > 10
        memory.remember("Said afterwards.").result(PATIENCE)
        assert memory.flush(PATIENCE)
        assert not memory.look.faults()


def test_closing_waits_for_nothing_that_an_interrupted_call_left_locked(tmp_path: Path) -> None:
    memory = Memory.open("a", root=tmp_path, settings=SETTINGS, model=LineModel())
    memory.remember("Said.").result(PATIENCE)
    assert memory.flush(PATIENCE)

    def left_locked() -> None:
        with memory._agent.store() as store:
            reading = store._connections.reading  # type: ignore[attr-defined]
            reading._lock.acquire()  # as if interrupted before it was let go of
        memory._agent.lane.wake()
        turning = memory._agent.lane._turning
        while turning.acquire(blocking=False):  # until a worker waits for what we hold
            turning.release()
            time.sleep(0.001)
        memory.close()

    closing = threading.Thread(target=left_locked, daemon=True)
    closing.start()
    closing.join(PATIENCE)
    assert not closing.is_alive()
