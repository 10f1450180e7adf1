"""The drawer of links."""

from __future__ import annotations

from collections.abc import Callable

from storage.contract.given import add

from wangchuan.storage import LinkRecord, Store


def test_links_are_directed_single_and_keep_their_name(store: Store) -> None:
    with store.write() as tx:
        a, b = add(tx), add(tx)
        tx.links.put([LinkRecord(a, b, 0.5, 0, "下文")])
        tx.links.put([LinkRecord(b, a, 0.4, 2, "上文")])
        tx.links.put([LinkRecord(a, b, 1.0, 3, "other")])
        assert tx.links.of(a) == [LinkRecord(a, b, 1.0, 3, "下文")]
        assert tx.links.to(a) == [LinkRecord(b, a, 0.4, 2, "上文")]
        tx.links.put([LinkRecord(a, 99, 0.1, 0, None)])
        found = tx.links.neighbours(a)
        assert [(link.target, node.n if node else None) for link, node in found] == [
            (b, b),
            (99, None),
        ]


def test_the_focus_keeps_its_order_and_supports(reopen: Callable[[], Store]) -> None:
    first = reopen()
    with first.write() as tx:
        a, b, c = add(tx), add(tx), add(tx)
        tx.links.put([LinkRecord(a, c, 1.0, 0, None), LinkRecord(b, c, 1.0, 0, None)])
        tx.links.set_focus([b, a])
        tx.links.set_focus([b, a])
    first.close()
    with reopen().read() as tx:
        assert tx.links.focus() == [b, a]
        assert [link.source for link in tx.links.supporters(c)] == [b, a]
