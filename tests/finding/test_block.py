"""What the block is chosen by, its parts, and how it is measured."""

from __future__ import annotations

import time
from typing import Any

import pytest
from conftest import Open
from meanings import Concepts
from stage import PATIENCE, FakeClock

from wangchuan import InvalidInput, Memory
from wangchuan.finding.matter import Matter
from wangchuan.finding.telling import acknowledges, question_of
from wangchuan.language.kinds import kin
from wangchuan.models.offline import OfflineModel
from wangchuan.storage.records import LifecycleRecord

DAY = 86_400.0


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    return open_memory(durability="normal")


def lines(memory: Memory, query: str, **more: Any) -> list[str]:
    block = memory.context(query, **more).result(PATIENCE)
    return [part.content for part in block.parts]


def test_parts_say_what_stands_in_the_block_who_said_it_and_when(
    memory: Memory, clock: FakeClock
) -> None:
    memory.facts.add("Rex is afraid of ferries")
    memory.remember({"role": "user", "content": "The ferry sank.", "id": "a"}).result(PATIENCE)
    block = memory.context("Where is the ferry?").result(PATIENCE)
    assert [line[2:] for line in block.splitlines() if line.startswith("- ")] == [
        part.text for part in block.parts
    ]
    fact, said = block.parts
    assert (fact.kind, fact.content) == ("fact", "Rex is afraid of ferries")
    assert (said.kind, said.source, said.who) == ("said", "a", "user")
    assert said.at == clock.now
    assert isinstance(block, str)
    assert memory.context("submarine").result(PATIENCE).parts == ()


def test_what_was_put_right_is_told_as_said_earlier(memory: Memory) -> None:
    for said in ("会议室订的是三楼的。", "错了错了，是五楼。"):
        memory.remember(said).result(PATIENCE)
    (line,) = lines(memory, "会议室在几楼？")
    assert line == "错了错了，是五楼。（早先说：会议室订的是三楼的。）"


def test_a_fact_that_was_put_right_in_words_that_taught_nothing_is_not_told_alone(
    open_memory: Open,
) -> None:
    memory = open_memory(durability="normal", learn=True)
    for said in ("验收由质检科负责。", "准确地说，是由第三方检测机构负责。"):
        memory.remember(said).result(PATIENCE)
        assert memory.flush(PATIENCE)
    block = memory.context("验收谁来负责？").result(PATIENCE)
    assert all("第三方" in part.content for part in block.parts)
    assert block.parts


def test_the_last_time_is_found_by_a_part_of_a_topics_name(memory: Memory) -> None:
    for said in ("我在棋社输给一个十二岁的孩子。", "今天下雨了。"):
        memory.remember(said).result(PATIENCE)
    assert "我在棋社输给一个十二岁的孩子。" in lines(memory, "上次聊下棋，我说了什么？")


def test_who_asks_for_last_night_may_mean_what_was_said_at_noon(
    memory: Memory, clock: FakeClock
) -> None:
    clock.now += 12 * 3600 - clock.now % DAY
    memory.remember("我报名了马拉松。").result(PATIENCE)
    clock.now += DAY
    memory.remember("今天好热。").result(PATIENCE)
    assert lines(memory, "还记得我昨晚说的事吗？") == ["我报名了马拉松。"]


def test_since_leaves_out_what_was_said_and_learned_before(
    memory: Memory, clock: FakeClock
) -> None:
    memory.facts.add("The ferry is old")
    memory.remember("The ferry sank.").result(PATIENCE)
    clock.now += DAY
    memory.facts.add("The ferry is new")
    memory.remember("The ferry floats.").result(PATIENCE)
    later = lines(memory, "What about the ferry?", since=clock.now - 10)
    assert later == ["The ferry is new", "The ferry floats."]
    assert len(lines(memory, "What about the ferry?")) == 4
    with pytest.raises(InvalidInput, match="since"):
        memory.context("ferry", since="yesterday")  # type: ignore[arg-type]


def test_a_counter_of_tokens_can_be_given(memory: Memory) -> None:
    memory.remember([f"Ferry number {i} sank." for i in range(9)]).result(PATIENCE)
    few = memory.context("ferry number", max_tokens=120, counter=len).result(PATIENCE)
    assert 0 < len(few) <= 120
    assert len(few.parts) < len(lines(memory, "ferry number", max_tokens=120))
    with pytest.raises(InvalidInput, match="counter"):
        memory.context("ferry", counter=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "known", "never"),
    [
        ("The ladder of my aunt Ida is in the shed.", "Where is the ladder?", "Where is my drone?"),
        ("姑姑的梯子在棚子里。", "梯子在哪里？", "我的无人机在哪里？"),
    ],
)
def test_what_holds_nothing_that_is_named_is_no_answer(
    memory: Memory, said: str, known: str, never: str
) -> None:
    memory.facts.add("主人喜欢无花果" if said[0] > "z" else "The user likes figs")
    memory.remember(said).result(PATIENCE)
    assert lines(memory, known) == [said]
    assert said not in lines(memory, never)


