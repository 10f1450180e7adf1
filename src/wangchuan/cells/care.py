"""Making cells, bringing them up to date, their figures, and their addresses."""

from __future__ import annotations

from typing import Any

from wangchuan.errors import InvalidInput
from wangchuan.settings.fields import load
from wangchuan.storage.configured import backend_at, is_store


def _cells(store: str) -> dict[str, Any]:
    """Return the cells at an address, or of a file that names them."""
    backend: Any = backend_at(load().root, store=store)
    return getattr(backend, "cells", None) or {backend.where: backend}


def make(store: str, partitions: int = 1) -> list[str]:
    """Make cells of databases, or bring those there up to date; return what they are, in words.

    `partitions` are those of a cell that is new. Raises StorageError and NewerFormat.
    """
    made = {name: (cell.where, cell.make(partitions)) for name, cell in _cells(store).items()}
    return [
        f"{where}: format {cell.version}, {cell.partitions} partitions"
        for where, cell in made.values()
    ]


def status(store: str) -> list[dict[str, Any]]:
    """Return the figures of each cell."""
    cells = _cells(store)
    return [{"cell": name, **cell.status()} for name, cell in cells.items()]


def address(name: str | None, agent: str | None = None) -> str:
    """Return the address of a cell by its name in the file of cells, or of the one an agent is in.

    An address is returned as it is. Raises InvalidInput where nothing is named.
    """
    store = load().store
    if name is not None and is_store(name):
        return name
    if store is None:
        raise InvalidInput("name a cell: postgresql://user@host/database, or set WANGCHUAN_STORE")
    backend: Any = backend_at(load().root, store=store)
    if not hasattr(backend, "cells"):
        if name is not None:
            raise InvalidInput(f"{name!r} is no address of a cell, and {store} no file of cells")
        return store
    found = backend.home(agent) if name is None and agent else None
    return str(store if name is None and not agent else (found or backend.cell(name)).dsn)
