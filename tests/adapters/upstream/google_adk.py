"""The ADK's tests of `InMemoryMemoryService`, with ours in its place."""

from __future__ import annotations

import tempfile

import google.adk.memory.in_memory_memory_service as theirs

from wangchuan.integrations import talk
from wangchuan.integrations.google_adk import WangchuanMemories

talk.LEFT_OVER = 60.0


class Service(WangchuanMemories):
    def __init__(self) -> None:
        super().__init__(tempfile.mkdtemp())


theirs.InMemoryMemoryService = Service
