# mypy: disable-error-code="empty-body"
"""The vectors of messages."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.storage.statements import Drawer, changed, many, run, value


class Vectors(Drawer):
    """One vector for each message, as far as they are made."""

    def add(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep the vectors of messages."""
        self._engine.run_many("vectors.add", ({"message": n, "vector": v} for n, v in vectors))

    @many(lambda message, vector: (message, vector))
    def after(self, after: int, limit: int) -> list[tuple[int, bytes]]: ...
    @value(int)
    def last(self) -> int: ...
    @run
    def clear(self) -> None: ...
    @changed
    def erase(self, n: int) -> int: ...
