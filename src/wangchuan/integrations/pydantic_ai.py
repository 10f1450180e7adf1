"""Pydantic AI: a memory as a capability of an agent.

`Agent(model, capabilities=[WangchuanMemory(memory)])`. The block stands beside the user's prompt in
what is sent to the model, never in the history; when a run has ended, its new messages are
remembered. A conversation of theirs is a session. For the harness' `Memory`, which keeps files, see
`wangchuan.integrations.pydantic_ai_harness`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from wangchuan.integrations import talk
from wangchuan.integrations.talk import Blocks, Line, Talk, beside, words
from wangchuan.memory import Memory


@dataclass
class WangchuanMemory(AbstractCapability[Any]):
    """Put what is remembered beside the user's prompt, remember runs, and offer tools."""

    memory: Memory
    session: str | None = None
    tools: bool = True
    _blocks: Blocks = field(default_factory=Blocks, init=False, repr=False, compare=False)

    def get_toolset(self) -> Any:
        """Return tools by which an agent looks something up and keeps something."""
        memory = self.memory

        async def search_memory(query: str) -> str:
            """Search everything the user ever said. Call it before answering from memory."""
            return await talk.search_memory(memory, query)

        async def remember(text: str) -> str:
            """Keep something worth knowing in later conversations."""
            memory.remember(text)
            return "Kept."

        return FunctionToolset([search_memory, remember]) if self.tools else None

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: Any, handler: Any
    ) -> ModelResponse:
        """Ask with the block of this turn beside the user's last prompt, for this request only."""
        return await handler(await self._with_block(ctx, request_context))

    async def _with_block(self, ctx: RunContext[Any], request_context: Any) -> Any:
        messages: list[ModelMessage] = list(request_context.messages)
        for n in range(len(messages) - 1, -1, -1):
            message = messages[n]
            prompt = _prompt(message)
            if isinstance(message, ModelRequest) and prompt is not None:
                turn = self._blocks.of(self._talk(ctx), str(ctx.run_id), words(prompt.content))
                messages[n] = _placed(message, prompt, await turn)
                return replace(request_context, messages=messages)
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: Any) -> Any:
        """Remember the new messages of a run; one that is told twice is remembered once."""
        said = enumerate(_said(result.new_messages()))
        self._talk(ctx).keep(Line(f"{ctx.run_id}:{n}", role, text) for n, (role, text) in said)
        return result

    def _talk(self, ctx: RunContext[Any]) -> Talk:
        conversation = getattr(ctx, "conversation_id", None)
        return Talk(self.memory, self.session or str(conversation or "default"))


def _prompt(message: ModelMessage) -> UserPromptPart | None:
    found = [part for part in message.parts if isinstance(part, UserPromptPart)]
    return found[-1] if found and isinstance(message, ModelRequest) else None


def _placed(message: ModelRequest, prompt: UserPromptPart, block: str) -> ModelRequest:
    if not block:
        return message
    given: Any = prompt.content
    content = beside(block, given) if isinstance(given, str) else [block, *given]
    parts = [replace(p, content=content) if p is prompt else p for p in message.parts]
    return replace(message, parts=parts)


def _said(messages: list[ModelMessage]) -> list[tuple[str, str]]:
    """Return who said what in a run: prompts, and texts of answers."""
    found = list[tuple[str, str]]()
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                found.append(("user", words(part.content)))
            elif isinstance(part, TextPart) and isinstance(message, ModelResponse):
                found.append(("assistant", part.content))
    return found