@pytest.mark.parametrize(
    ("facts", "question", "stranger", "small"),
    [
        (
            ["The user can't have peanuts", "The user trains for a marathon"],
            "What should I avoid at the buffet?",
            "What is my husband afraid of?",
            "The bus was late again today, number {}.",
        ),
        (
            ["主人吃花生会起疹子", "主人在练马拉松"],
            "给我点菜要避开什么？",
            "我老公怕什么？",
            "今天第{}趟公交又晚点了。",
        ),
    ],
)
def test_few_facts_are_all_told_to_who_asks_of_himself_in_words_never_said(
    memory: Memory, facts: list[str], question: str, stranger: str, small: str
) -> None:
    for fact in facts:
        memory.facts.add(fact)
    assert set(lines(memory, question)) == set(facts)
    assert memory.context(stranger).result(PATIENCE) == ""
    for n in range(8):  # now facts are little of what was said: the answer would be found by words
        memory.remember([small.format(n), "Oh."]).result(PATIENCE)
    assert memory.context(question).result(PATIENCE) == ""


def test_facts_that_state_no_date_do_not_fill_the_answer_to_when(memory: Memory) -> None:
    memory.facts.add("The user likes figs")
    memory.facts.add("The user flies to Lima on 3 May")
    assert lines(memory, "When will I be away?") == ["The user flies to Lima on 3 May"]


def test_what_was_corrected_in_other_words_is_told_with_its_correction(open_memory: Open) -> None:
    memory = open_memory(learn=True, model=OfflineModel(), durability="normal")
    for said in (
        "My oven supplier is called Brandt, the contact is Jan Mertens.",
        "The shop was full today.",
        "Jan Mertens left Brandt, the new contact is Sofie Claes.",
    ):
        memory.remember([said, "Noted."]).result(PATIENCE)
        assert memory.flush(PATIENCE)
    assert not memory.facts("oven")
    block = memory.context("Who do I call about the oven?").result(PATIENCE)
    (line,) = [part.text for part in block.parts]
    assert line.index("Sofie Claes") < line.index("(earlier: My oven supplier")


def test_a_name_with_the_figure_that_is_asked_for_is_an_answer(memory: Memory) -> None:
    memory.remember(["We must file VAT by the 20th.", "The day was long."]).result(PATIENCE)
    memory.remember("We close on Mondays.").result(PATIENCE)
    assert lines(memory, "When is VAT due?") == ["We must file VAT by the 20th."]
    assert lines(memory, "Which days are we closed?") == ["We close on Mondays."]


def test_who_asks_when_is_told_what_states_a_time_itself(memory: Memory) -> None:
    memory.remember("The wedding cake will have five tiers.").result(PATIENCE)
    memory.remember("Ilse wants the papers by the 20th.").result(PATIENCE)
    memory.remember("The wedding is on 19 June.").result(PATIENCE)
    assert lines(memory, "When is the wedding?") == ["The wedding is on 19 June."]


def test_what_is_asked_of_somebody_is_not_answered_by_what_tells_of_others(memory: Memory) -> None:
    nights = "Dora came home late again, night shifts as a midwife are brutal."
    memory.remember([nights, "That is hard."]).result(PATIENCE)
    memory.remember(["It is hard to refuse free work.", "Be brief."]).result(PATIENCE)
    memory.remember("The first draft of my work was a mess.").result(PATIENCE)
    assert lines(memory, "What does Dora do for work?") == [nights]


def test_who_is_answered_by_what_names_somebody_beside_what_holds_more(memory: Memory) -> None:
    client = "We have a new client, Tidewater Brewery, they want a label for a stout."
    memory.remember([client, "Congratulations!"]).result(PATIENCE)
    memory.remember(["What is a stout?", "A dark beer."]).result(PATIENCE)
    memory.remember("From now on Bettina handles the label.").result(PATIENCE)
    told = lines(memory, "Who handles the label at Tidewater Brewery?")
    assert "From now on Bettina handles the label." in told


