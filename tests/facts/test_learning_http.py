"""Learning with models over real HTTP that fail, lie or talk nonsense: nothing is changed by them,
nothing is lost, and remembering and recalling go on as if they were not there."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from faults import FAULTS, Answer, Handler, Server, data_of, routine_of, segment
from stage import PATIENCE, FakeClock, settles

from wangchuan import Memory
from wangchuan.facts.records import Learned

KNOWN = ("The user lives in Berlin", "主人喜欢寿司")
SAID = ["I am allergic to peanuts.", "我住在上海，喜欢寿司。", "It rains in Berlin."]
READ = ["主人住在上海", "The user is allergic to peanuts"]  # what the rules read there
Talk = Callable[..., Memory]


@pytest.fixture
def talk(talk: Talk) -> Talk:
    """Open memories that learn."""
    return partial(talk, learn=True)


def faithful(request: Handler) -> None:
    """Digest word for word, observe nothing, sum up with the first words."""
    data = data_of(request)
    answers: dict[str, Callable[[], Any]] = {
        "digest": lambda: {
            "segments": [
                segment(m["content"], message=i, keywords=[], relations=["关于"] * 9)
                for i, m in enumerate(data["messages"])
            ]
        },
        "compress": lambda: {"texts": [{"content": d["text"][: d["length"]]} for d in data]},
        "observe": lambda: {"operations": ["[SKIP]"]},
        "summarise": lambda: {"summary": data[0]["said"][:30]},
        "review": lambda: {"thought": "", "decision": "[KEEP]"},
    }
    request.say(json.dumps(answers[routine_of(request)]()))


def with_fault(fault: Answer, *routines: str) -> Answer:
    """Answer faithfully, except some routines."""
    return lambda request: (fault if routine_of(request) in routines else faithful)(request)


def known(memory: Memory) -> list[str]:
    with memory._agent.store() as store, store.write() as tx:
        for text in KNOWN:
            memory._agent.facts.add(tx, Learned(text))
    return [fact.id for fact in memory.facts()]


def segments_of(memory: Memory) -> list[str]:
    return [node.content for node in memory.nodes() if node.kind == "segment"]


def failed(memory: Memory) -> threading.Event:
    event = threading.Event()
    memory.on("failed", lambda _: event.set())
    return event


@pytest.mark.parametrize("name", FAULTS)
def test_whatever_an_observer_and_a_summariser_do_nothing_is_lost(
    name: str, server: Server, talk: Talk, clock: FakeClock
) -> None:
    outcome, fault = FAULTS[name]
    server.answer = with_fault(fault, "observe", "summarise")
    memory = talk(working_messages=2, episode_messages=2)
    known(memory)
    before = memory.facts()
    trouble = failed(memory)
    receipt = memory.remember([{"role": "user", "content": text} for text in SAID])
    assert len(receipt.result(PATIENCE)) == 3  # remembering does not wait for learning
    assert memory.recall(["peanuts"]).result(PATIENCE) == f"[记忆] {SAID[0]}"
    assert trouble.wait(PATIENCE)
    if outcome == "down":
        assert memory.facts() == before
        assert memory.facts.episodes() == []
        assert len(memory.look.working()) == 3
        assert memory.stats().pending >= 1
        server.answer = faithful
    assert settles(memory, clock)
    assert segments_of(memory) == SAID
    found = [fact.text for fact in memory.facts()]
    assert all(fact in memory.facts() or fact.text == KNOWN[1] for fact in before)
    quiet = outcome == "down" or name == "no segments"  # an empty list says: nothing to do
    assert sorted(found) == sorted([*KNOWN, *([] if quiet else READ)])
    (episode,) = memory.facts.episodes()
    assert len(episode.sources) == 2
    assert len(memory.look.working()) == 1
    assert memory.look.faults() == []


LIES = {
    "ids it was never shown": ["[DELETE:mem_77]", "[BOOST:mem_78]"],
    "facts nobody told": ["[ADD] The user owns a yacht in Monaco and three villas"],
    "a correction nobody made": ["[UPDATE:{0}] The user owns a yacht in Monaco and three villas"],
    "facts with a message named": [{"line": "[ADD] The owner owes 500 euros", "message": 0}],
    "numbers": ["[BOOST:{0}:+99]", "[SET:{0}:3.0]"],
    "everything at once": ["[DELETE:*]", "[DELETE:mem_1,mem_2]"],
    "another notation": ["ADD The user likes rain", "{{DELETE:{0}}}", "/delete {0}"],
    "its own schema": ["string"],
    "prose": ["The user seems nice.", "Nothing to do here."],
}


@pytest.mark.parametrize("name", LIES)
def test_an_observer_that_lies_changes_no_fact(name: str, server: Server, talk: Talk) -> None:
    memory = talk()
    first = known(memory)[0]
    before = memory.facts()
    lines = json.loads(json.dumps(LIES[name]).replace("{0}", first))
    answer = json.dumps({"operations": lines})
    server.answer = with_fault(lambda request: request.say(answer), "observe")
    memory.remember("It rains in Berlin.").result(PATIENCE)
    assert memory.flush(PATIENCE)
    assert memory.facts() == before
    assert segments_of(memory) == ["It rains in Berlin."]


@pytest.mark.parametrize("name", LIES)
def test_and_the_rules_read_in_its_place(name: str, server: Server, talk: Talk) -> None:
    memory = talk()
    answer = json.dumps({"operations": LIES[name]})
    server.answer = with_fault(lambda request: request.say(answer), "observe")
    memory.remember("我住在上海。").result(PATIENCE)
    assert memory.flush(PATIENCE)
    assert [fact.text for fact in memory.facts()] == ["主人住在上海"]


def test_a_useless_observer_is_asked_twice(server: Server, talk: Talk, clock: FakeClock) -> None:
    server.answer = with_fault(lambda request: request.say('{"operations": ["hm"]}'), "observe")
    memory = talk(max_retries=15)
    memory.remember("我住在上海。").result(PATIENCE)
    assert settles(memory, clock)
    assert [fact.text for fact in memory.facts()] == ["主人住在上海"]
    assert memory.stats().usage["observe"].calls == 2


def test_the_notation_of_the_document_comes_through_the_wire_as_it_stands(
    server: Server, talk: Talk
) -> None:
    answer = "主人提到了家和猫。\n[ADD] 主人住在上海\n【ADD】主人有猫"
    server.answer = with_fault(lambda request: request.say(answer), "observe")
    memory = talk()
    memory.remember("我住在上海，家里有猫。").result(PATIENCE)
    assert memory.flush(PATIENCE)
    assert sorted(fact.text for fact in memory.facts()) == ["主人住在上海", "主人有猫"]


def test_remembering_and_recalling_go_on_while_an_observer_is_silent(
    server: Server, talk: Talk
) -> None:
    go = threading.Event()
    server.answer = with_fault(lambda request: (go.wait(PATIENCE), faithful(request))[0], "observe")
    memory = talk(worker_timeout_ms=60_000, recall_patience=0.2)
    try:
        memory.remember("the first words").result(PATIENCE)
        while not any("dialogue" in json.dumps(asked) for asked in server.requests):
            threading.Event().wait(0.01)
        assert memory.remember("the second words").status == "accepted"
        assert "second" in memory.recall(["second"]).result(PATIENCE)
        assert "second" in memory.context("second words").result(PATIENCE)
        assert memory.search("second").result(PATIENCE)[0].text == "the second words"
    finally:
        go.set()
    assert memory.flush(PATIENCE)
    assert segments_of(memory) == ["the first words", "the second words"]


def test_one_call_to_digest_and_one_to_observe_per_turn(server: Server, talk: Talk) -> None:
    server.answer = faithful
    memory = talk()
    for i in range(5):
        memory.remember([
            {"role": "user", "content": f"word {i}"}, {"role": "assistant", "content": "yes"},
        ]).result(PATIENCE)  # fmt: skip
        assert memory.flush(PATIENCE)
    usage = memory.stats().usage
    assert (usage["digest"].calls, usage["observe"].calls) == (5, 5)
    assert "summarise" not in usage


def test_a_spent_budget_goes_on_learning_offline(server: Server, talk: Talk) -> None:
    server.answer = faithful
    memory = talk(model_calls_per_day=1)
    memory.remember("我住在上海。").result(PATIENCE)
    assert memory.flush(PATIENCE)
    assert len(server.requests) == 1
    assert [fact.text for fact in memory.facts()] == ["主人住在上海"]


def test_a_good_observer_over_http_corrects(server: Server, talk: Talk) -> None:
    def observe(request: Handler) -> None:
        shown = data_of(request)["memories"]
        old = next(m for m in shown if "Berlin" in m).partition("]")[0][1:]
        request.say(json.dumps({"operations": [f"[UPDATE:{old}] The user lives in Lyon"]}))

    server.answer = with_fault(observe, "observe")
    memory = talk()
    known(memory)
    memory.remember("We left Berlin; home is Lyon now.").result(PATIENCE)
    assert memory.flush(PATIENCE)
    (new,) = memory.facts("Lyon")
    assert [fact.text for fact in memory.facts.history(new.id)] == [
        "The user lives in Lyon",
        "The user lives in Berlin",
    ]


@pytest.mark.parametrize("name", ["chatter", "no content", "HTTP 500", "a reset"])
def test_a_reviewer_that_fails_deletes_nothing(
    name: str, server: Server, talk: Talk, clock: FakeClock
) -> None:
    outcome, fault = FAULTS[name]
    server.answer = with_fault(fault, "review")
    memory = talk()
    known(memory)
    clock.now += 29 * 86_400
    assert memory.facts.age(2) == (outcome != "down")
    assert len(memory.facts()) == 2
    server.answer = faithful
    assert settles(memory, clock)
    assert len(memory.facts()) == 2
