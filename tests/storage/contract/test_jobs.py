"""The drawer of jobs."""

from __future__ import annotations

from storage.contract.given import add, say

from wangchuan.storage import Store
from wangchuan.types import Message


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


def test_several_are_read_at_once(store: Store) -> None:
    with store.write() as tx:
        first, second, third = (tx.accept([], 1.0, 10) or 0 for _ in range(3))
        tx.jobs.finish(third, 2.0)
        found = [(job.seq, job.state) for job in tx.jobs.some([third, first, 99])]
        assert found == [(first, "pending"), (third, "done")]
        assert second not in dict(found)


def test_unsettled_means_waiting_for_the_first_try(store: Store) -> None:
    with store.write() as tx:
        a = tx.accept([Message("user", "a")], 1.0, 10) or 0
        assert tx.jobs.unsettled(1)
        assert not tx.jobs.unsettled(0)
        tx.jobs.postpone(a, 1, 5.0, "down")
        assert not tx.jobs.unsettled(1)
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


def test_the_remembers_that_wait_are_counted_no_further_than_the_limit(store: Store) -> None:
    with store.write() as tx:
        assert (tx.jobs.waiting_span(), tx.jobs.waiting(9), tx.jobs.is_full(1)) == (None, 0, False)
        assert (tx.jobs.last(), tx.jobs.last_accepted()) == (0, None)
        numbers = [tx.accept([], at, 10) or 0 for at in (1.0, 2.0, 3.0)]
        sweep = tx.jobs.add("sweep", 9.0)
        assert (tx.jobs.waiting(2), tx.jobs.waiting(9)) == (2, 3)
        assert (tx.jobs.is_full(3), tx.jobs.is_full(4)) == (True, False)
        assert (tx.jobs.waiting_span() or 0) >= 2
        assert (tx.jobs.last(), tx.jobs.last_accepted()) == (sweep, 3.0)
        assert [job.seq for job in tx.jobs.upkeep()] == [sweep]
        tx.jobs.drop(numbers[0])
        tx.jobs.drop(sweep)
        assert (tx.jobs.get(sweep), tx.jobs.upkeep(), tx.jobs.pending()) == (None, [], 2)


def test_a_job_sent_back_comes_after_all_that_wait_also_after_those_sent_back(
    store: Store,
) -> None:
    with store.write() as tx:
        a, b = tx.accept([], 1.0, 10) or 0, tx.accept([], 1.0, 10) or 0
        for seq in (a, b, a):
            tx.jobs.send_back(seq)
        c = tx.accept([], 1.0, 10) or 0
        places = [(job.place, job.seq) for job in tx.jobs.in_state("pending")]
        assert [seq for _, seq in sorted(places)] == [b, a, c]
        assert len({place for place, _ in places}) == 3
        for seq in (a, b, c):
            tx.jobs.finish(seq, 2.0)
        assert tx.jobs.add("sweep", 3.0) == tx.jobs.in_state("pending")[0].place == c + 1
        tx.jobs.send_back(a)  # no remember waits: only its own place counts, and the last number
        assert tx.jobs.get(a).place == max(places)[0]  # type: ignore[union-attr]


def test_the_first_remember_is_known_whether_it_waits_or_not(store: Store) -> None:
    with store.write() as tx:
        assert tx.jobs.first_remember() is None
        first, second = tx.accept([], 1.0, 10) or 0, tx.accept([], 1.0, 10) or 0
        tx.jobs.postpone(first, 16, 40.0, "down")
        assert tx.jobs.first_remember().seq == first  # type: ignore[union-attr]
        assert tx.jobs.next_remember(20.0, 15, 50.0).seq == second  # type: ignore[union-attr]
        assert tx.jobs.next_remember(40.0, 15, 70.0).seq == first  # type: ignore[union-attr]


def test_a_job_that_moved_on_is_told_from_one_that_stands_as_it_was_read(store: Store) -> None:
    with store.write() as tx:
        job = tx.jobs.get(tx.accept([], 1.0, 10) or 0)
        assert job is not None
        assert tx.jobs.is_unchanged(job)
        tx.jobs.progress(job.seq, '{"focus":[3,1]}')
        assert not tx.jobs.is_unchanged(job)
        assert sorted(tx.jobs.attended_by(job.seq)) == [1, 3]
        tx.jobs.progress(job.seq, '{"window":1}')
        assert tx.jobs.attended_by(job.seq) == tx.jobs.attended_by(99) == []


def test_reasons_are_blanked_to_the_kind_of_error_and_reviews_begin_anew(store: Store) -> None:
    with store.write() as tx:
        told, plain, done = (tx.accept([], 1.0, 10) or 0 for _ in range(3))
        review = tx.jobs.add("review", 1.0)
        tx.jobs.progress(review, "{}")
        tx.jobs.fail(told, 2.0, "ModelError: Ann said: no")
        tx.jobs.postpone(plain, 1, 2.0, "down")
        tx.jobs.finish(done, 2.0)
        assert (tx.jobs.blank_reasons(), tx.jobs.blank_reasons()) == (1, 0)
        reasons = {job.seq: job.reason for job in tx.rows.every("job")}
        assert (reasons[told], reasons[plain]) == ("ModelError", "down")
        assert (tx.jobs.blank_reviews(), tx.jobs.blank_reviews()) == (1, 0)
        assert tx.jobs.get(review).progress is None  # type: ignore[union-attr]


def test_old_jobs_of_which_nothing_is_left_are_found(store: Store) -> None:
    with store.write() as tx:
        for _ in range(5):
            say(tx, "hi")
        for seq in (1, 2, 3, 5):
            tx.jobs.finish(seq, 1.0)
        add(tx, job=2)
        assert [job.seq for job in tx.jobs.idle(9, 9, 9)] == [1, 3, 5]
        assert [job.seq for job in tx.jobs.idle(4, 9, 9)] == [1, 3]
        assert [job.seq for job in tx.jobs.idle(9, 2, 9)] == [1]
        assert [job.seq for job in tx.jobs.idle(9, 9, 2)] == [1, 3]


def test_the_job_that_brought_a_message_is_found(store: Store) -> None:
    with store.write() as tx:
        first = tx.accept([Message("user", "a"), Message("user", "b")], 1.0, 10)
        tx.jobs.add("sweep", 1.0)
        second = tx.accept([Message("user", "c")], 1.0, 10)
        assert [tx.jobs.bringing(n) for n in (1, 2, 3, 4)] == [first, first, second, None]


def test_the_latest_jobs_of_some_states_come_newest_first(store: Store) -> None:
    with store.write() as tx:
        a, b, c = (tx.jobs.add("remember", 1.0) for _ in range(3))
        tx.jobs.finish(b, 2.0)
        assert [job.seq for job in tx.jobs.latest(["pending", "done"], c + 1, 2)] == [c, b]
        assert [job.seq for job in tx.jobs.latest(["pending"], c, 9)] == [a]
        assert tx.jobs.latest([], c, 9) == []
