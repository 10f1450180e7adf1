"""Statements run by SQLite, through apsw, which carries a current SQLite with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import apsw

from wangchuan.errors import StorageError
from wangchuan.storage.statements import Tuple, Values, queries

NO_TEXT = "the database is damaged: where text was there is none; restore a copy of the folder"
PLAIN = (str, int, float, bytes, type(None))


class SQLiteEngine:
    """One connection; lists are given as JSON."""

    conflict: type[Exception] = apsw.ConstraintError

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection, self._sql = connection, queries("sqlite")

    def rows(self, name: str, values: Values) -> list[Tuple]:
        """Return all rows of a statement."""
        with _read():
            return self.connection.execute(self._sql[name], _plain(values)).fetchall()

    def answers(self, asked: Iterable[tuple[str, Values]]) -> list[list[Tuple]]:
        """Return all rows of several statements."""
        return [self.rows(name, values) for name, values in asked]

    def each(self, name: str) -> Iterator[Tuple]:
        """Yield the rows of a statement as they are read."""
        with _read():
            yield from self.connection.execute(self._sql[name])

    def run(self, name: str, values: Values) -> int:
        """Run a statement; return how many rows it changed."""
        self.connection.execute(self._sql[name], _plain(values))
        return self.connection.changes()

    def do(self, name: str, values: Values) -> None:
        """Run a statement of which nothing is asked back."""
        self.connection.execute(self._sql[name], _plain(values))

    def run_many(self, name: str, many: Iterable[Values]) -> None:
        """Run a statement with one set of values after the other."""
        self.connection.executemany(self._sql[name], many)


@contextmanager
def _read() -> Iterator[None]:
    """Raise StorageError for a damaged text."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise StorageError(NO_TEXT) from error


def _plain(values: Values) -> dict[str, Any]:
    return {k: v if isinstance(v, PLAIN) else json.dumps(list(v)) for k, v in values.items()}
