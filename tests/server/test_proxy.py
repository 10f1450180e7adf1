"""The official clients through the proxy, to a model's server that is made up."""

from __future__ import annotations

import http.client
import json
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from server.served import Served
from stage import PATIENCE

from wangchuan.messages import BLOCK_OPEN
from wangchuan.server.turns import CHAT, MESSAGES, RESPONSES, Reply, last_turn, with_block

pytestmark = pytest.mark.filterwarnings("ignore")  # what clients leave open


class Upstream(ThreadingHTTPServer):
    """A model's server: it keeps what it was sent and says "Tea it is"."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.bodies: list[dict[str, Any]] = []
        self.heads: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.status, self.tool, self.hold = 200, False, threading.Event()
        self.hold.set()
        self.silent, self.left = False, queue.Queue[bytes]()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Upstream

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        self.answer({"object": "list", "data": [{"id": "m", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.paths.append(self.path)
        self.server.bodies.append(body)
        self.server.heads.append({k.lower(): v for k, v in self.headers.items()})
        if self.server.status != 200:
            self.answer({"error": {"message": "no", "type": "x"}}, self.server.status)
        elif body.get("stream"):
            self.stream(EVENTS[self.path.rpartition("/")[2]])
        elif self.server.tool and body["messages"][-1]["role"] == "user":
            call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            self.answer(chat({"role": "assistant", "content": None, "tool_calls": [call]}))
        else:
            self.answer(WHOLE[self.path.rpartition("/")[2]])

    def answer(self, value: Any, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if status == 302:
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()
        self.wfile.write(data)

    def stream(self, events: list[Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for n, event in enumerate(events):
            if n == 3:
                self.server.hold.wait(PATIENCE)
                if self.server.silent:  # until whoever asked hangs up
                    self.server.left.put(self.connection.recv(1))
                    return
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        if "type" not in events[0]:
            self.wfile.write(b"data: [DONE]\n\n")


def chat(message: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def chunk(text: str) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"} | {
        "choices": [choice]
    }


SAID = {"type": "message", "id": "x", "role": "assistant", "status": "completed"} | {
    "content": [{"type": "output_text", "text": "Tea it is", "annotations": []}]
}
RESPONSE = {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": [SAID]} | {
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "status": "completed",
}
ANTHROPIC = {"id": "m1", "type": "message", "role": "assistant", "model": "m"} | {
    "content": [{"type": "text", "text": "Tea it is"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
WHOLE = {
    "completions": chat({"role": "assistant", "content": "Tea it is"}),
    "responses": RESPONSE,
    "messages": ANTHROPIC,
}


def delta(text: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0} | {
        "delta": {"type": "text_delta", "text": text}
    }


EVENTS: dict[str, list[Any]] = {
    "completions": [chunk("Tea "), chunk("it "), chunk(""), chunk("is")],
    "responses": [
        {"type": "response.created", "response": RESPONSE, "sequence_number": 0},
        *(
            {"type": "response.output_text.delta", "delta": text, "item_id": "x"}
            | {"output_index": 0, "content_index": 0, "sequence_number": n, "logprobs": []}
            for n, text in enumerate(("Tea ", "it ", "is"), 1)
        ),
        {"type": "response.completed", "response": RESPONSE, "sequence_number": 9},
    ],
    "messages": [
        {"type": "message_start", "message": {**ANTHROPIC, "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        delta("Tea "),
        delta("it "),
        delta("is"),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
        | {"usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ],
}


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    upstream = Upstream()
    yield upstream
    upstream.hold.set()
    upstream.shutdown()
    upstream.server_close()


@pytest.fixture
def world(upstream: Upstream, tmp_path: Path) -> Iterator[Served]:
    served = Served(
        tmp_path,
        upstream_url=f"{upstream.url}/v1",
        upstream_key="up-key",
        upstream_anthropic_url=upstream.url,
        upstream_anthropic_key="an-key",
    )
    served.told("a", "Tea is what Ann drinks.")
    yield served
    served.close()


@pytest.fixture
def openai(world: Served) -> Iterator[Any]:
    made = pytest.importorskip("openai").OpenAI(
        api_key=world.owner, base_url=f"{world.url}/a/a/v1", max_retries=0
    )
    with made:
        yield made


@pytest.fixture
def anthropic(world: Served) -> Iterator[Any]:
    made = pytest.importorskip("anthropic").Anthropic(
        api_key=world.owner, base_url=f"{world.url}/a/a", max_retries=0
    )
    with made:
        yield made


def remembered(world: Served, count: int) -> list[tuple[str, str]]:
    """What was said beside the first message, once so much of it is there."""
    until = time.monotonic() + PATIENCE
    while True:
        rows = world.post("a/messages", {}).json["items"][1:]
        if len(rows) >= count or time.monotonic() > until:
            return [(row["role"], row["content"]) for row in rows]
        time.sleep(0.02)


ASKED = "What does Ann drink?"
BOTH = [("user", ASKED), ("assistant", "Tea it is")]


def check_sent(upstream: Upstream, key: tuple[str, str], token: str) -> None:
    body = json.dumps(upstream.bodies[-1], ensure_ascii=False)
    assert BLOCK_OPEN.replace('"', '\\"') in body
    assert "Tea is what Ann drinks." in body
    assert upstream.heads[-1][key[0]] == key[1]
    assert token not in json.dumps(upstream.heads[-1])


@pytest.mark.parametrize("stream", [False, True])
def test_chat_completions_get_the_block_and_are_remembered(
    openai: Any, upstream: Upstream, world: Served, stream: bool
) -> None:
    history = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi"},
    ]
    given = {"model": "m", "messages": [*history, {"role": "user", "content": ASKED}]}
    for _ in range(2):  # a request that is sent again is the same
        answer = openai.chat.completions.create(**given, stream=stream)
        if stream:
            text = "".join(one.choices[0].delta.content or "" for one in answer)
        else:
            text = answer.choices[0].message.content
        assert text == "Tea it is"
    check_sent(upstream, ("authorization", "Bearer up-key"), world.owner)
    assert upstream.bodies[-1]["messages"][:3] == history
    assert upstream.bodies[-1]["messages"][3]["content"].startswith(ASKED)
    assert remembered(world, 2) == BOTH
    assert openai.models.list().data[0].id == "m"
    assert upstream.paths[-1] == "/v1/models"


@pytest.mark.parametrize("stream", [False, True])
def test_responses_get_the_block_and_are_remembered(
    openai: Any, upstream: Upstream, world: Served, stream: bool
) -> None:
    answer = openai.responses.create(model="m", input=ASKED, stream=stream)
    if stream:
        assert [one.type for one in answer][-1] == "response.completed"
    else:
        assert answer.output_text == "Tea it is"
    check_sent(upstream, ("authorization", "Bearer up-key"), world.owner)
    assert remembered(world, 2) == BOTH


@pytest.mark.parametrize("stream", [False, True])
def test_messages_get_the_block_and_are_remembered(
    anthropic: Any, upstream: Upstream, world: Served, stream: bool
) -> None:
    given: dict[str, Any] = {"model": "m", "max_tokens": 1000, "system": "Be brief."}
    given["messages"] = [{"role": "user", "content": [{"type": "text", "text": ASKED}]}]
    if stream:
        with anthropic.messages.stream(**given) as answer:
            assert "".join(answer.text_stream) == "Tea it is"
    else:
        assert anthropic.messages.create(**given).content[0].text == "Tea it is"
    check_sent(upstream, ("x-api-key", "an-key"), world.owner)
    assert upstream.bodies[-1]["system"] == "Be brief."
    assert remembered(world, 2) == BOTH


def test_tools_work_on_one_turn_with_one_block(
    openai: Any, upstream: Upstream, world: Served
) -> None:
    upstream.tool = True
    messages: list[Any] = [{"role": "user", "content": ASKED}]
    first = openai.chat.completions.create(model="m", messages=messages, tools=[])
    call = first.choices[0].message
    assert call.tool_calls[0].function.name == "look"
    messages += [call.model_dump(exclude_none=True)]
    messages += [{"role": "tool", "tool_call_id": "c1", "content": "tea"}]
    openai.chat.completions.create(model="m", messages=messages, tools=[])
    one, two = upstream.bodies
    assert one["messages"][0] == two["messages"][0]
    assert two["messages"][2]["content"] == "tea"
    assert remembered(world, 2) == BOTH


def test_errors_pass_as_they_are_and_leave_nothing(
    openai: Any, upstream: Upstream, world: Served
) -> None:
    import openai as library

    upstream.status = 429
    with pytest.raises(library.RateLimitError):
        openai.chat.completions.create(model="m", messages=[{"role": "user", "content": ASKED}])
    upstream.status = 302
    with pytest.raises(library.InternalServerError, match="redirects"):
        openai.chat.completions.create(model="m", messages=[{"role": "user", "content": ASKED}])
    assert remembered(world, 0) == []


def test_a_reply_that_is_cut_off_is_kept_as_partial(
    openai: Any, upstream: Upstream, world: Served
) -> None:
    upstream.hold.clear()
    given = {"model": "m", "messages": [{"role": "user", "content": ASKED}]}
    answer = openai.chat.completions.create(**given, stream=True)
    next(iter(answer))
    answer.close()
    said = remembered(world, 2)  # before the rest of it could come
    upstream.hold.set()
    assert said[0] == ("user", ASKED)
    row = world.post("a/messages", {}).json["items"][2]
    assert row["content"].startswith("Tea")
    assert row["metadata"] == {"partial": True}


def test_a_model_that_is_silent_is_hung_up_on_when_the_client_leaves(
    openai: Any, upstream: Upstream, world: Served
) -> None:
    upstream.silent = True
    given = {"model": "m", "messages": [{"role": "user", "content": ASKED}]}
    answer = openai.chat.completions.create(**given, stream=True)
    next(iter(answer))
    answer.close()
    assert upstream.left.get(timeout=PATIENCE) == b""
    assert remembered(world, 2)[0] == ("user", ASKED)


def test_a_token_that_is_revoked_ends_its_stream_and_leaves_nothing(
    world: Served, upstream: Upstream
) -> None:
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": ASKED}]}
    token = world.token("a")
    upstream.hold.clear()
    place = urlsplit(world.url).netloc
    head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with closing(http.client.HTTPConnection(place, timeout=PATIENCE)) as line:
        line.request("POST", "/a/a/v1/chat/completions", json.dumps(body), head)
        answer = line.getresponse()
        while b"it " not in answer.readline():
            pass
        world.tokens.revoke(token)
        upstream.hold.set()
        assert b"[DONE]" not in answer.read()
    assert remembered(world, 0) == []


def test_what_clients_do_by_themselves_and_what_is_switched_off_leaves_nothing(
    openai: Any, upstream: Upstream, world: Served
) -> None:
    def ask(text: str, **more: Any) -> None:
        openai.chat.completions.create(
            model="m", messages=[{"role": "user", "content": text}], **more
        )

    ask("### Task:\nGenerate a concise title.\n### Chat History:\n<chat_history>x</chat_history>")
    ask("Generate a concise, 3-5 word title for this chat, with an emoji: USER: hello, tea please")
    ask(ASKED, response_format={"type": "json_object"})
    ask(ASKED, max_tokens=10)
    ask("<system-reminder>\nThe date is today.\n</system-reminder>")
    ask(ASKED, extra_headers={"X-Wangchuan": "off"})
    assert not any(BLOCK_OPEN in json.dumps(body) for body in upstream.bodies)
    ask(ASKED, extra_headers={"X-Wangchuan": "read"})
    check_sent(upstream, ("authorization", "Bearer up-key"), world.owner)
    assert "x-wangchuan" not in upstream.heads[-1]
    assert remembered(world, 0) == []


def test_a_token_is_good_for_its_agent_only(world: Served, upstream: Upstream) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": ASKED}]}
    foreign, reader = world.token("b"), world.token("a", rights="read")
    path = "/a/a/v1/chat/completions"
    assert world.ask("POST", path, body, token=foreign).error == "NotAllowed"
    assert world.ask("POST", path, body, token=None).error == "Unauthenticated"
    assert upstream.bodies == []
    assert world.ask("POST", path, body, token=reader).status == 200
    assert remembered(world, 0) == []


def test_without_an_upstream_it_says_what_to_set(served: Served) -> None:
    answer = served.ask("POST", "/a/a/v1/chat/completions", {"messages": []})
    assert (answer.status, answer.error) == (501, "NotOffered")
    assert "upstream_url" in answer.json["error"]["message"]


@pytest.mark.parametrize("api", [CHAT, RESPONSES, MESSAGES])
def test_any_body_is_looked_at_without_harm(api: str) -> None:
    for odd in ({}, {"messages": 7}, {"messages": [7, None, {"role": "user"}]}, {"input": ""}):
        assert last_turn(api, odd) is None
    name = "input" if api == RESPONSES else "messages"
    body: dict[str, Any] = {name: [{"role": "user", "content": "tea"}]}
    turn = last_turn(api, body)
    assert turn is not None
    assert with_block(api, body, turn, "B")[name][0]["content"] == "tea\n\nB"
    assert body == {name: [{"role": "user", "content": "tea"}]}


def test_a_stream_is_read_however_it_is_cut() -> None:
    whole = b"".join(b"data: " + json.dumps(chunk(t)).encode() + b"\n\n" for t in ("茶", "tea"))
    for size in (1, 7, 1000):
        reply = Reply(CHAT)
        for at in range(0, len(whole), size):
            reply.feed(whole[at : at + size])
        assert (reply.text, reply.ended) == ("茶tea", False)
