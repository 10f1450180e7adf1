"""Exports that somebody changed: refused by the line, or a memory that works in every way."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from soak.figures import figures, size
from stage import PATIENCE, FakeClock
from transfer.packing import NAME, SETTINGS, packed, rich_memory

from wangchuan import Host, Memory
from wangchuan.errors import InvalidInput, NewerFormat, NotFound
from wangchuan.storage import KEPT
from wangchuan.transfer import bounds

NOW = 1_767_225_600.0 + 200_000
DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
HOSTILE: list[Any] = [
    *[None, True, 0, 1, -1, -5, 2, 7, 10**6, 10**15, (1 << 63) - 1, 1 << 63, -(1 << 63), 1 << 200],
    *[0.5, -0.5, 1e15, 1e300, -1e300, 5e-324],
    *["", "x", "-5", "{}", "[]", "nan", "NaN", "1e999", "9" * 30, "msg_" + "9" * 30, "mem_1"],
    *["done", "failed", "remember", "tick", "undone", "compressed", "core", "segment", "\x00", "é"],
    *['{"message":1,"first":1,"last":1000000000000}', "states x", "x" * 5000, "١٢"],
    *[[], {}, ["x"], [1], DEEP, {"before": DEEP}, {"before": 5, "lives": {"x": "y"}, "seq": "z"}],
    *[{"before": {"a": []}, "relations": 3, "sources": "x", "focus": {}}],
]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The lines of a memory in which everything has happened."""
    root = tmp_path_factory.mktemp("rich")
    rich_memory(root, FakeClock())
    with Memory.open(NAME, root=root, clock=FakeClock(NOW), settings=SETTINGS) as memory:
        assert memory.flush(PATIENCE)
        memory.tick()
        memory.erase(memory.facts.add("I like rain").id)
        assert memory.flush(PATIENCE)
    return [json.loads(line) for line in packed(root, vectors=True).splitlines()]


def test_every_field_of_every_record_has_its_bound() -> None:
    assert {kind: [*names] for kind, names in bounds.FIELDS.items()} == {
        kind: [field.name for field in fields(record)] for kind, record in KEPT.items()
    }
    assert all(name in bounds.FIELDS[kind] for kind, name in bounds._OTHERS)


def test_the_kinds_of_jobs_are_those_that_are_done(tmp_path: Path) -> None:
    with Memory.open("a", root=tmp_path) as memory:
        assert set(bounds.JOBS) == set(memory._agent.lane._steps)


def data(lines: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in lines)


def changed(told: list[dict[str, Any]], at: int, name: str, value: Any) -> list[dict[str, Any]]:
    return [*told[:at], {**told[at], name: value}, *told[at + 1 :]]


def works_or_is_refused(lines: list[dict[str, Any]]) -> bool:
    """Import lines: True if the agent works in every way, False if they were refused."""
    with TemporaryDirectory() as folder:
        root, clock = Path(folder) / "root", FakeClock(NOW)
        with Host(root, clock=clock, settings=SETTINGS) as host:
            try:
                host.import_(NAME, io.BytesIO(data(lines)), format="jsonl")
            except (InvalidInput, NewerFormat) as error:
                fault = str(error)
            else:
                fault = ""
        if fault:
            assert re.search(r"line \d+|the header promises|version", fault), fault
            assert list(root.glob("*")) == []
            return False
        first = packed(root, vectors=True)
        with Host(Path(folder) / "again", clock=clock) as host:
            host.import_(NAME, io.BytesIO(first))
        assert packed(Path(folder) / "again", vectors=True) == first
        with Memory.open(NAME, root=root, clock=clock, settings=SETTINGS) as memory:
            _is_used(memory, Path(folder))
    return True


def _is_used(memory: Memory, folder: Path) -> None:
    memory.remember("Something new about the gate.").result(PATIENCE)
    assert memory.flush(PATIENCE)
    assert [fault for fault in memory.look.faults() if "given up" not in fault] == []
    memory.recall(["gate"], depth=9).result(PATIENCE)
    memory.search("gate", forgotten=True).result(PATIENCE)
    for node in memory.nodes()[:3]:
        memory.explain(node.id)
        memory.history(node.id)
    try:
        memory.erase(message_ids=["msg_2"])
        memory.erase(memory.nodes()[0].id)
    except NotFound:
        pass
    assert memory.flush(PATIENCE)
    assert [fault for fault in memory.look.faults() if "given up" not in fault] == []
    memory.export(folder / "out.jsonl")


def places(told: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Every field, of the first, a middle and the last record of each kind."""
    for kind in (None, *KEPT):
        there = [n for n, one in enumerate(told) if one.get("record") == kind]
        for at in sorted({*there[:1], *there[len(there) // 2 :][:1], *there[-1:]}):
            yield from ((at, name) for name in told[at])


CASES = size("FIELDS", 25)  # `./run soak` may set more


@pytest.mark.slow
def test_a_changed_field_is_refused_by_its_line_or_does_no_harm(
    told: list[dict[str, Any]],
) -> None:
    every = [(at, name, value) for at, name in places(told) for value in HOSTILE]
    with figures("hostile fields of an export") as noted:
        for at, name, value in random.Random(20260103).sample(every, CASES):
            try:
                works_or_is_refused(changed(told, at, name, value))
            except Exception as error:
                place = f"line {at + 1}, {name} = {value!r:.60}: {told[at]}"
                raise AssertionError(place) from error
        noted |= {"how many": CASES, "seed": "20260103"}


def test_the_unchanged_export_works(told: list[dict[str, Any]]) -> None:
    assert works_or_is_refused(told)


def test_numbers_of_messages_with_a_gap_are_gone_on_from(
    told: list[dict[str, Any]], tmp_path: Path
) -> None:
    told = json.loads(json.dumps(told))
    last = max((r for r in told if r.get("record") == "message"), key=lambda r: int(r["seq"]))
    told.insert(told.index(last) + 1, {**last, "seq": last["seq"] + 10**6, "id": "far"})
    told[0]["counts"]["message"] += 1
    lines = "\n".join(map(json.dumps, told)).encode()
    with Host(tmp_path / "gap") as host:
        host.import_("gap", io.BytesIO(lines))
        with host.open("gap") as memory:
            memory.remember("I have a dog called Rex.").result(PATIENCE)
            assert memory.flush(PATIENCE)
            assert any("Rex" in fact.text for fact in memory.facts())


def test_links_in_a_circle_and_to_themselves_do_no_harm(told: list[dict[str, Any]]) -> None:
    links = [n for n, one in enumerate(told) if one.get("record") == "link"]
    for at in links[:2]:
        works_or_is_refused(changed(told, at, "target", told[at]["source"]))
