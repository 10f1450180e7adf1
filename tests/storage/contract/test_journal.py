"""The drawer of journal."""

from __future__ import annotations

from storage.contract.given import add

from wangchuan.storage import Store


def test_the_journal_tells_of_a_memory_in_order(store: Store) -> None:
    with store.write() as tx:
        n = add(tx)
        tx.journal.log("one", n, {"文": [1, None]}, 1.0)
        tx.advance()
        tx.journal.log("two", n, {}, 2.0)
        tx.journal.log("other", None, {}, 3.0)
        found = tx.journal.of(n)
    assert [(e.kind, e.passes, e.at) for e in found] == [("one", 0, 1.0), ("two", 1, 2.0)]
    assert found[0].detail == '{"文":[1,null]}'


def test_the_newest_entry_of_the_journal_is_known(store: Store) -> None:
    with store.write() as tx:
        assert tx.journal.last() == 0
        tx.journal.log("one", None, {}, 1.0)
        assert tx.journal.last() == tx.journal.after()[-1].seq
