"""The contract of a store is run on every backend; another engine is one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wangchuan.storage import Store
from wangchuan.storage.sqlite.store import SQLiteStore

BACKENDS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SQLiteStore(folder / "memory.db"),
    "sqlite-normal": lambda folder: SQLiteStore(folder / "memory.db", durability="normal"),
}


@pytest.fixture(params=sorted(BACKENDS))
def open_in(request: pytest.FixtureRequest) -> Iterator[Callable[[Path], Store]]:
    """Open the store of a folder; all are closed after the test."""
    opened: list[Store] = []

    def open_store(folder: Path) -> Store:
        opened.append(BACKENDS[request.param](folder))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def reopen(open_in: Callable[[Path], Store], tmp_path: Path) -> Callable[[], Store]:
    return lambda: open_in(tmp_path)


@pytest.fixture
def store(reopen: Callable[[], Store]) -> Store:
    return reopen()
