"""The durable queue: who works when.

Every agent has one lane. Its jobs are rows in the agent's own database, done in order, one step
at a time; a step's effect and its mark are one transaction of the step's own. Worker threads give
lanes with work their turns, first come first served; a lane whose turn is over goes to the end.

Several processes may share an agent. Whoever works holds the lease, a file lock that the system
releases when its holder dies, and holds it only while there is work. After letting go it looks
once more: a job that arrived in between was put there by someone who found the lease taken, so
either they or we see it. Those without the lease look now and then whether what they wait for has
been done, and whether the lease is free. An idle agent costs nothing at all.

Compression can wait. A lane that compresses makes way for one that only wants to do that, too, when
its time slice is over; for all other work of others it does so at once.

There is one writer per database, and accepting comes first: while callers go on accepting, and
nobody waits for a result, the lane lets them and works in the lull that follows.

Where no model has to be waited for, the small jobs that wait are done in one transaction, for at
most `GROUP_SECONDS`: in order, each whole or not at all, and all of them durable by one sync.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import wait as wait_for
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from wangchuan.errors import (
    Closed,
    KeyRefused,
    ModelError,
    QueueFull,
    UnusableAnswer,
    WangchuanError,
)
from wangchuan.ids import job_name
from wangchuan.jobs.burst import LATEST_TIMER, LULL_SECONDS, Burst
from wangchuan.jobs.group import Group, NoAnswer
from wangchuan.jobs.pool import Pool
from wangchuan.jobs.scheduler import LONGEST_PAUSE, Scheduler
from wangchuan.models.seam import Ask
from wangchuan.pending import Pending
from wangchuan.settings.groups import Queue
from wangchuan.storage import Failure, JobRecord, Lease, Store, Transaction
from wangchuan.types import Clock

log = logging.getLogger("wangchuan")

WATCH_SECONDS = 0.05  # how often to look while another process holds the lease
QUANTUM_SECONDS = 0.02  # a turn is not cut shorter than this when others wait
GROUP_SECONDS = 0.02  # how long jobs are done in one transaction: others who write wait for it
MOST_TOGETHER = 8  # messages of a job that is done together with others
RETRY_CAP = 30.0
FULLEST_BURST = 0.8  # while callers accept, the queue may not get fuller than this share


T = TypeVar("T")
Result = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The next step of a job: what to ask a model, how to read its answer, what to do then.

    `read` checks the answer and raises UnusableAnswer; `act` stores its effect, with the mark
    that it is done, in one transaction. With nothing to ask, `act` is given None.
    """

    ask: Ask | None
    read: Callable[[Any], Any]
    act: Callable[[Store, Any], None]


Step = Callable[[Store, JobRecord], Plan]


class Answers(Protocol):
    """Where answers come from."""

    @property
    def inline(self) -> bool:
        """Tell whether the model need not be waited for."""

    def at_once(self, store: Store, ask: Ask, job: JobRecord) -> Any:
        """Return an answer for which no model has to be waited, or None."""

    def call(self, ask: Ask) -> Any:
        """Ask the model, which may take long; never raises."""

    def take(self, store: Store, ask: Ask, called: Any) -> Any:
        """Note what a call cost and return its answer, or raise what went wrong."""

    def keep(self, store: Store, ask: Ask, answer: Any, erased: str | None) -> None:
        """Keep an answer that proved usable, so that it need not be asked for again.

        `erased` is what the store noted of erasures when the question was made.
        """

    def is_incapable(self, job: JobRecord) -> bool:
        """Tell whether the model has had all its tries, and another answers in its place."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A model call under way."""

    job: JobRecord
    plan: Plan
    ask: Ask
    future: Future[Any]
    until: float
    erased: str | None  # the store's note of erasures when the question was made


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """The answer to a question, and the nodes that it returned and passed on its way."""

    value: T
    returned: tuple[int, ...] = ()
    passed: tuple[int, ...] = ()


Question = Callable[[Transaction], Answer[T]]


def _tried(ask: Ask, attempts: int) -> Ask:
    """Return a question that says how often it was asked before."""
    return replace(ask, attempt=attempts) if attempts else ask


