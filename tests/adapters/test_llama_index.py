"""LlamaIndex: what a block is shown and what it is handed is remembered once."""

from __future__ import annotations

import asyncio

from conftest import said
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory as Short

from wangchuan import Memory
from wangchuan.integrations.llama_index import WangchuanBlock

TALK = [
    ChatMessage(role="user", content="My cat is called Mimi."),
    ChatMessage(role="assistant", content="Yes."),
    ChatMessage(role="user", content="Yes."),
    ChatMessage(role="system", content="Be brief."),
    ChatMessage(role="user", content="Yes."),
]
TOLD = [("user", "My cat is called Mimi."), ("assistant", "Yes."), ("user", "Yes.")]


def test_what_is_shown_and_handed_over_is_remembered_once(memory: Memory) -> None:
    async def story() -> None:
        for _ in range(2):
            block = WangchuanBlock(memory)
            await block.aget(TALK)
            await block.aput(TALK, from_short_term_memory=True)

    asyncio.run(story())
    assert said(memory) == [*TOLD, TOLD[2]]


def test_the_block_stands_beside_the_users_turn_and_is_not_remembered(memory: Memory) -> None:
    memory.remember("My cat is called Mimi.").result(600)
    block = WangchuanBlock(memory)
    given = {"insert_method": "user", "tokenizer_fn": str.split}
    short = Short.from_defaults(memory_blocks=[block], **given)
    short.put(ChatMessage(role="user", content="What is my cat called?"))
    shown = short.get()
    assert "Mimi" in str(shown[-1])
    asyncio.run(block.aput(shown))  # as they stand in the prompt
    users = [text for role, text in said(memory) if role == "user"]
    assert set(users) == {"My cat is called Mimi.", "What is my cat called?"}
