"""The backend that keeps the agents: the one place that names an engine."""

from __future__ import annotations

from pathlib import Path

from wangchuan.errors import InvalidInput
from wangchuan.storage.sqlite.backend import SQLiteBackend
from wangchuan.storage.store import Backend

STORES = ("postgresql://", "postgres://")  # beginnings of a store's address
CELLS = ".toml"  # the ending of a file that names several cells


def is_store(place: object) -> bool:
    """Tell whether a place is the address of a store, or a file that names several; no folder."""
    return isinstance(place, str) and (place.startswith(STORES) or place.endswith(CELLS))


def backend_at(
    root: Path, durability: str = "full", store: str | None = None, consistency: str = "strong"
) -> Backend:
    """Return the backend of a store, or of a root: a folder with a SQLite database per agent."""
    if store is None:
        return SQLiteBackend(root, durability)
    try:
        from wangchuan.storage.postgres.backend import PostgresBackend
        from wangchuan.storage.postgres.directory import Directory  # an extra
    except ImportError as error:
        raise InvalidInput(
            f"a store in PostgreSQL needs psycopg ({error}): pip install 'wangchuan[postgres]'"
        ) from error
    eventual = consistency == "eventual"
    if store.endswith(CELLS):
        return Directory(Path(store).expanduser(), root, eventual)
    return PostgresBackend(store, root, eventual)
