"""Callers who go on accepting: when they have stopped, the lane works."""

from __future__ import annotations

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
