"""Callers who go on accepting: when they have stopped, the lane works."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LULL_SECONDS = 0.003  # this long after the last acceptance is a lull
LATEST_TIMER = 0.1  # a lane that no timer woke until then was forgotten (an interrupt)
LONGEST_BURST = 2.0  # but no job waits longer than this for one


@dataclass(slots=True)
class Burst:
    """Acceptances since the lane was last empty."""

    count: int = 0
    first: float = 0.0
    last: float = 0.0
    hurried: bool = False  # someone waits for a result
    wakes_at: float = 0.0  # when a timer wakes the lane

    def add(self, now: float) -> bool:
        """Count an acceptance; return whether the lane will be woken anyway."""
        self.first = self.first if self.count else now
        self.count, self.last = self.count + 1, now
        dozing = now < self.wakes_at
        if not dozing:
            self.wakes_at = now + LATEST_TIMER
        return dozing

    def lull(self, now: float, limit: float) -> float:
        """Return the seconds until the next lull; 0 if it is here or must not be waited for."""
        if self.hurried or self.count >= limit or now - self.first > LONGEST_BURST:
            return 0.0
        return max(0.0, self.last + LULL_SECONDS - now) if self.count else 0.0

    def end(self) -> None:
        """Begin anew: the lane is empty."""
        self.count, self.hurried = 0, False


class Writers:
    """Callers who are about to write, or writing. A store's lock is not handed on by itself: a
    lane that let it go would have it again before any of them woke.
    """

    def __init__(self) -> None:
        self._lock, self._count, self._none = threading.Lock(), 0, threading.Event()
        self._none.set()

    @property
    def some(self) -> bool:
        """Tell whether there are any."""
        return not self._none.is_set()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Be one of them."""
        self._add(1)
        try:
            yield
        finally:
            self._add(-1)

    def _add(self, more: int) -> None:
        with self._lock:
            self._count += more
            if self._count:
                self._none.clear()
            else:
                self._none.set()

    def go_first(self) -> None:
        """Wait until there are none, but no longer than a lull."""
        if self.some:
            self._none.wait(LULL_SECONDS)
