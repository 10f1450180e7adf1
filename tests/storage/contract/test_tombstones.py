"""The drawer of what was erased."""

from __future__ import annotations

import pytest
from storage.contract.given import add, say

from wangchuan.storage import LinkRecord, Store, journal
from wangchuan.types import Message


def test_what_was_erased_is_known_once_by_kind_and_id(store: Store) -> None:
    with store.write() as tx:
        for kind, name, at in (("node", "mem_2", 5.0), ("node", "mem_1", 6.0), ("message", "x", 7)):
            tx.tombstones.add(kind, name, at)
        tx.tombstones.add("node", "mem_2", 9.0)
        assert tx.tombstones.is_erased("node", "mem_1")
        assert not tx.tombstones.is_erased("message", "mem_1")
        assert tx.tombstones.of("node") == ["mem_2", "mem_1"]
        assert tx.tombstones.all() == {("node", "mem_2"), ("node", "mem_1"), ("message", "x")}


@pytest.mark.parametrize(
    "piece", ["said 忘", "the-id", "Ann", "cut", "phrase", "told", "relation", "mem_77"]
)
def test_bytes_that_are_still_there_are_found_wherever_they_stand(store: Store, piece: str) -> None:
    with store.write() as tx:
        say(tx, Message("user", "was said 忘川", "the-id", "Ann"))
        n = add(tx, "it was cut", phrase="a phrase")
        tx.journal.log(journal.Undecided(n, "told"), 1.0)
        tx.links.put([LinkRecord(n, n, 1.0, 0, "relation")])
        tx.tombstones.add("node", "mem_77", 1.0)
        assert tx.tombstones.mentions(piece.encode())
        assert not tx.tombstones.mentions(piece.encode() + b"!")


def test_erased_ids_are_found_among_others(store: Store) -> None:
    with store.write() as tx:
        tx.tombstones.add("message", "m1", 1.0)
        tx.tombstones.add("node", "m2", 1.0)
        assert tx.tombstones.among("message", ["m1", "m2", "m3"]) == ["m1"]
