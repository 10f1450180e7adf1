"""Clients and suites that others made, unchanged, from npm: `./run test-clients` brings them.

mem0's client for JavaScript and its command line, the official conformance suite of MCP and the
Inspector's command line.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from server.served import Served

MODULES = Path(os.environ.get("TEST_CLIENTS", "nowhere")) / "node_modules"
STORY = Path(__file__).parent / "mem0_story.mjs"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
SECONDS = 240.0
WHOLE = {
    "server-initialize": 2,
    "ping": 2,
    "tools-list": 3,
    "resources-list": 2,
    "prompts-list": 2,
    "dns-rebinding-protection": 2,
    "caching": 8,
    "http-header-validation": 14,
    "sep-2164-resource-not-found": 4,
}
# What the stateless scenario asks of tools that only the suite's own server has.
FIXTURES = {
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-missing-capability-http-400",
    "sep-2575-server-no-log-without-loglevel",
    "sep-2575-server-rejects-undeclared-capability",
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (MODULES / "mem0ai").exists(), reason="NOT RUN: ./run test-clients brings them"
    ),
]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path / "memory_data", open_door=True)
    yield served
    served.close()


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    own = {"HOME": str(tmp_path), "NO_PROXY": "127.0.0.1", "MEM0_TELEMETRY": "false"}
    path = f"{MODULES / '.bin'}:{os.environ['PATH']}"  # its node is new enough for the suite

    def run(*call: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(part) for part in call], env={**own, "PATH": path}, cwd=tmp_path,
            capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    return run


def test_mem0s_client_for_javascript_adds_searches_updates_and_deletes(
    served: Served, run: Any
) -> None:
    done = run("node", STORY, MODULES, served.url, served.owner)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    tea = ("alice.mem_1", "I drink green tea")
    for name in ("added", "found", "listed"):
        assert [(one["id"], one["memory"]) for one in told[name]["results"]] == [tea], name
    assert told["got"]["memory"] == tea[1]
    assert told["updated"]["memory"] == "I drink black tea"
    assert [one["event"] for one in told["history"]] == ["ADD", "DELETE"]
    assert told["history"][0]["newMemory"] == tea[1]
    assert told["left"]["results"] == []
    assert [one["name"] for one in told["users"]["results"]] == ["alice"]
    assert told["missing"] == "MemoryNotFoundError"
    assert served.get("bob/stats").json["nodes"] == 0


def test_mem0s_command_line_adds_searches_updates_and_deletes(served: Served, run: Any) -> None:
    def mem0(*words: str) -> Any:
        place = ("--base-url", served.url, "--api-key", served.owner)
        done = run("mem0", "--json", *words, *place)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)["data"]

    alice = ("--user-id", "alice")
    assert mem0("status")["connected"]
    assert [one["id"] for one in mem0("add", "I drink green tea", *alice)] == ["alice.mem_1"]
    assert [one["memory"] for one in mem0("search", "green tea", *alice)] == ["I drink green tea"]
    assert mem0("get", "alice.mem_1")["memory"] == "I drink green tea"
    assert mem0("update", "alice.mem_1", "I drink black tea")["id"] == "alice.mem_2"
    assert [one["memory"] for one in mem0("list", *alice)] == ["I drink black tea"]
    assert mem0("delete", "alice.mem_2")["deleted"]
    assert mem0("list", *alice) == []
    assert [one["name"] for one in mem0("entity", "list", "users")] == ["alice"]


def conformance(run: Any, served: Served, scenario: str) -> str:
    served.told("a", "The gate is green.")
    url = f"{served.url}/mcp?agent=a"
    done = run("node", SUITE, "server", "--url", url, "--scenario", scenario)
    return re.sub(r"\x1b\[\d+m", "", done.stdout)


@pytest.mark.parametrize("scenario", WHOLE)
def test_the_conformance_suite_is_passed(scenario: str, served: Served, run: Any) -> None:
    count = WHOLE[scenario]
    told = conformance(run, served, scenario)
    assert f"Passed: {count}/{count}, 0 failed, 0 warnings" in told, told


def test_the_stateless_scenario_fails_only_where_it_asks_for_tools_of_its_own(
    served: Served, run: Any
) -> None:
    told = conformance(run, served, "server-stateless")
    assert "Passed: 21/25" in told, told
    assert set(re.findall(r"\[([\w-]+) *\] FAILURE", told)) == FIXTURES, told


def test_the_inspector_lists_and_calls_our_tools(served: Served, run: Any) -> None:
    served.told("a", "The gate is green.")
    call = ("mcp-inspector", "--cli", f"{served.url}/mcp?agent=a", "--transport", "http")
    listed = run(*call, "--method", "tools/list")
    assert listed.returncode == 0, listed.stderr
    assert "memory_status" in {tool["name"] for tool in json.loads(listed.stdout)["tools"]}
    words = ("--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=gate")
    found = run(*call, *words)
    assert "The gate is green." in found.stdout, found.stdout + found.stderr
