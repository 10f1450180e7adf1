"""REST: what answers, what is refused, and how."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from contextlib import closing, suppress
from functools import wraps
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from server.served import Answered, Served
from stage import PATIENCE, LineModel

from wangchuan.errors import InvalidInput
from wangchuan.operations.operation import Operation
from wangchuan.operations.table import TABLE
from wangchuan.server.connection import Impatient
from wangchuan.server.gate import LARGEST, Rate
from wangchuan.server.refusals import Refusal
from wangchuan.server.serving import first_token

pytestmark = pytest.mark.in_both


class Held(LineModel):
    """A model that answers when it may."""

    inline = False

    def __init__(self) -> None:
        super().__init__()
        self.held, self.go = threading.Event(), threading.Event()

    def complete(self, ask: Any) -> Any:
        self.held.set()
        assert self.go.wait(PATIENCE)
        return super().complete(ask)


def test_what_is_remembered_is_accepted_with_a_receipt_and_found(served: Served) -> None:
    answer = served.post("a/remember", {"messages": [{"role": "user", "content": "茶 tea"}]})
    assert (answer.status, answer.json["id"], answer.json["status"]) == (202, "job_1", "accepted")
    job = served.get("a/jobs/job_1?timeout=30").json
    assert (job["state"], job["nodes"]) == ("done", ["mem_1"])
    (hit,) = served.post("a/search", {"query": "tea"}).json["items"]
    assert hit["node"]["content"] == "茶 tea"
    assert "茶 tea" in served.post("a/context", {"query": "tea"}).json["text"]
    assert "茶 tea" in served.post("a/recall", {"keywords": ["tea"]}).json["text"]


def test_the_same_key_or_the_same_ids_give_the_same_receipt(served: Served) -> None:
    key, body = {"Idempotency-Key": "turn-7"}, {"messages": "green tea"}
    first = served.post("a/remember", body, headers=key).json
    assert served.post("a/remember", body, headers=key).json["id"] == first["id"]
    named = {"messages": [{"role": "user", "content": "black tea", "id": "x1"}]}
    second = served.post("a/remember", named).json
    assert served.post("a/remember", named).json["id"] == second["id"] != first["id"]
    assert served.post("a/flush").json["done"]
    assert [n["content"] for n in served.get("a/nodes").json["items"]] == ["green tea", "black tea"]


def test_a_memory_can_be_forgotten_restored_and_erased(served: Served) -> None:
    (node,) = served.told("a", "green tea")
    assert served.post(f"a/nodes/{node}/forget").json == {"done": True}
    assert served.get(f"a/nodes/{node}").status == 404
    assert served.get("a/forgotten").json["items"][0]["node"]["id"] == node
    assert served.post(f"a/nodes/{node}/restore").json["content"] == "green tea"
    (change, *_) = served.get("a/changes").json["items"]
    dry = served.post(f"a/changes/{change['seq']}/undo", {"dry_run": True}).json
    assert (dry["seq"], dry["entry"]) == (change["seq"], None)
    assert served.post("a/erase/preview", {"node_id": node}).json["nodes"][0]["id"] == node
    assert served.post("a/erase", {"node_id": [node]}).json["remains"] == []
    assert served.post("a/search", {"query": "tea"}).json["items"] == []
    assert served.ask("DELETE", "/v1/agents/a").status == 200
    assert served.get("a/stats").status == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "error"),
    [
        ("GET", "/v1/agents/a/nodes/mem_9", None, 404, "NotFound"),
        ("GET", "/v1/agents/nobody/stats", None, 404, "NotFound"),
        ("GET", "/v1/agents/..%2f..%2fetc/stats", None, 404, "NotFound"),
        ("GET", "/v1/agents/a b/stats".replace(" ", "%20"), None, 422, "InvalidInput"),
        ("GET", "/v1/agents/a/facts?limit=x", None, 422, "InvalidInput"),
        ("GET", "/v1/agents/a/facts?limt=1", None, 422, "InvalidInput"),
        ("GET", "/v1/agents/a/facts?cursor=x", None, 422, "InvalidInput"),
        ("POST", "/v1/agents/a/changes/x/undo", {}, 422, "InvalidInput"),
        ("POST", "/v1/agents/a/changes/1/undo", {}, 409, "CannotUndo"),
        ("POST", "/v1/agents/a/search", {"query": 1}, 422, "InvalidInput"),
        ("POST", "/v1/agents/a/remember", {"messages": [{"role": "x", "content": ""}]}, 422, ""),
        ("POST", "/v1/agents/a/search", b"{", 415, "NotJSON"),
        ("PUT", "/v1/agents/a/search", {}, 405, "MethodNotAllowed"),
        ("GET", "/nowhere", None, 404, "NotFound"),
    ],
)
def test_what_is_wrong_is_said_in_one_form(
    served: Served, method: str, path: str, body: object, status: int, error: str
) -> None:
    served.told("a", "tea")
    answer = served.ask(method, path, body)
    assert (answer.status, answer.error) == (status, error or "InvalidInput"), answer.body
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"query": NaN, "limit": 1e999}']
)
def test_a_body_that_is_no_object_of_json_is_refused(served: Served, body: bytes) -> None:
    sent = {"Content-Type": "application/json"}
    answer = served.ask("POST", "/v1/agents/a/search", body, headers=sent)
    assert answer.status in (400, 422)
    assert b"Traceback" not in answer.body


def test_a_body_that_is_too_large_is_refused_however_it_comes(served: Served) -> None:
    large = b" " * (LARGEST + 1)
    sent = {"Content-Type": "application/json"}
    assert served.ask("POST", "/v1/agents/a/search", large, headers=sent).error == "TooLarge"
    place = urlsplit(served.url).netloc
    with closing(http.client.HTTPConnection(place, timeout=PATIENCE)) as line:
        sent |= {"Authorization": f"Bearer {served.owner}", "Transfer-Encoding": "chunked"}
        pieces = (b"10000\r\n" + b" " * 65536 + b"\r\n" for _ in range(65))
        line.request("POST", "/v1/agents/a/search", pieces, sent, encode_chunked=False)
        assert line.getresponse().status == 413


@pytest.mark.parametrize("token", ["", None])
def test_whoever_still_sends_hears_why_they_are_refused(served: Served, token: str | None) -> None:
    sent = {"Content-Type": "application/json", "Connection": "close"}
    answer = served.ask(
        "POST", "/v1/agents/a/search", b" " * 3 * LARGEST, token=token, headers=sent
    )
    assert answer.status == (413 if token is not None else 401)


def test_only_its_own_names_and_pages_may_ask(served: Served) -> None:
    for headers in (
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:80"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"{served.url}.evil.example"},
    ):
        assert served.ask("GET", "/v1/agents", headers=headers).error == "Forbidden"
        assert served.ask("GET", "/health", headers=headers).status == 403
    same = {"Origin": served.url}
    assert served.ask("GET", "/v1/agents", headers=same).status == 200
    answer = served.ask("OPTIONS", "/v1/agents", headers=same)
    assert answer.status == 405
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


def test_tokens_hold_for_their_agents_rights_and_time(served: Served) -> None:
    for agent in ("a", "b"):
        served.told(agent, f"the secret of {agent}")
    reader = served.token("a", rights="read", expires=served.clock() + 60)
    assert served.get("a/stats", token=reader).status == 200
    assert served.get("b/stats", token=reader).error == "NotAllowed"
    assert served.get("nobody/stats", token=reader).error == "NotAllowed"
    assert served.post("a/remember", {"messages": "x"}, token=reader).error == "NotAllowed"
    assert served.ask("GET", "/v1/agents", token=reader).json["items"] == ["a"]
    served.clock.now += 61
    assert served.get("a/stats", token=reader).error == "Unauthenticated"


def test_what_is_revoked_is_refused_at_once_and_what_was_never_given_too(served: Served) -> None:
    token = served.token("a")
    served.told("a", "tea")
    assert served.get("a/stats", token=token).status == 200
    served.tokens.revoke(token)
    assert served.get("a/stats", token=token).status == 401
    for wrong in ("wc__", "wc_x_y", "nonsense", f"{served.owner}x", served.owner[:-1]):
        assert served.get("a/stats", token=wrong).status == 401, wrong
    for other in ({"Authorization": f"Token {served.owner}"}, {"X-API-Key": served.owner}):
        assert served.get("a/stats", token=None, headers=other).status == 200


def test_no_token_is_kept_and_its_file_is_nobody_elses(served: Served) -> None:
    path = served.host.settings.root / "tokens.json"
    assert served.owner.split("_", 2)[2] not in path.read_text("utf-8")
    assert path.stat().st_mode & 0o077 == 0
    assert [(token.name, token.hash) for token in served.tokens.list()] == [("owner", "")]
    with pytest.raises(InvalidInput):
        served.tokens.add([], ["read"])
    with pytest.raises(InvalidInput, match="rights"):
        served.tokens.add(["a"], ["all"])


def test_without_tokens_only_the_loopback_is_served(served: Served, tmp_path: Path) -> None:
    from wangchuan.server.tokens import Tokens

    tokens = Tokens(tmp_path / "new", time.time)
    for reachable in ("0.0.0.0", "192.168.1.7", "::", "example.org"):
        with pytest.raises(InvalidInput, match="no token yet"):
            first_token(tokens, reachable)
    token = first_token(tokens, "127.0.0.1")
    assert token is not None
    assert tokens.principal(token) is not None
    assert first_token(tokens, "127.0.0.1") is first_token(tokens, "0.0.0.0") is None


def test_events_are_told_as_they_happen_and_end_with_the_server(served: Served) -> None:
    served.told("a", "tea")
    place = urlsplit(served.url).netloc
    with closing(http.client.HTTPConnection(place, timeout=PATIENCE)) as line:
        line.request("GET", "/v1/agents/a/events", headers={"X-API-Key": served.owner})
        answer = line.getresponse()
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.readline() == b": listening\n"
        served.told("a", "coffee")
        lines = []
        while not lines or not lines[-1].startswith(b"event: stored"):
            lines.append(answer.readline())
        assert b"event: accepted\n" in lines
        assert "job" in json.loads(answer.readline().removeprefix(b"data: "))
        served.close()
        assert answer.read() is not None


def test_events_end_with_the_token(served: Served) -> None:
    served.told("a", "tea")
    token = served.token("a")
    place = urlsplit(served.url).netloc
    with closing(http.client.HTTPConnection(place, timeout=PATIENCE)) as line:
        line.request("GET", "/v1/agents/a/events", headers={"X-API-Key": token})
        answer = line.getresponse()
        assert answer.readline() == b": listening\n"
        served.tokens.revoke(token)
        served.told("a", "coffee")
        assert answer.read() == b"\n"  # not a word of what happened since


def test_whoever_waits_is_told_nothing_once_their_token_is_revoked(tmp_path: Path) -> None:
    model = Held()
    served = Served(tmp_path, model=model)
    try:
        token, answers = served.token("a"), list[Answered]()
        job = served.post("a/remember", {"messages": "tea"}).json["id"]
        asking = lambda: answers.append(served.get(f"a/jobs/{job}?timeout=30", token=token))  # noqa: E731
        one = threading.Thread(target=asking)
        one.start()
        assert model.held.wait(PATIENCE)
        served.tokens.revoke(token)
        model.go.set()
        one.join(PATIENCE)
        assert [one.error for one in answers] == ["Unauthenticated"]
    finally:
        model.go.set()
        served.close()


def test_an_answer_does_not_wait_for_its_head_to_be_acknowledged(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, begun = list[int](), Impatient._wait_for

    def noted(self: Impatient, stage: int) -> None:
        line = self.transport.get_extra_info("socket")
        waits.append(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        begun(self, stage)

    monkeypatch.setattr(Impatient, "_wait_for", noted)
    assert served.ask("GET", "/health").status == 200
    assert waits
    assert all(waits)


def test_a_client_that_never_ends_its_head_is_cut_off(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wangchuan.server.connection.HEAD_SECONDS", 0.2)
    address = urlsplit(served.url)
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nX: ")
        assert line.recv(100) == b""


def test_a_head_that_never_ends_is_cut_off_on_a_line_that_was_used_before(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wangchuan.server.connection.HEAD_SECONDS", 0.3)
    address = urlsplit(served.url)
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as line:
        line.sendall(f"GET /health HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        told = line.recv(1000)
        while not told.endswith(b'{"status":"ok"}'):
            told += line.recv(1000)
        line.sendall(b"GET /health HTTP/1.1\r\nX: ")
        assert line.recv(100) == b""


def test_a_head_without_end_is_refused(served: Served) -> None:
    address = urlsplit(served.url)
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nX: ")
        with suppress(ConnectionError):
            for _ in range(100):
                line.sendall(b"y" * 10_000)
        with suppress(ConnectionError):  # what was still on its way resets the line
            assert line.recv(1000).startswith(b"HTTP/1.1 400 ")
    assert served.ask("GET", "/health").status == 200


def test_a_client_that_never_ends_its_body_is_cut_off(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wangchuan.server.connection.BODY_SECONDS", 0.2)
    address = urlsplit(served.url)
    head = (
        f"POST /v1/agents/a/search HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 9\r\n"
        f"Content-Type: application/json\r\nAuthorization: Bearer {served.owner}\r\n\r\n{{"
    )
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as line:
        line.sendall(head.encode())
        assert line.recv(1000).startswith(b"HTTP/1.1 408 ")


def test_a_client_that_does_not_read_is_cut_off(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wangchuan.server.connection.SEND_SECONDS", 0.2)
    address, cut = urlsplit(served.url), threading.Event()
    lost = Impatient.connection_lost

    def noted(self: Impatient, exc: Exception | None) -> None:
        cut.set()
        lost(self, exc)

    monkeypatch.setattr(Impatient, "connection_lost", noted)
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect((address.hostname, address.port))
        asked = f"GET /openapi.json HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode()
        line.sendall(asked * 100)
        assert cut.wait(PATIENCE)


def test_a_full_queue_is_told_to_the_client_and_is_no_fault_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = Held()
    served = Served(tmp_path, model=model, max_queue_size=1)
    try:
        assert served.post("a/remember", {"messages": "tea"}).status == 202
        answer = served.post("a/remember", {"messages": "milk"})
    finally:
        model.go.set()
        served.close()
    assert (answer.status, answer.error) == (503, "QueueFull")
    assert not [one for one in caplog.records if "failed" in one.getMessage()]


def test_whoever_asks_too_often_waits() -> None:
    now = [0.0]
    rate = Rate(2, lambda: now[0])
    rate.spend("p")
    rate.spend("p")
    with pytest.raises(Refusal, match="2 requests a second"):
        rate.spend("p")
    rate.spend("q")
    now[0] = 0.5
    rate.spend("p")


def test_more_than_may_be_under_way_are_refused_with_a_word_when_to_come_again(
    tmp_path: Path,
) -> None:
    served = Served(tmp_path, server_concurrency=1, server_patience=0.05)
    held, go = threading.Event(), threading.Event()
    try:
        served.told("a", "tea")

        def hold() -> None:
            held.set()
            go.wait(PATIENCE)

        operation = TABLE["stats"]
        real = operation.function
        slowed = wraps(real)(lambda memory: (hold(), real(memory))[1])  # its models are made of it
        object.__setattr__(operation, "function", slowed)
        one = threading.Thread(target=served.get, args=("a/stats",))
        one.start()
        assert held.wait(PATIENCE)
        answer = served.post("a/search", {"query": "tea"})
        assert (answer.status, answer.error) == (503, "Busy")
        assert int(answer.headers["Retry-After"]) >= 1
        go.set()
        one.join(PATIENCE)
        assert served.post("a/search", {"query": "tea"}).status == 200
    finally:
        object.__setattr__(TABLE["stats"], "function", real)
        go.set()
        served.close()


def test_those_who_remember_while_others_do_are_taken_in_at_once(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, go, sizes = threading.Event(), threading.Event(), dict[str, list[int]]()
    runner, gathering = served.desk.runner, served.desk._gathering
    run = runner.run_together

    def slowed(operation: Operation, agent: str, asked: Any) -> Any:
        sizes.setdefault(agent, []).append(len(asked))
        if agent == "a":
            held.set()
            assert go.wait(PATIENCE)
        return run(operation, agent, asked)

    monkeypatch.setattr(runner, "run_together", slowed)
    answers = list[Answered]()

    def say(text: object) -> threading.Thread:
        body = {"messages": text}
        ask = lambda: answers.append(served.post("a/remember", body))  # noqa: E731
        thread = threading.Thread(target=ask)
        thread.start()
        return thread

    threads = [say("one")]
    assert held.wait(PATIENCE)
    threads += [say("two"), say(3), say("four")]
    until = time.monotonic() + PATIENCE
    while len(gathering._waiting["remember", "a"]) < 3 and time.monotonic() < until:
        time.sleep(0.005)
    assert served.post("b/remember", {"messages": "another's"}).status == 202
    go.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert sizes == {"a": [1, 3], "b": [1]}
    assert sorted(one.status for one in answers) == [202, 202, 202, 422]
    assert not gathering._waiting
    assert served.post("a/flush", {"timeout": 30}).json["done"]
    said = {one["content"] for one in served.post("a/messages").json["items"]}
    assert said == {"one", "two", "four"}


def test_figures_name_operations_and_no_agent(served: Served) -> None:
    served.told("secret_agent", "tea")
    text = served.ask("GET", "/metrics").body.decode()
    assert 'wangchuan_requests_total{operation="remember",status="202"} 1.0' in text
    assert "secret_agent" not in text


def test_whoever_looks_from_outside_sees_that_it_lives(served: Served) -> None:
    assert served.ask("GET", "/health", token=None).json == {"status": "ok"}
    assert b"/openapi.json" in served.ask("GET", "/", token=None).body
    assert len(served.ask("GET", "/openapi.json", token=None).json["paths"]) > 40


def test_an_export_is_taken_home_and_brought_in(served: Served) -> None:
    served.told("a", "green tea")
    data = served.get("a/export").body
    answer = served.ask("POST", "/v1/agents/copy/import", data)
    assert (answer.status, answer.json["node"]) == (200, 1)
    assert served.get("copy/nodes").json["items"][0]["content"] == "green tea"
