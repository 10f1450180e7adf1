"""Statements run by SQLite, through apsw, which carries a current SQLite with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from functools import cache

import apsw

from wangchuan.errors import StorageError
from wangchuan.storage.sqlite.bundles import ties_of
from wangchuan.storage.statements import Tuple, Values, queries

BUNDLED = frozenset(("links.of", "links.of_many"))  # statements whose rows are bundles
NO_TEXT = "the database is damaged: where text was there is none; restore a copy of the folder"
# Writing statements whose callers tell the work of the transaction about their writes.
_KNOWN_OF = """
    facts.learn_from facts.put index.add index.add_fact index.drop_fact index.fold
    index.fold_facts items.put jobs.add jobs.drop jobs.finish jobs.progress journal.log
    links.add_focus links.add_oneway links.clear_focus links.put messages.add messages.add_speaker
    meta.advance meta.set models.add_usage nodes.add nodes.save signals.accessed signals.note
    signals.put signals.traversed undo.add undo.add_node undo.drop_old undo.tidy vectors.add
"""
KNOWN_OF = frozenset(_KNOWN_OF.split())
TYPES = (str, int, float, bytes, type(None))
PLAIN = frozenset(TYPES)


@cache
def _unknown_of() -> frozenset[str]:
    """Return the statements that write unseen by the work of a transaction."""
    texts = queries("sqlite").items()
    return frozenset(name for name, sql in texts if not sql.startswith("SELECT")) - KNOWN_OF


class SQLiteEngine:
    """One connection; lists are given as JSON.

    `seen` says that the work of its transactions knows of every write.
    """

    conflict: type[Exception] = apsw.ConstraintError
    waits = False
    compares = False

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection, self._sql = connection, queries("sqlite")
        self.seen, self._unseen = True, _unknown_of()

    def rows(self, name: str, values: Values) -> list[Tuple]:
        """Return all rows of a statement."""
        if name in self._unseen:
            self.seen = False
        try:
            found = self.connection.execute(self._sql[name], _plain(values)).fetchall()
        except UnicodeDecodeError as error:
            raise StorageError(NO_TEXT) from error
        return [*_unbundled(found)] if name in BUNDLED else found

    def answers(self, asked: Iterable[tuple[str, Values]]) -> list[list[Tuple]]:
        """Return all rows of several statements."""
        return [self.rows(name, values) for name, values in asked]

    def ahead(self, name: str, values: Values) -> list[Tuple] | None:
        """Do nothing: there is no way to save."""

    def each(self, name: str) -> Iterator[Tuple]:
        """Yield the rows of a statement as they are read."""
        try:
            yield from self.connection.execute(self._sql[name])
        except UnicodeDecodeError as error:
            raise StorageError(NO_TEXT) from error

    def run(self, name: str, values: Values) -> int:
        """Run a statement; return how many rows it changed."""
        self.do(name, values)
        return self.connection.changes()

    def do(self, name: str, values: Values) -> None:
        """Run a statement of which nothing is asked back."""
        if name in self._unseen:
            self.seen = False
        self.connection.execute(self._sql[name], _plain(values))

    def run_many(self, name: str, many: Iterable[Values]) -> None:
        """Run a statement with one set of values after the other."""
        if name in self._unseen:
            self.seen = False
        self.connection.executemany(self._sql[name], many)

    def part(self) -> AbstractContextManager[object]:
        """Begin a part of the transaction, undone alone if anything is raised in it."""
        return self.connection  # entering a connection is how apsw begins a savepoint


def _unbundled(rows: Iterable[Tuple]) -> Iterator[Tuple]:
    """Yield links, given sources with their bundles."""
    for source, bundle in rows:
        for tie in ties_of(bundle):
            yield source, *tie


def _plain(values: Values) -> Values:
    """Return values with lists as JSON."""
    if PLAIN.issuperset(map(type, values.values())):
        return values
    return {k: v if isinstance(v, TYPES) else _listed([*v]) for k, v in values.items()}


def _listed(values: list[object]) -> str:
    """Return a list as JSON; numbers are written the same way by Python, and sooner."""
    return str(values) if {int}.issuperset(map(type, values)) else json.dumps(values)
