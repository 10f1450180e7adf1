"""The drawer of messages."""

from __future__ import annotations

from collections.abc import Callable

from storage.contract.given import add, learn, place_at, saved, say

from wangchuan.storage import LifecycleRecord, Store, Transaction
from wangchuan.storage.records import TALK_SECONDS
from wangchuan.types import Message


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
        assert tx.messages.newest() == found[-1].seq
        assert [m.content for m in tx.messages.waiting(2, 3)] == ["y", "x"]
        assert [m.content for m in tx.messages.waiting(1, 3)] == ["y"]
        assert [m.content for m in tx.messages.waiting(9, 3)] == ["y", "x", "before"]
        assert [m.content for m in tx.messages.waiting(9, 2)] == ["x", "before"]
        tx.jobs.finish(job.seq, 2.0)
        assert [m.content for m in tx.messages.waiting(9, 3)] == ["before"]


def talks_of(tx: Transaction) -> list[tuple[int, int]]:
    return [(m.talk, m.place) for m in tx.messages.between(1, 10_000)]


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


def test_the_last_message_is_the_one_accepted_last(store: Store) -> None:
    with store.write() as tx:
        assert tx.messages.last() is None
        say(tx, Message("user", "new", timestamp=99.0), Message("user", "old", timestamp=98.0))
        assert tx.messages.last().content == "old"  # type: ignore[union-attr]
        tx.accept([], 100.0, 10)
        assert tx.messages.last().seq == 2  # type: ignore[union-attr]


