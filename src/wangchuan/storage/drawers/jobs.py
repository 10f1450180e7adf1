# mypy: disable-error-code="empty-body"
"""The durable queue."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.storage.records import JobRecord
from wangchuan.storage.statements import Drawer, Values, changed, column, many, one, run, value


class Jobs(Drawer):
    """The jobs of one agent, in their order."""

    def add(self, kind: str, at: float, first: int | None = None, last: int | None = None) -> int:
        """Put a job in the last place; return its number."""
        values = {"kind": kind, "first": first, "last": last, "at": at}
        self._work.tail.waiting += kind == "remember"
        return int(self._engine.rows("jobs.add", values)[0][0])

    def is_full(self, limit: int) -> bool:
        """Tell whether so many remembers wait; asked only if there may be, as far as is known."""
        tail = self._work.tail
        if not tail.counted or tail.waiting >= limit or not self._engine.seen:
            tail.waiting, tail.counted = 2 * (self.waiting_span() or 0), True
        return tail.waiting >= limit and self.waiting(limit) >= limit

    @value(int)
    def waiting(self, limit: int) -> int: ...
    @value(lambda span: span)
    def waiting_span(self) -> int | None: ...

    def next(self, at: float, retries: int, longest: float) -> JobRecord | None:
        """Return the job whose turn it is at a time.

        Remembers keep their order. But a remember that failed more than `retries` times and has
        done nothing yet lets others go ahead while it waits. So does any other kind of job. No
        wait is longer than `longest` seconds: a wait that seems longer has ended.
        """
        values = {"at": at, "retries": retries, "latest": at + longest}
        asked: list[tuple[str, Values]] = [("jobs.next_remember", values), ("jobs.upkeep", {})]
        first: tuple[str, Values] = ("jobs.first_remember", {})
        if self._engine.waits:  # else the second question is asked only if needed
            asked.append(first)
        chosen, others, *more = self._engine.answers(asked)
        found = chosen or (more or self._engine.answers([first]))[0]
        jobs = [JobRecord(*row) for row in [*found, *others]]
        # A time further off than any wait: the clock went back, and the wait has ended.
        waits = {job.seq: at < job.not_before <= at + longest for job in jobs}
        return min(jobs, key=lambda job: (waits[job.seq], job.place), default=None)

    @one(JobRecord)
    def next_remember(self, at: float, retries: int, latest: float) -> JobRecord | None: ...
    @one(JobRecord)
    def first_remember(self) -> JobRecord | None: ...
    @many(JobRecord)
    def upkeep(self) -> list[JobRecord]: ...

    def waits(self, kind: str) -> bool:
        """Tell whether a job of upkeep of this kind waits."""
        return any(job.kind == kind for job in self.upkeep())

    def is_unchanged(self, job: JobRecord) -> bool:
        """Tell whether a job stands as it was read: else another worker was faster."""
        now = self.get(job.seq)
        return now is not None and (now.state, now.progress) == (job.state, job.progress)

    @one(JobRecord)
    def get(self, seq: int) -> JobRecord | None: ...
    @many(JobRecord)
    def some(self, numbers: Iterable[int]) -> list[JobRecord]: ...
    @value(lambda seq: seq)
    def bringing(self, message: int) -> int | None: ...
    @many(JobRecord)
    def latest(self, states: Iterable[str], before: int, limit: int) -> list[JobRecord]: ...
    @many(JobRecord)
    def in_state(self, state: str) -> list[JobRecord]: ...
    @many(JobRecord)
    def idle(self, upto: int, last_message: int, limit: int) -> list[JobRecord]: ...
    @value(int)
    def last(self) -> int: ...
    @value(lambda at: at)
    def last_accepted(self) -> float | None: ...
    @value(bool)
    def unsettled(self, upto: int) -> bool: ...
    @value(int)
    def pending(self) -> int: ...
    @run
    def finish(self, seq: int, at: float, progress: str | None = None) -> None: ...
    @run
    def drop(self, seq: int) -> None: ...
    @run
    def progress(self, seq: int, progress: str) -> None: ...
    @run
    def postpone(self, seq: int, attempts: int, not_before: float, reason: str) -> None: ...
    @run
    def send_back(self, seq: int) -> None: ...
    @run
    def fail(self, seq: int, at: float, reason: str) -> None: ...
    @run
    def retry(self, seq: int) -> None: ...
    @column(int)
    def attended_by(self, job: int) -> list[int]: ...
    @changed
    def blank_reasons(self) -> int: ...
    @changed
    def blank_reviews(self) -> int: ...
