"""Undoing: every change puts back exactly what it replaced.

A change that can be undone keeps the former value of each row it touched (see
`storage/drawers/undo.py`). Undoing writes these rows back, all or none. It is refused if one of
them was changed again since, because later changes may be built on it. An undo is journaled as
"undone" and can itself be undone.

Passes that went by are no change. For a node that comes back the passes since count as if it had
never left. Its future is reckoned anew only if the focus that supported the node has moved on. A
text that was shortened comes back whole and is not shortened for a few passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wangchuan.errors import CannotUndo, NotFound
from wangchuan.facts.records import found_by
from wangchuan.ids import name_of
from wangchuan.living.lens import stored_text
from wangchuan.living.schedule import KEPT_PASSES, Schedule
from wangchuan.living.trash import only_when
from wangchuan.storage import NodeRecord, Row, TouchedRow, Transaction, UndoRow, journal
from wangchuan.storage.drawers.undo import MOST_UNDOS, record_of
from wangchuan.types import Clock, Undone

TICKED = "lifecycle"  # rows in which ticks write
CLOCK = frozenset({"scans", "since_pass", "waited", "fade_at", "due_at", "die_at"})


class Undoing:
    """Undoing the changes of one agent's memory."""

    def __init__(self, tx: Transaction, schedule: Schedule, clock: Clock) -> None:
        self._tx, self._schedule, self._clock = tx, schedule, clock

    def latest(self, limit: int) -> list[Undone]:
        """Return the newest changes that are kept, with what undoing each would do."""
        return [self._planned(change) for change in self._tx.undo.latest(limit)]

    def plan(self, seq: int) -> Undone:
        """Return what undoing a change would do, or why it is refused. Raises NotFound."""
        planned = self.planned(seq)
        if planned is not None:
            return planned
        entry = self._tx.journal.get(seq)
        if entry is None:
            raise NotFound(f"the journal has no entry {seq}; `history` shows the numbers")
        reason = (
            f'an entry of kind "{entry.kind}" cannot be undone, or no longer: of all changes the'
            f" newest {MOST_UNDOS:,} are kept"
        )
        return Undone(seq, entry.kind, _name(entry.node), entry.at, (), reason)

    def planned(self, seq: int) -> Undone | None:
        """Return what undoing the change that made an entry would do; None if none is kept."""
        change = self._tx.undo.of_entry(seq)
        return self._planned(change) if change else None

    def undo(self, seq: int) -> Undone:
        """Undo a change. Raises NotFound, and CannotUndo if others depend on it."""
        planned = self.plan(seq)
        change = self._tx.undo.of_entry(seq)
        if planned.refusal is not None or change is None:
            raise CannotUndo(f"entry {seq} cannot be undone: {planned.refusal}")
        rows, entry = self._tx.undo.rows(change.op), self._tx.journal.get(change.seq)
        node = entry.node if entry else None
        with self._tx.undo.change(journal.Undone, node):
            self._tx.journal.log(_told_of(planned, node, rows), self._clock())
            for row in rows:
                self._tx.undo.put_row(row.kind, row.key, row.former)
            self._set_clocks(change, rows)
            self._go_on(rows)
        self._schedule.tell(self._tx, "undone", node=planned.node, seq=planned.seq)
        return replace(planned, entry=self._tx.undo.latest(1)[0].seq)

    def _set_clocks(self, change: UndoRow, rows: list[TouchedRow]) -> None:
        """Count the scans of nodes that came back by each set of rules, for as long as it held."""
        for entry, said in self._tx.journal.each(journal.Rules, change.last):
            former, then = (self._schedule.lens.by(rules) for rules in (said.before, said.after))
            for n in (row.key[0] for row in rows if row.kind == "node"):
                record = self._tx.nodes.get(n)
                if record and record.since_pass is not None:
                    self._tx.nodes.save(then.taken_over(record, former, entry.passes))

    def _go_on(self, rows: list[TouchedRow]) -> None:
        """Index facts that came back, and schedule nodes that came back."""
        for was, now in _nodes(rows):
            if was and now and _is_fuller(was, now):
                due = self._tx.passes() + KEPT_PASSES
                self._tx.nodes.save(replace(was, kept=1, due_at=due))
            if was and now is None and was.kind != "segment":
                self._tx.index.add_fact(was.n, found_by(was.text))
        sources = {row.key[0] for row in rows if row.kind == "link"}
        for n in sorted(sources | {row.key[0] for row in rows if row.kind == "node"}):
            self._schedule.take_up(self._tx, n)

    # what stands in the way

    def _planned(self, change: UndoRow) -> Undone:
        rows, entry = self._tx.undo.rows(change.op), self._tx.journal.get(change.seq)
        if entry is None:
            raise NotFound(f"the journal has no entry {change.seq}")
        refusal = next(self._obstacles(change, rows), None)
        effects = tuple(self._effects(rows))
        return Undone(entry.seq, entry.kind, _name(entry.node), entry.at, effects, refusal)

    def _obstacles(self, change: UndoRow, rows: list[TouchedRow]) -> Iterator[str]:
        network = any(node and node.kind == "segment" for pair in _nodes(rows) for node in pair)
        changes = [said for _, said in self._tx.journal.each(journal.Rules, change.last)]
        if network and not all(only_when(said.before, said.after) for said in changes):
            yield "the rules of fading have changed since"
        moved = CLOCK if changes else frozenset()
        for row in sorted(rows, key=lambda row: row.kind == "focus"):  # last: nodes tell more
            if row.kind == TICKED:
                continue  # the next tick settles the row anew
            if not _is_still(self._tx.undo.row(row.kind, row.key), row.later, moved):
                yield self._later_change(change, row)

    def _later_change(self, change: UndoRow, row: TouchedRow) -> str:
        """Say what happened to a row after a change."""
        for entry, said in self._tx.journal.each(journal.Undone, change.last):
            if said.seq == change.seq:
                return f"it was undone already, by entry {entry.seq}"
        if row.kind == "focus":
            return "the focus has moved on since"
        later = [e for n in row.key for e in self._tx.journal.of(n) if e.seq > change.last]
        if not later:
            since = "days were counted" if row.kind == "fact" else "the focus moved on"
            return f"{name_of(row.key[0])} stands differently since {since}"
        first = min(later, key=lambda entry: entry.seq)
        return f"{_name(first.node)} was {first.kind} later, by entry {first.seq}"

    def _effects(self, rows: list[TouchedRow]) -> Iterator[str]:
        for was, now in _nodes(rows):
            yield from _told(was, now, self._tx.passes())
        links = sum(row.kind == "link" for row in rows)
        if links:
            yield f"{links} links stand as before" if links > 1 else "1 link stands as before"
        if any(row.kind == "focus" for row in rows):
            yield "the focus is as before"
        for row in rows:
            if row.kind == "fact" and row.former and row.later:
                yield f"what is noted of {name_of(row.key[0])} is as before"


