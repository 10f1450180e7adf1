"""Transactions, snapshots and copies, whatever is in the drawers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from storage.contract.given import add, learn, say

from wangchuan.errors import StorageError
from wangchuan.storage import LifecycleRecord, LinkRecord, Pruned, Store, Transaction, journal
from wangchuan.storage.records import FactRecord
from wangchuan.storage.sqlite.store import SQLiteStore
from wangchuan.types import Message


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


def test_acceptance_stops_at_the_limit_and_stores_nothing_beyond(store: Store) -> None:
    with store.write() as tx:
        assert tx.accept([Message("user", "1")], 1.0, 2)
        assert tx.accept([Message("user", "2")], 1.0, 2)
        assert tx.accept([Message("user", "3")], 1.0, 2) is None
        assert tx.meta.counts(0)["messages"] == 2
        tx.jobs.add("sweep", 1.0)
        assert tx.jobs.pending() == 3


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


def test_a_rejected_acceptance_is_not_found(store: Store) -> None:
    with store.write() as tx:
        assert tx.accept([Message("user", "a")], 1.0, 1, [["dog"]])
        assert tx.accept([Message("user", "b", name="Ann")], 1.0, 1, [["cat"]]) is None
        assert tx.index.postings("cat", 10) == tx.messages.speakers() == []
        assert tx.messages.last().seq == 1  # type: ignore[union-attr]


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


def test_a_node_is_erased_with_all_that_hangs_on_it(store: Store) -> None:
    with store.write() as tx:
        n, other = learn(tx, "gone"), learn(tx, "there")
        tx.facts.put(FactRecord(other, 1.0, 1.0, 0, "user", 0, "other", n, None))
        tx.links.put([LinkRecord(n, other, 1.0, 0, None), LinkRecord(other, n, 1.0, 0, None)])
        tx.index.add_fact(n, ["cat"])
        tx.facts.learn_from(n, [1])
        tx.signals.accessed([n, other], 1.0)
        tx.ticks.put([LifecycleRecord(n, 1.0)])
        tx.journal.log(journal.Undecided(n, None), 1.0)
        parts = "facts evidence index signals lifecycle journal memories"
        assert tx.erase_node(n) == {"links": 2, **dict.fromkeys(parts.split(), 1)}
        assert not any(tx.erase_node(n).values())
        assert tx.nodes.get(n) is None
        assert tx.links.of(other) == tx.links.to(other) == tx.index.facts_holding("cat", 9) == []
        assert tx.facts.get(other).successor is None  # type: ignore[union-attr]


def test_of_an_erased_message_a_shell_is_left(store: Store) -> None:
    with store.write() as tx:
        tx.accept([Message("user", "a", "x", "Ann")], 1.0, 10, [["cat"]])
        tx.vectors.add([(1, b"v")])
        (record,) = tx.messages.of([1])
        told = {"vectors": 1, "messages": 1, "index": 1, "speakers": 1}
        assert tx.erase_message(record) == told
        assert (tx.messages.named("x"), tx.messages.speakers()) == ([], [])
        assert tx.index.postings("cat", 9) == []
        assert [m.content for m in tx.messages.of([1])] == [""]


def test_traces_of_anything_are_cleared(store: Store) -> None:
    with store.write() as tx:
        tx.models.keep("key", "answer", 1.0, 9)
        tx.jobs.fail(tx.accept([], 1.0, 10) or 0, 2.0, "ModelError: words")
        tx.index.add_fact(99, ["cat"])
        assert tx.clear_traces() == {"answers": 1, "jobs": 1, "index": 1}
        assert set(tx.clear_traces().values()) == {0}


def test_what_is_to_be_called_afterwards_is_handed_out_once(store: Store) -> None:
    heard: list[int] = []
    with store.write() as tx:
        tx.after(lambda: heard.append(1))
        assert len(tx.done()) == 1
        assert tx.done() == []
    assert heard == []


def test_what_goes_for_want_of_room_leaves_links_that_lead_to_it(store: Store) -> None:
    with store.write() as tx:
        n, other = learn(tx, "gone"), learn(tx, "there")
        back = LinkRecord(other, n, 1.0, 0, None)
        tx.links.put([LinkRecord(n, other, 1.0, 0, None), back])
        tx.journal.log(journal.Undecided(n, None), 1.0)
        said = say(tx, "cat", "dog", terms=[["cat"], ["dog"]])
        tx.facts.learn_from(other, [said - 1, said])
        tx.drop_node(n)
        assert (tx.nodes.get(n), tx.facts.get(n), tx.journal.of(n)) == (None, None, [])
        assert (tx.links.of(n), tx.links.of(other)) == ([], [back])
        tx.drop_message(tx.messages.of([said - 1])[0])
        assert [m.seq for m in tx.messages.between(1, 9)] == [said]
        assert tx.facts.evidence_of(other) == [said]
        assert tx.index.postings("cat", 9) == []
        assert tx.tombstones.all() == set()


def test_up_to_where_something_is_gone_only_moves_on(store: Store) -> None:
    with store.write() as tx:
        assert tx.pruned() == Pruned()
        tx.note_pruned(entry=5, at=2.5)
        tx.note_pruned(entry=3, looked=7)
        assert tx.pruned() == Pruned(5, 2.5, 0, 7)


def test_a_part_that_fails_is_undone_alone(store: Store) -> None:
    told: list[str] = []

    def fail_in_a_part() -> None:
        with tx.part():
            add(tx, "lost")
            tx.advance()
            tx.meta.set("tea", "black")
            tx.after(lambda: told.append("lost"))
            raise RuntimeError

    with store.write() as tx:
        first = add(tx, "kept")
        tx.after(lambda: told.append("kept"))
        with pytest.raises(RuntimeError):
            fail_in_a_part()
        assert tx.passes() == 0
        assert tx.meta.get("tea") is None
        with tx.part():
            second = add(tx, "kept, too")
    with store.read() as tx:
        assert [record.original for record in tx.nodes.alive(0)] == ["kept", "kept, too"]
        assert second == first + 1
    assert told == ["kept"]


def test_parts_are_gone_with_the_whole(store: Store) -> None:
    def add_and_fail() -> None:
        with store.write() as tx:
            with tx.part():
                add(tx)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        add_and_fail()
    with store.read() as tx:
        assert tx.nodes.highest() == 0


def test_what_was_asked_ahead_is_answered_as_it_is_when_it_is_read(store: Store) -> None:
    with store.write() as tx:
        say(tx, "one")
        tx.ahead(
            lambda soon: soon.messages.last(),
            lambda soon: soon.jobs.upkeep(),
            lambda soon: soon.meta.get("tea"),
        )
        assert said(tx) == "one"
        say(tx, "two")
        tx.meta.set("tea", "green")
        tx.jobs.add("sweep", 1.0)
        assert (said(tx), tx.meta.get("tea")) == ("two", "green")
        assert [job.kind for job in tx.jobs.upkeep()] == ["sweep"]
        tx.ahead(lambda soon: soon.jobs.upkeep())
        tx.jobs.drop(tx.jobs.upkeep()[0].seq)
        assert tx.jobs.upkeep() == []


def test_what_is_read_together_is_read_with_one_wait_where_a_server_is_waited_for(
    store: Store,
) -> None:
    with store.write() as tx:
        say(tx, "one")
    with store.read() as tx:
        seen: list[object] = []
        tx.together(
            lambda tx: seen.append(tx.messages.newest()),
            lambda tx: seen.append(tx.messages.of([tx.messages.newest()])[0].content),
        )
        assert seen == ([1, "one"] if tx.waits else [])


def test_what_follows_a_reading_is_told_first_and_then_written(store: Store) -> None:
    seen: list[str] = []

    def write(tx: Transaction) -> None:
        seen.append("written")
        tx.meta.set("tea", "green")
        tx.after(lambda: seen.append("done"))

    with store.read(long=True) as tx:
        seen.append("read")
        tx.then(lambda: seen.append("told"), write)
    assert seen == ["read", "told", "written", "done"]
    with store.read() as tx:
        assert tx.meta.get("tea") == "green"
        tx.then(lambda: seen.append("told again"), None)
    assert seen[-1] == "told again"
    with pytest.raises(LookupError), store.read() as tx:  # noqa: PT012
        tx.then(lambda: seen.append("never"), write)
        raise LookupError
    assert seen[-1] == "told again"


def test_numbers_go_on_after_a_part_that_was_undone_and_after_the_last_row_went(
    store: Store,
) -> None:
    with store.write() as tx:
        first = tx.jobs.add("sweep", 1.0)
        with suppress(LookupError), tx.part():
            assert tx.jobs.add("sweep", 2.0) == first + 1
            raise LookupError
        second = tx.jobs.add("sweep", 3.0)
        assert [job.seq for job in tx.jobs.upkeep()] == [first, second] == [first, first + 1]
        tx.jobs.drop(second)
        third = tx.jobs.add("sweep", 4.0)
        assert [job.seq for job in tx.jobs.upkeep()] == [first, third]


def test_a_read_that_asks_once_sees_what_any_other_sees(store: Store) -> None:
    with store.write() as tx:
        tx.jobs.add("sweep", 1.0)
        tx.meta.set("tea", "green")
    with store.read(once=True) as tx:
        assert (len(tx.jobs.upkeep()), tx.meta.get("tea")) == (1, "green")


def said(tx: Transaction) -> str | None:
    last = tx.messages.last()
    return last.content if last else None
