"""The drawer of what frameworks keep beside the memory."""

from __future__ import annotations

from dataclasses import replace

from wangchuan.storage import Store
from wangchuan.storage.records import ItemRecord

TEA = ItemRecord("home\x1fkitchen\x1f", "tea", '{"kind": "green"}', 1.0, 1.0, terms="green")
SALT = ItemRecord("home\x1fkitchen\x1f", "salt", "{}", 2.0, 2.0, ttl=1.0, expires_at=62.0)
LAMP = ItemRecord("home\x1fhall\x1f", "lamp", "{}", 3.0, 3.0, vectors=b"\x01\x00\x00\x00")
BOAT = ItemRecord("homeland\x1f", "boat", "{}", 4.0, 4.0)


def test_an_item_is_replaced_under_its_key_and_keeps_when_it_was_made(store: Store) -> None:
    with store.write() as tx:
        tx.items.put(TEA)
        tx.items.put(replace(TEA, value='{"kind": "black"}', created_at=9.0, updated_at=9.0))
        assert tx.items.get(TEA.namespace, "tea", 9.0) == replace(
            TEA, value='{"kind": "black"}', updated_at=9.0
        )
        assert tx.items.get(TEA.namespace, "milk", 9.0) is None
        assert (tx.items.drop(TEA.namespace, "tea"), tx.items.drop(TEA.namespace, "tea")) == (1, 0)


def test_a_range_of_namespaces_holds_what_is_below_it_newest_first(store: Store) -> None:
    with store.write() as tx:
        for item in (TEA, SALT, LAMP, BOAT):
            tx.items.put(item)
        assert tx.items.within("home\x1f", "home ", 5.0) == [LAMP, SALT, TEA]
        assert tx.items.within("", "\U0010ffff", 5.0) == [BOAT, LAMP, SALT, TEA]


def test_what_has_expired_is_not_there_and_use_puts_it_off(store: Store) -> None:
    with store.write() as tx:
        for item in (TEA, SALT):
            tx.items.put(item)
            tx.items.extend(item.namespace, item.key, 30.0)
        assert tx.items.get(SALT.namespace, "salt", 89.9) == replace(SALT, expires_at=90.0)
        assert tx.items.get(SALT.namespace, "salt", 90.0) is None
        assert tx.items.within("", "\U0010ffff", 90.0) == [TEA]
        assert tx.items.drop_expired(90.0) == 1
