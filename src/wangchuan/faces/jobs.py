"""The jobs of a memory, waiting, done or failed: `memory.jobs`."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.arguments import a_timeout, one_of, texts
from wangchuan.errors import NotFound, shown
from wangchuan.faces.face import Face
from wangchuan.ids import JOB, LARGEST, job_name, number_in
from wangchuan.jobs.work import Answer
from wangchuan.living.view import checked_limit
from wangchuan.living.weave import result_of
from wangchuan.pending import Pending
from wangchuan.storage import JobRecord, Transaction
from wangchuan.types import Job

PENDING, STATES = "pending", ("pending", "done", "failed")


class Jobs(Face):
    """The jobs of one agent: call it for a list."""

    def __call__(
        self, states: Iterable[str] = STATES, *, before: str | None = None, limit: int = 100
    ) -> list[Job]:
        """Return the newest jobs in some states, newest first; `before`, those older than a job.

        Raises InvalidInput for an unknown state, NotFound for an unknown job.
        """
        wanted = [one_of(state, STATES, "each of states") for state in texts(states, "states")]
        most, first = checked_limit(limit), LARGEST if before is None else _number(before)
        with self._borrow() as store, store.read() as tx:
            return [_shown(record) for record in tx.jobs.latest(wanted, first, most)]

    def get(self, job_id: str) -> Job:
        """Return a job by its id, as a receipt has it. Raises NotFound."""
        seq = _number(job_id)
        with self._borrow() as store, store.read() as tx:
            return _shown(_record(tx, seq))

    def wait(self, job_id: str, timeout: float | None = None) -> Pending[Job]:
        """Return a job once it is done or failed, or as it stands after so many seconds.

        Raises NotFound at once.
        """
        seq, seconds = _number(job_id), a_timeout(timeout)
        self.get(job_id)
        self._agent.lane.hurry()
        return self._agent.lane.questions.ask_when(
            lambda tx: _record(tx, seq).state != PENDING,
            lambda tx: Answer(_shown(_record(tx, seq))),
            seconds,
        )

    def retry(self) -> int:
        """Take all failed jobs up again; return how many there were."""
        with self._borrow() as store, store.write() as tx:
            failed = tx.jobs.in_state("failed")
            for job in failed:
                tx.jobs.retry(job.seq)
        self._agent.lane.wake()
        return len(failed)


def _number(job_id: object) -> int:
    seq = number_in(job_id, JOB)
    if seq is None:
        raise NotFound(f"{shown(job_id)} is not the id of a job; ids look like job_3")
    return seq


def _record(tx: Transaction, seq: int) -> JobRecord:
    record = tx.jobs.get(seq)
    if record is None:
        raise NotFound(f"no job has the id {job_name(seq)}")
    return record


def _shown(job: JobRecord) -> Job:
    return Job(
        job_name(job.seq),
        job.kind,
        job.state,
        job.attempts,
        job.accepted_at,
        job.finished_at,
        job.reason,
        result_of(job) if job.kind == "remember" else (),
    )
