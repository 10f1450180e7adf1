"""Items: what frameworks keep beside the memory, by key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from stage import FakeClock

from wangchuan import Memory
from wangchuan.errors import InvalidInput
from wangchuan.faces.items import Items

SHELF = ("home", "kitchen")


@pytest.fixture
def items(tmp_path: Path, clock: FakeClock) -> Iterator[Items]:
    with Memory.open("agent", root=tmp_path, clock=clock) as memory:
        yield memory.items


def test_an_item_is_got_by_its_key_and_replaced_under_it(items: Items, clock: FakeClock) -> None:
    with items.batch() as batch:
        batch.put(SHELF, "tea", {"kind": "green", "grams": 50})
    clock.now += 5
    with items.batch() as batch:
        batch.put(SHELF, "tea", {"kind": "黑茶"})
        found = batch.get(SHELF, "tea")
        assert found is not None
        assert (found.value, found.updated_at - found.created_at) == ({"kind": "黑茶"}, 5)
        assert batch.get(("home",), "tea") is None
        assert (batch.drop(SHELF, "tea"), batch.drop(SHELF, "tea")) == (True, False)


def test_what_raises_takes_the_whole_batch_back(items: Items) -> None:
    def half() -> None:
        with items.batch() as batch:
            batch.put(SHELF, "tea", {"kind": "green"})
            batch.put(SHELF, "bad", {"x": object()})

    with pytest.raises(InvalidInput, match="JSON object"):
        half()
    with items.batch() as batch:
        assert batch.get(SHELF, "tea") is None


def test_words_find_what_holds_them_and_the_rarer_word_counts_more(items: Items) -> None:
    with items.batch() as batch:
        for key, text in {"a": "green tea", "b": "black tea", "c": "绿茶 tea", "d": "salt"}.items():
            batch.put(SHELF, key, {"text": text}, texts=[text])
        batch.put(SHELF, "e", {"text": "green"})
        found = batch.search(("home",), "green tea")
        assert [item.key for item in found] == ["a", "b", "c", "e"]
        assert found[0].score == pytest.approx(1.0)
        assert found[1].score is not None
        assert 0 < found[1].score < 0.5
        assert found[3].score is None  # it has no words to be found by
        assert batch.search(SHELF, "绿茶")[0].key == "c"


def test_vectors_find_what_is_near(items: Items) -> None:
    with items.batch() as batch:
        batch.put(SHELF, "east", {}, vectors=[(1.0, 0.0)])
        batch.put(SHELF, "both", {}, vectors=[(0.0, 2.0), (3.0, 0.1)])
        found = batch.search(SHELF, "?", vector=(0.0, 1.0))
        assert [(item.key, round(item.score or 0, 3)) for item in found] == [
            ("both", 1.0),
            ("east", 0.0),
        ]


def test_what_was_given_an_end_is_gone_then_unless_it_was_used(
    items: Items, clock: FakeClock
) -> None:
    with items.batch() as batch:
        for key in ("used", "unused"):
            batch.put(SHELF, key, {}, ttl=10)
    clock.now += 590
    with items.batch() as batch:
        assert batch.get(SHELF, "used")
        assert batch.get(SHELF, "unused", refresh=False)
    clock.now += 20
    with items.batch() as batch:
        assert [item.key for item in batch.search()] == ["used"]


def test_namespaces_end_at_their_parts(items: Items) -> None:
    with items.batch() as batch:
        for namespace in (("home",), ("home", "hall"), ("homeland",), ("ho",)):
            batch.put(namespace, "k", {})
        assert batch.namespaces() == [("ho",), ("home",), ("home", "hall"), ("homeland",)]
        below = {item.namespace for item in batch.search(("home",))}
        assert below == {("home",), ("home", "hall")}


@pytest.mark.parametrize("namespace", [(), ("",), ("a\x1fb",), "home", (1,)])
def test_a_namespace_that_is_none_is_refused(items: Items, namespace: object) -> None:
    with pytest.raises(InvalidInput), items.batch() as batch:
        batch.put(namespace, "k", {})  # type: ignore[arg-type]
