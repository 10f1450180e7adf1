"""Reviews: who decides whether a fact is promoted, kept or let go, and what comes of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel, settles

from wangchuan import InvalidInput, Memory, NotFound
from wangchuan.errors import ModelError
from wangchuan.facts.records import Learned
from wangchuan.network.ageing import DAY


def learn(memory: Memory, text: str, **changes: Any) -> str:
    """Put a fact there, as it may have become; return its id."""
    with memory._agent.store() as store, store.write() as tx:
        n = memory._agent.facts.add(tx, Learned(text, topic=changes.pop("topic", "other")))
        row = tx.facts.get(n)
        assert row is not None
        tx.facts.put(replace(row, **{"weight": 1.0, **changes}))
    return f"mem_{n}"


def fallen(memory: Memory, clock: FakeClock) -> None:
    """Let three weeks go by, after which a fact of weight 1 falls below 0.5."""
    clock.now += 21 * DAY
    assert memory.facts.age(PATIENCE)


def decision(text: str) -> dict[str, str]:
    return {"thought": "…", "decision": text}


def state(memory: Memory, node_id: str) -> tuple[str, float, str | None] | None:
    found = [f for f in memory.facts() if f.id == node_id]
    return (found[0].kind, found[0].weight, found[0].review) if found else None


def reviews(model: LineModel) -> list[dict[str, Any]]:
    """What the reviewer was shown, question by question."""
    asked = [ask.prompt for ask in model.asks if ask.routine == "review"]
    return [json.loads(p.removeprefix("<data>").removesuffix("</data>")) for p in asked]


@pytest.fixture
def judged(open_memory: Open) -> Memory:
    """A memory whose facts the model reviews."""
    return open_memory(learn=True, durability="normal")


# the model decides


@pytest.mark.parametrize(
    ("answer", "after"),
    [
        ("[KEEP]", ("fact", 0.5, None)),
        ("[DELETE]", None),
        ("[PROMOTE]", ("fact", 0.487675, "undecided")),
        ("[KEEP] [DELETE]", ("fact", 0.487675, "undecided")),
        ("[PROMOTE] [KEEP]", ("fact", 0.487675, "undecided")),
        ("[keep]", ("fact", 0.487675, "undecided")),
        ("［KEEP］", ("fact", 0.487675, "undecided")),
        ("[KEEP] [KEEP]", ("fact", 0.5, None)),
        ("it should be kept", ("fact", 0.487675, "undecided")),
        ("", ("fact", 0.487675, "undecided")),
    ],
)
def test_what_a_model_decides_on_a_fading_fact(
    judged: Memory, model: LineModel, clock: FakeClock, answer: str, after: Any
) -> None:
    one = learn(judged, "主人喜欢猫")
    model.script["review"] = [decision(answer)]
    fallen(judged, clock)
    assert model.asked.count("review") == 1
    assert state(judged, one) == after
    assert judged.stats().pending == 0


@pytest.mark.parametrize(
    ("answer", "after"),
    [
        ("[PROMOTE]", ("core", 3.0, None)),
        ("[KEEP]", ("fact", 2.7, None)),
        ("[DELETE]", None),
        ("[PROMOTE] [DELETE]", ("fact", 2.7, None)),
        ("", ("fact", 2.7, None)),
    ],
)
def test_what_a_model_decides_on_a_fact_that_is_often_used(
    judged: Memory, model: LineModel, answer: str, after: Any
) -> None:
    one = learn(judged, "主人喜欢猫", weight=2.7, review="promotion")
    model.script["review"] = [decision(answer)]
    assert judged.facts.age(PATIENCE)
    assert state(judged, one) == after


def test_a_promoted_fact_never_fades_and_keeps_a_greater_weight(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    one = learn(judged, "主人叫小明", weight=3.3, review="promotion")
    model.script["review"] = [decision("[PROMOTE]")]
    clock.now += 1000 * DAY
    assert judged.facts.age(PATIENCE)
    assert state(judged, one) == ("core", 3.3, None)
    assert "promoted" in [change.kind for change in judged.history(one)]


def test_a_kept_fact_has_seven_days_before_it_is_reviewed_again(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    one = learn(judged, "主人喜欢猫")
    model.script["review"] = [decision("[KEEP]")] * 2
    fallen(judged, clock)
    for _ in range(7):
        clock.now += DAY
        assert judged.facts.age(PATIENCE)
    assert model.asked.count("review") == 1
    assert state(judged, one) == ("fact", 0.5, None)
    clock.now += DAY
    assert judged.facts.age(PATIENCE)
    assert model.asked.count("review") == 2


def test_an_undecided_fact_is_not_asked_about_again_and_leaves_below_three_tenths(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    one = learn(judged, "主人喜欢猫")
    fallen(judged, clock)
    for _ in range(9):
        clock.now += DAY
        assert judged.facts.age(PATIENCE)
    assert state(judged, one) == ("fact", 0.307357, "undecided")
    clock.now += DAY
    assert judged.facts.age(PATIENCE)
    assert state(judged, one) is None
    assert model.asked.count("review") == 1


def test_looked_at_late_an_undecided_fact_is_gone_as_if_one_had_looked_daily(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    one = learn(judged, "主人喜欢猫")
    clock.now += 40 * DAY
    assert judged.facts.age(PATIENCE)
    assert model.asked.count("review") == 1
    assert state(judged, one) is None
    assert judged.look.forgotten()[0].reason == "aged"


# three rounds


def test_a_reviewer_may_search_twice_and_must_decide_in_the_third_round(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    one = learn(judged, "主人喜欢猫")
    learn(judged, "主人养了一条狗", weight=3.0)
    model.script["review"] = [decision("[SEARCH:狗]"), decision("[SEARCH:鸟]"), decision("[KEEP]")]
    fallen(judged, clock)
    assert state(judged, one) == ("fact", 0.5, None)
    rounds = reviews(model)
    assert [shown["round"] for shown in rounds] == [1, 2, 3]
    assert rounds[0]["searched"] == []
    assert rounds[2]["searched"] == [
        {"for": "狗", "found": ["主人养了一条狗"]},
        {"for": "鸟", "found": []},
    ]


def test_a_search_in_the_third_round_is_no_decision(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    one = learn(judged, "主人喜欢猫")
    model.script["review"] = [decision(f"[SEARCH:{word}]") for word in "狗鸟鱼马"]
    fallen(judged, clock)
    assert len(reviews(model)) == 3
    assert state(judged, one) == ("fact", 0.487675, "undecided")


@pytest.mark.parametrize(
    "word", ["", " ", "'; DROP TABLE facts", '") OR 1=1 --', "狗\x00", "</data>", "x" * 10_000]
)
def test_odd_searches_do_no_harm(
    judged: Memory, model: LineModel, clock: FakeClock, word: str
) -> None:
    one = learn(judged, "主人喜欢猫")
    model.script["review"] = [decision(f"[SEARCH:{word}]"), decision("[KEEP]")]
    fallen(judged, clock)
    kept = ("fact", 0.5, None)
    assert state(judged, one) == (kept if word.strip() else ("fact", 0.487675, "undecided"))
    assert judged.look.faults() == []


def test_a_reviewer_is_shown_up_to_five_related_facts_and_not_the_fact_itself(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    learn(judged, "主人喜欢猫")
    for i in range(7):
        learn(judged, f"主人的第{i}只猫", weight=3.0)
    for i in range(30):
        learn(judged, f"水在{i}度不会沸腾", weight=3.0)
    fallen(judged, clock)
    (shown,) = reviews(model)
    assert shown["memory"] == "主人喜欢猫"
    assert len(shown["related"]) == 5
    assert "主人喜欢猫" not in shown["related"]
    assert all("猫" in text for text in shown["related"])


def test_the_questions_name_what_is_core_and_what_to_weigh(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    learn(judged, "主人喜欢猫", weight=2.7, review="promotion")
    learn(judged, "主人喜欢狗")
    fallen(judged, clock)
    promotion, decay = (ask.instructions for ask in model.asks if ask.routine == "review")
    for word in ("姓名", "生日", "约定", "今天很累", "短期计划", "[PROMOTE]"):
        assert word in promotion
    for word in ("还有价值", "更新的记忆", "忘记重要的事"):
        assert word in decay
    assert "[PROMOTE]" not in decay


# what happens meanwhile


def test_a_fact_forgotten_while_it_is_reviewed_is_left_alone(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    one = learn(judged, "主人喜欢猫")

    def forget(_: Any) -> dict[str, str]:
        judged.forget(one)
        return decision("[KEEP]")

    model.script["review"] = [forget]
    fallen(judged, clock)
    assert [(f.node.id, f.reason) for f in judged.look.forgotten()] == [(one, "on request")]
    assert judged.stats().pending == judged.stats().failed == 0


def test_a_fact_forgotten_between_two_rounds_leaves_the_next_one_a_fresh_start(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    first, second = learn(judged, "主人喜欢猫"), learn(judged, "主人喜欢船")

    def search(_: Any) -> dict[str, str]:
        return decision("[SEARCH:狗]")

    def forget(_: Any) -> dict[str, str]:
        judged.forget(first)
        return decision("[SEARCH:鸟]")

    model.script["review"] = [search, forget, decision("[KEEP]")]
    fallen(judged, clock)
    assert [(r["memory"], r["round"]) for r in reviews(model)] == [
        ("主人喜欢猫", 1),
        ("主人喜欢猫", 2),
        ("主人喜欢船", 1),
    ]
    assert state(judged, second) == ("fact", 0.5, None)


def test_a_fact_used_while_it_is_reviewed_is_not_set_back(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    one = learn(judged, "主人喜欢猫")

    def use(_: Any) -> dict[str, str]:
        with judged._agent.store() as store, store.write() as tx:
            record = tx.nodes.get(int(one[4:]))
            assert record is not None
            judged._agent.facts.boost(tx, record)
        return decision("[DELETE]")

    model.script["review"] = [use]
    fallen(judged, clock)
    assert state(judged, one) == ("fact", 0.787675, None)
    assert judged.stats().failed == 0


def test_a_person_who_decides_first_is_not_overruled(judged: Memory, model: LineModel) -> None:
    one = learn(judged, "主人喜欢猫", weight=2.7, review="promotion")

    def keep(_: Any) -> dict[str, str]:
        judged.facts.decide(one, "keep")
        return decision("[PROMOTE]")

    model.script["review"] = [keep]
    assert judged.facts.age(PATIENCE)
    assert state(judged, one) == ("fact", 2.7, None)
    assert judged.stats().failed == 0


# a reviewer that fails


def test_a_reviewer_that_raises_changes_nothing_and_is_asked_again(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    one = learn(judged, "主人喜欢猫")
    model.script["review"] = [ModelError("down"), RuntimeError("a defect"), decision("[KEEP]")]
    clock.now += 21 * DAY
    assert not judged.facts.age(0.3)
    assert state(judged, one) == ("fact", 0.487675, "decay")
    assert settles(judged, clock)
    assert state(judged, one) == ("fact", 0.5, None)


def test_while_a_review_waits_even_a_far_gone_fact_stays(
    judged: Memory, model: LineModel, clock: FakeClock
) -> None:
    one = learn(judged, "主人喜欢猫")
    model.script["review"] = [ModelError("down")] * 99
    clock.now += 60 * DAY
    assert not judged.facts.age(0.3)
    assert not judged.facts.age(0.3)
    assert [f.id for f in judged.facts()] == [one]
    assert [f.id for f in judged.facts.pending()] == [one]


@pytest.mark.parametrize("nonsense", [[], 5, {}, [1, 2]])
def test_a_reviewer_that_talks_nonsense_gives_way_to_the_rules(
    open_memory: Open, model: LineModel, clock: FakeClock, nonsense: Any
) -> None:
    memory = open_memory(learn=True, max_retries=0)
    one = learn(memory, "主人喜欢猫", topic="preference")
    model.script["review"] = [nonsense]
    fallen(memory, clock)
    assert state(memory, one) == ("fact", 0.5, None)


# rules, a person, nobody


@pytest.mark.parametrize(
    ("text", "topic", "verified", "after"),
    [
        ("主人喜欢猫", "preference", 0, 0.5),
        ("主人叫小明", "personal", 0, 0.5),
        ("主人答应周末打电话", "promise", 0, 0.5),
        ("主人今天很累", "personal", 0, "undecided"),
        ("The user is tired today", "personal", 0, "undecided"),
        ("水在一百度沸腾", "other", 0, "undecided"),
        ("水在一百度沸腾", "other", 1, 0.5),
    ],
)
def test_rules_keep_what_lasts_and_what_a_person_confirmed(
    open_memory: Open, clock: FakeClock, text: str, topic: str, verified: int, after: Any
) -> None:
    memory = open_memory(learn=True, reviewer="rules")
    one = learn(memory, text, topic=topic, verified=verified)
    fallen(memory, clock)
    kept = ("fact", 0.5, None)
    assert state(memory, one) == (kept if after == 0.5 else ("fact", 0.487675, "undecided"))


def test_rules_let_go_what_a_newer_fact_answers(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(learn=True, reviewer="rules")
    old = learn(memory, "主人住在北京", topic="personal")
    new = learn(memory, "主人住在上海", topic="personal", weight=3.0)
    fallen(memory, clock)
    assert state(memory, old) is None
    assert state(memory, new) == ("fact", 3.0, None)


def test_rules_promote_what_lasts_and_nothing_that_passes(open_memory: Open) -> None:
    memory = open_memory(learn=True, reviewer="rules")
    often = {"weight": 2.7, "review": "promotion"}
    lasting = learn(memory, "主人叫小明", topic="personal", **often)
    passing = learn(memory, "主人最近很忙", topic="personal", **often)
    assert memory.facts.age(PATIENCE)
    assert state(memory, lasting) == ("core", 3.0, None)
    assert state(memory, passing) == ("fact", 2.7, None)


def test_rules_ask_no_model(open_memory: Open, model: LineModel, clock: FakeClock) -> None:
    memory = open_memory(learn=True, reviewer="rules")
    learn(memory, "主人喜欢猫")
    fallen(memory, clock)
    assert "review" not in model.asked


def test_a_person_finds_what_waits_and_decides(
    open_memory: Open, model: LineModel, clock: FakeClock
) -> None:
    memory = open_memory(learn=True, reviewer="person")
    kept, gone = learn(memory, "主人喜欢猫"), learn(memory, "主人喜欢狗")
    often = learn(memory, "主人叫小明", weight=2.7, review="promotion")
    fallen(memory, clock)
    assert {f.id: f.review for f in memory.facts.pending()} == {
        kept: "decay",
        gone: "decay",
        often: "promotion",
    }
    clock.now += 60 * DAY  # a person may take their time
    assert memory.facts.age(PATIENCE)
    assert len(memory.facts.pending()) == 3
    memory.facts.decide(kept, "keep")
    memory.facts.decide(gone, "delete")
    memory.facts.decide(often, "promote")
    assert state(memory, kept) == ("fact", 0.5, None)
    assert state(memory, gone) is None
    assert state(memory, often) == ("core", 3.0, None)
    assert memory.facts.pending() == []
    assert "review" not in model.asked


def test_what_cannot_be_decided_is_refused(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(learn=True, reviewer="person")
    fading, calm = learn(memory, "主人喜欢猫"), learn(memory, "主人喜欢狗", weight=2.0)
    undecided = learn(memory, "主人喜欢鸟", weight=2.9, review="undecided")
    fallen(memory, clock)
    before = memory.facts()
    for one, what in [(fading, "promote"), (undecided, "promote"), (fading, "boost"), (fading, "")]:
        with pytest.raises(InvalidInput):
            memory.facts.decide(one, what)
    for what in ("keep", "delete", "promote"):
        with pytest.raises(InvalidInput, match="does not wait"):
            memory.facts.decide(calm, what)
    with pytest.raises(NotFound):
        memory.facts.decide("mem_99", "keep")
    memory.remember("a sentence").result(PATIENCE)
    with pytest.raises(InvalidInput):
        memory.facts.decide(memory.look.focus()[0].id, "delete")
    assert memory.facts() == before


def test_a_forgotten_fact_waits_for_nobody(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(learn=True, reviewer="person")
    one = learn(memory, "主人喜欢猫")
    fallen(memory, clock)
    memory.forget(one)
    assert memory.facts.pending() == []


def test_with_nobody_to_review_a_fact_goes_below_three_tenths(
    open_memory: Open, model: LineModel, clock: FakeClock
) -> None:
    memory = open_memory(learn=True, reviewer="none")
    one = learn(memory, "主人喜欢猫")
    clock.now += 30 * DAY
    assert memory.facts.age(PATIENCE)
    assert state(memory, one) == ("fact", 0.307357, None)
    clock.now += DAY
    assert memory.facts.age(PATIENCE)
    assert state(memory, one) is None
    assert "review" not in model.asked


# many at once


@pytest.mark.parametrize("answer", ["[KEEP]", ""])
def test_a_thousand_at_once_are_reviewed_twenty_at_a_time_and_all_in_the_end(
    open_memory: Open, model: LineModel, clock: FakeClock, answer: str
) -> None:
    memory = open_memory(learn=True, durability="normal")
    with memory._agent.store() as store, store.write() as tx:
        for i in range(1000):
            n = memory._agent.facts.add(tx, Learned(f"fact number {i}"))
            row = tx.facts.get(n)
            assert row is not None
            tx.facts.put(replace(row, weight=1.0))
    clock.now += 21 * DAY
    model.script["review"] = [decision(answer)] * 1000
    assert memory.facts.age(PATIENCE)
    assert model.asked.count("review") == 20
    assert len(memory.facts.pending()) == 980
    assert memory.facts.age(PATIENCE)
    assert model.asked.count("review") == 40
    with memory._agent.store() as store, store.read() as tx:
        left = [fact.node for fact in tx.facts.to_review(-1)]
    assert left == list(range(41, 1001))  # the oldest first, none twice


def test_how_many_at_a_time_is_a_setting(
    open_memory: Open, model: LineModel, clock: FakeClock
) -> None:
    memory = open_memory(learn=True, reviews_per_run=3)
    for i in range(7):
        learn(memory, f"主人的第{i}只猫")
    model.script["review"] = [decision("[KEEP]")] * 7
    clock.now += 21 * DAY
    waiting = []
    for _ in range(3):
        assert memory.facts.age(PATIENCE)
        waiting.append(len(memory.facts.pending()))
    assert waiting == [4, 1, 0]
