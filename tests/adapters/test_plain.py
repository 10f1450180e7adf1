"""Plain loops: a decorator, with both clients' answers, synchronous and not."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from conftest import said

from wangchuan import Memory
from wangchuan.integrations.plain import remembering


def test_a_request_that_is_sent_again_changes_nothing(memory: Memory) -> None:
    @remembering(memory)
    def ask(messages: list[Any]) -> str:
        return "Noted."

    history = [{"role": "system", "content": "Be brief."}]
    for text in ("My cat is called Mimi.", "Yes.", "Yes."):
        history.append({"role": "user", "content": text})
        for _ in range(2):
            reply = ask(history)
        history.append({"role": "assistant", "content": reply})
    users = [text for role, text in said(memory) if role == "user"]
    assert users == ["My cat is called Mimi.", "Yes.", "Yes."]
    assert len(said(memory)) == 6
    assert ask(history[:2]) == "Noted."  # the first turn, once more
    assert len(said(memory)) == 6


def test_an_asynchronous_function_and_parts_of_content(memory: Memory) -> None:
    memory.remember("My cat is called Mimi.").result(600)
    shown = list[Any]()

    @remembering(memory, session="s")
    async def ask(messages: list[Any], **options: Any) -> Any:
        shown.append((messages, options))
        return SimpleNamespace(content=[SimpleNamespace(type="text", text="Mimi.")])

    history = [{"role": "user", "content": [{"type": "text", "text": "What is my cat called?"}]}]
    asyncio.run(ask(history, temperature=0))
    (messages, options) = shown[0]
    assert "Mimi" in messages[0]["content"][0]["text"]
    assert history[0]["content"] == [{"type": "text", "text": "What is my cat called?"}]
    assert options == {"temperature": 0}
    assert said(memory)[1:] == [("user", "What is my cat called?"), ("assistant", "Mimi.")]
