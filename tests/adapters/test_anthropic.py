"""Claude's memory tool over pages."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from anthropic.lib.tools import ToolError

from wangchuan import Memory
from wangchuan.integrations.anthropic import AsyncWangchuanMemoryTool, WangchuanMemoryTool


def command(**given: Any) -> Any:
    return {"command": given.pop("do"), **given}


def test_a_command_that_comes_again_changes_nothing(memory: Memory) -> None:
    tool = WangchuanMemoryTool(memory)
    written = command(do="create", path="/memories/cat.md", file_text="Mimi\n")
    tool.call(written)
    with pytest.raises(ToolError, match="already exists"):
        tool.call(written)
    assert "Mimi" in str(tool.call(command(do="view", path="/memories/cat.md")))
    found = memory.notebook.pages.read("cat.md")
    assert found is not None
    assert found.text == "Mimi\n"


def test_what_is_wrong_is_told_to_claude(memory: Memory) -> None:
    tool = WangchuanMemoryTool(memory)
    with pytest.raises(ToolError, match="does not exist"):
        tool.call(command(do="view", path="/memories/nobody"))
    with pytest.raises(ToolError, match="a page has a path"):
        tool.call(command(do="create", path="/memories/.hidden", file_text=""))


def test_it_is_the_same_in_an_event_loop(memory: Memory) -> None:
    async def story() -> str:
        tool = AsyncWangchuanMemoryTool(memory)
        await tool.call(command(do="create", path="/memories/猫.md", file_text="咪咪\n"))
        shown = str(await tool.call(command(do="view", path="/memories")))
        await tool.clear_all_memory()
        return shown

    assert "/memories/猫.md" in asyncio.run(story())
    assert memory.notebook.pages.paths() == []
