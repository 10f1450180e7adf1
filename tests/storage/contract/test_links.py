"""The drawer of links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

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


def test_of_a_link_made_twice_at_once_the_last_counts_with_its_first_name(store: Store) -> None:
    with store.write() as tx:
        a, b = add(tx), add(tx)
        tx.links.put([LinkRecord(a, b, 0.5, 0, "下文"), LinkRecord(a, b, 0.25, 3, "other")])
        assert tx.links.of(a) == tx.links.of_many([a]) == [LinkRecord(a, b, 0.25, 3, "下文")]


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


def test_links_read_ahead_are_those_of_each_node(store: Store) -> None:
    with store.write() as tx:
        links = [LinkRecord(*ends, 1.0, 0, None) for ends in ((1, 2), (1, 3), (2, 1), (4, 1))]
        tx.links.put(links)
        assert tx.links.of_many([2, 1, 3]) == links[:3]
        assert tx.links.of_many([]) == []
        tx.links.read_ahead([1, 2, 3])
        tx.links.read_ahead([])
        assert [tx.links.of(n) for n in (1, 2, 3, 4)] == [links[:2], links[2:3], [], links[3:]]


def test_the_links_of_a_node_are_dropped_both_ways(store: Store) -> None:
    with store.write() as tx:
        links = [LinkRecord(*ends, 1.0, 0, None) for ends in ((1, 2), (2, 1), (3, 2))]
        tx.links.put(links)
        tx.links.read_ahead([1, 2, 3])
        assert (tx.links.drop(1), tx.links.drop(1)) == (2, 0)
        assert [tx.links.of(n) for n in (1, 2, 3)] == [[], [], links[2:]]


def test_links_of_a_node_go_without_those_that_lead_to_it(store: Store) -> None:
    with store.write() as tx:
        a, b = add(tx), add(tx)
        there, back = LinkRecord(a, b, 1.0, 0, None), LinkRecord(b, a, 1.0, 0, None)
        tx.links.put([there, back])
        tx.links.drop_from(a)
        assert (tx.links.of(a), tx.links.of(b)) == ([], [back])


def test_what_leads_to_a_node_is_found_whichever_way_it_was_linked(store: Store) -> None:
    with store.write() as tx:
        a, b, c, d = (add(tx) for _ in range(4))
        both = [LinkRecord(a, b, 1.0, 0, None), LinkRecord(b, a, 0.5, 0, None)]
        tx.links.put(both)
        tx.links.put([LinkRecord(c, a, 1.0, 0, "only here")])
        tx.links.put([LinkRecord(a, d, 1.0, 0, None)])
        tx.links.put([LinkRecord(d, a, 1.0, 0, "later")])
        assert [link.source for link in tx.links.to(a)] == [b, c, d]
        tx.links.list_oneway([(c, a), (d, a)])
        tx.links.tidy()
        assert [link.source for link in tx.links.to(a)] == [b, c, d]
        tx.undo.put_row("link", (c, a), None)
        tx.links.tidy()
        assert [link.source for link in tx.links.to(a)] == [b, d]
        tx.undo.put_row("link", (c, a), asdict(LinkRecord(c, a, 1.0, 0, None)))
        assert [link.source for link in tx.links.to(a)] == [b, c, d]
        assert tx.links.drop(a) == 5
        assert list(tx.rows.every("link")) == []
