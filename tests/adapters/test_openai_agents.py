"""OpenAI Agents: a session goes on in another process, and is remembered once."""

from __future__ import annotations

from typing import Any

from agents import Agent, Runner
from conftest import said
from fakes.openai_agents import model

from wangchuan import Memory
from wangchuan.integrations.openai_agents import WangchuanSession, instructions, tools


def test_a_session_handed_over_again_is_remembered_once(memory: Memory) -> None:
    import asyncio

    async def tell() -> None:
        old: list[Any] = [
            {"role": "user", "content": "My cat is called Mimi."},
            {"role": "assistant", "content": [{"type": "output_text", "text": "Noted."}]},
        ]
        for _ in range(2):
            await WangchuanSession(memory, "s1").add_items(old)
        await WangchuanSession(memory, "s1").add_items([{"role": "user", "content": "Yes."}])
        await WangchuanSession(memory, "s2").add_items(old[:1])

    asyncio.run(tell())
    told = [("user", "My cat is called Mimi."), ("assistant", "Noted."), ("user", "Yes.")]
    assert said(memory) == [*told, told[0]]  # said again in another session


def test_a_session_is_sent_whole_and_the_block_is_no_part_of_it(memory: Memory) -> None:
    import asyncio

    async def talk() -> list[Any]:
        given = {"instructions": instructions(memory, "Be brief."), "tools": tools(memory)}
        agent = Agent(name="a", model=model(lambda shown: shown), **given)
        session = WangchuanSession(memory, "s1")
        await Runner.run(agent, "My cat is called Mimi.", session=session)
        memory.flush(600)
        await Runner.run(agent, "What is my cat called?", session=session)
        return await WangchuanSession(memory, "s1").get_items()

    items = asyncio.run(talk())
    assert len(items) == 4
    assert "Be brief." in str(items[3])  # the fake answers with what it was shown
    assert "Mimi" in str(items[3])
    assert [text for role, text in said(memory) if role == "user"] == [
        "My cat is called Mimi.",
        "What is my cat called?",
    ]
    assert not any("wangchuan-memory" in text for _, text in said(memory))
