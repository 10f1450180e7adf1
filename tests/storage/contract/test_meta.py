"""The drawer of the store's own notes."""

from __future__ import annotations

from storage.contract.given import add, saved, say

from wangchuan.storage import LinkRecord, Store


def test_a_note_is_what_was_last_set(store: Store) -> None:
    with store.write() as tx:
        assert tx.meta.get("tea") is None
        tx.meta.set("tea", "green")
        assert tx.meta.get("tea") == "green"
        tx.meta.set("tea", "茶")
    with store.read() as tx:
        assert tx.meta.get("tea") == "茶"


def test_the_passes_are_a_note_like_others(store: Store) -> None:
    with store.write() as tx:
        assert (tx.meta.get("passes"), tx.passes()) == ("0", 0)
        tx.advance()
        assert (tx.meta.get("passes"), tx.passes()) == ("1", 1)
        tx.meta.set("passes", "7")
        assert (tx.meta.get("passes"), tx.passes()) == ("7", 7)


def test_everything_is_counted(store: Store) -> None:
    with store.write() as tx:
        say(tx, "a", "b")
        tx.jobs.fail(tx.accept([], 1.0, 9) or 0, 2.0, "why")
        tx.jobs.add("sweep", 1.0)
        whole, fading, dead, gone = (add(tx) for _ in range(4))
        saved(tx, fading, fade_at=1, die_at=9)
        saved(tx, dead, fade_at=1, die_at=5)
        saved(tx, gone, forgotten_at=1.0)
        tx.links.put([LinkRecord(whole, fading, 1.0, 0, None)])
        tx.links.set_focus([whole])
        assert tx.meta.counts(5) == {
            "nodes": 2,
            "focus": 1,
            "links": 1,
            "fading": 1,
            "forgotten": 2,
            "messages": 2,
            "pending": 2,
            "failed": 1,
        }
