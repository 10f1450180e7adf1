# mypy: disable-error-code="empty-body"
"""What belongs to facts and episodes beside their text."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.storage.records import FactRecord, NodeRecord
from wangchuan.storage.statements import Drawer, changed, column, many, run, values_of


class Facts(Drawer):
    """Weights, sources, reviews and evidence."""

    def put(self, record: FactRecord) -> None:
        """Store the record of a fact; its text stands in its node."""
        self._work.note("fact", (record.node,))
        self._engine.do("facts.put", values_of(record))
        self._work.facts.pop(record.node, None)

    def get(self, n: int) -> FactRecord | None:
        """Return the record of a fact; None for any other node."""
        if n not in self._work.facts:
            self.read_ahead([n])
        return self._work.facts[n]

    def read_ahead(self, nodes: Iterable[int]) -> None:
        """Read what belongs to many facts at once; `get` then answers without asking."""
        wanted = [n for n in nodes if n not in self._work.facts]
        self._work.facts |= dict.fromkeys(wanted)
        for record in self.some(wanted) if wanted else ():
            self._work.facts[record.node] = record

    @many(FactRecord)
    def some(self, nodes: Iterable[int]) -> list[FactRecord]: ...

    def of_kinds(self, kinds: Iterable[str], limit: int = -1) -> list[NodeRecord]:
        """Return the living nodes of these kinds, the newest first."""
        found = [record for kind in set(kinds) for record in self.of_kind(kind, limit)]
        found.sort(key=lambda record: -record.n)
        return found if limit < 0 else found[:limit]

    @many(NodeRecord)
    def of_kind(self, kind: str, limit: int) -> list[NodeRecord]: ...
    @many(NodeRecord)
    def passing(self, among: int) -> list[NodeRecord]: ...
    @many(NodeRecord)
    def after(self, n: int, limit: int) -> list[NodeRecord]: ...
    @many(FactRecord)
    def to_review(self, limit: int) -> list[FactRecord]: ...

    def learn_from(self, n: int, messages: Iterable[int]) -> None:
        """Note that a node was learned from messages."""
        self._work.note("evidence", (n,))
        self._engine.run_many("facts.learn_from", ({"node": n, "message": m} for m in messages))

    @column(int)
    def evidence_of(self, n: int) -> list[int]: ...
    @many(lambda message, node: (message, node))
    def learned_from(self, messages: Iterable[int]) -> list[tuple[int, int]]: ...
    @many(lambda message, node: (message, node))
    def corrected_from(self, messages: Iterable[int]) -> list[tuple[int, int]]: ...
    @many(lambda corrected, message: (corrected, message))
    def sources_of_latest(self, nodes: Iterable[int]) -> list[tuple[int, int]]: ...
    def drop(self, n: int) -> int:
        """Drop the record of a fact; return whether there was one."""
        self._work.facts.pop(n, None)
        return self._engine.run("facts.drop", {"n": n})

    @changed
    def drop_evidence(self, n: int) -> int: ...
    @run
    def drop_message(self, message: int) -> None: ...

    def drop_successor(self, n: int) -> None:
        """Forget that facts were replaced by this one."""
        self._work.facts.clear()
        self._engine.do("facts.drop_successor", {"n": n})
