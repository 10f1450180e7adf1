"""A transaction goes on from what the one before it knew, as long as nobody else wrote."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from wangchuan.storage import LinkRecord, Transaction
from wangchuan.storage.sqlite.store import MOST_KNOWN, SQLiteStore
from wangchuan.types import Message

NODE: dict[str, Any] = {
    "kind": "segment",
    "job": None,
    "message": None,
    "original": "the ferry leaves at nine",
    "phrase": "ferry",
    "keywords": "[]",
    "sources": "[]",
    "created_at": 0.0,
}


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[SQLiteStore, SQLiteStore]]:
    ours, theirs = SQLiteStore(tmp_path / "memory.db"), SQLiteStore(tmp_path / "memory.db")
    yield ours, theirs
    ours.close()
    theirs.close()


def asked(tx: Transaction) -> list[str]:
    """Return the names of the statements that a transaction asks from now on."""
    names: list[str] = []
    engine: Any = tx._engine
    rows = type(engine).rows

    def noted(name: str, values: Any) -> Any:
        names.append(name)
        return rows(engine, name, values)

    engine.rows = noted
    return names


def test_what_one_transaction_knew_is_not_asked_again(
    stores: tuple[SQLiteStore, SQLiteStore],
) -> None:
    ours, _ = stores
    with ours.write() as tx:
        one, two = tx.nodes.add(**NODE), tx.nodes.add(**NODE)
        tx.links.put([LinkRecord(one, two, 1.0, 0, None), LinkRecord(two, one, 1.0, 0, None)])
        tx.links.set_focus([one])
        tx.advance()
        passes = tx.passes()
    with ours.write() as tx:
        names = asked(tx)
        assert tx.nodes.get(one) is not None
        assert [link.target for link in tx.links.of(one)] == [two]
        assert (tx.links.focus(), tx.passes()) == ([one], passes)
    assert names == []


def test_what_another_process_wrote_is_seen(stores: tuple[SQLiteStore, SQLiteStore]) -> None:
    ours, theirs = stores
    with ours.write() as tx:
        n, passes = tx.nodes.add(**NODE), tx.passes()
    with theirs.write() as tx:
        tx.advance()
        tx.nodes.set_kind(n, "fact")
        tx.meta.set("note", "theirs")
    with ours.write() as tx:
        record = tx.nodes.get(n)
        assert record is not None
        assert (record.kind, tx.passes(), tx.meta.get("note")) == ("fact", passes + 1, "theirs")


def test_what_was_undone_is_not_known(stores: tuple[SQLiteStore, SQLiteStore]) -> None:
    ours, _ = stores
    with ours.write() as tx:
        passes = tx.passes()
    with suppress(ZeroDivisionError), ours.write() as tx:
        tx.nodes.add(**NODE)
        tx.advance()
        raise ZeroDivisionError
    with ours.write() as tx:
        assert (tx.nodes.get(1), tx.passes()) == (None, passes)


def test_rows_that_are_changed_whatever_they_mean_are_read_anew(
    stores: tuple[SQLiteStore, SQLiteStore],
) -> None:
    ours, _ = stores
    with ours.write() as tx:
        n = tx.nodes.add(**NODE)
    with ours.write() as tx:
        tx._engine.do("nodes.drop", {"n": n})
    with ours.write() as tx:
        assert tx.nodes.get(n) is None


def test_it_does_not_know_more_and_more(stores: tuple[SQLiteStore, SQLiteStore]) -> None:
    ours, _ = stores
    with ours.write() as tx:
        for _ in range(MOST_KNOWN):
            tx.nodes.add(**NODE)
        assert tx._work.size > MOST_KNOWN
    with ours.write() as tx:
        assert tx._work.size == 0


def test_two_transactions_are_never_taken_for_one(stores: tuple[SQLiteStore, SQLiteStore]) -> None:
    ours, _ = stores
    with ours.write() as first:
        first.passes()
    with ours.write() as second:
        assert second is not first


def test_the_last_message_and_how_many_wait_are_not_asked_again(
    stores: tuple[SQLiteStore, SQLiteStore],
) -> None:
    ours, theirs = stores
    message = Message("user", "the ferry leaves at nine")
    with ours.write() as tx:
        tx.accept([message], 1.0, 10)
    with ours.write() as tx:
        names = asked(tx)
        tx.accept([message], 1.0, 10)
    assert names == ["messages.add", "jobs.add"]
    with theirs.write() as tx:
        for _ in range(8):
            assert tx.accept([message], 1.0, 10) is not None
    with ours.write() as tx:
        last = tx.messages.last()
        assert last is not None
        assert last.seq == 10
        assert tx.accept([message], 1.0, 10) is None


def test_the_last_message_is_read_anew_once_it_was_emptied(
    stores: tuple[SQLiteStore, SQLiteStore],
) -> None:
    ours, _ = stores
    with ours.write() as tx:
        tx.accept([Message("user", "the ferry leaves at nine")], 1.0, 10)
        tx.messages.empty(1)
        last = tx.messages.last()
        assert last is not None
        assert last.content == ""
