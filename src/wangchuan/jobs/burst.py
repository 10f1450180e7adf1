"""A burst: callers who go on accepting. When they pause, the lane works."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LULL_SECONDS = 0.003  # a lull begins this long after the last acceptance
LATEST_TIMER = 0.1  # a timer that has not woken the lane by then was lost by an interrupt
LONGEST_BURST = 2.0  # after this long the lane works without a lull


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

    def end(self, counted: int) -> None:
        """Begin anew: none is left of those that were counted when the lane looked.

        Whoever was accepted while the lane looked stays counted: a lane that closes does steps for
        them.
        """
        self.count = max(0, self.count - counted)
        self.hurried = self.hurried and self.count > 0


class Writers:
    """Callers who are about to write, or writing.

    The lane makes way for them: a lane that let go of the store's lock and took it again at once
    would have the lock before any caller woke.
    """

    def __init__(self) -> None:
        self._lock, self._count, self._none = threading.Lock(), 0, threading.Event()
        self._none.set()

    @property
    def some(self) -> bool:
        """Tell whether any caller is about to write."""
        return not self._none.is_set()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Count the caller as a writer for the time of this block."""
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
        """Wait until no caller is about to write, but no longer than a lull."""
        if self.some:
            self._none.wait(LULL_SECONDS)
