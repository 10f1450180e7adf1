"""Which messages a block tells, and with which turns beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import Open
from stage import PATIENCE

from wangchuan import Memory
from wangchuan.finding.exchange import Figure

Turn = tuple[str, str]


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    return open_memory(durability="normal")


def talk(memory: Memory, *turns: Turn) -> None:
    for said, answered in turns:
        both = [{"role": "user", "content": said}, {"role": "assistant", "content": answered}]
        memory.remember(both).result(PATIENCE)


def told(memory: Memory, query: str) -> list[str]:
    """Return the lines of a block, without their days."""
    parts = memory.context(query).result(PATIENCE).parts
    return [part.text.partition("user: ")[2] or part.text for part in parts]


HERON: Turn = ("The heron lamed its wing.", "Who mends it?")
MENDED: Turn = ("Dr Quill, she set it with a splint.", "Good.")
RAIN: Turn = ("It rains.", "A pity.")


def test_a_turn_is_told_with_the_answer_to_what_it_made_one_ask(memory: Memory) -> None:
    talk(memory, HERON, MENDED, RAIN)
    (line,) = told(memory, "Which vet looked after the heron?")
    assert line == f"{HERON[0]} assistant: {HERON[1]} user: {MENDED[0]}"


def test_nothing_goes_on_where_all_that_is_asked_was_met(memory: Memory) -> None:
    talk(memory, HERON, MENDED, RAIN)
    assert told(memory, "lamed heron wing") == [HERON[0]]


def test_a_turn_that_leans_on_the_last_one_goes_on_from_it(memory: Memory) -> None:
    talk(memory, ("The heron is back.", "Nice."), ("She sleeps on the barge.", "Good."), RAIN)
    (line,) = told(memory, "Where does the heron live?")
    assert line == "The heron is back. user: She sleeps on the barge."


def test_it_goes_on_as_far_as_the_number_that_is_asked_for(memory: Memory) -> None:
    talk(memory, HERON, ("Dr Quill.", "Is she dear?"), ("Ninety crowns.", "Oh."), RAIN)
    (line,) = told(memory, "How much did the heron cost?")
    assert line.endswith("user: Ninety crowns.")


@pytest.mark.parametrize(
    ("said", "query", "told_of"),
    [
        ("The heron is grey.", "How much did the heron weigh?", 0),
        ("The heron weighs two kilos.", "How much did the heron weigh?", 1),
        ("There is a heron here.", "How many herons are here?", 1),
        ("The heron was lame.", "When was the heron lame?", 1),
        ("白鹭很漂亮。", "白鹭有多重？", 0),
        ("白鹭两公斤。", "白鹭有多重？", 1),
    ],
)
def test_who_asks_for_a_number_is_not_answered_by_what_has_none(
    memory: Memory, said: str, query: str, told_of: int
) -> None:
    talk(memory, (said, "Oh."), RAIN)
    assert len(told(memory, query)) == told_of


def test_no_turn_is_told_twice(memory: Memory) -> None:
    talk(memory, HERON, ("Dr Quill mends the heron.", "Is she dear?"), ("Ninety crowns.", "Oh."))
    (line,) = told(memory, "How much is it to mend the heron?")
    assert line.count("Dr Quill") == 1
    assert line.endswith("user: Ninety crowns.")


def test_a_reply_is_told_after_the_turn_it_replies_to(memory: Memory) -> None:
    talk(memory, ("Mrs Okoro takes Biscuit.", "Then the poodle is in good hands."), RAIN)
    (line,) = told(memory, "Who takes care of the poodle?")
    assert line == "Mrs Okoro takes Biscuit. assistant: Then the poodle is in good hands."


def test_replies_are_no_news_to_who_asks_what_he_said_himself(memory: Memory) -> None:
    bicycle = ("My bicycle is a Moulton.", "A classic.")
    joke = ("Tell me something funny.", "Why did the bicycle fall over? It was two tired.")
    talk(memory, joke, bicycle, RAIN)
    assert told(memory, "What kind of bicycle do I have?") == [bicycle[0]]
    assert any("two tired" in line for line in told(memory, "What did you say of the bicycle?"))


def test_who_asks_what_the_agent_said_is_told_the_reply(memory: Memory) -> None:
    asked = ("Name a novel for the ferry. I like it wild.", "Take The Terror by Simmons.")
    talk(memory, asked, RAIN)
    (line,) = told(memory, "Which novel did you recommend?")
    assert line.endswith("assistant: Take The Terror by Simmons.")


@pytest.mark.parametrize("greeting", ["Hello!", "你好", "ok"])
def test_a_greeting_asks_for_nothing(memory: Memory, greeting: str) -> None:
    talk(memory, ("Hello! The ferry sank. 你好。", "Ok, hello."), RAIN)
    assert told(memory, greeting) == []


def test_what_is_left_of_a_message_must_tell_more_than_is_asked_about(memory: Memory) -> None:
    talk(memory, ("The lighthouse was sold in Porto.", "Oh."), RAIN)
    with memory._agent.store() as store, store.write() as tx:
        record = tx.nodes.get(1)
        assert record is not None
        tx.nodes.save(replace(record, content="lighthouse sold"))
    assert told(memory, "Who sold the lighthouse?") == []
    assert told(memory, "Whose lighthouse is it?") == ["lighthouse sold"]


@pytest.mark.parametrize(
    ("said", "query", "found"),
    [
        ("The accountant wants semicolons.", "What format does the accountant need?", True),
        ("The museum is closed.", "What did the museum in Lyon show?", False),
        ("Mum has a new hip.", "What does my mother have?", True),
        ("主人每周打羽毛球。", "羽毛球拍放在哪里？", True),
        ("我的腰不行了。", "我的腰怎么了？", True),
    ],
)
def test_people_ask_in_other_words_but_of_known_names(
    memory: Memory, said: str, query: str, found: bool
) -> None:
    talk(memory, (said, "嗯。" if said[0] > "z" else "Hm."), RAIN)
    assert bool(told(memory, query)) is found


@pytest.mark.parametrize(
    ("query", "text", "lacking"),
    [
        ("When is the fair?", "On 7 June.", False),
        ("When is the fair?", "It costs 640.", True),
        ("Who will draw when Ada is gone?", "Malik.", False),
        ("集市是哪天？", "六月七号。", False),
        ("多少钱？", "很贵。", True),
    ],
)
def test_a_figure_is_lacking_where_it_is_asked_for_and_not_told(
    query: str, text: str, lacking: bool
) -> None:
    assert Figure(query, 1_800_000_000.0).is_lacking(text) is lacking


def test_somebody_with_a_name_is_no_agent(memory: Memory) -> None:
    said = [{"role": "user", "name": "Ola", "content": "The heron is back."}]
    said += [{"role": "assistant", "name": "Iris", "content": "My heron sleeps on the barge."}]
    memory.remember(said).result(PATIENCE)
    lines = memory.context("Where is my heron?").result(PATIENCE).parts
    assert {part.who for part in lines} == {"Ola", "Iris"}


@pytest.mark.parametrize(
    ("turn", "query"),
    [
        (("The physician set a date: surgery on 3 May.", "Good."), "When is the operation?"),
        (("复诊改约了，五月三号开刀。", "好。"), "手术是哪天？"),
    ],
)
def test_a_word_that_was_never_said_is_met_by_one_that_stands_for_it(
    memory: Memory, turn: Turn, query: str
) -> None:
    talk(memory, turn, RAIN)
    (line,) = told(memory, query)
    assert turn[0] in line


def test_what_was_never_said_in_any_words_is_not_answered_by_the_rest(memory: Memory) -> None:
    talk(memory, ("The gate fee of the fair is four crowns.", "Fine."), RAIN)
    assert told(memory, "What is the price of the fair?")
    assert told(memory, "What is the price of the concert?") == []


BRAM: list[Turn] = [
    ("Bram painted the barge blue.", "Pretty."),
    ("Bram slept late.", "Good."),
    ("I met Bram at the market.", "Nice."),
]


def test_a_name_alone_does_not_answer_what_is_asked_of_somebody(memory: Memory) -> None:
    talk(memory, *BRAM, RAIN)
    assert told(memory, "What colour is Bram's barge?") == [BRAM[0][0]]
    assert told(memory, "When is Bram's wedding?") == []
    assert len(told(memory, "Who is Bram?")) == len(BRAM)


def test_who_asks_when_or_who_is_told_what_states_it(memory: Memory) -> None:
    dated = ("The regatta is on 9 July, the harbour is closed.", "Good.")
    run = ("Ottilie runs the regatta.", "Fine.")
    talk(memory, dated, run, ("The regatta was fun, they say.", "I see."), RAIN)
    assert told(memory, "When is the regatta?") == [dated[0]]
    assert told(memory, "Who runs the regatta?") == [run[0]]


@pytest.mark.parametrize(
    ("turns", "query", "told_too"),
    [
        (
            (("We're opening a second shop in Arden next spring.", "Nice."),
             ("The opening is planned for 4 May.", "Good."), RAIN),
            "When do we open in Arden?", "The opening is planned for 4 May.",
        ),
        (
            (("接了个老宅翻新的项目，在婺源。", "好。"), ("工期定在五月四号完工。", "好。"), RAIN),
            "项目什么时候完工？", "工期定在五月四号完工。",
        ),
    ],
)  # fmt: skip
def test_a_time_beside_the_verb_of_the_question_is_told_though_it_names_nothing(
    memory: Memory, turns: tuple[Turn, ...], query: str, told_too: str
) -> None:
    talk(memory, *turns)
    assert any(told_too in line for line in told(memory, query))
