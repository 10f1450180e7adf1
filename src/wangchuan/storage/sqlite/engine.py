"""Statements run by SQLite, through apsw, which carries a current SQLite with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import apsw

from wangchuan.errors import StorageError
from wangchuan.storage.sqlite.places import TOTALS, Places
from wangchuan.storage.statements import Tuple, Values, queries

NO_TEXT = "the database is damaged: where text was there is none; restore a copy of the folder"
TYPES = (str, int, float, bytes, type(None))
PLAIN = frozenset(TYPES)
INDEXING = frozenset(("index.add", "index.drop", "index.clear"))  # what changes where terms stand


class SQLiteEngine:
    """One connection; lists are given as JSON."""

    conflict: type[Exception] = apsw.ConstraintError
    waits = False

    def __init__(
        self,
        connection: apsw.Connection,
        *,
        keeping: Places | None = None,
        telling: Places | None = None,
    ) -> None:
        """Take a connection; a reader may be `keeping` places, a writer `telling` what it adds."""
        self.connection, self._sql = connection, queries("sqlite")
        self._places, self._in_step, self._telling = keeping, False, telling

    def kept(self) -> Places | None:
        """Return the places that are kept in memory, as they are at this moment."""
        if self._places is not None and not self._in_step:
            now: list[Tuple] = self.connection.execute(TOTALS).fetchall()
            self._places.keep_up(*now[0])
            self._in_step = True
        return self._places

    def rows(self, name: str, values: Values) -> list[Tuple]:
        """Return all rows of a statement."""
        try:
            return self.connection.execute(self._sql[name], _plain(values)).fetchall()
        except UnicodeDecodeError as error:
            raise StorageError(NO_TEXT) from error

    def answers(self, asked: Iterable[tuple[str, Values]]) -> list[list[Tuple]]:
        """Return all rows of several statements."""
        return [self.rows(name, values) for name, values in asked]

    def ahead(self, name: str, values: Values) -> None:
        """Do nothing: there is no way to save."""

    def each(self, name: str) -> Iterator[Tuple]:
        """Yield the rows of a statement as they are read."""
        try:
            yield from self.connection.execute(self._sql[name])
        except UnicodeDecodeError as error:
            raise StorageError(NO_TEXT) from error

    def run(self, name: str, values: Values) -> int:
        """Run a statement; return how many rows it changed."""
        self.connection.execute(self._sql[name], _plain(values))
        return self.connection.changes()

    def do(self, name: str, values: Values) -> None:
        """Run a statement of which nothing is asked back."""
        self.connection.execute(self._sql[name], _plain(values))
        if self._telling is not None and name in INDEXING:
            if name == "index.add":
                self._telling.note(values["spot"], values["terms"])
            else:
                self._telling.break_off()

    def run_many(self, name: str, many: Iterable[Values]) -> None:
        """Run a statement with one set of values after the other."""
        self.connection.executemany(self._sql[name], many)

    @contextmanager
    def part(self) -> Iterator[None]:
        """Begin a part of the transaction, undone alone if anything is raised in it."""
        try:
            with self.connection:  # which is how apsw begins a savepoint
                yield
        except BaseException:
            if self._telling is not None:
                self._telling.break_off()
            raise


def _plain(values: Values) -> Values:
    """Return values with lists as JSON."""
    if PLAIN.issuperset(map(type, values.values())):
        return values
    return {k: v if isinstance(v, TYPES) else _listed([*v]) for k, v in values.items()}


def _listed(values: list[object]) -> str:
    """Return a list as JSON; numbers are written the same way by Python, and sooner."""
    return str(values) if {int}.issuperset(map(type, values)) else json.dumps(values)
