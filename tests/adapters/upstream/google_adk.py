"""The ADK's tests of `InMemoryMemoryService`, with ours in its place."""

from __future__ import annotations

import tempfile

import google.adk.memory.in_memory_memory_service as theirs

from wangchuan.integrations import talk
from wangchuan.integrations.google_adk import WangchuanMemories
from wangchuan.types import Said

talk.LEFT_OVER = 60.0


class Service(WangchuanMemories):
    def __init__(self) -> None:
        super().__init__(tempfile.mkdtemp())

    @property
    def _session_events(self) -> dict[str, dict[str | None, list[Said]]]:
        """What is remembered, in the shape in which their service holds it and their tests look."""
        found: dict[str, dict[str | None, list[Said]]] = {}
        for agent, memory in self._open.items():
            sessions = found.setdefault(agent.replace("+", "/"), {})
            for said in memory.look.messages():
                sessions.setdefault(said.session, []).append(said)
        return found


theirs.InMemoryMemoryService = Service
