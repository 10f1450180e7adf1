"""Facts: learned from talk, corrected by it, used in it; and a person's view of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel, run_passes, settles, snapshot

from wangchuan import InvalidInput, Memory, NotFound
from wangchuan.errors import ModelError
from wangchuan.facts.records import REPLACED_BY, REPLACES, Learned
from wangchuan.models.offline import OfflineModel


def say(memory: Memory, *said: Any) -> None:
    for message in said:
        memory.remember(message)
        assert memory.flush(PATIENCE)


def texts(memory: Memory, *args: Any, **kwargs: Any) -> list[str]:
    return [fact.text for fact in memory.facts(*args, **kwargs)]


def learn(memory: Memory, text: str, **more: Any) -> str:
    """Put a fact there as only the machine itself can; return its id."""
    with memory._agent.store() as store, store.write() as tx:
        return f"mem_{memory._agent.facts.add(tx, Learned(text, **more))}"


def id_of(memory: Memory, text: str) -> str:
    return next(fact.id for fact in memory.facts() if fact.text == text)


def operations(*lines: str) -> dict[str, Any]:
    return {"operations": list(lines)}


@pytest.fixture
def offline(open_memory: Open) -> Memory:
    return open_memory(learn=True, model=OfflineModel(), durability="normal")


@pytest.fixture
def learner(open_memory: Open) -> Memory:
    return open_memory(learn=True, durability="normal")


# corrections

CORRECTIONS = {
    "home, zh": ("我住在北京。", "其实我搬家了，我现在住在上海。", "我住在哪里？", "北京", "上海"),
    "home, en": ("I live in Berlin.", "I moved, I live in Lyon now.", "Where do I live?", "Berlin",
                 "Lyon"),
    "name, zh": ("我叫小明。", "不对，我叫小刚。", "你知道我叫什么名字吗", "小明", "小刚"),
    "name, en": ("My name is Tom.", "Sorry, actually my name is Tim.", "What is my name?", "Tom",
                 "Tim"),
    "work, zh": ("我在一家银行上班。", "我换工作了，现在在一家医院上班。", "我在哪里上班", "银行",
                 "医院"),
    "work, en": ("I work at a bank.", "I changed jobs: I work at a hospital now.",
                 "Where do I work?", "bank", "hospital"),
    "birthday, zh": ("我的生日是5月3日。", "说错了，我的生日是5月4日。", "我的生日是哪天", "5月3日",
                     "5月4日"),
    "birthday, en": ("My birthday is May 3.", "I was wrong, my birthday is May 4.",
                     "When is my birthday?", "May 3", "May 4"),
}  # fmt: skip


@pytest.mark.parametrize("name", CORRECTIONS)
def test_after_a_correction_the_new_fact_answers_and_the_old_one_is_history(
    offline: Memory, open_memory: Open, name: str
) -> None:
    first, correction, question, old, new = CORRECTIONS[name]
    say(offline, first)
    (former,) = offline.facts()
    assert old in former.text
    say(offline, correction)

    def holds(memory: Memory) -> None:
        (fact,) = memory.facts(question)
        assert new in fact.text
        assert old not in " ".join(texts(memory))
        assert [f.text for f in memory.facts.history(fact.id)] == [fact.text, former.text]
        block = memory.context(question).result(PATIENCE)
        facts = [line for line in block.splitlines() if line == f"- {fact.text}"]
        assert len(facts) == 1
        assert f"- {former.text}" not in block
        hits = memory.search(question).result(PATIENCE)
        assert new in hits[0].text
        assert former.text not in [hit.text for hit in hits]
        (superseded,) = [f for f in memory.facts.history(former.id) if f.id == former.id]
        assert superseded.successor == fact.id
        assert [c.kind for c in memory.history(former.id)] == ["learned", "forgotten"]
        assert memory.history(former.id)[-1].detail["reason"] == f"superseded by {fact.id}"
        assert memory.history(former.id)[-1].detail["successor"] == int(fact.id[4:])

    holds(offline)
    run_passes(offline, 10)
    holds(offline)
    offline.close()
    again = open_memory(learn=True, model=OfflineModel(), durability="normal")
    holds(again)
    assert again.look.faults() == []


def test_the_old_and_the_new_are_linked_both_ways(offline: Memory) -> None:
    say(offline, "我住在北京。")
    (old,) = offline.facts()
    say(offline, "我搬家了，我现在住在上海。")
    (new,) = offline.facts()
    (link,) = offline.look.links(new.id)
    assert (link.target, link.relation, link.strength) == (old.id, REPLACES, 1.0)
    assert link.dangling
    offline.restore(old.id)
    (back,) = offline.look.links(old.id)
    assert (back.target, back.relation) == (new.id, REPLACED_BY)


def test_a_fact_corrected_twice_has_a_history_of_three(offline: Memory) -> None:
    say(offline, "我住在北京。", "我搬家了，现在住在上海。", "我又搬家了，现在住在广州。")
    (fact,) = offline.facts()
    assert [f.text for f in offline.facts.history(fact.id)] == [
        "主人住在广州",
        "主人住在上海",
        "主人住在北京",
    ]
    gone = [f.node.content for f in offline.look.forgotten() if f.node.kind == "fact"]
    assert sorted(gone) == ["主人住在上海", "主人住在北京"]


@pytest.mark.parametrize("name", CORRECTIONS)
@pytest.mark.parametrize(
    "backlog", [False, True], ids=["said at once", "said before it is learned"]
)
def test_a_correction_within_one_turn_comes_to_the_same(
    open_memory: Open, name: str, backlog: bool
) -> None:
    first, correction, question, old, new = CORRECTIONS[name]
    said = [
        {"role": "user", "content": first},
        {"role": "assistant", "content": "OK."},
        {"role": "user", "content": correction},
        {"role": "assistant", "content": "OK."},
    ]
    memory = open_memory(learn=not backlog, model=OfflineModel(), durability="normal")
    for piece in (said[:2], said[2:]) if backlog else (said,):
        memory.remember(piece)
    assert memory.flush(PATIENCE)
    if backlog:
        memory.close()
        memory = open_memory(learn=True, model=OfflineModel(), durability="normal")
        memory.remember("Now to the weather.")
        assert memory.flush(PATIENCE)
    (fact,) = memory.facts(question)
    now, before = memory.facts.history(fact.id)
    assert new in now.text
    assert old in before.text
    assert (now.sources, before.sources) == (("msg_3",), ("msg_1",))
    assert before.successor == now.id
    assert new in memory.search(question).result(PATIENCE)[0].text
    assert first not in memory.context(question).result(PATIENCE).partition(correction)[0]
    assert memory.look.faults() == []


def test_what_changes_within_one_message_has_a_history(offline: Memory) -> None:
    say(offline, "我住在北京。我搬到上海了。我又搬到广州了。")
    (fact,) = offline.facts()
    texts = [f.text for f in offline.facts.history(fact.id)]
    assert texts == ["主人住在广州", "主人住在上海", "主人住在北京"]


def test_what_is_denied_within_one_turn_is_in_the_trash(offline: Memory) -> None:
    offline.remember(["I have a cat.", "I don't have a cat."])
    assert offline.flush(PATIENCE)
    assert offline.facts() == []
    assert "The user has a cat" in [f.node.content for f in offline.look.forgotten()]


def test_a_model_may_follow_what_it_brought_itself(learner: Memory, model: LineModel) -> None:
    model.script["observe"] = [
        operations(
            "[ADD] 主人住在北京", "[UPDATE:new_1] 主人住在上海", "[UPDATE:new_2] 主人住在广州"
        )
    ]
    say(learner, "我住在北京。我搬到上海了，又搬到广州了。")
    (fact,) = learner.facts()
    history = [f.text for f in learner.facts.history(fact.id)]
    assert history == ["主人住在广州", "主人住在上海", "主人住在北京"]


def test_moods_at_two_times_are_no_conflict(offline: Memory, clock: FakeClock) -> None:
    say(offline, "我很紧张。")
    clock.now += 10 * 86_400
    say(offline, "我现在很放松。")
    found = " ".join(texts(offline))
    assert "紧张" in found
    assert "放松" in found


@pytest.mark.parametrize(("said", "fact"), [("我喜欢猫。", "主人喜欢猫"), ("I like cats.", "cats")])
def test_told_again_a_fact_is_not_doubled_but_counts_as_used(
    offline: Memory, said: str, fact: str
) -> None:
    say(offline, said)
    say(offline, said)
    (found,) = offline.facts()
    assert fact in found.text
    assert found.weight == 1.8


def test_a_superseded_fact_that_a_person_restores_is_back_beside_its_successor(
    offline: Memory,
) -> None:
    say(offline, "我住在北京。")
    (old,) = offline.facts()
    say(offline, "我搬家了，现在住在上海。")
    offline.restore(old.id)
    assert sorted(texts(offline)) == ["主人住在上海", "主人住在北京"]


# what an observer may do


def test_the_observer_is_shown_the_dialogue_and_the_facts_that_bear_on_it(
    learner: Memory, model: LineModel
) -> None:
    cats, _ = learn(learner, "主人喜欢猫"), learn(learner, "主人在银行上班")
    say(
        learner, [{"role": "user", "content": "我的猫病了"}, {"role": "assistant", "content": "哎"}]
    )
    (ask,) = [ask for ask in model.asks if ask.routine == "observe"]
    shown = json.loads(ask.prompt.removeprefix("<data>").removesuffix("</data>"))
    assert shown["dialogue"] == [
        {"who": "主人", "said": "我的猫病了"},
        {"who": "小祥", "said": "哎"},
    ]
    assert shown["memories"] == [f"[{cats}] 主人喜欢猫"]


def test_the_instructions_hold_the_principles_of_the_design_in_both_languages(
    learner: Memory, model: LineModel
) -> None:
    say(learner, "我的猫病了", "My cat is ill")
    zh, en = (ask.instructions for ask in model.asks if ask.routine == "observe")
    for word in ("十天前很紧张", "现在很放松", "喜欢猫", "聊天气", "别这么绷着", "[UPDATE:mem_id]"):
        assert word in zh
    for word in ("nervous ten days ago", "relaxed now", "weather", "so tense", "[UPDATE:mem_id]"):
        assert word in en


def test_names_of_the_settings_are_used(open_memory: Open, model: LineModel) -> None:
    memory = open_memory(learn=True, user_name="阿珍", agent_name="小蓝", model=OfflineModel())
    say(memory, "我住在北京。")
    assert texts(memory) == ["阿珍住在北京"]


def test_a_fact_knows_the_messages_it_came_from(offline: Memory) -> None:
    say(offline, [
        {"role": "user", "content": "你好", "id": "a"},
        {"role": "user", "content": "我住在北京。", "id": "b"},
    ])  # fmt: skip
    (fact,) = offline.facts()
    assert fact.sources == ("b",)
    assert (fact.source, fact.verified, fact.weight) == ("background_ai", False, 1.5)


def test_uses_add_three_tenths_each_and_once_per_turn(open_memory: Open, model: LineModel) -> None:
    learner = open_memory(learn=True, reviewer="none", durability="normal")
    cats = learn(learner, "主人喜欢猫")
    for expected in (1.8, 2.1, 2.4, 2.7, 3.0):
        model.script["observe"] = [operations(*[f"[BOOST:{cats}]"] * 100)]
        say(learner, "猫")
        (fact,) = learner.facts()
        assert fact.weight == expected
    assert [c.kind for c in learner.history(cats)] == ["learned", *["boosted"] * 5]


def test_a_use_that_reaches_the_bound_is_reviewed_in_its_turn(
    learner: Memory, model: LineModel
) -> None:
    cats = learn(learner, "主人喜欢猫")
    for _ in range(4):
        model.script["observe"] = [operations(f"[BOOST:{cats}]")]
        model.script["review"] = [{"thought": "", "decision": "[PROMOTE]"}]
        say(learner, "猫")
    (fact,) = learner.facts()
    assert (fact.kind, fact.weight >= 3.0) == ("core", True)
    assert model.asked.count("review") == 1


@pytest.mark.parametrize(
    "said",
    ["以后都用公制", "Always answer in German", "From now on please give prices in Swiss francs"],
)
def test_a_standing_request_becomes_core_in_its_turn(offline: Memory, said: str) -> None:
    say(offline, said)
    (fact,) = offline.facts()
    assert (fact.kind, fact.verified) == ("core", False)
    assert said in fact.text
    assert said in offline.context("天气怎么样").result(PATIENCE)


def test_a_standing_request_waits_for_a_person_who_reviews(open_memory: Open) -> None:
    memory = open_memory(learn=True, reviewer="person", model=OfflineModel())
    say(memory, "以后都用公制")
    (fact,) = memory.facts.pending()
    assert (fact.kind, fact.review) == ("fact", "promotion")


@pytest.mark.parametrize("kind", ["core", "system"])
def test_a_person_says_what_always_holds(offline: Memory, clock: FakeClock, kind: str) -> None:
    fact = offline.facts.add("回答都用德语", kind=kind)
    assert (fact.kind, fact.verified, fact.weight) == (kind, True, 3.0)
    clock.now += 400 * 86_400
    assert offline.facts.age(PATIENCE)
    assert offline.facts(kinds=[kind])[0].id == fact.id
    assert "回答都用德语" in offline.context("天气").result(PATIENCE)
    assert offline.look.faults() == []


def test_a_person_promotes_a_fact_and_may_take_it_back(offline: Memory) -> None:
    fact = offline.facts.add("主人喜欢猫")
    assert offline.facts.promote(fact.id).kind == "core"
    assert offline.facts.promote(fact.id).kind == "core"
    assert offline.facts.add("主人喜欢猫", kind="core").id == fact.id
    with pytest.raises(InvalidInput):
        offline.facts.add("主人喜欢狗", kind="episode")
    with pytest.raises(NotFound):
        offline.facts.promote("mem_999")
    assert [c.kind for c in offline.history(fact.id)].count("promoted") == 1


CORRECTED = [
    (["我生日是5月12号", "说错了，是5月13号"], "主人的生日是5月13号"),
    (["我住在苏州", "好的！", "打错了，无锡"], "主人住在无锡"),
    (["I live in Boston", "Nice!", "No, not Boston. Austin."], "The user lives in Austin"),
    (["我在百度上班", "我上周从百度离职了"], "主人从百度离职了"),
]


@pytest.mark.parametrize(("said", "fact"), CORRECTED)
@pytest.mark.parametrize("at_once", [True, False])
def test_a_mere_correction_mends_what_was_said_before_it(
    offline: Memory, said: list[str], fact: str, at_once: bool
) -> None:
    offline.facts.add("主人喜欢下棋")
    roles = ["user", "assistant", "user"] if len(said) == 3 else ["user", "user"]
    talk = [{"role": r, "content": text} for r, text in zip(roles, said, strict=True)]
    say(offline, *([talk] if at_once else talk))
    assert sorted(texts(offline)) == sorted([fact, "主人喜欢下棋"])


def test_a_bare_answer_is_understood_by_its_question(offline: Memory) -> None:
    say(offline, {"role": "assistant", "content": "你做什么工作？"}, "护士")
    assert texts(offline) == ["主人是护士"]


def test_what_is_over_is_shown_as_past(offline: Memory, clock: FakeClock) -> None:
    say(offline, "我明天有面试")
    (fact,) = offline.facts()
    assert "明天" not in fact.text
    assert f"- {fact.text}\n" in offline.context("面试").result(PATIENCE)
    clock.now += 9 * 86_400
    assert f"- {fact.text}（已过去）" in offline.context("面试").result(PATIENCE)


@pytest.mark.parametrize(
    ("state", "said", "reply"),
    [
        ("我很紧张。", "马上轮到我上台了", "别这么绷着。"),
        ("I am nervous.", "What should I eat?", "Don't be so tense. Something light."),
    ],
)
def test_a_state_that_a_reply_answers_unnamed_is_used(
    offline: Memory, state: str, said: str, reply: str
) -> None:
    say(offline, state)
    (fact,) = offline.facts()
    say(offline, [{"role": "user", "content": said}, {"role": "assistant", "content": reply}])
    assert next(f for f in offline.facts() if f.id == fact.id).weight == 1.8 > fact.weight


def test_only_crossing_the_bound_asks_for_promotion_and_only_once(
    open_memory: Open, model: LineModel
) -> None:
    memory = open_memory(learn=True, reviewer="person")
    cats = learn(memory, "主人喜欢猫")
    waiting = []
    for _ in range(6):
        model.script["observe"] = [operations(f"[BOOST:{cats}]")]
        say(memory, "猫")
        waiting.append([f.review for f in memory.facts.pending()])
        if waiting[-1]:
            memory.facts.decide(cats, "keep")
    assert waiting == [[], [], [], ["promotion"], [], []]
    assert memory.facts()[0].weight == 3.3


def test_the_float_trap_does_not_keep_a_fact_from_its_review(
    open_memory: Open, model: LineModel
) -> None:
    memory = open_memory(learn=True, reviewer="person")
    cats = learn(memory, "主人喜欢猫")
    with memory._agent.store() as store, store.write() as tx:
        from dataclasses import replace

        row = tx.facts.get(int(cats[4:]))
        assert row is not None
        tx.facts.put(replace(row, weight=1.9))
    for _ in range(2):
        model.script["observe"] = [operations(f"[BOOST:{cats}]")]
        say(memory, "猫")
    assert [(f.weight, f.review) for f in memory.facts.pending()] == [(2.5, "promotion")]


def test_a_deleted_fact_is_in_the_trash_and_can_come_back(
    learner: Memory, model: LineModel
) -> None:
    cats = learn(learner, "主人喜欢猫")
    model.script["observe"] = [operations(f"[DELETE:{cats}]")]
    say(learner, "我不喜欢猫了")
    assert learner.facts() == []
    assert [(f.node.id, f.reason) for f in learner.look.forgotten()] == [(cats, "no longer true")]
    learner.restore(cats)
    assert texts(learner) == ["主人喜欢猫"]


def test_a_core_memory_can_be_corrected_and_its_successor_is_core(
    learner: Memory, model: LineModel
) -> None:
    name = learn(learner, "主人叫小明", kind="core")
    model.script["observe"] = [operations(f"[UPDATE:{name}] 主人叫小刚")]
    say(learner, "我叫小刚，不叫小明")
    (fact,) = learner.facts()
    assert (fact.text, fact.kind, fact.weight) == ("主人叫小刚", "core", 3.0)
    assert [f.text for f in learner.facts.history(fact.id)] == ["主人叫小刚", "主人叫小明"]


def test_a_core_memory_can_be_deleted(learner: Memory, model: LineModel) -> None:
    name = learn(learner, "主人叫小明", kind="core")
    model.script["observe"] = [operations(f"[DELETE:{name}]")]
    say(learner, "我不叫小明")
    assert learner.facts() == []


@pytest.mark.parametrize("operation", ["[UPDATE:{}] 主人叫小刚", "[DELETE:{}]", "[BOOST:{}]"])
def test_a_system_memory_is_never_touched(
    learner: Memory, model: LineModel, operation: str
) -> None:
    system = learn(learner, "主人叫小明", kind="system", source="system")
    before = learner.facts(kinds=["system"])
    model.script["observe"] = [operations(operation.format(system), "[SKIP]")]
    say(learner, "我叫小刚，不叫小明")
    assert learner.facts(kinds=["system"]) == before
    assert learner.facts() == []
    with learner._agent.store() as store, store.write() as tx:  # nor if it had been shown
        from wangchuan.routines.observe import Operation

        verb = operation[1:].partition(":")[0]
        learner._agent.learning._apply(
            tx, Operation(verb, system, "主人叫小刚", makes="new_1"), [], {}
        )
    assert learner.facts(kinds=["system"]) == before
    with pytest.raises(InvalidInput, match="system"):
        learner.facts.correct(system, "主人叫小刚")


def test_a_correction_keeps_what_the_fact_is_about(learner: Memory, model: LineModel) -> None:
    fish = learn(learner, "主人每周五吃鱼", topic="preference")
    model.script["observe"] = [operations(f"[UPDATE:{fish}] 主人每周六吃鱼")]
    say(learner, "我现在每周六吃鱼")
    assert [f.topic for f in learner.facts()] == ["preference"]


def test_what_is_known_word_for_word_is_not_added_again(learner: Memory, model: LineModel) -> None:
    learn(learner, "主人喜欢猫")
    model.script["observe"] = [operations("[ADD] 主人喜欢猫")]
    say(learner, "我喜欢猫")
    assert texts(learner) == ["主人喜欢猫"]


# an observer that fails


def test_while_the_observer_is_down_no_fact_changes_and_later_nothing_was_missed(
    learner: Memory, model: LineModel, clock: FakeClock
) -> None:
    learn(learner, "主人喜欢猫")
    model.script["observe"] = [ModelError("down"), operations("[ADD] 主人养了一条狗")]
    learner.remember("我养了一条狗").result(PATIENCE)
    assert not learner.flush(0.2)
    assert texts(learner) == ["主人喜欢猫"]
    assert learner.recall(["狗"]).result(PATIENCE) == "[记忆] 我养了一条狗"
    learner.remember("它叫豆豆").result(PATIENCE)
    assert settles(learner, clock)
    assert sorted(texts(learner)) == ["主人养了一条狗", "主人喜欢猫"]
    said = [[text for _, _, text in a.data["said"]] for a in model.asks if a.routine == "observe"]
    assert said == [["我养了一条狗"], ["我养了一条狗", "它叫豆豆"]]


def test_useless_answers_give_way_to_the_rules_after_the_retries(
    open_memory: Open, model: LineModel, clock: FakeClock
) -> None:
    memory = open_memory(learn=True, max_retries=2)
    model.script["observe"] = [operations("user likes pizza!"), {}, operations("[ADD] 火星有人")]
    memory.remember("我住在北京。").result(PATIENCE)
    assert settles(memory, clock)
    assert texts(memory) == ["主人住在北京"]
    assert model.asked.count("observe") == 2  # a third try would not cure it


def test_a_backlog_is_observed_in_pieces_of_one_conversation(
    open_memory: Open, model: LineModel, clock: FakeClock
) -> None:
    memory = open_memory(learn=True)
    hour = 3600.0
    said = [{"role": "user", "content": f"事{i}", "timestamp": clock.now} for i in range(40)]
    said += [{"role": "user", "content": f"事{i}", "timestamp": clock.now + 5 * hour}
             for i in range(40, 45)]  # fmt: skip
    memory.remember(said)
    assert memory.flush(PATIENCE)
    asks = [a for a in model.asks if a.routine == "observe"]
    heard = [[text for _, _, text in ask.data["said"]] for ask in asks]
    assert [len(part) for part in heard] == [30, 10, 5]
    assert [text for part in heard for text in part] == [f"事{i}" for i in range(45)]


def test_long_messages_are_observed_one_at_a_time(open_memory: Open, model: LineModel) -> None:
    memory = open_memory(learn=True, model_window_tokens=200)
    memory.remember(["长" * 150, "话" * 150, "短"])
    assert memory.flush(PATIENCE)
    heard = [len(ask.data["said"]) for ask in model.asks if ask.routine == "observe"]
    assert heard == [1, 2]


def test_nothing_is_observed_where_nothing_was_said(learner: Memory, model: LineModel) -> None:
    say(learner, " ", "\n\t")
    assert "observe" not in model.asked
    assert learner.stats().pending == 0


def test_without_learning_nothing_is_learned(open_memory: Open) -> None:
    memory = open_memory(learn=False, model=OfflineModel())
    say(memory, "我住在北京。")
    assert memory.facts() == []
    assert memory.facts.episodes() == []


# facts beside the network


def test_facts_stand_outside_the_network(offline: Memory) -> None:
    say(offline, "我住在北京。", "我喜欢猫。")
    ids = {fact.id for fact in offline.facts()}
    assert not ids & {node.id for node in offline.look.focus()}
    assert "主人" not in offline.recall([]).result(PATIENCE)
    before = offline.facts()
    run_passes(offline, 300)
    assert offline.facts() == before
    assert offline.look.faults() == []


def test_facts_take_no_slots(open_memory: Open) -> None:
    memory = open_memory(learn=True, strategy="slots", max_nodes=6, focus_limit=2)
    for i in range(20):
        learn(memory, f"主人的第{i}个爱好")
    say(memory, *(f"第{i}句话" for i in range(6)))
    assert len([node for node in memory.nodes() if node.kind == "segment"]) == 6
    assert len(memory.facts()) == 20


def test_looking_at_facts_changes_nothing(offline: Memory, clock: FakeClock) -> None:
    say(offline, "我住在北京。", "我喜欢猫。")
    before = snapshot(offline)
    clock.now += 86_400
    for _ in range(5):
        offline.facts()
        offline.facts("我住在哪里")
        offline.context("我住在哪里").result(PATIENCE)
        offline.facts.history(offline.facts()[0].id)
    assert snapshot(offline) == before


def test_a_fact_that_is_asked_for_has_its_days_begun_anew_at_what_is_left(
    offline: Memory, clock: FakeClock
) -> None:
    say(offline, "我住在北京。", "我喜欢猫。")
    clock.now += 10 * 86_400
    left = {fact.text: fact.weight for fact in offline.facts()}
    offline.search("北京", kinds=["fact"]).result(PATIENCE)
    offline.search("火星").result(PATIENCE)  # answered when the use of what was found is noted
    asked, other = (next(f for f in offline.facts() if word in f.text) for word in ("北京", "猫"))
    assert (asked.used_at, asked.weight) == (clock.now, left[asked.text])
    assert other.used_at < clock.now
    clock.now += 7 * 86_400
    weights = [offline.facts("北京")[0].weight, offline.facts("猫")[0].weight]
    assert weights[0] == left[asked.text] > weights[1]


def test_the_observer_is_shown_what_the_context_gave(learner: Memory, model: LineModel) -> None:
    tense = learner.facts.add("主人很在意准时")
    assert tense.text in learner.context("我该几点出发？").result(PATIENCE)
    model.script["observe"] = [operations(f"[BOOST:{tense.id}]")]
    say(learner, "我该几点出发？")
    assert learner.facts()[0].weight == pytest.approx(tense.weight + 0.3)


# a person's view


def test_what_a_person_states_is_theirs_and_verified(learner: Memory) -> None:
    fact = learner.facts.add("  My  cat is called Olive. ")
    assert (fact.text, fact.source, fact.verified) == ("My cat is called Olive.", "user", True)
    assert fact.weight == 1.5
    assert learner.facts.add("x", topic="promise").topic == "promise"


def test_what_is_stated_twice_is_one_fact_that_was_confirmed(learner: Memory) -> None:
    guess = learn(learner, "主人住在北京")
    again = learner.facts.add(" 主人住在北京 ")
    assert (again.id, again.verified, again.source) == (guess, True, "user")
    assert again.weight == 1.5  # confirming is no use
    for _ in range(3):
        learner.facts.add("My cat is called Olive.")
    assert [f.text for f in learner.facts()] == ["My cat is called Olive.", "主人住在北京"]
    learner.forget(guess)
    assert learner.facts.add("主人住在北京").id != guess  # what is forgotten is learned anew


def test_a_correction_that_changes_nothing_confirms(learner: Memory) -> None:
    guess = learn(learner, "主人住在北京")
    same = learner.facts.correct(guess, "主人住在北京")
    assert (same.id, same.verified, same.successor) == (guess, True, None)
    assert len(learner.facts.history(guess)) == 1
    assert learner.look.forgotten() == []


def test_a_person_can_correct_and_confirm(learner: Memory, clock: FakeClock) -> None:
    guess = learn(learner, "主人住在北京")
    assert learner.facts.verify(guess).verified
    assert [c.kind for c in learner.history(guess)] == ["learned", "verified"]
    right = learner.facts.correct(guess, "主人住在上海")
    assert (right.text, right.source, right.verified) == ("主人住在上海", "user", True)
    assert [f.id for f in learner.facts.history(right.id)] == [right.id, guess]
    assert texts(learner) == ["主人住在上海"]


@pytest.mark.parametrize("text", ["", "  \n", None, 5, ["x"], "x" * 2001])
def test_texts_that_are_no_facts_are_refused(learner: Memory, text: Any) -> None:
    with pytest.raises(InvalidInput):
        learner.facts.add(text)
    assert learner.facts() == []


def test_odd_but_possible_facts_are_kept(learner: Memory) -> None:
    for text in ("x\ud800y", "😀", "'); DROP TABLE facts; --", "[DELETE:mem_1]", "x" * 2000):
        learner.facts.add(text)
    assert len(learner.facts()) == 5
    assert texts(learner)[-1] == "x�y"


@pytest.mark.parametrize("arguments", [
    {"query": 5}, {"query": b"x"}, {"kinds": 5}, {"kinds": "nonsense"}, {"kinds": ["segment"]},
    {"kinds": [["fact"]]}, {"limit": -1}, {"limit": True}, {"limit": "9"}, {"limit": 1.5},
])  # fmt: skip
def test_arguments_that_make_no_sense_are_refused(learner: Memory, arguments: Any) -> None:
    with pytest.raises(InvalidInput):
        learner.facts(
            arguments.get("query"), **{k: v for k, v in arguments.items() if k != "query"}
        )


def test_kinds_and_limits_choose(learner: Memory) -> None:
    learn(learner, "主人叫小明", kind="core")
    for i in range(3):
        learn(learner, f"主人喜欢水果{i}号")
    assert texts(learner, kinds="core") == ["主人叫小明"]
    assert texts(learner, limit=2) == ["主人喜欢水果2号", "主人喜欢水果1号"]
    assert texts(learner, limit=0) == texts(learner, "水果", limit=0) == []
    assert len(texts(learner, "水果")) == 3
    assert texts(learner, kinds=[]) == []


@pytest.mark.parametrize("bad", ["mem_99", "x", "", None, "mem_-1", 5])
def test_ids_of_no_fact_are_not_found(learner: Memory, bad: Any) -> None:
    with pytest.raises(NotFound):
        learner.facts.correct(bad, "text")
    with pytest.raises(NotFound):
        learner.facts.verify(bad)
    with pytest.raises(NotFound):
        learner.facts.history(bad)


def test_a_segment_is_no_fact_and_a_forgotten_fact_cannot_be_corrected(learner: Memory) -> None:
    say(learner, "just a sentence")
    with pytest.raises(NotFound, match="not the id of a fact"):
        learner.facts.correct("mem_1", "text")
    cats = learn(learner, "主人喜欢猫")
    learner.forget(cats)
    with pytest.raises(NotFound, match="restore"):
        learner.facts.correct(cats, "text")
