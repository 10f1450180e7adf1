"""LlamaIndex: a memory as a block of its `Memory`.

`Memory.from_defaults(memory_blocks=[WangchuanBlock(memory)], insert_method="user")` puts the block
beside the user's last message. LlamaIndex hands a block only what leaves its short-term memory; so
this one also remembers what it is shown when it is asked, each message once. The very last answer
of a session is therefore remembered when the session goes on.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory import BaseMemoryBlock

from wangchuan.integrations.talk import Line, Talk, at
from wangchuan.memory import Memory

SPEAKERS = ("user", "assistant")


class WangchuanBlock(BaseMemoryBlock[str]):
    """What is remembered, as a text for the prompt; and what is said, remembered."""

    name: str = "wangchuan"
    _talk: Talk = PrivateAttr()
    _known: set[str] = PrivateAttr(default_factory=set)  # what was handed over from here already

    def __init__(self, memory: Memory, *, session: str = "default", **options: Any) -> None:
        super().__init__(**options)
        self._talk = Talk(memory, session)

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        """Return the block for the user's last message, and remember what is shown."""
        lines = _lines(messages or [])
        said = [line.text for line in lines if line.role == "user"]
        block = await self._talk.block(said[-1] if said else "")
        self._keep(lines)
        return str(block)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Remember what leaves the short-term memory, if it was not shown before."""
        self._keep(_lines(messages))

    def _keep(self, lines: list[Line]) -> None:
        self._talk.keep(line for line in lines if line.key not in self._known)
        self._known.update(line.key for line in lines)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:  # noqa: ARG002 (theirs)
        """Leave the block out rather than cut it: half of it would no longer be known as ours."""
        return None


def _lines(messages: list[ChatMessage]) -> list[Line]:
    """Return who said what. Their messages have no ids: of equal ones, the n-th is the n-th."""
    times: Counter[tuple[str, str]] = Counter()
    found = list[Line]()
    for message in messages:
        role, text = message.role.value, message.content or ""
        if role in SPEAKERS and text:
            times[role, text] += 1
            found.append(Line(at(times[role, text], text), role, text))
    return found
