"""The tick: settling from time to time which memories are active and which have gone cold.

A tick reads what was recorded of every memory, computes its activity and notes the state; then it
looks, among the cold, for memories that could be merged and for such that could be deleted, and
marks them. It deletes nothing, and of the activity nothing is kept. All of it is done for one
moment, the one in which the tick was asked for, so that doing it again gives the same. It is a
job in three stages, each over all memories, a bounded number at a time.

Only segments have a lifecycle here. Facts and episodes age by their weight; they have hardly any
links, and would go cold for that alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wangchuan.jobs import Plan
from wangchuan.merging import Merging
from wangchuan.network import activity
from wangchuan.network.activity import COLD, HOUR, Signals
from wangchuan.storage import JobRecord, LifecycleRecord, Store, Transaction, VitalsRecord
from wangchuan.types import Clock
from wangchuan.upkeep import Upkeep

TICK, TICKED_AT = "tick", "ticked_at"  # the job, and the note of the last one
STATES, MERGES, DELETIONS = "states", "merges", "deletions"
STAGES = (STATES, MERGES, DELETIONS)  # in the order of the document
AT_ONCE = {STATES: 500, MERGES: 100, DELETIONS: 500}  # memories per transaction

Change = int | LifecycleRecord  # the number of a memory that is active again, or how one is left


@dataclass(frozen=True, slots=True)
class Metabolism:
    """The lifecycle of one agent's memories."""

    upkeep: Upkeep
    merging: Merging
    clock: Clock

    def is_due(self, tx: Transaction) -> bool:
        """Tell whether it is time for a tick."""
        oldest = tx.node(tx.lowest_alive())
        if oldest is None:
            return False
        last = float(tx.meta(TICKED_AT) or oldest.created_at)
        return abs(self.clock() - last) >= self.upkeep.settings.tick_hours * HOUR

    def want(self, tx: Transaction) -> None:
        """See that a tick is made for this moment."""
        if not tx.upkeep_waits(TICK):
            tx.add_job(TICK, self.clock())

    def tick(self, store: Store, job: JobRecord) -> Plan:
        """Plan the next piece of a tick."""
        stage, after = _progress(job)
        with store.read() as tx:
            decay = self.upkeep.decay(tx)
            found = tx.vitals(decay, after, AT_ONCE[stage], cold=stage != STATES)
            changes = list(self._changes(tx, stage, found, job.accepted_at))

        def act(store: Store, _: Any) -> None:
            with store.write() as tx:
                present = tx.job(job.seq)
                if present is not None and present.progress == job.progress:
                    _apply(tx, changes)
                    self._go_on(tx, job, stage, found)

        return Plan(None, lambda answer: answer, act)

    def _go_on(
        self, tx: Transaction, job: JobRecord, stage: str, found: Sequence[VitalsRecord]
    ) -> None:
        following = STAGES.index(stage) + 1
        tx.send_back_job(job.seq)  # what is to be remembered does not wait for a whole tick
        if len(found) == AT_ONCE[stage]:
            tx.progress_job(job.seq, f"{stage} {found[-1].n}")
        elif following < len(STAGES):
            tx.progress_job(job.seq, f"{STAGES[following]} 0")
        else:
            tx.set_meta(TICKED_AT, repr(job.accepted_at))
            tx.drop_job(job.seq)
            self.upkeep.tell(tx, "ticked", **tx.lifecycle_counts(tx.passes()))

    def _changes(
        self, tx: Transaction, stage: str, found: Sequence[VitalsRecord], at: float
    ) -> Iterator[Change]:
        """Return what a stage changes for some memories; nothing for most."""
        partners = self.merging.partners(tx, found, at) if stage == MERGES else {}
        for vitals in found:
            if vitals.kind != "segment":
                continue
            if stage == STATES:
                after = self._state(vitals, at)
            elif stage == MERGES:
                after = replace(noted(vitals), merge_with=partners.get(vitals.n))
            else:
                after = replace(noted(vitals), delete_eligible=self._deletable(vitals, at))
            if isinstance(after, LifecycleRecord) and after != noted(vitals):
                yield after
            elif after is None and vitals.cold_since is not None:
                yield vitals.n

    def _state(self, vitals: VitalsRecord, at: float) -> LifecycleRecord | None:
        """Return how a memory is left, None for an active one."""
        settings = self.upkeep.settings
        score = activity.score(Signals.of(vitals), at, settings)
        if vitals.focused or activity.state(score, settings) != COLD:
            return None
        return noted(vitals) if vitals.cold_since is not None else LifecycleRecord(vitals.n, at)

    def _deletable(self, vitals: VitalsRecord, at: float) -> int:
        return int(activity.is_deletable(Signals.of(vitals), at, self.upkeep.settings))


def noted(vitals: VitalsRecord) -> LifecycleRecord:
    """Return how the last tick left a cold memory."""
    since = vitals.cold_since or 0.0
    return LifecycleRecord(vitals.n, since, vitals.merge_with, vitals.delete_eligible)


def _progress(job: JobRecord) -> tuple[str, int]:
    stage, _, after = (job.progress or f"{STATES} 0").partition(" ")
    return stage, int(after)


def _apply(tx: Transaction, changes: Sequence[Change]) -> None:
    tx.warm(change for change in changes if isinstance(change, int))
    tx.put_lifecycle(change for change in changes if isinstance(change, LifecycleRecord))