def test_those_who_talk_are_not_what_a_question_names(memory: Memory) -> None:
    memory.facts.add("The user likes figs")
    assert memory.context("Which user has the submarine?").result(PATIENCE) == ""


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("The user works as a nurse", "What is my job?"),
        ("主人在图书馆上班", "我的工作是什么？"),
        ("The user has a greyhound called Pepper", "Do I have a pet?"),  # no word of that kind
    ],
)
def test_a_fact_is_found_by_other_words_for_its_kind_or_told_where_none_is(
    memory: Memory, fact: str, question: str
) -> None:
    memory.facts.add(fact)
    assert lines(memory, question) == [fact]


def test_room_is_filled_with_the_facts_a_person_gave_where_none_is_surely_meant(
    memory: Memory,
) -> None:
    given = ["主人怕黑，睡觉要开小灯", "主人在学手语", "主人不喝酒"]
    for fact in given:
        memory.facts.add(fact)
    assert {*lines(memory, "晚上的课是什么课？")} == {*given}
    assert lines(memory, "我怕黑吗？") == given[:1]


def test_facts_are_found_by_meaning(open_with: Open) -> None:
    memory: Memory = open_with(Concepts(), durability="normal")
    memory.facts.add("Rex is a beagle")
    memory.facts.add("The soup is hot")
    assert lines(memory, "Where is the puppy?") == ["Rex is a beagle"]


def test_a_sentence_that_was_told_is_not_told_again(memory: Memory, clock: FakeClock) -> None:
    for closing in ("", " Tell me more.", " How odd."):
        memory.remember("The heron is back." + closing).result(PATIENCE)
        clock.now += DAY
    assert len(lines(memory, "Where is the heron?")) == 1


def test_of_two_statements_the_newest_comes_first(memory: Memory, clock: FakeClock) -> None:
    for colour in ("green", "blue"):
        memory.remember(f"The door of the shed is {colour}.").result(PATIENCE)
        clock.now += DAY
    assert lines(memory, "What colour is the door of the shed?")[0].endswith("blue.")


def test_the_last_time_a_topic_came_up_is_told_with_what_followed(
    memory: Memory, clock: FakeClock
) -> None:
    memory.remember(["The boiler broke down.", "A plumber comes at nine."]).result(PATIENCE)
    clock.now += DAY
    memory.remember("We had soup.").result(PATIENCE)
    assert lines(memory, "What did I say last time about the boiler?") == [
        "The boiler broke down.",
        "A plumber comes at nine.",
    ]


def test_what_has_gone_cold_answers_where_nothing_else_does_and_warms(memory: Memory) -> None:
    memory.remember("The heron is back.").result(PATIENCE)
    memory.remember([f"Talk {i} is about soup." for i in range(8)]).result(PATIENCE)
    with memory._agent.store() as store, store.write() as tx:
        tx.ticks.put([LifecycleRecord(1, 0.0)])
    assert lines(memory, "Where is the heron?") == ["The heron is back."]

    def warmed() -> bool:
        with memory._agent.store() as store, store.read() as tx:
            return tx.signals.get(1) is not None

    deadline = time.monotonic() + PATIENCE  # it is noted after the answer is given
    while not warmed() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert warmed()


@pytest.mark.parametrize("text", ["Noted.", "OK, got it!", "好的。", "明白，谢谢！", "…"])
def test_what_says_that_one_has_heard_is_known(text: str) -> None:
    assert acknowledges(text)


@pytest.mark.parametrize("text", ["At 9.", "The heron.", "苹果", "好的，九点见"])
def test_what_says_more_is_no_acknowledgement(text: str) -> None:
    assert not acknowledges(text)


def test_only_the_question_at_the_end_waits_for_an_answer() -> None:
    assert question_of("I see. What colour is it?") == " What colour is it?"
    assert question_of("真的。你住哪里呢？") == "你住哪里呢？"
    assert question_of("Why did it fall? It was tired.") == ""


def test_words_for_one_kind_stand_together() -> None:
    assert "上班" in kin("工作")
    assert "sister" not in kin("brother")
    assert kin("submarin") == frozenset()


def test_a_share_is_of_what_is_named() -> None:
    matter = Matter({"heron": 1.0}, {"heron": 2.0, "saw": 2.0})
    assert matter.share({"heron"}) > 0.8
    assert matter.share({"saw"}) < 0.2
    assert matter.share({"heron", "saw"}) == pytest.approx(1.0)
    assert Matter({}, {}).share({"heron"}) == 0.0
