"""The trash: forgetting nodes, bringing them back, and settling the past when rules change."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from wangchuan.ids import name_of
from wangchuan.living.lens import Lens, stored_text
from wangchuan.living.schedule import Schedule
from wangchuan.storage import LinkRecord, NodeRecord, Transaction, journal
from wangchuan.types import REMINDED, value

FADED, REQUESTED, REUSED = "faded", "on request", "slot reused"


@value
class Trash:
    """Where one agent's forgotten nodes go, and come back from."""

    schedule: Schedule

    @property
    def lens(self) -> Lens:
        """Return what tells how much of a node is left."""
        return self.schedule.lens

    def forget(
        self,
        tx: Transaction,
        record: NodeRecord,
        reason: str,
        at: float | None = None,
        **instead: int,
    ) -> None:
        """Move a node to the trash; links that point to it are left dangling.

        `at` is the time of a larger change that this is part of, `instead` the `successor` of a
        fact, or the node that it was `merged_into`.
        """
        with tx.undo.change(journal.Forgotten, record.n):
            said = journal.Forgotten(record.n, reason, tuple(tx.links.focus()), **instead)
            self._forget(tx, record, said, self.schedule.now() if at is None else at)

    def _forget(
        self, tx: Transaction, record: NodeRecord, said: journal.Forgotten, at: float
    ) -> None:
        passes = tx.passes()
        last = passes if record.die_at is None else min(passes, record.die_at - 1)
        gone = replace(self.schedule.stilled(tx, record, last), forgotten_at=at)
        gone, focus = replace(gone, reason=said.reason), said.focus
        self._tell_neighbours(tx, record.n)  # up to now it counted for them
        tx.journal.log(said, at)
        tx.nodes.save(gone)
        if record.n in focus:
            self.schedule.refocus(tx, [n for n in focus if n != record.n])
        self._tell_neighbours(tx, record.n)
        self.schedule.tell(tx, "forgotten", node=name_of(record.n), reason=said.reason)

    def _tell_neighbours(self, tx: Transaction, n: int) -> None:
        """Where dangling links do not count, nodes that pointed here fade differently now."""
        if self.lens.settings.dangling_counts:
            return
        for link in tx.links.to(n):
            source = tx.nodes.get(link.source)
            if source and source.since_pass is not None and source.is_alive(tx.passes()):
                self.schedule.let_go(tx, source)

    def restore(self, tx: Transaction, record: NodeRecord) -> None:
        """Bring a node back, whole, as one thinks of it again: from the trash, or faded.

        It keeps its id and its links, and is linked with the focus like a new node: otherwise
        nothing would lead to it and the next pass would shorten or forget it again.
        """
        with tx.undo.change(journal.Restored, record.n):
            self._restore(tx, record)
            self.schedule.tell(tx, "restored", node=name_of(record.n))

    def _restore(self, tx: Transaction, record: NodeRecord) -> None:
        record, focus = self._revived(tx, record), tx.links.focus()
        if record.kind != "segment" or record.n in focus:
            return  # facts and episodes stand outside the network; what is in focus is held
        for holder in (tx.nodes.get(n) for n in focus):
            if holder is not None:
                tx.links.put(tied(record.n, record.scans, holder, REMINDED))
        if focus:
            self.schedule.let_go(tx, record)
        else:
            self.schedule.refocus(tx, [record.n])
            for link in tx.links.of(record.n):  # what it leads to is held by the focus again
                self.schedule.take_up(tx, link.target)
        self._tell_neighbours(tx, record.n)

    def _revived(self, tx: Transaction, record: NodeRecord) -> NodeRecord:
        """Note in the journal that a node comes back, and save it whole."""
        at, focus, passes = self.schedule.now(), tx.links.focus(), tx.passes()
        alive = record.is_alive(passes)
        unswept = record.forgotten_at is None and not alive  # no sweep buried it yet
        if unswept:
            self.forget(tx, record, FADED, at)
            record = tx.nodes.get(record.n) or record
        elif alive:
            record = self.schedule.stilled(tx, record, passes)
        before = None if record.content is None else stored_text(record)
        said = journal.Restored(record.n, record.reason, tuple(focus), unswept, before)
        tx.journal.log(said, at)
        record = replace(self._whole(tx, record), forgotten_at=None, reason=None, kept=0)
        tx.nodes.save(record)
        tx.ticks.warm([record.n])
        return record

    def _whole(self, tx: Transaction, record: NodeRecord) -> NodeRecord:
        """Return a record with its original text and labels, which the journal remembers."""
        changes = [e for e in tx.journal.of(record.n) if e.kind == journal.Compressed.name]
        first = journal.read(changes[0]) if changes else None
        if not isinstance(first, journal.Compressed):
            return replace(record, content=None)  # it never changed, or the entry was emptied
        words = json.dumps(first.before.keywords, ensure_ascii=False)
        return replace(record, content=None, phrase=first.before.phrase, keywords=words)

    # rules that changed

    def adopt(self, tx: Transaction, former: dict[str, Any]) -> None:
        """Settle everything by the rules that held until now, then go on by the present ones."""
        at, passes = self.schedule.now(), tx.passes()
        tx.journal.log(journal.Rules(former, self.schedule.noted_rules()), at)
        lens = self.lens.by(former)
        old = Trash(replace(self.schedule, lens=lens))
        for record in tx.nodes.dying(passes, -1):
            old.forget(tx, record, FADED, at)
        records = [old.schedule.settled(tx, record, passes) for record in tx.nodes.alive(passes)]
        if not only_when(former, self.schedule.noted_rules()):
            for record in [*records, *tx.trash.nodes(passes)]:
                _settle_links(tx, lens, record, lens.scans(record, passes))
        for record in records:
            if record.since_pass is not None:
                self.schedule.let_go(tx, self.lens.taken_over(record, lens, passes))
        self.schedule.refocus(tx, tx.links.focus()[: self.lens.settings.focus_limit])


def only_when(former: dict[str, Any], present: dict[str, Any]) -> bool:
    """Tell whether rules differ in nothing but when things happen: then links stay as they are."""
    when = {"strategy": None, "compression_step": None}
    return former | when == present | when


def _settle_links(tx: Transaction, lens: Lens, record: NodeRecord, scans: int) -> None:
    links = tx.links.of(record.n)  # a broken one stays broken under any rules
    left = [replace(li, strength=lens.strength(li, scans), at_scan=scans) for li in links]
    tx.links.put(left)


def tied(n: int, scans: int, holder: NodeRecord, relation: str | None) -> list[LinkRecord]:
    """Return the links of a node with a focus node, both ways, at full strength."""
    there = LinkRecord(n, holder.n, 1.0, scans, relation)
    return [there, LinkRecord(holder.n, n, 1.0, holder.scans, relation)]
