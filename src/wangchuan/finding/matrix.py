"""Vectors in memory, compared by multiplying: the only part of finding that numbers are for.

Few are widened once, and all multiplied. Many stay as short as they are kept, and beside each
stands a sketch of it: which of its numbers are below zero, and which are far enough from it to
count. A question's vector is first held against the sketches, which takes a small part of the time,
and multiplied with those that come out best.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

SLICE = 512  # vectors widened or multiplied at once
FILLED = 500  # vectors in the last part of the matrix from which on the next ones begin another
MOST_ALIKE = 20  # for one message
WIDENED = 20_000  # vectors kept in full precision; of no more, all are multiplied
MULTIPLIED = 2000  # of more than these, at least
FAR = 0.5  # of what a number is on average: below, it does not count in a sketch
STEPS = 3  # by which a sketch tells the numbers of a question apart


class Matrix:
    """The vectors of messages in memory, in parts; the later ones in half precision."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._parts: list[np.ndarray[Any, Any]] = []
        self._sketches = np.empty((2, 0, 0), "<u8")  # below zero and far: by word, by vector

    @property
    def last(self) -> int:
        """Return the last message whose vector is here; 0 if there is none."""
        return self._numbers[-1] if self._numbers else 0

    def add(self, numbers: Sequence[int], vectors: bytes) -> None:
        """Add the vectors of later messages, as they are kept."""
        read = np.frombuffer(vectors, "<f2").reshape(len(numbers), -1)
        self._sketch(read)
        if len(self._numbers) + len(read) <= WIDENED:
            read = _widened(read)
        if self._parts and len(self._parts[-1]) < FILLED:
            read = np.concatenate([self._parts.pop(), read])
        self._parts.append(read)
        self._numbers += numbers

    def _sketch(self, read: Any) -> None:
        """Add the sketches of later vectors; there is room for more than there are."""
        fresh, here = _sketches(read), len(self._numbers)
        if self._sketches.shape[2] < here + len(read):
            room = np.empty((*fresh.shape[:2], 2 * here + len(read)), "<u8")
            if here:
                room[:, :, :here] = self._sketches[:, :, :here]
            self._sketches = room
        self._sketches[:, :, here : here + len(read)] = fresh

    def nearest(self, query: Any, most: int) -> list[tuple[int, float]]:
        """Return the messages nearest to a vector, with the cosine; none if it is of other size."""
        if not self._parts or self._parts[0].shape[1] != len(query):
            return []
        likely = self._likely(query, max(MULTIPLIED, 2 * most))
        close = np.concatenate([_products(rows, query) for rows in self._rows(likely)])
        most = min(most, len(close))
        top = np.argpartition(-close, most - 1)[:most]
        top = top[np.argsort(-close[top], kind="stable")]
        return [(self._numbers[int(likely[i])], float(close[i])) for i in top]

    def _likely(self, query: Any, most: int) -> Any:
        """Return the places, in order, of the vectors whose sketches are nearest to a vector."""
        count = len(self._numbers)
        if count <= max(most, WIDENED) or not hasattr(np, "bitwise_count"):
            return np.arange(count)
        near = _sketched(self._sketches[:, :, :count], query)
        return np.sort(np.argpartition(-near, most - 1)[:most])

    def _rows(self, places: Any) -> Iterator[Any]:
        """Yield the vectors at places, which are in order, part by part."""
        first = 0
        for part in self._parts:
            here = places[slice(*np.searchsorted(places, (first, first + len(part))))] - first
            yield part if len(here) == len(part) else part[here]
            first += len(part)

    def alike(self, messages: Sequence[int], least: float) -> dict[int, list[tuple[int, float]]]:
        """Return, for messages with a vector, the others at least so near."""
        numbers = self._numbers
        places = {m: bisect_left(numbers, m) for m in messages}
        known = [m for m, at in places.items() if at < len(numbers) and numbers[at] == m]
        if not known:
            return {}
        own = np.sort([places[m] for m in known])
        mine = _widened(np.concatenate(list(self._rows(own))))
        known = [numbers[int(at)] for at in own]
        close = np.concatenate([mine @ _widened(part).T for part in self._parts], axis=1)
        found = {}
        for one, row in zip(known, close, strict=True):
            near = [int(i) for i in np.flatnonzero(row >= least) if numbers[int(i)] != one]
            near.sort(key=lambda i: (-row[i], numbers[i]))
            found[one] = [(numbers[i], min(1.0, float(row[i]))) for i in near[:MOST_ALIKE]]
        return found


def _sketches(halves: Any) -> Any:
    """Return which numbers of vectors are below zero, and which are far from it, as bits."""
    bits = halves.view("<i2")  # of numbers above zero the greater has the greater bits
    far = np.array(FAR / halves.shape[1] ** 0.5, "<f2").view("<i2")
    return np.stack([_packed(bits < 0), _packed(bits & 0x7FFF >= far)])


def _packed(flags: Any) -> Any:
    """Return rows of flags as bits, 64 in a word: all first words, then all second ones."""
    packed = np.packbits(flags, axis=1)
    whole = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return whole.view("<u8").T


def _sketched(sketches: Any, query: Any) -> Any:
    """Return about how near vectors are to one, from their sketches, in steps.

    Its numbers count in few steps, a bit at a time; what counts is where both agree about the
    sign, less where they do not.
    """
    size = np.abs(query)
    steps = np.rint(1.2 * size * np.count_nonzero(size) / (size.sum() or 1.0))
    steps = np.minimum(steps, STEPS).astype("u1")
    signs = _packed((query < 0)[None])[:, 0]
    weights = [_packed((steps >> n & 1 > 0)[None])[:, 0] for n in range(STEPS.bit_length())]
    near = np.zeros(sketches.shape[2], "<i2")
    for word, (below, far) in enumerate(zip(*sketches, strict=True)):
        apart = (below ^ signs[word]) & far
        for n, counts in enumerate(weights):
            if counts[word]:
                near += np.bitwise_count(far & counts[word]) * np.int16(1 << n)
                near -= np.bitwise_count(apart & counts[word]) * np.int16(2 << n)
    return near


def _widened(halves: Any) -> Any:
    """Return numbers in full precision: the bits of short ones moved to where they belong.

    The exponent is then too small by 112. To let numpy widen them takes fifteen times as long.
    """
    if halves.dtype == "<f4":
        return halves
    wide = np.empty(halves.shape, "<f4")
    for first in range(0, len(halves), SLICE):
        bits = wide[first : first + SLICE].view("<i4")
        bits[:] = halves[first : first + SLICE].view("<i2")
        bits <<= 13
        bits &= -0x70002000
    wide *= 2.0**112
    return wide


def _products(part: Any, query: Any) -> Any:
    """Return the product of every row, widened, with a vector, a slice of rows at a time.

    A slice is too small for BLAS to share it among threads, which on busy cores burn time waiting.
    """
    found = np.empty(len(part), "<f4")
    for first in range(0, len(part), SLICE):
        rows = _widened(part[first : first + SLICE])
        np.matmul(rows, query, out=found[first : first + SLICE])
    return found


def closeness(rows: Sequence[Any], wanted: Any) -> list[float]:
    """Return how near each of some vectors is to one, as a cosine."""
    found: list[float] = (np.stack(list(rows)) @ wanted).tolist() if rows else []
    return found
