"""What was said later on the same matter stands in the place of what is told."""

from __future__ import annotations

import pytest
from conftest import Open
from stage import PATIENCE

from wangchuan import Memory


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    return open_memory(durability="normal")


def lines(memory: Memory, query: str) -> list[str]:
    block = memory.context(query).result(PATIENCE)
    return [part.content for part in block.parts]


def tell(memory: Memory, *said: str) -> None:
    """Say things, each in a conversation of its own, with others between them."""
    for n, one in enumerate(said):
        for text in (one, f"The weather was fine on walk {n}.", f"路上看见第{n}只鸽子。"):
            memory.remember({"role": "user", "content": text}, session=f"s{n}").result(PATIENCE)


CHANGES = [
    (
        "The gutters will be cleaned on 4 May by the roofer.",
        "The roofer called, he has postponed the gutters to 19 May.",
        "When will the gutters on the barn be cleaned?",
        "19 May",
    ),
    (
        "Our tax adviser is Bertram Kuhl from the office in Ulm.",
        "Bertram Kuhl has retired, the office in Ulm gave us Frauke Behn.",
        "Who is our tax adviser?",
        "Frauke",
    ),
    (
        "旋耕机的租期到六月三号。",
        "老板来电话，旋耕机租期延到七月九号。",
        "旋耕机什么时候到期？",
        "七月九号",
    ),
    (
        "花房的钥匙归段师傅保管。",
        "段师傅离职了，花房钥匙现在归小耿保管。",
        "花房钥匙归谁保管？",
        "小耿",
    ),
]


@pytest.mark.parametrize(("first", "then", "question", "now"), CHANGES)
def test_a_later_statement_that_says_it_changed_is_told_first_or_alone(
    memory: Memory, first: str, then: str, question: str, now: str
) -> None:
    tell(memory, first, then)
    told = lines(memory, question)
    assert now in told[0]
    assert not any(line == first for line in told)


def test_what_was_replaced_is_marked_as_said_earlier(memory: Memory) -> None:
    first, then, question, _ = CHANGES[1]
    tell(memory, first, then)
    assert lines(memory, question)[0] == f"{then} (earlier: {first})"


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [  # another thing that changed, of the same person
        (
            "Wanda's birthday is 3 June.",
            "Wanda moved to Porto on 8 July.",
            "When is Wanda's birthday?",
        ),
        ("段师傅的生日是三月八号。", "段师傅搬到苏州去了。", "段师傅的生日是哪天？"),
        # one of a series
        (
            "Invoice 7 from the mill was 300 euros.",
            "Invoice 8 from the mill was 420 euros.",
            "mill invoice",
        ),
    ],
)
def test_what_says_something_else_takes_no_statement_away(
    memory: Memory, one: str, other: str, question: str
) -> None:
    tell(memory, one, other)
    assert one in lines(memory, question)


def test_who_asks_how_it_was_before_is_told_that(memory: Memory) -> None:
    first, then, *_ = CHANGES[2]
    tell(memory, first, then)
    assert first in lines(memory, "旋耕机原来什么时候到期？")


def test_who_asks_for_a_figure_is_told_the_next_turn_that_states_it(memory: Memory) -> None:
    memory.remember(
        [
            {"role": "user", "content": "We ordered a new kiln for the pottery."},
            {"role": "assistant", "content": "Exciting, the old one was done for."},
            {"role": "user", "content": "Delivery takes fourteen weeks, they say."},
        ]
    ).result(PATIENCE)
    assert any("fourteen weeks" in line for line in told(memory, "How long until the kiln comes?"))


def told(memory: Memory, query: str) -> list[str]:
    block = memory.context(query).result(PATIENCE)
    return [part.text for part in block.parts]


def test_the_kind_of_thing_that_is_asked_for_need_not_stand_in_an_answer(memory: Memory) -> None:
    tell(memory, "The relaunch is planned on Fedora 44.")
    assert lines(memory, "Which distribution is the relaunch planned on?")
    assert not lines(memory, "Which trombone is the picnic planned on?")


def test_a_topic_that_nobody_named_is_looked_for_among_what_was_told(memory: Memory) -> None:
    tell(memory, "I saw the rings of Saturn through a telescope.", "My sourdough came out flat.")
    assert any("Saturn" in line for line in lines(memory, "What did I say last time on astronomy?"))
