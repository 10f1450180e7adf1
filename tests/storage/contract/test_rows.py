"""The drawer of rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from storage.contract.given import add

from wangchuan.errors import InvalidInput
from wangchuan.storage import KEPT, LifecycleRecord, LinkRecord, Store, journal
from wangchuan.storage.records import ItemRecord
from wangchuan.types import Message


def test_every_record_can_be_told_and_taken_in_again(
    store: Store, open_in: Callable[[Path], Store], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with store.write() as tx:
        tx.accept([Message("user", "x", "id-1", "Ann", 5.0), Message("tool", "y")], 1.0, 10)
        n = add(tx, kind="fact")
        tx.links.put([LinkRecord(n, n, 0.5, 0, None)])
        tx.links.set_focus([n])
        tx.journal.log(journal.Undecided(n, None), 1.0)
        tx.signals.accessed([n], 2.0)
        tx.facts.learn_from(n, [1, 2])
        tx.vectors.add([(1, b"ab")])
        tx.ticks.put([LifecycleRecord(n, 3.0, None, 1)])
        tx.tombstones.add("node", "mem_7", 4.0)
        tx.items.put(ItemRecord("a\x1f", "k", "{}", 1.0, 2.0, 3.0, 4.0, "term", b"ab"))
    other = open_in(tmp_path_factory.mktemp("other"))
    with store.snapshot() as tx, other.write() as copy:
        for kind in KEPT:
            records = list(tx.rows.every(kind))
            assert tx.rows.how_many(kind) == len(records)
            for record in records:
                copy.rows.take_in(kind, record)
        assert [
            kind for kind in KEPT if list(tx.rows.every(kind)) != list(copy.rows.every(kind))
        ] == []
        empty = {kind for kind in KEPT if not tx.rows.how_many(kind)}
        assert copy.messages.speakers() == ["Ann"]
    assert empty == {"fact", "usage"}


def test_a_record_whose_number_is_taken_is_refused(store: Store) -> None:
    with store.write() as tx:
        record = tx.nodes.get(add(tx))
        with pytest.raises(InvalidInput, match="this node is there already"):
            tx.rows.take_in("node", record)


def test_records_that_are_known_to_fit_are_poured_in(
    store: Store, open_in: Callable[[Path], Store], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with store.write() as tx:
        tx.accept([Message("user", "x", "id-1", "Ann", 5.0)], 1.0, 10)
        n = add(tx)
        tx.links.put([LinkRecord(n, n, 0.5, 0, None)])
    other = open_in(tmp_path_factory.mktemp("other"))
    with store.snapshot() as tx, other.write() as copy:
        for kind in KEPT:
            for record in tx.rows.every(kind):
                copy.rows.pour(kind, record)
        assert add(copy) == n + 1  # also where nothing was read before
        assert copy.messages.speakers() == ["Ann"]
        for kind in ("message", "job", "link"):
            assert list(copy.rows.every(kind)) == list(tx.rows.every(kind)) != []
