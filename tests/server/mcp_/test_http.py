"""The protocol over HTTP, behind the gate of the server."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from server.mcp_.test_protocol import META
from server.served import Served

from wangchuan.server.mcp.protocol import MODERN

Json = dict[str, Any]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "memory_data")
    yield served
    served.close()


def request(method: str, **params: Any) -> Json:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def modern(method: str, header: str | None = None, **params: Any) -> tuple[Json, dict[str, str]]:
    headers = {"MCP-Protocol-Version": MODERN[0], "Mcp-Method": method}
    if header is not None:
        headers["Mcp-Name"] = header
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": method,
        "params": {"_meta": META, **params},
    }, headers


def test_a_client_of_the_old_era_is_served(served: Served) -> None:
    hello = served.ask("POST", "/mcp", request("initialize", protocolVersion="2025-11-25"))
    assert hello.json["result"]["protocolVersion"] == "2025-11-25"
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert served.ask("POST", "/mcp", note).status == 202
    told = {"name": "remember", "arguments": {"messages": "The cellar is dry."}}
    assert not served.ask("POST", "/mcp", request("tools/call", **told)).json["result"]["isError"]
    found = request("tools/call", name="search", arguments={"query": "cellar"})
    answer = served.ask("POST", "/mcp", found).json["result"]
    assert "The cellar is dry." in answer["content"][0]["text"]
    assert served.host.agents() == ["default"]


def test_a_client_of_the_new_era_is_served(served: Served) -> None:
    body, headers = modern("server/discover")
    assert served.ask("POST", "/mcp", body, headers=headers).json["result"]["supportedVersions"]
    body, headers = modern("tools/call", "memory_status", name="memory_status")
    assert served.ask("POST", "/mcp", body, headers=headers).json["result"]["resultType"]


def test_headers_that_differ_from_the_body_are_refused(served: Served) -> None:
    body, headers = modern("tools/call", "search", name="memory_status")
    for wrong in (headers, headers | {"Mcp-Method": "tools/list"}, {}):
        answer = served.ask("POST", "/mcp", body, headers=wrong)
        assert (answer.status, answer.json["error"]["code"]) == (400, -32020)


def test_a_name_beyond_ascii_comes_in_base64(served: Served) -> None:
    name = "=?base64?" + base64.b64encode("记忆".encode()).decode() + "?="
    body, headers = modern("tools/call", name, name="记忆")
    answer = served.ask("POST", "/mcp", body, headers=headers)
    assert (answer.status, answer.json["error"]["message"]) == (400, "Unknown tool: 记忆")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [(b"{", 400, -32700), (b"[]", 400, -32600), (b"7", 400, -32600), (b"\xff", 400, -32700)],
)
def test_nonsense_is_refused_in_words(served: Served, body: bytes, status: int, code: int) -> None:
    answer = served.ask("POST", "/mcp", body)
    assert (answer.status, answer.json["error"]["code"]) == (status, code)


def test_there_are_no_sessions_to_open_or_to_end(served: Served) -> None:
    assert served.ask("GET", "/mcp").status == 405
    assert served.ask("DELETE", "/mcp").status == 405


def test_a_token_gives_its_own_agent_and_its_own_rights(served: Served) -> None:
    reader = served.token("ann", rights="read")
    told = request("tools/call", name="remember", arguments={"messages": "x"})
    answer = served.ask("POST", "/mcp", told, token=reader)
    result = served.ask("POST", "/v1/agents/ann/mcp", told).json["result"]
    assert not result["isError"]
    answer = served.ask("POST", "/mcp", told, token=reader).json["result"]
    assert (answer["isError"], "right to write" in answer["content"][0]["text"]) == (True, True)
    assert served.ask("POST", "/mcp?agent=bob", told, token=reader).status == 403
    assert served.ask("POST", "/v1/agents/bob/mcp", told, token=reader).status == 403
    assert served.ask("POST", "/mcp", told, token=None).status == 401
    assert served.ask("POST", "/mcp", told, token=served.token("ann", "bob")).status == 403


def test_pages_of_elsewhere_cannot_speak_it(served: Served) -> None:
    hello = request("initialize")
    assert served.ask("POST", "/mcp", hello, headers={"Host": "evil.example"}).status == 403
    elsewhere = {"Origin": "http://evil.example"}
    assert served.ask("POST", "/mcp", hello, headers=elsewhere).status == 403
