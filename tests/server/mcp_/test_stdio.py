"""`wangchuan mcp` as a client runs it: a real process with pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from stage import PATIENCE, spent

SERVE = [sys.executable, "-m", "wangchuan.server.mcp"]
MODES = ["legacy", "auto", "2026-07-28"]


def start(root: Path, *more: str) -> subprocess.Popen[bytes]:
    call = [*SERVE, "--root", str(root), "--agent", "a", *more]
    pipe = subprocess.PIPE
    return subprocess.Popen(call, stdin=pipe, stdout=pipe, stderr=pipe, env=os.environ)


def ask(server: subprocess.Popen[bytes], method: str, **params: Any) -> Any:
    assert server.stdin
    assert server.stdout
    request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    server.stdin.write(json.dumps(request).encode() + b"\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


def test_a_conversation_over_a_pipe_ends_with_it(tmp_path: Path) -> None:
    server = start(tmp_path)
    assert ask(server, "initialize", protocolVersion="2025-06-18")["result"]["serverInfo"]
    assert len(ask(server, "tools/list")["result"]["tools"]) == 5
    told = {"messages": "我的猫叫年糕。"}
    assert not ask(server, "tools/call", name="remember", arguments=told)["result"]["isError"]
    found = ask(server, "tools/call", name="search", arguments={"query": "猫"})["result"]
    assert "年糕" in found["content"][0]["text"]
    out, _ = server.communicate(b"nonsense\n\n[]\n", timeout=PATIENCE)
    assert [json.loads(line)["error"]["code"] for line in out.splitlines()] == [-32700]
    assert server.returncode == 0
    assert (tmp_path / "a" / "memory.db").is_file()


def test_nothing_is_made_before_the_first_call(tmp_path: Path) -> None:
    server = start(tmp_path)
    ask(server, "initialize")
    ask(server, "tools/list")
    server.communicate(timeout=PATIENCE)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_profile_is_refused_in_words(tmp_path: Path) -> None:
    server = start(tmp_path, "--profile", "other")
    out, err = server.communicate(timeout=PATIENCE)
    assert (out, server.returncode) == (b"", 2)
    assert b"--profile must be one of default, all, graph, chatgpt" in err


def test_a_handshake_takes_at_most_ten_bare_interpreters(tmp_path: Path) -> None:
    def handshake() -> None:
        server = start(tmp_path)
        ask(server, "initialize")
        server.kill()
        server.communicate()

    def bare() -> None:
        subprocess.run([sys.executable, "-c", ""], check=True)

    ratios = []
    for _ in range(7):  # the best of some pairs
        ratios.append(spent(handshake) / spent(bare))
        if min(ratios) <= 10:
            return
    pytest.fail(f"a handshake took {min(ratios):.1f} times a bare interpreter")


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_is_served(tmp_path: Path, mode: str) -> None:
    mcp = pytest.importorskip(
        "mcp", reason="NOT RUN: the official client is not here (pip install mcp)"
    )
    import asyncio

    place = ["--root", str(tmp_path), "--agent", "a"]
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "wangchuan.server.mcp", *place], env=dict(os.environ)
    )

    async def talk() -> None:
        async with mcp.Client(server, mode=mode) as client:
            told = {"messages": "The red bicycle is in the cellar."}
            assert not (await client.call_tool("remember", told)).is_error
            found = await client.call_tool("search", {"query": "bicycle"})
            assert found.structured_content["items"]
            assert len((await client.list_tools()).tools) == 5
            assert (await client.list_resources()).resources[0].uri == "wangchuan://core"
            assert (await client.list_prompts()).prompts == []
            with pytest.raises(mcp.MCPError, match="Resource not found"):
                await client.read_resource("wangchuan://none")

    asyncio.run(talk())
