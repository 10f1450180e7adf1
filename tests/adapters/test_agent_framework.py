"""Microsoft Agent Framework: a run told twice is remembered once; histories go on."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from agent_framework import Agent, Message
from conftest import said
from fakes.agent_framework import model

from wangchuan import Memory
from wangchuan.integrations.agent_framework import WangchuanHistory, WangchuanProvider


def test_a_run_that_is_told_twice_is_remembered_once(memory: Memory) -> None:
    provider, state = WangchuanProvider(memory), dict[str, Any]()
    answer = SimpleNamespace(messages=[Message("assistant", ["Noted."])])
    given = {"agent": None, "session": SimpleNamespace(session_id="s"), "state": state}

    async def story() -> None:
        for text in ("My cat is called Mimi.", "Yes.", "Yes."):
            context = SimpleNamespace(input_messages=[Message("user", [text])], response=answer)
            context.extend_messages = lambda *_: None
            await provider.before_run(context=context, **given)
            await provider.after_run(context=context, **given)
            await provider.after_run(context=context, **given)

    asyncio.run(story())
    users = [text for role, text in said(memory) if role == "user"]
    assert users == ["My cat is called Mimi.", "Yes.", "Yes."]


def test_a_history_goes_on_in_another_provider(memory: Memory) -> None:
    shown = list[str]()

    async def story() -> None:
        for text in ("My cat is called Mimi.", "What is my cat called?"):
            providers = [WangchuanHistory(memory)]
            client = model(lambda seen: shown.append(seen) or "Noted.")
            agent = Agent(client, context_providers=providers)
            session = agent.create_session(session_id="s")
            await agent.run(text, session=session)

    asyncio.run(story())
    assert shown[1].splitlines() == ["My cat is called Mimi.", "Noted.", "What is my cat called?"]
    assert said(memory) == []  # a history remembers nothing by itself
