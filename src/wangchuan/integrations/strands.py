"""Strands: a memory as a store of the memory manager.

`Agent(model, memory_manager=MemoryManager(stores=[WangchuanStore(memory)]))`. Strands puts what a
search finds beside the user's turn; the search gives the block, so facts, speakers and times stand
there as we rank them. Messages are handed over after every invocation, at least once: those that
come again are known by their number and their words.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from strands.memory import ExtractionConfig, InvocationTrigger, MemoryEntry

from wangchuan.integrations.talk import Line, Talk, at, words
from wangchuan.memory import Memory


class WangchuanStore:
    """A `MemoryStore` of Strands. Numbers of messages begin anew with each agent's run, so a store
    without a session is a session of its own.
    """

    description = "What the user said in earlier conversations, and what is known of the user."
    max_search_results: int | None = None
    writable = True

    def __init__(
        self, memory: Memory, *, session: str | None = None, name: str = "wangchuan"
    ) -> None:
        self.name, self.memory = name, memory
        self.extraction = ExtractionConfig(trigger=[InvocationTrigger()])
        self._talk = Talk(memory, session or f"strands-{uuid4().hex}")

    async def search(self, query: str, options: Any = None) -> list[MemoryEntry]:  # noqa: ARG002 (theirs)
        """Return the block for a query as one entry; nothing if nothing is known."""
        block = await self._talk.block(query)
        return [MemoryEntry(content=str(block))] if block else []

    async def add(self, content: str, metadata: Any = None) -> None:  # noqa: ARG002 (theirs)
        """Remember one thing; the same words again are the same thing."""
        self._talk.keep([Line(at("added", content), "user", content)])

    async def add_messages(self, messages: list[Any], context: Any = None) -> None:
        """Remember messages, each once, however often a batch is handed over."""
        numbers = getattr(context, "sequence_numbers", None) or range(len(messages))
        told = [(n, m["role"], words(m["content"])) for n, m in zip(numbers, messages, strict=True)]
        self._talk.keep(Line(at(n, text), role, text) for n, role, text in told if text)
