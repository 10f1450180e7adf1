"""What no honest client sends: answered in the one form, never by a crash or by its trace."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from server.doors import MINE, World
from server.served import Answered, Served
from stage import PATIENCE
from starlette.routing import Route

from wangchuan.server import mem0

BYTES = [
    *(b"", b"{", b"[]", b'"x"', b"7", b"null", b"\xff\xfe", b"\x00", b"[" * 100_000, b"{}{}"),
    b'{"query": NaN, "limit": 1e999, "messages": -Infinity}',
    b'{"query": "\\ud800", "messages": "\\udfff", "text": "\\u0000"}',
    b'{"limit": ' + b"9" * 5000 + b"}",
]
VALUES: list[Any] = [None, True, -1, 1e308, "", "\x00", "\ud800", "9" * 5000, [], {}, [[]]]
VALUES += [[None], {"": {}}, [{"role": [], "content": {}}], {"AND": 1, "OR": "x"}, {"OR": [[1]]}]
MEM0 = [
    "messages",
    "filters",
    "query",
    "top_k",
    "limit",
    "threshold",
    "page",
    "page_size",
    "memories",
    "text",
    "metadata",
]
MEM0 += ["timestamp", "user_id", "run_id"]
NEVER_SAID = ("Traceback", 'File "', "<class", "object at 0x")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(tmp_path_factory.mktemp("malformed"))
    yield world
    world.close()


def fault(answer: Answered) -> str:
    """Return what is wrong with an answer; what is not there (501), or is full (503), is said."""
    told = answer.body.decode("utf-8", "replace")
    if answer.status < 400:
        return ""
    if answer.status >= 500 and answer.status not in (501, 503):
        return f"{answer.status} {told[:200]}"
    if set(answer.json) == {"error"} and set(answer.json["error"]) == {"type", "message"}:
        said = answer.json["error"]["message"]
        return told if any(word in said for word in NEVER_SAID) else ""
    return told if "jsonrpc" not in answer.json else ""


def routes(world: World) -> list[tuple[str, str]]:
    """Return every route with each of its verbs, but those that destroy or never end."""
    found: list[Any] = world.gate._app.routes  # type: ignore[attr-defined]
    named = {"agent": MINE, "memory_id": f"{MINE}.mem_1", "kind": "user", "name": "nobody"}
    named |= {"node_id": "mem_1", "job_id": "job_1", "seq": "1", "page": "x", "path": "v1/models"}

    def path(route: Route) -> str:
        return re.sub(r"\{(\w+)(:\w+)?\}", lambda m: named.get(m[1], "x"), route.path)

    return [
        (verb, path(route))
        for route in found
        if isinstance(route, Route) and route.name not in ("agents.erase", "events")
        for verb in sorted((route.methods or set()) - {"HEAD"})
    ]


def test_bytes_that_are_nothing_are_refused_by_every_route(world: World) -> None:
    kind = {"Content-Type": "application/json"}
    faults = [
        f"{verb} {path} {body[:40]!r}: {wrong}"
        for verb, path in routes(world)
        for body in BYTES
        if (wrong := fault(world.ask(verb, path, body, token=world.token["owner"], headers=kind)))
    ]
    assert faults == []


def test_fields_that_are_something_else_are_refused_by_the_dialect_of_mem0(world: World) -> None:
    faults, good = list[str](), {"user_id": MINE, "query": "tea", "messages": "tea", "text": "tea"}
    different: dict[str, Any] = {route.name: route for route in mem0.routes(world.desk)}  # type: ignore[attr-defined]
    for route in different.values():
        path = route.path.format(memory_id=f"{MINE}.mem_1", kind="user", name="nobody")
        for verb in sorted((route.methods or set()) - {"HEAD", "GET"}):
            for body in [{**good, name: value} for name in MEM0 for value in VALUES]:
                wrong = fault(world.ask(verb, path, body, token=world.token["owner"]))
                faults += [f"{verb} {path} {json.dumps(body)[:200]}: {wrong}"] if wrong else []
    assert faults == []


@pytest.mark.parametrize(
    "query", ["page=x", "page_size=-1", "limit=1e9", "user_id=%00", "page=9" * 9]
)
def test_queries_that_are_nothing_are_refused_by_the_dialect_of_mem0(
    world: World, query: str
) -> None:
    for path in (f"/memories?user_id={MINE}&{query}", f"/memories?{query}"):
        assert not fault(world.ask("GET", path, token=world.token["owner"]))


@pytest.mark.parametrize(
    "named", ["", ".", "..", "\x00", "mem_0", "a.b.c", "../x.mem_1", "é.mem_x"]
)
def test_ids_that_are_nothing_are_refused(world: World, named: str) -> None:
    for path in ("/v1/memories/{}/", "/memories/{}", f"/v1/agents/{MINE}/nodes/{{}}", "/a/{}/v1/x"):
        answer = world.ask("GET", path.format(quote(named, safe="")), token=world.token["owner"])
        assert not fault(answer)
        assert answer.status >= 400


def test_what_is_no_request_of_the_protocol_is_an_error_of_the_protocol(world: World) -> None:
    faults = list[str]()
    for value in VALUES:
        for body in (
            {"jsonrpc": value, "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "id": value, "method": "ping"},
            {"jsonrpc": "2.0", "id": 1, "method": value, "params": {}},
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": value},
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": value}},
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {"protocolVersion": value},
            },
            *(
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "tools/call",
                    "params": {"name": name, "arguments": arguments},
                }
                for name in ("search", "remember", value)
                for arguments in (value, {"query": value}, {"messages": value}, {"": value})
            ),
        ):
            answer = world.ask("POST", "/mcp", body, token=world.token["keeper"])
            wrong = fault(answer)
            faults += [f"{json.dumps(body)[:200]}: {wrong}"] if wrong else []
            assert "Traceback" not in answer.body.decode()
    assert faults == []


def test_batches_and_eras_that_are_mixed_are_errors_of_the_protocol(world: World) -> None:
    new = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    new |= {"io.modelcontextprotocol/clientCapabilities": {}}  # type: ignore[dict-item]
    one = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    deep = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b'{"a":' * 50_000
    told: list[tuple[Any, dict[str, str]]] = [
        ([one, one], {}),
        ([], {}),
        ({**one, "id": 1.5}, {}),
        ({**one, "id": {"x": 1}}, {}),
        ({**one, "id": None}, {}),
        ({**one, "params": {"_meta": new}}, {"MCP-Protocol-Version": "2025-06-18"}),
        ({**one, "params": {"_meta": new}}, {"MCP-Protocol-Version": "2026-07-28"}),
        ({**one, "method": "initialize", "params": {"_meta": new}}, {"Mcp-Method": "initialize"}),
        ({**one, "method": "server/discover"}, {"MCP-Protocol-Version": "2025-11-25"}),
        (one, {"MCP-Protocol-Version": "2026-07-28"}),
        (one, {"MCP-Protocol-Version": "1999-01-01"}),
        (deep + b"1" + b"}" * 50_001, {"Content-Type": "application/json"}),
        (b'{"jsonrpc":"2.0","id":"\xed\xa0\x80","method":"ping"}', {}),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"', {}),
    ]
    for body, headers in told:
        answer = world.ask("POST", "/mcp", body, token=world.token["keeper"], headers=headers)
        assert not fault(answer), (body, answer.body)
        assert "error" in answer.json, (body, answer.body)
    lone = world.ask("POST", "/mcp", {**one, "id": "\ud800"}, token=world.token["keeper"])
    assert lone.json["id"] == "\ud800"


def test_what_is_no_http_is_answered_or_cut_off_and_the_next_is_served(served: Served) -> None:
    address = urlsplit(served.url)
    host = f"Host: {address.netloc}\r\n"
    auth = f"Authorization: Bearer {served.owner}\r\n"
    for sent in (
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "\x00\x01\x02\x03\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "BREW / HTTP/1.1\r\n" + host + "\r\n",
        "GET /" + "x" * 100_000 + " HTTP/1.1\r\n" + host + "\r\n",
        "GET / HTTP/1.1\r\n" + "x: y\r\n" * 5000 + "\r\n",
        "GET /\x7f%ff%zz HTTP/1.1\r\n" + host + auth + "\r\n",
        "GET /v1/agents/%00/stats HTTP/1.1\r\n" + host + auth + "\r\n",
        "POST /mcp HTTP/1.1\r\n" + host + auth + "Content-Length: -1\r\n\r\n",
        "POST /mcp HTTP/1.1\r\n" + host + auth + "Content-Length: x\r\n\r\n",
        "POST /mcp HTTP/1.1\r\n" + host + auth + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
        "POST /mcp HTTP/1.1\r\n" + host + auth + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
        "POST /mcp HTTP/1.1\r\n" + host + auth + "Transfer-Encoding: chunked\r\n\r\n5\r\n{}",
        "POST /mcp HTTP/1.1\r\n" + host + auth + "Transfer-Encoding: chunked\r\n\r\n" + "f" * 99,
        "POST /mcp HTTP/1.1\r\n" + host + auth + "Content-Length: 99\r\n\r\n{}",
        "POST /mcp HTTP/1.1\r\n" + host + auth + "Content-Length: 1\r\n\r\n{}{}",
        "POST /mcp HTTP/1.1\r\n" + host + auth + "Content-Length: 2\r\nTransfer-Encoding: chunked"
        "\r\n\r\n0\r\n\r\n",
        "POST /mcp HTTP/1.1\r\n" + host + auth + "Connection: Upgrade\r\nUpgrade: h2c\r\n"
        "Content-Length: 2\r\n\r\n{}",
        "GET / HTTP/1.1\r\n" + host + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "GET /health HTTP/1.1\r\n" + host + "X: " + "y" * 200_000 + "\r\n\r\n",
        "GET /health HTTP/1.1\r\n" + host + "X: a\x00b\r\n\r\n",
        "GET / HTTP/1.1\r\n" + host + host + "\r\n",
        "GET / HTTP/1.1\r\nHost: \xe9\r\n\r\n",
    ):
        with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as line:
            line.sendall(sent.encode("latin-1"))
            line.shutdown(socket.SHUT_WR)
            told = b""
            while piece := line.recv(65536):
                told += piece
        assert b"Traceback" not in told, sent[:80]
        assert not told.startswith(b"HTTP/1.1 500"), sent[:80]
        assert served.ask("GET", "/health").status == 200
