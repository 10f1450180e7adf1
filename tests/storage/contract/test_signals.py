"""The drawer of signals."""

from __future__ import annotations

from storage.contract.given import add

from wangchuan.storage import Store


def test_behaviour_adds_up(store: Store) -> None:
    with store.write(soft=True) as tx:
        n = add(tx)
        tx.signals.accessed([n, n], 1.0)
        tx.signals.accessed([n], 5.0)
        tx.signals.traversed([n], 7.0)
        found = tx.signals.get(n)
    assert found is not None
    assert (found.access_count, found.traverse_count) == (3, 1)
    assert (found.last_accessed_at, found.last_linked_at) == (5.0, 7.0)


def test_behaviour_is_told_to_the_journal_once(store: Store) -> None:
    with store.write() as tx:
        one, two = add(tx), add(tx)
        tx.signals.accessed([one, two], 1.0)
        seen = tx.signals.unnoted()
        assert [record.node for record in seen] == [one, two]
        tx.signals.accessed([two], 2.0)  # meanwhile
        tx.signals.note(seen)
        assert [(r.node, r.access_count) for r in tx.signals.unnoted()] == [(two, 2)]
        tx.signals.put(seen)
        found = tx.signals.get(two)
    assert found == seen[1]


def test_behaviour_is_dropped(store: Store) -> None:
    with store.write() as tx:
        tx.signals.traversed([1, 2], 1.0)
        assert (tx.signals.drop(1), tx.signals.drop(1)) == (1, 0)
        assert [tx.signals.get(n) is None for n in (1, 2)] == [True, False]
