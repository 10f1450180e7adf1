"""Pydantic AI: the block is in requests, never in the history; a run is remembered once."""

from __future__ import annotations

import asyncio
from typing import Any

from conftest import said
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from wangchuan import Memory
from wangchuan.integrations.pydantic_ai import WangchuanMemory


def test_the_block_is_no_part_of_the_history(memory: Memory) -> None:
    shown = list[str]()

    def reply(messages: Any, info: Any) -> ModelResponse:
        shown.append(str(messages))
        return ModelResponse(parts=[TextPart("Noted.")])

    agent = Agent(FunctionModel(reply), capabilities=[WangchuanMemory(memory, session="s")])
    first = agent.run_sync("My cat is called Mimi.")
    memory.flush(600)
    second = agent.run_sync("What is my cat called?", message_history=first.all_messages())
    assert "wangchuan-memory" in shown[1]
    assert "wangchuan-memory" not in str(second.all_messages())
    told = ["My cat is called Mimi.", "Noted.", "What is my cat called?", "Noted."]
    assert [text for _, text in said(memory)] == told


def test_a_run_that_is_told_twice_is_remembered_once(memory: Memory) -> None:
    capability = WangchuanMemory(memory, session="s")
    kept = list[Any]()

    class Twice(WangchuanMemory):
        async def after_run(self, ctx: Any, *, result: Any) -> Any:
            kept.append((ctx, result))
            return await super().after_run(ctx, result=result)

    model = FunctionModel(lambda *_: ModelResponse(parts=[TextPart("Noted.")]))
    Agent(model, capabilities=[Twice(memory, session="s")]).run_sync("My cat is called Mimi.")
    asyncio.run(capability.after_run(kept[0][0], result=kept[0][1]))
    assert [text for _, text in said(memory)] == ["My cat is called Mimi.", "Noted."]


def test_the_agent_can_search_and_remember(memory: Memory) -> None:
    memory.remember("My cat is called Mimi.").result(600)

    def reply(messages: Any, info: Any) -> ModelResponse:
        if len(messages) == 1:
            assert {tool.name for tool in info.function_tools} == {"search_memory", "remember"}
            return ModelResponse(parts=[ToolCallPart("search_memory", {"query": "cat"})])
        return ModelResponse(parts=[TextPart(str(messages[-1].parts[0].content))])

    agent = Agent(FunctionModel(reply), capabilities=[WangchuanMemory(memory)])
    assert "Mimi" in agent.run_sync("Look it up.").output
