"""Everything goes out and comes back, byte for byte; what cannot be used leaves no trace."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from stage import PATIENCE, FakeClock
from transfer.packing import NAME, SETTINGS, brought, open_store, packed, rich_memory

from wangchuan import Host, Memory
from wangchuan.errors import InvalidInput, NewerFormat, NotFound
from wangchuan.storage import KEPT, JournalRecord, LinkRecord, MessageRecord, NodeRecord
from wangchuan.transfer import lines
from wangchuan.types import Message

DOCS = Path(__file__).parents[2] / "docs" / "export.md"
NOW = 1_767_225_600.0


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The lines of a memory in which everything has happened."""
    root = tmp_path_factory.mktemp("rich")
    rich_memory(root, FakeClock())
    return packed(root, vectors=True)


def records(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.split(b"\n") if line]


def test_the_memory_of_these_tests_holds_every_kind_and_every_fate(told: bytes) -> None:
    kinds = Counter(one.get("record") for one in records(told))
    missing = {kind for kind in KEPT if not kinds[kind]}
    assert missing <= {"usage", "lifecycle", "tombstone"}
    nodes = [one for one in records(told) if one.get("record") == "node"]
    reasons = {str(node["reason"]).split()[0] for node in nodes}
    assert {"on", "superseded"} <= reasons
    assert {"segment", "fact", "episode"} <= {node["kind"] for node in nodes}
    assert any(node["content"] is not None for node in nodes)  # a text that was rewritten
    jobs = [one for one in records(told) if one.get("record") == "job"]
    assert {"pending", "done"} <= {job["state"] for job in jobs}
    assert "restored" in {one["kind"] for one in records(told) if one.get("record") == "entry"}


def test_what_was_imported_exports_the_same_bytes(tmp_path: Path, told: bytes) -> None:
    came = brought(tmp_path, told, FakeClock())
    assert packed(tmp_path, vectors=True) == told
    counts = records(told)[0]["counts"]
    assert came == {kind: count for kind, count in counts.items() if count}


def test_vectors_and_the_note_about_them_go_along_only_if_asked_for(
    tmp_path: Path, told: bytes
) -> None:
    brought(tmp_path, told, FakeClock())
    plain = packed(tmp_path)
    assert b'"record":"vector"' not in plain
    assert b'"record":"vector"' in told
    brought(tmp_path / "again", plain, FakeClock())
    assert packed(tmp_path / "again") == plain


def test_an_import_under_another_name_differs_in_that_alone(tmp_path: Path, told: bytes) -> None:
    brought(tmp_path, told, FakeClock(), "other")
    here = packed(tmp_path, "other", vectors=True)
    assert here == told.replace(b'"agent":"agent_001"', b'"agent":"other"', 1) != told


def test_what_was_imported_is_sound_found_and_goes_on(tmp_path: Path, told: bytes) -> None:
    clock = FakeClock(NOW + 200_000)
    brought(tmp_path, told, clock)
    with Memory.open(NAME, root=tmp_path, clock=clock, settings=SETTINGS) as memory:
        assert memory.flush(PATIENCE)  # the job that waited is done here
        faults = [fault for fault in memory.look.faults() if not _is_about_a_fact(memory, fault)]
        assert faults == []
        found = memory.search("gate green").result(PATIENCE)
        assert any("green" in said.content for hit in found for said in hit.sources)
        assert "waiting" in memory.search("waiting").result(PATIENCE)[0].text
        assert memory.facts("I like coffee")[0].text == "I like coffee"
        assert [
            fact.text for fact in memory.facts.history(memory.facts("I like coffee")[0].id)
        ] == [
            "I like coffee",
            "I like tea",
        ]
        last = records(told)[0]["last_node"]
        assert memory.facts.add("A new one.").id > f"mem_{last}"
        assert memory.restore("mem_1").content.startswith("我叫小川")


