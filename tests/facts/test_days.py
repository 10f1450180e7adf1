"""What days do to facts and episodes of a memory, whoever looks at them and when."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel

from wangchuan import Host, Memory, host
from wangchuan.facts.records import Learned
from wangchuan.network.ageing import DAY


def learn(memory: Memory, text: str, weight: float | None = None, **more: Any) -> str:
    """Put a fact there as only the machine itself can; return its id."""
    with memory._agent.store() as store, store.write() as tx:
        n = memory._agent.facts.add(tx, Learned(text, **more))
        row = tx.facts.get(n)
        if weight is not None and row is not None:
            tx.facts.put(replace(row, weight=weight))
    return f"mem_{n}"


def known(memory: Memory) -> dict[str, float]:
    """What is left of everything learned, by its text."""
    facts = memory.facts(kinds=["fact", "core", "episode", "system"])
    return {fact.text: fact.weight for fact in facts}


def stock(memory: Memory) -> None:
    learn(memory, "small fact", 1.0)
    learn(memory, "new fact")
    learn(memory, "heavy fact", 2.9)
    learn(memory, "protected fact", 3.0)
    learn(memory, "episode", kind="episode")
    learn(memory, "treasured episode", 3.0, kind="episode")
    learn(memory, "core", kind="core")
    learn(memory, "system", kind="system")


SCHEDULES = {
    "daily": [1.0] * 40,
    "twice a day": [0.5] * 80,
    "hourly for a while": [1 / 24] * 96 + [36.0],
    "once after forty days": [40.0],
    "weekly": [7.0] * 5 + [5.0],
    "off and on": [3.3, 0.2, 11.5, 6.0, 9.0, 10.0],
}


@pytest.fixture
def none(open_memory: Open) -> Memory:
    """A memory that nobody reviews."""
    return open_memory(learn=True, reviewer="none", durability="normal")


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_result_does_not_depend_on_when_one_looks(
    none: Memory, clock: FakeClock, name: str
) -> None:
    stock(none)
    start = clock.now
    for step in SCHEDULES[name]:
        clock.now += step * DAY
        assert none.facts.age(PATIENCE)
    clock.now = start + 40 * DAY
    assert none.facts.age(PATIENCE)
    assert known(none) == {
        "heavy fact": pytest.approx(2.9 * 0.95**33, abs=1e-6),
        "protected fact": 3.0,
        "treasured episode": 3.0,
        "core": 3.0,
        "system": 3.0,
    }
    assert {f.node.content: f.reason for f in none.look.forgotten()} == dict.fromkeys(
        ["small fact", "new fact", "episode"], "aged"
    )


def test_each_leaves_on_its_day_and_not_before(none: Memory, clock: FakeClock) -> None:
    stock(none)
    left = {}
    for day in range(60):
        assert none.facts.age(PATIENCE)
        for text in known(none):
            left[text] = day
        clock.now += DAY
    assert left == {
        "episode": 13,
        "small fact": 30,
        "new fact": 38,
        "heavy fact": 51,
        "protected fact": 59,
        "treasured episode": 59,
        "core": 59,
        "system": 59,
    }


def test_ageing_twice_a_moment_is_ageing_once(none: Memory, clock: FakeClock) -> None:
    stock(none)
    clock.now += 20 * DAY
    assert none.facts.age(PATIENCE)
    once = none.facts()
    assert none.facts.age(PATIENCE)
    assert none.facts() == once
    assert known(none)["small fact"] == 0.513342


def test_the_weight_shown_is_that_of_today_whether_aged_or_not(
    none: Memory, clock: FakeClock
) -> None:
    learn(none, "small fact", 1.0)
    clock.now += 7 * DAY
    assert known(none) == {"small fact": 1.0}
    clock.now += DAY - 1
    assert known(none) == {"small fact": 1.0}
    clock.now += 1
    assert known(none) == {"small fact": 0.95}


def test_a_clock_that_goes_back_gives_nothing_back(none: Memory, clock: FakeClock) -> None:
    learn(none, "small fact", 1.0)
    clock.now += 20 * DAY
    assert none.facts.age(PATIENCE)
    clock.now -= 19 * DAY
    assert known(none) == {"small fact": 0.513342}
    assert none.facts.age(PATIENCE)
    assert known(none) == {"small fact": 0.513342}
    clock.now += 19 * DAY + DAY
    assert none.facts.age(PATIENCE)
    assert known(none) == {"small fact": 0.487675}


def test_what_was_learned_by_a_clock_ahead_waits_until_it_is_overtaken(
    none: Memory, clock: FakeClock
) -> None:
    clock.now += 1000 * DAY
    learn(none, "fact of tomorrow", 1.0)
    clock.now -= 1000 * DAY
    assert none.facts.age(PATIENCE)
    assert known(none) == {"fact of tomorrow": 1.0}


def test_a_leap_of_ten_years_forgets_but_destroys_nothing(none: Memory, clock: FakeClock) -> None:
    stock(none)
    clock.now += 3650 * DAY
    assert none.facts.age(PATIENCE)
    assert set(known(none)) == {"protected fact", "treasured episode", "core", "system"}
    clock.now -= 3650 * DAY
    for gone in none.look.forgotten():
        none.restore(gone.node.id)
    assert len(known(none)) == 8


def test_a_use_starts_the_days_anew_from_what_is_left(
    open_memory: Open, model: LineModel, clock: FakeClock
) -> None:
    memory = open_memory(learn=True, reviewer="none")
    cats = learn(memory, "主人喜欢猫", 1.0)
    clock.now += 20 * DAY
    model.script["observe"] = [{"operations": [f"[BOOST:{cats}]"]}]
    memory.remember("猫")
    assert memory.flush(PATIENCE)
    assert known(memory) == {"主人喜欢猫": 0.813342}
    clock.now += 7 * DAY
    assert memory.facts.age(PATIENCE)
    assert known(memory) == {"主人喜欢猫": 0.813342}


@pytest.mark.parametrize("kind", ["fact", "episode"])
def test_what_is_restored_has_its_days_again(none: Memory, clock: FakeClock, kind: str) -> None:
    one = learn(none, "one", 1.0, kind=kind)
    clock.now += 50 * DAY
    assert none.facts.age(PATIENCE)
    assert known(none) == {}
    none.restore(one)
    assert none.facts.age(PATIENCE)
    assert known(none) == {"one": 0.5}
    clock.now += 7 * DAY
    assert none.facts.age(PATIENCE)
    assert known(none) == {"one": 0.5}
    clock.now += 40 * DAY
    assert none.facts.age(PATIENCE)
    assert known(none) == {}


def test_a_restored_fact_keeps_a_weight_that_is_greater(none: Memory, clock: FakeClock) -> None:
    one = learn(none, "one", 2.0)
    none.forget(one)
    none.restore(one)
    assert known(none) == {"one": 2.0}


def test_many_facts_are_aged_a_bounded_number_at_a_time(none: Memory, clock: FakeClock) -> None:
    with none._agent.store() as store, store.write() as tx:
        for i in range(450):
            none._agent.facts.add(tx, Learned(f"fact number {i}", kind="episode"))
    clock.now += 20 * DAY
    assert none.facts.age(PATIENCE)
    assert known(none) == {}
    assert none.stats().forgotten == 450
    assert none.stats().pending == 0


def test_a_restart_in_the_middle_of_ageing_goes_on_from_there(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(learn=True, reviewer="none")
    stock(memory)
    clock.now += 20 * DAY
    with memory._agent.store() as store, store.write() as tx:
        memory._agent.learning.want_ageing(tx)
    memory.close()
    again = open_memory(learn=True, reviewer="none")
    assert again.flush(PATIENCE)
    assert "episode" not in known(again)
    assert again.stats().pending == 0


# by itself


def test_opening_ages_what_was_not_aged_for_a_day(open_memory: Open, clock: FakeClock) -> None:
    learn(open_memory(learn=True, reviewer="none"), "episode", kind="episode")
    open_memory(learn=True, reviewer="none").close()
    clock.now += 14 * DAY
    memory = open_memory("agent_002", learn=True)  # another one has nothing to age
    assert memory.flush(PATIENCE)
    again = open_memory(learn=True, reviewer="none")
    assert again.flush(PATIENCE)
    assert known(again) == {}


def test_opening_within_the_same_day_ages_nothing(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(learn=True, reviewer="none")
    learn(memory, "one")
    assert memory.facts.age(PATIENCE)
    first = aged_at(memory)
    clock.now += DAY - 1
    assert aged_at(open_memory(learn=True, reviewer="none")) == first
    clock.now += 1
    assert aged_at(open_memory(learn=True, reviewer="none")) == first + DAY


def aged_at(memory: Memory) -> float:
    """When a memory was last aged; it is closed then."""
    assert memory.flush(PATIENCE)
    with memory._agent.store() as store, store.read() as tx:
        at = float(tx.meta.get("aged_at") or 0)
    memory.close()
    return at


def test_an_agent_that_stays_open_is_aged_by_itself(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "TEND_SECONDS", 0.02)
    gone = threading.Event()
    settings = {"reviewer": "none", "durability": "normal"}
    with Host(tmp_path, settings=settings, model=LineModel(), clock=clock) as house:
        memory = house.open("a")
        memory.on("forgotten", lambda _: gone.set())
        learn(memory, "episode", kind="episode")
        clock.now += 13 * DAY
        assert not gone.wait(0.3)
        assert set(known(memory)) == {"episode"}
        clock.now += DAY
        assert gone.wait(PATIENCE)
        assert known(memory) == {}


def test_looking_around_costs_nothing_while_nothing_is_due(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "TEND_SECONDS", 0.01)
    with Host(tmp_path, model=LineModel(), clock=clock) as house:
        memory = house.open("a")
        borrowed = []
        store = memory._agent.store
        monkeypatch.setattr(memory._agent, "store", lambda: borrowed.append(1) or store())
        assert not threading.Event().wait(0.3)
        assert borrowed == []
        clock.now += DAY
        threading.Event().wait(0.3)
        assert len(borrowed) == 1  # one look a day


def test_a_memory_that_cannot_be_tended_does_not_keep_others_from_it(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wangchuan import StorageError

    gone = threading.Event()
    settings = {"reviewer": "none", "durability": "normal"}
    with Host(tmp_path, settings=settings, model=LineModel(), clock=clock) as house:
        bad, good = house.open("a"), house.open("b")
        good.on("forgotten", lambda _: gone.set())
        learn(good, "episode", kind="episode")

        def fail() -> None:
            raise StorageError("the disk is gone")

        monkeypatch.setattr(bad._agent, "tend", fail)
        clock.now += 14 * DAY
        house._tend_all()
        assert gone.wait(PATIENCE)


def test_those_who_only_look_age_nothing(tmp_path: Path, clock: FakeClock) -> None:
    with Host(tmp_path, model=LineModel(), clock=clock) as house:
        learn(house.open("a"), "episode", kind="episode")
    clock.now += 30 * DAY
    with Host(tmp_path, model=LineModel(), clock=clock, adopt=False) as house:
        memory = house.open("a")
        assert memory.flush(PATIENCE)
        assert len(memory.facts.episodes()) == 1
