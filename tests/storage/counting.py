"""Statements counted where they are run: by SQLite itself, on every connection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import apsw


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count what connections opened meanwhile run, by the text of the statement."""
    found: Counter[str] = Counter()

    def note(_: apsw.Cursor, sql: str, __: object) -> bool:
        found[" ".join(sql.split())] += 1
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = note

    apsw.connection_hooks.append(watch)
    try:
        yield found
    finally:
        apsw.connection_hooks.remove(watch)