def _is_about_a_fact(memory: Memory, fault: str) -> bool:
    """The doctor takes facts, which no pass moves, for segments that stand still."""
    return fault.split()[0] in {fact.id for fact in [*memory.facts(), *memory.facts.episodes()]}


def test_numbers_that_were_used_once_stay_used(tmp_path: Path, told: bytes) -> None:
    header = {**records(told)[0], "last_node": 500}
    changed = json.dumps(header).encode() + told[told.index(b"\n") :]
    brought(tmp_path, changed, FakeClock())
    with Memory.open(NAME, root=tmp_path, clock=FakeClock()) as memory:
        assert memory.facts.add("A new one.").id == "mem_501"


anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
labels = st.one_of(st.none(), anything.filter(bool))
said = st.builds(Message, st.sampled_from(["user", "tool"]), anything, labels, labels)


@examples(max_examples=40)
@given(st.lists(said, min_size=1, max_size=4), st.dictionaries(anything, anything, max_size=3))
def test_any_text_comes_back(messages: list[Message], detail: dict[str, str]) -> None:
    with TemporaryDirectory() as folder:
        first, second = Path(folder) / "1", Path(folder) / "2"
        Memory.open(NAME, root=first, clock=FakeClock()).close()
        with open_store(first) as store, store.write() as tx:
            tx.accept(messages, NOW, 10)
            for n, message in enumerate(messages, 1):
                tx.rows.take_in("node", node(n, message.content, forgotten_at=NOW))
                text = json.dumps(detail, ensure_ascii=False, separators=(",", ":"))
                tx.rows.take_in("entry", JournalRecord(n, NOW, 0, "told", n, text))
            tx.links.put([LinkRecord(1, 1, 0.1 + 0.2, 0, messages[0].content)])
        once = packed(first)
        brought(second, once, FakeClock())
        assert packed(second) == once
        with open_store(second) as store, store.read() as tx:
            back = [(m.content, m.id, m.name) for m in tx.rows.every("message")]
            assert back == [(m.content, m.id, m.name) for m in messages]
            assert [json.loads(e.detail) for e in tx.rows.every("entry")] == [detail] * len(
                messages
            )


def node(n: int, text: str = "text", **values: Any) -> NodeRecord:
    given = {"n": n, "kind": "fact", "original": text, "phrase": text, "created_at": NOW}
    plain = dict.fromkeys((field.name for field in fields(NodeRecord)), None)
    plain |= {"keywords": json.dumps([text], ensure_ascii=False), "sources": "[]"}  # type: ignore[dict-item]
    return NodeRecord(**{**plain, "scans": 0, "waited": 0, "kept": 0, **given, **values})  # type: ignore[arg-type]


# what was erased


def test_what_was_erased_does_not_come_back(tmp_path: Path, told: bytes) -> None:
    Memory.open(NAME, root=tmp_path, clock=FakeClock()).close()
    with open_store(tmp_path) as store, store.write() as tx:
        tx.tombstones.add("node", "mem_2", 1.0)
        tx.tombstones.add("message", "given-1", 1.0)
    brought(tmp_path, told, FakeClock())
    with open_store(tmp_path) as store, store.read() as tx:
        assert tx.nodes.get(2) is None
        assert tx.nodes.get(3) is not None
        assert tx.messages.named("given-1") == []
        assert tx.links.of(2) == tx.links.to(2) == tx.journal.of(2) == []
        assert 2 not in tx.links.focus()


def erased_memory(root: Path, clock: FakeClock) -> bytes:
    """The lines of the rich memory after messages, memories and facts of it were erased."""
    rich_memory(root, clock)
    with Memory.open(NAME, root=root, clock=clock, settings=SETTINGS) as memory:
        assert memory.flush(PATIENCE)
        learned = memory.facts()
        memory.erase("mem_2")
        memory.erase(learned[0].id)
        memory.erase(memory.facts.add("I like rain").id)
        memory.erase(message_ids=["msg_4", "given-1"])
        assert memory.flush(PATIENCE)
    return packed(root, vectors=True)


