"""The SDK's tests of sessions, with ours in the place of `SQLiteSession`."""

from __future__ import annotations

import tempfile
from typing import Any

import agents
import agents.memory

from wangchuan import Memory
from wangchuan.integrations.openai_agents import WangchuanSession

OPEN: dict[str, Memory] = {}


class Session(WangchuanSession):
    def __init__(self, session_id: str, db_path: Any = ":memory:", **options: Any) -> None:
        key = tempfile.mkdtemp() if str(db_path) == ":memory:" else str(db_path)
        if key not in OPEN:
            settings = {"durability": "normal"}
            OPEN[key] = Memory.open("s", root=tempfile.mkdtemp(), settings=settings)
        super().__init__(OPEN[key], session_id, options.get("session_settings"))

    def close(self) -> None:
        pass


agents.SQLiteSession = agents.memory.SQLiteSession = Session
