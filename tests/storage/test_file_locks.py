"""Locks in files: one holder, free when it dies, and no interrupt leaves anybody waiting."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from stage import PATIENCE

from wangchuan.storage.locks import Busy, FileLock


def taken(path: Path, patience: float = 0) -> bool:
    """Tell whether another thread can take a lock, and let it go again."""
    found = []

    def attempt() -> None:
        try:
            with FileLock(path, patience):
                found.append(True)
        except Busy:
            found.append(False)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(PATIENCE / 10)
    assert found, "it hangs"
    return found[0]


def test_a_lock_has_one_holder_who_may_take_it_again(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    lock = FileLock(path)
    with lock:
        with lock:
            assert not taken(path)
            assert taken(tmp_path / "b.lock")
        assert not taken(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert taken(path)
    lock.give()  # of no effect


def test_a_lock_of_an_object_is_given_by_any_thread(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "a.lock", of_thread=False)
    lock.take()
    thread = threading.Thread(target=lock.give)
    thread.start()
    thread.join()
    assert taken(tmp_path / "a.lock")


def test_one_waits_for_another_and_not_for_a_file_that_was_removed(tmp_path: Path) -> None:
    path, lock = tmp_path / "a.lock", FileLock(tmp_path / "a.lock", of_thread=False)
    lock.take()
    threading.Timer(0.1, lambda: (path.unlink(), lock.give())).start()
    began = time.monotonic()
    assert taken(path, patience=PATIENCE)
    assert time.monotonic() - began >= 0.05
    assert path.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_lock_ends_with_its_holder_and_a_child_holds_none(tmp_path: Path) -> None:
    path, lock = tmp_path / "a.lock", FileLock(tmp_path / "a.lock")
    with lock:
        idle = child(lambda: None)
    assert taken(path)  # though the child lives
    end(idle)
    holder = child(lock.take)
    assert not taken(path)
    end(holder)
    assert taken(path)


def child(work: Callable[[], object]) -> int:
    """Fork a child that does something and waits; return its id once it has."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(PATIENCE)
        work()
        os.write(writing, b".")
        while True:
            signal.pause()
    assert os.read(reading, 1) == b"."
    os.close(reading)
    os.close(writing)
    return pid


def end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # a file that was just being opened
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_at_any_step_leaves_nobody_waiting(tmp_path: Path) -> None:
    former = sys.getprofile()
    for at in itertools.count(1):
        left, ended = [at], False

        def interrupt(_: FrameType, event: str, __: object, left: list[int] = left) -> None:
            left[0] -= event in ("call", "c_return")
            if left[0] == 0:
                raise KeyboardInterrupt

        try:
            sys.setprofile(interrupt)
            with FileLock(tmp_path / "a.lock"):
                pass
            sys.setprofile(former)
            ended = left[0] > 0
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(former)
        assert taken(tmp_path / "b.lock"), at
        assert taken(tmp_path / "a.lock"), at
        if ended:
            break
    assert at > 10


def test_a_copy_that_a_child_has_by_chance_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = FileLock(path, 0.0)
    lock.take()
    copy = os.dup(lock._held.file.fileno())  # as a fork would make it
    try:
        lock.give()
        with FileLock(path, 0.0):
            pass
    finally:
        os.close(copy)