def test_what_was_erased_stays_erased_on_the_way_out_in_and_out_again(tmp_path: Path) -> None:
    clock = FakeClock()
    told = erased_memory(tmp_path / "1", clock)
    shells = [one for one in records(told) if one.get("role") == ""]
    buried = Counter(one["kind"] for one in records(told) if one.get("record") == "tombstone")
    assert len(shells) == buried["message"] >= 3
    assert buried["node"] >= 3
    came = brought(tmp_path / "2", told, clock)
    assert came == {kind: count for kind, count in records(told)[0]["counts"].items() if count}
    assert packed(tmp_path / "2", vectors=True) == told
    with Memory.open(NAME, root=tmp_path / "2", clock=clock, settings=SETTINGS) as memory:
        assert memory.flush(PATIENCE)
        with pytest.raises(NotFound, match="erased"):
            memory.erase(message_ids=["given-1"])
        memory.export(tmp_path / "again.md", format="markdown")
    assert packed(tmp_path / "2", vectors=True) == told
    assert "****" not in (tmp_path / "again.md").read_text(encoding="utf-8")  # nobody speaks


def test_an_older_file_does_not_bring_back_what_was_erased_since(
    tmp_path: Path, told: bytes
) -> None:
    newer = erased_memory(tmp_path / "1", FakeClock())
    buried = [one for one in newer.splitlines() if b'"record":"tombstone"' in one]
    ids = {json.loads(one)["id"] for one in buried}
    only = b"\n".join([header(counts={"tombstone": len(buried)}), *buried])
    brought(tmp_path / "2", only, FakeClock())
    older = b"".join(one + b"\n" for one in told.splitlines())
    came = brought(tmp_path / "2", older, FakeClock())
    assert came["message"] == records(told)[0]["counts"]["message"] - len(
        [one for one in ids if not one.startswith("mem_")]
    )
    back = packed(tmp_path / "2")
    assert not {f"mem_{one['n']}" for one in records(back) if one.get("record") == "node"} & ids
    assert {one["id"] for one in records(back) if one.get("record") == "tombstone"} == ids


def test_the_shell_of_an_erased_message_comes_in_where_it_was_erased() -> None:
    shell = MessageRecord(2, None, "", None, "", None, 1, 1, 1.0)
    erased = frozenset([("message", "msg_2")])
    assert not lines.skip("message", shell, erased)
    assert lines.skip("message", replace(shell, role="user", content="x"), erased)


def test_opening_what_was_imported_changes_nothing_on_the_same_day(tmp_path: Path) -> None:
    clock = FakeClock()
    with Memory.open(NAME, root=tmp_path / "1", clock=clock, settings=SETTINGS) as memory:
        for n in range(8):
            memory.remember(f"I like fruit number {n}. My name is Tim.").result(PATIENCE)
        assert memory.flush(PATIENCE)
        assert memory.facts.episodes()
    told = packed(tmp_path / "1")
    brought(tmp_path / "2", told, clock)
    clock.now += 3600
    for root in (tmp_path / "2", tmp_path / "1"):
        with Memory.open(NAME, root=root, clock=clock, settings=SETTINGS) as memory:
            assert memory.flush(PATIENCE)
        assert packed(root) == told


@pytest.mark.parametrize(
    ("record", "stays_out"),
    [
        (LinkRecord(1, 2, 0.5, 0, None), True),
        (LinkRecord(2, 1, 0.5, 0, None), True),
        (LinkRecord(1, 3, 0.5, 0, None), False),
        (JournalRecord(2, 0.0, 0, "tick", None, "{}"), False),
        (node(2), True),
        (node(3), False),
    ],
)
def test_a_record_that_speaks_of_something_erased_is_skipped(record: Any, stays_out: bool) -> None:
    kind = next(kind for kind, of in KEPT.items() if isinstance(record, of))
    assert lines.skip(kind, record, frozenset([("node", "mem_2")])) is stays_out
    assert not lines.skip(kind, record, frozenset())


# what cannot be used


