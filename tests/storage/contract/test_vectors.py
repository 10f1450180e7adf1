"""The drawer of vectors."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from wangchuan.storage import Store


def test_vectors_are_kept_read_in_order_and_dropped(reopen: Callable[[], Store]) -> None:
    first = reopen()
    with first.write() as tx:
        assert (tx.vectors.last(), tx.vectors.after(0, 10)) == (0, ([], b""))
        tx.vectors.add([(2, b"two"), (1, b"one")])
        tx.vectors.add(iter([(5, b"\x00\xff")]))
        tx.vectors.add([])
    first.close()
    with reopen().write() as tx:
        assert tx.vectors.last() == 5
        assert tx.vectors.after(0, 10) == ([1, 2, 5], b"onetwo\x00\xff")
        assert tx.vectors.after(1, 1) == ([2], b"two")
        assert tx.vectors.after(5, 10) == ([], b"")
        tx.vectors.add([(2, b"anew")])
        assert tx.vectors.after(1, 1) == ([2], b"anew")
        tx.vectors.clear()
        assert (tx.vectors.last(), tx.vectors.after(0, 10)) == (0, ([], b""))


def test_the_vector_of_a_message_goes_with_that_of_the_next_which_was_made_with_it(
    store: Store,
) -> None:
    with store.write() as tx:
        tx.vectors.add([(n, b"v") for n in (1, 2, 3, 4)])
        assert (tx.vectors.erase(2), tx.vectors.erase(2)) == (2, 0)
        assert tx.vectors.after(0, 9) == ([1, 4], b"vv")


def test_the_nearest_vectors_are_those_of_the_greatest_products_where_a_store_compares(
    store: Store,
) -> None:
    said = {1: (0.5, 0.25), 2: (1.0, -0.0), 3: (-1.0, 6e-08), 4: (0.5, 0.25), 5: (0.1, 0.2, 0.3)}
    with store.write() as tx:
        tx.vectors.add((n, struct.pack(f"<{len(v)}e", *v)) for n, v in said.items())
        tx.vectors.add([(6, b""), (7, b"x"), (8, struct.pack("<2e", float("inf"), 1.0))])
    with store.read() as tx:
        found = tx.vectors.nearest([0.6, 0.8], 3)
        if found is None:
            return  # this store compares none
        assert found == [(2, pytest.approx(0.6)), (1, pytest.approx(0.5)), (4, pytest.approx(0.5))]
        assert tx.vectors.nearest([1.0, 0.0, 0.0], 9) == [(5, pytest.approx(0.1, abs=1e-4))]
        assert tx.vectors.nearest([1.0], 9) == []
