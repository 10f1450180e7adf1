"""The drawer of forgotten nodes."""

from __future__ import annotations

from storage.contract.given import add, saved

from wangchuan.storage import Store


def test_the_trash_holds_what_is_forgotten_and_what_died_the_last_one_in_front(
    store: Store,
) -> None:
    with store.write() as tx:
        alive, dead, gone, late = (add(tx) for _ in range(4))
        saved(tx, dead, since_pass=0, fade_at=1, due_at=1, die_at=5)
        saved(tx, gone, forgotten_at=7.0, reason="asked")
        saved(tx, late, forgotten_at=9.0, reason="asked")
        assert [r.n for r in tx.trash.nodes(5)] == [dead, late, gone]
        assert [r.n for r in tx.trash.nodes(5, 1)] == [dead]
        assert [r.n for r in tx.trash.nodes(4)] == [late, gone]
        assert alive not in {r.n for r in tx.trash.nodes(99)}


def test_the_oldest_of_the_trash_are_found(store: Store) -> None:
    with store.write() as tx:
        a, b, c, _ = (add(tx) for _ in range(4))
        for n, at in ((a, 3.0), (b, 2.0), (c, 4.0)):
            saved(tx, n, forgotten_at=at)
        assert tx.trash.size() == 3
        assert [record.n for record in tx.trash.oldest(2)] == [b, a]
        assert tx.trash.before(4.0, 9) == [a, b]
        assert tx.trash.before(2.0, 9) == tx.trash.before(4.0, 0) == []
