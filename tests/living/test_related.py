"""Related talk: what is talked of again is linked with what was said of it before."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel, run_passes, text_of
from storage.counting import counted

from wangchuan import Memory
from wangchuan.living import related, weave
from wangchuan.network.relating import MOST_LINKS
from wangchuan.storage.drawers.index import Index
from wangchuan.storage.drawers.nodes import Nodes
from wangchuan.types import Link

OLD = {
    "zh": "张伟负责支付接口，下周五之前要联调完。",
    "en": "Our Maria writes the onboarding guide for the new engineers.",
}
NEW = {
    "zh": "支付接口的签名要换，张伟说旧的不安全。",
    "en": "The onboarding guide lacks screenshots, Maria says.",
}
NAMED = {"zh": "相关", "en": "related"}
both = pytest.mark.parametrize("tongue", ["zh", "en"])


def say(memory: Memory, *lines: str) -> list[str]:
    return [memory.remember(line).result(PATIENCE)[-1] for line in lines]


def talk(memory: Memory, count: int = 6) -> None:
    """Something else, until what was said is not in focus; after 12, nothing there points at it."""
    say(memory, *(text_of(i, 40) for i in range(count)))


def links(memory: Memory, source: str, *names: str) -> dict[str, Link]:
    wanted = names or tuple(NAMED.values())
    return {li.target: li for li in memory.look.links(source) if li.relation in wanted}


@both
def test_old_and_new_are_linked_both_ways(open_memory: Open, tongue: str) -> None:
    memory = open_memory()
    (old,) = say(memory, OLD[tongue])
    talk(memory)
    scans = memory.explain(old).node.scan_count
    (new,) = say(memory, NEW[tongue])
    assert list(links(memory, new)) == [old]
    assert list(links(memory, old)) == [new]
    assert {li.relation for li in (*links(memory, new).values(), *links(memory, old).values())} == {
        NAMED[tongue]
    }
    assert 0.4 < links(memory, old)[new].strength <= 0.5  # whatever its age
    assert NAMED[tongue] in {li.relation for li in memory.explain(old).links}
    with memory._agent.store() as store, store.read() as tx:
        there = {li.target: li for li in tx.links.of(int(old[4:]))}[int(new[4:])]
        assert (there.strength, there.at_scan) == (0.5, scans)
    assert memory.look.faults() == []


def test_it_can_be_switched_off(open_memory: Open) -> None:
    memory = open_memory(related_links=0)
    say(memory, OLD["zh"])
    talk(memory)
    assert links(memory, say(memory, NEW["zh"])[0]) == {}


def test_what_is_in_focus_or_said_at_once_is_not_linked_again(open_memory: Open) -> None:
    memory = open_memory()
    say(memory, OLD["en"])
    assert links(memory, say(memory, NEW["en"])[0]) == {}
    talk(memory)
    first, second = memory.remember(f"{OLD['zh']}\n{NEW['zh']}").result(PATIENCE)
    assert links(memory, first) == links(memory, second) == {}


def test_the_same_again_is_a_memory_of_its_own_with_few_links(open_memory: Open) -> None:
    memory = open_memory(durability="normal")
    for _ in range(4):
        say(memory, OLD["en"])
        talk(memory)
    (new,) = say(memory, OLD["en"])
    assert list(links(memory, new)) == ["mem_1", "mem_8"]  # the oldest of them
    assert len(memory.nodes()) == 29


@pytest.mark.parametrize(
    "chatter",
    ["ok thanks", "Good morning, Maria!", "好的，谢谢", "明白了", "嗯嗯", "see you tomorrow"],
)
def test_small_talk_is_linked_with_nothing(open_memory: Open, chatter: str) -> None:
    memory = open_memory(durability="normal")
    say(memory, OLD["en"], OLD["zh"])
    for _ in range(3):
        (new,) = say(memory, chatter)
        assert links(memory, new) == {}
        talk(memory)


# what it does for a memory


@both
def test_what_is_being_talked_of_is_not_compressed_until_the_talk_moves_on(
    open_memory: Open, tongue: str
) -> None:
    memory = open_memory(durability="normal", decay_rate=0.9, strategy="every")
    (old,) = say(memory, OLD[tongue])
    talk(memory, 12)
    faded = fading(memory, old, OLD[tongue])
    say(memory, NEW[tongue])
    assert len(shown(memory, old)) <= len(faded)  # words that are gone do not come back
    held = shown(memory, old)
    run_passes(memory, 5)
    assert shown(memory, old) == held
    assert memory.explain(old).protections
    assert memory.look.faults() == []
    talk(memory, 12)
    left = memory.look.node(old)
    assert left is None or len(left.content) < len(held)
    assert memory.look.faults() == []


def fading(memory: Memory, node_id: str, text: str) -> str:
    """Let time go by until less is left of a text."""
    for _ in range(300):
        if len(left := shown(memory, node_id)) < len(text):
            return left
        run_passes(memory, 1)
    raise AssertionError(f"it does not fade: {left}")


def shown(memory: Memory, node_id: str) -> str:
    node = memory.look.node(node_id)
    assert node is not None
    return node.content


def test_what_is_talked_of_again_outlives_what_is_not(open_memory: Open) -> None:
    memory = open_memory(durability="normal", decay_rate=0.9, strategy="every")
    told, untold = say(memory, OLD["en"], "Tom waters the lemon trees in the yard on Sundays.")
    (chatter,) = say(memory, "good night then, see you all tomorrow, sleep well")
    for _ in range(4):
        talk(memory)
        say(memory, NEW["en"], "good night then, see you all tomorrow, sleep well")
    talk(memory, 12)
    for _ in range(200):
        alive = {node.id for node in memory.nodes()}
        if told not in alive or not {untold, chatter} & alive:
            break
        run_passes(memory, 1)
    assert told in alive
    assert not {untold, chatter} & alive


def test_looking_at_something_does_not_keep_it(open_memory: Open) -> None:
    memory = open_memory()
    (old,) = say(memory, OLD["en"])
    talk(memory)
    before = memory.look.links(old)
    memory.context("What about the onboarding guide, Maria?")
    memory.search("onboarding guide Maria")
    memory.recall(["Maria"]).result(PATIENCE)
    assert memory.look.links(old) == before
    say(memory, "What about the onboarding guide, Maria?")  # asked in a turn that is remembered
    assert len(memory.look.links(old)) == len(before) + 1


# no runaway


def test_one_topic_said_a_thousand_times_leaves_few_links(open_memory: Open) -> None:
    memory = open_memory(durability="normal", decay_rate=1.0)
    lines = [f"Our Maria rewrote page {i} of the onboarding guide." for i in range(1000)]
    for start in range(0, 1000, 50):
        memory.remember("\n".join(lines[start : start + 50]))
    assert memory.flush(10 * PATIENCE)
    held: Counter[int] = Counter()
    chosen: Counter[int] = Counter()
    with memory._agent.store() as store, store.read() as tx:
        for link in tx.rows.every("link"):
            if link.relation == "related":
                held[link.source] += 1
                chosen[link.source] += link.target < link.source
    assert chosen.total() > 20
    assert max(chosen.values()) <= 2
    assert max(held.values()) <= MOST_LINKS


def test_a_memory_that_many_links_hold_is_not_chosen_again(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weave, "MOST_LINKS", 8)  # of which the focus makes 5
    memory = open_memory(durability="normal", related_links=1, decay_rate=1.0)
    (old,) = say(memory, f"{OLD['en']} The guide is short.")
    for _ in range(6):
        talk(memory)
        say(memory, NEW["en"])
    assert len(links(memory, old)) == 3
    assert len(memory.look.links(old)) == 8


# models


def relating(name: str, asked: list[Any]) -> Any:
    def answer(ask: Any) -> Any:
        asked.append(ask)
        found = LineModel()._digest(ask.data)
        for segment in found["segments"]:
            segment["relations"] += [name] * len(ask.data["related"])
        return found

    return answer


@both
def test_a_model_is_shown_what_is_related_and_names_it(open_memory: Open, tongue: str) -> None:
    asked: list[Any] = []
    memory = open_memory(model=LineModel(digest=[relating("原因", asked)] * 99))
    (old,) = say(memory, OLD[tongue])
    talk(memory)
    (new,) = say(memory, NEW[tongue])
    assert asked[0].data["related"] == []
    assert asked[-1].data["related"] == [OLD[tongue]]
    assert OLD[tongue] in asked[-1].prompt
    assert OLD[tongue] not in [item["content"] for item in asked[-1].data["focus"]]
    assert len(asked) == 8  # one question each
    assert list(links(memory, new, "原因")) == [old]
    assert list(links(memory, old, "原因")) == [new]
    assert memory.history.replay().differences == ()


@pytest.mark.parametrize("name", ["无关", "unrelated"])
def test_a_model_may_say_that_it_is_not_related(open_memory: Open, name: str) -> None:
    memory = open_memory(model=LineModel(digest=[relating(name, [])] * 99))
    (old,) = say(memory, OLD["en"])
    talk(memory)
    (new,) = say(memory, NEW["en"])
    assert old not in {li.target for li in memory.look.links(new)}


def test_a_name_that_nobody_said_is_not_taken(open_memory: Open) -> None:
    memory = open_memory(model=LineModel(digest=[relating("zanzibar", [])] * 99))
    (old,) = say(memory, OLD["en"])
    talk(memory)
    assert list(links(memory, say(memory, NEW["en"])[0])) == [old]


# the past


def test_a_replay_comes_to_the_same_and_tells_what_would_be_without(open_memory: Open) -> None:
    memory = open_memory(durability="normal", decay_rate=0.9, strategy="every")
    say(memory, OLD["en"])
    for _ in range(3):
        talk(memory)
        say(memory, NEW["en"])
    found = memory.history.replay()
    assert (found.differences, found.gaps, found.skipped) == ((), (), 0)
    without = memory.history.replay(related_links=0)
    assert without.curve[-1].importance < without.was[-1].importance


def test_a_replay_finds_what_would_have_been_related(open_memory: Open) -> None:
    memory = open_memory(durability="normal", decay_rate=0.9, related_links=0)
    say(memory, OLD["en"])
    for _ in range(3):
        talk(memory)
        say(memory, NEW["en"])
    found = memory.history.replay(related_links=2)
    assert found.curve[-1].importance > found.was[-1].importance


def test_undoing_leaves_the_links_as_they_were(open_memory: Open) -> None:
    memory = open_memory()
    (old,) = say(memory, OLD["zh"])
    talk(memory)
    (new,) = say(memory, NEW["zh"])
    before = memory.look.links(old), memory.look.links(new)
    memory.forget(old)
    assert links(memory, new)[old].dangling
    memory.undo(memory.history.latest(1)[0].seq)
    assert (memory.look.links(old), memory.look.links(new)) == before
    assert memory.look.faults() == []
    assert memory.history.replay().differences == ()


# erasing


@pytest.mark.parametrize("which", [0, 1])
def test_erasing_one_takes_the_name_of_the_link_from_the_other(
    open_memory: Open, which: int
) -> None:
    memory = open_memory(model=LineModel(digest=[relating("guide", [])] * 99))
    (old,) = say(memory, OLD["en"])
    talk(memory)
    (new,) = say(memory, NEW["en"])
    assert list(links(memory, new, "guide")) == [old]
    receipt = memory.erase((old, new)[which])
    assert receipt.remains == ()
    assert links(memory, (new, old)[which], "guide") == {}
    with memory._agent.store() as store, store.read() as tx:
        told = [e.detail for e in tx.rows.every("entry") if e.kind == "remembered"]
        assert not any("guide" in detail for detail in told)
    assert memory.look.faults() == []
    assert memory.history.replay().differences == ()


def test_a_memory_that_took_a_word_from_what_it_was_shown_goes_with_it(open_memory: Open) -> None:
    def resolved(ask: Any) -> Any:
        found = LineModel()._digest(ask.data)
        for segment in found["segments"]:
            segment["text"] = segment["text"].replace("She", "Wilhelmina")
        return found

    memory = open_memory(model=LineModel(digest=[resolved] * 99))
    (old,) = say(memory, "Wilhelmina writes the onboarding guide for new engineers.")
    talk(memory)
    (new,) = say(memory, "She says the onboarding guide lacks a page for engineers.")
    assert shown(memory, new).startswith("Wilhelmina")
    assert memory.erase(old).nodes == (old, new)


# the cost


def test_the_cost_does_not_grow_with_what_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Counter[str] = Counter()
    for kind, name in ((Index, "postings_of"), (Nodes, "living_from")):
        monkeypatch.setattr(kind, name, _noting(getattr(kind, name), read))
    costs = {}
    for size in (150, 600):
        settings = {"learn": False, "durability": "normal", "decay_rate": 1.0}
        with (
            counted() as found,
            Memory.open(
                f"of{size}", root=tmp_path, settings=settings, model=LineModel(), clock=FakeClock()
            ) as memory,
        ):
            every = 10  # a message in so many is of the topic, however many there are
            lines = [NEW["en"] if i % every == 0 else text_of(i, 30) for i in range(size)]
            memory.remember([{"role": "user", "content": line} for line in lines])
            assert memory.flush(PATIENCE)
            found.clear()
            read.clear()
            say(memory, "Maria and Boris read the onboarding guide in the Geneva office.")
            costs[size] = found.total()
            assert 0 < read["postings_of"] <= related.MOST_TERMS * related.POSTINGS
            assert read["living_from"] <= related.MOST_NODES
    assert costs[600] <= costs[150] + 5
    assert costs[600] <= 120


def _noting(method: Any, read: Counter[str]) -> Any:
    def noted(*given: Any, **named: Any) -> Any:
        found = method(*given, **named)
        read[method.__name__] += sum(len(one) if isinstance(one, list) else 1 for one in found)
        return found

    return noted
