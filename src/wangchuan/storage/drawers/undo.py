# mypy: disable-error-code="empty-body"
"""What changes replaced, so that they can be undone.

While a change happens, the first touch of every row notes what it was. In the end the rows are
kept, by the names of their columns, with the journal entries that were written meanwhile. Nothing
here knows what the rows mean: whoever changes nodes in the transaction is recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields
from typing import Any

from wangchuan.storage.drawers.journal import tight
from wangchuan.storage.journal import Happened
from wangchuan.storage.records import TABLES, Key, NodeRecord, Row, TouchedRow, UndoRow
from wangchuan.storage.statements import Drawer, Noted, column, many, one, run

MOST_UNDOS = 2000  # changes that can be undone, the newest


def record_of(kind: str, row: Row | None) -> Any:
    """Return a kept row as a record, with defaults for columns that came later; None for none."""
    if not isinstance(row, dict):
        return None
    known = fields(TABLES[kind].record)
    later = {f.name: f.default for f in known if f.default is not MISSING}
    values = {f.name: row.get(f.name, later.get(f.name)) for f in known}
    return TABLES[kind].record(**values)


class Undo(Drawer):
    """The changes of one agent's memory that can be undone."""

    @contextmanager
    def change(self, kind: type[Happened], node: int | None) -> Iterator[None]:
        """Keep what the writes inside replace, known by their last entry of that kind.

        Inside another change it is part of that.
        """
        if self._work.noted is not None:
            yield
            return
        self._work.noted = noted = Noted()
        try:
            yield
        finally:
            self._work.noted = None
        self._keep(noted, noted.title(kind.name, node))

    def _keep(self, noted: Noted, seq: int | None) -> None:
        touched = [
            TouchedRow(kind, key, was, self._work.row(kind, key))
            for (kind, key), was in noted.rows.items()
        ]
        changed = [row for row in touched if row.former != row.later]
        if seq is None or not changed:
            return
        span = {"seq": seq, "first": noted.entries[0][0], "last": noted.entries[-1][0]}
        op = int(self._engine.rows("undo.add", span)[0][0])
        self._engine.run_many("undo.add_row", (_stored(op, row) for row in changed))
        self.drop_old_rows(op - MOST_UNDOS)
        self.drop_old(op - MOST_UNDOS)

    @run
    def drop_old_rows(self, upto: int) -> None: ...
    @run
    def drop_old(self, upto: int) -> None: ...
    @one(UndoRow)
    def of_entry(self, seq: int) -> UndoRow | None: ...
    @many(UndoRow)
    def latest(self, limit: int) -> list[UndoRow]: ...
    @many(
        lambda kind, key, former, later: TouchedRow(
            kind, tuple(json.loads(key)), _parsed(former), _parsed(later)
        )
    )
    def rows(self, op: int) -> list[TouchedRow]: ...

    def drop_touching(self, nodes: Iterable[int]) -> int:
        """Drop what is kept of all changes that touched these nodes; return how many."""
        ops = self.touching(nodes)
        self.drop_rows(ops)
        self.drop(ops)
        return len(ops)

    @column(int)
    def touching(self, nodes: Iterable[int]) -> list[int]: ...
    @run
    def drop_rows(self, ops: Iterable[int]) -> None: ...
    @run
    def drop(self, ops: Iterable[int]) -> None: ...
    @column(lambda key: int(json.loads(key)[0]))
    def undone_from(self, messages: Iterable[int]) -> list[int]: ...

    def former(self, n: int) -> list[NodeRecord]:
        """Return a node as changes that can be undone hold it, whether it is there or not."""
        found = self._engine.rows("undo.former", {"key": tight([n])})
        return [record_of("node", _parsed(text)) for row in found for text in row if text]

    # one row, whatever it means

    def row(self, kind: str, key: Key) -> Row | None:
        """Return a row as it is now."""
        return self._work.row(kind, key)

    def put_row(self, kind: str, key: Key, row: Row | None) -> None:
        """Make a row what it was; None removes it."""
        self._work.note(kind, key)
        self._work.drop(kind, key)
        if kind == "focus":
            self._put_focus(row or [])
        elif kind == "evidence":
            self._put_evidence(key[0], row or [])
        else:
            self._put_record(kind, key, row)

    def _put_focus(self, nodes: Iterable[Any]) -> None:
        self._engine.run("links.clear_focus", {})
        places = ({"place": i, "node": n} for i, n in enumerate(nodes))
        self._engine.run_many("links.add_focus", places)

    def _put_evidence(self, n: int, messages: Iterable[Any]) -> None:
        self._engine.run("facts.drop_evidence", {"n": n})
        self._engine.run_many("facts.learn_from", ({"node": n, "message": m} for m in messages))

    def _put_record(self, kind: str, key: Key, row: Row | None) -> None:
        self._engine.run(f"rows.drop_{kind}", self._work.named(kind, key))
        record = record_of(kind, row)
        if record is not None:
            values = {f.name: getattr(record, f.name) for f in fields(record)}
            self._engine.run(f"rows.put_{kind}", values)
        elif kind == "node":  # a node that is not there is not found
            self._engine.run("index.drop_fact", {"n": key[0]})


def _stored(op: int, row: TouchedRow) -> dict[str, Any]:
    kept = {name: None if r is None else tight(r) for name, r in _sides(row)}
    return {"op": op, "kind": row.kind, "key": tight(row.key), **kept}


def _sides(row: TouchedRow) -> tuple[tuple[str, Row | None], ...]:
    return ("former", row.former), ("later", row.later)


def _parsed(text: str | None) -> Row | None:
    found: Row | None = None if text is None else json.loads(text)
    return found
