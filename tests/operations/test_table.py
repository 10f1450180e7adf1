"""The table of operations: what it says of each, and that what comes back is what was meant."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from stage import PATIENCE, LineModel

from wangchuan import Host, Memory
from wangchuan.errors import InvalidInput, NotAllowed, NotFound
from wangchuan.faces.facts import KnownFacts
from wangchuan.faces.history import History
from wangchuan.faces.jobs import Jobs
from wangchuan.faces.look import Look
from wangchuan.faces.merges import Merges
from wangchuan.faces.remembering import Remembering
from wangchuan.notebook.book import Notebook
from wangchuan.operations.operation import Page
from wangchuan.operations.rights import OWNER, RIGHTS, Principal, authorise
from wangchuan.operations.running import Runner
from wangchuan.operations.table import TABLE, found
from wangchuan.operations.viewing import Standing
from wangchuan.pending import Pending

FACES = {
    "facts": KnownFacts,
    "history": History,
    "jobs": Jobs,
    "look": Look,
    "merges": Merges,
    "notebook": Notebook,
}


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    with Host(tmp_path, model=LineModel()) as host:
        runner = Runner(host, most_open=2)
        yield runner
        runner.close()


def done(
    runner: Runner, name: str, agent: str | None = "a", who: Principal = OWNER, **given: Any
) -> Any:
    value = runner.run(TABLE[name], who, agent, given)
    return value.result(PATIENCE) if isinstance(value, Pending) else value


def told(runner: Runner, agent: str = "a", text: str = "The tea is green.") -> list[str]:
    receipt = done(runner, "remember", agent, messages=text)
    return list(done(runner, "job", agent, job_id=receipt.id, timeout=30.0).nodes)


@pytest.mark.parametrize("name", TABLE)
def test_every_operation_says_when_to_call_it_and_has_models(name: str) -> None:
    operation = TABLE[name]
    assert operation.when.startswith("Call this")
    assert operation.when.endswith(".")
    assert operation.right in RIGHTS
    assert operation.takes.model_json_schema()["additionalProperties"] is False
    if operation.result is not bytes:
        assert operation.gives.json_schema(mode="serialization")


def test_routes_are_all_different() -> None:
    assert len({(one.verb, one.path) for one in TABLE.values()}) == len(TABLE)


def method_of(path: str) -> Any:
    first, _, rest = path.partition(".")
    if first in FACES:
        return attrgetter(rest)(FACES[first]) if rest else FACES[first].__call__
    return getattr(Memory, first)


@pytest.mark.parametrize("name", [name for name, one in TABLE.items() if one.method])
def test_what_it_takes_is_called_as_the_method_calls_it(name: str) -> None:
    method = method_of(str(TABLE[name].method))
    if isinstance(method, property) or name == "replay":  # read, or free settings
        return
    named = set(inspect.signature(method).parameters) - {"self", "counter"}  # code is not sent
    assert set(TABLE[name].takes.model_fields) - {"cursor", "limit"} <= named
    assert named <= set(TABLE[name].takes.model_fields)


def test_answers_in_json_are_read_as_what_they_were(runner: Runner) -> None:
    (node,) = told(runner)
    fact = done(runner, "facts.add", text="Rex is a dog")
    given: dict[str, dict[str, Any]] = {
        "search": {"query": "tea"},
        "context": {"query": "tea"},
        "recall": {"keywords": ["tea"]},
        "facts": {},
        "facts.history": {"node_id": fact.id},
        "facts.saying": {"text": "Rex is a dog"},
        "nodes": {"limit": 1},
        "node": {"node_id": node},
        "explain": {"node_id": node},
        "history": {"node_id": node},
        "messages": {"node_id": node},
        "network": {},
        "stats": {},
        "jobs": {},
        "changes": {},
        "erase.preview": {"node_id": node},
        "forget": {"node_id": node},
        "forgotten": {},
        "tick": {},
    }
    for name, arguments in given.items():
        value = done(runner, name, **arguments)
        expected = Page(value) if isinstance(value, list) else value
        assert TABLE[name].read(TABLE[name].answered(value)) == expected, name


def test_people_who_look_see_how_a_memory_stands_stood_and_will(runner: Runner) -> None:
    (node,) = told(runner)
    lives = done(runner, "standing", node_id=node)
    assert (lives.lives.node.id, lives.gone) == (node, None)
    made = lives.lives.node.created_at
    assert done(runner, "then", node_id=node, at=made + 1).node.content == "The tea is green."
    assert done(runner, "then", node_id=node, at=made - 9).node is None
    course = done(runner, "course", node_id=node)
    assert (course.now, course.length) == (1, len("The tea is green."))
    assert course.stands[0].passes <= course.now <= course.stands[-1].passes
    done(runner, "forget", node_id=node)
    gone = done(runner, "standing", node_id=node)
    assert (gone.lives, gone.gone.reason) == (None, "on request")
    entry = done(runner, "journal").items[0]
    assert (entry.kind, entry.node, entry.text) == ("forgotten", node, "The tea is green.")
    assert entry.undo.effects
    assert gone.gone.original == "The tea is green."
    assert done(runner, "standing", node_id="mem_99") == Standing(None, None)
    own = done(runner, "journal", node=node, limit=1)
    assert own.items == [entry]
    assert done(runner, "journal", cursor=own.next).items[0].kind == "remembered"
    assert [one.number for one in done(runner, "passes").items] == [0, 1]


def test_people_who_look_find_without_using_and_see_what_ids_stand_for(runner: Runner) -> None:
    (node,) = told(runner)
    (hit,) = done(runner, "look.search", query="green tea").items
    assert hit.node.id == node
    assert done(runner, "explain", node_id=node).signals["access_count"] == 0
    done(runner, "forget", node_id=node)
    (named,) = done(runner, "names", ids=[node, node, "mem_99"]).items
    assert (named.id, named.text) == (node, "The tea is green.")


def test_people_who_look_see_the_net_around_one_memory_and_what_settings_hold(
    runner: Runner,
) -> None:
    nodes = [told(runner, text=f"tea number {n}")[0] for n in range(8)]
    around = done(runner, "network", around=nodes[0], limit=3)
    assert around.dots[0].id == nodes[0]
    assert len(around.dots) == 3
    assert {dot.reached_from for dot in around.dots[1:]} <= set(nodes)
    held = done(runner, "settings")
    assert held["decay_rate"] == 0.97
    assert not [name for name in held if "key" in name or "url" in name]
    prospect = done(runner, "what_if", settings={"decay_rate": 0.5})
    assert prospect.alive + prospect.faded + prospect.forgotten == 8
    assert done(runner, "doctor").items == []
    assert done(runner, "jobs.retry") == {"jobs": 0}
    assert done(runner, "notebook.shelf").there is False
    assert done(runner, "me", None).rights == tuple(sorted(RIGHTS))


def test_a_picture_of_many_long_memories_stays_small_and_has_the_strongest_links(
    runner: Runner,
) -> None:
    told(runner, text="\n".join(f"第{n}条：{'记' * 150}" for n in range(620)))
    operation = TABLE["picture"]
    few, many = (done(runner, "picture", limit=limit) for limit in (20, 600))
    assert few.dots[0].content == done(runner, "network", limit=20).dots[0].content
    assert (len(few.dots), len(many.dots)) == (20, 600)
    assert many.lines
    assert len(operation.answered(done(runner, "network", limit=600))) > 200_000
    assert len(operation.answered(many)) < 200_000


def test_pages_follow_one_another_to_the_end(runner: Runner) -> None:
    told(runner, text="one\ntwo\nthree\nfour\nfive")
    seen, cursor = [], None
    while True:
        page = done(runner, "nodes", limit=2, cursor=cursor)
        seen += [node.content for node in page.items]
        if (cursor := page.next) is None:
            break
    assert seen == ["one", "two", "three", "four", "five"]
    with pytest.raises(InvalidInput, match="is no cursor"):
        done(runner, "facts", cursor="-1")


def test_what_nobody_knows_is_refused_with_its_name(runner: Runner) -> None:
    with pytest.raises(InvalidInput, match="limt"):
        done(runner, "search", query="tea", limt=3)
    with pytest.raises(InvalidInput, match="limit"):
        done(runner, "search", query="tea", limit="3")
    with pytest.raises(NotFound, match="no operation is called 'serch'"):
        found("serch")


def test_whoever_only_looks_makes_no_agent(runner: Runner) -> None:
    for name in ("stats", "forget", "erase"):
        given = {"node_id": "mem_1"} if name != "stats" else {}
        with pytest.raises(NotFound, match="no agent 'nobody'"):
            done(runner, name, "nobody", **given)
    assert runner.host.agents() == []


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("right", RIGHTS)
def test_a_right_is_good_for_its_operations_and_its_agents_only(
    runner: Runner, name: str, right: str
) -> None:
    operation = TABLE[name]
    allowed = Principal("p", frozenset(["a"]), frozenset([right]))
    if operation.right == right:
        authorise(allowed, operation.right, "a")
        foreign = "b"
    else:
        foreign = "a"
    with pytest.raises(NotAllowed):
        authorise(allowed, operation.right, foreign)
    with pytest.raises(NotAllowed):  # before anything is looked at
        runner.run(operation, allowed, foreign, {"nonsense": 1})


def test_agents_are_listed_as_far_as_they_are_ours(runner: Runner) -> None:
    for agent in ("a", "b", "c"):
        told(runner, agent)
    mine = Principal("p", frozenset(["b"]), frozenset(["read"]))
    assert done(runner, "agents", None, who=mine).items == ["b"]
    assert done(runner, "agents", None).items == ["a", "b", "c"]


def test_memories_are_closed_when_too_many_are_open_but_none_in_use(runner: Runner) -> None:
    heard: list[str] = []
    told(runner, "a")
    with runner.listening(OWNER, "a", lambda event: heard.append(event.name)):
        for agent in ("b", "c", "d"):
            told(runner, agent)
        assert runner.host.is_open("a")
        until = time.monotonic() + PATIENCE
        while sum(runner.host.is_open(agent) for agent in "abcd") > 3:  # closed in the background
            assert time.monotonic() < until
            time.sleep(0.01)
        told(runner, "a")
    assert "stored" in heard


def test_an_agent_that_was_erased_can_begin_anew(runner: Runner) -> None:
    told(runner)
    assert done(runner, "agents.erase").removed["files"] > 0
    with pytest.raises(NotFound):
        done(runner, "stats")
    told(runner)
    runner.host.erase("a")  # past the runner
    assert told(runner) == ["mem_1"]


def test_an_export_comes_back_by_import(runner: Runner) -> None:
    told(runner)
    data = done(runner, "export")
    took = runner.run(TABLE["import"], OWNER, "copy", {}, data=data)
    assert took["node"] == 1
    assert done(runner, "nodes", "copy").items[0].content == "The tea is green."


def test_what_several_remember_at_the_same_time_is_one_transaction_with_an_answer_for_each(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, sizes = Remembering._stored, list[int]()
    counted = lambda self, *given: (sizes.append(len(given[1])), stored(self, *given))[1]  # noqa: E731
    monkeypatch.setattr(Remembering, "_stored", counted)
    said = {"role": "user", "content": "tea", "id": "x"}
    reader, other = Principal("r", frozenset("a"), frozenset(["read"])), {"messages": "milk"}
    asked: list[tuple[Principal, dict[str, Any]]] = [
        (OWNER, {"messages": said}),
        (reader, other),
        (OWNER, {"messages": 5}),
        (OWNER, {"messages": [said]}),
        (OWNER, other),
    ]
    found = runner.run_together(TABLE["remember"], "a", asked)
    kinds = [type(one).__name__ for one in found]
    assert kinds == ["Accepted", "NotAllowed", "InvalidInput", "Accepted", "Accepted"]
    assert (found[3].id, found[3].known) == (found[0].id, ("x",))
    assert found[4].id != found[0].id
    assert sizes == [3]
    assert done(runner, "flush", timeout=30.0)
    assert [one.content for one in done(runner, "messages").items] == ["tea", "milk"]
    nobody = runner.run_together(TABLE["remember"], "b", [(reader, other)])
    assert [type(one).__name__ for one in nobody] == ["NotAllowed"]
    assert not runner.host.has("b")


def test_one_who_finds_the_queue_full_is_told_and_the_others_are_not(tmp_path: Path) -> None:
    with Host(tmp_path, settings={"max_queue_size": 1}, model=LineModel()) as host:
        asked = [(OWNER, {"messages": "tea"}), (OWNER, {"messages": "milk"})]
        found = Runner(host).run_together(TABLE["remember"], "a", asked)
        assert [type(one).__name__ for one in found] == ["Accepted", "QueueFull"]
