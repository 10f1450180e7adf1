"""Strands hands messages over at least once; each is remembered once."""

from __future__ import annotations

import asyncio
from typing import Any

from conftest import said
from strands import Agent
from strands.memory import AddMessagesContext, MemoryManager

from wangchuan import Memory
from wangchuan.integrations.strands import WangchuanStore


def test_a_batch_that_is_tried_again_is_remembered_once(memory: Memory) -> None:
    store = WangchuanStore(memory)
    batch: list[Any] = [
        {"role": "user", "content": [{"text": "My cat is called Mimi."}]},
        {"role": "assistant", "content": [{"text": "Noted."}]},
        {"role": "user", "content": [{"text": "Noted."}]},
    ]
    for _ in range(2):
        asyncio.run(store.add_messages(batch, AddMessagesContext(sequence_numbers=[0, 1, 4])))
    assert [text for _, text in said(memory)] == ["My cat is called Mimi.", "Noted.", "Noted."]


def test_the_block_is_shown_and_never_remembered(memory: Memory) -> None:
    from fakes.strands import Answering

    memory.remember("My cat is called Mimi.").result(600)
    seen = list[str]()
    model = Answering(lambda shown: seen.append(shown) or "Mimi.")  # type: ignore[func-returns-value]
    manager = MemoryManager(stores=[WangchuanStore(memory, session="s")])
    agent = Agent(model, memory_manager=manager, callback_handler=None)
    for _ in range(2):
        agent("What is my cat called?")
    assert "Mimi" in seen[0]
    assert "wangchuan" in seen[0]
    assert not any("memory" in text or "<" in text for _, text in said(memory))
