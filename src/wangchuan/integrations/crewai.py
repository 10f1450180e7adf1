"""CrewAI: the records of its `Memory`, kept beside a memory of ours.

`Memory(storage=WangchuanStorage(memory), llm=…, embedder=…)` of CrewAI keeps its records with the
agent: they are exported, backed up and erased with it. CrewAI recalls by its own vectors and its
own weights, and corrects by its own model: our ranking, fading and facts take no part in that.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any

from crewai.memory.types import MemoryRecord, ScopeInfo

from wangchuan.integrations.filters import within
from wangchuan.memory import Memory
from wangchuan.types import Item

SPACE = ("crewai",)
LARGEST = 1_000_000
VECTOR = "by vector"  # what stands for a query where there is only its vector


def _threaded(name: str) -> Callable[..., Any]:
    async def later(self: Any, *args: Any, **given: Any) -> Any:
        return await asyncio.to_thread(getattr(self, name), *args, **given)

    return later


class WangchuanStorage:
    """A `StorageBackend` of CrewAI over the items of a memory."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def save(self, records: list[MemoryRecord]) -> None:
        """Keep records; one with an id that is there is replaced."""
        with self.memory.items.batch() as batch:
            for record in records:
                vectors = [record.embedding] if record.embedding else []
                value = record.model_dump(mode="json")
                batch.put(
                    SPACE, record.id, {**value, "embedding": record.embedding}, vectors=vectors
                )

    def update(self, record: MemoryRecord) -> None:
        """Replace a record; without an embedding it keeps the one it had."""
        old = self.get_record(record.id) if record.embedding is None else None
        self.save([record.model_copy(update={"embedding": old.embedding}) if old else record])

    def search(
        self, query_embedding: list[float], scope_prefix: str | None = None, **given: Any
    ) -> list[tuple[MemoryRecord, float]]:
        """Return the records nearest to a vector, with how near they are."""
        limit, least = given.pop("limit", 10), given.pop("min_score", 0.0)
        admits = within(scope_prefix, **given)
        with self.memory.items.batch() as batch:
            found = batch.search(SPACE, VECTOR, where=admits, vector=query_embedding)
        near = [(_record(item), item.score) for item in found if item.score is not None]
        return [(record, score) for record, score in near if score >= least][:limit]

    def delete(self, scope_prefix: str | None = None, **given: Any) -> int:
        """Delete the records that fit all that is given; return how many."""
        ids, old = given.pop("record_ids", None), given.pop("older_than", None)
        with self.memory.items.batch() as batch:
            found = map(_record, batch.search(SPACE, where=within(scope_prefix, **given)))
            named = [record for record in found if ids is None or record.id in ids]
            doomed = [record.id for record in named if old is None or _is_older(record, old)]
            return sum(batch.drop(SPACE, key) for key in doomed)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return a record, None if there is none."""
        with self.memory.items.batch() as batch:
            item = batch.get(SPACE, record_id)
        return _record(item) if item else None

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Return records of a scope, the newest first."""
        with self.memory.items.batch() as batch:
            found = map(_record, batch.search(SPACE, where=within(scope_prefix)))
        return sorted(found, key=lambda r: r.created_at, reverse=True)[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return what a scope holds, with those below it."""
        found = self.list_records(scope, limit=LARGEST)  # the newest first
        ends = {"newest_record": found[:1], "oldest_record": found[-1:]}
        told: dict[str, Any] = {name: one[0].created_at for name, one in ends.items() if one}
        told |= {"categories": sorted(self.list_categories(scope))}
        told |= {"child_scopes": self.list_scopes(scope)}
        return ScopeInfo(path=scope, record_count=len(found), **told)

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes directly below one."""
        base = parent.rstrip("/")
        rest = [r.scope.removeprefix(base) for r in self.list_records(parent, limit=LARGEST)]
        return sorted({f"{base}/{one.split('/')[1]}" for one in rest if one.strip("/")})

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Return how many records each category has."""
        found = self.list_records(scope_prefix, limit=LARGEST)
        return dict(Counter(name for record in found for name in record.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        """Return how many records a scope holds."""
        return len(self.list_records(scope_prefix, limit=LARGEST))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Delete all records of a scope."""
        self.delete(scope_prefix)

    asave, asearch, adelete = _threaded("save"), _threaded("search"), _threaded("delete")


def _record(item: Item) -> MemoryRecord:
    return MemoryRecord(**item.value)


def _is_older(record: MemoryRecord, than: datetime) -> bool:
    return bool(record.created_at.replace(tzinfo=None) < than.replace(tzinfo=None))
