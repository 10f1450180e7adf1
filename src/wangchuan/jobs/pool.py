"""Threads for calls that may hang.

The threads of `concurrent.futures` are joined when the process ends. One call without end would
keep the process from ending, and a few such calls would take all threads away from the others.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

MOST_STUCK = 32  # threads that are replaced because a call hangs


class Pool(Executor):
    """Up to `size` threads, started when they are needed; no process waits for them to end.

    A call that lasts longer than `longest` seconds counts as stuck: its thread is replaced by
    another thread, and ends if the call ever ends.
    """

    def __init__(self, size: int, name: str, longest: float = math.inf) -> None:
        self._name, self._longest = name, longest
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._lock, self._closed = threading.Lock(), False
        self._size = size
        self._threads: list[threading.Thread] = []
        self._since: dict[Future[Any], float] = {}  # when the calls under way began
        self._stuck: set[Future[Any]] = set()

    def submit(self, call: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Let a thread make a call. Raises RuntimeError after a shutdown."""
        future: Future[Any] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("these threads were shut down")
            self._work.put((future, partial(call, *args, **named)))
            self._replace_stuck()
            alive = sum(thread.is_alive() for thread in self._threads)
            if alive - len(self._stuck) < self._size:
                self._start()
        return future

    def running_for(self, future: Future[Any]) -> float:
        """Return for how many seconds a call has been made; 0 while it waits for a thread."""
        with self._lock:
            self._replace_stuck()
            since = self._since.get(future)
        return 0.0 if since is None else time.monotonic() - since

    def _replace_stuck(self) -> None:
        overdue = time.monotonic() - self._longest
        for future, since in list(self._since.items()):
            if since <= overdue and future not in self._stuck and len(self._stuck) < MOST_STUCK:
                self._stuck.add(future)
                self._start()

    def _start(self) -> None:
        thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
        self._threads = [*(t for t in self._threads if t.is_alive()), thread]
        thread.start()

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            future, call = work
            if future.set_running_or_notify_cancel():
                self._since[future] = time.monotonic()
                _fulfil(future, call)
                del self._since[future]
            with self._lock:
                if future in self._stuck:
                    self._stuck.discard(future)
                    return
            del work, future, call  # an idle thread keeps nothing alive

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads when their work is done; `cancel_futures` cancels calls not begun."""
        with self._lock:
            self._closed = True
            with suppress(Empty):
                while cancel_futures:
                    if (work := self._work.get_nowait()) is not None:
                        work[0].cancel()
            threads = self._threads
            for _ in threads:
                self._work.put(None)
        for thread in threads:
            if wait and thread is not threading.current_thread():
                thread.join()


def _fulfil(future: Future[Any], call: Callable[[], Any]) -> None:
    try:
        result = call()
    except BaseException as error:  # told to whoever waits for it
        future.set_exception(error)
    else:
        future.set_result(result)