def retry_delay(attempt: int) -> float:
    """Return the seconds to wait after the given failed attempt (1, 2, 4 … at most 30)."""
    return min(2.0 ** (attempt - 1), RETRY_CAP) if attempt < 10 else RETRY_CAP


@dataclass(eq=False, slots=True)
class Wait:
    """Someone waiting until something holds in the store, or until their patience ends."""

    holds: Callable[[Transaction], bool]
    future: Future[bool] = field(default_factory=Future)

    def end(self, held: bool) -> None:
        """Answer, unless that happened already (patience may end just then)."""
        with suppress(InvalidStateError):
            self.future.set_result(held)


class Lane:
    """One agent's queue in this process: its turns, its receipts, its readers."""

    def __init__(
        self,
        agent: str,
        borrow: Callable[[], AbstractContextManager[Store]],
        lease: Lease,
        work: Work,
        shared: Shared,
    ) -> None:
        self.agent = agent
        self.queued = self.running = self.again = False  # kept by the scheduler
        self.compresses = False  # that, and nothing else, is what it does
        self._borrow, self._lease, self._shared = borrow, lease, shared
        self._steps, self._answers, self._note = work.steps, work.answers, work.note
        self._compression, self._grouped = work.compression, work.grouped
        self._wanted = False  # somebody waits to write
        self._alone = 0  # steps to do one by one, after a group of so many failed as a whole
        self._asked: Asked | None = None
        self._waiting: tuple[int, int, float] | None = None  # a job, its attempts, until when
        self._erased: str | None = None
        self._lock, self._turning = threading.Lock(), threading.RLock()
        self._receipts: dict[int, Future[Result]] = {}
        self._waits: list[Wait] = []
        self._reads: deque[Callable[[], None]] = deque()
        self._standing: list[int] = []  # the last message before each recall without an answer
        self._held = False  # a job waits for one of them
        self._is_reading = threading.Lock()
        self._burst = Burst()
        self._closed = False

    def wake(self) -> None:
        """Let the lane look for work."""
        self._shared.scheduler.wake(self)

    # what callers wait for

    def expect(self, seq: int) -> Future[Result]:
        """Return the future of a job's result and see that the job is done."""
        future: Future[Result] = Future()
        with self._lock:
            if self._closed:
                future.set_exception(self._closed_error())
                return future
            future = self._receipts.setdefault(seq, future)
            self.compresses = self._wanted = False
            dozing = self._burst.add(self._shared.scheduler.monotonic())
        if not dozing:
            self._shared.scheduler.later(LULL_SECONDS, self._wake_in_the_lull)
        return future

    def make_way(self) -> None:
        """Somebody is about to write: a group of jobs ends with the job under way."""
        self._wanted = True

    def expect_again(self, store: Store, seq: int) -> Future[Result]:
        """Return the future of the result of a job accepted before, which may be done."""
        future = self.expect(seq)
        self._tell(store, [seq])
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
            self.wake()

    def _lull(self) -> float:
        """Return in how many seconds there will be a lull, if nothing is accepted until then."""
        if self._waits:
            return 0.0
        limit = self._shared.queue.max_queue_size * FULLEST_BURST
        return self._burst.lull(self._shared.scheduler.monotonic(), limit)

    def wait(self, holds: Callable[[Transaction], bool], seconds: float | None) -> Future[bool]:
        """Return a future that is True once `holds`, or False after so many seconds."""
        wait = Wait(holds)
        with self._lock:
            if self._closed:
                raise self._closed_error()
            self._waits.append(wait)
        with self._borrow() as store, store.read() as tx:
            if holds(tx) or store.read_only:  # where nothing can be written, nobody works
                wait.end(holds(tx))
        if wait.future.done():
            with self._lock:
                self._waits = [other for other in self._waits if other is not wait]
        else:
            self.wake()
            if seconds is not None:
                self._shared.scheduler.later(seconds, lambda: wait.end(False))
        return wait.future

    def flush(self, seconds: float | None) -> bool:
        """Wait until every job is done; False if that took longer than so many seconds."""
        return self.wait(lambda tx: tx.jobs.pending() == 0, seconds).result()

    def ask(self, question: Question[T]) -> Pending[T]:
        """Let a reader thread answer a question, and note which nodes the answer returned.

        If too many reads wait already, the answer is QueueFull. Raises Closed.
        """
        future: Future[T] = Future()
        if self._admits(future):
            self.read(lambda: self._answer(question, future))
        return Pending(future)

    def ask_in_turn(
        self, question: Callable[[Transaction, int], Answer[T]], patience: float
    ) -> Pending[T]:
        """Give a question its place in the queue: after all that was accepted before this call.

        Earlier remembers are waited for so many seconds, and later ones wait for the answer. The
        question is also given the number of the last message before it; the rest is like `ask`.
        """
        future: Future[T] = Future()
        if not self._admits(future):
            return Pending(future)
        with self._borrow() as store, store.read() as tx:
            upto = tx.messages.newest()
            settled = not tx.jobs.unsettled(upto)
        with self._lock:
            self._standing.append(upto)
        future.add_done_callback(lambda _: self._go_on_after(upto))
        if settled:
            self.read(lambda: self._answer(lambda tx: question(tx, upto), future))
        else:
            turn = self.wait(lambda tx: not tx.jobs.unsettled(upto), patience)
            turn.add_done_callback(
                lambda turn: self._resume(turn, lambda tx: question(tx, upto), future)
            )
        return Pending(future)

    def ask_when(
        self, holds: Callable[[Transaction], bool], question: Question[T], seconds: float | None
    ) -> Pending[T]:
        """Answer a question once something holds, or after so many seconds at the latest."""
        future: Future[T] = Future()
        if self._admits(future):
            turn = self.wait(holds, seconds)
            turn.add_done_callback(lambda turn: self._resume(turn, question, future))
        return Pending(future)

    def _admits(self, future: Future[Any]) -> bool:
        """Tell whether one more question may wait; if not, its future says so."""
        most = self._shared.queue.max_queue_size
        full = len(self._reads) + len(self._waits) >= most
        if full:
            future.set_exception(QueueFull(f"{most} recalls wait already"))
        return not full

    def _go_on_after(self, upto: int) -> None:
        """Let a job begin that waited for the answer to a question before it."""
        with self._lock:
            self._standing.remove(upto)
            held, self._held = self._held, False
        if held:
            self.wake()

    def _stands_before(self, job: JobRecord) -> bool:
        """Tell whether a question stands in the queue before a job, which then has to wait."""
        with self._lock:
            self._held = any(upto < (job.first_message or 0) for upto in self._standing)
            return self._held

    def _answer(self, question: Question[T], future: Future[T]) -> None:
        """Answer a question; whatever goes wrong is the answer."""
        try:
            with self._borrow() as store:
                with store.read(long=True) as tx:
                    answer = question(tx)
                future.set_result(answer.value)
                if answer.returned and not store.read_only:
                    with store.write(soft=True) as tx:
                        self._note(tx, answer)
        except Exception as error:  # the outer frame of a reader thread
            log.debug("a question to agent %s failed", self.agent, exc_info=True)
            if not future.done():
                future.set_exception(error)

    def _resume(self, turn: Future[bool], question: Question[T], future: Future[T]) -> None:
        """Answer a question that waited for remembers, or whose patience ended."""
        try:
            turn.result()
            self.read(lambda: self._answer(question, future))
        except WangchuanError as error:  # the lane was closed meanwhile
            future.set_exception(error)

    def read(self, call: Callable[[], None]) -> None:
        """Run a read after the reads before it, off the workers. Raises Closed."""
        with self._lock:  # whoever closes lets the reads end that are there by then
            if self._closed:
                raise self._closed_error()
            self._reads.append(call)
            self._shared.readers.submit(self._read_all)

    def _read_all(self) -> None:
        """Do what waits to be read, unless another thread does: it looks again when it is done."""
        while self._reads and self._is_reading.acquire(blocking=False):
            try:
                if self._reads:
                    self._reads[0]()
                    self._reads.popleft()
            finally:
                self._is_reading.release()

    def close(self, patience: float = 0.0) -> None:
        """Reject what still waits; jobs stay in the store for the next one to open it.

        A model call under way is waited for so many seconds, and what it answers is used.
        """
        with self._lock:
            self._closed = True
        try:
            self._end_call(patience)
        finally:
            self._reject()

    def _end_call(self, patience: float) -> None:
        """Wait for a call that has begun, and go on with its job up to the next one."""
        with self._turning:  # the step under way has ended
            asked = self._asked
        if asked is None or asked.future.cancel():
            return
        wait_for([asked.future], patience)
        if asked.future.done():
            with self._turning, self._borrow() as store:
                self._answered(store, asked)
                self._lease.give()

    def _reject(self) -> None:
        with self._lock:
            futures: list[Future[Any]] = [
                *self._receipts.values(),
                *(wait.future for wait in self._waits),
            ]
            self._waits, self._receipts = [], {}
        for future in futures:
            with suppress(InvalidStateError):
                future.set_exception(self._closed_error())
        with self._turning:
            if self._asked is not None:  # a call without end is left to itself
                self._asked = None
                self._lease.give()

    def _closed_error(self) -> Closed:
        return Closed(
            f"the memory of agent {self.agent!r} was closed; what it accepted stays queued"
            " and is taken up when it is opened again"
        )

    # turns

    def turn(self) -> float | None:
        """Work until the turn ends; return in how many seconds to come back (None: when woken)."""
        with self._turning:
            return None if self._closed else self._turn()

    def _turn(self) -> float | None:
        with self._borrow() as store:
            if store.read_only or (self._asked is None and not self._lease.take()):
                return self._watch(store)
            try:
                pause = self._work(store)
            finally:
                if self._asked is None:  # while a model is asked, nobody else should ask it too
                    self._lease.give()
            if self._asked is not None or self._closed:
                return None
            return 0.0 if pause is None and self._has_work(store) else pause

    def _has_work(self, store: Store) -> bool:
        with store.read() as tx:
            return tx.jobs.pending() > 0

    def _watch(self, store: Store) -> float | None:
        """Look whether others did what we wait for."""
        self._tell(store, list(self._receipts))
        with self._lock:
            expecting = bool(self._receipts or self._waits)
        if expecting:
            return WATCH_SECONDS
        return LONGEST_PAUSE if self._has_work(store) else None  # its worker may have died

    def _work(self, store: Store) -> float | None:
        scheduler, began = self._shared.scheduler, self._shared.scheduler.monotonic()
        longest = self._shared.queue.time_slice_ms / 1000
        while True:
            pause = self._next_step(store)
            if pause is None or pause > 0 or self._closed:
                return pause
            spent = scheduler.monotonic() - began
            if spent >= longest or (spent >= QUANTUM_SECONDS and scheduler.others_wait(self)):
                return 0.0

    def _next_step(self, store: Store) -> float | None:
        """Do one step; return 0, or in how many seconds to look again (None: when woken)."""
        if self._asked is not None:
            return self._answered(store, self._asked)
        at = self._shared.clock()
        with store.read() as tx:
            job = tx.jobs.next(at, self._shared.queue.max_retries, RETRY_CAP)
            self._erased = tx.meta.get("erased")
        if job is None:
            self._burst.end()
            self._tell(store, list(self._receipts))
            return None
        pause = max(self._wait(job, at), self._lull())
        if pause > 0 or self._stands_before(job):
            return min(pause, LONGEST_PAUSE) or LONGEST_PAUSE
        if not (self._can_group(job) and self._do_together(store, job)):
            self.compresses = job.kind == self._compression
            self._attempt(store, job, lambda: self._begin(store, job))
        return None if self._asked is not None else 0.0

    # several jobs in one transaction

    def _can_group(self, job: JobRecord) -> bool:
        """Tell whether a job may be done together with others."""
        messages = (job.last_message or 0) - (job.first_message or 0) + 1
        small = job.kind in self._grouped and messages <= MOST_TOGETHER
        return small and self._answers.inline and not self._alone

    def _do_together(self, store: Store, job: JobRecord) -> bool:
        """Do a job and those that follow; False if the first one is to be done alone."""
        done: list[JobRecord] = []
        trouble: Exception | None = None
        try:
            with store.write() as tx:
                trouble = self._do_group(Group(tx), job, done)
        except Exception as error:  # nothing of the group was stored: each job tells its own error
            log.debug("a group of agent %s failed: %s", self.agent, error)
            self._alone = max(1, len(done))
            return False
        finally:
            self._wanted = False
        if isinstance(trouble, NoAnswer):
            done.pop()
        elif trouble is not None:
            self._fail(store, done[-1], trouble)
        self._tell(store, [one.seq for one in done])
        return bool(done)

    def _do_group(self, group: Group, job: JobRecord, done: list[JobRecord]) -> Exception | None:
        """Do jobs until the time is up; return what the last one of them failed by, if it did."""
        until = self._shared.scheduler.monotonic() + GROUP_SECONDS
        following: JobRecord | None = job
        while following is not None:
            done.append(following)
            self.compresses = following.kind == self._compression
            try:
                with group.part():
                    self._do_at_once(group, following)
            except Exception as error:  # told by whoever called; the others are not touched
                return error
            following = self._following(group, until)
        return None

    def _do_at_once(self, group: Group, job: JobRecord) -> None:
        """Do a step of a job within a group."""
        plan = self._steps[job.kind](group.store, job)
        if plan.ask is None:
            plan.act(group.store, None)
            return
        answer = self._answers.at_once(group.store, _tried(plan.ask, job.attempts), job)
        if answer is None:
            raise NoAnswer
        plan.act(group.store, plan.read(answer))

    def _following(self, group: Group, until: float) -> JobRecord | None:
        """Return the job that comes next in a group, if there is one and time left."""
        if self._closed or self._wanted or self._shared.scheduler.monotonic() >= until:
            return None
        at = self._shared.clock()
        job = group.tx.jobs.next(at, self._shared.queue.max_retries, RETRY_CAP)
        ready = job is not None and self._can_group(job) and self._wait(job, at) <= 0
        return job if ready and job is not None and not self._stands_before(job) else None

    # one job

    def _wait(self, job: JobRecord, at: float) -> float:
        """Return in how many seconds a job may be tried; a clock that stands does not hold it."""
        wait = job.not_before - at
        if not 0 < wait <= RETRY_CAP:
            return 0.0
        now = self._shared.scheduler.monotonic()
        if self._waiting is None or self._waiting[:2] != (job.seq, job.attempts):
            self._waiting = (job.seq, job.attempts, now + wait)
        return min(wait, max(0.0, self._waiting[2] - now))

    def _begin(self, store: Store, job: JobRecord) -> None:
        plan = self._steps[job.kind](store, job)
        if plan.ask is None:
            plan.act(store, None)
            return
        ask = _tried(plan.ask, job.attempts)
        answer = self._answers.at_once(store, ask, job)
        if answer is not None:
            plan.act(store, plan.read(answer))
            return
        seconds = self._shared.queue.worker_timeout_ms / 1000
        future = self._shared.models.submit(self._answers.call, ask)
        until = self._shared.scheduler.monotonic() + seconds
        self._asked = Asked(job, plan, ask, future, until, self._erased)
        self._shared.scheduler.later(seconds, self.wake)
        future.add_done_callback(lambda _: self.wake())

    def _answered(self, store: Store, asked: Asked) -> float | None:
        """Go on with a job whose model call has ended, or has taken too long."""
        if not asked.future.done() and not self._is_late(asked):
            self._tell(store, ())
            return None
        self._asked = None
        self._attempt(store, asked.job, lambda: self._finish(store, asked))
        return 0.0

    def _is_late(self, asked: Asked) -> bool:
        """Tell whether a call has had its time; while others take all threads, it has not begun."""
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

    def _attempt(self, store: Store, job: JobRecord, act: Callable[[], None]) -> None:
        self._alone = max(0, self._alone - 1)
        try:
            act()
        except Exception as error:
            self._fail(store, job, error)
        self._tell(store, [job.seq])

    def _fail(self, store: Store, job: JobRecord, error: Exception) -> None:
        """Keep a job that failed, and say what happened: a defect or a full disk aloud."""
        if not isinstance(error, ModelError):
            log.error("job %s of agent %s failed", job.seq, self.agent, exc_info=error)
        self._postpone(store, job, error)

    def _postpone(self, store: Store, job: JobRecord, error: Exception) -> None:
        """Try again later: in its place while retries last, then from the end of the queue."""
        attempts, at = self._attempts_after(job, error), self._shared.clock()
        reason = str(Failure(type(error).__name__, str(error)))
        useless = isinstance(error, UnusableAnswer)
        with store.write() as tx:
            if tx.meta.get("erased") != self._erased:  # it may tell of what is gone
                reason = str(Failure(type(error).__name__))
            tried = replace(job, attempts=attempts, reason=reason)
            if useless and self._answers.is_incapable(job):  # even the stand-in's answer: a defect
                tx.jobs.fail(job.seq, at, reason)
            elif useless and self._answers.is_incapable(tried):
                tx.jobs.postpone(job.seq, attempts, at, reason)
            elif attempts <= self._shared.queue.max_retries:
                tx.jobs.postpone(job.seq, attempts, at + retry_delay(attempts), reason)
            elif isinstance(error, ModelError):
                tx.jobs.postpone(job.seq, attempts, at + RETRY_CAP, reason)
                if job.progress is None:  # what has begun is finished before others begin
                    tx.jobs.send_back(job.seq)
            else:
                tx.jobs.fail(job.seq, at, reason)
        log.warning("job %s of agent %s, attempt %s: %s", job.seq, self.agent, attempts, reason)
        self._shared.failed(self.agent, job, reason)

    def _attempts_after(self, job: JobRecord, error: Exception) -> int:
        """Return how many tries count: useless answers by themselves, and all where none helps.

        None helps against a refused key, nor once the waits of a compression fill its time slice.
        """
        if isinstance(error, UnusableAnswer) and not job.failed_by(UnusableAnswer):
            return 1
        attempts, queue = job.attempts + 1, self._shared.queue
        waited = sum(map(retry_delay, range(1, attempts + 1)))
        over = job.kind == self._compression and waited * 1000 > queue.time_slice_ms
        if isinstance(error, KeyRefused) or (over and isinstance(error, ModelError)):
            return max(attempts, queue.max_retries + 1)
        return attempts

    def _tell(self, store: Store, jobs: Iterable[int]) -> None:
        """Tell results of jobs that are done, and that something holds, to those who wait."""
        awaited = [seq for seq in jobs if seq in self._receipts]
        with self._lock:
            waits = [wait for wait in self._waits if not wait.future.done()]
        if not (awaited or waits):
            return
        with store.read() as tx:
            found = [tx.jobs.get(seq) for seq in awaited]
            held = [wait for wait in waits if wait.holds(tx)]
        for job in found:
            if job is not None and job.state != "pending":
                self._settle(job)
        for wait in held:
            wait.end(True)
        with self._lock:
            self._waits = [wait for wait in self._waits if not wait.future.done()]

    def _settle(self, job: JobRecord) -> None:
        with self._lock:
            future = self._receipts.pop(job.seq, None)
        if future is None:
            return
        if job.state == "failed":
            future.set_exception(WangchuanError(f"{job_name(job.seq)} failed: {job.reason}"))
        else:
            future.set_result(self._shared.result(job))


@dataclass(frozen=True)
class Work:
    """What a lane does, by kind of job, where its answers come from, and who notes accesses."""

    steps: dict[str, Step]
    answers: Answers
    compression: str = ""  # the kind of job that has time slices
    grouped: frozenset[str] = frozenset()  # kinds of which several may be done in one transaction
    note: Callable[[Transaction, Answer[Any]], None] = lambda _tx, _answer: None


@dataclass(frozen=True)
class Shared:
    """What all lanes of a host have in common."""

    scheduler: Scheduler
    readers: Pool
    models: Pool
    clock: Clock
    queue: Queue
    result: Callable[[JobRecord], Result]
    failed: Callable[[str, JobRecord, str], None]
