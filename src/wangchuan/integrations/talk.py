"""A talk that a framework has with a memory: the block beside a turn, and what was said, once.

Frameworks hand over the same messages again: after a retry, with a resumed session, with the whole
history of every run. So a message is known by its session and a key of the framework's own; given
again, it is the same message. What a client put around a person's words, our own block among it,
is taken off before anything is asked or remembered.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wangchuan.memory import Memory
from wangchuan.messages import as_written
from wangchuan.pending import Pending, Receipt


class Line(NamedTuple):
    """Something that was said: by whom, and by which key the framework knows it."""

    key: str
    role: str
    text: str


class Talk:
    """One session of a framework with one memory."""

    def __init__(self, memory: Memory, session: str = "default") -> None:
        self.memory, self.session = memory, session

    def block(self, said: str) -> Pending[str]:
        """Return what is to stand beside what the user says now; empty if nothing is known."""
        return self.memory.context(as_written(said) or None)

    def keep(self, lines: Iterable[Line]) -> Receipt | None:
        """Remember what was said; None if nothing of it was written by anybody."""
        messages = [
            {"id": f"{self.session}:{line.key}", "role": line.role, "content": written}
            for line in lines
            if (written := as_written(line.text))
        ]
        return self.memory.remember(messages, session=self.session) if messages else None


def beside(block: str, said: str) -> str:
    """Return a user's turn with the block before it; without one, the turn as it is."""
    return f"{block}\n\n{said}" if block else said