def test_what_a_node_was_learned_from_is_read_at_once(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", "b", "c")
        one, other = learn(tx), learn(tx)
        tx.facts.learn_from(one, [3, 1])
        tx.facts.learn_from(other, [2])
        assert [(m.seq, m.content) for m in tx.messages.behind(one)] == [(1, "a"), (3, "c")]
        assert [m.content for m in tx.messages.behind(other)] == ["b"]
        assert tx.messages.behind(99) == []


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
        found = [(1, 0, "Ann", 5.0, "a"), (2, 1, None, 6.0, "b"), (3, 0, None, 9000.0, "c")]
        assert sorted(tx.messages.heads([3, 1, 2, 99, 0, 1])) == found
        assert tx.messages.heads([]) == []


def test_a_message_answers_another_speaker_or_briefly_a_question(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", Message("assistant", "b"), Message("assistant", "c", name="Ann"), "d", at=6.0)
        say(tx, Message("assistant", "first of a talk"), at=9000.0)
        say(tx, "Where is it?", "There.", "What?", "Nobody here knows.", "So", at=20_000.0)
        assert sorted(tx.messages.answering(range(20))) == [2, 3, 4, 7]
        assert tx.messages.answering([]) == []


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
        tx.ticks.put(LifecycleRecord(made[m], 1.0) for m in (5, 6))
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


def test_a_message_is_found_by_its_public_id_unless_it_was_erased(store: Store) -> None:
    with store.write() as tx:
        say(tx, Message("user", "a", "x"), "b", Message("user", "c", "x"))
        assert [m.seq for m in tx.messages.named("x")] == [1, 3]
        assert [m.seq for m in tx.messages.named("msg_2")] == [2]
        assert (tx.messages.empty(3), tx.messages.empty(3)) == (1, 0)
        assert [m.seq for m in tx.messages.named("x")] == [1]
        shell = tx.messages.of([3])[0]
        assert (shell.role, shell.content, shell.id, shell.place) == ("", "", None, 2)


def test_a_message_stands_in_the_conversation_of_the_one_before(store: Store) -> None:
    with store.write() as tx:
        first = tx.messages.add(Message("user", "a", name="Ann"), None, 1.0)
        second = tx.messages.add(Message("user", "b"), first, 2.0)
        assert [(m.talk, m.place) for m in (first, second)] == [(1, 0), (1, 1)]
        assert tx.messages.between(1, 2) == [first, second]
        tx.messages.add_speaker("Bo")
        tx.messages.add_speaker("Bo")
        assert [tx.messages.drop_speaker(name) for name in ("Ann", "Bo", "Bo")] == [0, 1, 0]
        assert tx.messages.speakers() == ["Ann"]


def test_old_messages_are_those_whose_words_no_job_needs(store: Store) -> None:
    with store.write() as tx:
        jobs = [tx.accept([Message("user", text)], at, 10) for at, text in enumerate("abcd")]
        assert tx.messages.old(9.0, 9, 9) == []
        assert sorted(tx.messages.waiting_ranges()) == [(1, 1), (2, 2), (3, 3), (4, 4)]
        tx.jobs.fail(jobs[0] or 0, 5.0, "why")
        for job in jobs[1:]:
            tx.jobs.finish(job or 0, 5.0)
        assert tx.messages.waiting_ranges() == [(1, 1)]
        assert [m.seq for m in tx.messages.old(3.0, 9, 9)] == [2, 3]
        assert [m.seq for m in tx.messages.old(9.0, 3, 9)] == [2, 3]
        assert [m.seq for m in tx.messages.old(9.0, 9, 1)] == [2]
        tx.messages.blank(2)
        assert [m.seq for m in tx.messages.old(9.0, 9, 9)] == [3, 4]
        assert [(m.role, m.content) for m in tx.messages.of([2])] == [("user", "")]


def test_a_message_is_dropped_and_names_that_nobody_bears(store: Store) -> None:
    with store.write() as tx:
        for name in ("Ann", "Bo", "Ann"):
            last = say(tx, Message("user", "hi", name=name))
        tx.messages.drop(last)
        tx.messages.drop(last - 1)
        tx.messages.drop_speakers()
        assert [m.seq for m in tx.messages.between(1, 9)] == [last - 2]
        assert tx.messages.speakers() == ["Ann"]


def test_messages_given_again_are_known_by_their_ids(store: Store) -> None:
    with store.write() as tx:
        first = tx.accept([Message("user", "a", "m1"), Message("user", "b", "m2")], 1.0, 10)
        tx.accept([Message("user", "c", "m3")], 1.0, 10)
        assert [m.content for m in tx.messages.given(["m3", "m1", "none"])] == ["a", "c"]
        again = tx.given_again([Message("user", "a", "m1"), Message("user", "other", "m2")])
        assert (again.fresh, again.known, again.changed) == ((), ("m1", "m2"), ("m2",))
        assert again.job == first
        new = [Message("user", "d", "m4"), Message("user", "d", "m4"), Message("user", "e")]
        partly = tx.given_again([Message("user", "c", "m3"), *new])
        assert (partly.fresh, partly.known, partly.changed) == ((1, 3), ("m3", "m4"), ())
        tx.tombstones.add("message", "m9", 1.0)
        assert tx.given_again([Message("user", "x", "m9")]).known == ("m9",)


def test_pages_of_messages_leave_out_what_was_erased(store: Store) -> None:
    with store.write() as tx:
        tx.accept([Message("user", str(n)) for n in range(5)], 1.0, 10)
        tx.erase_message(tx.messages.of([2])[0])
        assert [m.content for m in tx.messages.page(0, 2)] == ["0", "2"]
        assert [m.content for m in tx.messages.page(3, 9)] == ["3", "4"]


def test_session_and_metadata_are_kept_and_go_with_the_message(store: Store) -> None:
    with store.write() as tx:
        said = Message("user", "x", session="s1", metadata={"n": 1, "who": "Ann"})
        tx.accept([said], 1.0, 10)
        (record,) = tx.messages.of([1])
        assert (record.session, record.labels) == ("s1", {"n": 1, "who": "Ann"})
        assert record.public.metadata == record.said.metadata == {"n": 1, "who": "Ann"}
        tx.erase_message(record)
        (shell,) = tx.messages.of([1])
        assert (shell.session, shell.metadata) == (None, None)
