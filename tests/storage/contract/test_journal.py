"""The drawer of journal."""

from __future__ import annotations

from storage.contract.given import add

from wangchuan.storage import Store, journal
from wangchuan.types import Pass


def test_the_journal_tells_of_a_memory_in_order(store: Store) -> None:
    with store.write() as tx:
        n = add(tx)
        made = journal.Remembered(n, 1, ("文", None))
        tx.journal.log(made, 1.0)
        tx.advance()
        tx.journal.log(journal.Erased(n), 2.0)
        tx.journal.log(journal.Passed(None), 3.0)
        found = tx.journal.of(n)
        assert [said for _, said in tx.journal.each(journal.Passed)] == [journal.Passed(None)]
    told = [(e.kind, e.passes, e.at) for e in found]
    assert told == [("remembered", 0, 1.0), ("erased", 1, 2.0)]
    assert found[0].detail == '{"job":1,"relations":["文",null]}'
    assert [journal.read(entry) for entry in found] == [made, journal.Erased(n)]


def test_entries_about_nodes_come_newest_first_and_passes_with_their_last_times(
    store: Store,
) -> None:
    with store.write() as tx:
        for n, at in ((1, 1.0), (2, 2.0)):
            tx.journal.log(journal.Erased(n), at)
        tx.advance()
        tx.journal.log(journal.Passed(None), 3.0)
        tx.journal.log(journal.Erased(3), 4.0)
        newest = tx.journal.about_nodes(99, 9)
        assert [entry.node for entry in newest] == [3, 2, 1]
        assert tx.journal.about_nodes(newest[0].seq, 1) == newest[1:2]
        assert tx.journal.passes() == [Pass(0, 2.0), Pass(1, 4.0)]


def test_the_newest_entry_of_the_journal_is_known(store: Store) -> None:
    with store.write() as tx:
        assert tx.journal.last() == 0
        tx.journal.log(journal.Passed(None), 1.0)
        assert tx.journal.last() == tx.journal.after()[-1].seq


def test_one_entry_is_read_rewritten_and_listed_after_another(store: Store) -> None:
    with store.write() as tx:
        for job in (1, 2):
            tx.journal.log(journal.Woven(job), 1.0)
            tx.journal.log(journal.Passed(job), 1.0)
        first, second, third, last = tx.journal.after()
        assert tx.journal.get(second.seq) == second
        assert tx.journal.get(99) is None
        assert tx.journal.after(first.seq) == [second, third, last]
        assert tx.journal.after(0, "woven") == [first, third]
        tx.journal.rewrite(first.seq, journal.Woven(7))
        assert [said for _, said in tx.journal.each(journal.Woven, first.seq)] == [journal.Woven(2)]
        assert [said.job for _, said in tx.journal.each(journal.Woven)] == [7, 2]


def test_what_happened_to_a_node_is_blanked_but_not_what_was_undone(store: Store) -> None:
    with store.write() as tx:
        tx.journal.log(journal.Remembered(1, 1, ("文",)), 1.0)
        tx.journal.log(journal.Undone(1, 1, "kept", {1: "alive", 2: "alive"}, {}), 2.0)
        assert (tx.journal.blank_of(1), tx.journal.blank_of(1)) == (1, 0)
        assert list(tx.journal.each(journal.Remembered)) == []
        assert len(list(tx.journal.each(journal.Undone))) == 1  # it is told of several nodes


def test_old_entries_are_blanked_a_few_at_a_time(store: Store) -> None:
    with store.write() as tx:
        for job in (1, 2, 3, 4):
            tx.journal.log(journal.Passed(job), float(job))
        assert [tx.journal.blank(4.0, 2) for _ in range(3)] == [2, 1, 0]
        assert [entry.detail for entry in tx.journal.after()] == ["{}", "{}", "{}", '{"job":4}']


def test_old_entries_about_nothing_in_particular_go(store: Store) -> None:
    with store.write() as tx:
        n = add(tx)
        tx.journal.log(journal.Remembered(n, 1, ()), 1.0)
        for at in range(2, 8):
            tx.journal.log(journal.Passed(None), float(at))
        tx.journal.log(journal.Undone(None, 1, "", {}, {}), 8.0)
        tx.journal.log(journal.Undecided(n, None), 9.0)
        assert tx.journal.beyond(9, 9) is None
        last = tx.journal.beyond(3, 2)  # the newest three stay; two of the rest at once
        assert last is not None
        assert (last.seq, last.at) == (3, 3.0)
        assert tx.journal.drop_upto(last.seq) == 2
        assert tx.journal.beyond(5, 9) is None
        assert tx.journal.drop_upto(99) == 5
        assert [entry.kind for entry in tx.journal.after()] == ["remembered", "undone"]
        tx.journal.drop_of(n)
        assert [entry.kind for entry in tx.journal.after()] == ["undone"]
