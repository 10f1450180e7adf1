"""The working memory and its episodes: thirty messages at hand, the older ones summed up."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock, LineModel, run_passes, settles

from wangchuan import Memory
from wangchuan.errors import ModelError

DATED = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d\] ")


def say(memory: Memory, count: int, first: int = 1) -> None:
    """Say so many messages, one remember each."""
    for i in range(first, first + count):
        memory.remember({"role": "user", "content": f"第{i}件事是花园", "id": f"m{i}"})
    assert memory.flush(PATIENCE)


def ids(memory: Memory) -> list[str | None]:
    return [message.id for message in memory.look.working()]


def numbered(first: int, last: int) -> list[str]:
    return [f"m{i}" for i in range(first, last + 1)]


@pytest.fixture
def learner(open_memory: Open) -> Memory:
    return open_memory(learn=True, durability="normal")


def test_thirty_messages_are_all_at_hand_and_make_no_episode(learner: Memory) -> None:
    say(learner, 30)
    assert ids(learner) == numbered(1, 30)
    assert learner.facts.episodes() == []


def test_the_thirty_first_sums_up_the_oldest_sixteen(learner: Memory) -> None:
    say(learner, 31)
    (episode,) = learner.facts.episodes()
    assert list(episode.sources) == numbered(1, 16)
    assert ids(learner) == numbered(17, 31)
    assert (episode.kind, episode.topic, episode.weight) == ("episode", "memory", 1.0)
    assert (episode.source, episode.verified) == ("background_ai", False)
    assert learner.look.faults() == []


def test_every_sixteen_messages_more_make_another_one_and_none_is_in_two(learner: Memory) -> None:
    say(learner, 46)
    assert len(learner.facts.episodes()) == 1
    say(learner, 1, first=47)
    assert [list(e.sources) for e in reversed(learner.facts.episodes())] == [
        numbered(1, 16),
        numbered(17, 32),
    ]
    assert ids(learner) == numbered(33, 47)


def test_a_hundred_messages_at_once_leave_no_more_than_thirty(learner: Memory) -> None:
    learner.remember([{"role": "user", "content": f"事情{i}", "id": f"m{i}"} for i in range(100)])
    assert learner.flush(PATIENCE)
    sources = [source for e in reversed(learner.facts.episodes()) for source in e.sources]
    assert sources == [f"m{i}" for i in range(80)]
    assert ids(learner) == [f"m{i}" for i in range(80, 100)]


def test_the_sizes_are_settings(open_memory: Open) -> None:
    memory = open_memory(learn=True, working_messages=4, episode_messages=3)
    say(memory, 5)
    assert [list(e.sources) for e in memory.facts.episodes()] == [numbered(1, 3)]
    assert ids(memory) == numbered(4, 5)


def test_roles_and_names_are_kept_in_the_working_memory(learner: Memory, clock: FakeClock) -> None:
    learner.remember([
        {"role": "user", "name": "Ann", "content": "hello", "timestamp": 5.0},
        {"role": "assistant", "content": "hi"},
    ])  # fmt: skip
    first, second = learner.look.working()
    assert (first.role, first.name, first.content, first.timestamp) == ("user", "Ann", "hello", 5.0)
    assert (second.role, second.id, second.timestamp) == ("assistant", "msg_2", clock.now)


# a summariser that fails


def test_while_the_summariser_is_down_nothing_leaves_and_later_it_is_asked_again(
    learner: Memory, model: LineModel, clock: FakeClock
) -> None:
    model.script["summarise"] = [ModelError("down")]
    for i in range(1, 32):
        learner.remember({"role": "user", "content": f"第{i}件事", "id": f"m{i}"}).result(PATIENCE)
    assert not learner.flush(0.2)
    assert learner.facts.episodes() == []
    assert ids(learner) == numbered(1, 31)
    assert model.asked.count("summarise") == 1
    learner.remember({"role": "user", "content": "第32件事", "id": "m32"}).result(PATIENCE)
    assert ids(learner) == numbered(1, 32)
    assert settles(learner, clock)
    assert [list(e.sources) for e in learner.facts.episodes()] == [numbered(1, 16)]
    assert ids(learner) == numbered(17, 32)


def test_a_backlog_is_summed_up_piece_by_piece(
    learner: Memory, model: LineModel, clock: FakeClock
) -> None:
    model.script["summarise"] = [ModelError("down")] * 3
    for i in range(1, 81):
        learner.remember({"role": "user", "content": f"第{i}件事", "id": f"m{i}"}).result(PATIENCE)
    assert settles(learner, clock)
    assert [len(e.sources) for e in learner.facts.episodes()] == [16] * 4
    assert ids(learner) == numbered(65, 80)


@pytest.mark.parametrize(
    "answer", [{"summary": ""}, {"summary": "   "}, {}, [], 5, "", {"summary": "聊了"}]
)
def test_an_empty_summary_is_none_and_the_offline_one_takes_its_place(
    open_memory: Open, model: LineModel, answer: Any
) -> None:
    memory = open_memory(learn=True, max_retries=0)
    model.script["summarise"] = [answer]
    say(memory, 31)
    (episode,) = memory.facts.episodes()
    assert re.match("聊了.*花园", DATED.sub("", episode.text))
    assert len(episode.sources) == 16


def test_a_summary_of_what_nobody_said_is_not_stored(open_memory: Open, model: LineModel) -> None:
    memory = open_memory(learn=True, max_retries=0)
    model.script["summarise"] = [{"summary": "聊了主人在摩纳哥买游艇"}]
    say(memory, 31)
    (episode,) = memory.facts.episodes()
    assert "花园" in episode.text
    assert "摩纳哥" not in episode.text


def test_a_restart_loses_nothing_and_goes_on(
    open_memory: Open, model: LineModel, clock: FakeClock
) -> None:
    memory = open_memory(learn=True)
    model.script["summarise"] = [ModelError("down")] * 99
    for i in range(1, 41):
        memory.remember({"role": "user", "content": f"第{i}件事", "id": f"m{i}"}).result(PATIENCE)
    memory.close()
    again = open_memory(learn=True)
    assert ids(again) == numbered(1, 40)
    model.script["summarise"] = []
    assert settles(again, clock)
    assert [list(e.sources) for e in again.facts.episodes()] == [numbered(1, 16)]
    assert ids(again) == numbered(17, 40)
    again.close()
    assert ids(open_memory(learn=True)) == numbered(17, 40)


def test_messages_leave_only_with_the_transaction_that_stores_their_episode(
    learner: Memory, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = learner._agent.facts
    stored = facts.add

    def fail(*_: Any) -> int:
        monkeypatch.setattr(facts, "add", stored)
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(facts, "add", fail)
    for i in range(1, 32):
        learner.remember({"role": "user", "content": f"第{i}件事", "id": f"m{i}"}).result(PATIENCE)
    assert not learner.flush(0.2)
    assert ids(learner) == numbered(1, 31)
    assert learner.facts.episodes() == []
    assert settles(learner, clock)
    assert ids(learner) == numbered(17, 31)
    assert len(learner.facts.episodes()) == 1


# what an episode says

TALKS = {
    "zh": ("我们在花园里种了番茄", "聊了", r"聊了.*番茄"),
    "en": ("We planted tomatoes in the garden", "talked about ", r"talked about .*tomatoes"),
}


@pytest.mark.parametrize("tongue", sorted(TALKS))
def test_an_episode_says_when_and_what_in_the_language_of_the_talk(
    open_memory: Open, model: LineModel, tongue: str
) -> None:
    said, opening, expected = TALKS[tongue]
    memory = open_memory(learn=True, working_messages=2, episode_messages=2)
    at = datetime(2026, 3, 5, 14, 30).timestamp()  # by the local clock
    memory.remember([{"role": "user", "content": said, "timestamp": at + i} for i in range(3)])
    assert memory.flush(PATIENCE)
    (episode,) = memory.facts.episodes()
    assert episode.text.startswith(f"[2026-03-05 14:30] {opening}")
    assert re.fullmatch(r"\[2026-03-05 14:30\] " + expected, episode.text)
    assert "\n" not in episode.text


@pytest.mark.parametrize("tongue", sorted(TALKS))
def test_the_offline_model_sums_up_too(open_memory: Open, tongue: str, clock: FakeClock) -> None:
    from wangchuan.models.offline import OfflineModel

    said, _, expected = TALKS[tongue]
    memory = open_memory(
        learn=True, working_messages=2, episode_messages=2, model=OfflineModel(), clock=clock
    )
    memory.remember([said, said, said])
    assert memory.flush(PATIENCE)
    (episode,) = memory.facts.episodes()
    assert DATED.match(episode.text)
    assert re.search(expected, episode.text)


def test_a_conversation_of_blanks_is_left_behind_without_an_episode(learner: Memory) -> None:
    learner.remember([{"role": "user", "content": " \n"} for _ in range(31)])
    assert learner.flush(PATIENCE)
    assert learner.facts.episodes() == []
    assert len(learner.look.working()) == 15


def test_a_date_beyond_all_calendars_does_not_stop_episodes(open_memory: Open) -> None:
    memory = open_memory(learn=True, working_messages=2, episode_messages=2)
    memory.remember([{"role": "user", "content": "很久以后", "timestamp": 9.9e14}] * 3)
    assert memory.flush(PATIENCE)
    (episode,) = memory.facts.episodes()
    assert episode.text.startswith("[9999-")
    assert memory.stats().failed == 0


# finding them again


@pytest.fixture
def talked(open_memory: Open, clock: FakeClock) -> Memory:
    """Two episodes: of tomatoes, then of the ferry."""
    memory = open_memory(learn=True, working_messages=2, episode_messages=2, durability="normal")
    memory.remember(
        ["我们在花园里种了番茄", "番茄要每天浇水", "渡船八点半开", "渡船票要提前买", "嗯"]
    )
    clock.now += 86_400
    memory.remember(["好的"])
    assert memory.flush(PATIENCE)
    assert len(memory.facts.episodes()) == 2
    return memory


def test_episodes_are_found_by_what_they_are_about(talked: Memory) -> None:
    (found,) = talked.facts.episodes("番茄的事")
    assert "番茄" in found.text
    (hit,) = talked.search("渡船", kinds=["episode"]).result(PATIENCE)
    assert "渡船" in hit.text
    assert len(hit.sources) == 2
    assert talked.facts.episodes("量子力学") == []


@pytest.mark.parametrize(
    "query",
    ["上次聊了什么", "What did we talk about last time?"],
)
def test_asked_what_there_was_lately_the_context_tells_the_last_episodes(
    talked: Memory, query: str
) -> None:
    block = talked.context(query).result(PATIENCE)
    assert "番茄" in block
    assert "渡船" in block
    assert block.index("渡船") < block.index("番茄")  # the newest first


def test_asked_about_a_day_the_context_tells_that_day(talked: Memory) -> None:
    block = talked.context("昨天聊了什么").result(PATIENCE)
    assert block.index("番茄") < block.index("渡船")  # as it went
    assert talked.context("前天聊了什么").result(PATIENCE) == ""
    assert talked.context("刚才我们说到哪儿了").result(PATIENCE) == ""  # today there was only a nod


def test_an_episode_stands_outside_the_network(talked: Memory) -> None:
    for episode in talked.facts.episodes():
        assert talked.look.links(episode.id) == []
        assert episode.id not in [node.id for node in talked.look.focus()]
    assert "[20" not in talked.recall([]).result(PATIENCE)
    before = talked.facts.episodes()
    run_passes(talked, 200)
    assert talked.facts.episodes() == before
    assert talked.look.faults() == []
