"""Google's ADK: memories of users as a memory service.

`Runner(…, memory_service=WangchuanMemories(root="memory_data"))`. Each user of an app has an
agent, a memory of their own. A session may be added as often as one likes: an event is known by its
id. `preload_memory` and `load_memory`, tools of the ADK, show what is found.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from wangchuan.errors import InvalidInput, NotFound
from wangchuan.host import Host
from wangchuan.ids import checked_id
from wangchuan.integrations.talk import at, settled, words
from wangchuan.memory import Memory
from wangchuan.messages import as_written
from wangchuan.types import Hit

FOUND = 10  # memories that a search shows
USER = "user"


class WangchuanMemories(BaseMemoryService):
    """A memory for every user of every app, in folders below a root."""

    def __init__(self, root: str | Path | None = None, *, host: Host | None = None) -> None:
        self.host = host or Host(root)
        self._open: dict[str, Memory] = {}

    def memory(self, app_name: str, user_id: str) -> Memory:
        """Return the memory of a user of an app."""
        if (agent := agent_of(app_name, user_id)) not in self._open:
            self._open[agent] = self.host.open(agent)
        return self._open[agent]

    async def add_session_to_memory(self, session: Any) -> None:
        """Remember what was said in a session; what is known already is not stored again."""
        whose = session.app_name, session.user_id
        self._keep(whose, map(_event, session.events), session.id)

    async def add_events_to_memory(
        self, *, app_name: str, user_id: str, events: Sequence[Any], **given: Any
    ) -> None:
        """Remember what was said in some events."""
        self._keep((app_name, user_id), map(_event, events), given.get("session_id"))

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Sequence[MemoryEntry], **_: Any
    ) -> None:
        """Remember entries as they are; one without an id is known by its words."""
        said = (_message(entry.id, entry.author, entry.content) for entry in memories)
        self._keep((app_name, user_id), said, None)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Return what is known of a query, best first, with who said it and when."""
        hits = await settled(self.memory(app_name, user_id)).search(query, limit=FOUND)
        best = {hit.sources[0].id: hit for hit in reversed(hits)}  # one for each message
        found = [hit for hit in hits if best[hit.sources[0].id] is hit]
        return SearchMemoryResponse(memories=[_entry(hit) for hit in found])

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Erase what was said under an id, and all that was made of it; it never comes back."""
        with suppress(NotFound):  # it may be gone already
            self.memory(app_name, user_id).erase(message_ids=[memory_id] if memory_id else [])

    async def close(self) -> None:
        """Close all memories."""
        self.host.close()

    def _keep(self, user: tuple[str, str], said: Iterable[dict[str, Any]], session: Any) -> None:
        messages = [message for message in said if message["content"]]
        if messages:
            self.memory(*user).remember(messages, session=session)


def agent_of(app_name: str, user_id: str) -> str:
    """Return the agent id of a user of an app: a readable one where that can name a folder."""
    plain = f"{app_name}+{user_id}"
    try:
        if plain.count("+") == 1:
            return checked_id(plain)
    except InvalidInput:
        pass
    return f"adk-{hashlib.sha256(json.dumps([app_name, user_id]).encode()).hexdigest()[:32]}"


def _event(event: Any) -> dict[str, Any]:
    return {**_message(event.id, event.author, event.content), "timestamp": event.timestamp}


def _message(key: str | None, author: str | None, content: Any) -> dict[str, Any]:
    text = as_written(words(content.parts if content else ()))
    who = {"role": USER} if author in (USER, None) else {"role": "assistant", "name": author}
    return {"id": key or at("memory", text), "content": text, **who}


def _entry(hit: Hit) -> MemoryEntry:
    said = hit.sources[0]
    when = said.timestamp
    return MemoryEntry(
        id=said.id,
        author=said.name or said.role,
        timestamp=None if when is None else datetime.fromtimestamp(when).isoformat(),
        content=types.Content(role=said.role, parts=[types.Part(text=hit.text)]),
    )
