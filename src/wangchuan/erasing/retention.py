"""Retention: words, trash and journal that are older than a setting allows are destroyed.

Without such a setting nothing is. The words of a message go once they have been digested and
learned from; the nodes made of them stay, and are found as before. Forgotten nodes are erased.
Entries of the journal stay, without texts. Retaining is a job like any other, wanted once a day and
done a bounded number of rows at a time; at its end the bytes are destroyed.

A clock can be wrong by years, for a moment or until someone notices. So a time more than `LEAP`
after the last one that was relied on is only noted. If the clock shows a time at least a day after
the noted one, the noted one is relied on. If it shows an earlier time, the noted one is dropped. A
job goes by the time it was wanted for, whatever the clock says later.
"""

from __future__ import annotations

from typing import Any

from wangchuan.erasing.erasure import Erasing
from wangchuan.facts.learning import OBSERVED, mark
from wangchuan.jobs.work import Plan
from wangchuan.network.ageing import DAY
from wangchuan.settings import groups
from wangchuan.storage import JobRecord, Store, Transaction
from wangchuan.types import Clock, value

RETAIN = "retain"  # the job
RETAINED_AT = "retained_at"  # the note of when that job was last done
DOUBTED_AT = "doubted_at"  # the note of a time that waits for a second look
LEAP = 60 * DAY  # a machine may well be off for so long
CHUNK = 100  # messages, nodes and entries per transaction
ALL = (1 << 63) - 1


@value
class Retention:
    """How long words, trash and journal of one agent are kept."""

    erasing: Erasing
    settings: groups.Retention
    learns: bool  # words stay until they have been learned from
    clock: Clock

    def is_due(self, tx: Transaction) -> bool:
        """Tell whether a setting bounds a time and a day has gone by since the last look."""
        days = self.settings
        bounded = days.keep_messages_days or days.keep_trash_days or days.keep_journal_days
        return bool(bounded) and abs(self.clock() - float(tx.meta.get(RETAINED_AT) or 0)) >= DAY

    def want(self, tx: Transaction) -> None:
        """Add the job that destroys rows that are too old, if the clock can be relied on."""
        at = self._reliable(tx, self.clock())
        if at is not None and not tx.jobs.waits(RETAIN):
            tx.jobs.add(RETAIN, at)

    def _reliable(self, tx: Transaction, now: float) -> float | None:
        """Return the time to go by; None if the clock leapt and nothing confirms it yet."""
        noted, doubted = tx.meta.get(RETAINED_AT), float(tx.meta.get(DOUBTED_AT) or 0)
        if 0 < doubted <= now:  # messages accepted by that clock since confirm nothing
            if now - doubted < DAY:
                return None
            tx.meta.set(DOUBTED_AT, "")
            return doubted
        known = float(noted) if noted else tx.jobs.last_accepted()
        leapt = known is not None and now - known > LEAP
        if leapt or doubted:
            tx.meta.set(DOUBTED_AT, repr(now) if leapt else "")
        return None if leapt else now

    def step(self, store: Store, job: JobRecord) -> Plan:  # noqa: ARG002 (a step is given both)
        """Plan to destroy some rows that are too old or, if there are none, the bytes they left."""
        at = job.accepted_at

        def act(store: Store, _: Any) -> None:
            with store.write() as tx:
                some = sum((self._messages(tx, at), self._trash(tx, at), self._journal(tx, at)))
                if some:
                    self.erasing.want_scrub(tx)
                    tx.clear_traces()
                else:
                    tx.meta.set(RETAINED_AT, repr(at))
                    tx.jobs.drop(job.seq)
            if not some:
                self.erasing.resume(store)

        return Plan(None, lambda answer: answer, act)

    def _messages(self, tx: Transaction, at: float) -> int:
        before = _before(at, self.settings.keep_messages_days)
        if before is None:
            return 0
        upto = mark(tx, OBSERVED) if self.learns else ALL
        found = tx.messages.old(before, upto, CHUNK)
        used = {node.message for node in tx.nodes.segments_of(m.seq for m in found)}
        for message in found:
            if message.seq in used:
                tx.messages.blank(message.seq)
        self.erasing.remove_messages(tx, [m for m in found if m.seq not in used])
        return len(found)

    def _trash(self, tx: Transaction, at: float) -> int:
        before = _before(at, self.settings.keep_trash_days)
        found = [] if before is None else tx.trash.before(before, CHUNK)
        self.erasing.remove_nodes(tx, found)
        return len(found)

    def _journal(self, tx: Transaction, at: float) -> int:
        before = _before(at, self.settings.keep_journal_days)
        return 0 if before is None else tx.journal.blank(before, CHUNK)


def _before(at: float, days: int) -> float | None:
    return at - days * DAY if days else None
