"""The harness' `Memory` over pages: a file that a person changed is not overwritten unseen."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai_harness.memory import (
    Memory as Files,
)
from pydantic_ai_harness.memory import (
    MemoryConflictError,
    MemoryOperation,
    MemoryOperationConflictError,
    MemoryStore,
    SearchableMemoryStore,
)

from wangchuan import Memory
from wangchuan.integrations.pydantic_ai_harness import WangchuanMemoryStore


@pytest.fixture
def store(memory: Memory) -> WangchuanMemoryStore:
    return WangchuanMemoryStore(memory)


def test_it_is_a_store_with_search(store: WangchuanMemoryStore) -> None:
    assert isinstance(store, MemoryStore)
    assert isinstance(store, SearchableMemoryStore)


def test_a_file_changed_by_hand_is_a_conflict(store: WangchuanMemoryStore, tmp_path: Path) -> None:
    async def story() -> None:
        made = await store.write("a.md", "one", expected_version=None)
        (tmp_path / "work/.notes/a/pages/a.md").write_text("by hand", "utf-8")
        with pytest.raises(MemoryConflictError):
            await store.write("a.md", "two", expected_version=made.version)
        seen = await store.read("a.md", max_chars=100)
        assert seen is not None
        assert seen.content == "by hand"
        assert (await store.write("a.md", "two", expected_version=seen.version)).existed

    asyncio.run(story())


def test_an_operation_is_done_once(store: WangchuanMemoryStore, memory: Memory) -> None:
    async def story() -> None:
        once = MemoryOperation(id="run:call", fingerprint="f")
        await store.write("a.md", "one", expected_version=None, operation=once)
        again = WangchuanMemoryStore(memory)
        done = await again.write("a.md", "one", expected_version=None, operation=once)
        assert done.replayed
        with pytest.raises(MemoryOperationConflictError):
            await again.get_operation(MemoryOperation(id="run:call", fingerprint="g"))

    asyncio.run(story())


def test_an_agent_of_theirs_writes_a_page(store: WangchuanMemoryStore, memory: Memory) -> None:
    def reply(messages: Any, info: Any) -> ModelResponse:
        writes = [tool.name for tool in info.function_tools if "write" in tool.name]
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart("Done.")])
        given = {"content": "The cat is called Mimi."}
        return ModelResponse(parts=[ToolCallPart(writes[0], given)])

    Agent(FunctionModel(reply), capabilities=[Files(store=store)]).run_sync("Keep it.")
    pages = memory.notebook.pages
    texts = [leaf.text for path in pages.paths() if (leaf := pages.read(path))]
    assert any("Mimi" in text for text in texts)
