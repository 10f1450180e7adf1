"""The backend that keeps the agents: the one place that names an engine."""

from __future__ import annotations

from pathlib import Path

from wangchuan.errors import InvalidInput
from wangchuan.storage.sqlite.backend import SQLiteBackend
from wangchuan.storage.store import Backend

STORES = ("postgresql://", "postgres://")  # how the address of a store begins


def backend_at(
    root: Path, durability: str = "full", store: str | None = None, consistency: str = "strong"
) -> Backend:
    """Return the backend of a store, or of a root: a folder with a SQLite database per agent."""
    if store is None:
        return SQLiteBackend(root, durability)
    try:
        from wangchuan.storage.postgres.backend import PostgresBackend  # an extra
    except ImportError as error:
        raise InvalidInput(
            f"a store in PostgreSQL needs psycopg ({error}): pip install 'wangchuan[postgres]'"
        ) from error
    return PostgresBackend(store, root, consistency == "eventual")
