"""The tools of each profile, on a real memory."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE

from wangchuan import Memory
from wangchuan.operations.table import TABLE
from wangchuan.pending import Pending
from wangchuan.server.mcp.protocol import Fault
from wangchuan.server.mcp.tools import LONGEST, Tools

Json = dict[str, Any]


def offered(memory: Memory, profile: str = "default") -> Tools:
    def run(name: str, given: Json) -> Any:
        operation = TABLE[name]
        value = operation.call(memory, operation.checked(given))
        return value.result(PATIENCE) if isinstance(value, Pending) else value

    return Tools(run, profile)


def said(result: Json) -> str:
    return str(result["content"][0]["text"])


@pytest.mark.parametrize("profile", ["default", "all", "graph", "chatgpt"])
def test_every_tool_says_when_to_call_it_and_what_it_does(memory: Memory, profile: str) -> None:
    tools = offered(memory, profile).tools()
    assert len({tool["name"] for tool in tools}) == len(tools)
    for tool in tools:
        assert tool["name"].replace("_", "").isalnum()
        assert "Call this" in tool["description"]
        assert tool["inputSchema"]["type"] == "object"
        assert isinstance(tool["annotations"]["readOnlyHint"], bool)
    json.dumps(tools)


def test_the_default_tools_are_few(memory: Memory) -> None:
    names = [tool["name"] for tool in offered(memory).tools()]
    assert names == ["search", "remember", "context", "forget", "memory_status"]


def test_what_is_remembered_is_found_in_a_line_with_its_id(memory: Memory) -> None:
    tools = offered(memory)
    receipt = tools.call("remember", {"messages": "The red bicycle is in the cellar."})
    assert receipt["structuredContent"]["status"] == "accepted"
    memory.flush(PATIENCE)
    found = tools.call("search", {"query": "bicycle"})
    assert "user: The red bicycle is in the cellar. (mem_1)" in said(found)
    assert tools.call("forget", {"node_id": "mem_1"})["structuredContent"] == {"done": True}
    assert said(tools.call("search", {"query": "bicycle"})) == "nothing of it is known"


def test_a_wrong_call_is_a_result_that_a_model_can_read(memory: Memory) -> None:
    result = offered(memory).call("forget", {"node_id": "mem_7"})
    assert (result["isError"], said(result)) == (True, "no memory has the id 'mem_7'")
    assert "query" in said(offered(memory).call("search", {"wrong": 1}))


def test_a_tool_of_another_profile_is_unknown(memory: Memory) -> None:
    with pytest.raises(Fault, match="Unknown tool: explain"):
        offered(memory).call("explain", {})


def test_an_answer_is_no_longer_than_a_model_should_read(memory: Memory) -> None:
    said_of_tea = [f"Tea number {n}. " + "word " * 400 for n in range(60)]
    memory.remember(said_of_tea).result(PATIENCE)
    assert sum(map(len, said_of_tea)) > 2 * LONGEST
    result = offered(memory).call("search", {"query": "tea", "limit": 50})
    assert len(json.dumps(result["structuredContent"], ensure_ascii=False)) <= LONGEST
    assert len(said(result)) <= LONGEST
    assert result["structuredContent"]["items"]


def test_no_client_is_shown_how_something_failed(caplog: pytest.LogCaptureFixture) -> None:
    def broken(name: str, given: Json) -> Any:
        raise KeyError("secret")

    result = Tools(broken).call("stats".replace("stats", "memory_status"), {})
    assert (result["isError"], said(result)) == (True, "memory_status failed: KeyError")
    assert "secret" in caplog.text


def test_connectors_search_and_fetch(memory: Memory) -> None:
    memory.remember("The red bicycle is in the cellar.").result(PATIENCE)
    tools = offered(memory, "chatgpt")
    (found,) = json.loads(said(tools.call("search", {"query": "bicycle"})))["results"]
    page = json.loads(said(tools.call("fetch", {"id": found["id"]})))
    assert page["text"] == "The red bicycle is in the cellar."
    assert tools.call("fetch", {"id": "mem_99"})["isError"]


def test_a_graph_is_kept_as_facts(open_memory: Open) -> None:
    tools = offered(open_memory(learn=True), "graph")

    def call(name: str, **given: Any) -> Any:
        result = tools.call(name, given)
        assert not result["isError"], said(result)
        return result["structuredContent"]

    ann = {"name": "Ann", "entityType": "person", "observations": ["Likes tea", "Lives in Oslo"]}
    bank = {"name": "Bank", "entityType": "company", "observations": []}
    works = {"from": "Ann", "to": "Bank", "relationType": "works at"}
    assert call("create_entities", entities=[ann, bank])["entities"] == [ann, bank]
    assert call("create_entities", entities=[ann])["entities"] == []
    assert call("create_relations", relations=[works])["relations"] == [works]
    added = call("add_observations", observations=[{"entityName": "Bank", "contents": ["Is old"]}])
    assert added["results"][0]["addedObservations"] == ["Is old"]
    graph = call("read_graph")
    assert graph["relations"] == [works]
    entities = {one["name"]: one for one in graph["entities"]}
    assert sorted(entities["Ann"]["observations"]) == ["Likes tea", "Lives in Oslo"]
    assert entities["Bank"] == bank | {"observations": ["Is old"]}
    assert call("open_nodes", names=["Bank"])["entities"] == [entities["Bank"]]
    assert "Likes tea" in str(call("search_nodes", query="tea"))
    gone = [{"entityName": "Ann", "observations": ["Likes tea"]}]
    call("delete_observations", deletions=gone)
    assert "Likes tea" not in str(call("read_graph"))
    call("delete_entities", entityNames=["Bank"])
    left = call("read_graph")
    assert ([one["name"] for one in left["entities"]], left["relations"]) == (["Ann"], [])


def test_core_facts_and_the_notebook_are_resources(open_memory: Open, tmp_path: Any) -> None:
    memory = open_memory(learn=True)
    memory.facts.add("The user is called Ann", kind="core")
    tools = offered(memory)
    assert [page["uri"] for page in tools.resources()] == ["wangchuan://core"]
    assert (tools.read("wangchuan://core") or {})["text"] == "- The user is called Ann"
    assert tools.read("wangchuan://notebook") is None
    assert tools.read("wangchuan://other") is None
