"""What an agent had at hand at some time, from the journal.

Whether a memory was alive follows from what the journal says of it up to then, its text from what
it says afterwards: whatever changes a text notes what it was, so the first such entry after the
time holds the text of the time. Where nothing has changed a memory since, fading is reckoned for
the passes of that time; otherwise its text is the one that was stored then, which is at most one
step of rewriting (`compression_step`) longer than what was shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from wangchuan.ids import name_of
from wangchuan.living.lens import Text, stored_text
from wangchuan.living.view import Reading
from wangchuan.storage import JournalRecord, NodeRecord
from wangchuan.types import Node

BEGINS = ("remembered", "learned", "merged")
Entry = tuple[str, dict[str, Any]]  # kind and detail


class Past:
    """One agent's memory at one time."""

    def __init__(self, reading: Reading, at: float) -> None:
        self._tx, self._lens, self._at = reading.tx, reading.lens, at
        self._passes = 0

    def nodes(self) -> list[Node]:
        """Return the memories that were alive, oldest first."""
        told: dict[int, list[tuple[JournalRecord, Entry]]] = {}
        for entry in self._tx.journal.after():
            if entry.at <= self._at:
                self._passes = max(self._passes, entry.passes)
            for n, what in _concerned(entry):
                told.setdefault(n, []).append((entry, what))
        found = ((self._tx.nodes.get(n), told[n]) for n in sorted(told))
        return [self._node(r, entries) for r, entries in found if r and self._lived(entries)]

    def _lived(self, entries: Iterable[tuple[JournalRecord, Entry]]) -> bool:
        alive = False
        for entry, (kind, detail) in entries:
            if entry.at > self._at:
                break
            if kind in BEGINS or kind == "restored":
                alive = True
            elif kind == "forgotten":
                alive = False
            elif kind == "undone":
                alive = detail["life"] == "alive"
        return alive

    def _node(self, record: NodeRecord, entries: list[tuple[JournalRecord, Entry]]) -> Node:
        later = [what for entry, what in entries if entry.at > self._at]
        text = next((Text(b[0], b[1], tuple(b[2])) for b in map(_before, later) if b), None)
        since, scans = record.since_pass, record.scan_count(self._passes)
        if text is None and since is not None and since <= self._passes:
            text = self._lens.shown(self._tx, record, self._passes)
        text = text or stored_text(record)
        return Node(
            id=name_of(record.n),
            kind=_kind(record.kind, later),
            content=text.content,
            phrase=text.phrase,
            keywords=text.keywords,
            created_at=record.created_at,
            scan_count=max(0, scans),
            original_length=len(record.original),
            sources=tuple(json.loads(record.sources)),
        )


def _concerned(entry: JournalRecord) -> list[tuple[int, Entry]]:
    """Return the memories an entry tells of, with what it tells of each."""
    detail = json.loads(entry.detail)
    if entry.kind != "undone":
        return [] if entry.node is None else [(entry.node, (entry.kind, detail))]
    befores = detail.get("before", {})
    return [
        (int(n), (entry.kind, {"life": life, "before": befores.get(n)}))
        for n, life in detail.get("lives", {}).items()
    ]


def _before(what: Entry) -> list[Any] | None:
    """Return the text that an entry replaced, if it did."""
    kind, detail = what
    found: list[Any] | None = detail.get("before")
    return found if kind in ("compressed", "restored", "undone") else None


def _kind(present: str, later: list[Entry]) -> str:
    """Return the kind of a memory before what happened later."""
    return next((str(detail["before"]) for kind, detail in later if kind == "promoted"), present)
