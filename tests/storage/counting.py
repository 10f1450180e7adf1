"""Statements counted where they are run: by SQLite itself, on every connection."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

FRAME = ("BEGIN", "COMMIT", "ROLLBACK", "PRAGMA")  # around transactions, not of any drawer


@contextmanager
def counted() -> Iterator[Counter[tuple[int, str]]]:
    """Count what connections opened meanwhile run, by thread and text of the statement.

    A statement that is run for many rows counts once for each.
    """
    found: Counter[tuple[int, str]] = Counter()

    def note(_: apsw.Cursor, sql: str, __: object) -> bool:
        text = re.sub(r"\s+", " ", re.sub(r"--.*", "", sql)).strip()
        if not text.upper().startswith(FRAME):
            found[threading.get_ident(), text] += 1
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = note

    apsw.connection_hooks.append(watch)
    try:
        yield found
    finally:
        apsw.connection_hooks.remove(watch)
