# mypy: disable-error-code="empty-body"
"""What frameworks keep beside the memory, by namespace and key."""

from __future__ import annotations

from wangchuan.storage.records import ItemRecord
from wangchuan.storage.statements import Drawer, changed, many, one, run, values_of


class Items(Drawer):
    """Values under keys; what has expired is not there."""

    @one(ItemRecord)
    def get(self, namespace: str, key: str, now: float) -> ItemRecord | None: ...

    def put(self, item: ItemRecord) -> None:
        """Keep an item; one that is there under the same key is replaced."""
        self._engine.run("items.put", values_of(item))

    @many(ItemRecord)
    def within(self, low: str, high: str, now: float) -> list[ItemRecord]: ...
    @run
    def extend(self, namespace: str, key: str, now: float) -> None: ...
    @changed
    def drop(self, namespace: str, key: str) -> int: ...
    @changed
    def drop_expired(self, now: float) -> int: ...
