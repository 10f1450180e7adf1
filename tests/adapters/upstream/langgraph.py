"""LangGraph's tests of stores, with ours in the place of `InMemoryStore` and `SqliteStore`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import langgraph.store.memory
import langgraph.store.sqlite

from wangchuan import Memory
from wangchuan.integrations.langgraph import WangchuanStore


class Store(WangchuanStore):
    def __init__(self, *, index: Any = None, ttl: Any = None) -> None:
        settings = {"durability": "normal"}
        memory = Memory.open("store", root=tempfile.mkdtemp(), settings=settings)
        super().__init__(memory, index=index, ttl=ttl)

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn: str, **options: Any) -> Iterator[Store]:
        store = cls(**options)
        yield store
        store.memory.close()

    def setup(self) -> None:
        pass


langgraph.store.memory.InMemoryStore = Store
langgraph.store.sqlite.SqliteStore = Store
