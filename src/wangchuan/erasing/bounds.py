"""Bounds: what strategy `slots` keeps beside its slots, so that the store stops growing.

Of the forgotten nodes the newest stay, and can be restored. Older ones go for good. With them go
the changes that touched them, the entries about them, and the messages and jobs of which no node is
left. Of the entries about no node, the newest stay. A node that goes here is not erased: it leaves
no tombstone, and its bytes stay until SQLite uses the page again. Links to it stay and fade; they
say that something was known once. Facts take no slots and stay. So do messages that were not
digested or learned from yet.

Pruning is a job like any other: wanted from time to time after a remember, and done a bounded
number of rows at a time.
"""

from __future__ import annotations

from wangchuan.erasing.erasure import forget_texts
from wangchuan.facts.learning import OBSERVED, SUMMARISED, mark
from wangchuan.facts.records import Facts
from wangchuan.jobs.work import Plan
from wangchuan.living.trash import REUSED
from wangchuan.settings.fields import Settings
from wangchuan.storage import JobRecord, Store, Transaction
from wangchuan.types import Clock, value

PRUNE = "prune"  # the job
CHUNK = 100  # nodes, jobs and episodes per transaction
ENTRIES = 2000  # of the journal, likewise
TRASH_PER_SLOT, ENTRIES_PER_SLOT = 4, 20  # where settings name no number
SOONEST, SHARE = 50, 10  # jobs and passes between two prunings: so many, and slots / SHARE
RECENT = 100  # jobs that always stay: someone may still ask for their results


@value
class Bounds:
    """How much one agent's store may hold."""

    facts: Facts
    settings: Settings
    clock: Clock

    @property
    def _trash_limit(self) -> int:
        return self.settings.max_trash or TRASH_PER_SLOT * self.settings.max_nodes

    @property
    def _journal_limit(self) -> int:
        return self.settings.max_journal or ENTRIES_PER_SLOT * self.settings.max_nodes

    def want(self, tx: Transaction) -> None:
        """Add the job that prunes the store, if enough has happened since the last one."""
        if self.settings.strategy != "slots":
            return
        gone_by = _age(tx) - tx.pruned().looked
        pause = max(SOONEST, self.settings.max_nodes // SHARE)
        if not 0 <= gone_by < pause and not tx.jobs.waits(PRUNE):
            tx.jobs.add(PRUNE, self.clock())

    def step(self, _: Store, job: JobRecord) -> Plan:
        """Plan to drop some of the nodes, jobs and entries above their bounds."""

        def act(tx: Transaction) -> None:
            if self.settings.strategy != "slots" or not self.prune(tx):
                tx.jobs.drop(job.seq)
                tx.note_pruned(looked=_age(tx))

        return Plan.of(act)

    def prune(self, tx: Transaction) -> int:
        """Drop some of the nodes, jobs and entries above their bounds; return how many."""
        return sum((self._episodes(tx), self._trash(tx), self._jobs(tx), self._journal(tx)))

    def _episodes(self, tx: Transaction) -> int:
        """Forget the oldest episodes: as many may stay as there are slots."""
        over = tx.facts.of_kind("episode", self.settings.max_nodes + CHUNK)
        for record in over[self.settings.max_nodes :]:
            self.facts.delete(tx, record, REUSED)
        return len(over[self.settings.max_nodes :])

    def _trash(self, tx: Transaction) -> int:
        over = tx.trash.size() - self._trash_limit
        going = tx.trash.oldest(min(over, CHUNK)) if over > 0 else []
        if going:
            numbers = {record.n for record in going}
            forget_texts(tx, numbers)
            tx.undo.drop_touching(numbers)
            for n in numbers:
                tx.drop_node(n)
            last = max(record.forgotten_at or 0.0 for record in going)
            tx.note_pruned(entry=tx.journal.last(), at=last)
        return len(going)

    def _jobs(self, tx: Transaction) -> int:
        """Drop old jobs of which no node is left, with their messages."""
        learned = min(mark(tx, OBSERVED), mark(tx, SUMMARISED))
        said = tx.messages.last()
        upto = learned if self.settings.learn else said.seq if said else 0
        going = tx.jobs.idle(tx.jobs.last() - RECENT, upto, CHUNK)
        for job in going:
            for message in tx.messages.between(job.first_message or 0, job.last_message or -1):
                tx.drop_message(message)
            tx.jobs.drop(job.seq)
        if going:
            last = max(job.last_message or 0 for job in going)
            for note in (OBSERVED, SUMMARISED):  # learning goes on behind the dropped messages
                tx.meta.set(note, str(max(last, mark(tx, note))))
            tx.messages.drop_speakers()
        return len(going)

    def _journal(self, tx: Transaction) -> int:
        last = tx.journal.beyond(self._journal_limit, ENTRIES)
        if last is None:
            return 0
        tx.undo.drop_before(last.seq)
        tx.note_pruned(entry=last.seq, at=last.at, passes=last.passes)
        return tx.journal.drop_upto(last.seq)


def _age(tx: Transaction) -> int:
    """Return a number that grows with every accepted job and every pass."""
    return tx.jobs.last() + tx.passes()