def header(**changes: Any) -> bytes:
    plain = {"format": "wangchuan-memory", "version": 1, "agent": "a", "last_node": 0, "counts": {}}
    return json.dumps({**plain, **changes}).encode()


def line(kind: str, **changes: Any) -> bytes:
    usual: dict[str, dict[str, Any]] = {
        "note": {"key": "passes", "value": "1"},
        "link": {"source": 1, "target": 2, "strength": 0.5, "at_scan": 0, "relation": None},
        "message": {"seq": 1, "id": None, "role": "user", "name": None, "content": "x"}
        | {"timestamp": None, "talk": 1, "place": 0, "said_at": 1.0},
        "vector": {"message": 1, "vector": "ADwA"},
        "entry": {"seq": 1, "at": 1.0, "passes": 0, "kind": "x", "node": None, "detail": {}},
    }
    return json.dumps({"record": kind, **usual[kind], **changes}).encode()


BAD: list[tuple[bytes, str]] = [
    (b"", "line 1: no header"),
    (b"not json", "line 1: no header"),
    (b"[1]", "line 1: no header"),
    (header(format="other"), "line 1: no header"),
    (header(version="1"), "line 1: version"),
    (header(version=0), "line 1: version"),
    (header(counts=[1]), "line 1: counts"),
    (header(counts={"node": "3"}), "line 1: counts"),
    (header(last_node=None), "line 1: last_node"),
    (header(counts={"note": 2}) + b"\n" + line("note"), "promises 2 records of kind 'note'"),
    (header() + b"\n" + line("note"), "promises 0 records of kind 'note'"),
    (header() + b"\n" + line("link"), "line 2: source .* there is no such node"),
    (header() + b"\n" + line("message") + b"\n" + line("note"), "line 3: a note comes too late"),
    (header() + b"\n" + line("note", key="rules", value="{}"), "line 2: the note 'rules'"),
    (header() + b"\n" + line("note", key="settings", value="-5"), "line 2: the note 'settings'"),
    (header() + b"\n" + line("note", value="-5"), "line 2: the note 'passes'"),
    (header(last_node=(1 << 63) - 1), "line 1: last_node"),
    (header() + b"\n" + line("link", at_scan=10**15), "line 2: at_scan .* beyond"),
    (header() + b"\n{", "line 2: not JSON"),
    (header() + b"\n\n", "line 2: not JSON"),
    (header() + b"\n[]", "line 2: must be an object"),
    (header() + b'\n{"record":"\xff"}', "line 2: not UTF-8"),
    (header() + b"\n" + line("note") + b"\n" + b'{"record":"pet"}', "line 3: 'record' is 'pet'"),
    (header() + b'\n{"record":["x"]}', "line 2: 'record'"),
    (header() + b'\n{"record":"focus","place":0}', "line 2: fields of the focus .*: node"),
    (header() + b"\n" + line("link", extra=1), "line 2: fields of the link .*: extra"),
    (header() + b"\n" + line("link", source="1"), "source .* must be a whole number"),
    (header() + b"\n" + line("link", source=True), "source .* must be a whole number"),
    (header() + b"\n" + line("link", source=1 << 64), "source .* too large"),
    (header() + b"\n" + line("link", strength=1.5), "strength .* beyond 0 to 1"),
    (header() + b"\n" + line("link", strength=float("nan")), "NaN is no number"),
    (header() + b"\n" + line("link", relation=3), "relation .* must be a text"),
    (header() + b"\n" + line("link", relation="\ud800"), "lone surrogate"),
    (header() + b"\n" + line("message", role="robot"), "role .* must be one of"),
    (header() + b"\n" + line("message", role=""), "was erased .* but has: content"),
    (header() + b"\n" + line("message", seq=0), "seq .* beyond 1"),
    (header() + b"\n" + line("message", place=99), "place .* beyond 0 to 63"),
    (header() + b"\n" + line("message", content=None), "content .* must be a text"),
    (header() + b"\n" + line("message") + b"\n" + line("message"), "line 3: .*there already"),
    (header() + b"\n" + line("entry", detail=[1]), "detail .* must be a dict"),
    (header() + b"\n" + line("entry", detail={"x": "\udfff"}), "detail .*lone surrogate"),
    (header() + b"\n" + line("note", value="many"), "the note 'passes'"),
    (header() + b"\n" + line("note", key="rules", value="{"), "the note 'rules'"),
    (header() + b"\n" + line("note", key="analysis"), "made anew"),
    (header() + b"\n" + line("vector", vector="?"), "vector .* base64"),
    (header() + b"\n" + line("vector"), "two bytes"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "fault"), BAD, ids=[str(n) for n in range(len(BAD))])
