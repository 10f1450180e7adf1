# mypy: disable-error-code="empty-body"
"""Notes of the store itself, and its figures."""

from __future__ import annotations

from wangchuan.storage.statements import Drawer, figures


class Meta(Drawer):
    """The store's own notes."""

    def get(self, key: str) -> str | None:
        """Return the value of a note; None if there is none."""
        if key not in self._work.notes:
            rows = self._engine.rows("meta.get", {"key": key})
            self._work.notes[key] = rows[0][0] if rows else None
        return self._work.notes[key]

    def set(self, key: str, value: str) -> None:
        """Note a value under a key."""
        self._engine.do("meta.set", {"key": key, "value": value})
        self._work.drop_note(key)
        self._work.notes[key] = value

    @figures("nodes focus links fading forgotten messages pending failed")
    def counts(self, passes: int) -> dict[str, int]: ...
