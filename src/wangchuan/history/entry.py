"""The journal as people read it: entries about nodes, each with the text of its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wangchuan.history.past import text_before, text_then
from wangchuan.ids import LARGEST, name_of
from wangchuan.living.view import Reading
from wangchuan.storage import JournalRecord, journal
from wangchuan.types import Entry, Pass, Undone

Planned = Callable[[int], Undone | None]  # what undoing the change of an entry would do


class Entries:
    """The entries of one agent's journal, newest first; the entries of a node are read once."""

    def __init__(self, reading: Reading, planned: Planned) -> None:
        self._tx, self._lens, self._planned = reading.tx, reading.lens, planned
        self._known: dict[int, list[JournalRecord]] = {}

    def latest(self, limit: int, before: int = LARGEST) -> list[Entry]:
        """Return the newest entries about nodes; `before` is the number of an entry."""
        return list(self._told(self._tx.journal.about_nodes(before, limit)))

    def undoable(self, limit: int, before: int = LARGEST) -> list[Entry]:
        """Return the newest entries whose change can be undone."""
        found = (self._tx.journal.get(change.seq) for change in self._tx.undo.latest(limit, before))
        return list(self._told([entry for entry in found if entry]))

    def of(self, n: int, limit: int, before: int = LARGEST) -> list[Entry]:
        """Return the newest entries about one node."""
        own = [entry for entry in self._of(n) if entry.seq < before]
        return list(self._told(own[::-1][:limit]))

    def _of(self, n: int) -> list[JournalRecord]:
        if n not in self._known:
            self._known[n] = self._tx.journal.of(n)
        return self._known[n]

    def _told(self, entries: list[JournalRecord]) -> Iterator[Entry]:
        for one in entries:
            if one.node is not None:
                yield self._entry(one, one.node)

    def _entry(self, one: JournalRecord, n: int) -> Entry:
        said, record = journal.read(one), self._tx.nodes.get(n)
        later = [journal.read(entry) for entry in self._of(n) if entry.seq > one.seq]
        then = text_then(self._tx, self._lens, record, later, one.passes) if record else None
        before = text_before(said, n)
        return Entry(
            seq=one.seq,
            at=one.at,
            passes=one.passes,
            kind=one.kind,
            node=name_of(n),
            text=then.content if then else "",
            before=before.content if before else None,
            reason=str(getattr(said, "reason", None) or ""),
            undo=self._planned(one.seq),
        )


def evenly(passes: list[Pass], most: int) -> list[Pass]:
    """Return so many of the passes at most, the first and the last among them."""
    if len(passes) <= most or most < 2:
        return passes[:most]
    return [passes[i * (len(passes) - 1) // (most - 1)] for i in range(most)]
