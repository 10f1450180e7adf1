"""The tick: settling from time to time which nodes are active and which have gone cold.

A tick reads the signals of every node, computes its activity and notes whether it is active or
cold. Then it looks among the cold for nodes that could be merged, and for nodes that could be
deleted, and marks them. A tick deletes nothing, and stores no activity. All stages go by one
moment, the one in which the tick was asked for, so that a tick done again gives the same. A tick is
a job in three stages, each over all nodes, a bounded number at a time.

Only segments have a lifecycle here. Facts and episodes age by their weight; they have hardly any
links, and would go cold for that alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wangchuan.jobs.work import Plan
from wangchuan.lifecycle.merging import Merging
from wangchuan.network import activity
from wangchuan.network.activity import COLD, HOUR, Signals
from wangchuan.storage import (
    JobRecord,
    LifecycleRecord,
    SignalsRecord,
    Store,
    Transaction,
    VitalsRecord,
    journal,
)
from wangchuan.types import Clock, value

TICK, TICKED_AT = "tick", "ticked_at"  # the job, and the note of the last one
SEEN_AT_ONCE = 500  # nodes whose behaviour one entry tells
STATES, MERGES, DELETIONS = "states", "merges", "deletions"
STAGES = (STATES, MERGES, DELETIONS)  # in the order of the document
AT_ONCE = {STATES: 500, MERGES: 100, DELETIONS: 500}  # nodes per transaction

Change = int | LifecycleRecord  # the number of a node that is active again, or how one is left


@value
class Piece:
    """The nodes of one piece of a tick, and what the tick notes of them.

    `seen` are signals that the journal was not told of yet, `said` the last message and `entry`
    the last entry of the journal at that moment.
    """

    stage: str
    after: int
    at: float
    found: Sequence[VitalsRecord]
    changes: Sequence[Change]
    seen: Sequence[SignalsRecord] = ()
    said: int = 0
    entry: int = 0

    def is_last(self) -> bool:
        """Tell whether there is nothing left to look at in this stage."""
        return len(self.found) < AT_ONCE[self.stage]


@value
class Metabolism:
    """The lifecycle of one agent's nodes."""

    merging: Merging
    clock: Clock

    def is_due(self, tx: Transaction) -> bool:
        """Tell whether it is time for a tick."""
        oldest = tx.nodes.get(tx.nodes.lowest_alive())
        if oldest is None:
            return False
        last = float(tx.meta.get(TICKED_AT) or oldest.created_at)
        return abs(self.clock() - last) >= self.merging.lens.settings.tick_hours * HOUR

    def want(self, tx: Transaction) -> None:
        """Add the job of a tick for this moment."""
        if not tx.jobs.waits(TICK):
            tx.jobs.add(TICK, self.clock())

    def tick(self, store: Store, job: JobRecord) -> Plan:
        """Plan the next piece of a tick."""
        stage, after = _progress(job)
        with store.read() as tx:
            last, seen, entry = tx.messages.last(), tx.signals.unnoted(), tx.journal.last()
            piece = self.piece(tx, stage, after, job.accepted_at)
            piece = replace(piece, seen=seen, said=last.seq if last else 0, entry=entry)

        def act(tx: Transaction) -> None:
            if not tx.jobs.is_unchanged(job):
                return  # another worker was faster
            if tx.journal.last() != piece.entry:
                return  # a node has changed since: the piece is looked at again
            self._note(tx, piece)
            settle(tx, piece)
            self._go_on(tx, job, piece)

        return Plan.of(act)

    def piece(self, tx: Transaction, stage: str, after: int, at: float) -> Piece:
        """Look at the next nodes of a stage, for a moment."""
        cold = stage != STATES
        found = tx.ticks.vitals(self.merging.lens.decay(tx), after, AT_ONCE[stage], cold=cold)
        return Piece(stage, after, at, found, list(self._changes(tx, stage, found, at)))

    def _note(self, tx: Transaction, piece: Piece) -> None:
        """Tell the journal the signals that a piece of a tick went by, if it changes a node."""
        for start in range(0, len(piece.seen), SEEN_AT_ONCE):
            some = tuple(piece.seen[start : start + SEEN_AT_ONCE])
            tx.journal.log(journal.Ticking(some), self.clock())
        tx.signals.note(piece.seen)
        if piece.changes:
            stood = journal.Ticking((), piece.at, piece.stage, piece.after, piece.said)
            tx.journal.log(stood, self.clock())

    def _go_on(self, tx: Transaction, job: JobRecord, piece: Piece) -> None:
        following = STAGES.index(piece.stage) + 1
        tx.jobs.send_back(job.seq)  # remembers do not wait for a whole tick
        if not piece.is_last():
            tx.jobs.progress(job.seq, f"{piece.stage} {piece.found[-1].n}")
        elif following < len(STAGES):
            tx.jobs.progress(job.seq, f"{STAGES[following]} 0")
        else:
            tx.meta.set(TICKED_AT, repr(job.accepted_at))
            tx.journal.log(journal.Ticked(piece.at, piece.said), self.clock())
            tx.jobs.drop(job.seq)
            self.merging.trash.schedule.tell(tx, "ticked", **tx.ticks.counts(tx.passes()))

    def _changes(
        self, tx: Transaction, stage: str, found: Sequence[VitalsRecord], at: float
    ) -> Iterator[Change]:
        """Return the changed records of some nodes in a stage; most nodes do not change."""
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
        """Return how a node is left, None for an active one."""
        coefficients = self.merging.lens.coefficients
        score = activity.score(Signals.of(vitals), at, coefficients)
        if vitals.focused or activity.state(score, coefficients) != COLD:
            return None
        return noted(vitals) if vitals.cold_since is not None else LifecycleRecord(vitals.n, at)

    def _deletable(self, vitals: VitalsRecord, at: float) -> int:
        return int(activity.is_deletable(Signals.of(vitals), at, self.merging.lens.coefficients))


def noted(vitals: VitalsRecord) -> LifecycleRecord:
    """Return how the last tick left a cold memory."""
    since = vitals.cold_since or 0.0
    return LifecycleRecord(vitals.n, since, vitals.merge_with, vitals.delete_eligible)


def _progress(job: JobRecord) -> tuple[str, int]:
    stage, _, after = (job.progress or f"{STATES} 0").partition(" ")
    return stage, int(after)


def settle(tx: Transaction, piece: Piece) -> None:
    """Note how a piece of a tick leaves nodes."""
    tx.ticks.warm(change for change in piece.changes if isinstance(change, int))
    tx.ticks.put(change for change in piece.changes if isinstance(change, LifecycleRecord))
