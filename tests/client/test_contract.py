"""The same life in a memory that is opened here and in one behind a server."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from server.served import Served
from stage import PATIENCE, LineModel

from wangchuan import Host, Memory
from wangchuan.errors import CannotUndo, Closed, InvalidInput, NotAllowed, NotFound, StorageError
from wangchuan.types import Hit, Node


@pytest.fixture(params=["opened", "connected"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    if request.param == "opened":
        values = {"durability": "normal", "learn": False}
        with Host(tmp_path, settings=values, model=LineModel()) as host, host.open("a") as memory:
            yield memory
        return
    served = Served(tmp_path)
    with Memory.connect(served.url, "a", token=served.owner) as memory:
        yield memory
    served.close()


def told(memory: Memory, *texts: str) -> list[str]:
    receipt = memory.remember([{"role": "user", "content": text} for text in texts])
    return list(receipt.result(PATIENCE))


def test_what_is_said_is_found_recalled_and_told(memory: Memory) -> None:
    first, second = told(memory, "green tea #tea", "black coffee #coffee")
    (hit,) = memory.search("green tea", limit=1).result(PATIENCE)
    assert isinstance(hit, Hit)
    assert hit.text == "green tea #tea"
    assert hit.node is not None
    assert hit.node.id == first
    assert memory.recall(["coffee"]).result(PATIENCE) == "[记忆] black coffee #coffee"
    assert "green tea" in memory.context("tea").result(PATIENCE)
    assert [node.id for node in memory.nodes()] == [first, second]
    assert memory.search("nonsense zzz").result(PATIENCE) == []


def test_nothing_is_known_before_anything_was_said(memory: Memory) -> None:
    assert memory.context("tea").result(PATIENCE) == ""
    assert memory.search("tea").result(PATIENCE) == []
    assert (memory.stats().nodes, memory.nodes(), memory.facts()) == (0, [], [])
    with pytest.raises(NotFound, match="mem_7"):
        memory.explain("mem_7")


def test_it_can_be_awaited(memory: Memory) -> None:
    async def life() -> tuple[Any, Any]:
        made = await memory.remember("green tea #tea")
        return made, await memory.recall(["tea"])

    made, text = asyncio.run(life())
    assert made == ("mem_1",)
    assert "green tea" in text


def test_forgetting_restoring_and_erasing(memory: Memory) -> None:
    one, two = told(memory, "green tea", "black coffee")
    memory.forget(one)
    assert memory.look.node(one) is None
    assert memory.look.forgotten()[0].node.id == one
    assert memory.look.in_trash(one).reason
    restored = memory.restore(one)
    assert isinstance(restored, Node)
    assert restored.content == "green tea"
    doomed = memory.look.erasing([two])
    assert [node.id for node in doomed.nodes] == [two]
    receipt = memory.erase(two)
    assert (receipt.nodes, receipt.remains) == ((two,), ())
    with pytest.raises(NotFound):
        memory.explain(two)


def test_facts_are_added_corrected_and_decided_on(memory: Memory) -> None:
    fact = memory.facts.add("Rex is a dog", topic="personal")
    assert memory.facts.saying("Rex is a dog") == fact
    assert memory.facts.saying("Rex is a cat") is None
    better = memory.facts.correct(fact.id, "Rex is a hound")
    assert [one.text for one in memory.facts.history(better.id)] == [
        "Rex is a hound",
        "Rex is a dog",
    ]
    assert memory.facts.verify(better.id).verified
    assert memory.facts.promote(better.id).kind == "core"
    assert [one.text for one in memory.facts(kinds=("core",))] == ["Rex is a hound"]
    assert memory.facts.episodes() == []
    assert memory.facts.pending() == []
    with pytest.raises(InvalidInput):
        memory.facts.add("")


def test_changes_are_undone_and_what_cannot_be_is_said(memory: Memory) -> None:
    (node,) = told(memory, "green tea")
    memory.forget(node)
    change = memory.history.latest(1)[0]
    assert memory.undo(change.seq, dry_run=True).entry is None
    assert memory.undo(change.seq).entry is not None
    assert memory.look.node(node) is not None
    assert memory.history(node)[0].kind
    with pytest.raises(NotFound):
        memory.undo(99_999)
    with pytest.raises(CannotUndo):
        memory.undo(1)


def test_everything_can_be_looked_at(memory: Memory) -> None:
    ids = told(memory, *(f"thought number {n}" for n in range(7)))
    assert memory.stats().nodes == 7
    assert memory.explain(ids[0]).node.id == ids[0]
    assert [one.node.id for one in memory.look.explained(3)] == ids[-3:]
    assert {node.id for node in memory.look.focus()} <= set(ids)
    assert memory.look.network(5).agent == "a"
    assert memory.look.links(ids[0], incoming=True)[0].target == ids[0]
    assert memory.look.lifecycle().memories == 7
    assert len(memory.look.messages()) == 7
    assert memory.look.messages(ids[0])[0].content == "thought number 0"
    assert {one.node.id for one in memory.look.fading()} <= set(ids)
    assert memory.merges() == []
    assert memory.nodes(at=datetime(2000, 1, 1, tzinfo=UTC)) == []
    assert memory.tick(PATIENCE)
    assert memory.history.replay().differences == ()


def test_many_are_listed_to_the_end(memory: Memory) -> None:
    told(memory, *(f"thought number {n}" for n in range(250)))
    assert len(memory.nodes()) == 250
    assert [node.id for node in memory.look.nodes(limit=2, offset=1)] == ["mem_2", "mem_3"]


def test_jobs_and_events_tell_how_far_it_is(memory: Memory) -> None:
    heard, stored = [], threading.Event()

    def hear(event: Any) -> None:
        heard.append(event.name)
        stored.set()

    stop = memory.on("stored", hear)
    receipt = memory.remember("green tea")
    job = memory.jobs.wait(str(receipt.id)).result(PATIENCE)
    assert (job.state, job.nodes) == ("done", ("mem_1",))
    assert memory.jobs.get(str(receipt.id)) == job
    assert memory.jobs(limit=1) == [job]
    assert stored.wait(PATIENCE)
    stop()
    assert set(heard) == {"stored"}
    assert memory.flush(PATIENCE)


def test_the_same_message_is_taken_once(memory: Memory) -> None:
    message = {"role": "user", "content": "green tea", "id": "m1"}
    first, again = memory.remember(message), memory.remember(message)
    assert (again.id, again.known) == (first.id, ("m1",))
    assert again.result(PATIENCE) == first.result(PATIENCE)


def test_what_makes_no_sense_is_refused_alike(memory: Memory) -> None:
    told(memory, "green tea")
    for wrong in ({"role": "nobody", "content": "x"}, [{"content": "x"}], 7):
        with pytest.raises(InvalidInput):
            memory.remember(wrong)
    with pytest.raises(InvalidInput):
        memory.search(7)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        memory.on("nonsense", print)
    with pytest.raises(NotFound):
        memory.forget("mem_99")
    with pytest.raises(NotFound):
        memory.jobs.get("job_99")


def test_it_is_taken_home(memory: Memory, tmp_path: Path) -> None:
    told(memory, "green tea")
    out = io.BytesIO()
    memory.export(out)
    assert b"green tea" in out.getvalue()
    memory.export(tmp_path / "page.md")
    assert "green tea" in (tmp_path / "page.md").read_text("utf-8")


def test_after_closing_nothing_answers(memory: Memory) -> None:
    memory.close()
    memory.close()
    with pytest.raises(Closed):
        memory.stats()
    with pytest.raises(Closed):
        memory.remember("x")


def test_a_server_says_who_may_and_where_it_is(tmp_path: Path) -> None:
    served = Served(tmp_path)
    served.told("a", "green tea")
    token = served.token("a", rights="read")
    with Memory.connect(served.url, "a", token=token) as reader:
        refusing(reader)
    nobody = Memory.connect(served.url, "a", token="wc_none")
    with nobody, pytest.raises(NotAllowed, match="token"):
        nobody.stats()
    with pytest.raises(InvalidInput, match="http"):
        Memory.connect("ftp://x", "a", token="")
    served.close()
    nowhere = Memory.connect(served.url, "a", token="")
    with nowhere, pytest.raises(StorageError, match="cannot be reached"):
        nowhere.stats()


def refusing(reader: Memory) -> None:
    assert reader.stats().nodes == 1
    for refused in (lambda: reader.remember("x"), lambda: reader.forget("mem_1")):
        with pytest.raises(NotAllowed):
            refused()
    with pytest.raises(AttributeError, match="where the memory is kept"):
        _ = reader.path
