"""Erasure while others work: answers, errors, vectors and terms that come too late bring nothing
back."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Open
from erasing.test_erasing_everywhere import EN, SECRET, say, told, traces
from meanings import Concepts
from stage import PATIENCE, FakeClock, LineModel, run_passes, settles

from wangchuan import Memory
from wangchuan.errors import ModelError
from wangchuan.finding import indexing
from wangchuan.storage.sqlite.scrubbing import found_in


class Slow(LineModel):
    """Is waited for, so that its answers are kept; may be held up."""

    inline = False

    def __init__(self, **script: list[Any]) -> None:
        super().__init__(**script)
        self.begun, self.go = threading.Event(), threading.Event()
        self.go.set()

    def complete(self, ask: Any) -> Any:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        return super().complete(ask)


def test_kept_answers_go_and_one_that_comes_later_is_not_kept(open_memory: Open) -> None:
    model = Slow()
    memory = open_memory(model=model, recall_patience=0.05)
    say(memory, SECRET, "secret")
    model.begun.clear()
    model.go.clear()
    receipt = memory.remember([{"role": "user", "content": EN, "id": "later"}])
    assert model.begun.wait(PATIENCE)
    done = memory.erase(message_ids=["secret", "later"])
    assert done.removed["answers"] == 1
    model.go.set()
    receipt.result(PATIENCE)
    assert memory.flush(PATIENCE)
    assert traces(memory.path) == {}


def test_an_error_that_comes_after_the_erasure_tells_none_of_the_words(
    open_memory: Open, clock: FakeClock
) -> None:
    model = Slow(digest=[ModelError(f"cannot read {EN}")] * 9)
    memory = open_memory(model=model, recall_patience=0.05)
    model.go.clear()
    memory.remember({"role": "user", "content": EN, "id": "secret"})
    assert model.begun.wait(PATIENCE)
    memory.erase(message_ids=["secret"])
    model.go.set()
    memory.flush(1)
    assert traces(memory.path) == {}
    assert settles(memory, clock)
    assert traces(memory.path) == {}


def test_a_job_that_failed_for_good_leaves_no_words(open_memory: Open, clock: FakeClock) -> None:
    model = LineModel(digest=[RuntimeError(f"cannot read {SECRET}")] * 99)
    memory = open_memory(model=model, max_retries=1)
    receipt = memory.remember({"role": "user", "content": SECRET, "id": "secret"})
    assert settles(memory, clock)
    assert memory.stats().failed == 1
    with pytest.raises(Exception, match="cannot read"):
        receipt.result(PATIENCE)
    memory.erase(message_ids=["secret"])
    assert traces(memory.path) == {}
    assert memory.stats().failed == 0


class Waited(Concepts):
    """An embedder that has to be waited for and remembers what it answered."""

    inline = False

    def __init__(self) -> None:
        super().__init__("waited")
        self.begun, self.go = threading.Event(), threading.Event()
        self.go.set()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        return super().embed(texts)


def packed(embedder: Concepts, text: str) -> bytes:
    """The vector of a text as it is stored."""
    import numpy as np

    from wangchuan.models.embedding import checked

    row = checked([embedder._vector(text)], 1)[0]
    return bytes(np.asarray(row).astype("<f2").tobytes())


def open_embedding(tmp_path: Path, clock: FakeClock, embedder: Concepts) -> Memory:
    return Memory.open(
        "agent_001",
        root=tmp_path,
        settings={"learn": False},
        model=LineModel(),
        embedder=embedder,
        clock=clock,
    )


def test_vectors_of_it_and_of_what_followed_go(tmp_path: Path, clock: FakeClock) -> None:
    embedder = Concepts()
    with open_embedding(tmp_path, clock, embedder) as memory:
        say(memory, EN, "secret")
        say(memory, "The next turn.", "next")
        assert memory.flush(PATIENCE)
        vectors = [packed(embedder, EN), packed(embedder, f"{EN} The next turn.")]
        assert found_in(memory.path / "memory.db", vectors)
        memory.search("zanzibarquux").result(PATIENCE)
        memory.erase(message_ids=["secret"])
        assert found_in(memory.path / "memory.db", vectors) == {}
        assert traces(memory.path) == {}
        say(memory, "Something new.", "new")
        assert memory.flush(PATIENCE)
        assert found_in(memory.path / "memory.db", vectors) == {}


def test_an_embedding_under_way_brings_no_vector_back(tmp_path: Path, clock: FakeClock) -> None:
    embedder = Waited()
    with open_embedding(tmp_path, clock, embedder) as memory:
        embedder.go.clear()
        said = (("secret", EN), ("next", "The next turn."))
        memory.remember([{"role": "user", "content": t, "id": n} for n, t in said]).result(PATIENCE)
        assert embedder.begun.wait(PATIENCE)
        memory.erase(message_ids=["secret"])
        embedder.go.set()
        assert memory.flush(PATIENCE)
        vectors = [packed(embedder, EN), packed(embedder, f"{EN} The next turn.")]
        assert found_in(memory.path / "memory.db", vectors) == {}
        with memory._agent.store() as store, store.read() as tx:
            assert tx.vectors.last() == 2
        assert found_in(memory.path / "memory.db", [packed(embedder, "The next turn.")])


def test_a_reindexing_that_is_resumed_brings_no_term_back(
    open_memory: Open, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wangchuan.finding.indexing.BATCH", 1)
    memory = open_memory()
    secret = told(memory, clock)
    agent = memory._agent
    with agent.store() as store:
        with store.write() as tx:
            tx.meta.set(indexing.ANALYSED_BY, "an older one")
            indexing.adopt(tx, clock.now)
            job = tx.jobs.in_state("pending")[-1]
        plan = indexing.step(store, job)  # begun before the erasure, done after it
        memory.erase(secret)
        plan.act(store, None)
    agent.lane.wake()
    assert memory.flush(PATIENCE)
    assert traces(memory.path) == {}
    assert memory.search("zanzibarquux", forgotten=True).result(PATIENCE) == []
    assert memory.search("后来的事", forgotten=True).result(PATIENCE)


def test_words_a_review_searched_for_do_not_come_back_after_an_erasure(open_memory: Open) -> None:
    class Interrupted(LineModel):
        """Has something erased while it reviews, and then asks for its words."""

        memory: Memory | None = None

        def _review(self, _: Any) -> dict[str, Any]:
            if self.memory is not None:
                memory, self.memory = self.memory, None
                memory.erase(self.fact)
                return {"thought": "", "search": "zanzibarquux"}
            return {"thought": "", "decision": "KEEP"}

    model = Interrupted()
    memory = open_memory(learn=True, model=model, reviewer="auto")
    model.fact = memory.facts.add(f"Wien: {EN}").id
    waits = memory.facts.add("Wien is where the office is.")
    agent = memory._agent
    with agent.store() as store, store.write() as tx:
        for _ in range(6):
            record = tx.nodes.get(int(waits.id[4:]))
            assert record
            agent.facts.boost(tx, record)
        model.memory = memory
        agent.reviewing.want(tx)
    agent.lane.wake()
    assert memory.flush(PATIENCE)
    assert model.memory is None
    assert traces(memory.path) == {}


class Erasing(LineModel):
    """Has something erased while it is asked by one routine, and answers with its words."""

    inline = False  # it is asked outside of any transaction
    memory: Memory | None = None
    fact = routine = ""

    def complete(self, ask: Any) -> Any:
        answer = super().complete(ask)
        if self.memory is None or ask.routine != self.routine:
            return answer
        memory, self.memory = self.memory, None
        memory.erase(self.fact)
        return (
            {"operations": ["[ADD] We met Wilhelmina in Graz."]}
            if ask.routine == "observe"
            else answer
        )


def test_an_observer_that_was_shown_an_erased_fact_is_asked_anew(open_memory: Open) -> None:
    model = Erasing()
    memory = open_memory(learn=True, model=model)
    model.fact = memory.facts.add(f"Graz: {EN}").id
    model.routine, model.memory = "observe", memory
    say(memory, "We met in Graz.", "met")
    assert memory.flush(PATIENCE)
    assert model.memory is None
    assert memory.facts() == []
    assert model.asked.count("observe") == 2
    assert traces(memory.path) == {}


def test_a_text_that_is_being_shortened_does_not_come_back(
    open_memory: Open, clock: FakeClock
) -> None:
    model = Erasing()
    memory = open_memory(model=model, strategy="every", decay_rate=0.9)
    model.fact = told(memory, clock)
    model.routine, model.memory = "compress", memory
    run_passes(memory, 12)
    assert model.memory is None
    assert memory.look.node(model.fact) is None
    assert traces(memory.path) == {}
