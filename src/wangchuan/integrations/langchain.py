"""LangChain: a memory as a middleware of an agent.

`create_agent(model, middleware=[WangchuanMiddleware(memory)])`. The block stands beside the last
turn of the user and nowhere else, so that what was sent before stays as it was; when the agent has
answered, the turn is remembered. A thread of LangGraph is a session.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware.types import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.config import get_config

from wangchuan.integrations.talk import Blocks, Line, Talk, at, beside
from wangchuan.memory import Memory
from wangchuan.pending import Pending

SPEAKERS = {HumanMessage: "user", AIMessage: "assistant"}


class WangchuanMiddleware(AgentMiddleware):
    """Put what is remembered beside the user's turn, and remember the turn."""

    def __init__(self, memory: Memory, *, session: str | None = None) -> None:
        super().__init__()
        self.memory, self.session = memory, session
        self._blocks = Blocks()

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """Ask the model with the block beside the user's turn."""
        asked = self._asked(request)
        return handler(_placed(request, asked.result()) if asked else request)

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Do the same in an event loop."""
        asked = self._asked(request)
        return await handler(_placed(request, await asked) if asked else request)

    def after_agent(self, state: Any, runtime: Any) -> None:  # noqa: ARG002 (theirs)
        """Remember the turn that ends: what the user said, and what was answered."""
        messages = state["messages"]
        turn = messages[_last(messages) or 0 :]
        self._talk().keep(
            Line(message.id or at(n, message.text), SPEAKERS[type(message)], message.text)
            for n, message in enumerate(turn)
            if type(message) in SPEAKERS
        )

    async def aafter_agent(self, state: Any, runtime: Any) -> None:
        """Do the same: remembering takes no time."""
        self.after_agent(state, runtime)

    def _talk(self) -> Talk:
        thread = get_config().get("configurable", {}).get("thread_id")
        return Talk(self.memory, self.session or str(thread or "default"))

    def _asked(self, request: ModelRequest) -> Pending[str] | None:
        """Return the block of this turn: the same however often the model is asked in it."""
        last = _last(request.messages)
        if last is None:
            return None
        said = request.messages[last]
        return self._blocks.of(self._talk(), str(said.id), said.text)


def _last(messages: Sequence[AnyMessage]) -> int | None:
    """Return the place of the user's last turn."""
    said = [n for n, message in enumerate(messages) if isinstance(message, HumanMessage)]
    return said[-1] if said else None


def _placed(request: ModelRequest, block: str) -> ModelRequest:
    last = _last(request.messages)
    if not block or last is None:
        return request
    said = request.messages[last]
    content: Any = said.content
    if isinstance(content, str):
        content = beside(block, content)
    else:
        content = [{"type": "text", "text": block}, *content]
    placed = said.model_copy(update={"content": content})
    return request.override(
        messages=[*request.messages[:last], placed, *request.messages[last + 1 :]]
    )
