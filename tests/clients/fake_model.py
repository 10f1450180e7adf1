"""A small model that always says the same, in the dialects of three vendors."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SAID = "Understood, the bicycle."
USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}


def anthropic() -> list[tuple[str, Any]]:
    """A message of Anthropic's, as events."""
    message = {
        "id": "msg_x", "type": "message", "role": "assistant", "model": "fake", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": USAGE,
    }  # fmt: skip
    text = {"type": "text_delta", "text": SAID}
    return [
        ("message_start", {"type": "message_start", "message": message}),
        (
            "content_block_start",
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
        ),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": text}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        (
            "message_delta",
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                "usage": {"output_tokens": 1},
            },
        ),
        ("message_stop", {"type": "message_stop"}),
    ]


def responses() -> list[tuple[str, Any]]:
    """An answer of OpenAI's responses, as events."""
    part = {"type": "output_text", "text": SAID, "annotations": []}
    item = {
        "type": "message",
        "id": "m1",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    whole = {
        "id": "r1",
        "object": "response",
        "status": "completed",
        "output": [item],
        "usage": USAGE,
    }
    begun = {**item, "status": "in_progress", "content": []}
    return [
        ("response.created", {"type": "response.created", "response": {"id": "r1"}}),
        (
            "response.output_item.added",
            {"type": "response.output_item.added", "output_index": 0, "item": begun},
        ),
        (
            "response.output_item.done",
            {"type": "response.output_item.done", "output_index": 0, "item": item},
        ),
        ("response.completed", {"type": "response.completed", "response": whole}),
    ]


def completions() -> list[tuple[str, Any]]:
    """An answer of OpenAI's chat completions, as pieces."""
    usual = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
    said = {"index": 0, "delta": {"role": "assistant", "content": SAID}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    return [("", usual | {"choices": [said]}), ("", usual | {"choices": [end]}), ("", "[DONE]")]


DIALECTS = {"messages": anthropic, "responses": responses, "completions": completions}


class Answering(BaseHTTPRequestHandler):
    """Answers in the dialect that is asked for."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(b'{"data": [], "models": []}', "application/json")

    def do_HEAD(self) -> None:
        self._send(b"", "application/json")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        name = self.path.partition("?")[0].rsplit("/", 1)[-1]
        if name not in DIALECTS:
            self._send(b'{"input_tokens": 1}', "application/json")
            return
        self.server.heard.append(body)  # type: ignore[attr-defined]
        events = DIALECTS[name]()
        if name == "completions" and not json.loads(body).get("stream"):
            message = {"role": "assistant", "content": SAID}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            whole = {"id": "c1", "object": "chat.completion", "created": 1, "model": "fake"}
            self._send(json.dumps(whole | {"choices": [choice]}).encode(), "application/json")
            return
        told = "".join(
            (f"event: {kind}\n" if kind else "")
            + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
            for kind, data in events
        )
        self._send(told.encode(), "text/event-stream")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class FakeModel:
    """The model on a port of its own."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.heard: list[bytes] = []
        self._server.heard = self.heard  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
