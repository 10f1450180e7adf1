"""Vectors in memory, compared by multiplying: the only part of finding that numbers are for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np

SLICE = 512  # vectors widened or multiplied at once
FILLED = 500  # vectors in the last part of the matrix from which on the next ones begin another
MOST_ALIKE = 20  # for one message


class Matrix:
    """The vectors of messages in memory, in parts, in full precision."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._parts: list[np.ndarray[Any, Any]] = []

    @property
    def last(self) -> int:
        """Return the last message whose vector is here; 0 if there is none."""
        return self._numbers[-1] if self._numbers else 0

    def add(self, numbers: Sequence[int], vectors: bytes) -> None:
        """Add the vectors of later messages, as they are kept."""
        read = _widened(np.frombuffer(vectors, "<f2").reshape(len(numbers), -1))
        if self._parts and len(self._parts[-1]) < FILLED:
            read = np.concatenate([self._parts.pop(), read])
        self._parts.append(read)
        self._numbers += numbers

    def nearest(self, query: Any, most: int) -> list[tuple[int, float]]:
        """Return the messages nearest to a vector, with the cosine; none if it is of other size."""
        if not self._parts or self._parts[0].shape[1] != len(query):
            return []
        close = np.concatenate([_products(part, query) for part in self._parts])
        most = min(most, len(close))
        top = np.argpartition(-close, most - 1)[:most]
        top = top[np.argsort(-close[top], kind="stable")]
        return [(self._numbers[int(i)], float(close[i])) for i in top]

    def alike(self, messages: Sequence[int], least: float) -> dict[int, list[tuple[int, float]]]:
        """Return, for messages with a vector, the others at least so near."""
        numbers = self._numbers
        places = {m: bisect_left(numbers, m) for m in messages}
        known = [m for m, at in places.items() if at < len(numbers) and numbers[at] == m]
        if not known:
            return {}
        mine = np.stack([self._row(places[m]) for m in known])
        close = np.concatenate([mine @ part.T for part in self._parts], axis=1)
        found = {}
        for one, row in zip(known, close, strict=True):
            near = [int(i) for i in np.flatnonzero(row >= least) if numbers[int(i)] != one]
            near.sort(key=lambda i: (-row[i], numbers[i]))
            found[one] = [(numbers[i], min(1.0, float(row[i]))) for i in near[:MOST_ALIKE]]
        return found

    def _row(self, place: int) -> Any:
        for part in self._parts:
            if place < len(part):
                return part[place]
            place -= len(part)
        raise IndexError(place)


def _widened(halves: Any) -> Any:
    """Return numbers of half precision in full precision: their bits moved to where they belong.

    The exponent is then too small by 112. To let numpy widen them takes fifteen times as long.
    """
    wide = np.empty(halves.shape, "<f4")
    for first in range(0, len(halves), SLICE):
        bits = wide[first : first + SLICE].view("<i4")
        bits[:] = halves[first : first + SLICE].view("<i2")
        bits <<= 13
        bits &= -0x70002000
    wide *= 2.0**112
    return wide


def _products(part: Any, query: Any) -> Any:
    """Return the product of every row with a vector, a slice of rows at a time.

    A slice is too small for BLAS to share it among threads, which on busy cores burn time waiting.
    """
    found = np.empty(len(part), part.dtype)
    for first in range(0, len(part), SLICE):
        np.matmul(part[first : first + SLICE], query, out=found[first : first + SLICE])
    return found


def closeness(rows: Sequence[Any], wanted: Any) -> list[float]:
    """Return how near each of some vectors is to one, as a cosine."""
    found: list[float] = (np.stack(list(rows)) @ wanted).tolist() if rows else []
    return found
