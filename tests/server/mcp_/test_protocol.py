"""The protocol itself: both eras, faults as answers, nothing remembered between requests."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.server.mcp.protocol import (
    CLIENT,
    HANDSHAKE,
    LATEST,
    MODERN,
    VERSION,
    Fault,
    answered,
    parsed,
    written,
)

Json = dict[str, Any]
META = {VERSION: MODERN[0], CLIENT: {}}


class Nothing:
    """Offers one tool, which says what it was given."""

    def tools(self) -> list[Json]:
        return [{"name": "say"}]

    def call(self, name: str, arguments: Json) -> Json:
        if name != "say":
            raise Fault(-32602, "Unknown tool")
        return {"content": [], "structuredContent": arguments}

    def resources(self) -> list[Json]:
        return [{"uri": "x://page"}]

    def read(self, uri: str) -> Json | None:
        return {"uri": uri, "text": "…"} if uri == "x://page" else None


def ask(method: str, params: Any = None, **more: Any) -> Any:
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}, **more}
    return answered(Nothing(), request)


def modern(method: str, **params: Any) -> Any:
    return ask(method, params | {"_meta": META})


@pytest.mark.parametrize("version", HANDSHAKE)
def test_a_handshake_is_answered_in_the_version_asked_for(version: str) -> None:
    result = ask("initialize", {"protocolVersion": version})["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "wangchuan"
    assert "search" in result["instructions"]


@pytest.mark.parametrize("version", ["1999-01-01", "2026-07-28", None, 7])
def test_another_version_is_answered_with_the_latest_that_has_a_handshake(version: Any) -> None:
    assert ask("initialize", {"protocolVersion": version})["result"]["protocolVersion"] == LATEST


def test_the_new_era_discovers_and_every_result_is_stamped() -> None:
    result = modern("server/discover")["result"]
    assert result["supportedVersions"] == [*MODERN]
    assert (result["resultType"], result["cacheScope"]) == ("complete", "public")
    tools = modern("tools/list")["result"]
    assert (tools["tools"], tools["ttlMs"] > 0) == ([{"name": "say"}], True)
    assert tools["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "wangchuan"
    assert modern("resources/list")["result"]["cacheScope"] == "private"


def test_the_old_era_is_not_bothered_with_the_new_one() -> None:
    assert ask("tools/list")["result"] == {"tools": [{"name": "say"}]}
    assert ask("ping")["result"] == {}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("server/discover", {}, -32602),
        ("server/discover", {"_meta": {VERSION: MODERN[0]}}, -32602),
        ("tools/list", {"_meta": {VERSION: 7, CLIENT: {}}}, -32602),
        ("tools/list", {"_meta": {VERSION: "2027-01-01", CLIENT: {}}}, -32022),
        ("initialize", {"_meta": META}, -32601),
        ("sampling/createMessage", {}, -32601),
        ("tools/call", {"name": 7}, -32602),
        ("tools/call", {"name": "other"}, -32602),
        ("tools/call", {"name": "say", "arguments": [1]}, -32602),
        ("resources/read", {"uri": "x://none"}, -32002),
        ("resources/read", {"uri": "x://none", "_meta": META}, -32602),
        ("prompts/get", {"name": "x"}, -32602),
    ],
)
def test_what_cannot_be_answered_is_an_error_with_its_code(
    method: str, params: Json, code: int
) -> None:
    assert ask(method, params)["error"]["code"] == code


def test_an_unsupported_version_is_told_what_is_supported() -> None:
    error = ask("tools/list", {"_meta": {VERSION: "2027-01-01", CLIENT: {}}})["error"]
    assert error["data"] == {"supported": [*MODERN], "requested": "2027-01-01"}


@pytest.mark.parametrize(
    "silent",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 4, "result": {}},
    ],
)
def test_notifications_and_answers_are_not_answered(silent: Json) -> None:
    assert answered(Nothing(), silent) is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
fields = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | anything,
        "id": st.integers() | anything,
        "method": st.sampled_from(["tools/call", "initialize", "resources/read"]) | st.text(),
        "params": anything,
    },
)


@given(fields | anything)
def test_whatever_comes_is_answered_in_a_line_or_not_at_all(request: Any) -> None:
    answer = answered(Nothing(), request)
    if answer is not None:
        line = written(answer)
        assert b"\n" not in line
        assert json.loads(line)["jsonrpc"] == "2.0"


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 100_000, b"\x00"])
def test_what_is_no_json_is_a_parse_error(data: bytes) -> None:
    with pytest.raises(Fault, match="Parse error") as caught:
        parsed(data)
    assert (caught.value.code, caught.value.status) == (-32700, 400)
