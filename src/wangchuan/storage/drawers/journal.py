# mypy: disable-error-code="empty-body"
"""The journal: what happened, append-only."""

from __future__ import annotations

import json
from typing import Any

from wangchuan.storage.records import JournalRecord
from wangchuan.storage.statements import Drawer, changed, many, one, value


def tight(value: Any) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Journal(Drawer):
    """The entries of one agent's journal."""

    def log(self, kind: str, node: int | None, detail: dict[str, Any], at: float) -> None:
        """Append an entry."""
        values = {"kind": kind, "node": node, "detail": tight(detail), "at": at}
        seq = int(self._engine.rows("journal.log", values)[0][0])
        if self._work.noted is not None:
            self._work.noted.entries.append((seq, kind, node))

    @many(JournalRecord)
    def of(self, n: int) -> list[JournalRecord]: ...
    @many(JournalRecord)
    def after(self, after: int = 0, kind: str | None = None) -> list[JournalRecord]: ...
    @one(JournalRecord)
    def get(self, seq: int) -> JournalRecord | None: ...
    @value(int)
    def last(self) -> int: ...
    @many(lambda seq, detail: (seq, json.loads(detail)))
    def relations_noted(self, n: int) -> list[tuple[int, dict[str, Any]]]: ...
    @many(lambda seq, detail: (seq, json.loads(detail)))
    def undone_noted(self) -> list[tuple[int, dict[str, Any]]]: ...

    def rewrite(self, seq: int, detail: dict[str, Any]) -> None:
        """Put another detail in the place of an entry's."""
        self._engine.run("journal.rewrite", {"seq": seq, "detail": tight(detail)})

    @changed
    def blank(self, before: float, limit: int) -> int: ...
    @changed
    def blank_of(self, n: int) -> int: ...
