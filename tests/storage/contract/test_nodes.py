"""The drawer of nodes."""

from __future__ import annotations

from collections.abc import Callable

from storage.contract.given import add, learn, saved, say

from wangchuan.storage import Store
from wangchuan.types import Message


def test_numbers_are_never_used_twice(reopen: Callable[[], Store]) -> None:
    first = reopen()
    with first.write() as tx:
        numbers = [add(tx), add(tx)]
        for n in numbers:
            tx.nodes.drop(n)
    first.close()
    with reopen().write() as tx:
        assert add(tx) == max(numbers) + 1


def test_alive_fading_dying_due_and_trash_are_told_apart(store: Store) -> None:
    with store.write() as tx:
        whole, fading, due, dead, gone = (add(tx) for _ in range(5))
        saved(tx, fading, since_pass=0, fade_at=3, due_at=9, die_at=20)
        saved(tx, due, since_pass=0, fade_at=2, due_at=4, die_at=10)
        saved(tx, dead, since_pass=0, fade_at=1, due_at=1, die_at=5)
        saved(tx, gone, forgotten_at=7.0, reason="asked")
        assert [r.n for r in tx.nodes.alive(5)] == [whole, fading, due]
        assert [r.n for r in tx.nodes.fading(5)] == [due, fading]
        assert [r.n for r in tx.nodes.due(5, 10)] == [due]
        assert [r.n for r in tx.nodes.dying(5, 10)] == [dead]
        assert [r.n for r in tx.nodes.trash(5)] == [dead, gone]
        assert tx.nodes.due_exists(5)
        assert not tx.nodes.due_exists(0)
        assert tx.meta.counts(5)["nodes"] == 3


def test_what_stands_still_is_found_unless_the_focus_or_a_job_holds_it(store: Store) -> None:
    with store.write() as tx:
        waiting = tx.accept([Message("user", "x")], 1.0, 10)
        free, moving, attended, on_its_way, fact = (
            add(tx, kind=kind, job=job)
            for kind, job in [("segment", None)] * 3 + [("segment", waiting), ("fact", None)]
        )
        saved(tx, moving, since_pass=0)
        tx.links.set_focus([attended])
        assert [record.n for record in tx.nodes.still(0, 10)] == [free]
        assert waiting is not None
        tx.jobs.finish(waiting, 2.0)
        assert [record.n for record in tx.nodes.still(0, 10)] == [free, on_its_way]
        assert [record.n for record in tx.nodes.still(free, 10)] == [on_its_way]
        assert [record.n for record in tx.nodes.still(0, 1)] == [free]
        assert fact > on_its_way


def test_the_memories_of_messages_are_found_alive_or_forgotten(store: Store) -> None:
    with store.write() as tx:
        last = say(tx, "a", "b", "c")
        one, two = add(tx, "one", message=1), add(tx, "two", message=1)
        other, _ = add(tx, "other", message=last), add(tx, "of no message")
        saved(tx, one, forgotten_at=5.0)
        saved(tx, two, die_at=1)
        assert [n.n for n in tx.nodes.segments_of([last, 1, 2, 99])] == [one, two, other]
        assert [n.message for n in tx.nodes.segments_of([1])] == [1, 1]
        assert tx.nodes.segments_of([]) == tx.nodes.segments_of([2]) == []


def test_numbers_can_be_reserved(store: Store) -> None:
    with store.write() as tx:
        assert tx.nodes.last_number() == 0
        tx.nodes.reserve(7)
        assert tx.nodes.last_number() == 7
        assert add(tx) == 8
        tx.nodes.reserve(3)
        assert add(tx) == 9
        tx.nodes.reserve(20)
        assert (tx.nodes.last_number(), add(tx)) == (20, 21)


def test_a_memory_becomes_one_of_another_kind(store: Store) -> None:
    with store.write() as tx:
        n = learn(tx, "name")
        tx.nodes.set_kind(n, "core")
        assert tx.facts.of_kinds(["fact"]) == []
        (record,) = tx.facts.of_kinds(["core"])
        assert (record.n, record.original) == (n, "name")


def test_facts_take_no_part_in_what_passes_do(store: Store) -> None:
    with store.write() as tx:
        segment = add(tx)
        saved(tx, segment, since_pass=0)
        learn(tx, kind="episode")
        assert tx.nodes.living(1000) == 1
        assert [r.n for r in tx.nodes.still(0, 9)] == []
        nearest = tx.nodes.nearest_alive(2, 1000)
        assert nearest is None
        assert tx.nodes.dying(1000, 9) == tx.nodes.due(1000, 9) == tx.nodes.fading(1000) == []
