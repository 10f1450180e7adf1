"""The backend that keeps the agents of a root: the one place that names an engine."""

from __future__ import annotations

from pathlib import Path

from wangchuan.storage.sqlite.backend import SQLiteBackend
from wangchuan.storage.store import Backend


def backend_at(root: Path, durability: str = "full") -> Backend:
    """Return the backend of a root: one folder with one SQLite database per agent."""
    return SQLiteBackend(root, durability)
