"""Google ADK: sessions come again and again; what was deleted does not come back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import said
from google.adk.events import Event
from google.adk.sessions import Session
from google.genai.types import Content, Part

from wangchuan.ids import checked_id
from wangchuan.integrations.google_adk import WangchuanMemories, agent_of


def event(key: str, text: str, author: str = "user") -> Event:
    content = Content(role=author, parts=[Part(text=text)] if text else [])
    return Event(id=key, invocation_id="i", author=author, timestamp=1000.0, content=content)


def session(*events: Event, user: str = "ada", name: str = "s1") -> Session:
    return Session(app_name="app", user_id=user, id=name, events=list(events))


@pytest.fixture
def service(tmp_path: Path) -> Iterator[WangchuanMemories]:
    service = WangchuanMemories(tmp_path)
    yield service
    asyncio.run(service.close())


def found(service: WangchuanMemories, query: str, user: str = "ada") -> list[Any]:
    assert service.memory("app", user).flush(600)
    asked = service.search_memory(app_name="app", user_id=user, query=query)
    return list(asyncio.run(asked).memories)


def test_a_session_added_again_is_remembered_once(service: WangchuanMemories) -> None:
    first = [event("e1", "My cat is called Mimi."), event("e2", "Noted.", "friend")]
    asyncio.run(service.add_session_to_memory(session(*first)))
    again = session(*first, event("e3", ""), event("e4", "My dog is called Rex."))
    for _ in range(2):
        asyncio.run(service.add_session_to_memory(again))
    told = ["My cat is called Mimi.", "Noted.", "My dog is called Rex."]
    assert [text for _, text in said(service.memory("app", "ada"))] == told


def test_what_is_found_says_who_and_when(service: WangchuanMemories) -> None:
    asyncio.run(service.add_session_to_memory(session(event("e1", "My cat is called Mimi."))))
    (entry,) = found(service, "cat")
    assert (entry.id, entry.author, entry.content.parts[0].text) == (
        "e1",
        "user",
        "My cat is called Mimi.",
    )
    assert entry.timestamp.startswith("1970-01-01")


def test_users_have_memories_of_their_own(service: WangchuanMemories) -> None:
    asyncio.run(service.add_session_to_memory(session(event("e1", "My cat is called Mimi."))))
    other = session(event("e1", "The parrot is called Jack."), user="bob")
    asyncio.run(service.add_session_to_memory(other))
    assert found(service, "parrot") == []
    assert len(found(service, "parrot", "bob")) == 1


def test_what_was_deleted_does_not_come_back(service: WangchuanMemories) -> None:
    talk = session(event("e1", "My cat is called Mimi."), event("e2", "I live in Porto."))
    asyncio.run(service.add_session_to_memory(talk))
    (entry,) = found(service, "cat")
    asyncio.run(service.delete_memory(app_name="app", user_id="ada", memory_id=entry.id))
    asyncio.run(service.add_session_to_memory(talk))
    assert found(service, "cat") == []
    assert len(found(service, "Porto")) == 1
    gone = service.delete_memory(app_name="app", user_id="ada", memory_id="nobody")
    asyncio.run(gone)


def test_every_user_has_a_folder_and_no_two_have_one() -> None:
    pairs = [("app", "ada"), ("a+b", "c"), ("a", "b+c"), ("../x", "y"), ("app", "a" * 99), ("", "")]
    agents = [agent_of(*pair) for pair in pairs]
    assert len(set(agents)) == len(pairs)
    assert [checked_id(agent) for agent in agents] == agents
    assert agents[0] == "app+ada"
