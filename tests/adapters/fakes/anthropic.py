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


def decide(messages: list[dict[str, Any]], answer: Callable[[str], str]) -> dict[str, Any]:
    """Return the next block of Claude's: a command, or words."""
    said, results = messages[0]["content"], messages[1:]
    if not results:
        return command(command="view", path=PAGE)
    shown = json.dumps(results[-1]["content"], ensure_ascii=False)
    old, told = answer(shown), answer(said)
    if len(results) > 2 or not any(mark in said for mark in ("live in", "住在成都", "住在杭州")):
        return {"type": "text", "text": told if len(results) > 2 else old}
    if "does not exist" in shown:
        return command(command="create", path=PAGE, file_text=f"Home: {told}\n")
    return command(command="str_replace", path=PAGE, old_str=old, new_str=told)


def command(**given: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": given}


def model(answer: Callable[[str], str]) -> Anthropic:
    def respond(request: Any) -> Any:
        asked = json.loads(request.content)
        assert asked["tools"] == [{"type": "memory_20250818", "name": "memory"}]
        block = decide(asked["messages"], answer)
        stop = "tool_use" if block["type"] == "tool_use" else "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "fake"}
        message |= {"content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage}
        return httpx.Response(200, json=message)

    client = httpx.Client(transport=httpx.MockTransport(respond))
    return Anthropic(api_key="none", base_url="http://fake", http_client=client)
