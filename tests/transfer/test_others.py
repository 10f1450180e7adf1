"""What other systems export comes in as messages or facts, once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stage import PATIENCE, FakeClock

from wangchuan import Host
from wangchuan.errors import InvalidInput
from wangchuan.transfer import others

MEM0 = {
    "results": [
        {
            "id": "0a52b6a2-1a5c-4a57-9f7e-000000000001",
            "memory": "Likes to hike in the Harz",
            "hash": "c0ffee",
            "metadata": {"category": "hobbies"},
            "created_at": "2025-03-01T10:00:00-07:00",
            "updated_at": None,
            "user_id": "ann",
        },
        {"id": "2", "memory": "对花生过敏", "created_at": None, "user_id": "ann"},
    ]
}
LANGGRAPH = [
    {
        "namespace": ["memories", "ann"],
        "key": "one",
        "value": {"text": "Prefers short answers"},
        "created_at": "2025-03-01T10:00:00",
        "updated_at": "2025-03-01T10:00:00",
    },
    {"namespace": ["profile"], "key": "me", "value": {"city": "柏林", "age": 33}},
]


def _node(name: str, parent: str | None, role: str, parts: list[Any], **more: Any) -> Any:
    message = {
        "id": f"msg-{name}",
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": more.pop("at", 1_700_000_000.5),
        "content": {"content_type": more.pop("type", "text"), "parts": parts},
        "metadata": more,
    }
    return {"id": name, "parent": parent, "children": [], "message": message}


CHATGPT = [
    {
        "id": "second",
        "title": "Later",
        "create_time": 1_700_100_000.0,
        "current_node": "u1",
        "mapping": {"u1": _node("u1", None, "user", ["A later talk."], at=None)},
    },
    {
        "id": "first",
        "title": "Rivers",
        "create_time": 1_700_000_000.0,
        "current_node": "a2",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["s"], "message": None},
            "s": _node("s", "root", "system", [""]),
            "h": _node("h", "s", "user", ["hidden"], is_visually_hidden_from_conversation=True),
            "u": _node("u", "h", "user", ["Which river", {"asset_pointer": "x"}, "forgets?"]),
            "a1": _node("a1", "u", "assistant", ["The Rhine."]),
            "t": _node("t", "u", "tool", ["searching"]),
            "c": _node("c", "t", "assistant", ["print(1)"], type="code"),
            "a2": _node("a2", "c", "assistant", ["Lethe 忘川."], at=1_700_000_009),
        },
    },
]
CLAUDE = [
    {
        "uuid": "c-1",
        "name": "Tea",
        "created_at": "2025-02-01T08:00:00.123456Z",
        "account": {"uuid": "someone"},
        "chat_messages": [
            {
                "uuid": "m-1",
                "sender": "human",
                "text": "Green or black?",
                "content": [{"type": "text", "text": "Green or black?"}],
                "created_at": "2025-02-01T08:00:00.123456Z",
                "attachments": [],
                "files": [],
            },
            {
                "uuid": "m-2",
                "sender": "assistant",
                "text": "older text",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "Green."},
                ],
                "created_at": "2025-02-01T08:00:05Z",
            },
            {"uuid": "m-3", "sender": "human", "text": "Thanks", "created_at": None},
            {"uuid": "m-4", "sender": "assistant", "text": "", "content": []},
        ],
    }
]
FILES = {"mem0": MEM0, "langgraph": LANGGRAPH, "chatgpt": CHATGPT, "claude": CLAUDE}


@pytest.mark.parametrize("system", sorted(FILES))
def test_a_system_is_told_by_what_it_writes(system: str) -> None:
    assert others.recognised(FILES[system]) == system


def test_a_conversation_of_chatgpt_is_the_branch_seen_last_in_words() -> None:
    first, second = others.read(CHATGPT, "chatgpt").conversations
    assert [(m.role, m.content, m.id, m.timestamp) for m in first] == [
        ("user", "Which river\nforgets?", "msg-u", 1_700_000_000.5),
        ("assistant", "Lethe 忘川.", "msg-a2", 1_700_000_009.0),
    ]
    assert [(m.content, m.timestamp) for m in second] == [("A later talk.", 1_700_100_000.0)]


def test_a_mapping_that_runs_in_a_circle_ends() -> None:
    circle = {"a": _node("a", "b", "user", ["x"]), "b": _node("b", "a", "user", ["y"])}
    found = others.read([{"mapping": circle, "current_node": "a"}], "chatgpt")
    assert [m.content for m in found.conversations[0]] == ["y", "x"]


def test_a_conversation_of_claude_is_its_text_blocks_or_its_text() -> None:
    (said,) = others.read(CLAUDE, "claude").conversations
    assert [(m.role, m.content, m.id) for m in said] == [
        ("user", "Green or black?", "m-1"),
        ("assistant", "Green.", "m-2"),
        ("user", "Thanks", "m-3"),
    ]
    assert said[0].timestamp == 1_738_396_800.123456
    assert said[2].timestamp is None


def test_facts_of_mem0_and_langgraph_keep_their_times() -> None:
    kept = others.read(MEM0, "mem0").facts
    assert kept == [
        others.Stated("Likes to hike in the Harz", 1_740_848_400.0),
        others.Stated("对花生过敏"),
    ]
    assert others.read(MEM0["results"], "mem0").facts == kept
    stored = others.read({"items": LANGGRAPH}, "langgraph").facts
    assert stored == [
        others.Stated("Prefers short answers", 1_740_823_200.0),
        others.Stated('{"age": 33, "city": "柏林"}'),
    ]


BAD = [
    ("mem0", [{"memory": ""}], "item 1: has no text 'memory'"),
    ("mem0", [{"memory": "x"}, 3], "item 2: must be an object"),
    ("mem0", [{"memory": "x", "created_at": "soon"}], "item 1: has the time 'soon'"),
    ("mem0", "text", "a list was expected"),
    ("langgraph", [{"value": "x"}], "item 1: has no object 'value'"),
    ("chatgpt", [{"mapping": []}], "item 1: has no object 'mapping'"),
    ("chatgpt", [{"mapping": {"a": 1}, "current_node": "a"}], "item 1: node 'a'"),
    ("claude", [{"chat_messages": {}}], "item 1: has no list"),
    ("claude", [{"chat_messages": [1]}], "item 1: holds a message that is no object"),
    ("claude", [{"chat_messages": [{"sender": "bot"}]}], "sender 'bot'"),
]


@pytest.mark.parametrize(("system", "document", "fault"), BAD)
def test_what_cannot_be_used_is_named_and_leaves_nothing(
    tmp_path: Path, system: str, document: Any, fault: str
) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidInput, match=fault), Host(tmp_path) as host:
        host.import_("a", path, format=system)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["memory", "value", "mapping", "current_node", "a", "message", "author"]
            )
            | st.sampled_from(
                ["content", "parts", "chat_messages", "sender", "created_at", "text"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(values, st.sampled_from(sorted(FILES)))
def test_no_document_raises_anything_but_invalid_input(document: Any, system: str) -> None:
    try:
        others.recognised(document)
        found = others.read(document, system)
    except InvalidInput:
        return
    assert all(found.conversations)


def test_conversations_and_facts_come_in_once(tmp_path: Path) -> None:
    clock = FakeClock()
    with Host(tmp_path, clock=clock, settings={"learn": False}) as host:
        for number in (1, 2):
            came = {}
            for system, document in FILES.items():
                path = tmp_path / f"{system}.json"
                path.write_text(json.dumps(document, ensure_ascii=False), "utf-8")
                came[system] = host.import_("a", path)
            assert came["mem0"]["fact"] == came["langgraph"]["fact"] == (2 if number == 1 else 0)
            assert came["chatgpt"] == {"message": 0, "fact": 0, "known": 3} or number == 1
        with host.open("a") as memory:
            assert memory.flush(PATIENCE)
            facts = {fact.text: fact for fact in memory.facts()}
            hike = facts["Likes to hike in the Harz"]
            assert (hike.source, hike.verified) == ("background_ai", False)
            assert (hike.created_at, hike.used_at) == (1_740_848_400.0, clock.now)
            assert len(facts) == 4
            assert memory.stats().messages == 6
            assert "Lethe" in memory.search("Lethe").result(PATIENCE)[0].text


def test_what_nobody_knows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('[{"something": "else"}]')
    with Host(tmp_path / "root") as host:
        with pytest.raises(InvalidInput, match="no export of jsonl, chatgpt, claude"):
            host.import_("a", path)
        with pytest.raises(InvalidInput, match="format must be one of jsonl"):
            host.import_("a", path, format="letta")
        with pytest.raises(InvalidInput, match="cannot read"):
            host.import_("a", tmp_path / "nothing")
    assert not (tmp_path / "root").exists()
