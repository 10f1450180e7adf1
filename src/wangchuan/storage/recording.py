"""Rows as they are kept, and what a change replaced.

While something undoable happens, the first touch of every row notes what it was. In the end what
was noted is kept with the journal entries that were written meanwhile. Nothing here knows what the
rows mean: whoever changes memories in the transaction is recorded, whatever they do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

import apsw

from wangchuan.errors import StorageError
from wangchuan.storage.contract import (
    FactRecord,
    Key,
    LifecycleRecord,
    LinkRecord,
    NodeRecord,
    TouchedRow,
    UndoRow,
)

MOST_UNDOS = 2000  # changes that can be undone, the newest
COLUMNS = {
    kind: tuple(column.name for column in fields(record))
    for kind, record in (
        ("node", NodeRecord),
        ("link", LinkRecord),
        ("fact", FactRecord),
        ("lifecycle", LifecycleRecord),
    )
}
NO_TEXT = "the database is damaged: where text was there is none; restore a copy of the folder"
FOCUS: Key = (0,)  # the whole focus counts as one row


@dataclass(slots=True)
class Noted:
    """What was noted since something undoable began."""

    rows: dict[tuple[str, Key], list[Any] | None] = field(default_factory=dict)
    entries: list[tuple[int, str, int | None]] = field(default_factory=list)

    def title(self, kind: str, node: int | None) -> int | None:
        """Return the journal entry by which the whole is known."""
        fitting = [s for s, what, whom in self.entries if what == kind and node in (whom, None)]
        return fitting[-1] if fitting else None


class Recording:
    """Rows on one connection, and what they were."""

    def __init__(self, connection: apsw.Connection, sql: dict[str, str]) -> None:
        self._connection, self._sql = connection, sql
        self._noted: Noted | None = None
        self._after: list[Callable[[], None]] = []

    def after(self, call: Callable[[], None]) -> None:
        self._after.append(call)

    def done(self) -> list[Callable[[], None]]:
        """Return what was to be called afterwards, once."""
        calls, self._after = self._after, []
        return calls

    def _rows(self, name: str, /, **values: Any) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(self._sql[name], values).fetchall()
        except UnicodeDecodeError as error:
            raise StorageError(NO_TEXT) from error

    def _value(self, name: str, /, **values: Any) -> Any:
        try:
            row = self._connection.execute(self._sql[name], values).fetchone()
        except UnicodeDecodeError as error:
            raise StorageError(NO_TEXT) from error
        return None if row is None else row[0]

    def _run(self, name: str, /, **values: Any) -> None:
        self._connection.execute(self._sql[name], values)

    def _run_many(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        self._connection.executemany(self._sql[name], rows)

    # one row, whatever it means

    def row(self, kind: str, key: Key) -> list[Any] | None:
        if kind in ("focus", "evidence"):
            found = [row[0] for row in self._rows(*_listed(kind), **_named(kind, key))]
            return found if found or kind == "focus" else None
        rows = self._rows("link_row" if kind == "link" else kind, **_named(kind, key))
        return list(rows[0]) if rows else None

    def put_row(self, kind: str, key: Key, row: list[Any] | None) -> None:
        self._note(kind, key)
        self._run(f"drop_{kind}_row", **_named(kind, key))
        if row is None:
            if kind == "node":  # nothing is found of what is not there
                self._run("erase_kept", n=key[0])
            return
        if kind == "focus":
            self._run_many("add_focus", ({"place": i, "node": n} for i, n in enumerate(row)))
        elif kind == "evidence":
            self._run_many("learn_from", ({"node": key[0], "message": m} for m in row))
        else:
            self._run(f"put_{kind}_row", **dict(zip(COLUMNS[kind], row, strict=True)))

    # recording

    @contextmanager
    def undoable(self, kind: str, node: int | None) -> Iterator[None]:
        if self._noted is not None:
            yield  # part of something larger
            return
        self._noted = noted = Noted()
        try:
            yield
        finally:
            self._noted = None
        self._keep_noted(noted, noted.title(kind, node))

    def _note(self, kind: str, key: Key) -> None:
        """Note what a row is before it changes."""
        if self._noted is not None and (kind, key) not in self._noted.rows:
            self._noted.rows[kind, key] = self.row(kind, key)

    def _note_entry(self, kind: str, node: int | None) -> None:
        if self._noted is not None:
            self._noted.entries.append((self._connection.last_insert_rowid(), kind, node))

    def _keep_noted(self, noted: Noted, seq: int | None) -> None:
        present = [(kind, key, was, self.row(kind, key)) for (kind, key), was in noted.rows.items()]
        changed = [touched for touched in present if touched[2] != touched[3]]
        if seq is None or not changed:
            return
        self._run("add_undo", seq=seq, first=noted.entries[0][0], last=noted.entries[-1][0])
        op = self._connection.last_insert_rowid()
        self._run_many(
            "add_undo_row",
            (
                {"op": op, "kind": kind, "key": _text(key), "former": _text(was), "later": _text(i)}
                for kind, key, was, i in changed
            ),
        )
        for name in ("drop_old_undo_rows", "drop_old_undos"):
            self._run(name, upto=op - MOST_UNDOS)

    # what can be undone

    def undo_of(self, seq: int) -> UndoRow | None:
        return next((UndoRow(*row) for row in self._rows("undo_of", seq=seq)), None)

    def undos(self, limit: int) -> list[UndoRow]:
        return [UndoRow(*row) for row in self._rows("undos", limit=limit)]

    def touched(self, op: int) -> list[TouchedRow]:
        return [
            TouchedRow(kind, tuple(json.loads(key)), _parsed(was), _parsed(later))
            for kind, key, was, later in self._rows("undo_rows", op=op)
        ]

    def drop_undos(self, nodes: Iterable[int]) -> int:
        touching = self._rows("undos_touching", nodes=json.dumps(list(nodes)))
        ops = json.dumps([row[0] for row in touching])
        for name in ("drop_undo_rows", "drop_undos"):
            self._run(name, ops=ops)
        return len(touching)


def _listed(kind: str) -> tuple[str]:
    return ("focus",) if kind == "focus" else ("evidence_of",)


def _named(kind: str, key: Key) -> dict[str, int]:
    """Return the key of a row as the SQL names it."""
    if kind == "link":
        return {"source": key[0], "target": key[1]}
    return {} if kind == "focus" else {"n": key[0]}


def _text(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _parsed(text: str | None) -> list[Any] | None:
    return None if text is None else list(json.loads(text))
