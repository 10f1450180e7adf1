"""Making a cell, bringing it up to date, and its figures."""

from __future__ import annotations

from typing import Any

from wangchuan.settings.fields import load
from wangchuan.storage.configured import backend_at


def make(dsn: str, partitions: int = 1) -> str:
    """Make a cell of a database, or bring the one there up to date; return what it is, in words.

    `partitions` are those of a cell that is new. Raises StorageError and NewerFormat.
    """
    backend: Any = backend_at(load().root, store=dsn)
    cell = backend.make(partitions)
    return f"{backend.where}: format {cell.version}, {cell.partitions} partitions"


def status(dsn: str) -> dict[str, Any]:
    """Return the figures of a cell."""
    backend: Any = backend_at(load().root, store=dsn)
    return {"cell": backend.where, **backend.status()}
