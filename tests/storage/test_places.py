"""Places of terms that are kept in memory: the same as those that are read from the full text."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from wangchuan.storage import Transaction
from wangchuan.storage.sqlite import places
from wangchuan.storage.sqlite.store import SQLiteStore
from wangchuan.types import Message

TERMS = ["tea", "rice", "boat", "moon", "kite", "茶"]
LIMIT = 5


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[list[SQLiteStore]]:
    """The same memory, opened twice: what the second one does is another process's doing."""
    both = [SQLiteStore(tmp_path / "memory.db") for _ in range(2)]
    yield both
    for store in both:
        store.close()


def asked(tx: Transaction, limit: int = LIMIT) -> list[list[int]]:
    wanted = [(term,) for term in TERMS] + [(TERMS[0], TERMS[1])]
    return tx.index.postings_of(wanted, limit, whole=True)


def compare(store: SQLiteStore) -> None:
    with store.read(long=True) as tx, store.snapshot() as fresh:
        for limit in (LIMIT, 2 * LIMIT):
            assert asked(tx, limit) == asked(fresh, limit)


def say(tx: Transaction, rng: random.Random, count: int = 1) -> None:
    said = [rng.sample(TERMS, rng.randrange(0, 4)) for _ in range(count)]
    tx.accept([Message("user", " ".join(terms)) for terms in said], 1.0, 1000, said)


def drop(tx: Transaction, rng: random.Random) -> None:
    """Drop a message, as `slots` does; it never drops the newest ones."""
    last = tx.messages.last()
    for record in tx.messages.of([rng.randrange(1, last.seq)]) if last and last.seq > 1 else ():
        tx.drop_message(record)


def change(store: SQLiteStore, rng: random.Random) -> None:
    """Say something, mostly; now and then drop a message, or give up half-way."""
    what = rng.random()
    with suppress(KeyError), store.write() as tx:
        if 0.7 < what < 0.85:
            drop(tx, rng)
        if what < 0.75 or what > 0.85:
            say(tx, rng, rng.randrange(1, 4))
        if what > 0.9:
            raise KeyError


@pytest.mark.parametrize("seed", [1, 39])
def test_places_kept_are_those_of_the_full_text_whoever_writes(
    stores: list[SQLiteStore], seed: int
) -> None:
    rng, (ours, theirs) = random.Random(seed), stores
    for _ in range(60):
        for _ in range(rng.randrange(4)):
            change(theirs if rng.random() < 0.2 else ours, rng)
        compare(ours)


def test_a_term_is_looked_up_once_while_this_process_says_more(stores: list[SQLiteStore]) -> None:
    store, rng, read = stores[0], random.Random(1), list[str]()
    with store.write() as tx:
        say(tx, rng, 20)
    compare(store)
    for _ in range(5):
        with store.write() as tx:
            say(tx, rng)
        with store.read(long=True) as tx:
            kept = tx._engine.kept()
            assert kept is not None
            kept.of(
                [[term] for term in TERMS],
                LIMIT,
                lambda asked: [read.extend(one) or [] for one in asked],
            )
        compare(store)
    assert read == []


def test_only_so_many_terms_are_kept(
    stores: list[SQLiteStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "MOST_TERMS", 3)
    monkeypatch.setattr(places, "MOST_ADDED", 2)
    with stores[0].write() as tx:
        say(tx, random.Random(1), 9)
    compare(stores[0])
    assert len(stores[0]._places._lists) == 3
    assert len(stores[0]._places._added) <= 2
