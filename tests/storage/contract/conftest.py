"""The contract of a store is run on every backend: in a file, and in a cell of PostgreSQL."""

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


def in_cell(dsn: str) -> Callable[[Path], Store]:
    """Return what opens the agent of a folder in a cell."""
    from wangchuan.storage.postgres.backend import PostgresBackend

    return lambda folder: PostgresBackend(dsn, folder).open(folder.name[-60:])


@pytest.fixture(params=[*sorted(BACKENDS), "postgres"])
def open_in(request: pytest.FixtureRequest) -> Iterator[Callable[[Path], Store]]:
    """Open the store of a folder; all are closed after the test."""
    opened: list[Store] = []
    if request.param == "postgres":
        open_one = in_cell(request.getfixturevalue("cell"))
    else:
        open_one = BACKENDS[request.param]

    def open_store(folder: Path) -> Store:
        opened.append(open_one(folder))
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
