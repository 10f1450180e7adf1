"""The drawer of jobs."""

from __future__ import annotations

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
