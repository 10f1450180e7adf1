# mypy: disable-error-code="empty-body"
"""The nodes, alive and forgotten."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Any

from wangchuan.ids import LARGEST
from wangchuan.storage.records import NodeRecord, TextRecord
from wangchuan.storage.statements import Drawer, column, many, one, run, value, values_of

NOTHING = (None, None, None, None)
NEW = NodeRecord(0, "", None, "", None, "", "[]", "[]", 0.0, 0, *NOTHING, 0, None, None)
LASTING = attrgetter("kind", "job", "original", "sources", "created_at", "message")  # not saved


class Nodes(Drawer):
    """The nodes of one agent. Numbers are never used twice."""

    def add(self, **values: Any) -> int:
        """Make a node; return its number."""
        values = {"content": None, **values}
        n = int(self._engine.rows("nodes.add", values)[0][0])
        if self._work.noted is not None:
            self._work.noted.rows["node", (n,)] = None
        self._work.nodes[n] = replace(NEW, n=n, **values)
        self._work.links[n] = {}
        return n

    def get(self, n: int) -> NodeRecord | None:
        """Return one node, alive or forgotten."""
        if n not in self._work.nodes:
            rows = self._engine.rows("nodes.get", {"n": n})
            self._work.nodes[n] = NodeRecord(*rows[0]) if rows else None
        return self._work.nodes[n]

    def read_ahead(self, numbers: Iterable[int]) -> None:
        """Read many nodes at once; `get` then answers without asking."""
        wanted = [n for n in numbers if n not in self._work.nodes]
        self._work.nodes |= dict.fromkeys(wanted)
        for record in self.some(wanted) if wanted else ():
            self._work.nodes[record.n] = record

    @many(NodeRecord)
    def some(self, numbers: Iterable[int]) -> list[NodeRecord]: ...

    def save(self, record: NodeRecord) -> None:
        """Write back what can change in a node."""
        self._work.note("node", (record.n,))
        self._engine.do("nodes.save", values_of(record))
        known = self._work.nodes.pop(record.n, None)
        if known is not None and LASTING(known) == LASTING(record):
            self._work.nodes[record.n] = record

    def set_kind(self, n: int, kind: str) -> None:
        """Make a node one of another kind."""
        self._work.note("node", (n,))
        self._work.nodes.pop(n, None)
        self._engine.do("nodes.set_kind", {"n": n, "kind": kind})

    def drop(self, n: int) -> int:
        """Remove a node; return whether there was one."""
        self._work.nodes.pop(n, None)
        return self._engine.run("nodes.drop", {"n": n})

    @many(NodeRecord)
    def alive(
        self, passes: int, limit: int = LARGEST, offset: int = 0, after: int = 0
    ) -> list[NodeRecord]: ...
    @many(NodeRecord)
    def fading(self, passes: int, limit: int = -1) -> list[NodeRecord]: ...
    @many(NodeRecord)
    def dying(self, passes: int, limit: int) -> list[NodeRecord]: ...
    @many(NodeRecord)
    def due(self, passes: int, rarity: float, limit: int) -> list[NodeRecord]: ...
    @value(bool)
    def due_exists(self, passes: int) -> bool: ...
    @many(NodeRecord)
    def still(self, after: int, limit: int) -> list[NodeRecord]: ...
    @one(NodeRecord)
    def nearest_alive(self, n: int, passes: int) -> NodeRecord | None: ...
    @value(int)
    def lowest_alive(self) -> int: ...
    @value(int)
    def highest(self) -> int: ...
    @value(int)
    def living(self, passes: int) -> int: ...
    @many(NodeRecord)
    def segments_of(self, messages: Iterable[int]) -> list[NodeRecord]: ...
    @many(NodeRecord)
    def living_from(self, messages: Iterable[int], passes: int, limit: int) -> list[NodeRecord]: ...
    @many(TextRecord)
    def texts_of(self, nodes: Iterable[int]) -> list[TextRecord]: ...
    @many(TextRecord)
    def texts_from(self, messages: Iterable[int]) -> list[TextRecord]: ...
    @many(NodeRecord)
    def held(self, before: int, limit: int) -> list[NodeRecord]: ...
    @column(int)
    def merged_from(self, ids: Iterable[str]) -> list[int]: ...
    @column(int)
    def made_beside(self, nodes: Iterable[int]) -> list[int]: ...
    @value(int)
    def last_number(self) -> int: ...

    def reserve(self, upto: int) -> None:
        """See that no node made from now on gets a number up to this one."""
        self.raise_number(upto)
        self.first_number(upto)

    @run
    def raise_number(self, upto: int) -> None: ...
    @run
    def first_number(self, upto: int) -> None: ...