def _told_of(planned: Undone, node: int | None, rows: list[TouchedRow]) -> journal.Undone:
    """Return the entry of an undo: which nodes live after it, and the texts it replaces."""
    pairs = [(was, now, one) for was, now in _nodes(rows) if (one := was or now)]
    lives = {one.n: _life(was) for was, _, one in pairs}
    changed = [now for was, now, _ in pairs if was and now and now.text != was.text]
    before = {now.n: stored_text(now) for now in changed}
    return journal.Undone(node, planned.seq, planned.kind, lives, before)


def _is_still(now: Row | None, then: Row | None, moved: frozenset[str]) -> bool:
    """Tell whether a row is as the change left it; columns `moved` or added do not count."""
    if isinstance(now, dict) and isinstance(then, dict):
        return all(n in moved or now.get(n, value) == value for n, value in then.items())
    return now == then


def _nodes(rows: Iterable[TouchedRow]) -> list[tuple[NodeRecord | None, NodeRecord | None]]:
    """Return the nodes among the rows, each before and after the change."""
    return [
        (record_of("node", r.former), record_of("node", r.later)) for r in rows if r.kind == "node"
    ]


def _told(was: NodeRecord | None, now: NodeRecord | None, passes: int) -> Iterator[str]:
    """Say what undoing does to one node."""
    node = was or now
    name = name_of(node.n) if node else ""
    if was is None:
        yield f"{name} is no longer there"
    elif now is None:
        yield f"{name} is there again"
    elif was.forgotten_at is None and now.forgotten_at is not None:
        gone = not was.is_alive(passes)
        yield f"{name} comes back" + (", but would have faded by now" if gone else "")
    elif was.forgotten_at is not None and now.forgotten_at is None:
        yield f"{name} goes back to the trash"
    if was and now and was.text != now.text:
        yield f"{name} has its text of {len(was.text)} characters again, now {len(now.text)}"
    if was and now and was.kind != now.kind:
        yield f"{name} is a {was.kind} again"


def _is_fuller(was: NodeRecord, now: NodeRecord) -> bool:
    """Tell whether a living node that fades gets a longer text back."""
    lives = was.forgotten_at is None and now.forgotten_at is None
    return lives and was.since_pass is not None and len(was.text) > len(now.text)


def _life(node: NodeRecord | None) -> str:
    if node is None:
        return "never"
    return "alive" if node.forgotten_at is None else "forgotten"


def _name(n: int | None) -> str | None:
    return None if n is None else name_of(n)
