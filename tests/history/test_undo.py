"""Undo: every change puts back exactly what it replaced, or says why it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel, every_row, run_passes, text_of

from wangchuan import Memory, NotFound
from wangchuan.errors import CannotUndo, InvalidInput
from wangchuan.facts.records import KINDS, Learned, found_by
from wangchuan.routines.observe import Operation
from wangchuan.storage import NodeRecord
from wangchuan.storage.drawers import undo as kept_changes

TABLES = ("nodes", "links", "focus", "facts", "evidence", "lifecycle")
Rows = dict[str, list[tuple[Any, ...]]]


def rows(memory: Memory) -> Rows:
    """Every row that tells what is remembered, and which facts are found by which words."""
    with memory._agent.store() as store, store.read() as tx:
        found = {table: every_row(tx, table) for table in TABLES}
        words = {word for record in tx.facts.of_kinds(KINDS) for word in found_by(record.text)}
        found["kept"] = [(word, *tx.index.facts_holding(word, 99)) for word in words]
    return {table: sorted(content, key=repr) for table, content in found.items()}


def last_change(memory: Memory) -> int:
    with memory._agent.store() as store, store.read() as tx:
        return tx.undo.latest(1)[0].seq


def filled(memory: Memory) -> Memory:
    for n in range(4):
        memory.remember("\n".join(text_of(f"{n}{i}") for i in range(3))).result(PATIENCE)
    with memory._agent.store() as store, store.write() as tx:
        memory._agent.facts.add(tx, Learned("我喜欢喝茶"))
    return memory


def waiting_for_promotion(memory: Memory) -> str:
    fact = memory.facts.add("我住在上海")
    agent = memory._agent
    with agent.store() as store, store.write() as tx:
        for _ in range(6):
            record = tx.nodes.get(int(fact.id[4:]))
            assert record
            agent.facts.boost(tx, record)
    assert [f.id for f in memory.facts.pending()] == [fact.id]
    return fact.id


def use(memory: Memory, node_id: str) -> None:
    with memory._agent.store() as store, store.write() as tx:
        record = tx.nodes.get(int(node_id[4:]))
        assert record
        memory._agent.facts.boost(tx, record)


def gone_cold(memory: Memory) -> None:
    """Let everything go cold, and forget one of it."""
    memory._agent.clock.now += 900 * 86_400.0  # type: ignore[attr-defined]
    memory._agent.tend()  # ticks, and lets facts age
    assert memory.flush(PATIENCE)
    assert memory.explain("mem_2").state == "cold"
    memory.forget("mem_2")


def observed(memory: Memory, verb: str) -> None:
    """Let an observer do something to a fact, as learning from what is said does."""
    fact, agent = tea(memory), memory._agent
    said = {"UPDATE": "用户现在喝咖啡", "DELETE": "", "BOOST": ""}
    with agent.store() as store, store.write() as tx:
        window = tx.messages.between(1, 3)
        makes = "new_1" if said[verb] else None
        operation = Operation(verb, fact, said[verb], message=1, makes=makes)
        agent.learning._apply(tx, operation, window, {})


def tea(memory: Memory) -> str:
    return memory.facts("喝茶")[0].id


Change = Callable[[Memory], object]
CHANGES: dict[str, tuple[Change, Change]] = {
    "forgotten": (lambda m: None, lambda m: m.forget("mem_2")),
    "forgotten from the focus": (lambda m: None, lambda m: m.forget(m.look.focus()[0].id)),
    "restored": (lambda m: m.forget("mem_2"), lambda m: m.restore("mem_2")),
    "restored from the cold": (gone_cold, lambda m: m.restore("mem_2")),
    "merged": (lambda m: None, lambda m: m.merges.make(["mem_1", "mem_3"])),
    "merged from the focus": (
        lambda m: None,
        lambda m: m.merges.make([m.look.focus()[0].id, "mem_1", m.look.focus()[1].id]),
    ),
    "merged after passes": (
        lambda m: run_passes(m, 3),
        lambda m: m.merges.make(["mem_1", "mem_2"]),
    ),
    "learned": (lambda m: None, lambda m: m.facts.add("我有一只猫")),
    "corrected": (lambda m: None, lambda m: m.facts.correct(tea(m), "我喜欢喝咖啡")),
    "verified": (lambda m: None, lambda m: m.facts.verify(tea(m))),
    "used": (lambda m: None, lambda m: use(m, tea(m))),
    "a fact forgotten": (lambda m: None, lambda m: m.forget(tea(m))),
    "a fact restored": (lambda m: m.forget("mem_13"), lambda m: m.restore("mem_13")),
    "updated by what was said": (lambda m: None, lambda m: observed(m, "UPDATE")),
    "deleted by what was said": (lambda m: None, lambda m: observed(m, "DELETE")),
    "used by what was said": (lambda m: None, lambda m: observed(m, "BOOST")),
    "promoted": (
        waiting_for_promotion,
        lambda m: m.facts.decide(m.facts.pending()[0].id, "promote"),
    ),
    "kept": (waiting_for_promotion, lambda m: m.facts.decide(m.facts.pending()[0].id, "keep")),
    "deleted": (waiting_for_promotion, lambda m: m.facts.decide(m.facts.pending()[0].id, "delete")),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("dangling_counts", [True, False])
def test_undo_puts_back_every_row_and_undoing_that_does_it_again(
    open_memory: Open, name: str, restart: bool, dangling_counts: bool
) -> None:
    memory = filled(open_memory(dangling_counts=dangling_counts, reviewer="person"))
    prepare, change = CHANGES[name]
    prepare(memory)
    before = rows(memory)
    change(memory)
    seq, changed = last_change(memory), rows(memory)
    assert changed != before
    if restart:
        memory.close()
        memory = open_memory(dangling_counts=dangling_counts, reviewer="person")
    told = memory.undo(seq, dry_run=True)
    assert told.refusal is None
    assert told.effects
    assert told.entry is None
    assert rows(memory) == changed
    done = memory.undo(seq)
    assert rows(memory) == before
    assert memory.look.faults() == []
    assert done.entry is not None
    memory.undo(done.entry)
    assert rows(memory) == changed
    assert memory.look.faults() == []


def test_an_undone_compression_brings_the_fuller_text_back_and_lets_it_stay(
    open_memory: Open,
) -> None:
    memory = open_memory(strategy="every", decay_rate=0.9)
    memory.remember(text_of("旧")).result(PATIENCE)
    for n in range(12):
        memory.remember(text_of(n)).result(PATIENCE)
    seen = rows(memory)
    while not any(c.kind == "compressed" for c in memory.history("mem_1")):
        assert memory.look.node("mem_1")
        seen = rows(memory)
        run_passes(memory, 1)
    seq = next(c.seq for c in memory.history("mem_1") if c.kind == "compressed")
    shorter = memory.look.node("mem_1")
    memory.undo(seq)
    fuller = memory.look.node("mem_1")
    assert shorter
    assert fuller
    assert len(fuller.content) == 100 > len(shorter.content)
    kept, former = (next(r for r in found["nodes"] if r[0] == 1) for found in (rows(memory), seen))
    columns = [c for c in range(len(kept)) if kept[c] != former[c]]
    assert len(columns) == 2  # that it is kept, and until when
    assert memory.look.faults() == []
    run_passes(memory, 1)
    assert memory.look.node("mem_1")
    assert len(memory.look.node("mem_1").content) == 100
    run_passes(memory, 5)
    left = memory.look.node("mem_1")
    assert left is None or len(left.content) < 100


@pytest.mark.parametrize("restart", [False, True])
def test_undone_compressions_leave_every_row_as_it_was_but_for_the_mark_that_lets_it_stay(
    open_memory: Open, restart: bool
) -> None:
    memory = open_memory(strategy="every", decay_rate=0.9)
    for n in range(13):
        memory.remember("\n".join(text_of(f"{n}{i}") for i in range(2))).result(PATIENCE)
    before, known = rows(memory), changes(memory)
    while changes(memory) == known:
        before = rows(memory)
        run_passes(memory, 1)
    assert rows(memory) != before
    if restart:
        memory.close()
        memory = open_memory(strategy="every", decay_rate=0.9)
    fresh = [seq for seq in changes(memory) if seq not in known]
    for seq in fresh:
        assert memory.undo(seq).kind == "compressed"
    after = rows(memory)
    columns = [field.name for field in fields(NodeRecord)]
    differs = {
        (then[0], columns[c]): (then[c], now[c])
        for then, now in zip(before["nodes"], after["nodes"], strict=True)
        for c in range(len(then))
        if then[c] != now[c]
    }
    assert {name for _, name in differs} == {"kept", "due_at"}
    assert len(differs) == 2 * len(fresh)
    assert {values for (_, name), values in differs.items() if name == "kept"} == {(0, 1)}
    assert {t: after[t] for t in after if t != "nodes"} == {
        t: before[t] for t in before if t != "nodes"
    }
    assert memory.look.faults() == []


def changes(memory: Memory) -> list[int]:
    with memory._agent.store() as store, store.read() as tx:
        return [change.seq for change in tx.undo.latest(999)]


def test_passes_between_are_no_change_and_count_for_what_comes_back(open_memory: Open) -> None:
    one, other = (
        filled(open_memory(name, strategy="every", decay_rate=0.98)) for name in ("one", "other")
    )
    one.forget("mem_1")
    seq = last_change(one)
    for memory in (one, other):
        run_passes(memory, 3)
    one.undo(seq)
    assert rows(one) == rows(other)
    assert one.look.node("mem_1") == other.look.node("mem_1") is not None


def test_what_leaned_on_a_focus_that_moved_on_fades_like_the_rest(open_memory: Open) -> None:
    memory = open_memory(focus_limit=1)
    memory.remember(text_of("甲")).result(PATIENCE)
    memory.remember(text_of("乙")).result(PATIENCE)  # in focus, and points at the first
    memory.forget("mem_1")
    seq = last_change(memory)
    memory.remember(text_of("丙")).result(PATIENCE)
    memory.undo(seq)
    assert memory.look.node("mem_1") is not None
    assert memory.explain("mem_1").passes_left is not None
    assert memory.look.faults() == []


def test_a_memory_whose_time_ran_out_meanwhile_is_said_to_have_faded(open_memory: Open) -> None:
    memory = filled(open_memory(strategy="every", decay_rate=0.8))
    memory.forget("mem_1")
    seq = last_change(memory)
    run_passes(memory, 60)
    assert "would have faded" in memory.undo(seq, dry_run=True).effects[0]
    memory.undo(seq)
    assert memory.look.node("mem_1") is None
    assert memory.flush(PATIENCE)
    assert memory.look.faults() == []
    memory.restore("mem_1")


def test_undo_is_refused_with_the_later_change_named(memory: Memory) -> None:
    filled(memory)
    memory.forget("mem_2")
    seq = last_change(memory)
    memory.restore("mem_2")
    later = last_change(memory)
    before = rows(memory)
    with pytest.raises(CannotUndo, match=f"mem_2 was restored later, by entry {later}"):
        memory.undo(seq)
    refusal = memory.undo(seq, dry_run=True).refusal
    assert refusal
    assert "restored later" in refusal
    assert rows(memory) == before
    memory.undo(later)
    memory.undo(seq)
    assert memory.look.node("mem_2")
    with pytest.raises(CannotUndo, match="undone already, by entry"):
        memory.undo(seq)


def test_undo_is_refused_once_the_focus_it_changed_has_moved_on(memory: Memory) -> None:
    filled(memory)
    memory.forget(memory.look.focus()[0].id)
    seq = last_change(memory)
    memory.remember("新的事").result(PATIENCE)
    with pytest.raises(CannotUndo, match="the focus has moved on"):
        memory.undo(seq)


def test_undo_is_refused_once_the_rules_have_changed(open_memory: Open) -> None:
    memory = filled(open_memory())
    memory.forget("mem_1")
    seq = last_change(memory)
    memory.facts.verify(tea(memory))
    of_a_fact = last_change(memory)
    memory.close()
    memory = open_memory(strategy="every", decay_rate=0.5)
    with pytest.raises(CannotUndo, match="rules of fading have changed"):
        memory.undo(seq)
    assert memory.undo(of_a_fact).entry


def test_what_is_no_change_or_not_there_cannot_be_undone(memory: Memory) -> None:
    filled(memory)
    remembered = memory.history("mem_1")[0].seq
    with pytest.raises(CannotUndo, match='kind "remembered" cannot be undone'):
        memory.undo(remembered)
    with pytest.raises(NotFound, match="no entry 9999"):
        memory.undo(9999)


def test_only_the_newest_changes_are_kept(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, clock: FakeClock, model: LineModel
) -> None:
    monkeypatch.setattr(kept_changes, "MOST_UNDOS", 3)
    filled(memory)
    seqs = []
    for n in (1, 2, 3, 4):
        memory.forget(f"mem_{n}")
        seqs.append(last_change(memory))
    with memory._agent.store() as store, store.read() as tx:
        assert [change.seq for change in tx.undo.latest(10)] == seqs[:0:-1]
    with pytest.raises(CannotUndo, match="no longer: of all changes the newest 2,000 are kept"):
        memory.undo(seqs[0])


def test_what_is_kept_for_undoing_can_be_dropped_for_a_memory(memory: Memory) -> None:
    filled(memory)
    memory.forget("mem_1")
    memory.forget("mem_2")
    with memory._agent.store() as store, store.write() as tx:
        tx.undo.drop_touching([1])
        touched = [row.key for change in tx.undo.latest(10) for row in tx.undo.rows(change.op)]
    assert (2,) in touched
    assert (1,) not in touched


@pytest.mark.parametrize("bad", ["x", -1, True, None, 1.5])
def test_what_is_no_number_of_an_entry_is_refused_by_its_name(memory: Memory, bad: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^seq must be a whole number"):
        memory.undo(bad)


def test_what_came_back_is_told_before_the_focus_and_whoever_listens_hears_of_it(
    memory: Memory,
) -> None:
    heard: list[str] = []
    memory.on("*", lambda event: heard.append(event.name))
    (node,) = memory.remember("The lamp is green.").result(PATIENCE)
    memory.forget(node)
    memory.restore(node)
    changes = {c.kind: c.seq for c in memory.history(node)}
    with pytest.raises(CannotUndo, match=f"{node} was restored later"):
        memory.undo(changes["forgotten"])
    memory.undo(changes["restored"])
    fact = memory.facts.add("我喜欢喝茶")
    memory.facts.verify(fact.id)
    memory.facts.promote(fact.id)
    known = ["forgotten", "restored", "undone", "learned", "verified", "promoted"]
    assert [name for name in heard if name in known] == [*known, "verified"]


def test_a_fact_that_days_have_worn_since_says_so(memory: Memory, clock: FakeClock) -> None:
    fact = memory.facts.add("我喜欢喝茶")
    clock.now += 12 * 86_400
    memory.facts.age(PATIENCE)
    (learned,) = [c.seq for c in memory.history(fact.id) if c.kind == "learned"]
    with pytest.raises(CannotUndo, match=f"{fact.id} stands differently since days were counted"):
        memory.undo(learned)
