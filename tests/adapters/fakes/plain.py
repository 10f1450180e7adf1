"""OpenAI's client before a transport that answers as a model would."""

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

import openai._base_client
from openai import OpenAI

httpx: Any = import_module("httpx2" if hasattr(openai._base_client, "httpx2") else "httpx")


def model(answer: Callable[[str], str]) -> OpenAI:
    def respond(request: httpx.Request) -> httpx.Response:
        shown = "\n".join(str(one["content"]) for one in json.loads(request.content)["messages"])
        said = {"role": "assistant", "content": answer(shown)}
        choice = {"index": 0, "finish_reason": "stop", "message": said}
        whole = {"id": "x", "object": "chat.completion", "created": 0, "model": "fake"}
        return httpx.Response(200, json={**whole, "choices": [choice]})

    client = httpx.Client(transport=httpx.MockTransport(respond))
    return OpenAI(api_key="none", base_url="http://fake/v1", http_client=client)
