"""The unit of work: reading a row once gives the same as reading the row every time.

The same steps are made in two stores. One transaction keeps what it has read; the other forgets it
before every step. Each step must return the same in both, and so must everything that is there in
the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from wangchuan.errors import InvalidInput
from wangchuan.storage import KEPT, LifecycleRecord, LinkRecord, NodeRecord, Transaction, journal
from wangchuan.storage.records import FactRecord, FocusRecord, NoteRecord
from wangchuan.storage.sqlite.scratch import scratch

NODES = range(1, 5)
KEYS = ("tea", "passes")
ROWS = ("node", "link", "focus", "fact", "evidence", "lifecycle")
NEW = NodeRecord(
    1, "segment", None, "taken", None, "", "[]", "[]", 1.0, 0, None, None, None, None, 0, None, None
)


class Side:
    """A store, whether its transaction keeps what it reads, and what callers hold on to."""

    def __init__(self, tx: Transaction, *, keeps: bool) -> None:
        self.tx, self._keeps = tx, keeps
        self.nodes: dict[int, NodeRecord | None] = {}
        self.rows: dict[tuple[str, tuple[int, ...]], Any] = {}
        for n in (1, 2, 3):
            self.add()
            self.link(n, n % 3 + 1, 0.5)
            self.learn(n)
        self.attend([2, 1])

    def do(self, step: tuple[Any, ...]) -> Any:
        """Make one step; a list given back is spoilt, which must not matter to anyone."""
        if not self._keeps:
            self.tx._work.read_anew()
        name, *given = step
        found = getattr(self, name)(*given)
        if not isinstance(found, list):
            return found
        told = list(found)
        found.clear()
        return told

    def everything(self) -> list[Any]:
        """Return all that is there, read in all ways."""
        reads: list[tuple[Any, ...]] = [("get", n) for n in NODES]
        reads += [(name, n) for name in ("of", "neighbours") for n in NODES]
        reads += [("note_of", key) for key in KEYS] + [("focus",), ("passes",)]
        return [self.do(read) for read in reads]

    def stored(self) -> dict[str, Any]:
        tables = {kind: list(self.tx.rows.every(kind)) for kind in KEPT}
        return tables | {"undo": [self.tx.undo.rows(u.op) for u in self.tx.undo.latest(99)]}

    # reads

    def get(self, n: int) -> NodeRecord | None:
        return self.tx.nodes.get(n)

    def of(self, n: int) -> list[LinkRecord]:
        return self.tx.links.of(n)

    def neighbours(self, n: int) -> list[Any]:
        return self.tx.links.neighbours(n)

    def focus(self) -> list[int]:
        return self.tx.links.focus()

    def note_of(self, key: str) -> str | None:
        return self.tx.meta.get(key)

    def passes(self) -> int:
        return self.tx.passes()

    def read_ahead(self, nodes: list[int]) -> None:
        self.tx.links.read_ahead(nodes)

    def hold(self, n: int) -> None:
        self.nodes[n] = self.tx.nodes.get(n)

    def hold_row(self, kind: str, a: int, b: int) -> Any:
        self.rows[kind, _key(kind, a, b)] = row = self.tx.undo.row(kind, _key(kind, a, b))
        return row

    # writes

    def add(self) -> int:
        values = {"kind": "segment", "job": None, "message": None, "original": "x", "phrase": ""}
        return self.tx.nodes.add(**values, keywords="[]", sources="[]", created_at=1.0)

    def save(self, n: int, scans: int) -> None:
        record = self.nodes.get(n) or self.tx.nodes.get(n)
        if record is not None:
            self.tx.nodes.save(replace(record, scans=scans))

    def set_kind(self, n: int, kind: str) -> None:
        self.tx.nodes.set_kind(n, kind)

    def drop(self, n: int) -> int:
        return self.tx.nodes.drop(n)

    def link(self, a: int, b: int, strength: float) -> None:
        self.tx.links.put([LinkRecord(a, b, strength, 0, str(strength))])

    def drop_links(self, n: int) -> int:
        return self.tx.links.drop(n)

    def attend(self, nodes: list[int]) -> None:
        self.tx.links.set_focus(nodes)

    def note(self, key: str, value: int) -> None:
        self.tx.meta.set(key, str(value))

    def advance(self) -> None:
        self.tx.advance()

    def learn(self, n: int) -> None:
        self.tx.facts.put(FactRecord(n, 1.0, 1.0, 0, "user", 0, "other", None, None))
        self.tx.facts.learn_from(n, [n])

    def cool(self, n: int) -> None:
        self.tx.ticks.put([LifecycleRecord(n, 1.0)])

    def warm(self, n: int) -> None:
        self.tx.ticks.warm([n])

    def erase(self, n: int) -> Any:
        return self.tx.erase_node(n)

    def take_in(self, kind: str, a: int, b: int) -> str | None:
        records = {
            "node": replace(NEW, n=a),
            "link": LinkRecord(a, b, 0.3, 1, None),
            "focus": FocusRecord(a, b),
            "note": NoteRecord(KEYS[a % 2], str(b)),
        }
        try:
            self.tx.rows.take_in(kind, records[kind])
        except InvalidInput as error:
            return str(error)
        return None

    def put_row(self, kind: str, a: int, b: int) -> None:
        key = _key(kind, a, b)
        self.tx.undo.put_row(kind, key, self.rows.get((kind, key)))

    def change(self, steps: list[tuple[Any, ...]]) -> list[Any]:
        with self.tx.undo.change(journal.Passed, None):
            found = [self.do(step) for step in steps]
            self.tx.journal.log(journal.Passed(None), 1.0)
        return found


def _key(kind: str, a: int, b: int) -> tuple[int, ...]:
    return {"focus": (0,), "link": (a, b)}.get(kind, (a,))


def _step(name: str, *given: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.tuples(st.just(name), *given)


some, number, key = st.sampled_from(NODES), st.integers(0, 3), st.sampled_from(KEYS)
several = st.lists(some, unique=True, max_size=3)
row = st.sampled_from(ROWS)
steps = st.one_of(
    *(_step(name) for name in ("add", "advance", "focus", "passes")),
    *(_step(n, some) for n in ("get", "of", "neighbours", "hold", "drop", "drop_links", "erase")),
    *(_step(name, some) for name in ("learn", "cool", "warm")),
    *(_step(name, several) for name in ("read_ahead", "attend")),
    *(_step(name, row, some, some) for name in ("hold_row", "put_row")),
    _step("save", some, number),
    _step("set_kind", some, st.sampled_from(["segment", "fact", "core"])),
    _step("link", some, some, st.sampled_from([0.5, 1.0])),
    _step("note", key, number),
    _step("note_of", key),
    _step("take_in", st.sampled_from(["node", "link", "focus", "note"]), some, some),
)


changes = _step("change", st.lists(steps, min_size=2, max_size=6))


@settings(max_examples=60)
@given(st.lists(steps | changes, min_size=12, max_size=24), st.booleans())
def test_a_transaction_that_keeps_what_it_read_gives_the_same_as_one_that_does_not(
    sequence: list[tuple[Any, ...]], look: bool
) -> None:
    with scratch() as kept, scratch() as plain:
        one, other = Side(kept, keeps=True), Side(plain, keeps=False)
        for step in sequence:
            if look:
                assert one.everything() == other.everything()
            assert one.do(step) == other.do(step)
        assert one.everything() == other.everything()
        assert one.stored() == other.stored()


def test_a_row_is_asked_for_once() -> None:
    """Or the test above would compare nothing with nothing."""
    reads: list[Callable[[Transaction], Any]] = [
        lambda tx: tx.nodes.get(1),
        lambda tx: tx.links.of(1),
        lambda tx: tx.links.focus(),
        lambda tx: tx.meta.get("tea"),
        lambda tx: tx.passes(),
    ]
    with scratch() as tx:
        asked: list[str] = []
        engine = tx._engine.connection  # type: ignore[attr-defined]
        engine.exec_trace = lambda _, sql, __: asked.append(sql) or True
        for read in reads:
            before = len(asked)
            assert read(tx) == read(tx)
            assert len(asked) == before + 1
