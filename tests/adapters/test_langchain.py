"""LangChain: the block stands beside the user's turn, and a thread is remembered once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from conftest import said
from fakes.langchain import Model
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver

from wangchuan import Memory
from wangchuan.integrations.langchain import WangchuanMiddleware

SEEN: list[list[Any]] = []


class Seeing(Model):
    def _generate(self, messages: Any, *_: Any, **__: Any) -> Any:
        SEEN.append(list(messages))
        return super()._generate(messages)


@pytest.fixture
def agent(memory: Memory) -> Any:
    SEEN.clear()
    model = Seeing(messages=iter(()), answer=lambda _: "Noted.")
    options = {"system_prompt": "Be brief.", "checkpointer": InMemorySaver()}
    return create_agent(model, middleware=[WangchuanMiddleware(memory)], **options)


THREAD: Any = {"configurable": {"thread_id": "t1"}}


def ask(agent: Any, text: str) -> Any:
    return agent.invoke({"messages": [{"role": "user", "content": text}]}, THREAD)


def test_what_was_sent_before_stays_as_it_was(agent: Any, memory: Memory) -> None:
    ask(agent, "My cat is called Mimi.")
    memory.flush(600)
    state = ask(agent, "What is my cat called?")
    first, second = SEEN
    assert [m.text for m in second[: len(first)]] == [m.text for m in first]
    assert "Mimi" in second[-1].text
    assert second[0].text == "Be brief."
    assert [m.text for m in state["messages"]][2] == "What is my cat called?"  # no block in it


def test_in_an_event_loop_it_is_the_same(agent: Any, memory: Memory) -> None:
    given = {"messages": [{"role": "user", "content": "My cat is called Mimi."}]}
    asyncio.run(agent.ainvoke(given, THREAD))
    assert said(memory) == [("user", "My cat is called Mimi."), ("assistant", "Noted.")]


def test_a_thread_that_is_handed_over_again_is_remembered_once(agent: Any, memory: Memory) -> None:
    state = ask(agent, "My cat is called Mimi.")
    ask(agent, "My dog is called Rex.")
    for _ in range(2):  # the model answers once more; what was said is known
        agent.invoke({"messages": state["messages"]}, THREAD)
    users = [text for role, text in said(memory) if role == "user"]
    assert users == ["My cat is called Mimi.", "My dog is called Rex."]
