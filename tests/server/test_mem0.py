"""mem0's own client, unchanged, against our server."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest
from server.served import Served

from wangchuan.errors import InvalidInput
from wangchuan.server.mem0 import agent_of, scope_in

os.environ["MEM0_TELEMETRY"] = "False"
pytestmark = pytest.mark.filterwarnings("ignore")  # what its client leaves open


@pytest.fixture
def client(served: Served, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "mem0"))
    mem0 = pytest.importorskip("mem0")
    client = mem0.MemoryClient(api_key=served.owner, host=served.url)
    yield client
    client.client.close()


def test_its_client_adds_searches_gets_updates_and_deletes(client: Any, served: Served) -> None:
    added = client.add(
        [{"role": "user", "content": "I drink green tea"}], user_id="alice", metadata={"k": "v"}
    )
    (made,) = added["results"]
    assert (made["event"], made["memory"], made["id"]) == (
        "ADD",
        "I drink green tea",
        "alice.mem_1",
    )
    client.add("Rex is a dog", user_id="alice", agent_id="vet")
    (hit,) = client.search("green tea", filters={"user_id": "alice"}, threshold=0.1)["results"]
    assert hit["memory"] == "I drink green tea"
    assert 0.5 < hit["score"] < 1
    both = {"AND": [{"user_id": "alice"}, {"agent_id": "vet"}]}
    assert client.search("dog", filters=both)["results"][0]["memory"] == "Rex is a dog"
    assert client.search("dog", filters={"user_id": "nobody"})["results"] == []
    listed = client.get_all(filters={"user_id": "alice"}, page=1, page_size=10)
    assert (listed["count"], [one["id"] for one in listed["results"]]) == (1, ["alice.mem_1"])
    assert client.get("alice.mem_1")["memory"] == "I drink green tea"
    better = client.update("alice.mem_1", text="I drink black tea")
    assert client.get(better["id"])["memory"] == "I drink black tea"
    assert [one["event"] for one in client.history("alice.mem_1")][-1] == "DELETE"
    assert client.delete(better["id"])["message"]
    assert client.get_all(filters={"user_id": "alice"})["results"] == []
    assert {one["name"] for one in client.users()["results"]} == {"alice", "user+alice+agent+vet"}
    client.delete_all(user_id="alice", agent_id="vet")
    assert served.get("user+alice+agent+vet/stats").json["nodes"] == 0
    client.delete_users(user_id="alice")
    assert served.get("alice/stats").status == 404


def test_what_is_refused_is_said_as_it_says_it(client: Any, served: Served) -> None:
    from mem0.exceptions import AuthenticationError, MemoryNotFoundError

    with pytest.raises(MemoryNotFoundError):
        client.get("alice.mem_7")
    with pytest.raises(ValueError, match="401"):
        type(client)(api_key="wc_wrong", host=served.url)
    reader = type(client)(api_key=served.token("bob", rights="read"), host=served.url)
    with pytest.raises(AuthenticationError):
        reader.add("x", user_id="bob")
    with pytest.raises(AuthenticationError):
        reader.search("x", filters={"user_id": "alice"})
    reader.client.close()
    gc.collect()


def test_its_open_source_server_is_spoken_too(served: Served) -> None:
    key = {"X-API-Key": served.owner}
    said = {"messages": [{"role": "user", "content": "green tea"}], "user_id": "bob"}
    (made,) = served.ask("POST", "/memories", said, token=None, headers=key).json["results"]
    (hit,) = served.ask("POST", "/search", {"query": "tea", "user_id": "bob"}).json["results"]
    assert hit["id"] == made["id"] == "bob.mem_1"
    assert served.ask("GET", "/memories?user_id=bob").json["count"] == 1
    assert served.ask("GET", "/memories/bob.mem_1/history").json[0]["event"] == "ADD"
    assert served.ask("DELETE", "/memories/bob.mem_1").status == 200
    assert served.ask("DELETE", "/memories").error == "InvalidInput"
    assert served.ask("POST", "/v1/webhooks/", {}).status == 501


def test_every_scope_is_an_agent_of_its_own() -> None:
    scopes = [
        {"user_id": "alice"},
        {"agent_id": "alice"},
        {"user_id": "alice", "run_id": "1"},
        {"user_id": "alice+run+1"},
        {"user_id": "a b/../c"},
        {"user_id": "x" * 100},
        {"user_id": "x" * 101},
        {"user_id": "邮件@例子.com"},
    ]
    names = [agent_of(scope) for scope in scopes]
    assert len(set(names)) == len(names)
    assert names[0] == "alice"
    assert agent_of(scope_in({"filters": {"AND": [{"user_id": {"eq": "alice"}}]}})) == "alice"
    with pytest.raises(InvalidInput):
        agent_of({"user_id": ""})
