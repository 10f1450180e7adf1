"""The statements of ticks: what is known of many memories, read at once, and how they are left."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from wangchuan.storage.contract import Decay, Key, LifecycleRecord, TextRecord, VitalsRecord


class LifecycleStatements:
    """The part of a transaction that ticks use; see `Transaction` for what it promises."""

    if TYPE_CHECKING:

        def _rows(self, name: str, /, **values: Any) -> list[tuple[Any, ...]]: ...
        def _run(self, name: str, /, **values: Any) -> None: ...
        def _note(self, kind: str, key: Key) -> None: ...
        def _run_many(self, name: str, rows: Iterable[dict[str, Any]]) -> None: ...
        def _figures(self, name: str, passes: int) -> dict[str, int]: ...

    def vitals(
        self, decay: Decay, after: int, limit: int, *, cold: bool = False
    ) -> list[VitalsRecord]:
        found = self._rows("living_after", passes=decay.passes, after=after, limit=limit, cold=cold)
        return self.vitals_of(decay, (row[0] for row in found))

    def vitals_of(self, decay: Decay, nodes: Iterable[int]) -> list[VitalsRecord]:
        rows = self._rows("vitals", nodes=json.dumps(list(nodes)), **_named(decay))
        return [VitalsRecord(*row) for row in rows]

    def texts_of(self, nodes: Iterable[int]) -> list[TextRecord]:
        return [TextRecord(*row) for row in self._rows("texts_of", nodes=json.dumps(list(nodes)))]

    def texts_from(self, messages: Iterable[int]) -> list[TextRecord]:
        rows = self._rows("texts_from", messages=json.dumps(list(messages)))
        return [TextRecord(*row) for row in rows]

    def put_lifecycle(self, records: Iterable[LifecycleRecord]) -> None:
        self._run_many("put_lifecycle", map(_named, records))

    def warm(self, nodes: Iterable[int]) -> None:
        for n in nodes:
            self._note("lifecycle", (n,))
            self._run("drop_lifecycle_row", n=n)

    def cold_among(self, nodes: Iterable[int]) -> set[int]:
        return {row[0] for row in self._rows("cold_among", nodes=json.dumps(list(nodes)))}

    def merge_marks(self, limit: int = -1) -> list[LifecycleRecord]:
        return [LifecycleRecord(*row) for row in self._rows("merge_marks", limit=limit)]

    def lifecycle_counts(self, passes: int) -> dict[str, int]:
        return self._figures("lifecycle_counts", passes)


def _named(record: Decay | LifecycleRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__slots__}
