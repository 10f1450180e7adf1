"""The past: the nodes that were alive at a time, and their texts, read from the journal.

The entries up to the time tell whether a node was alive. The entries after it tell the text: an
entry that changes a text holds the text of before, so the first such entry after the time holds
the text of the time. If no entry has changed a node since, fading is reckoned for the passes of
the time. Else the text is the one stored then, which is at most one step of rewriting
(`compression_step`) longer than the text that was shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from wangchuan.errors import InvalidInput
from wangchuan.living.lens import Lens, stored_text
from wangchuan.living.view import Reading
from wangchuan.storage import JournalRecord, NodeRecord, Text, Transaction, journal
from wangchuan.types import Node

BEGINS = {
    kind.name for kind in (journal.Remembered, journal.Learned, journal.Merged, journal.Restored)
}
Told = tuple[JournalRecord, journal.Happened | journal.Blank]  # an entry, and its value


class Past:
    """One agent's memory at one time."""

    def __init__(self, reading: Reading, at: float) -> None:
        self._reading, self._tx, self._lens, self._at = reading, reading.tx, reading.lens, at
        self._passes = self._tx.pruned().passes

    def nodes(self, only: int | None = None) -> list[Node]:
        """Return the nodes that were alive, oldest first; `only` looks for one node.

        Raises InvalidInput if the journal no longer reaches back to the time.
        """
        since = self._tx.pruned().at
        if self._at < since:
            raise InvalidInput(
                "what was known then is no longer known: strategy `slots` keeps a bounded store."
                f" All is known since {datetime.fromtimestamp(since, UTC):%Y-%m-%dT%H:%M:%SZ}"
            )
        told: dict[int, list[Told]] = {}
        for entry in self._tx.journal.after():
            if entry.at <= self._at:
                self._passes = max(self._passes, entry.passes)
            if only not in (None, entry.node) and entry.kind != journal.Undone.name:
                continue
            said = journal.read(entry)
            for n in _concerned(entry, said):
                if only in (None, n):
                    told.setdefault(n, []).append((entry, said))
        found = ((self._tx.nodes.get(n), told[n]) for n in sorted(told))
        return [self._node(r, entries) for r, entries in found if r and self._lived(r.n, entries)]

    def _lived(self, n: int, entries: Iterable[Told]) -> bool:
        alive = False
        for entry, said in entries:
            if entry.at > self._at:
                break
            if entry.kind in BEGINS:
                alive = True
            elif entry.kind == journal.Forgotten.name:
                alive = False
            elif isinstance(said, journal.Undone):
                alive = said.lives[n] == "alive"
        return alive

    def _node(self, record: NodeRecord, entries: list[Told]) -> Node:
        later = [said for entry, said in entries if entry.at > self._at]
        scans = self._lens.scans(record, self._passes)
        text = text_then(self._tx, self._lens, record, later, self._passes)
        kinds = (said.before for said in later if isinstance(said, journal.Promoted))
        then = replace(record, kind=next(kinds, record.kind))
        return self._reading.public(then, text, max(0, scans))


def _concerned(entry: JournalRecord, said: journal.Happened | journal.Blank) -> Iterable[int]:
    """Return the nodes an entry tells of."""
    if isinstance(said, journal.Undone):
        return said.lives
    return [] if entry.node is None else [entry.node]


def text_then(
    tx: Transaction,
    lens: Lens,
    record: NodeRecord,
    later: Iterable[journal.Happened | journal.Blank],
    passes: int,
) -> Text:
    """Return the text of a node at a pass, from the later entries about the node."""
    befores = (text_before(said, record.n) for said in later)
    text = next((before for before in befores if before), None)
    if text is None and record.since_pass is not None and record.since_pass <= passes:
        text = lens.shown(tx, record, passes)
    return text or stored_text(record)


def text_before(said: journal.Happened | journal.Blank, n: int) -> Text | None:
    """Return the text of a node that an entry replaced; None if it replaced none."""
    if isinstance(said, journal.Undone):
        return said.before.get(n)
    return said.before if isinstance(said, journal.Compressed | journal.Restored) else None
