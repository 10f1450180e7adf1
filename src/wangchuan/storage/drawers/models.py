# mypy: disable-error-code="empty-body"
"""What models cost, and their answers that may be used again."""

from __future__ import annotations

from wangchuan.storage.records import UsageRecord
from wangchuan.storage.statements import Drawer, changed, many, run, values_of


class Models(Drawer):
    """Usage by day and routine; kept answers."""

    def add_usage(self, usage: UsageRecord) -> None:
        """Add what one model call cost."""
        self._engine.do("models.add_usage", values_of(usage))

    @many(UsageRecord)
    def usage(self, since: str = "") -> list[UsageRecord]: ...

    def answer(self, key: str) -> str | None:
        """Return a usable answer that was given before."""
        rows = self._engine.rows("models.answer", {"hash": key})
        return rows[0][0] if rows else None

    def keep(self, key: str, answer: str, at: float, most: int) -> None:
        """Keep a usable answer, and no more than so many."""
        self._engine.do("models.keep_answer", {"hash": key, "answer": answer, "at": at})
        self.drop_old_answers(most - 1)

    @run
    def drop_old_answers(self, most: int) -> None: ...
    @changed
    def clear_answers(self) -> int: ...
