"""The harness' contract tests of stores, with ours in the place of `SqliteMemoryStore`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pydantic_ai_harness.memory as theirs

from wangchuan import Memory
from wangchuan.integrations.pydantic_ai_harness import WangchuanMemoryStore


class Store(WangchuanMemoryStore):
    def __init__(self, *, database: Any) -> None:
        home = Path(f"{database}.memories")
        self.memory = Memory.open("a", root=home, work_dir=home, mode="full")
        super().__init__(self.memory)


theirs.SqliteMemoryStore = Store


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave only the tests that are for all stores, as they are run for ours (the third)."""
    items[:] = [
        item
        for item in items
        if getattr(item, "callspec", None)
        and item.name.endswith("2]")
        and "local_store" in item.name
    ]
