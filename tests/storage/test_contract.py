"""The contract of a store, run on every backend."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wangchuan.errors import InvalidInput, StorageError
from wangchuan.spots import LENGTH_BITS, LENGTHS, PLACES, message_at, spot
from wangchuan.storage import (
    KEPT,
    LifecycleRecord,
    LinkRecord,
    NodeRecord,
    Store,
    Transaction,
)
from wangchuan.storage.records import TALK_SECONDS, FactRecord
from wangchuan.storage.sqlite.store import SQLiteStore
from wangchuan.types import Message

BACKENDS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SQLiteStore(folder / "memory.db"),
    "sqlite-normal": lambda folder: SQLiteStore(folder / "memory.db", durability="normal"),
}


@pytest.fixture(params=sorted(BACKENDS))
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    opened: list[Store] = []

    def open_store() -> Store:
        opened.append(BACKENDS[request.param](tmp_path))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def store(reopen: Callable[[], Store]) -> Store:
    return reopen()


def add(tx: Transaction, text: str = "text", **values: Any) -> int:
    plain = {"kind": "segment", "job": None, "message": None, "phrase": "", "keywords": "[]"}
    plain["sources"] = "[]"
    return tx.nodes.add(**{**plain, "original": text, "created_at": 1.0, **values})


def saved(tx: Transaction, n: int, **changes: Any) -> NodeRecord:
    record = tx.nodes.get(n)
    assert record is not None
    tx.nodes.save(replace(record, **changes))
    return replace(record, **changes)


def test_what_was_written_is_there_after_reopening(reopen: Callable[[], Store]) -> None:
    first = reopen()
    with first.write() as tx:
        n = add(tx, "忘川 \x00 😀")
    first.close()
    with reopen().read() as tx:
        record = tx.nodes.get(n)
    assert record is not None
    assert record.original == "忘川 \x00 😀"


def test_an_exception_writes_nothing(store: Store) -> None:
    def add_and_fail() -> None:
        with store.write() as tx:
            add(tx)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        add_and_fail()
    with store.read() as tx:
        assert tx.nodes.highest() == 0
    with store.write() as tx:
        assert add(tx) == 1


def test_a_reader_sees_one_moment(store: Store) -> None:
    with store.read() as tx:
        assert tx.passes() == 0
        writer = threading.Thread(target=lambda: _advance(store))
        writer.start()
        writer.join()
        assert tx.passes() == 0
    with store.read() as tx:
        assert tx.passes() == 1


def _advance(store: Store) -> None:
    with store.write() as tx:
        tx.advance()


def test_numbers_are_never_used_twice(reopen: Callable[[], Store]) -> None:
    first = reopen()
    with first.write() as tx:
        numbers = [add(tx), add(tx)]
        for n in numbers:
            tx.nodes.drop(n)
    first.close()
    with reopen().write() as tx:
        assert add(tx) == max(numbers) + 1


def test_unknown_numbers_give_nothing(store: Store) -> None:
    with store.write() as tx:
        assert tx.nodes.get(99) is None
        assert tx.jobs.get(99) is None
        assert tx.signals.get(99) is None
        assert tx.messages.named("msg_99") == tx.messages.named("nobody") == []
        assert tx.links.of(99) == tx.links.to(99) == tx.links.neighbours(99) == []
        assert tx.journal.of(99) == []
        tx.jobs.finish(99, 1.0)
        tx.jobs.drop(99)
        assert tx.meta.get("unknown") is None


def test_jobs_come_in_order_and_go_to_the_end_when_sent_back(store: Store) -> None:
    with store.write() as tx:
        a, b = (
            tx.accept([Message("user", "a")], 1.0, 10),
            tx.accept([Message("user", "b")], 2.0, 10),
        )
        assert a is not None
        assert b is not None
        assert tx.jobs.next(9.0, 15, 30.0).seq == a  # type: ignore[union-attr]
        tx.jobs.send_back(a)
        assert tx.jobs.next(9.0, 15, 30.0).seq == b  # type: ignore[union-attr]
        tx.jobs.finish(b, 3.0, "{}")
        assert tx.jobs.next(9.0, 15, 30.0).seq == a  # type: ignore[union-attr]
        tx.jobs.fail(a, 4.0, "why")
        assert tx.jobs.next(9.0, 15, 30.0) is None
        assert [(j.seq, j.reason) for j in tx.jobs.in_state("failed")] == [(a, "why")]
        tx.jobs.retry(a)
        assert tx.jobs.pending() == 1


def test_acceptance_stops_at_the_limit_and_stores_nothing_beyond(store: Store) -> None:
    with store.write() as tx:
        assert tx.accept([Message("user", "1")], 1.0, 2)
        assert tx.accept([Message("user", "2")], 1.0, 2)
        assert tx.accept([Message("user", "3")], 1.0, 2) is None
        assert tx.meta.counts(0)["messages"] == 2
        tx.jobs.add("sweep", 1.0)
        assert tx.jobs.pending() == 3


def test_a_job_knows_its_messages(store: Store) -> None:
    with store.write() as tx:
        tx.accept([Message("user", "before")], 1.0, 10)
        said = [Message("user", "x", "id-1", "Ann", 5.0), Message("assistant", "y")]
        job = tx.jobs.get(tx.accept(said, 1.0, 10) or 0)
        assert job is not None
        found = tx.messages.between(job.first_message or 0, job.last_message or 0)
        assert [(m.role, m.content, m.public_id) for m in found] == [
            ("user", "x", "id-1"),
            ("assistant", "y", "msg_3"),
        ]
        assert (found[0].name, found[0].timestamp) == ("Ann", 5.0)
        assert [m.content for m in tx.messages.waiting(2)] == ["y", "x"]
        assert [m.content for m in tx.messages.waiting(1)] == ["y"]
        assert [m.content for m in tx.messages.waiting(9)] == ["y", "x", "before"]
        tx.jobs.finish(job.seq, 2.0)
        assert [m.content for m in tx.messages.waiting(9)] == ["before"]


def test_unsettled_means_waiting_for_the_first_try(store: Store) -> None:
    with store.write() as tx:
        a = tx.accept([], 1.0, 10) or 0
        assert tx.jobs.unsettled(a)
        assert not tx.jobs.unsettled(a - 1)
        tx.jobs.postpone(a, 1, 5.0, "down")
        assert not tx.jobs.unsettled(a)
        job = tx.jobs.next(9.0, 15, 30.0)
        assert job is not None
        assert (job.attempts, job.not_before, job.reason) == (1, 5.0, "down")


def test_a_remember_that_waits_for_a_retry_lets_only_upkeep_go_ahead(store: Store) -> None:
    with store.write() as tx:
        first, second = tx.accept([], 1.0, 10) or 0, tx.accept([], 1.0, 10) or 0
        tx.jobs.postpone(first, 1, 5.0, "down")
        assert tx.jobs.next(4.0, 15, 30.0).seq == first  # type: ignore[union-attr]
        assert not tx.jobs.waits("sweep")
        sweep = tx.jobs.add("sweep", 1.0)
        assert tx.jobs.waits("sweep")
        assert tx.jobs.next(4.0, 15, 30.0).seq == sweep  # type: ignore[union-attr]
        assert tx.jobs.next(5.0, 15, 30.0).seq == first  # type: ignore[union-attr]
        tx.jobs.finish(first, 5.0)
        assert tx.jobs.next(5.0, 15, 30.0).seq == second  # type: ignore[union-attr]


def test_one_that_failed_for_good_lets_others_go_ahead_while_it_waits(store: Store) -> None:
    with store.write() as tx:
        first, second = tx.accept([], 1.0, 10) or 0, tx.accept([], 1.0, 10) or 0
        tx.jobs.postpone(first, 16, 40.0, "down")
        tx.jobs.send_back(first)
        third = tx.accept([], 1.0, 10) or 0
        order = []
        for _ in range(3):
            job = tx.jobs.next(20.0, 15, 30.0)
            assert job is not None
            order.append(job.seq)
            tx.jobs.finish(job.seq, 1.0)
        assert order == [second, third, first]


def test_a_wait_that_seems_longer_than_any_has_ended(store: Store) -> None:
    """The clock went back by a year."""
    with store.write() as tx:
        first, sweep = tx.accept([], 1.0, 10) or 0, tx.jobs.add("sweep", 1.0)
        tx.jobs.postpone(first, 1, 3e7, "down")
        assert tx.jobs.next(5.0, 15, 30.0).seq == first  # type: ignore[union-attr]
        assert sweep


def test_calls_come_after_the_commit_and_not_after_a_rollback(store: Store) -> None:
    heard: list[str] = []

    def look() -> None:
        with store.write() as tx:
            heard.append(tx.meta.get("said") or "")

    with store.write() as tx:
        tx.meta.set("said", "yes")
        tx.after(look)
    assert heard == ["yes"]
    with pytest.raises(RuntimeError), store.write() as tx:  # noqa: PT012
        tx.after(look)
        raise RuntimeError
    assert heard == ["yes"]


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


def test_links_are_directed_single_and_keep_their_name(store: Store) -> None:
    with store.write() as tx:
        a, b = add(tx), add(tx)
        tx.links.put([LinkRecord(a, b, 0.5, 0, "下文")])
        tx.links.put([LinkRecord(b, a, 0.4, 2, "上文")])
        tx.links.put([LinkRecord(a, b, 1.0, 3, "other")])
        assert tx.links.of(a) == [LinkRecord(a, b, 1.0, 3, "下文")]
        assert tx.links.to(a) == [LinkRecord(b, a, 0.4, 2, "上文")]
        tx.links.put([LinkRecord(a, 99, 0.1, 0, None)])
        found = tx.links.neighbours(a)
        assert [(link.target, node.n if node else None) for link, node in found] == [
            (b, b),
            (99, None),
        ]


def test_the_focus_keeps_its_order_and_supports(reopen: Callable[[], Store]) -> None:
    first = reopen()
    with first.write() as tx:
        a, b, c = add(tx), add(tx), add(tx)
        tx.links.put([LinkRecord(a, c, 1.0, 0, None), LinkRecord(b, c, 1.0, 0, None)])
        tx.links.set_focus([b, a])
        tx.links.set_focus([b, a])
    first.close()
    with reopen().read() as tx:
        assert tx.links.focus() == [b, a]
        assert [link.source for link in tx.links.supporters(c)] == [b, a]


def test_the_journal_tells_of_a_memory_in_order(store: Store) -> None:
    with store.write() as tx:
        n = add(tx)
        tx.journal.log("one", n, {"文": [1, None]}, 1.0)
        tx.advance()
        tx.journal.log("two", n, {}, 2.0)
        tx.journal.log("other", None, {}, 3.0)
        found = tx.journal.of(n)
    assert [(e.kind, e.passes, e.at) for e in found] == [("one", 0, 1.0), ("two", 1, 2.0)]
    assert found[0].detail == '{"文":[1,null]}'


def test_behaviour_adds_up(store: Store) -> None:
    with store.write(soft=True) as tx:
        n = add(tx)
        tx.signals.accessed([n, n], 1.0)
        tx.signals.accessed([n], 5.0)
        tx.signals.traversed([n], 7.0)
        found = tx.signals.get(n)
    assert found is not None
    assert (found.access_count, found.traverse_count) == (3, 1)
    assert (found.last_accessed_at, found.last_linked_at) == (5.0, 7.0)


def test_behaviour_is_told_to_the_journal_once(store: Store) -> None:
    with store.write() as tx:
        one, two = add(tx), add(tx)
        tx.signals.accessed([one, two], 1.0)
        seen = tx.signals.unnoted()
        assert [record.node for record in seen] == [one, two]
        tx.signals.accessed([two], 2.0)  # meanwhile
        tx.signals.note(seen)
        assert [(r.node, r.access_count) for r in tx.signals.unnoted()] == [(two, 2)]
        tx.signals.put(seen)
        found = tx.signals.get(two)
    assert found == seen[1]


def test_the_newest_entry_of_the_journal_is_known(store: Store) -> None:
    with store.write() as tx:
        assert tx.journal.last() == 0
        tx.journal.log("one", None, {}, 1.0)
        assert tx.journal.last() == tx.journal.after()[-1].seq


def test_a_sound_store_has_nothing_to_complain_about(store: Store) -> None:
    assert store.check() == []
    assert store.size() > 0


def test_threads_take_turns_at_writing(store: Store) -> None:
    def write() -> None:
        for _ in range(20):
            with store.write() as tx:
                add(tx)
                tx.advance()

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as tx:
        assert tx.passes() == tx.nodes.highest() == 160


# finding what was said


def say(tx: Transaction, *said: Message | str, at: float = 0.0, terms: Any = ()) -> int:
    """Accept messages; return the number of the last one."""
    given = [m if isinstance(m, Message) else Message("user", m) for m in said]
    assert tx.accept(given, at, 10_000, terms)
    last = tx.messages.last()
    assert last is not None
    return last.seq


def place_at(where: int) -> int:
    return where >> LENGTH_BITS & PLACES


def length_at(where: int) -> int:
    return where & LENGTHS


def talks_of(tx: Transaction) -> list[tuple[int, int]]:
    return [(m.talk, m.place) for m in tx.messages.between(1, 10_000)]


def test_a_spot_gives_back_what_was_put_into_it() -> None:
    for message, place, length in [(1, 0, 0), (1, 63, 4095), (1 << 40, 17, 300)]:
        where = spot(message, place, length)
        assert (message_at(where), place_at(where), length_at(where)) == (message, place, length)
    assert length_at(spot(5, 3, 100_000)) == 4095
    assert spot(2, 0, 0) > spot(1, 63, 4095)


def test_postings_tell_where_a_term_stands_newest_first(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", "b", "c", terms=[["dog", "cat"], ["dog"], ["cat", "bird", "dog"]])
        found = tx.index.postings("dog", 10)
        assert [(message_at(s), place_at(s), length_at(s)) for s in found] == [
            (3, 2, 3),
            (2, 1, 1),
            (1, 0, 2),
        ]
        assert tx.index.postings("dog", 2) == found[:2]
        assert tx.index.postings("dog", 0) == []
        assert [message_at(s) for s in tx.index.postings("cat", 10)] == [3, 1]
        assert tx.index.postings("do", 10) == tx.index.postings("horse", 10) == []


def test_postings_are_there_for_readers_once_written_and_after_reopening(
    reopen: Callable[[], Store],
) -> None:
    first = reopen()
    with first.read() as tx:
        assert tx.index.postings("dog", 10) == []
    with first.write() as tx:
        say(tx, "a", terms=[["dog"]])
    with first.read() as tx:
        assert len(tx.index.postings("dog", 10)) == 1
    first.close()
    with reopen().read() as tx:
        assert len(tx.index.postings("dog", 10)) == 1


def test_what_is_rolled_back_is_not_found(store: Store) -> None:
    with pytest.raises(RuntimeError), store.write() as tx:  # noqa: PT012
        say(tx, "a", terms=[["dog"]])
        raise RuntimeError
    with store.read() as tx:
        assert tx.index.postings("dog", 10) == []
        assert tx.messages.last() is None


def test_a_single_character_that_is_not_ascii_finds_what_begins_with_it(store: Store) -> None:
    with store.write() as tx:
        say(tx, *"1234", terms=[["猫"], ["猫咪", "小猫"], ["小猫"], ["cats", "c"]])
        assert [message_at(s) for s in tx.index.postings("猫", 10)] == [2, 1]
        assert [message_at(s) for s in tx.index.postings("猫咪", 10)] == [2]
        assert [message_at(s) for s in tx.index.postings("c", 10)] == [4]


@pytest.mark.parametrize(
    "term", ["and", "or", "not", "near", "terms", "a1234", "²", "dog²", "登录"]
)
def test_a_term_is_never_taken_for_a_command(store: Store, term: str) -> None:
    with store.write() as tx:
        say(tx, "a", "b", terms=[[term, "other"], ["other"]])
        assert [message_at(s) for s in tx.index.postings(term, 10)] == [1]


def test_messages_without_terms_are_kept_and_not_found(store: Store) -> None:
    with store.write() as tx:
        say(tx, "dog")
        say(tx, "dog", "cat", terms=[["dog"], []])
        assert [message_at(s) for s in tx.index.postings("dog", 10)] == [2]
        assert [m.content for m in tx.messages.between(1, 9)] == ["dog", "dog", "cat"]


def test_a_rejected_acceptance_is_not_found(store: Store) -> None:
    with store.write() as tx:
        assert tx.accept([Message("user", "a")], 1.0, 1, [["dog"]])
        assert tx.accept([Message("user", "b", name="Ann")], 1.0, 1, [["cat"]]) is None
        assert tx.index.postings("cat", 10) == tx.messages.speakers() == []
        assert tx.messages.last().seq == 1  # type: ignore[union-attr]


def test_the_full_text_is_emptied_and_made_anew(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", "b", terms=[["dog"], ["cat"]])
        tx.index.clear()
        assert tx.index.postings("dog", 10) == tx.index.postings("cat", 10) == []
        for message in tx.messages.between(1, 2):
            tx.index.add(message, ["horse", message.content])
        tx.index.add(tx.messages.of([1])[0], [])
    with store.read() as tx:
        found = tx.index.postings("horse", 10)
        assert [(message_at(s), place_at(s), length_at(s)) for s in found] == [(2, 1, 2), (1, 0, 2)]
        assert tx.index.postings("dog", 10) == []
    assert store.check() == []


# conversations


def test_messages_of_one_conversation_are_numbered_in_it(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", "b", at=10.0)
        say(tx, "c", at=20.0)
        assert talks_of(tx) == [(1, 0), (1, 1), (1, 2)]


def test_an_hour_of_silence_ends_a_conversation(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", at=0.0)
        say(tx, "b", at=TALK_SECONDS)
        assert talks_of(tx) == [(1, 0), (1, 1)]
        say(tx, "c", at=2 * TALK_SECONDS + 1)
        say(tx, "d", at=2 * TALK_SECONDS + 2)
        assert talks_of(tx)[2:] == [(2, 0), (2, 1)]


def test_the_time_a_message_was_said_counts_not_that_of_its_acceptance(store: Store) -> None:
    with store.write() as tx:
        first, second = Message("user", "a", timestamp=50.0), Message("user", "b", timestamp=9e3)
        say(tx, first, second, Message("user", "c"), at=9001.0)
        assert talks_of(tx) == [(1, 0), (2, 0), (2, 1)]
        assert [m.said_at for m in tx.messages.between(1, 3)] == [50.0, 9000.0, 9001.0]
        assert [m.timestamp for m in tx.messages.between(1, 3)] == [50.0, 9000.0, None]


def test_a_jump_back_in_time_of_more_than_an_hour_begins_another_conversation(
    store: Store,
) -> None:
    with store.write() as tx:
        for said_at in (90_000.0, 90_000.0 - TALK_SECONDS, 0.0):
            say(tx, Message("user", "a", timestamp=said_at), at=1e6)
        assert talks_of(tx) == [(1, 0), (1, 1), (2, 0)]


def test_a_conversation_of_more_than_64_messages_counts_as_several(store: Store) -> None:
    with store.write() as tx:
        say(tx, *["a"] * 130, terms=[["dog"]] * 130)
        assert talks_of(tx) == [(1 + n // 64, n % 64) for n in range(130)]
        assert [place_at(s) for s in tx.index.postings("dog", 3)] == [1, 0, 63]


def test_a_conversation_goes_on_after_reopening(reopen: Callable[[], Store]) -> None:
    first = reopen()
    with first.write() as tx:
        say(tx, "a", at=1.0)
    first.close()
    with reopen().write() as tx:
        say(tx, "b", at=2.0)
        assert talks_of(tx) == [(1, 0), (1, 1)]


# messages, speakers, memories of messages


def test_the_last_message_is_the_one_accepted_last(store: Store) -> None:
    with store.write() as tx:
        assert tx.messages.last() is None
        say(tx, Message("user", "new", timestamp=99.0), Message("user", "old", timestamp=98.0))
        assert tx.messages.last().content == "old"  # type: ignore[union-attr]
        tx.accept([], 100.0, 10)
        assert tx.messages.last().seq == 2  # type: ignore[union-attr]


def test_messages_are_read_by_their_numbers(store: Store) -> None:
    with store.write() as tx:
        say(tx, Message("user", "a", "x", "Ann", 5.0), "b", "c", at=6.0)
        assert {m.seq: m.content for m in tx.messages.of([3, 1, 99, -1, 0, 1])} == {1: "a", 3: "c"}
        assert tx.messages.of([]) == []
        found = tx.messages.of(range(1, 2))[0]
        assert (found.public_id, found.name, found.talk, found.place) == ("x", "Ann", 1, 0)
        assert found == tx.messages.between(1, 1)[0]


def test_the_heads_of_messages_say_where_by_whom_and_when(store: Store) -> None:
    with store.write() as tx:
        say(tx, Message("user", "a", "x", "Ann", 5.0), "b", at=6.0)
        say(tx, "c", at=9000.0)
        found = [(1, 0, "Ann", 5.0), (2, 1, None, 6.0), (3, 0, None, 9000.0)]
        assert sorted(tx.messages.heads([3, 1, 2, 99, 0, 1])) == found
        assert tx.messages.heads([]) == []


def test_heads_in_mind_are_those_of_which_something_is_at_hand_or_nothing_was_made(
    store: Store,
) -> None:
    with store.write() as tx:
        say(tx, *"abcdefg")
        made = {m: add(tx, message=m) for m in range(1, 7)}  # nothing was made of the seventh
        add(tx, message=2)  # a second memory of a message whose first is forgotten
        saved(tx, made[2], forgotten_at=5.0)
        saved(tx, made[3], forgotten_at=5.0)
        saved(tx, made[4], die_at=10)
        tx.lifecycle.put(LifecycleRecord(made[m], 1.0) for m in (5, 6))
        tx.links.set_focus([made[6]])
        heads = {
            passes: {head[0] for head in tx.messages.heads(range(9), passes)} for passes in (9, 10)
        }
        assert heads == {9: {1, 2, 4, 6, 7}, 10: {1, 2, 6, 7}}
        assert {head[0] for head in tx.messages.heads(range(9))} == set(range(1, 8))


def test_what_was_said_in_a_span_comes_newest_first(store: Store) -> None:
    with store.write() as tx:
        for at in (30.0, 10.0, 20.0, 20.0, 40.0):
            say(tx, Message("user", "a", timestamp=at))
        assert tx.messages.said_between(10.0, 40.0, 10) == [1, 4, 3, 2]
        assert tx.messages.said_between(10.0, 40.0, 2) == [1, 4]
        assert tx.messages.said_between(40.0, 1e300, 10) == [5]
        assert (
            tx.messages.said_between(40.0, 40.0, 10)
            == tx.messages.said_between(50.0, 5.0, 10)
            == []
        )


def test_every_speaker_is_named_once(store: Store) -> None:
    with store.write() as tx:
        assert tx.messages.speakers() == []
        names = ["Ann", None, "小祥", "Ann", "ann"]
        say(tx, *(Message("user", "a", name=name) for name in names))
        assert sorted(tx.messages.speakers()) == ["Ann", "ann", "小祥"]


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


# vectors


def test_vectors_are_kept_read_in_order_and_dropped(reopen: Callable[[], Store]) -> None:
    first = reopen()
    with first.write() as tx:
        assert (tx.vectors.last(), tx.vectors.after(0, 10)) == (0, [])
        tx.vectors.add([(2, b"two"), (1, b"one")])
        tx.vectors.add(iter([(5, b"\x00\xff")]))
        tx.vectors.add([])
    first.close()
    with reopen().write() as tx:
        assert tx.vectors.last() == 5
        assert tx.vectors.after(0, 10) == [(1, b"one"), (2, b"two"), (5, b"\x00\xff")]
        assert tx.vectors.after(1, 1) == [(2, b"two")]
        assert tx.vectors.after(5, 10) == []
        tx.vectors.add([(2, b"anew")])
        assert tx.vectors.after(1, 1) == [(2, b"anew")]
        tx.vectors.clear()
        assert (tx.vectors.last(), tx.vectors.after(0, 10)) == (0, [])


# carrying all of it elsewhere


def test_every_record_can_be_told_and_taken_in_again(
    store: Store, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with store.write() as tx:
        tx.accept([Message("user", "x", "id-1", "Ann", 5.0), Message("tool", "y")], 1.0, 10)
        n = add(tx, kind="fact")
        tx.links.put([LinkRecord(n, n, 0.5, 0, None)])
        tx.links.set_focus([n])
        tx.journal.log("one", n, {"a": 1}, 1.0)
        tx.signals.accessed([n], 2.0)
        tx.facts.learn_from(n, [1, 2])
        tx.vectors.add([(1, b"ab")])
        tx.lifecycle.put([LifecycleRecord(n, 3.0, None, 1)])
        tx.tombstones.add("node", "mem_7", 4.0)
    other = SQLiteStore(tmp_path_factory.mktemp("other") / "memory.db")
    with store.snapshot() as tx, other.write() as copy:
        for kind in KEPT:
            records = list(tx.rows.every(kind))
            assert tx.rows.how_many(kind) == len(records)
            for record in records:
                copy.rows.take_in(kind, record)
        assert [
            kind for kind in KEPT if list(tx.rows.every(kind)) != list(copy.rows.every(kind))
        ] == []
        empty = {kind for kind in KEPT if not tx.rows.how_many(kind)}
        assert copy.messages.speakers() == ["Ann"]
    other.close()
    assert empty == {"fact", "usage"}


def test_a_record_whose_number_is_taken_is_refused(store: Store) -> None:
    with store.write() as tx:
        record = tx.nodes.get(add(tx))
        with pytest.raises(InvalidInput, match="this node is there already"):
            tx.rows.take_in("node", record)


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


def test_a_snapshot_sees_one_moment_while_others_read_and_write(store: Store) -> None:
    with store.snapshot() as moment:
        assert moment.passes() == 0
        _advance(store)
        with store.read(long=True) as tx:
            assert tx.passes() == 1
        assert moment.passes() == 0
        with pytest.raises(StorageError), store.snapshot() as other:
            other.meta.set("x", "y")


def test_a_copy_is_whole_and_never_overwrites(store: Store, tmp_path: Path) -> None:
    with store.write() as tx:
        tx.accept([Message("user", "x")], 1.0, 10, [["green", "gate"]])
    store.copy_to(tmp_path / "copy.db")
    copy = SQLiteStore(tmp_path / "copy.db")
    with copy.read() as tx:
        assert len(tx.index.postings("gate", 9)) == 1
        assert [m.content for m in tx.rows.every("message")] == ["x"]
    copy.close()
    with pytest.raises(StorageError, match="cannot copy"):
        store.copy_to(tmp_path / "copy.db")


# facts and episodes


def learn(tx: Transaction, text: str = "text", kind: str = "fact", **changes: Any) -> int:
    n = add(tx, text, kind=kind)
    plain = FactRecord(n, 1.5, 10.0, 0, "background_ai", 0, "other", None, None)
    tx.facts.put(replace(plain, **changes))
    return n


def test_a_fact_is_kept_with_what_belongs_to_it(reopen: Callable[[], Store]) -> None:
    first = reopen()
    with first.write() as tx:
        n = learn(tx, weight=2.123456, used_at=5.5, aged=3, verified=1, topic="promise")
    first.close()
    with reopen().read() as tx:
        assert tx.facts.get(n) == FactRecord(
            n, 2.123456, 5.5, 3, "background_ai", 1, "promise", None, None
        )


def test_putting_a_fact_again_replaces_all_of_it(store: Store) -> None:
    with store.write() as tx:
        n, other = learn(tx), learn(tx)
        changed = FactRecord(n, 0.5, 9.0, 7, "user", 1, "personal", other, "decay")
        tx.facts.put(changed)
        assert tx.facts.get(n) == changed
        assert tx.facts.get(other) != changed


def test_what_is_no_fact_has_nothing_of_one(store: Store) -> None:
    with store.write() as tx:
        segment = add(tx)
        assert tx.facts.get(segment) is None
        assert tx.facts.get(99) is None
        assert tx.facts.evidence_of(99) == []
        assert tx.facts.learned_from([99]) == []
        assert tx.index.facts_holding("nothing", 9) == []
        assert tx.facts.of_kinds(["fact"]) == tx.facts.after(0, 9) == []


def test_facts_are_listed_by_kind_newest_first_without_the_forgotten(store: Store) -> None:
    with store.write() as tx:
        add(tx)
        fact, core, episode = learn(tx), learn(tx, kind="core"), learn(tx, kind="episode")
        newer, gone = learn(tx), learn(tx)
        saved(tx, gone, forgotten_at=7.0, reason="asked")
        assert [r.n for r in tx.facts.of_kinds(["fact"])] == [newer, fact]
        assert [r.n for r in tx.facts.of_kinds(["core", "fact"])] == [newer, core, fact]
        assert [r.n for r in tx.facts.of_kinds(["fact", "core", "fact"], 2)] == [newer, core]
        assert [r.n for r in tx.facts.of_kinds(["episode"], 9)] == [episode]
        assert (
            tx.facts.of_kinds(["fact"], 0)
            == tx.facts.of_kinds([])
            == tx.facts.of_kinds(["segment"])
            == []
        )
        assert [r.kind for r in tx.facts.of_kinds(["system", "nonsense"])] == []


def test_facts_of_all_kinds_come_in_order_after_a_number(store: Store) -> None:
    with store.write() as tx:
        add(tx)
        kinds = ("fact", "episode", "core", "system", "fact")
        numbers = [learn(tx, kind=kind) for kind in kinds]
        add(tx)
        saved(tx, numbers[1], forgotten_at=7.0)
        left = [numbers[0], *numbers[2:]]
        assert [r.n for r in tx.facts.after(0, 99)] == left
        assert [r.n for r in tx.facts.after(left[0], 2)] == left[1:3]
        assert tx.facts.after(left[-1], 9) == []
        assert tx.facts.after(0, 0) == []


def test_a_memory_becomes_one_of_another_kind(store: Store) -> None:
    with store.write() as tx:
        n = learn(tx, "name")
        tx.nodes.set_kind(n, "core")
        assert tx.facts.of_kinds(["fact"]) == []
        (record,) = tx.facts.of_kinds(["core"])
        assert (record.n, record.original) == (n, "name")


def test_living_facts_that_wait_for_a_decision_are_told_apart(store: Store) -> None:
    with store.write() as tx:
        learn(tx)
        learn(tx, review="undecided")
        decay, gone = learn(tx, review="decay"), learn(tx, review="decay")
        promotion = learn(tx, review="promotion")
        saved(tx, gone, forgotten_at=7.0)
        assert [f.node for f in tx.facts.to_review(9)] == [decay, promotion]
        assert [f.review for f in tx.facts.to_review(-1)] == ["decay", "promotion"]
        assert [f.node for f in tx.facts.to_review(1)] == [decay]
        assert tx.facts.to_review(0) == []


def test_evidence_leads_both_ways_and_is_noted_once(store: Store) -> None:
    with store.write() as tx:
        a, b = learn(tx), learn(tx)
        tx.facts.learn_from(a, [3, 1, 3])
        tx.facts.learn_from(a, [1])
        tx.facts.learn_from(b, [3])
        tx.facts.learn_from(b, [])
        assert tx.facts.evidence_of(a) == [1, 3]
        assert tx.facts.evidence_of(b) == [3]
        assert tx.facts.learned_from([3, 2]) == [(3, a), (3, b)]
        assert tx.facts.learned_from([]) == []


def test_facts_are_found_by_their_terms_newest_first(store: Store) -> None:
    with store.write() as tx:
        a, b, c = learn(tx), learn(tx), learn(tx)
        tx.index.add_fact(a, ["喜欢", "猫", "cat", "§home主人"])
        tx.index.add_fact(b, ["喜欢", "狗"])
        tx.index.add_fact(c, [])
        assert tx.index.facts_holding("喜欢", 9) == [b, a]
        assert tx.index.facts_holding("喜欢", 1) == [b]
        assert tx.index.facts_holding("cat", 9) == [a]
        assert tx.index.facts_holding("§home主人", 9) == [a]
        assert tx.index.facts_holding("ca", 9) == []
        assert tx.index.facts_holding("喜", 9) == [b, a]  # one character begins a word
        assert tx.index.facts_holding("欢", 9) == []


def test_terms_of_facts_and_of_messages_do_not_mix(store: Store) -> None:
    with store.write() as tx:
        tx.accept([Message("user", "猫")], 1.0, 9, [["猫"]])
        n = learn(tx)
        tx.index.add_fact(n, ["狗"])
        assert tx.index.facts_holding("猫", 9) == []
        assert tx.index.postings("狗", 9) == []
        tx.index.clear()
        assert tx.index.facts_holding("狗", 9) == [n]


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


def test_a_rolled_back_fact_leaves_nothing(store: Store) -> None:
    with pytest.raises(RuntimeError), store.write() as tx:  # noqa: PT012
        n = learn(tx)
        tx.facts.learn_from(n, [1])
        tx.index.add_fact(n, ["猫"])
        raise RuntimeError
    with store.read() as tx:
        assert tx.facts.get(1) is None
        assert tx.facts.evidence_of(1) == []
        assert tx.index.facts_holding("猫", 9) == []
