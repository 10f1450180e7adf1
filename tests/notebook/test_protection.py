"""While a task is open, what it touched does not fade; when it ends, time goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stage import PATIENCE, run_passes, text_of

from wangchuan import Memory

Open = Callable[..., Memory]


@pytest.fixture
def open_one(open_memory: Open, tmp_path: Path) -> Open:
    def open_it(agent: str = "agent_001", **settings: Any) -> Memory:
        plain = {"work_dir": tmp_path / "work", "durability": "normal", "strategy": "every"}
        return open_memory(agent, **{**plain, **settings})

    return open_it


def say(memory: Memory, *labels: object) -> list[str]:
    """Remember one text after the other, so that the focus moves on."""
    return [memory.remember(text_of(label)).result(PATIENCE)[0] for label in labels]


def sizes(memory: Memory, ids: list[str]) -> list[int]:
    nodes = [memory.look.node(node_id) for node_id in ids]
    return [len(node.content) if node else 0 for node in nodes]


def test_what_was_made_during_a_task_is_whole_until_it_ends_and_then_fades(open_one: Open) -> None:
    memory = open_one()
    memory.notebook.task.begin("long work", ["a"])
    made = say(memory, *range(12))
    run_passes(memory, 300)
    assert sizes(memory, made) == [100] * 12
    assert memory.look.faults() == []
    why = memory.explain(made[0])
    assert "a task is open that touched it" in why.protections
    assert (why.passes_left, why.target_length) == (None, 100)
    strengths = [link.strength for link in memory.look.links(made[0])]
    assert strengths == [1.0] * len(strengths)
    memory.notebook.end_task("done")
    assert memory.flush(PATIENCE)
    assert memory.look.faults() == []
    assert memory.explain(made[0]).passes_left is not None
    run_passes(memory, 300)
    assert memory.look.node(made[0]) is None


def test_after_the_task_time_goes_on_as_if_it_had_stood_still(open_one: Open) -> None:
    held, plain = open_one(), open_one(agent="plain")
    held.notebook.task.begin("x", ["a"])
    ids = [say(memory, *range(12)) for memory in (held, plain)]
    run_passes(held, 50)
    held.notebook.task.end()  # the page alone: nothing new is said
    assert held.flush(PATIENCE)
    lives = [memory.explain(made[0]) for memory, made in zip((held, plain), ids, strict=True)]
    left = [why.passes_left for why in lives]
    assert left[0] is not None
    assert left[1] is not None
    # the plain one was let go by the sixth remember and has been scanned seven times since
    assert left[0] == left[1] + 7
    assert lives[0].node.scan_count == 0


def test_what_was_recalled_during_a_task_is_held_and_what_was_not_fades(open_one: Open) -> None:
    memory = open_one()
    early = say(memory, "alpha", "beta", *range(10))
    memory.notebook.task.begin("x", ["a"])
    assert "alpha" in memory.recall(["alpha"], depth=9).result(PATIENCE)
    wait_until_noted(memory, early[0])
    before = [len(n.content) for n in (memory.look.node(early[0]),) if n]
    run_passes(memory, 250)
    assert sizes(memory, early[:1]) == before
    assert memory.look.node(early[1]) is None
    memory.notebook.end_task("done")
    assert memory.flush(PATIENCE)
    run_passes(memory, 250)
    assert memory.look.node(early[0]) is None
    assert memory.look.faults() == []


def wait_until_noted(memory: Memory, node_id: str) -> None:
    """What a recall returned is noted after it answered, by the reader's thread."""
    from concurrent.futures import Future

    done: Future[None] = Future()
    memory._agent.lane.questions.read(lambda: done.set_result(None))
    done.result(PATIENCE)
    assert "touched" in " ".join(memory.explain(node_id).protections)


def test_without_the_setting_nothing_is_held(open_one: Open) -> None:
    memory = open_one(task_protects=False)
    memory.notebook.task.begin("x", ["a"])
    made = say(memory, *range(12))
    run_passes(memory, 300)
    assert memory.look.node(made[0]) is None


def test_a_task_ended_in_an_editor_is_noticed_at_the_next_opening(open_one: Open) -> None:
    memory = open_one()
    memory.notebook.task.begin("x", ["a"])
    made = say(memory, *range(12))
    page = memory.notebook.task.path
    memory.close()
    page.write_text(page.read_text("utf-8").replace("阶段: executing", "阶段: done"), "utf-8")
    memory = open_one()
    assert memory.explain(made[0]).passes_left is None
    memory.notebook  # noqa: B018 (opening it looks at the page)
    assert memory.flush(PATIENCE)
    assert memory.explain(made[0]).passes_left is not None


def test_what_one_of_two_tasks_holds_stays_held(open_one: Open, tmp_path: Path) -> None:
    here, there = open_one(), open_one(work_dir=tmp_path / "elsewhere")
    here.notebook.task.begin("x", ["a"])
    there.notebook.task.begin("y", ["a"])
    made = say(here, *range(12))
    here.notebook.task.end()
    assert here.flush(PATIENCE)
    assert here.explain(made[0]).passes_left is None
    there.notebook.task.end()
    assert there.flush(PATIENCE)
    assert here.explain(made[0]).passes_left is not None


def test_a_release_that_was_interrupted_is_taken_up_again(open_one: Open) -> None:
    memory = open_one()
    memory.notebook.task.begin("x", ["a"])
    made = say(memory, *range(40))
    memory._agent.lane.close()  # nobody works any more
    memory.notebook.task.end()
    assert memory.look.faults() == []  # they wait to be let go
    assert memory.explain(made[0]).passes_left is None
    memory.close()
    memory = open_one()
    assert memory.flush(PATIENCE)
    assert all(memory.explain(node_id).passes_left is not None for node_id in made[:30])
    assert memory.look.faults() == []


def test_a_new_task_keeps_what_the_last_one_had_not_let_go(open_one: Open) -> None:
    memory = open_one()
    memory.notebook.task.begin("x", ["a"])
    made = say(memory, *range(12))
    with memory._agent.store() as store, store.write() as tx:
        memory._agent.living.tasks.end(tx, "nowhere")  # not a task that was open
    assert memory.flush(PATIENCE)
    assert memory.explain(made[0]).passes_left is None


def test_slots_are_freed_of_what_a_task_holds_only_if_there_is_nothing_else(open_one: Open) -> None:
    memory = open_one(strategy="slots", max_nodes=6, focus_limit=2)
    before = say(memory, *range(6))
    memory.notebook.task.begin("x", ["a"])
    made = say(memory, *range(6, 10))
    assert sizes(memory, made) == [100] * 4
    assert len(memory.nodes()) == 6
    assert {node.id for node in memory.nodes()} & set(before) == set(before[-2:])  # in focus
    made += say(memory, *range(10, 20))
    assert len(memory.nodes()) == 6
    assert set(made[-2:]) <= {node.id for node in memory.nodes()}
    assert memory.look.faults() == []
    memory.notebook.end_task("done")
    assert memory.flush(PATIENCE)
    say(memory, "one more")
    assert memory.stats().nodes <= 6


def test_what_is_restored_during_a_task_is_held_too(open_one: Open) -> None:
    memory = open_one()
    made = say(memory, *range(3))
    memory.forget(made[0])
    memory.notebook.task.begin("x", ["a"])
    memory.restore(made[0])
    run_passes(memory, 300)
    assert sizes(memory, made[:1]) == [100]
    assert memory.look.faults() == []
