# mypy: disable-error-code="empty-body"
"""What was erased, by public id only."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.storage.statements import Drawer, column, run, value


class Tombstones(Drawer):
    """The ids of nodes and messages that were erased and must not come back."""

    @run
    def add(self, kind: str, id: str, at: float) -> None: ...  # noqa: A002 (the column's name)
    @value(bool)
    def is_erased(self, kind: str, id: str) -> bool: ...  # noqa: A002
    @column(str)
    def among(self, kind: str, ids: Iterable[str]) -> list[str]: ...
    @column(str)
    def of(self, kind: str) -> list[str]: ...

    def all(self) -> frozenset[tuple[str, str]]:
        """Return all tombstones, as (kind, public id)."""
        return frozenset((row[0], row[1]) for row in self._engine.rows("tombstones.all", {}))

    @value(bool)
    def mentions(self, piece: bytes) -> bool: ...
