"""Merges of memories that say the same in other words: suggested where vectors say so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from meanings import Concepts
from stage import PATIENCE, FakeClock

from wangchuan import Memory
from wangchuan.lifecycle.merging import overlap
from wangchuan.network.activity import DAY

pytestmark = pytest.mark.in_both

ONE, OTHER = "The physician drives an automobile.", "我的大夫会开车。"
APART = "橘猫年糕只吃三文鱼罐头，还怕打雷。"
NUMBERED = ("The doctor has 12 vehicles.", "那位医生有13辆汽车。")

OpenWith = Callable[..., Memory]


@pytest.fixture
def open_with(open_with: OpenWith) -> OpenWith:
    """Open memories in which nothing fades and much can be merged."""
    return partial(open_with, focus_limit=1, merge_max_degree=20, theta_active=1.0, decay_rate=1.0)


def long_cold(memory: Memory, clock: FakeClock, *said: str) -> None:
    """Say things, each in a conversation of its own, and let them lie until merges are sought."""
    for one in (*said, "Something else is in focus now."):
        clock.now += 7200
        memory.remember(one).result(PATIENCE)
    for days in (500, 8):
        clock.now += days * DAY
        assert memory.tick(PATIENCE)


def suggested(memory: Memory) -> list[list[str]]:
    return [[node.id for node in found.nodes] for found in memory.merges()]


def test_paraphrases_without_a_common_word_are_suggested_only_with_vectors(
    open_with: OpenWith, clock: FakeClock
) -> None:
    assert overlap(ONE, OTHER) == 0
    plain = open_with(None, "plain")
    long_cold(plain, clock, ONE, APART, OTHER)
    assert suggested(plain) == []
    meant = open_with(Concepts(), "meant")
    long_cold(meant, clock, ONE, APART, OTHER)
    (found,) = meant.merges()
    assert [node.id for node in found.nodes] == ["mem_1", "mem_3"]
    assert found.overlap == 0
    assert "0% in common" in found.reason
    assert "alike in meaning" in found.reason
    assert meant.explain("mem_1").marks == ("merge",)
    assert meant.explain("mem_2").marks == ()
    assert meant.history.replay().differences == ()  # by the vectors that are there


def test_words_in_common_are_still_reason_enough(open_with: OpenWith, clock: FakeClock) -> None:
    memory = open_with(Concepts())
    long_cold(memory, clock, APART, ONE, APART)
    (found,) = memory.merges()
    assert [node.id for node in found.nodes] == ["mem_1", "mem_3"]
    assert found.reason.endswith("100% in common")


def test_how_near_is_near_enough_is_a_setting(open_with: OpenWith, clock: FakeClock) -> None:
    near = "The physician drives an automobile to Graz."
    strict = open_with(Concepts(), "strict", merge_closeness=0.99)
    long_cold(strict, clock, near, OTHER)
    assert suggested(strict) == []
    loose = open_with(Concepts(), "loose", merge_closeness=0.5)
    long_cold(loose, clock, near, OTHER)
    assert suggested(loose) == [["mem_1", "mem_2"]]


def test_what_differs_in_a_number_is_not_the_same_however_near(
    open_with: OpenWith, clock: FakeClock
) -> None:
    memory = open_with(Concepts(), merge_closeness=0.5)
    long_cold(memory, clock, *NUMBERED)
    assert suggested(memory) == []


def test_a_vector_speaks_only_for_what_is_all_its_message_left(
    open_with: OpenWith, clock: FakeClock
) -> None:
    memory = open_with(Concepts(), merge_closeness=0.5)
    long_cold(memory, clock, f"{ONE}\nAnother line.", OTHER)
    assert suggested(memory) == []


def test_a_vector_made_mostly_of_the_turn_before_speaks_for_nobody(
    open_with: OpenWith, clock: FakeClock
) -> None:
    memory = open_with(Concepts(), merge_closeness=0.5)
    asked = "Which physician drives which automobile to which clinic, and is it a vehicle?"
    for answer in ("Anna.", "Bert."):
        clock.now += 7200
        memory.remember([{"role": "user", "content": text} for text in (asked, answer)]).result(
            PATIENCE
        )
    long_cold(memory, clock)
    assert suggested(memory) == [["mem_1", "mem_3"]]  # the questions, not the answers


def test_another_embedder_or_none_leaves_only_words(open_with: OpenWith, clock: FakeClock) -> None:
    memory = open_with(Concepts())
    long_cold(memory, clock, ONE, OTHER)
    assert suggested(memory)
    memory.close()
    without = open_with(None)
    clock.now += DAY
    assert without.tick(PATIENCE)
    assert suggested(without) == []
    without.close()
    other = open_with(Concepts("another", 16))
    assert other.flush(PATIENCE)
    clock.now += DAY
    assert other.tick(PATIENCE)
    assert suggested(other) == [["mem_1", "mem_2"]]  # its own vectors were made


def test_a_merge_of_paraphrases_says_both(open_with: OpenWith, clock: FakeClock) -> None:
    memory = open_with(Concepts())
    long_cold(memory, clock, ONE, OTHER)
    merged = memory.merges.make(suggested(memory)[0])
    assert ONE in merged.content
    assert OTHER in merged.content
    assert memory.merges() == []
