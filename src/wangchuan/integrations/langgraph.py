"""LangGraph: the items of a memory as a store (`BaseStore`).

`WangchuanStore(memory)` is given to a graph as any store of theirs is. Items live beside the
memory, under its agent. Without an `index` they are found by their words, in our ranking; with one,
by the vectors of its `embed`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
    get_text_at_path,
    tokenize_path,
)

from wangchuan.faces.items import Batch
from wangchuan.integrations.filters import fits, is_plain, where
from wangchuan.memory import Memory
from wangchuan.types import Item as Kept


class WangchuanStore(BaseStore):
    """A LangGraph store whose items live beside a memory."""

    supports_ttl = True

    def __init__(
        self, memory: Memory, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> None:
        self.memory, self.index_config, self.ttl_config = memory, index, ttl
        self.embeddings = ensure_embeddings(index["embed"]) if index else None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do all operations in one transaction: first what is read, then what is written."""
        asked = [_checked(op) for op in ops]
        puts = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        texts = {key: self._texts(op) for key, op in puts.items()}
        vectors = {key: self._vectors(found) for key, found in texts.items()}
        queries = {n: self._vector(op) for n, op in enumerate(asked) if isinstance(op, SearchOp)}
        with self.memory.items.batch() as items:
            done = [self._read(items, op, queries.get(n, ())) for n, op in enumerate(asked)]
            for (namespace, key), op in puts.items():
                if op.value is None:
                    items.drop(namespace, key)
                    continue
                found, seen = texts[namespace, key], vectors[namespace, key]
                items.put(namespace, key, op.value, ttl=op.ttl, texts=found, vectors=seen)
        return done

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the same without holding up the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, items: Batch, op: Op, vector: Sequence[float]) -> Result:
        if isinstance(op, GetOp):
            found = items.get(op.namespace, op.key, refresh=op.refresh_ttl)
            return Item(**_told(found)) if found else None
        if isinstance(op, SearchOp):
            admits = where(op.filter or {})
            asked: dict[str, Any] = {"where": admits, "vector": vector, "refresh": op.refresh_ttl}
            found_all = items.search(tuple(op.namespace_prefix), op.query or "", **asked)
            page = found_all[op.offset : op.offset + op.limit]
            return [SearchItem(**_told(one), score=one.score) for one in page]
        if isinstance(op, ListNamespacesOp):
            wanted = [(tuple(c.path), c.match_type) for c in op.match_conditions or ()]
            cut = sorted({ns[: op.max_depth] for ns in items.namespaces() if fits(ns, wanted)})
            return cut[op.offset : op.offset + op.limit]
        return None

    def _texts(self, op: PutOp) -> list[str]:
        if op.value is None or op.index is False:
            return []
        config: Any = self.index_config or {}  # their SQLite store has another name for it
        given = config.get("fields") or config.get("text_fields") or ["$"]
        paths = given if op.index is None else op.index
        found = [
            get_text_at_path(op.value, path if path == "$" else tokenize_path(path))
            for path in paths
        ]
        return [text for several in found for text in several]

    def _vectors(self, texts: list[str]) -> list[Any]:
        return self.embeddings.embed_documents(texts) if self.embeddings and texts else []

    def _vector(self, op: SearchOp) -> list[float]:
        return self.embeddings.embed_query(op.query) if self.embeddings and op.query else []


def _checked(op: Op) -> Op:
    """Return an operation, none of whose namespaces any store of theirs would refuse."""
    if isinstance(op, ListNamespacesOp):
        paths = [tuple(one.path) for one in op.match_conditions or ()]
    else:
        paths = [op.namespace_prefix if isinstance(op, SearchOp) else op.namespace]
    if not all(map(is_plain, paths)):
        raise InvalidNamespaceError(f"Invalid namespace in {op}: a label is a text without dots")
    return op


def _told(item: Kept) -> dict[str, Any]:
    times = {"created_at": item.created_at, "updated_at": item.updated_at}
    told = {name: datetime.fromtimestamp(at, UTC) for name, at in times.items()}
    return {"namespace": item.namespace, "key": item.key, "value": item.value, **told}
