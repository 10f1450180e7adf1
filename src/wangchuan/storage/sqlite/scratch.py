"""A store for a while: in memory, of nobody, gone when it is left. Nothing of it is on any disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from wangchuan.storage.sqlite.engine import SQLiteEngine
from wangchuan.storage.sqlite.functions import teach
from wangchuan.storage.sqlite.schema import grow, migrations
from wangchuan.storage.transaction import Transaction


@contextmanager
def scratch() -> Iterator[Transaction]:
    """Open an empty store in memory, in one transaction that nothing makes durable."""
    connection = apsw.Connection(":memory:")
    teach(connection)
    try:
        grow(connection, migrations())
        connection.execute("BEGIN")
        yield Transaction(SQLiteEngine(connection))
    finally:
        connection.close()
