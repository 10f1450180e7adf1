"""The embedder all sides of `bench peers` share.

A vector is the sum of a few positions for each word and pair of neighbouring words, found by a
hash. It needs no library and costs some microseconds, so that what is measured is the store and
not the model; and little is imported, for this is part of every cold start.
"""

from __future__ import annotations

import functools
import hashlib
import math
import re
import struct

DIMENSIONS = 384
SPREAD = 8  # positions one token touches
PARTS = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]+")


def tokens(text: str) -> list[str]:
    """Return the words and neighbouring pairs of a text; for Chinese, its pairs of characters."""
    found: list[str] = []
    before = ""
    for part in PARTS.findall(text.lower()):
        if part.isascii():
            found += [part, f"{before}_{part}"] if before else [part]
            before = part
        else:
            found += [part[i : i + 2] for i in range(max(1, len(part) - 1))]
            before = ""
    return found


@functools.lru_cache(maxsize=100_000)
def _positions(token: str) -> tuple[tuple[int, float], ...]:
    digest = hashlib.blake2b(token.encode(), digest_size=2 * SPREAD).digest()
    numbers = struct.unpack(f"<{SPREAD}H", digest)
    return tuple((n // 2 % DIMENSIONS, 1.0 if n % 2 else -1.0) for n in numbers)


class Embedder:
    """Unit vectors of 384 dimensions, alike for texts that share words."""

    name = "hashed words"
    dimensions = DIMENSIONS
    inline = True  # for Wangchuan: quick enough to be asked in passing

    def embed(self, texts: list[str]) -> list[list[float]]:
        """Return one vector per text."""
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float]:
        """Return the vector of one text; a text without words points somewhere all the same."""
        sums = [0.0] * DIMENSIONS
        for token in tokens(text) or [""]:
            for position, sign in _positions(token):
                sums[position] += sign
        length = math.hypot(*sums) or 1.0
        return [value / length for value in sums]