def test_what_cannot_be_used_is_named_and_leaves_nothing(
    tmp_path: Path, data: bytes, fault: str
) -> None:
    with pytest.raises(InvalidInput, match=fault), Host(tmp_path) as host:
        host.import_("a", _file(tmp_path, data), format="jsonl")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "file"
    path.write_bytes(data)
    return path


def test_vectors_of_different_lengths_are_refused(tmp_path: Path) -> None:
    two = [line("vector", vector="ADw="), line("vector", message=2, vector="ADwAPA==")]
    two = [line("message"), line("message", seq=2), *two]
    with pytest.raises(InvalidInput, match="line 5: the vector has another length"):
        brought(tmp_path, b"\n".join([header(), *two]), FakeClock())


def test_a_newer_format_is_refused_untouched(tmp_path: Path) -> None:
    with pytest.raises(NewerFormat, match="upgrade Wangchuan"):
        brought(tmp_path, header(version=2), FakeClock())
    assert list(tmp_path.iterdir()) == []


def test_a_bad_last_line_leaves_an_empty_agent_empty(tmp_path: Path, told: bytes) -> None:
    Memory.open(NAME, root=tmp_path, clock=FakeClock()).close()
    before = packed(tmp_path)
    with pytest.raises(InvalidInput, match=r"line \d+: not JSON"):
        brought(tmp_path, told[:-9], FakeClock())
    assert packed(tmp_path) == before
    assert brought(tmp_path, told, FakeClock())["message"] > 5


@examples(max_examples=60)
@given(st.binary(max_size=60), st.recursive(st.none() | st.integers() | anything, st.lists))
def test_no_line_whatever_raises_anything_but_invalid_input(raw: bytes, value: Any) -> None:
    for data in (raw, line("link", source=value), line("entry", detail=value)):
        try:
            lines.read(data)
        except InvalidInput:
            continue
        assert data == line("link", source=value)
        assert type(value) is int


# figures and documents


def test_an_export_is_read_and_written_a_line_at_a_time(tmp_path: Path) -> None:
    count, text = 4000, "x" * 2000

    def told() -> Iterator[bytes]:
        yield header(counts={"message": count})
        for n in range(1, count + 1):
            yield line("message", seq=n, content=text)

    Memory.open(NAME, root=tmp_path, clock=FakeClock()).close()
    with open_store(tmp_path) as store:
        used = []
        for work in (lambda: _in(store, told()), lambda: _out(store)):
            tracemalloc.start()
            work()
            used.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert max(used) < count * len(text) / 4, used


def _in(store: Any, source: Iterator[bytes]) -> None:
    with store.write() as tx:
        lines.take_in(tx, source)


def _out(store: Any) -> None:
    with store.snapshot() as tx:
        assert sum(1 for _ in lines.written(tx, "a")) > 4000


def test_the_page_describes_every_kind_and_every_field() -> None:
    page = DOCS.read_text("utf-8")
    for kind, record in KEPT.items():
        section = re.search(rf"### `{kind}`\n(.*?)(?=\n##|\Z)", page, flags=re.S)
        assert section, kind
        missing = [f.name for f in fields(record) if f"`{f.name}`" not in section[1]]
        assert missing == [], kind
    for key in json.loads(header()):
        assert f"`{key}`" in page, key
