"""Messages as others give them: again, in their own forms, in sessions, with metadata."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from conftest import Open
from hypothesis import given
from hypothesis import strategies as st
from stage import PATIENCE, FakeClock, LineModel

from wangchuan import Host, InvalidInput, Memory, NotFound
from wangchuan.messages import checked


def said(content: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


def contents(memory: Memory, **more: Any) -> list[str]:
    return [message.content for message in memory.look.messages(**more)]


# again


def test_the_same_id_is_the_same_message_with_the_same_receipt(memory: Memory) -> None:
    first = memory.remember(said("The cellar is dry.", id="m1"))
    again = memory.remember(said("The cellar is dry.", id="m1"))
    assert (again.id, again.status) == (first.id, "accepted")
    assert (again.known, again.changed) == (("m1",), ())
    assert again.result(PATIENCE) == first.result(PATIENCE) != ()
    assert memory.remember(said("The cellar is dry.", id="m1")).result(PATIENCE) == again.result(1)
    assert contents(memory) == ["The cellar is dry."]
    assert memory.stats().nodes == 1


def test_of_other_words_under_a_known_id_the_first_stand_and_the_receipt_says_so(
    memory: Memory,
) -> None:
    memory.remember(said("The cellar is dry.", id="m1"))
    again = memory.remember([said("The cellar is wet.", id="m1")])
    assert again.changed == ("m1",)
    assert contents(memory) == ["The cellar is dry."]


def test_of_a_batch_that_is_partly_known_the_rest_is_stored(memory: Memory) -> None:
    first = memory.remember([said("One.", id="m1"), said("Two.", id="m2")])
    second = memory.remember([said("Two.", id="m2"), said("Three.", id="m3"), said("Four.")])
    assert second.id != first.id
    assert second.known == ("m2",)
    assert contents(memory) == ["One.", "Two.", "Three.", "Four."]
    whole = memory.remember([said(text, id=f"m{n}") for n, text in enumerate("xyz", 1)])
    assert (whole.id, whole.known) == (second.id, ("m1", "m2", "m3"))


def test_an_id_twice_in_one_call_is_one_message(memory: Memory) -> None:
    receipt = memory.remember([said("One.", id="m1"), said("Other.", id="m1")])
    assert (receipt.known, receipt.changed) == (("m1",), ("m1",))
    assert contents(memory) == ["One."]


def test_a_question_and_its_answer_may_share_an_id(memory: Memory) -> None:
    pair = [said("Where?", id="m1"), {"role": "assistant", "content": "There.", "id": "m1"}]
    assert memory.remember(pair).known == ()
    assert memory.remember(pair).known == ("m1", "m1")
    assert contents(memory) == ["Where?", "There."]


def test_a_known_message_is_answered_though_the_queue_is_full(open_memory: Open) -> None:
    memory = open_memory(max_queue_size=1, model=LineModel(failing=True))
    first = memory.remember(said("One.", id="m1"))
    assert memory.remember(said("Two.", id="m2")).status == "rejected"
    assert memory.remember(said("One.", id="m1")).id == first.id


def test_a_message_is_known_after_its_memory_was_opened_again(open_memory: Open) -> None:
    memory = open_memory()
    first = memory.remember(said("One.", id="m1"))
    made = first.result(PATIENCE)
    memory.close()
    again = open_memory().remember(said("One.", id="m1"))
    assert (again.id, again.result(PATIENCE)) == (first.id, made)


def test_an_erased_message_does_not_come_back_when_its_session_is_sent_again(
    memory: Memory,
) -> None:
    memory.remember([said("My key is 4711.", id="m1"), said("Tea?", id="m2")]).result(PATIENCE)
    memory.erase(message_ids=["m1"])
    again = memory.remember([said("My key is 4711.", id="m1")])
    assert (again.status, again.id, again.known) == ("accepted", None, ("m1",))
    assert again.result(PATIENCE) == ()
    assert contents(memory) == ["Tea?"]


def test_many_threads_that_send_the_same_session_store_it_once(memory: Memory) -> None:
    session = [said(f"Number {n}.", id=f"m{n}") for n in range(10)]
    with ThreadPoolExecutor(8) as pool:
        receipts = list(pool.map(lambda n: memory.remember(session[: n % 10 + 1]), range(40)))
    assert sorted(contents(memory)) == sorted(message["content"] for message in session)
    assert all(receipt.status == "accepted" for receipt in receipts)
    for receipt in receipts:
        receipt.result(PATIENCE)


SENDER = """
import sys
from wangchuan import Memory
with Memory.open("a", root=sys.argv[1], settings={"learn": False}) as memory:
    for n in range(20):
        receipt = memory.remember({"role": "user", "content": f"Number {n}.", "id": f"m{n}"})
        print(receipt.id)
