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


def test_one_entry_is_read_rewritten_and_listed_after_another(store: Store) -> None:
    with store.write() as tx:
        for kind in ("one", "two", "one"):
            tx.journal.log(kind, None, {"was": kind}, 1.0)
        first, second, third = tx.journal.after()
        assert tx.journal.get(second.seq) == second
        assert tx.journal.get(99) is None
        assert tx.journal.after(first.seq) == [second, third]
        assert tx.journal.after(0, "one") == [first, third]
        tx.journal.rewrite(second.seq, {"is": "文"})
        assert tx.journal.get(second.seq).detail == '{"is":"文"}'  # type: ignore[union-attr]


def test_entries_that_name_others_are_found_as_long_as_they_say_anything(store: Store) -> None:
    with store.write() as tx:
        tx.journal.log("remembered", 1, {"links": [2]}, 1.0)
        tx.journal.log("undone", 1, {"nodes": [1, 2]}, 2.0)
        assert [detail for _, detail in tx.journal.relations_noted(1)] == [{"links": [2]}]
        assert [detail for _, detail in tx.journal.undone_noted()] == [{"nodes": [1, 2]}]
        assert (tx.journal.blank_of(1), tx.journal.blank_of(1)) == (1, 0)
        assert tx.journal.relations_noted(1) == []
        assert len(tx.journal.undone_noted()) == 1  # told of several nodes: rewritten, not blanked


def test_old_entries_are_blanked_a_few_at_a_time(store: Store) -> None:
    with store.write() as tx:
        for at in (1.0, 2.0, 3.0, 4.0):
            tx.journal.log("one", None, {"at": at}, at)
        assert [tx.journal.blank(4.0, 2) for _ in range(3)] == [2, 1, 0]
        assert [entry.detail for entry in tx.journal.after()] == ["{}", "{}", "{}", '{"at":4.0}']
