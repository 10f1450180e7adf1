"""Time travel: what the agent had at hand at some time."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, run_passes, text_of

from wangchuan import InvalidInput, Memory

pytestmark = pytest.mark.in_both


def texts(memory: Memory, at: float | None = None) -> dict[str, str]:
    return {node.id: node.content for node in memory.nodes(at=at)}


def test_every_moment_of_a_history_is_seen_again(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8, compression_step=1.0)
    seen: dict[float, dict[str, str]] = {}

    def look() -> None:
        assert memory.flush(PATIENCE)
        seen[clock.now] = texts(memory)
        clock.now += 60

    for n in range(8):
        memory.remember(text_of(n)).result(PATIENCE)
        look()
    memory.forget("mem_7")
    look()
    undoable = next(c.seq for c in memory.history("mem_7") if c.kind == "forgotten")
    memory.undo(undoable)
    look()
    for n in range(25):
        memory.remember(text_of(f"后{n}")).result(PATIENCE)
        if n % 5 == 0:
            run_passes(memory, 1)
        look()
    gone = memory.look.forgotten()[0].node.id
    memory.restore(gone)
    look()
    for at, expected in seen.items():
        then = texts(memory, at + 1)
        assert set(then) == set(expected), at
        for node_id, text in then.items():
            assert len(text) >= len(expected[node_id])
    shortened = {len(text) for expected in seen.values() for text in expected.values()}
    assert min(shortened) < 50  # there was something to see
    exact = sum(texts(memory, at + 1) == expected for at, expected in seen.items())
    assert exact > len(seen) // 2


def test_a_text_that_was_whole_is_whole_in_the_past(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8)
    memory.remember(text_of("起")).result(PATIENCE)
    began = clock.now
    clock.now += 60
    for n in range(14):
        memory.remember(text_of(n)).result(PATIENCE)
    assert "mem_1" not in texts(memory) or len(texts(memory)["mem_1"]) < 100
    assert texts(memory, began) == {"mem_1": text_of("起")}
    assert [n.id for n in memory.nodes(at=datetime.fromtimestamp(began, UTC))] == ["mem_1"]
    assert memory.nodes(at=began - 1) == []


def test_entries_of_the_journal_have_the_texts_of_their_time(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8)
    for n in range(30):
        memory.remember(text_of(n)).result(PATIENCE)
        clock.now += 60
    assert memory.flush(PATIENCE)
    entries = memory.history.entries(99, node="mem_1")
    assert [e.seq for e in entries] == [c.seq for c in memory.history("mem_1")][::-1]
    assert (entries[-1].kind, entries[-1].text) == ("remembered", text_of(0))
    assert entries[-1].undo is None
    for later, earlier in pairwise(entries):
        if later.kind == "compressed":
            assert later.before == earlier.text != later.text
    for one in memory.look.fading():  # a drawing of it says the same as its text
        course = memory.look.course(one.node.id)
        now = next(stand for stand in course.stands if stand.passes == course.now)
        assert now.left == len(one.node.content) / one.node.original_length < 1
        assert now.importance == pytest.approx(one.importance)
    everything = memory.history.entries(999)
    assert {e.kind for e in everything} == {"remembered", "compressed", "forgotten"}
    assert memory.history.entries(5, before=everything[4].seq) == everything[5:10]
    kept = memory.history.entries(999, undoable=True)
    assert [e.undo for e in kept] == memory.history.latest(999)
    part = next(e for e in everything if e.undo and e.undo.seq != e.seq)
    assert part.seq not in {e.seq for e in kept}  # shortened on its way to the trash


def test_passes_are_told_with_their_times_and_of_many_some_evenly(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(strategy="every")
    began = clock.now
    for n in range(9):
        memory.remember(text_of(n)).result(PATIENCE)
        clock.now += 60
    passes = memory.history.passes()
    assert [one.number for one in passes] == [*range(10)]
    assert passes[-1].at == began + 8 * 60
    assert [one.number for one in memory.history.passes(4)] == [0, 3, 6, 9]


def test_facts_are_what_they_were(memory: Memory, clock: FakeClock) -> None:
    fact = memory.facts.add("我喜欢喝茶")
    began = clock.now
    clock.now += 60
    other = memory.facts.correct(fact.id, "我喜欢喝咖啡")
    assert texts(memory, began) == {fact.id: "我喜欢喝茶"}
    assert texts(memory, clock.now) == {other.id: "我喜欢喝咖啡"} == texts(memory)


def test_a_time_must_be_one(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="at must be a time"):
        memory.nodes(at="yesterday")  # type: ignore[arg-type]


def test_the_past_of_a_promoted_fact_is_seen_though_its_entry_was_emptied(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory()
    fact = memory.facts.add("The user drinks tea.")
    began = clock.now
    clock.now += 60
    with memory._agent.store() as store, store.write() as tx:
        record = tx.nodes.get(1)
        assert record is not None
        memory._agent.facts.promote(tx, record)
    assert [node.kind for node in memory.nodes(at=began)] == ["fact"]
    with memory._agent.store() as store, store.write() as tx:
        tx.journal.blank(clock.now + 1, 100)
    then = memory.nodes(at=began)  # which kind it was then, nobody knows any more
    assert [(node.id, node.kind) for node in then] == [(fact.id, "core")]
