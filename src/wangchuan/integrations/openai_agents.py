"""OpenAI Agents: a session whose talk is remembered, and the memory as instructions and tools.

`Runner.run(agent, said, session=WangchuanSession(memory, "s1"))` keeps the items of a session as
the SDK wants them, beside the memory, and remembers what the user and the agent said.
`Agent(instructions=instructions(memory, "…"), tools=tools(memory))` lets it know what is known.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from agents import FunctionTool, function_tool
from agents.memory import SessionSettings

from wangchuan.integrations import talk
from wangchuan.integrations.talk import Line, Talk, Transcript, at, beside, words
from wangchuan.memory import Memory

SPACE = "openai-agents"


class WangchuanSession:
    """The `Session` of the SDK: its items beside the memory, its words in it."""

    def __init__(
        self, memory: Memory, session_id: str, session_settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings: Any = SessionSettings().resolve(session_settings)
        self._talk = Talk(memory, session_id)
        self._transcript = Transcript(memory, SPACE, session_id)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the items of the session in order; with a limit, the last of them."""
        given = self.session_settings.limit if limit is None else limit
        found = self._transcript.all()
        return found if given is None else found[max(len(found) - given, 0) :] if given > 0 else []

    async def add_items(self, items: list[Any]) -> None:
        """Add items, and remember those that the user or the agent said."""
        first = self._transcript.add(items)
        self._talk.keep(line for n, item in enumerate(items, first) if (line := _said(item, n)))

    async def pop_item(self) -> Any:
        """Take the last item out of the session; what was said stays remembered."""
        return self._transcript.pop()

    async def clear_session(self) -> None:
        """Take all items out of the session; what was said stays remembered."""
        self._transcript.clear()


def instructions(memory: Memory, base: str = "") -> Callable[[Any, Any], Awaitable[str]]:
    """Return instructions with what is remembered of what the user says in this turn."""

    async def told(context: Any, agent: Any) -> str:  # noqa: ARG001 (theirs)
        turn = [line for n, item in enumerate(context.turn_input) if (line := _said(item, n))]
        asked = next((line.text for line in reversed(turn) if line.role == "user"), "")
        return beside(base, await Talk(memory).block(asked)).strip()

    return told


def tools(memory: Memory) -> list[FunctionTool]:
    """Return tools by which an agent looks something up and keeps something."""

    async def search_memory(query: str) -> str:
        """Search everything the user ever said. Call it before answering from memory."""
        return await talk.search_memory(memory, query)

    async def remember(text: str) -> str:
        """Keep something worth knowing in later conversations."""
        memory.remember(text)
        return "Kept."

    return [function_tool(search_memory), function_tool(remember)]


def _said(item: Any, n: int) -> Line | None:
    """Return what was said by an item of the Responses API, None if it is no message."""
    if not isinstance(item, dict) or item.get("role") not in ("user", "assistant"):
        return None
    text = words(item.get("content"))
    return Line(at(n, text), item["role"], text)