"""


def test_several_processes_that_send_the_same_session_get_the_same_receipts(tmp_path: Path) -> None:
    call = [sys.executable, "-c", SENDER, str(tmp_path)]
    senders = [subprocess.Popen(call, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    printed = {sender.communicate(timeout=PATIENCE)[0] for sender in senders}
    assert len(printed) == 1
    with Memory.open("a", root=tmp_path, settings={"learn": False}) as memory:
        assert len(memory.look.messages()) == 20


# other forms


@dataclass
class Spoken:
    """What LangChain's messages have in common."""

    type: str
    content: Any
    id: str | None = None
    name: str | None = None
    tool_calls: list[Any] = field(default_factory=list)


@dataclass
class Completion:
    """What OpenAI's messages have in common."""

    role: str
    content: Any
    tool_calls: list[Any] | None = None


@dataclass
class Function:
    name: str
    arguments: str


@dataclass
class Call:
    function: Function


@pytest.mark.parametrize(
    ("given", "role", "content"),
    [
        (("user", "Tea?"), "user", "Tea?"),
        (("ai", "Yes."), "assistant", "Yes."),
        (Spoken("human", "Tea?"), "user", "Tea?"),
        (Spoken("AIMessageChunk", "Yes."), "assistant", "Yes."),
        (Spoken("ai", [{"type": "text", "text": "Yes."}, "Please."]), "assistant", "Yes.\nPlease."),
        (Spoken("ai", "", tool_calls=[{"name": "search", "args": {"q": "茶"}}]),
         "assistant", '[search({"q": "茶"})]'),
        (Completion("assistant", "Yes."), "assistant", "Yes."),
        (Completion("developer", "Be kind."), "system", "Be kind."),
        (Completion("assistant", None, [Call(Function("search", '{"q": 1}'))]),
         "assistant", '[search({"q": 1})]'),
        (said([{"type": "input_text", "text": "Look:"}, {"type": "input_image", "url": "data:"}]),
         "user", "Look:\n[image]"),
        (said([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Yes."}]),
         "user", "Yes."),
        (said([{"type": "tool_result", "content": [{"type": "text", "text": "42"}]}]),
         "user", "42"),
    ],
)  # fmt: skip
def test_messages_of_other_libraries_are_taken(given: Any, role: str, content: str) -> None:
    for form in (given, [given]):
        (message,) = checked(form)
        assert (message.role, message.content) == (role, content)


def test_ids_and_names_of_other_libraries_are_kept() -> None:
    (message,) = checked(Spoken("human", "Tea?", id="run-7", name="Ann"))
    assert (message.id, message.name) == ("run-7", "Ann")


@given(st.tuples(st.text(), st.text()))
def test_two_texts_in_a_tuple_are_one_message_or_refused(pair: tuple[str, str]) -> None:
    try:
        assert len(checked(pair)) == 1
    except InvalidInput as error:
        assert "roles are" in str(error)  # noqa: PT017 (either is right)


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("2026-03-02T10:00:00Z", datetime(2026, 3, 2, 10, tzinfo=UTC).timestamp()),
        ("2026-03-02T10:00:00+02:00", datetime(2026, 3, 2, 8, tzinfo=UTC).timestamp()),
        ("2026-03-02 10:00", datetime(2026, 3, 2, 10).timestamp()),
    ],
)
def test_times_in_iso_form_are_kept(given: str, seconds: float) -> None:
    assert checked(said("x", timestamp=given))[0].timestamp == seconds


@pytest.mark.parametrize("given", ["yesterday", "", "2026-13-01", "9999999999"])
def test_what_is_no_time_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput, match="ISO 8601"):
        checked(said("x", timestamp=given))


# sessions and metadata


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("text", "mapping"),
        ({"a": {"b": 1}}, "a value is"),
        ({"a": [1]}, "a value is"),
        ({"a": float("nan")}, "a value is"),
        ({"a": 10**30}, "a value is"),
        ({"a": "x" * 1001}, "a value is"),
        ({"": 1}, "key"),
        ({1: 1}, "key"),
        ({"k" * 65: 1}, "key"),
        ({f"k{n}": n for n in range(33)}, "at most 32"),
    ],
)
def test_metadata_that_is_not_flat_or_too_much_is_refused(
    memory: Memory, wrong: Any, why: str
) -> None:
    with pytest.raises(InvalidInput, match=why):
        memory.remember(said("x", metadata=wrong))
    with pytest.raises(InvalidInput, match=why):
        memory.search("x", where=wrong)
    assert memory.stats().messages == 0


