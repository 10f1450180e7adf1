# mypy: disable-error-code="empty-body"
"""Ticks: how the last one left the nodes, and the figures it goes by."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.storage.records import Decay, LifecycleRecord, VitalsRecord
from wangchuan.storage.statements import Drawer, changed, column, figures, many, values_of


class Ticks(Drawer):
    """The nodes that are cold or marked, as the last tick noted them."""

    def vitals(
        self, decay: Decay, after: int, limit: int, *, cold: bool = False
    ) -> list[VitalsRecord]:
        """Return the vitals of living nodes after a number, in order; with `cold`, of the cold.

        Links from forgotten nodes and broken ones are not counted.
        """
        return self.vitals_of(decay, self.living_after(decay.passes, after, limit, cold))

    @column(int)
    def living_after(self, passes: int, after: int, limit: int, cold: bool) -> list[int]: ...

    def vitals_of(self, decay: Decay, nodes: Iterable[int]) -> list[VitalsRecord]:
        """Return the vitals of these nodes, as far as they live."""
        values = {"nodes": nodes, **values_of(decay)}
        return [VitalsRecord(*row) for row in self._engine.rows("ticks.vitals", values)]

    def put(self, records: Iterable[LifecycleRecord]) -> None:
        """Note how a tick left nodes."""
        self._engine.run_many("ticks.put", map(values_of, records))

    def warm(self, nodes: Iterable[int]) -> None:
        """Make nodes active: drop what ticks noted about them."""
        for n in nodes:
            self._work.note("lifecycle", (n,))
            self.drop(n)

    @changed
    def drop(self, n: int) -> int: ...

    def cold_among(self, nodes: Iterable[int]) -> set[int]:
        """Return which of some nodes are cold."""
        return {row[0] for row in self._engine.rows("ticks.cold_among", {"nodes": nodes})}

    @column(int)
    def cold_from(self, messages: Iterable[int]) -> list[int]: ...
    @many(LifecycleRecord)
    def merge_marks(self, limit: int = -1) -> list[LifecycleRecord]: ...
    @figures("cold mergeable deletable")
    def counts(self, passes: int) -> dict[str, int]: ...
