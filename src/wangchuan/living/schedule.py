"""The schedule: holding nodes still, letting them go, and what a pass makes due.

When the focus lets a node go, the schedule notes in which passes it will start to fade, be due for
rewriting and be forgotten. A pass is then one step of a counter, whatever the memory holds.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from wangchuan.events import Events
from wangchuan.living.lens import Lens, open_tasks, stored_text
from wangchuan.storage import NodeRecord, Text, Transaction, journal
from wangchuan.types import value

KEPT_PASSES = 5  # after so many, a model that failed on a text is asked again
SWEEP = "sweep"  # the job that does what passes made due


@value
class Schedule:
    """When what happens to one agent's nodes."""

    lens: Lens
    events: Events

    def now(self) -> float:
        """Return the time."""
        return self.lens.clock()

    def tell(self, tx: Transaction, event: str, **detail: Any) -> None:
        """Tell of something once it is durable."""
        tx.after(lambda: self.events.emit(event, **detail))

    def noted_rules(self) -> dict[str, object]:
        """Return the rules by which schedules are made, as plain data to compare."""
        names = ("compression_step", "dangling_counts", "focus_limit")
        settings = self.lens.settings
        return {**asdict(self.lens.rules), **{name: getattr(settings, name) for name in names}}

    # letting go

    def let_go(
        self, tx: Transaction, record: NodeRecord, *, supported: bool | None = None
    ) -> NodeRecord:
        """Count a node's scans from now on and note what the coming passes will do to it.

        While a task is open, a node that stands still goes on standing still.
        """
        if record.since_pass is None and open_tasks(tx):
            return record
        passes = tx.passes()
        record = self.lens.aged(self.settled(tx, record, passes), passes)
        if record.since_pass is None:
            record = replace(record, since_pass=passes)
        record = self.lens.expected(tx, record, supported=supported)
        tx.nodes.save(record)
        return record

    def settled(self, tx: Transaction, record: NodeRecord, passes: int) -> NodeRecord:
        """Return the record with its text written as it is shown after so many passes."""
        if self.lens.length(tx, record, passes) >= len(record.text):
            return record
        text = self.lens.shown(tx, record, passes)
        return record if text.content == record.text else self.rewritten(tx, record, text)

    def rewritten(
        self, tx: Transaction, record: NodeRecord, text: Text, *, swept: bool = False
    ) -> NodeRecord:
        """Return the record with another text, after noting the former one in the journal."""
        before, length = stored_text(record), len(text.content)
        tx.journal.log(journal.Compressed(record.n, before, length, swept), self.now())
        return replace(
            record,
            content=text.content,
            phrase=text.phrase,
            keywords=json.dumps(text.keywords, ensure_ascii=False),
            kept=0,
        )

    # holding

    def refocus(self, tx: Transaction, after: list[int], *, before_node: int = 1 << 62) -> None:
        """Set the focus, holding the nodes that enter it and letting go those that leave it.

        Nodes that the focus points at since now, or no longer, are scheduled anew; of these, nodes
        numbered `before_node` and above are left to the caller.
        """
        before = tx.links.focus()
        tx.links.set_focus(after)
        entering, released = set(after) - set(before), set(before) - set(after)
        tx.links.read_ahead(entering | released)
        touched = {link.target for n in entering | released for link in tx.links.of(n)}
        tx.nodes.read_ahead(entering | released | touched)
        for n in sorted(entering):
            self.hold(tx, n)
        for n in sorted((released | touched) - set(after)):
            record = tx.nodes.get(n) if n < before_node else None
            if record is None or not record.is_alive(tx.passes()):
                continue
            if n in released or (record.since_pass is not None and not self._stays(tx, record)):
                self.let_go(tx, record)

    def _stays(self, tx: Transaction, record: NodeRecord) -> bool:
        """Tell whether the focus holds a node for which nothing is scheduled: so it stays."""
        scheduled = (record.fade_at, record.due_at, record.die_at) != (None, None, None)
        return not scheduled and bool(self.lens.support(tx, record.n))

    def hold(self, tx: Transaction, n: int) -> None:
        """Let a node stand still; passes do nothing to it from now on."""
        record = tx.nodes.get(n)
        if record is None or record.since_pass is None:
            return  # it is new, or held already
        tx.nodes.save(self.stilled(tx, record, tx.passes()))

    def stilled(self, tx: Transaction, record: NodeRecord, passes: int) -> NodeRecord:
        """Return a record as it is after so many passes, out of time from then on."""
        still = replace(self.lens.aged(self.settled(tx, record, passes), passes), since_pass=None)
        return replace(still, fade_at=None, due_at=None, die_at=None)

    # time

    def make_pass(self, tx: Transaction, job: int | None = None) -> None:
        """Let one unit of time go by after a job, and see that a sweep does what it makes due."""
        tx.advance()
        tx.journal.log(journal.Passed(job), self.now())
        self._want_sweep(tx)

    def _want_sweep(self, tx: Transaction) -> None:
        if tx.nodes.due_exists(tx.passes()) and not tx.jobs.waits(SWEEP):
            tx.jobs.add(SWEEP, self.now())

    def take_up(self, tx: Transaction, n: int) -> None:
        """Take up a node whose row was put back: time goes on for it from now.

        A node that the focus or a task held then, and holds no longer, is let go. If its links
        give it another schedule now, it is scheduled anew.
        """
        record = tx.nodes.get(n)
        self._want_sweep(tx)
        if record is None or record.kind != "segment" or not record.is_alive(tx.passes()):
            return
        if record.n in tx.links.focus():
            return
        if record.since_pass is None:
            job = tx.jobs.get(record.job or 0)
            if job is None or job.state != "pending":
                self.let_go(tx, record)
        elif replace(self.lens.expected(tx, record), due_at=record.due_at) != record:
            self.let_go(tx, record)
