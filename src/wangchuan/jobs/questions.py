"""Questions: reads that reader threads answer, in order, beside the work of the lane."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from wangchuan.errors import QueueFull, WangchuanError
from wangchuan.jobs.waits import Waits
from wangchuan.jobs.work import Answer, Borrow, Question, Shared
from wangchuan.pending import Pending
from wangchuan.storage import JobRecord, Mark, Transaction

log = logging.getLogger("wangchuan")

T = TypeVar("T")


class Questions:
    """The questions to one agent, answered in order by reader threads."""

    def __init__(
        self,
        borrow: Borrow,
        waits: Waits,
        shared: Shared,
        mark_used: Callable[[Transaction, Answer[Any]], Mark],
        wake: Callable[[], None],
    ) -> None:
        self._borrow, self._waits, self._shared = borrow, waits, shared
        self._mark_used, self._wake = mark_used, wake
        self._reads: deque[Callable[[], None]] = deque()
        self._is_reading = threading.Lock()
        # The last message before each recall that has no answer yet. The keys are weak: nobody
        # knows the future of a recall that an interrupt ended, so no job waits for that recall.
        self._standing: WeakKeyDictionary[Future[Any], int] = WeakKeyDictionary()
        self._held = False  # a job waits for such a recall

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
        future.add_done_callback(self._go_on_after)
        try:
            with self._waits.lock:
                self._standing[future] = upto
            if settled:
                self.read(lambda: self._answer(lambda tx: question(tx, upto), future))
            else:
                turn = self._waits.until(lambda tx: not tx.jobs.unsettled(upto), patience)
                turn.add_done_callback(
                    lambda turn: self._resume(turn, lambda tx: question(tx, upto), future)
                )
        except BaseException:
            self._standing.pop(future, None)  # the caller was not given the future
            raise
        return Pending(future)

    def ask_when(
        self, holds: Callable[[Transaction], bool], question: Question[T], seconds: float | None
    ) -> Pending[T]:
        """Answer a question once something holds, or after so many seconds at the latest."""
        future: Future[T] = Future()
        if self._admits(future):
            turn = self._waits.until(holds, seconds)
            turn.add_done_callback(lambda turn: self._resume(turn, question, future))
        return Pending(future)

    def stand_before(self, job: JobRecord) -> bool:
        """Tell whether a question stands in the queue before a job, which then has to wait."""
        with self._waits.lock:
            before = job.first_message or 0
            self._held = any(upto < before for upto in list(self._standing.values()))
            return self._held

    def _admits(self, future: Future[Any]) -> bool:
        """Tell whether one more question may wait; if not, its future says so."""
        most = self._shared.queue.max_queue_size
        full = len(self._reads) + len(self._waits) >= most
        if full:
            future.set_exception(QueueFull(f"{most} recalls wait already"))
        return not full

    def _go_on_after(self, answered: Future[Any]) -> None:
        """Let the job begin that waited for this answer."""
        with self._waits.lock:
            self._standing.pop(answered, None)
            held, self._held = self._held, False
        if held:
            self._wake()

    def _answer(self, question: Question[T], future: Future[T]) -> None:
        """Answer a question; an error is an answer, too."""
        try:
            with self._borrow() as store, store.read(long=True) as tx:
                answer = question(tx)
                used = answer.returned and not store.read_only
                mark = self._mark_used(tx, answer) if used else None
                tx.then(lambda: future.set_result(answer.value), mark)
        except Exception as error:  # the outer frame of a reader thread
            log.debug("a question to agent %s failed", self._waits.agent, exc_info=True)
            if not future.done():
                future.set_exception(error)

    def _resume(self, turn: Future[bool], question: Question[T], future: Future[T]) -> None:
        """Answer a question whose remembers are digested, or whose patience ended."""
        try:
            turn.result()
            self.read(lambda: self._answer(question, future))
        except WangchuanError as error:  # the lane was closed meanwhile
            future.set_exception(error)

    def read(self, call: Callable[[], None]) -> None:
        """Run a read after the reads before it, off the workers. Raises Closed."""
        with self._waits.lock:  # whoever closes lets the reads of before end
            if self._waits.closed:
                raise self._waits.closed_error()
            self._reads.append(call)
            self._shared.readers.submit(self._read_all)

    def _read_all(self) -> None:
        """Make the reads that wait, unless another thread makes them: that one looks again."""
        while self._reads and self._is_reading.acquire(blocking=False):
            try:
                if self._reads:
                    self._reads[0]()
                    self._reads.popleft()
            finally:
                self._is_reading.release()
