"""Microsoft's Agent Framework: a memory as a context provider, and a session's history beside it.

`Agent(client, context_providers=[WangchuanProvider(memory)])` puts the block before what the user
says in a run and remembers the run. `WangchuanHistory(memory)` keeps whole sessions, as the
framework's own history providers do, so that a session goes on in another process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent_framework import ContextProvider, HistoryProvider, Message

from wangchuan.integrations.talk import Line, Talk, Transcript, at
from wangchuan.memory import Memory

SPACE = "agent-framework"
SPEAKERS = ("user", "assistant")


class WangchuanProvider(ContextProvider):
    """Put what is remembered before what the user says, and remember runs."""

    def __init__(
        self, memory: Memory, *, session: str | None = None, source_id: str = "wangchuan"
    ) -> None:
        super().__init__(source_id)
        self.memory, self.session = memory, session

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: Any) -> None:  # noqa: ARG002 (theirs)
        """Add the block of this turn, and count the turn: by its number it is known again."""
        state["turn"] = int(state.get("turn", 0)) + 1
        said = [message.text for message in context.input_messages if message.role == "user"]
        block = await self._talk(session).block(said[-1] if said else "")
        if block:
            context.extend_messages(self, [Message("user", [str(block)])])

    async def after_run(self, *, agent: Any, session: Any, context: Any, state: Any) -> None:  # noqa: ARG002 (theirs)
        """Remember what was said in this turn; told twice, it is remembered once."""
        answered = context.response.messages if context.response else []
        self._talk(session).keep(
            Line(_key(message, f"{state.get('turn', 0)}.{n}"), str(message.role), message.text)
            for n, message in enumerate([*context.input_messages, *answered])
            if message.role in SPEAKERS and message.text
        )

    def _talk(self, session: Any) -> Talk:
        return Talk(self.memory, self.session or str(getattr(session, "session_id", "default")))


class WangchuanHistory(HistoryProvider):
    """The messages of sessions, whole and in order, beside the memory."""

    def __init__(self, memory: Memory, *, source_id: str = "wangchuan-history", **options: Any):
        super().__init__(source_id, **options)
        self.memory = memory

    async def get_messages(self, session_id: str | None, **_: Any) -> list[Message]:
        """Return the messages of a session, oldest first."""
        return [Message.from_dict(item) for item in self._transcript(session_id).all()]

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        **_: Any,
    ) -> None:
        """Add messages to a session."""
        self._transcript(session_id).add([message.to_dict() for message in messages])

    def _transcript(self, session_id: str | None) -> Transcript:
        return Transcript(self.memory, SPACE, session_id or "default")


def _key(message: Message, place: str) -> str:
    return str(message.message_id or at(place, message.text))
