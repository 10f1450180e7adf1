"""Failures: what becomes of a job whose model is away, refuses or answers garbage.

A job is tried again in its place while retries last, then from the end of the queue. So no message
is lost. Useless answers are counted by themselves. When a job had too many of them, the offline
model answers in the model's place (`answers.py`). A job that the offline model cannot do either has
failed for good.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from wangchuan.errors import KeyRefused, ModelError, UnusableAnswer
from wangchuan.jobs.work import Shared, Work
from wangchuan.storage import Failure, JobRecord, Store, Transaction

log = logging.getLogger("wangchuan")

RETRY_CAP = 30.0  # seconds between two tries, at most


def retry_delay(attempt: int) -> float:
    """Return the seconds to wait after the given failed attempt (1, 2, 4 … at most 30)."""
    return min(2.0 ** (attempt - 1), RETRY_CAP) if attempt < 10 else RETRY_CAP


class Failures:
    """The failures of one agent's jobs: when each is tried again, or whether it has failed."""

    def __init__(self, agent: str, work: Work, shared: Shared) -> None:
        self._agent, self._shared = agent, shared
        self._answers, self._compression = work.answers, work.compression
        self._waiting: tuple[int, int, float] | None = None  # a job, its attempts, until when

    def pause(self, job: JobRecord, at: float) -> float:
        """Return the seconds until a job may be tried; a clock that stands does not hold it."""
        wait = job.not_before - at
        if not 0 < wait <= RETRY_CAP:
            return 0.0
        now = self._shared.scheduler.monotonic()
        if self._waiting is None or self._waiting[:2] != (job.seq, job.attempts):
            self._waiting = (job.seq, job.attempts, now + wait)
        return min(wait, max(0.0, self._waiting[2] - now))

    def take(self, store: Store, job: JobRecord, error: Exception, erased: str | None) -> None:
        """Note the failure of a job in the store, and log the error: a defect with its traceback.

        `erased` is the store's note of erasures from before the job was tried.
        """
        if not isinstance(error, ModelError):
            log.error("job %s of agent %s failed", job.seq, self._agent, exc_info=error)
        attempts = self._attempts_after(job, error)
        with store.write() as tx:
            gone = tx.meta.get("erased") != erased  # then the error may quote erased words
            reason = str(Failure(type(error).__name__, None if gone else str(error)))
            self._postpone(tx, job, replace(job, attempts=attempts, reason=reason), error)
        which = "waits" if isinstance(error, KeyRefused) else f"attempt {attempts}"
        log.warning("job %s of agent %s, %s: %s", job.seq, self._agent, which, reason)
        self._shared.failed(self._agent, job, reason)

    def _postpone(
        self, tx: Transaction, job: JobRecord, tried: JobRecord, error: Exception
    ) -> None:
        """Let the job be tried later: in its place while retries last, then from the end."""
        seq, attempts, reason = job.seq, tried.attempts, tried.reason or ""
        at = self._shared.clock()
        useless = isinstance(error, UnusableAnswer)
        if useless and self._answers.is_incapable(job):  # the offline model answered: a defect
            tx.jobs.fail(seq, at, reason)
        elif useless and self._answers.is_incapable(tried):
            tx.jobs.postpone(seq, attempts, at, reason)
        elif attempts <= self._shared.queue.max_retries:
            tx.jobs.postpone(seq, attempts, at + retry_delay(attempts), reason)
        elif isinstance(error, ModelError):
            tx.jobs.postpone(seq, attempts, at + RETRY_CAP, reason)
            if job.progress is None:  # a job that has begun is finished before others begin
                tx.jobs.send_back(seq)
        else:
            tx.jobs.fail(seq, at, reason)

    def _attempts_after(self, job: JobRecord, error: Exception) -> int:
        """Return how many tries of a job count; useless answers are counted by themselves.

        Where no further try helps, all of them count as made: after a refused key, and once the
        waits of a compression fill its time slice.
        """
        if isinstance(error, UnusableAnswer) and not job.failed_by(UnusableAnswer):
            return 1
        attempts, queue = job.attempts + 1, self._shared.queue
        waited = sum(map(retry_delay, range(1, attempts + 1)))
        over = job.kind == self._compression and waited * 1000 > queue.time_slice_ms
        if isinstance(error, KeyRefused) or (over and isinstance(error, ModelError)):
            return max(attempts, queue.max_retries + 1)
        return attempts