def two_projects(memory: Memory) -> None:
    memory.remember(
        [
            said("The red bicycle is in the cellar", metadata={"project": "home", "n": 1}),
            said("The red bicycle is in the garage", session="s2"),
        ],
        session="s1",
        metadata={"project": "work", "done": True},
    ).result(PATIENCE)


def test_search_is_bounded_to_a_session_and_to_metadata(memory: Memory) -> None:
    two_projects(memory)

    def found(**bounds: Any) -> list[str]:
        hits = memory.search("bicycle", **bounds).result(PATIENCE)
        return sorted(hit.sources[0].content.split()[-1] for hit in hits)

    assert found() == ["cellar", "garage"]
    assert found(session="s1") == ["cellar"]
    assert found(session="s2", where={"project": "work"}) == ["garage"]
    assert found(where={"n": 1.0}) == ["cellar"]
    assert found(where={"done": True}) == ["garage"]
    assert found(where={"done": 1}) == found(session="s3") == []


def test_hits_show_session_and_metadata(memory: Memory) -> None:
    two_projects(memory)
    (hit,) = memory.search("bicycle", session="s1").result(PATIENCE)
    (source,) = hit.sources
    assert (source.session, source.metadata) == ("s1", {"project": "home", "n": 1})


def test_an_old_session_is_found_however_often_the_words_were_said_since(memory: Memory) -> None:
    memory.remember("The bicycle is red.", session="old")
    for _ in range(3):
        memory.remember([said("A bicycle again.") for _ in range(150)])
    (hit,) = memory.search("bicycle", session="old").result(PATIENCE)
    assert hit.sources[0].content == "The bicycle is red."


def test_session_and_metadata_travel_with_an_export(tmp_path: Path, clock: FakeClock) -> None:
    out, back = BytesIO(), BytesIO()
    with Host(tmp_path, settings={"learn": False}, model=LineModel(), clock=clock) as host:
        with host.open("a") as memory:
            two_projects(memory)
            memory.export(out)
        host.import_("b", BytesIO(out.getvalue()))
        with host.open("b") as memory:
            assert contents(memory, where={"project": "home"}) == [
                "The red bicycle is in the cellar"
            ]
            memory.export(back)
    assert back.getvalue() == out.getvalue().replace(b'"agent":"a"', b'"agent":"b"', 1)


def test_an_export_of_former_days_without_sessions_is_imported(
    tmp_path: Path, clock: FakeClock
) -> None:
    out = BytesIO()
    with Host(tmp_path, settings={"learn": False}, model=LineModel(), clock=clock) as host:
        with host.open("a") as memory:
            memory.remember("The cellar is dry.").result(PATIENCE)
            memory.export(out)
        former = out.getvalue().replace(b',"session":null,"metadata":null', b"")
        assert former != out.getvalue()
        host.import_("b", BytesIO(former))
        assert contents(host.open("b")) == ["The cellar is dry."]


def test_erasing_leaves_no_metadata_behind(memory: Memory) -> None:
    memory.remember(said("Tea.", id="m1", metadata={"patient": "Wilhelmina Schuster"}))
    memory.flush(PATIENCE)
    receipt = memory.erase(message_ids=["m1"])
    assert receipt.remains == ()
    memory.close()
    assert b"Wilhelmina" not in b"".join(p.read_bytes() for p in memory.path.glob("memory.db*"))


# pages


def test_messages_are_listed_page_by_page(memory: Memory) -> None:
    memory.remember([said(f"Number {n}.", id=f"m{n}", session=f"s{n % 2}") for n in range(7)])
    pages, after = [], 0
    while page := memory.look.messages(after=after, limit=3):
        pages.append([message.id for message in page])
        after = page[-1].seq
    assert pages == [["m0", "m1", "m2"], ["m3", "m4", "m5"], ["m6"]]
    assert [m.id for m in memory.look.messages(after="m3", session="s0")] == ["m4", "m6"]
    with pytest.raises(NotFound, match="no message has the id 'm9'"):
        memory.look.messages(after="m9")


def test_nodes_are_listed_page_by_page(memory: Memory) -> None:
    memory.remember([said(f"Number {n} is here.") for n in range(5)]).result(PATIENCE)
    every = memory.nodes()
    assert memory.nodes(limit=2, offset=1) == every[1:3]
    assert memory.look.nodes(limit=2, after=every[2].id) == every[3:]
    assert memory.nodes(limit=0) == []
    with pytest.raises(InvalidInput, match="offset"):
        memory.nodes(limit=1, offset=-1)
