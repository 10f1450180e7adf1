"""The durable queue: who works when.

Every agent has one lane. Its jobs are rows in the agent's own database. They are done in order,
one step at a time. A step's effect and its done-mark are one transaction. Worker threads give
lanes that have work their turns, first come first served. A lane goes to the end when its turn is
over.

Several processes may share an agent. The process that works holds the lease, which the system
releases when that process dies. A process holds the lease only while there is work. After letting
go it looks for jobs once more: whoever accepted a job in between found the lease taken, so one of
the two sees the job. A process without the lease looks now and then whether the jobs it waits for
are done, and whether the lease is free. An idle agent costs nothing at all.

Compression can wait. A lane that compresses makes way at once for a lane with other work. It makes
way for a lane that compresses, too, when its time slice is over.

There is one writer per database, and accepting comes first. While callers go on accepting, and
nobody waits for a result, the lane works in the lull that follows.

Where no model has to be waited for, the small jobs of the queue are done as a group, in one
transaction of at most `GROUP_SECONDS`: in order, each whole or not at all, durable by one sync.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from wangchuan.errors import ModelError, StorageError
from wangchuan.jobs.burst import LATEST_TIMER, LULL_SECONDS, Burst, Writers
from wangchuan.jobs.failures import RETRY_CAP, Failures
from wangchuan.jobs.group import Group, NoAnswer
from wangchuan.jobs.questions import Questions
from wangchuan.jobs.scheduler import LONGEST_PAUSE
from wangchuan.jobs.waits import Waits
from wangchuan.jobs.work import Borrow, Plan, Result, Shared, Work
from wangchuan.models.seam import Ask
from wangchuan.storage import JobRecord, Lease, Store
from wangchuan.types import value

log = logging.getLogger("wangchuan")

WATCH_SECONDS = 0.05  # how often to look while another process holds the lease
QUANTUM_SECONDS = 0.02  # a turn is not cut shorter than this when others wait
GROUP_SECONDS = 0.02  # how long jobs are done in one transaction: others who write wait for it
MOST_TOGETHER = 8  # a job of more messages is done alone
FULLEST_BURST = 0.8  # while callers accept, the queue may not get fuller than this share
LAST_STEPS = 10  # that a lane does when it closes before it had a turn


@value
class Asked:
    """A model call under way."""

    job: JobRecord
    plan: Plan
    ask: Ask
    future: Future[Any]
    until: float
    erased: str | None  # the store's note of erasures when the question was made


class Lane:
    """One agent's queue in this process: its turns, who waits for it, the questions to it."""

    def __init__(
        self, agent: str, borrow: Borrow, lease: Lease, work: Work, shared: Shared
    ) -> None:
        self.agent = agent
        self.queued = self.running = self.again = False  # kept by the scheduler
        self.compresses = False  # the job under way is a compression
        self._borrow, self._lease, self._shared = borrow, lease, shared
        self._steps, self._answers = work.steps, work.answers
        self._compression, self._grouped = work.compression, work.grouped
        self._waits = Waits(agent, borrow, shared, self.wake)
        self.questions = Questions(borrow, self._waits, shared, work.mark_used, self.wake)
        self._failures = Failures(agent, work, shared)
        self._writers = Writers()
        self._emptied = False  # the last group left no job in the queue
        self._alone = 0  # steps to do one by one, because a group of so many could not be stored
        self._asked: Asked | None = None
        self._erased: str | None = None
        self._turning = threading.RLock()
        self._burst = Burst()

    def wake(self) -> None:
        """Let the lane look for work."""
        self._shared.scheduler.wake(self)

    # what callers wait for

    def expect(self, seq: int) -> Future[Result]:
        """Return the future of a job's result and see that the job is done."""
        future = self._waits.receipt(seq)
        with self._waits.lock:
            self.compresses = False
            dozing = self._waits.closed or self._burst.add(self._shared.scheduler.monotonic())
        if not dozing:
            self._shared.scheduler.later(LULL_SECONDS, self._wake_in_the_lull)
        return future

    def making_way(self) -> AbstractContextManager[None]:
        """Let a caller write first: a group of jobs ends with the job under way."""
        return self._writers.one()

    def expect_again(self, store: Store, seq: int) -> Future[Result]:
        """Return the future of the result of a job accepted before, which may be done."""
        future = self.expect(seq)
        self._waits.look(store, [seq])
        return future

    def hurry(self) -> None:
        """Someone waits for a result: do not wait for a lull."""
        self._burst.hurried = True
        self.wake()

    def _wake_in_the_lull(self) -> None:
        pause = self._lull()
        if pause > 0:
            self._burst.wakes_at = self._shared.scheduler.monotonic() + LATEST_TIMER
            self._shared.scheduler.later(pause, self._wake_in_the_lull)
        else:
            self._burst.wakes_at = 0.0
            if self._burst.count:  # else the lane was woken before, and found no job
                self.wake()

    def _lull(self) -> float:
        """Return in how many seconds there will be a lull, if nothing is accepted until then."""
        if self._waits:
            return 0.0
        limit = self._shared.queue.max_queue_size * FULLEST_BURST
        return self._burst.lull(self._shared.scheduler.monotonic(), limit)

    def flush(self, seconds: float | None) -> bool:
        """Wait until every job is done; False if that took longer than so many seconds."""
        return self._waits.until(lambda tx: tx.jobs.pending() == 0, seconds).result()

    def begin_last(self) -> None:
        """Take no further work; do steps of jobs accepted here, up to the first model call.

        Without these steps a program that ends at once would only accept, and remember nothing.
        """
        with self._waits.lock:
            self._waits.closed = True
        try:
            with self._turning:
                for _ in range(LAST_STEPS):
                    if not self._burst.count or self._asked is not None:
                        break
                    self._burst.hurried = True
                    self._turn()
        except StorageError as error:  # the accepted jobs are there for the next run
            log.warning("agent %s: nothing more could be done: %s", self.agent, error)

    def close(self, patience: float = 0.0) -> None:
        """Reject whoever still waits; jobs stay in the store until the memory is opened again.

        A model call under way is waited for so many seconds, and its answer is used. After a call
        that was not about messages one more may begin, if messages were accepted here.
        """
        with self._waits.lock:
            self._waits.closed = True
        until = self._shared.scheduler.monotonic() + patience
        try:
            while self._end_call(max(0.0, until - self._shared.scheduler.monotonic())) and patience:
                self.begin_last()
        finally:
            self._reject()

    def _end_call(self, patience: float) -> bool:
        """Wait for the model call under way; tell whether it ended and was not about messages."""
        with self._turning:  # the step under way has ended
            asked = self._asked
        if asked is None or (not patience and asked.future.cancel()):
            return False
        wait_for([asked.future], patience)
        if not asked.future.done():
            asked.future.cancel()  # if it has not begun
            return False
        with self._turning, self._borrow() as store:
            self._answered(store, asked)
            self._lease.give()
        return asked.job.first_message is None

    def _reject(self) -> None:
        self._waits.reject()
        with self._turning:
            if self._asked is not None:  # a call without end is left to itself
                self._asked = None
                self._lease.give()

    # turns

    def turn(self) -> float | None:
        """Work until the turn ends; return in how many seconds to come back (None: when woken)."""
        with self._turning:
            return None if self._waits.closed else self._turn()

    def _turn(self) -> float | None:
        with self._borrow() as store:
            if store.read_only or (self._asked is None and not self._lease.take()):
                return self._watch(store)
            more: bool | None = None
            try:
                pause = self._work(store)
            finally:
                if self._asked is None:  # while a model is asked, nobody else should ask it too
                    more = self._lease.give()
            if self._asked is not None or self._waits.closed:
                return None
            return 0.0 if pause is None and self._has_work(store, more) else pause

    def _has_work(self, store: Store, known: bool | None = None) -> bool:
        if known is not None:
            return known
        with store.read(once=True) as tx:
            return tx.jobs.pending() > 0

    def _watch(self, store: Store) -> float | None:
        """Look whether another process did the jobs that are waited for here."""
        if self._waits.look(store):
            return WATCH_SECONDS
        return LONGEST_PAUSE if self._has_work(store) else None  # the worker may have died

    def _work(self, store: Store) -> float | None:
        scheduler, began = self._shared.scheduler, self._shared.scheduler.monotonic()
        longest = self._shared.queue.time_slice_ms / 1000
        while True:
            self._writers.go_first()
            pause = self._next_step(store)
            if pause is None or pause > 0 or self._waits.closed:
                return pause
            spent = scheduler.monotonic() - began
            if spent >= longest or (spent >= QUANTUM_SECONDS and scheduler.others_wait(self)):
                return 0.0

    def _next_step(self, store: Store) -> float | None:
        """Do one step; return 0, or in how many seconds to look again (None: when woken)."""
        if self._asked is not None:
            return self._answered(store, self._asked)
        at, counted = self._shared.clock(), self._burst.count
        with store.read(once=True) as tx:
            job = tx.jobs.next(at, self._shared.queue.max_retries, RETRY_CAP)
            self._erased = tx.meta.get("erased")
        if job is None:
            self._end_burst(counted)
            self._waits.look(store)
            return None
        pause = max(self._failures.pause(job, at), self._lull())
        if pause > 0 or self.questions.stand_before(job):
            return min(pause, LONGEST_PAUSE) or LONGEST_PAUSE
        if self._can_group(job) and self._do_together(store, job):
            if self._emptied:
                self._end_burst(counted)
                return None
        else:
            self.compresses = job.kind == self._compression
            self._attempt(store, job, lambda: self._begin(store, job))
        return None if self._asked is not None else 0.0

    def _end_burst(self, counted: int) -> None:
        with self._waits.lock:
            self._burst.end(counted)

    # several jobs in one transaction

    def _can_group(self, job: JobRecord) -> bool:
        """Tell whether a job may be done together with others."""
        messages = (job.last_message or 0) - (job.first_message or 0) + 1
        small = job.kind in self._grouped and messages <= MOST_TOGETHER
        return small and self._answers.inline and not self._alone

    def _do_together(self, store: Store, job: JobRecord) -> bool:
        """Do a job and those that follow as a group; False if the first job is to be done alone."""
        done: list[JobRecord] = []
        trouble: Exception | None = None
        try:
            with store.write() as tx:
                trouble = self._do_group(Group(tx), job, done)
                seen = self._waits.seen(tx, None if self._emptied else [one.seq for one in done])
        except Exception as error:  # nothing of the group was stored: each job tells its own error
            log.debug("a group of agent %s failed: %s", self.agent, error)
            self._alone = max(1, len(done))
            return False
        self._waits.tell(seen)
        if isinstance(trouble, NoAnswer):
            done.pop()
        elif trouble is not None:
            self._failures.take(store, done[-1], trouble, self._erased)
            self._waits.look(store, [done[-1].seq])
        return bool(done)

    def _do_group(self, group: Group, job: JobRecord, done: list[JobRecord]) -> Exception | None:
        """Do jobs until the time is up; return the error of the last one, if it failed."""
        until, self._emptied = self._shared.scheduler.monotonic() + GROUP_SECONDS, False
        following: JobRecord | None = job
        while following is not None:
            done.append(following)
            self.compresses = following.kind == self._compression
            try:
                with group.part():
                    if self._do_at_once(group.store, following) is not None:
                        raise NoAnswer
            except Exception as error:  # the caller tells it; the jobs before it stand
                return error
            following = self._following(group, until)
        return None

    def _following(self, group: Group, until: float) -> JobRecord | None:
        """Return the job that comes next in a group, if there is one and time left."""
        if self._waits.closed or self._writers.some or self._shared.scheduler.monotonic() >= until:
            return None
        at = self._shared.clock()
        job = group.tx.jobs.next(at, self._shared.queue.max_retries, RETRY_CAP)
        self._emptied = job is None
        ready = job is not None and self._can_group(job) and self._failures.pause(job, at) <= 0
        return job if ready and job is not None and not self.questions.stand_before(job) else None

    # one job

    def _do_at_once(self, store: Store, job: JobRecord) -> tuple[Plan, Ask] | None:
        """Do a step of a job; if a model would have to be waited for, return what to ask it."""
        plan = self._steps[job.kind](store, job)
        if plan.ask is None:
            plan.act(store, None)
            return None
        ask = replace(plan.ask, attempt=job.attempts) if job.attempts else plan.ask
        answer = self._answers.at_once(store, ask, job)
        if answer is None:
            return plan, ask
        plan.act(store, plan.read(answer))
        return None

    def _begin(self, store: Store, job: JobRecord) -> None:
        """Do a step of a job, or ask its model."""
        asking = self._do_at_once(store, job)
        if asking is None:
            return
        plan, ask = asking
        seconds = self._shared.queue.worker_timeout_ms / 1000
        future = self._shared.models.submit(self._answers.call, ask)
        until = self._shared.scheduler.monotonic() + seconds
        self._asked = Asked(job, plan, ask, future, until, self._erased)
        self._shared.scheduler.later(seconds, self.wake)
        future.add_done_callback(lambda _: self.wake())

    def _answered(self, store: Store, asked: Asked) -> float | None:
        """Go on with a job whose model call has ended, or has taken too long."""
        if not asked.future.done() and not self._is_late(asked):
            self._waits.look(store, ())
            return None
        self._asked = None
        self._attempt(store, asked.job, lambda: self._finish(store, asked))
        return 0.0

    def _is_late(self, asked: Asked) -> bool:
        """Tell whether a call has had its time; a call that waits for a thread has not begun."""
        now = self._shared.scheduler.monotonic()
        if now < asked.until:
            return False
        longest = self._shared.queue.worker_timeout_ms / 1000
        left = longest - self._shared.models.running_for(asked.future)
        if left > 0:
            self._asked = replace(asked, until=now + left)
            self._shared.scheduler.later(left, self.wake)
        return left <= 0

    def _finish(self, store: Store, asked: Asked) -> None:
        if not asked.future.done():
            asked.future.cancel()
            limit = self._shared.queue.worker_timeout_ms / 1000
            raise ModelError(f"the model did not answer within {limit:g} seconds")
        answer = self._answers.take(store, asked.ask, asked.future.result())
        read = asked.plan.read(answer)
        self._answers.keep(store, asked.ask, answer, asked.erased)
        asked.plan.act(store, read)
        if asked.job.kind != "remember":  # its next step comes after the messages that wait
            with store.write() as tx:
                tx.jobs.send_back(asked.job.seq)

    def _attempt(self, store: Store, job: JobRecord, act: Callable[[], None]) -> None:
        self._alone = max(0, self._alone - 1)
        try:
            act()
        except Exception as error:
            self._failures.take(store, job, error, self._erased)
        self._waits.look(store, [job.seq])
