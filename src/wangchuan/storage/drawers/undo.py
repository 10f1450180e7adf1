# mypy: disable-error-code="empty-body"
"""What changes replaced, so that they can be undone.

While a change happens, the first touch of every row notes what it was. In the end the rows are
kept, by the names of their columns, with the journal entries that were written meanwhile. Nothing
here knows what the rows mean: whoever changes nodes in the transaction is recorded.

They are kept packed, in one piece: `[kind, key, former, later]` for each row, `later` by what
differs from `former`. Of a node that stays, what never changes is not kept but read from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields
from typing import Any

from wangchuan.ids import LARGEST
from wangchuan.storage.drawers.journal import tight
from wangchuan.storage.journal import Happened
from wangchuan.storage.packing import packed, unpacked
from wangchuan.storage.records import TABLES, Key, NodeRecord, Row, TouchedRow, UndoRow
from wangchuan.storage.statements import Drawer, Noted, column, many, one, run

MOST_UNDOS = 2000  # the newest changes, which can be undone
TIDIED_EVERY = 64  # changes
LASTING = {"job": None, "original": "", "sources": "[]", "created_at": 0.0, "message": None}


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
        """Keep the rows that the writes of this block replace, so that the change can be undone.

        The change is known by its last entry of that kind. A change inside another is part of it.
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
        values = {"seq": seq, "first": noted.entries[0][0], "last": noted.entries[-1][0]}
        op = int(self._engine.rows("undo.add", values | {"rows": _packed(changed)})[0][0])
        named = sorted({n for row in changed for n in _named(row)})
        self._engine.run_many("undo.add_node", ({"node": n, "op": op} for n in named))
        self.drop_old(op - MOST_UNDOS)
        if op % TIDIED_EVERY == 0:
            self.tidy()

    @run
    def drop_old(self, upto: int) -> None: ...
    @run
    def drop_before(self, seq: int) -> None: ...
    @run
    def tidy(self) -> None: ...
    @one(UndoRow)
    def of_entry(self, seq: int) -> UndoRow | None: ...
    @many(UndoRow)
    def latest(self, limit: int, before: int = LARGEST) -> list[UndoRow]: ...

    def rows(self, op: int) -> list[TouchedRow]:
        """Return what a change touched, in the order of kinds and keys."""
        found = self._engine.rows("undo.packed", {"op": op})
        return self._rows(found[0][0]) if found else []

    def _rows(self, blob: bytes) -> list[TouchedRow]:
        return [self._whole(k, tuple(key), *sides) for k, key, *sides in unpacked(blob)]

    def _whole(self, kind: str, key: Key, former: Row | None, later: Row | None) -> TouchedRow:
        """Return a row with the columns that packing left out."""
        if isinstance(former, dict) and isinstance(later, dict):
            if kind == "node" and "original" not in former:
                row: Any = self._work.row(kind, key) or {}
                former = {name: row.get(name, none) for name, none in LASTING.items()} | former
            later = former | later
        return TouchedRow(kind, key, former, later)

    def drop_touching(self, nodes: Iterable[int]) -> int:
        """Drop all changes that touched these nodes; return how many."""
        ops = self.touching(nodes)
        self.drop(ops)
        self.tidy()
        return len(ops)

    @column(int)
    def touching(self, nodes: Iterable[int]) -> list[int]: ...
    @run
    def drop(self, ops: Iterable[int]) -> None: ...

    def undone_from(self, messages: Iterable[int]) -> list[int]:
        """Return the nodes made of messages among what changes touched."""
        wanted, found = set(messages), set()
        for _, blob in self._engine.rows("undo.all_packed", {}) if wanted else ():
            for row in self._rows(blob):
                side: Any = row.former or row.later
                of_node = row.kind == "node" and side["message"] in wanted
                if of_node or (row.kind == "evidence" and wanted & set(side)):
                    found.add(row.key[0])
        return sorted(found)

    def former(self, n: int) -> list[NodeRecord]:
        """Return the former versions of a node that kept changes hold; the node may be gone."""
        rows = (row for op in self.touching([n]) for row in self.rows(op))
        found = [row for row in rows if (row.kind, row.key) == ("node", (n,))]
        sides = [side for row in found for side in (row.former, row.later)]
        return [record_of("node", side) for side in sides if side]

    def holds(self, pieces: Iterable[bytes]) -> set[bytes]:
        """Return which pieces of text stand in what is kept of changes."""
        kept = [tight(unpacked(blob)) for _, blob in self._engine.rows("undo.all_packed", {})]
        told = "\n".join(kept).encode("utf-8", "surrogatepass")
        return {piece for piece in pieces if piece in told}

    # a row as it is stored

    def row(self, kind: str, key: Key) -> Row | None:
        """Return a row as it is now."""
        return self._work.row(kind, key)

    def put_row(self, kind: str, key: Key, row: Row | None) -> None:
        """Put a former row back; None removes the row."""
        self._work.note(kind, key)
        self._work.drop(kind, key)
        if kind == "focus":
            self._put_focus(row or [])
        elif kind == "evidence":
            self._put_evidence(key[0], row or [])
        else:
            self._put_record(kind, key, row)

    def _put_focus(self, nodes: Iterable[Any]) -> None:
        self._engine.do("links.clear_focus", {})
        places = ({"place": i, "node": n} for i, n in enumerate(nodes))
        self._engine.run_many("links.add_focus", places)

    def _put_evidence(self, n: int, messages: Iterable[Any]) -> None:
        self._engine.do("facts.drop_evidence", {"n": n})
        self._engine.run_many("facts.learn_from", ({"node": n, "message": m} for m in messages))

    def _put_record(self, kind: str, key: Key, row: Row | None) -> None:
        self._engine.do(f"rows.drop_{kind}", self._work.named(kind, key))
        record = record_of(kind, row)
        if record is not None:
            values = {f.name: getattr(record, f.name) for f in fields(record)}
            self._engine.do(f"rows.put_{kind}", values)
            if kind == "link":
                self._engine.do("links.add_oneway", self._work.named(kind, key))
        elif kind == "node":  # a missing node is no longer found
            self._engine.do("index.drop_fact", {"n": key[0]})


def _packed(rows: Iterable[TouchedRow]) -> bytes:
    lean = [[r.kind, r.key, *_lean(r)] for r in sorted(rows, key=lambda r: (r.kind, r.key))]
    return packed(tight(lean))


def _lean(row: TouchedRow) -> tuple[Row | None, Row | None]:
    """Return both sides of a row without what can be left out."""
    former, later = row.former, row.later
    if not isinstance(former, dict) or not isinstance(later, dict):
        return former, later
    differing = {name: value for name, value in later.items() if former[name] != value}
    lasts = row.kind == "node" and not LASTING.keys() & differing.keys()
    return {n: v for n, v in former.items() if not (lasts and n in LASTING)}, differing


def _named(row: TouchedRow) -> Iterable[int]:
    """Return the nodes that a row is of or names."""
    return [*(row.former or ()), *(row.later or ())] if row.kind == "focus" else row.key
