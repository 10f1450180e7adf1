"""Statements run by PostgreSQL, through psycopg, in a pipeline: nothing is waited for unasked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any

import psycopg

from wangchuan.storage.postgres.pool import Connection
from wangchuan.storage.statements import Tuple, Values, queries

PLAIN = (str, int, float, bytes, bool, type(None))
FETCHED = 500  # rows at a time, of those that are not read at once
NOTED = ("meta.get", "meta.passes")  # what notes answer
CHANGING = ("meta.set", "meta.advance", "rows.")  # what may change them
_cursors = count()


@cache
def statements() -> dict[str, str]:
    """Return all statements with their parameters as psycopg wants them."""
    return {name: _named(sql) for name, sql in queries("postgresql").items()}


def _named(sql: str) -> str:
    def named(found: re.Match[str]) -> str:
        return found[0].replace("%", "%%") if found[1] is None else f"%({found[1]})s"

    named_sql = re.sub(r"'[^']*'|%|:(\w+)", named, sql)
    return re.sub(r"ON CONFLICT \((?!agent)", "ON CONFLICT (agent, ", named_sql)


class PostgresEngine:
    """One connection, inside a transaction; lists are given as arrays."""

    conflict: type[Exception] = psycopg.IntegrityError

    def __init__(self, connection: Connection) -> None:
        """Ask for the notes at once: their answer comes with that of whatever is asked first."""
        self.connection, self._sql = connection, statements()
        self._asked = connection.execute(self._sql["rows.every_note"])
        self._read: dict[str, str] | None = None
        self._changed = False

    @property
    def notes(self) -> dict[str, str]:
        """Return the notes as they were at first; every agent has some."""
        if self._read is None:
            self._read = dict(self._asked.fetchall())
        return self._read

    def _noted(self, name: str, key: str) -> list[Tuple] | None:
        """Return the answer about a note, unless notes have been changed."""
        if self._changed:
            return None
        value = self.notes.get(key)
        if value is None:
            return []
        return [(int(value) if name == "meta.passes" else value,)]

    def _execute(self, name: str, values: Values) -> psycopg.Cursor[Tuple]:
        if name.startswith(CHANGING):
            self._changed = True
        return self.connection.execute(self._sql[name], _plain(values))

    def rows(self, name: str, values: Values) -> list[Tuple]:
        """Return all rows of a statement."""
        if name in NOTED:
            noted = self._noted(name, values.get("key", "passes"))
            if noted is not None:
                return noted
        return self._execute(name, values).fetchall()

    def answers(self, asked: Iterable[tuple[str, Values]]) -> list[list[Tuple]]:
        """Return all rows of several statements, sent at once."""
        cursors = [self._execute(name, values) for name, values in asked]
        return [cursor.fetchall() for cursor in cursors]

    def each(self, name: str) -> Iterator[Tuple]:
        """Yield the rows of a statement as they are read."""
        cursor = f"each_{next(_cursors)}"
        self.connection.execute(f"DECLARE {cursor} CURSOR FOR {self._sql[name]}")
        while rows := self.connection.execute(f"FETCH {FETCHED} FROM {cursor}").fetchall():
            yield from rows
        self.connection.execute(f"CLOSE {cursor}")

    def run(self, name: str, values: Values) -> int:
        """Run a statement; return how many rows it changed."""
        if name.startswith(CHANGING):
            self._changed = True
        sql = f"{self._sql[name]} RETURNING 1"
        return len(self.connection.execute(sql, _plain(values)).fetchall())

    def do(self, name: str, values: Values) -> None:
        """Run a statement without waiting for it."""
        self._execute(name, values)

    def run_many(self, name: str, many: Iterable[Values]) -> None:
        """Run a statement with one set of values after the other, without waiting."""
        for values in many:
            self._execute(name, values)

    @contextmanager
    def part(self) -> Iterator[None]:
        """Begin a part of the transaction, undone alone if anything is raised in it."""
        self.connection.execute("SAVEPOINT part")
        try:
            yield
            self.connection.execute("SELECT 1").fetchall()  # an error is told where it belongs
        except BaseException:
            self._changed = True
            self.connection.execute("ROLLBACK TO SAVEPOINT part")
            raise
        self.connection.execute("RELEASE SAVEPOINT part")


def _plain(values: Values) -> dict[str, Any]:
    plain: dict[str, Any] = {k: v if isinstance(v, PLAIN) else list(v) for k, v in values.items()}
    if (plain.get("limit") or 0) < 0:
        plain["limit"] = None  # all of them
    return plain
