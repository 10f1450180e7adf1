# mypy: disable-error-code="empty-body"
"""The journal: what happened, append-only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import astuple
from typing import Any, TypeVar

from wangchuan.storage.journal import Happened, read
from wangchuan.storage.records import JournalRecord
from wangchuan.storage.statements import Drawer, changed, many, one, run, value
from wangchuan.types import Pass

Kind = TypeVar("Kind", bound=Happened)


_tight = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=astuple)


def tight(value: Any) -> str:
    """Return a value as JSON without spaces; a record is a list."""
    return _tight.encode(value)


class Journal(Drawer):
    """The entries of one agent's journal."""

    def log(self, happened: Happened, at: float) -> None:
        """Append an entry."""
        kind, node = happened.name, getattr(happened, "node", None)
        values = {"kind": kind, "node": node, "detail": tight(happened.detail()), "at": at}
        seq = int(self._engine.rows("journal.log", values)[0][0])
        if self._work.noted is not None:
            self._work.noted.entries.append((seq, kind, node))

    def each(self, kind: type[Kind], after: int = 0) -> Iterator[tuple[JournalRecord, Kind]]:
        """Return the entries of a kind after an entry, each with its value, without blank ones."""
        for entry in self.after(after, kind.name):
            if isinstance(said := read(entry), kind):
                yield entry, said

    @many(JournalRecord)
    def of(self, n: int) -> list[JournalRecord]: ...
    @many(JournalRecord)
    def after(self, after: int = 0, kind: str | None = None) -> list[JournalRecord]: ...
    @many(JournalRecord)
    def about_nodes(self, before: int, limit: int) -> list[JournalRecord]: ...
    @many(Pass)
    def passes(self) -> list[Pass]: ...
    @one(JournalRecord)
    def get(self, seq: int) -> JournalRecord | None: ...
    @value(int)
    def last(self) -> int: ...

    def rewrite(self, seq: int, happened: Happened) -> None:
        """Let an entry say something else."""
        self._engine.do("journal.rewrite", {"seq": seq, "detail": tight(happened.detail())})

    @changed
    def blank(self, before: float, limit: int) -> int: ...
    @one(JournalRecord)
    def beyond(self, newest: int, limit: int) -> JournalRecord | None: ...
    @changed
    def drop_upto(self, seq: int) -> int: ...
    @run
    def drop_of(self, n: int) -> None: ...
    @changed
    def blank_of(self, n: int) -> int: ...
