"""Turns: worker threads serve lanes, first come first served; one thread watches the time."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from wangchuan.types import Clock

if TYPE_CHECKING:
    from wangchuan.jobs.lanes import Lane

log = logging.getLogger("wangchuan")

LONGEST_PAUSE = 1.0  # a lane that waits for a retry looks at the clock this often

Timer = tuple[float, int, Callable[[], None]]


class Scheduler:
    """Worker threads that give lanes their turns, and one thread that watches the time.

    Threads hear of work through queues: an interrupt of the caller leaves no queue half changed.
    """

    def __init__(self, workers: int, monotonic: Clock = time.monotonic) -> None:
        self.monotonic = monotonic
        self._ready: SimpleQueue[Lane | None] = SimpleQueue()
        self._timers: SimpleQueue[Timer | None] = SimpleQueue()
        self._count = itertools.count()
        self._lock = threading.Lock()
        self._closing = False
        self._queued: set[Lane] = set()
        loops = [self._serve] * workers + [self._watch_time]
        self._threads = [
            threading.Thread(target=loop, name=f"wangchuan-{i}", daemon=True)
            for i, loop in enumerate(loops)
        ]
        for thread in self._threads:
            thread.start()

    def others_wait(self, lane: Lane) -> bool:
        """Tell whether a lane waits for its turn for which the given lane should make way."""
        with self._lock:
            return any(not (lane.compresses and other.compresses) for other in self._queued)

    def wake(self, lane: Lane) -> None:
        """Give a lane a turn as soon as a worker is free."""
        with self._lock:
            if lane.running:
                lane.again = True
            elif not lane.queued:
                self._ready.put(lane)  # first: an interrupt after it costs a turn, not the lane
                lane.queued = True
                self._queued.add(lane)

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Make a call after so many seconds, from the time thread; the call must not block."""
        self._timers.put((self.monotonic() + seconds, next(self._count), call))

    def close(self) -> None:
        """Stop after the steps under way."""
        self._closing = True
        self._timers.put(None)
        for _ in self._threads:
            self._ready.put(None)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    def _serve(self) -> None:
        while (lane := self._next()) is not None:
            try:
                pause = lane.turn()
            except Exception:  # the outer frame of a worker: one lane must not end the others
                log.exception("turn of agent %s failed; it will be tried again", lane.agent)
                pause = LONGEST_PAUSE
            self._turned(lane, pause)
            del lane  # an idle thread keeps nothing alive

    def _next(self) -> Lane | None:
        lane = self._ready.get()
        if lane is None or self._closing:
            return None
        with self._lock:
            lane.queued, lane.running, lane.again = False, True, False
            self._queued.discard(lane)
        return lane

    def _turned(self, lane: Lane, pause: float | None) -> None:
        with self._lock:
            lane.running = False
            if lane.again:
                pause = 0.0
        if pause == 0:
            self.wake(lane)
        elif pause is not None:
            self.later(pause, lambda: self.wake(lane))

    def _watch_time(self) -> None:
        timers: list[Timer] = []
        while not self._closing:
            with suppress(Empty):
                timer = self._timers.get(timeout=self._until_next(timers))
                if timer is None:
                    return
                heapq.heappush(timers, timer)
            while timers and timers[0][0] <= self.monotonic():
                heapq.heappop(timers)[2]()

    def _until_next(self, timers: list[Timer]) -> float | None:
        return max(0.0, timers[0][0] - self.monotonic()) if timers else None
