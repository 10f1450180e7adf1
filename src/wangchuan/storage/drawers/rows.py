"""All rows, for those who carry them elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wangchuan.errors import InvalidInput
from wangchuan.storage.records import TABLES
from wangchuan.storage.statements import Drawer, values_of


class Rows(Drawer):
    """Every record of every kind of `TABLES`."""

    def every(self, kind: str) -> Iterator[Any]:
        """Yield all records of a kind in the order of their keys, as they are read."""
        make = TABLES[kind].record
        for row in self._engine.each(f"rows.every_{kind}"):
            yield make(*row)

    def how_many(self, kind: str) -> int:
        """Return how many records of a kind there are."""
        return int(self._engine.rows(f"rows.count_{kind}", {})[0][0])

    def take_in(self, kind: str, record: Any) -> None:
        """Store a record under its own number; InvalidInput if the number is taken."""
        try:
            taken = self._engine.run(f"rows.take_in_{kind}", values_of(record))
        except self._engine.conflict as error:
            raise InvalidInput(f"this {kind} cannot be stored ({error})") from error
        if not taken and not TABLES[kind].conflict:
            raise InvalidInput(f"this {kind} is there already")
        self._work.read_anew()
        if kind == "link":
            way = {"source": record.source, "target": record.target}
            self._engine.do("links.add_oneway", way)
        if kind == "message" and record.name is not None:
            self._engine.do("messages.add_speaker", {"name": record.name})
