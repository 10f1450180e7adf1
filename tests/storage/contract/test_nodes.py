"""The drawer of nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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


def test_alive_fading_dying_and_due_are_told_apart(store: Store) -> None:
    with store.write() as tx:
        whole, fading, due, dead, gone = (add(tx) for _ in range(5))
        saved(tx, fading, since_pass=0, fade_at=3, due_at=9, die_at=20)
        saved(tx, due, since_pass=0, fade_at=2, due_at=4, die_at=10)
        saved(tx, dead, since_pass=0, fade_at=1, due_at=1, die_at=5)
        saved(tx, gone, forgotten_at=7.0, reason="asked")
        assert [r.n for r in tx.nodes.alive(5)] == [whole, fading, due]
        assert [r.n for r in tx.nodes.fading(5)] == [due, fading]
        assert [r.n for r in tx.nodes.due(5, 0.0, 10)] == [due]
        assert [r.n for r in tx.nodes.dying(5, 10)] == [dead]
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


def test_the_living_memories_of_messages_are_found_newest_first(store: Store) -> None:
    with store.write() as tx:
        last = say(tx, "a", "b")
        one, two, three = (add(tx, str(i), message=1) for i in range(3))
        dying, gone = add(tx, message=last), add(tx, message=last)
        saved(tx, dying, die_at=7)
        saved(tx, gone, forgotten_at=5.0)
        living = tx.nodes.living_from
        assert [r.n for r in tx.nodes.living_from([1, last], 6, 10)] == [dying, three, two, one]
        assert [r.n for r in living([1, last], 7, 2)] == [three, two]
        assert living([99], 0, 10) == living([], 0, 10) == []


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
        assert tx.nodes.dying(1000, 9) == tx.nodes.due(1000, 0.0, 9) == tx.nodes.fading(1000) == []


def test_what_can_change_in_a_node_is_written_back_and_nothing_else(store: Store) -> None:
    with store.write() as tx:
        n = add(tx, "whole", phrase="w")
        changes = {"content": "short", "scans": 3, "since_pass": 2, "die_at": 9, "kept": 1}
        record = saved(tx, n, **changes)
        assert tx.nodes.get(n) == record
        tx.nodes.save(replace(record, n=99))  # a node that is not there does not come to be
        assert tx.nodes.get(99) is None
    with store.read() as tx:
        assert tx.nodes.get(n) == record
        assert (tx.nodes.highest(), tx.nodes.lowest_alive()) == (n, n)


def test_what_is_not_written_back_of_a_node_is_not_seen_either(store: Store) -> None:
    with store.write() as tx:
        n = add(tx, "whole")
        saved(tx, n, original="another", kind="fact", scans=1)
        found = tx.nodes.get(n)
    with store.read() as tx:
        assert tx.nodes.get(n) == found


def test_texts_are_read_by_node_and_by_message(store: Store) -> None:
    with store.write() as tx:
        one, two, gone = (add(tx, text, message=1) for text in ("one", "two", "gone"))
        saved(tx, two, content="2")
        saved(tx, gone, forgotten_at=7.0)
        texts = [(t.n, t.message, t.text) for t in tx.nodes.texts_of([gone, two, 99])]
        assert texts == [(two, 1, "2"), (gone, 1, "gone")]
        assert [t.n for t in tx.nodes.texts_from([1, 5])] == [one, two]
        assert tx.nodes.texts_of([]) == tx.nodes.texts_from([]) == []
        assert tx.nodes.lowest_alive() == one


def test_fading_nodes_that_never_die_come_first(store: Store) -> None:
    with store.write() as tx:
        late, never, soon = (add(tx) for _ in range(3))
        for n, die_at in ((late, 9), (never, None), (soon, 5)):
            saved(tx, n, since_pass=0, fade_at=1, die_at=die_at)
        assert [record.n for record in tx.nodes.fading(2)] == [never, soon, late]


def test_merged_nodes_are_found_by_the_messages_they_came_from(store: Store) -> None:
    with store.write() as tx:
        merged = add(tx, sources='["msg_1","x"]')
        add(tx, sources='["msg_1"]', job=4)  # cut from the message, not merged
        add(tx, sources='["msg_1"]', kind="fact")
        add(tx, sources='["msg_10"]')
        assert tx.nodes.merged_from(["msg_1", "x"]) == [merged]
        assert tx.nodes.merged_from(["msg_2"]) == tx.nodes.merged_from([]) == []


def test_nodes_made_while_others_were_attended_are_found(store: Store) -> None:
    with store.write() as tx:
        job, other = tx.accept([], 1.0, 10) or 0, tx.accept([], 1.0, 10) or 0
        tx.jobs.progress(job, '{"focus":[7,8]}')
        made, _ = add(tx, job=job), add(tx, job=other)
        assert tx.nodes.made_beside([8, 9]) == [made]
        assert tx.nodes.made_beside([9]) == tx.nodes.made_beside([]) == []


def test_numbers_are_raised_only_where_there_is_a_lower_one(store: Store) -> None:
    with store.write() as tx:
        tx.nodes.raise_number(5)
        assert tx.nodes.last_number() == 0
        tx.nodes.first_number(5)
        tx.nodes.first_number(9)
        assert tx.nodes.last_number() == 5
        tx.nodes.raise_number(9)
        tx.nodes.raise_number(7)
        assert tx.nodes.last_number() == 9


def test_a_new_node_is_whole_and_stands_still(store: Store) -> None:
    with store.write() as tx:
        values = {"kind": "segment", "job": 3, "message": 2, "original": "忘", "phrase": "p"}
        n = tx.nodes.add(**values, keywords="[]", sources='["x"]', created_at=5.0)
        record = tx.nodes.get(n)
        assert record is not None
        assert {name: getattr(record, name) for name in values} == values
        assert (record.content, record.scans, record.since_pass, record.kept) == (None, 0, None, 0)
        assert record.forgotten_at is record.reason is record.die_at is None


def test_what_is_held_is_found(store: Store) -> None:
    with store.write() as tx:
        gone, d = add(tx), add(tx)
        saved(tx, gone, forgotten_at=3.0)
        e = add(tx)
        tx.links.set_focus([e])
        assert [record.n for record in tx.nodes.held(99, 9)] == [d]
        assert tx.nodes.held(d, 9) == []


def test_nodes_are_read_many_at_once_and_then_known(store: Store) -> None:
    with store.write() as tx:
        one, other = add(tx), add(tx)
    with store.write() as tx:
        assert {record.n for record in tx.nodes.some([one, other, 99])} == {one, other}
        tx.nodes.read_ahead([one, other, 99])
        saved(tx, one, phrase="anew")
        tx.nodes.read_ahead([one])
        told = [tx.nodes.get(n) for n in (one, other, 99)]
        assert [record and record.phrase for record in told] == ["anew", told[1].phrase, None]  # type: ignore[union-attr]
