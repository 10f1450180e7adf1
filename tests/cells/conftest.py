from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def other(cell: str) -> str:
    """Return the DSN of another cell on the same server."""
    from wangchuan.storage.postgres import schema

    with schema.connected(cell) as connection:
        connection.execute("CREATE DATABASE other")
    dsn = cell.replace("/postgres?", "/other?")
    schema.make(dsn, partitions=1)
    return dsn
