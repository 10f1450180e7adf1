"""What a message may be called and how long it may be."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel

from wangchuan import Host, InvalidInput, Memory
from wangchuan.messages import LONGEST_CALL, LONGEST_MESSAGE

pytestmark = pytest.mark.in_both


def said(content: str, **more: str) -> dict[str, str]:
    return {"role": "user", "content": content, **more}


@pytest.mark.parametrize("given", ["msg_1", "msg_7", "msg_007", "msg_" + "9" * 30, "msg_٣"])
def test_an_id_that_looks_like_ours_is_refused(memory: Memory, given: str) -> None:
    with pytest.raises(InvalidInput, match=r"message 1 has the id 'msg_.*nothing was stored"):
        memory.remember([said("Fine.", id="msg_a1"), said("Not fine.", id=given)])
    assert memory.stats().messages == 0


def test_an_import_with_such_an_id_is_refused_before_anything_is_stored(
    tmp_path: Path, clock: FakeClock
) -> None:
    at = "2026-01-01T10:00:00Z"
    chats = [
        {
            "uuid": f"c{n}",
            "name": "talk",
            "chat_messages": [{"uuid": name, "sender": "human", "text": "Hi!", "created_at": at}],
        }
        for n, name in enumerate(("m1", "msg_1"))
    ]
    with Host(tmp_path, settings={"learn": False}, model=LineModel(), clock=clock) as host:
        with pytest.raises(InvalidInput, match="'msg_1'"):
            host.import_("a", BytesIO(json.dumps(chats).encode()), format="claude")
        assert host.open("a").stats().messages == 0


def shadowed(open_memory: Open) -> Memory:
    """A memory of former days, in which callers could give any id."""
    memory = open_memory()
    memory.remember([said("Ours is green."), said("Theirs is blue.", id="caller")]).result(PATIENCE)
    memory.remember(said("Another one is red.", id="another")).result(PATIENCE)
    with memory._agent.store() as store, store.write() as tx:
        run = tx._engine.connection.execute  # type: ignore[attr-defined]
        run("UPDATE messages SET id = 'msg_1' WHERE seq = 2")
        run("UPDATE nodes SET sources = '[\"msg_1\"]' WHERE message = 2")
        run("UPDATE messages SET id = 'msg_2' WHERE seq = 3")
        run("UPDATE nodes SET sources = '[\"msg_2\"]' WHERE message = 3")
    return memory


def contents(memory: Memory) -> list[str]:
    return [node.content for node in memory.nodes()]


def test_a_name_that_means_two_messages_is_refused_and_both_have_another(
    open_memory: Open,
) -> None:
    memory = shadowed(open_memory)
    with pytest.raises(InvalidInput, match=r"msg_01 .user: 'Ours.* or msg_02 .user: 'Theirs"):
        memory.erase(message_ids=["msg_1"])
    assert len(contents(memory)) == 3
    memory.erase(message_ids=["msg_01"])
    assert contents(memory) == ["Theirs is blue.", "Another one is red."]
    memory.erase(message_ids=["msg_1"])  # no doubt any more
    assert contents(memory) == ["Another one is red."]


def test_the_other_name_means_the_other_message(open_memory: Open) -> None:
    memory = shadowed(open_memory)
    memory.erase(message_ids=["msg_02"])
    assert contents(memory) == ["Ours is green.", "Another one is red."]
    memory.erase(message_ids=["msg_2"])  # the id of a message, and the number of none
    assert contents(memory) == ["Ours is green."]


def test_a_memory_is_erased_with_its_own_message_whatever_that_is_called(
    open_memory: Open,
) -> None:
    memory = shadowed(open_memory)
    memory.erase("mem_2")
    assert contents(memory) == ["Ours is green.", "Another one is red."]


def test_a_merged_memory_of_doubtful_origin_is_not_erased_with_a_message_of_others(
    open_memory: Open,
) -> None:
    memory = shadowed(open_memory)
    merged = memory.merges.make(["mem_1", "mem_3"])
    with pytest.raises(InvalidInput, match="msg_01"):
        memory.erase(merged.id)
    memory.erase(message_ids=["msg_01"])
    assert merged.id not in [node.id for node in memory.nodes()]
    assert "Theirs is blue." in contents(memory)


def test_a_message_that_is_too_long_is_refused_with_its_place_and_the_limit(
    memory: Memory,
) -> None:
    long = "a" * (LONGEST_MESSAGE + 1)
    with pytest.raises(InvalidInput, match=r"message 1 has 1,000,001 .*1,000,000.*several"):
        memory.remember([said("Short."), said(long)])
    assert memory.stats().messages == 0


def test_messages_that_are_too_long_together_are_refused(memory: Memory) -> None:
    count = LONGEST_CALL // LONGEST_MESSAGE + 1
    with pytest.raises(InvalidInput, match=r"11 messages have 11,000,000 .* several calls"):
        memory.remember([said("a" * LONGEST_MESSAGE)] * count)
    assert memory.stats().messages == 0
