"""Doing a history again: the same comes of it, and other settings tell what they would keep."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Open
from histories import DAY, WEIGHTS, History
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from soak.figures import size
from stage import PATIENCE, FakeClock, LineModel, run_passes, settles, text_of

from wangchuan import Host, Memory
from wangchuan.cli import curves
from wangchuan.errors import InvalidInput, ModelError
from wangchuan.history.replay import REPLAYED
from wangchuan.models.offline import OfflineModel
from wangchuan.types import Replay

DEEDS = size("DEEDS", 300)  # of a long history; 2,000 in the soak
LINES = (
    "登录模块用 JWT #登录",
    "茶是绿的 #茶",
    "She moved to Lisbon in May #Lisbon",
    "钢琴在楼上 #钢琴",
)


def kinds(memory: Memory) -> Counter[str]:
    """How many entries of each kind the journal has."""
    with memory._agent.store() as store, store.read() as tx:
        return Counter(entry.kind for entry in tx.journal.after())


def rows(memory: Memory) -> dict[str, list[Any]]:
    """Every row of every table that is no part of an index."""
    with memory._agent.store() as store, store.snapshot() as tx:
        connection = tx._engine.connection  # type: ignore[attr-defined]
        named = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        tables = [name for (name,) in connection.execute(named)]
        return {name: list(connection.execute(f"SELECT * FROM {name}")) for name in tables}


def same(memory: Memory, *wanted: str) -> Replay:
    """Replay, and see that the same came of it, all of these kinds having happened."""
    memory.flush(PATIENCE)
    found = memory.history.replay()
    assert found.differences == ()
    assert found.gaps == ()
    assert found.skipped == 0
    assert found.shifts == ()
    assert set(wanted) <= set(kinds(memory))
    return found


def told(memory: Memory, *lines: str) -> list[str]:
    return [memory.remember(line).result(PATIENCE)[0] for line in lines]


def last(memory: Memory, kind: str) -> int:
    with memory._agent.store() as store, store.read() as tx:
        return tx.journal.after(0, kind)[-1].seq


@pytest.fixture
def learner(open_memory: Open, clock: FakeClock) -> Memory:
    return open_memory(learn=True, focus_limit=2, strategy="every", decay_rate=0.8)


# by its own settings


def test_an_empty_memory_comes_to_nothing(memory: Memory) -> None:
    found = same(memory)
    assert (found.alive, found.operations, found.curve) == ((), 0, ())


def test_what_was_remembered_fades_is_forgotten_and_restored_again(open_memory: Open) -> None:
    memory = open_memory(strategy="every", decay_rate=0.7, focus_limit=2)
    told(memory, *(text_of(i, 60) for i in range(8)))
    run_passes(memory, 6)
    told(memory, *LINES)
    memory.forget(memory.nodes()[-1].id)
    memory.restore(memory.look.forgotten()[-1].node.id)
    run_passes(memory, 3)
    found = same(memory, "compressed", "forgotten", "restored")
    assert found.alive
    assert found.faded
    assert found.forgotten
    assert found.passes == memory.stats().passes


def test_a_text_in_a_models_own_words_is_taken_from_the_journal(open_memory: Open) -> None:
    texts = [
        {"content": text_of(0, 60)[:n], "phrase": f"word {n}", "keywords": []} for n in (40, 9)
    ]
    model = LineModel(compress=[{"texts": [text]} for text in texts])
    memory = open_memory(model=model, focus_limit=1, strategy="every", decay_rate=0.8)
    told(memory, text_of(0, 60), *("ok" * 3 for _ in range(12)))
    asked = list(model.asked)
    assert "compress" in asked
    same(memory, "compressed")
    assert model.asked == asked


def test_texts_that_no_model_would_shorten_stay(open_memory: Open, clock: FakeClock) -> None:
    model = LineModel(compress=[ModelError("away")] * 3)
    memory = open_memory(
        model=model, focus_limit=1, strategy="every", decay_rate=0.8, max_retries=0
    )
    told(memory, text_of(0, 60), *(text_of(i, 9) for i in range(9)))
    assert settles(memory, clock)
    same(memory, "spared")


def test_a_memory_restored_before_anybody_buried_it(open_memory: Open) -> None:
    memory = open_memory(strategy="every", decay_rate=0.5, focus_limit=1)
    told(memory, *LINES)
    with memory._agent.store() as store:
        with store.write() as tx:
            for _ in range(12):
                memory._agent.living.schedule.make_pass(tx)
            tx.jobs.drop(tx.jobs.last())
        with store.read() as tx:
            dead = [record.n for record in tx.nodes.dying(tx.passes(), 10)]
    assert dead
    memory.restore(f"mem_{dead[0]}")
    memory.undo(last(memory, "restored"))
    same(memory, "undone")


def test_a_long_job_of_several_windows(open_memory: Open) -> None:
    memory = open_memory(model_window_tokens=200, focus_limit=2)
    told(memory, *LINES)
    memory.remember([{"role": "user", "content": text_of(i, 90)} for i in range(20)]).result(
        PATIENCE
    )
    same(memory, "woven")


def test_slots_that_chance_chose(open_memory: Open) -> None:
    memory = open_memory(strategy="slots", max_nodes=6, focus_limit=2, slot_sample=2)
    for i in range(12):
        memory.remember("\n".join(text_of(f"{i} {k}", 30) for k in range(3))).result(PATIENCE)
    assert len(memory.nodes()) == 6
    same(memory, "forgotten")


def test_slots_freed_of_what_a_task_held(open_memory: Open) -> None:
    memory = open_memory(strategy="slots", max_nodes=6, focus_limit=2)
    told(memory, *LINES[:2])
    with memory._agent.store() as store, store.write() as tx:
        memory._agent.living.tasks.begin(tx, "here")
    for i in range(6):
        memory.remember("\n".join(text_of(f"{i} {k}", 30) for k in range(3))).result(PATIENCE)
    assert len(memory.nodes()) == 6
    same(memory, "forgotten", "task")


def test_merges_and_ticks(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(
        focus_limit=1, merge_cold_days=0, merge_overlap=0.5, merge_max_degree=9, theta_active=50.0
    )
    told(memory, *LINES, LINES[0], "无关的一句话")
    memory.recall(["JWT"]).result(PATIENCE)
    clock.now += 60 * DAY
    assert memory.tick(PATIENCE)
    clock.now += DAY
    assert memory.tick(PATIENCE)
    assert memory.merges()
    same(memory, "ticking", "ticked")
    with memory._agent.store() as store, store.read() as tx:
        assert list(tx.rows.every("lifecycle"))
    memory.merges.make(["mem_1", "mem_5"])
    memory.undo(last(memory, "merged"))
    same(memory, "merged", "undone")


def test_what_open_tasks_held_and_let_go(open_memory: Open) -> None:
    memory = open_memory(focus_limit=1, strategy="every", decay_rate=0.8)
    tasks = memory._agent.living.tasks
    told(memory, *LINES)
    with memory._agent.store() as store, store.write() as tx:
        tasks.begin(tx, "here")
        tasks.touch(tx, [1, 2])
    run_passes(memory, 3)
    same(memory, "task", "touched")
    with memory._agent.store() as store, store.write() as tx:
        tasks.end(tx, "here")
    memory._agent.lane.wake()
    memory.flush(PATIENCE)
    run_passes(memory, 3)
    same(memory, "released")


def test_facts_said_corrected_confirmed_used_aged_and_decided_on(
    learner: Memory, clock: FakeClock
) -> None:
    facts, agent = learner.facts, learner._agent
    cat = facts.add("主人有一只猫").id
    facts.correct(cat, "主人有两只猫")
    tea = facts.add("主人喜欢茶", topic="preference").id
    with agent.store() as store, store.write() as tx:
        agent.facts.add(tx, agent_learned := _learned(since=clock.now - 40 * DAY))
    assert agent_learned.since
    for _ in range(8):
        boost(learner, tea)
    facts.verify(tea)
    learner.facts.decide(tea, "promote")
    for _ in range(45):
        clock.now += DAY
        assert learner.facts.age(PATIENCE)
    gone = [found.node.id for found in learner.look.forgotten() if found.reason == "aged"]
    learner.restore(gone[0])
    same(learner, "learned", "boosted", "verified", "promoted", "aged", "revived", "undecided")


def _learned(since: float) -> Any:
    from wangchuan.facts.records import Learned

    return Learned("主人住在里斯本", "personal", since=since)


def test_episodes_and_what_an_observer_learned(open_memory: Open) -> None:
    model = LineModel(observe=[{"operations": ["[ADD] 主人喜欢喝茶"]}])
    memory = open_memory(model=model, learn=True, working_messages=4, episode_messages=3)
    told(memory, "我喜欢喝茶")
    memory.flush(PATIENCE)
    told(memory, *(text_of(i, 20) for i in range(9)))
    memory.flush(PATIENCE)
    assert memory.facts.episodes()
    assert memory.facts()
    same(memory, "learned")


def boost(memory: Memory, fact: str) -> None:
    with memory._agent.store() as store, store.write() as tx:
        record = tx.nodes.get(int(fact[4:]))
        assert record
        memory._agent.facts.boost(tx, record)


UNDOABLE: dict[str, Callable[[Memory], object]] = {
    "forgotten": lambda memory: memory.forget("mem_2"),
    "restored": lambda memory: (memory.forget("mem_1"), memory.restore("mem_1")),
    "merged": lambda memory: memory.merges.make(["mem_1", "mem_2"]),
    "learned": lambda memory: memory.facts.add("主人有一只猫"),
    "boosted": lambda memory: boost(memory, memory.facts.add("主人有狗").id),
    "compressed": lambda memory: run_passes(memory, 4),
}


@pytest.mark.parametrize("kind", UNDOABLE)
def test_what_was_undone_and_undone_again(open_memory: Open, kind: str) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8, focus_limit=1, compression_step=0.8)
    told(memory, *(text_of(i, 40) for i in range(4)))
    UNDOABLE[kind](memory)
    done = memory.undo(last(memory, kind))
    same(memory, "undone")
    memory.undo(done.entry or 0)
    run_passes(memory, 2)
    same(memory, "undone")


def test_a_correction_that_was_undone(learner: Memory) -> None:
    first = learner.facts.add("主人有一只猫").id
    learner.facts.correct(first, "主人有两只猫")
    learner.undo(last(learner, "forgotten"))
    same(learner, "undone")


def test_rules_settings_and_the_model_changed_between_two_openings(open_memory: Open) -> None:
    memory = open_memory(strategy="every", decay_rate=0.9, focus_limit=3)
    told(memory, *(text_of(i, 60) for i in range(6)))
    run_passes(memory, 6)
    memory.close()
    changed = {"decay_rate": 0.7, "focus_limit": 2, "link_initial_strength": 0.3}
    memory = open_memory(model=OfflineModel(), **changed)
    told(memory, *LINES)
    run_passes(memory, 6)
    same(memory, "rules", "settings")


def test_after_a_restart_and_in_a_copy(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8)
    told(memory, *LINES, *LINES)
    memory.facts.add("主人有一只猫")
    memory.close()
    memory = open_memory(strategy="every", decay_rate=0.8)
    same(memory)
    memory.export(tmp_path / "all.jsonl")
    with Host(
        tmp_path / "other", settings={"strategy": "every", "decay_rate": 0.8, "learn": False}
    ) as host:
        host.import_("b", tmp_path / "all.jsonl")
        with host.open("b") as copy:
            assert copy.history.replay().differences == ()


def test_times_are_rebuilt_to_the_last_digit_whatever_the_clock_shows(tmp_path: Path) -> None:
    def clock() -> float:
        return time.time()  # which moves between any two lines of code

    with Memory.open("a", root=tmp_path, clock=clock, settings={"focus_limit": 2}) as memory:
        told(memory, *LINES)
        first, second, third = [n.id for n in memory.nodes() if n.kind == "segment"][:3]
        memory.merges.make([first, second])
        memory.facts.correct(memory.facts.add("主人有一只猫").id, "主人有两只猫")
        memory.forget(third)
        same(memory, "merged", "learned")


# what it must not do


@pytest.mark.in_a_folder("it lists the tables of a file")
def test_nothing_of_the_memory_is_touched_and_nobody_is_asked(
    open_memory: Open, model: LineModel, clock: FakeClock
) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8, focus_limit=2)
    told(memory, *(text_of(i, 60) for i in range(6)))
    memory.forget("mem_2")
    memory.flush(PATIENCE)
    before, asked, now = rows(memory), list(model.asked), clock.now
    assert before["journal"]
    memory.history.replay()
    memory.history.replay(decay_rate=0.5)
    assert rows(memory) == before
    assert (model.asked, clock.now) == (asked, now)


def test_a_row_that_no_rule_made_is_found(memory: Memory) -> None:
    told(memory, *LINES)
    assert memory.history.replay().differences == ()
    with memory._agent.store() as store, store.write() as tx:
        tx.links.put([replace(link, strength=0.4) for link in tx.links.of(2) if link.target == 1])
        tx._engine.connection.execute("UPDATE nodes SET due_at = 7 WHERE n = 1")  # type: ignore[attr-defined]
        tx._engine.connection.execute("DELETE FROM focus WHERE place = 3")  # type: ignore[attr-defined]
    found = memory.history.replay().differences
    assert any("link 2 1: strength is 0.4, rebuilt 1" in line for line in found)
    assert any(line.startswith("node 1: due_at is 7") for line in found)
    assert "focus 3 is rebuilt, but not there" in found


# by other settings


def outcome(memory: Memory) -> dict[str, list[str]]:
    """Which memories are whole, faded and forgotten."""
    found: dict[str, list[str]] = {"alive": [], "faded": [], "forgotten": []}
    for node in memory.nodes():
        whole = len(node.content) == node.original_length
        found["alive" if whole else "faded"].append(node.id)
    found["forgotten"] = sorted(gone.node.id for gone in memory.look.forgotten(1000))
    return found


def live(memory: Memory) -> None:
    told(memory, *(text_of(i, 10 + 7 * i) for i in range(12)))
    memory.remember("\n".join(text_of(f"行{i}", 40) for i in range(5))).result(PATIENCE)
    run_passes(memory, 5)
    memory.forget("mem_11")
    memory.restore("mem_11")
    told(memory, *LINES)
    run_passes(memory, 4)


@pytest.mark.parametrize(
    "other",
    [
        {"decay_rate": 0.7},
        {"decay_rate": 0.99},
        {"focus_limit": 2},
        {"delete_threshold": 30.0},
        {"dangling_counts": False, "decay_rate": 0.7},
        {"link_break_threshold": 0.3},
    ],
)
def test_it_tells_what_would_have_come_of_the_same_life(
    open_memory: Open, other: dict[str, Any]
) -> None:
    memory, lived = (
        open_memory("one", strategy="every", decay_rate=0.85),
        open_memory("two", **{"strategy": "every", "decay_rate": 0.85} | other),
    )
    live(memory)
    live(lived)
    found = memory.history.replay(**other)
    assert found.settings == other
    states = {"alive": found.alive, "faded": found.faded, "forgotten": found.forgotten}
    assert {state: sorted(ids) for state, ids in states.items()} == {
        state: sorted(ids) for state, ids in outcome(lived).items()
    }
    assert outcome(memory) != outcome(lived)
    assert found.shifts
    assert found.was != found.curve


def test_weaker_links_between_neighbours_would_have_lost_more(open_memory: Open) -> None:
    memory = open_memory("one", focus_limit=1)
    lived = open_memory("two", focus_limit=1, link_initial_strength=0.2)
    for one in (memory, lived):
        one.remember("\n".join(text_of(f"行{i}", 40) for i in range(12))).result(PATIENCE)
        run_passes(one, 6)
    found = memory.history.replay(link_initial_strength=0.2)
    assert list(found.forgotten) == outcome(lived)["forgotten"]
    assert list(found.faded) == outcome(lived)["faded"]
    assert found.curve[-1].length < found.was[-1].length


def test_slower_decay_keeps_more_and_the_curves_say_so(open_memory: Open) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8)
    live(memory)
    slow, fast = memory.history.replay(decay_rate=0.95), memory.history.replay(decay_rate=0.6)
    assert len(slow.forgotten) < len(memory.look.forgotten(100)) <= len(fast.forgotten)
    assert slow.curve[-1].alive > slow.was[-1].alive >= fast.curve[-1].alive
    assert slow.curve[-1].length > slow.was[-1].length > fast.curve[-1].length
    assert slow.curve[-1].importance > slow.was[-1].importance > fast.curve[-1].importance
    assert slow.was == fast.was
    assert [point.passes for point in slow.curve] == sorted({p.passes for p in slow.curve})
    for shift in slow.shifts:
        assert shift.would_leave >= shift.left


def test_settings_that_always_held_are_no_others(open_memory: Open) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8)
    live(memory)
    assert memory.history.replay(decay_rate=0.8).settings == {}


@pytest.mark.parametrize(
    ("tried", "complaint"),
    [
        ({"decay_rat": 0.9}, "no setting 'decay_rat'; did you mean decay_rate"),
        ({"workers": 3}, "workers plays no part in a replay; these do: decay_rate"),
        ({"decay_rate": 3}, "decay_rate = 3: Input should be less than or equal to 1"),
    ],
)
def test_settings_that_cannot_be_tried_are_refused_with_advice(
    memory: Memory, tried: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        memory.history.replay(**tried)


def test_every_setting_that_can_be_tried_is_one(open_memory: Open) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8)
    live(memory)
    present = memory._agent.settings
    assert set(REPLAYED) <= set(type(present).model_fields)
    assert set(memory._agent.living.schedule.noted_rules()) - {"break_threshold"} <= set(REPLAYED)


# what is gone


def test_what_was_erased_is_said_and_does_not_come_back(open_memory: Open) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8, focus_limit=2)
    told(memory, *LINES)
    memory.merges.make(["mem_1", "mem_2"])
    memory.erase("mem_3")
    told(memory, "后来的一句话 #茶")
    memory.erase("mem_5")
    found = memory.history.replay()
    assert any("memories were erased" in gap for gap in found.gaps)
    assert not {"mem_3", "mem_5"} & {*found.alive, *found.faded, *found.forgotten}
    other = memory.history.replay(decay_rate=0.99)
    assert not {"mem_3", "mem_5"} & {*other.alive, *other.faded, *other.forgotten}
    assert "Lisbon" not in json.dumps(asdict(found), ensure_ascii=False)


def test_what_erasure_leaves_is_rebuilt(open_memory: Open) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8, focus_limit=2)
    told(memory, *LINES)
    run_passes(memory, 3)
    memory.erase("mem_2")
    told(memory, *LINES)
    found = memory.history.replay()
    assert found.differences == ()
    assert found.gaps == (
        "1 memories were erased: shells without words stand for them, as long as they were there",
    )


def test_an_undoing_whose_memory_was_erased_is_in_nobodys_way(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(focus_limit=1)
    told(memory, *LINES)
    memory.forget("mem_2")
    forgotten = last(memory, "forgotten")
    memory.restore("mem_2")
    memory.forget("mem_1")
    memory.undo(last(memory, "forgotten"))
    memory.erase("mem_1")
    assert memory.undo(forgotten, dry_run=True).refusal
    assert {node.id for node in memory.nodes(at=clock.now)} == {"mem_2", "mem_3", "mem_4"}
    found = memory.history.replay()
    assert found.differences == ()
    assert found.gaps == (
        "1 memories were erased: shells without words stand for them, as long as they were there",
    )


def test_a_journal_that_was_not_to_be_kept_is_a_gap(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8, focus_limit=2, keep_journal_days=5)
    told(memory, *LINES)
    memory.forget("mem_2")
    run_passes(memory, 2)
    memory.close()
    clock.now += 30 * DAY
    memory = open_memory(strategy="every", decay_rate=0.8, focus_limit=2, keep_journal_days=5)
    memory.flush(PATIENCE)
    told(memory, "后来")
    found = memory.history.replay()
    assert any("no longer say what happened" in gap for gap in found.gaps)
    assert any("passes do not say what made them" in gap for gap in found.gaps)
    assert {"mem_1", "mem_5"} <= {*found.alive, *found.faded, *found.forgotten}


def test_a_journal_from_before_is_refused_with_the_entry_it_begins_at(memory: Memory) -> None:
    told(memory, *LINES)
    with memory._agent.store() as store, store.write() as tx:
        assert tx.meta.get("replay_from") == "0"
        tx.meta.set("replay_from", "3")
    with pytest.raises(InvalidInput, match="only from entry 4 on"):
        memory.history.replay()


# anything


@pytest.fixture
def history() -> Iterator[Callable[..., History]]:
    made: list[History] = []
    with tempfile.TemporaryDirectory() as folder:

        def make(seed: int, **more: Any) -> History:
            made.append(History(Path(folder) / str(len(made)), seed, **more))
            return made[-1]

        yield make
        for one in made:
            one.close()


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, 2**32),
    st.lists(st.sampled_from(sorted(WEIGHTS)), min_size=5, max_size=40),
    st.booleans(),
)
def test_whatever_people_do_the_same_comes_of_it(
    history: Callable[..., History], seed: int, deeds: list[str], slots: bool
) -> None:
    lived = history(seed, **({"strategy": "slots", "max_nodes": 8} if slots else {}))
    for deed in ["remember", "remember", *deeds]:
        lived.do(deed)
    lived.settle()
    found = lived.memory.history.replay()
    assert found.differences == ()
    assert (found.gaps, found.skipped) == ((), 0)
    lived.memory.history.replay(
        decay_rate=random.Random(seed).choice([0.5, 0.95])
    )  # it ends, at least
    lived.close()


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32))
def test_whatever_was_erased_the_rest_is_rebuilt(
    history: Callable[..., History], seed: int
) -> None:
    lived = history(seed, learn=False)
    deeds = ("remember", "remember", "let_pass", "forget", "restore", "merge", "state", "erase")
    for deed in ["remember"] * 4 + lived.chance.choices(deeds, k=40) + ["erase"]:
        lived.do(deed)
    lived.settle()
    with lived.memory._agent.store() as store, store.read() as tx:
        erased = set(tx.tombstones.of("node"))
    found = lived.memory.history.replay()
    assert found.differences == ()
    assert erased
    assert any("were erased" in gap for gap in found.gaps)
    assert not erased & {*found.alive, *found.faded, *found.forgotten}
    lived.close()


@settings(max_examples=1, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_a_long_history_comes_to_the_same(history: Callable[..., History], seed: int) -> None:
    lived = history(seed)
    lived.run(DEEDS)
    lived.settle()
    found = lived.memory.history.replay()
    assert found.differences == ()
    assert (found.gaps, found.skipped) == ((), 0)
    assert lived.done == DEEDS
    happened = kinds(lived.memory)
    assert found.operations >= DEEDS
    assert {"compressed", "forgotten", "restored", "merged", "undone", "rules"} <= set(happened)
    assert {"settings", "learned", "boosted", "aged", "ticking", "task"} <= set(happened)
    with lived.memory._agent.store() as store, store.read() as tx:
        assert all(tx.rows.how_many(kind) for kind in ("node", "link", "fact", "focus"))


# drawing


def test_curves_are_drawn_for_the_terminal_and_as_a_picture(open_memory: Open) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8)
    live(memory)
    found = memory.history.replay(decay_rate=0.95)
    lines = curves.rows(found)
    assert [line[1] for line in lines] == ["was", "would be"] * 3
    assert {len(line[2]) for line in lines} == {len(found.curve)}
    picture = curves.svg(found)
    assert picture.count("<polyline") == 6
    assert "with decay_rate = 0.95" in picture
    assert curves.svg(memory.history.replay()).count("<polyline") == 3
    assert curves.spark([0, 0.5, 1], 1.0) == "▁▅█"
    assert curves.spark([0.0], 0.0) == ""


def test_a_closed_memory_is_not_replayed(open_memory: Open) -> None:
    memory = open_memory()
    memory.close()
    with pytest.raises(RuntimeError):
        memory.history.replay()
