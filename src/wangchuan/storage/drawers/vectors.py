# mypy: disable-error-code="empty-body"
"""The vectors of messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from wangchuan.storage.statements import Drawer, changed, run, value


class Vectors(Drawer):
    """One vector for each message, as far as they are made."""

    def add(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep the vectors of messages."""
        self._engine.run_many("vectors.add", ({"message": n, "vector": v} for n, v in vectors))

    def after(self, after: int, limit: int) -> tuple[list[int], bytes]:
        """Return the numbers of messages after one, and their vectors, one behind the other."""
        numbers, vectors = self._engine.rows("vectors.after", {"after": after, "limit": limit})[0]
        return json.loads(numbers), vectors or b""

    def nearest(self, query: Sequence[float], limit: int) -> list[tuple[int, float]] | None:
        """Return the messages nearest to a vector, with the cosine; None where none compares."""
        if not self._engine.compares:
            return None
        rows = self._engine.rows("vectors.nearest", {"query": query, "limit": limit})
        return [(message, close) for message, close in rows]

    @value(int)
    def last(self) -> int: ...
    @run
    def clear(self) -> None: ...
    @changed
    def erase(self, n: int) -> int: ...
