# mypy: disable-error-code="empty-body"
"""The trash: forgotten nodes, which can come back."""

from __future__ import annotations

from wangchuan.storage.records import NodeRecord
from wangchuan.storage.statements import Drawer, column, many, value


class Trash(Drawer):
    """The forgotten nodes of one agent."""

    @many(NodeRecord)
    def nodes(self, passes: int, limit: int = -1) -> list[NodeRecord]: ...
    @many(NodeRecord)
    def oldest(self, limit: int) -> list[NodeRecord]: ...
    @column(int)
    def before(self, before: float, limit: int) -> list[int]: ...
    @value(int)
    def size(self) -> int: ...
