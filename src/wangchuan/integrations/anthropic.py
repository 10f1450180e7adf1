"""Anthropic: the loose pages of a notebook as Claude's memory tool (`memory_20250818`).

`client.beta.messages.tool_runner(…, tools=[WangchuanMemoryTool(memory)])`. What Claude writes below
`/memories` are pages of the agent's notebook (`Memory.open(…, work_dir=".", mode="full")`), which a
person can read and change. `AsyncWangchuanMemoryTool` is the same for an asynchronous client.
"""

from __future__ import annotations

import asyncio
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from wangchuan.errors import WangchuanError
from wangchuan.integrations.commands import Commands
from wangchuan.memory import Memory
from wangchuan.notebook.loose import Pages


class WangchuanMemoryTool(BetaAbstractMemoryTool):
    """Claude's memory tool over the pages of a notebook."""

    def __init__(self, memory: Memory, **options: Any) -> None:
        super().__init__(**options)
        self.commands = Commands(memory.notebook.pages)

    def execute(self, command: Any) -> str:
        """Do what Claude asks; what cannot be done is told to Claude."""
        try:
            return self.commands.do(command)
        except WangchuanError as error:
            raise ToolError(str(error)) from error

    view = create = str_replace = insert = delete = rename = execute

    def clear_all_memory(self) -> str:
        """Remove all pages."""
        return _cleared(self.commands.pages)


class AsyncWangchuanMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for an asynchronous client; files are written in a thread."""

    def __init__(self, memory: Memory, **options: Any) -> None:
        super().__init__(**options)
        self._tool = WangchuanMemoryTool(memory)

    async def execute(self, command: Any) -> str:
        """Do what Claude asks; what cannot be done is told to Claude."""
        return await asyncio.to_thread(self._tool.execute, command)

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        """Remove all pages."""
        return await asyncio.to_thread(self._tool.clear_all_memory)


def _cleared(pages: Pages) -> str:
    for path in pages.paths():
        pages.delete(path)
    return "All memory cleared"
