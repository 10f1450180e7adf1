"""Waits: callers who wait for the result of a job, or until a condition holds in the store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from wangchuan.errors import Closed, WangchuanError
from wangchuan.ids import job_name
from wangchuan.jobs.work import Borrow, Result, Shared
from wangchuan.storage import JobRecord, Store, Transaction
from wangchuan.types import value


@dataclass(eq=False, slots=True)
class Wait:
    """A caller who waits until a condition holds in the store, or until patience ends."""

    holds: Callable[[Transaction], bool]
    future: Future[bool] = field(default_factory=Future)

    def end(self, held: bool) -> None:
        """Tell the caller, unless patience ended at the same time and told first."""
        with suppress(InvalidStateError):
            self.future.set_result(held)


@value
class Seen:
    """Jobs that have ended, and waits whose condition holds now."""

    ended: list[JobRecord]
    held: list[Wait]


class Waits:
    """The callers who wait for one agent's lane in this process; closing it rejects them."""

    def __init__(
        self, agent: str, borrow: Borrow, shared: Shared, wake: Callable[[], None]
    ) -> None:
        self.agent, self.closed = agent, False
        self.lock = threading.Lock()
        self._borrow, self._shared, self._wake = borrow, shared, wake
        self._receipts: dict[int, Future[Result]] = {}
        self._waits: list[Wait] = []

    def __len__(self) -> int:
        """Return how many callers wait for a condition."""
        return len(self._waits)

    def closed_error(self) -> Closed:
        """Return the error for calls after the close."""
        return Closed(
            f"the memory of agent {self.agent!r} was closed; what it accepted stays queued"
            " and is taken up when it is opened again"
        )

    def receipt(self, seq: int) -> Future[Result]:
        """Return the future of a job's result."""
        future: Future[Result] = Future()
        with self.lock:
            if not self.closed:
                return self._receipts.setdefault(seq, future)
        future.set_exception(self.closed_error())
        return future

    def until(self, holds: Callable[[Transaction], bool], seconds: float | None) -> Future[bool]:
        """Return a future that is True once `holds`, or False after so many seconds."""
        wait = Wait(holds)
        with self.lock:
            if self.closed:
                raise self.closed_error()
            self._waits.append(wait)
        with self._borrow() as store, store.read() as tx:
            held = holds(tx)
            if held or store.read_only:  # where nothing can be written, nobody works
                wait.end(held)
        if wait.future.done():
            with self.lock:
                self._waits = [other for other in self._waits if other is not wait]
        else:
            self._wake()
            if seconds is not None:
                self._shared.scheduler.later(seconds, lambda: wait.end(False))
        return wait.future

    def look(self, store: Store, jobs: Iterable[int] | None = None) -> bool:
        """Wake the callers who wait for these jobs (None: any job) or whose condition holds now.

        Return whether a caller still waits.
        """
        if self._awaited(jobs) or self._waits:
            with store.read() as tx:
                seen = self.seen(tx, jobs)
            self.tell(seen)
        with self.lock:
            return bool(self._receipts or self._waits)

    def _awaited(self, jobs: Iterable[int] | None) -> list[int]:
        with self.lock:
            return [s for s in (self._receipts if jobs is None else jobs) if s in self._receipts]

    def seen(self, tx: Transaction, jobs: Iterable[int] | None = None) -> Seen:
        """Return which waits for these jobs (None: any) end when the transaction is durable."""
        awaited = self._awaited(jobs)
        with self.lock:
            waits = [wait for wait in self._waits if not wait.future.done()]
        tx.ahead(*(wait.holds for wait in waits))
        found = tx.jobs.some(awaited) if awaited else ()
        ended = [job for job in found if job.state != "pending"]
        return Seen(ended, [wait for wait in waits if wait.holds(tx)])

    def tell(self, seen: Seen) -> None:
        """Tell the callers whose waits are over."""
        with self.lock:  # first: a caller who was told no longer waits
            waits = [wait for wait in self._waits if wait not in seen.held]
            self._waits = [wait for wait in waits if not wait.future.done()]
        for job in seen.ended:
            self._settle(job)
        for wait in seen.held:
            wait.end(True)

    def _settle(self, job: JobRecord) -> None:
        with self.lock:
            future = self._receipts.pop(job.seq, None)
        if future is None:
            return
        if job.state == "failed":
            future.set_exception(WangchuanError(f"{job_name(job.seq)} failed: {job.reason}"))
        else:
            future.set_result(self._shared.result(job))

    def reject(self) -> None:
        """Tell every caller who waits that the memory was closed."""
        with self.lock:
            futures: list[Future[Any]] = [
                *self._receipts.values(),
                *(wait.future for wait in self._waits),
            ]
            self._waits, self._receipts = [], {}
        for future in futures:
            with suppress(InvalidStateError):
                future.set_exception(self.closed_error())
