"""CrewAI: its records beside a memory, by its own vectors."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from crewai.memory.storage.backend import StorageBackend
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory as CrewMemory

from wangchuan import Memory
from wangchuan.integrations.crewai import WangchuanStorage


@pytest.fixture
def storage(memory: Memory) -> WangchuanStorage:
    return WangchuanStorage(memory)


def record(text: str, scope: str = "/", **more: Any) -> MemoryRecord:
    return MemoryRecord(id=text, content=text, scope=scope, embedding=vector(text), **more)


def vector(text: str) -> list[float]:
    return [float(text.lower().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"]


def test_it_is_a_backend_and_finds_the_nearest(storage: WangchuanStorage) -> None:
    assert isinstance(storage, StorageBackend)
    storage.save([record("cat"), record("zebra"), record("dog", "/pets", categories=["pet"])])
    assert storage.search(vector("act"))[0][0].content == "cat"
    assert [r.content for r, _ in storage.search(vector("cat"), scope_prefix="/pets")] == ["dog"]
    assert [r.content for r, _ in storage.search(vector("cat"), categories=["pet"])] == ["dog"]
    assert storage.search(vector("cat"), min_score=1.1) == []
    assert len(asyncio.run(storage.asearch(vector("cat"), limit=2))) == 2


def test_a_record_saved_twice_is_one_and_an_update_keeps_its_vector(
    storage: WangchuanStorage,
) -> None:
    for _ in range(2):
        storage.save([record("cat", metadata={"n": 1})])
    storage.update(MemoryRecord(id="cat", content="cat", metadata={"n": 2}))
    assert storage.count() == 1
    found, score = storage.search(vector("cat"), metadata_filter={"n": 2})[0]
    assert (found.content, round(score, 6)) == ("cat", 1.0)


def test_scopes_are_paths(storage: WangchuanStorage) -> None:
    storage.save([record("a", "/x/y", categories=["c"]), record("b", "/x"), record("c", "/xy")])
    assert storage.list_scopes() == ["/x", "/xy"]
    assert storage.list_scopes("/x") == ["/x/y"]
    info = storage.get_scope_info("/x")
    assert (info.record_count, info.categories, info.child_scopes) == (2, ["c"], ["/x/y"])
    assert storage.get_scope_info("/none").record_count == 0
    storage.reset("/x")
    assert [r.content for r in storage.list_records()] == ["c"]


def test_old_records_and_those_named_are_deleted(storage: WangchuanStorage) -> None:
    then = datetime(2026, 1, 1)
    storage.save([record("old", created_at=then), record("new", created_at=then + timedelta(9))])
    assert storage.delete(older_than=then + timedelta(1)) == 1
    assert storage.delete(record_ids=["nobody"]) == 0
    assert asyncio.run(storage.adelete(record_ids=["new"])) == 1
    assert storage.get_record("new") is None


def test_their_memory_keeps_its_records_here(storage: WangchuanStorage) -> None:
    known = CrewMemory(storage=storage, embedder=lambda texts: [vector(t) for t in texts])
    known.remember("The cat is called Mimi.", scope="/ada", categories=["talk"], importance=0.5)
    known.drain_writes() if hasattr(known, "drain_writes") else None
    again = CrewMemory(storage=storage, embedder=lambda texts: [vector(t) for t in texts])
    found = again.recall("The cat is called", depth="shallow")
    assert [match.record.content for match in found] == ["The cat is called Mimi."]
