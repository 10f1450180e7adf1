# mypy: disable-error-code="empty-body"
"""Behaviour recorded of nodes: how often and when they were returned or passed."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.storage.records import SignalsRecord
from wangchuan.storage.statements import Drawer, changed, many, one, values_of


class Signals(Drawer):
    """What activity is computed from."""

    def accessed(self, nodes: Iterable[int], at: float) -> None:
        """Note that nodes were returned."""
        self._engine.run_many("signals.accessed", ({"node": n, "at": at} for n in nodes))

    def traversed(self, nodes: Iterable[int], at: float) -> None:
        """Note that nodes were passed on the way to others."""
        self._engine.run_many("signals.traversed", ({"node": n, "at": at} for n in nodes))

    @one(SignalsRecord)
    def get(self, n: int) -> SignalsRecord | None: ...
    @many(SignalsRecord)
    def unnoted(self) -> list[SignalsRecord]: ...

    def note(self, records: Iterable[SignalsRecord]) -> None:
        """Note that the journal has been told of so much behaviour."""
        names = ("node", "access_count", "traverse_count")
        self._engine.run_many("signals.note", ({n: getattr(r, n) for n in names} for r in records))

    def put(self, records: Iterable[SignalsRecord]) -> None:
        """Put recorded behaviour in place of what is there."""
        self._engine.run_many("signals.put", map(values_of, records))

    @changed
    def drop(self, n: int) -> int: ...
