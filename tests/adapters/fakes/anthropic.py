"""Anthropic's client before a transport that plays Claude: it looks at its page, then writes."""

import json
from collections.abc import Callable
from typing import Any

from anthropic import Anthropic

try:
    import httpx2 as httpx
except ImportError:
    import httpx

PAGE = "/memories/home.md"


def decide(said: str, results: list[str], answer: Callable[[str], str]) -> dict[str, Any]:
    """Return the next block of Claude's: a command, or words."""
    if not results:
        return command(command="view", path=PAGE)
    old, told = answer(results[0]), answer(said)
    tells = any(mark in said for mark in ("live in", "住在成都", "住在杭州"))
    if len(results) > 1 or not tells:
        return {"type": "text", "text": told if tells else old}
    if "does not exist" in results[0]:
        return command(command="create", path=PAGE, file_text=f"Home: {told}\n")
    return command(command="str_replace", path=PAGE, old_str=old, new_str=told)


def results_in(messages: list[dict[str, Any]]) -> list[str]:
    parts = [
        part for one in messages if isinstance(one["content"], list) for part in one["content"]
    ]
    return [json.dumps(part, ensure_ascii=False) for part in parts if part["type"] == "tool_result"]


def command(**given: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": given}


def model(answer: Callable[[str], str]) -> Anthropic:
    talk: list[dict[str, Any]] = []  # newer clients send only what is new

    def respond(request: Any) -> Any:
        asked = json.loads(request.content)
        if "tools" in asked:
            assert asked["tools"] == [{"type": "memory_20250818", "name": "memory"}]
            talk.clear()
        talk.extend(asked["messages"])
        block = decide(talk[0]["content"], results_in(talk), answer)
        stop = "tool_use" if block["type"] == "tool_use" else "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "fake"}
        message |= {"content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage}
        return httpx.Response(200, json=message)

    client = httpx.Client(transport=httpx.MockTransport(respond))
    return Anthropic(api_key="none", base_url="http://fake", http_client=client)
