"""Tasks: nodes made, attended or recalled while a task is open stand still until it ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from wangchuan.jobs.work import Plan
from wangchuan.living.lens import TASKS, open_tasks
from wangchuan.living.schedule import Schedule
from wangchuan.storage import JobRecord, Store, Transaction, journal
from wangchuan.types import value

RELEASE = "release"  # the job that lets go the nodes that tasks held
RELEASED_AT_ONCE = 25  # nodes per transaction, so that callers never wait long for the writer


@value
class Tasks:
    """The open tasks of one agent, and the nodes they hold."""

    schedule: Schedule

    def begin(self, tx: Transaction, where: str) -> None:
        """Hold, from now on, the nodes that are touched."""
        self._set(tx, sorted({*open_tasks(tx), where}), where)

    def end(self, tx: Transaction, where: str) -> None:
        """Let go the nodes that no other task holds, a few at a time."""
        left = [other for other in open_tasks(tx) if other != where]
        self._set(tx, left, where)
        if not left and not tx.jobs.waits(RELEASE):
            tx.jobs.add(RELEASE, self.schedule.now())

    def _set(self, tx: Transaction, where: list[str], changed: str) -> None:
        tx.meta.set(TASKS, json.dumps(where, ensure_ascii=False))
        tx.journal.log(journal.Task(changed, changed in where), self.schedule.now())

    def touch(self, tx: Transaction, nodes: Iterable[int]) -> None:
        """Hold nodes that were made use of, if a task is open."""
        if not open_tasks(tx):
            return
        records = [record for n in nodes if (record := tx.nodes.get(n))]
        moving = [r.n for r in records if r.is_alive(tx.passes()) and r.since_pass is not None]
        if moving:
            tx.journal.log(journal.Touched(tuple(moving)), self.schedule.now())
        for n in moving:
            self.schedule.hold(tx, n)

    def release(self, _: Store, job: JobRecord) -> Plan:
        """Plan to let go a few of the nodes that an ended task held."""
        return Plan.of(lambda tx: self._release(tx, job))

    def _release(self, tx: Transaction, job: JobRecord) -> None:
        if not tx.jobs.is_unchanged(job):
            return  # another worker was faster
        after = int(job.progress or 0)
        found = [] if open_tasks(tx) else tx.nodes.still(after, RELEASED_AT_ONCE)
        if found:
            self.let_go(tx, [record.n for record in found])
            tx.jobs.progress(job.seq, str(found[-1].n))
        else:
            tx.jobs.drop(job.seq)

    def let_go(self, tx: Transaction, nodes: Sequence[int]) -> None:
        """Let time go on for nodes that tasks held."""
        tx.journal.log(journal.Released(tuple(nodes)), self.schedule.now())
        for n in nodes:
            record = tx.nodes.get(n)
            if record is not None and record.forgotten_at is None:
                self.schedule.let_go(tx, record)
