# mypy: disable-error-code="empty-body"
"""What belongs to facts and episodes beside their text."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.storage.records import FactRecord, NodeRecord
from wangchuan.storage.statements import Drawer, changed, column, many, one, run, values_of


class Facts(Drawer):
    """Weights, sources, reviews and evidence."""

    def put(self, record: FactRecord) -> None:
        """Keep what belongs to a fact beside its text."""
        self._work.note("fact", (record.node,))
        self._engine.do("facts.put", values_of(record))

    @one(FactRecord)
    def get(self, n: int) -> FactRecord | None: ...

    def of_kinds(self, kinds: Iterable[str], limit: int = -1) -> list[NodeRecord]:
        """Return the living nodes of these kinds, the newest first."""
        found = [record for kind in set(kinds) for record in self.of_kind(kind, limit)]
        found.sort(key=lambda record: -record.n)
        return found if limit < 0 else found[:limit]

    @many(NodeRecord)
    def of_kind(self, kind: str, limit: int) -> list[NodeRecord]: ...
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
    @changed
    def drop(self, n: int) -> int: ...
    @changed
    def drop_evidence(self, n: int) -> int: ...
    @run
    def drop_message(self, message: int) -> None: ...
    @run
    def drop_successor(self, n: int) -> None: ...
