"""Search and what was forgotten: left out, or found when asked for, and marked."""

from __future__ import annotations

from conftest import Open
from finding.test_search import apart, found, remember, texts
from stage import FakeClock, run_passes

from wangchuan import Memory
from wangchuan.language.terms import terms


def test_what_was_forgotten_is_found_only_when_asked_for_and_can_be_restored(
    memory: Memory,
) -> None:
    remember(memory, "The red bicycle is in the cellar")
    memory.forget("mem_1")
    assert found(memory, "bicycle") == []
    (hit,) = found(memory, "bicycle", forgotten=True)
    assert hit.lost == "forgotten"
    assert hit.node is not None
    assert (hit.node.id, hit.sources[0].content) == ("mem_1", "The red bicycle is in the cellar")
    memory.restore(hit.node.id)
    (again,) = found(memory, "bicycle")
    assert (again.node.id if again.node else None, again.lost) == ("mem_1", None)
    assert found(memory, "bicycle", forgotten=True)[0].lost is None


def test_what_faded_away_is_found_only_when_asked_for(open_memory: Open, clock: FakeClock) -> None:
    memory = open_memory(strategy="every", decay_rate=0.5, focus_limit=1)
    apart(clock, memory, "The red bicycle is in the cellar", "Something else", "And more")
    run_passes(memory, 12)
    assert memory.look.node("mem_1") is None
    assert found(memory, "bicycle") == []
    (hit, *_) = found(memory, "bicycle", forgotten=True)
    assert (hit.lost, hit.sources[0].content) == ("forgotten", "The red bicycle is in the cellar")
    memory.restore("mem_1")
    assert found(memory, "bicycle")[0].lost is None


LONG = (
    "Yesterday the plumber came about the leaking radiator, then we drove to the aquarium, where"
    " Biscuit barked at the octopus, and in the evening grandma phoned about the inheritance."
)


def half_faded(open_memory: Open) -> tuple[Memory, set[str], set[str]]:
    """A memory in which one text has lost words: it, the words kept, the words dropped."""
    memory = open_memory(strategy="every", decay_rate=0.8, focus_limit=1)
    remember(memory, LONG, "Something else entirely", "And more")
    for _ in range(20):
        run_passes(memory, 1)
        with memory._agent.store() as store, store.read() as tx:
            record = tx.nodes.get(1)
        assert record is not None
        left = set(terms(record.text))
        if record.content is not None and left:
            return memory, left, set(terms(LONG)) - left
    raise AssertionError("it never faded")


def test_dropped_words_are_found_only_when_asked_for_and_marked(open_memory: Open) -> None:
    memory, kept, dropped = half_faded(open_memory)
    assert kept
    assert dropped
    for word in kept:
        assert found(memory, word)[0].lost is None
        assert found(memory, word, forgotten=True)[0].lost is None
    for word in dropped:
        assert LONG not in texts(memory, word)
        (hit, *_) = found(memory, word, forgotten=True)
        assert (hit.lost, hit.sources[0].content) == ("faded", LONG)
        assert hit.node is not None
        assert word not in terms(hit.node.content)


def test_a_part_that_was_forgotten_is_not_found_through_the_part_that_was_not(
    memory: Memory,
) -> None:
    remember(memory, "The cat is called Momo\nThe dog is called Rex")
    memory.forget("mem_2")
    assert found(memory, "dog") == []
    (hit,) = found(memory, "cat")
    assert hit.node is not None
    assert (hit.node.id, hit.lost) == ("mem_1", None)
    (hit,) = found(memory, "dog", forgotten=True)
    assert hit.lost == "forgotten"
    assert hit.node is not None
    assert hit.node.id == "mem_2"


def test_what_is_alive_is_found_behind_any_number_of_forgotten_matches(
    memory: Memory, clock: FakeClock
) -> None:
    apart(clock, memory, "The bicycle, among many other things that were said, is red")
    remember(memory, [f"bicycle n{n}" for n in range(60)])
    for n in range(2, 62):
        memory.forget(f"mem_{n}")
    assert texts(memory, "bicycle", limit=1) == [
        "The bicycle, among many other things that were said, is red"
    ]


def test_the_limit_is_filled_past_what_was_forgotten(memory: Memory, clock: FakeClock) -> None:
    apart(clock, memory, *[f"bicycle n{n}" for n in range(30)])
    for n in range(30, 22, -1):
        memory.forget(f"mem_{n}")  # of the ten best, eight
    assert texts(memory, "bicycle") == [f"bicycle n{n}" for n in range(21, 11, -1)]


def test_a_single_character_is_not_lost_while_a_word_that_begins_with_it_is_left(
    open_memory: Open, clock: FakeClock
) -> None:
    memory = open_memory(strategy="every", decay_rate=0.8, focus_limit=1)
    said = "猫咪喜欢在窗台上晒太阳，下午总是睡得很香，晚上又跑来跑去。"
    apart(clock, memory, said, "别的事情", "另外的事情")
    for _ in range(20):
        run_passes(memory, 1)
        with memory._agent.store() as store, store.read() as tx:
            record = tx.nodes.get(1)
        assert record is not None
        if record.content is not None:
            break
    assert "猫咪" in terms(record.text)
    assert "猫" not in terms(record.text)
    (hit,) = found(memory, "猫")
    assert (hit.lost, hit.sources[0].content) == (None, said)
