"""Statements run by PostgreSQL, through psycopg, in a pipeline: nothing is waited for unasked.

A writer of an agent is alone, so three things need not be waited for: notes, which are read with
whatever is asked first; the number that a new row is given, which is one more than the last, and
which it is sent with but for nodes, whose numbers are counted; and what was asked before, or ahead,
as long as nothing was written since to the tables it is read from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any

import psycopg

from wangchuan.storage.postgres.pool import Connection
from wangchuan.storage.statements import Tail, Tuple, Values, queries, unknown_of
from wangchuan.types import value

PLAIN = (str, int, float, bytes, bool, type(None))
MOST_KNOWN = 200  # answers kept in one transaction
FETCHED = 500  # rows at a time, of those that are not read at once
NOTED = ("meta.get", "meta.passes")  # what notes answer
NUMBERED = {"messages.add": 0, "jobs.add": 1, "journal.log": 2, "nodes.add": 3}
COUNTED = "nodes.add"  # whose numbers are never used again, so the server counts them
OF_NUMBERS = frozenset({"messages", "jobs", "journal", "nodes", "counters"})
NUMBERS = """SELECT (SELECT max(seq) FROM messages), (SELECT max(seq) FROM jobs),
(SELECT max(seq) FROM journal),
greatest((SELECT max(n) FROM nodes), (SELECT last FROM counters WHERE name = 'nodes'))"""
_cursors = count()

Key = tuple[str, tuple[tuple[str, Any], ...]]  # a statement and its values
Answer = psycopg.Cursor[Tuple] | list[Tuple]


@cache
def statements() -> dict[str, str]:
    """Return all statements with their parameters as psycopg wants them."""
    texts = {name: _named(sql) for name, sql in queries("postgresql").items()}
    for name in NUMBERED.keys() - {COUNTED}:
        sent = re.sub(r"(INSERT INTO \w+ \()", r"\1seq, ", texts[name])
        texts[name] = sent.replace("VALUES (", "VALUES (%(seq)s, ", 1)
    return texts


def _named(sql: str) -> str:
    def named(found: re.Match[str]) -> str:
        return found[0].replace("%", "%%") if found[1] is None else f"%({found[1]})s"

    named_sql = re.sub(r"'[^']*'|%|:(\w+)", named, sql)
    return re.sub(r"ON CONFLICT \((?!agent)", "ON CONFLICT (agent, ", named_sql)


@value
class Tables:
    """The tables of a statement: from which it reads, and to which it writes."""

    read: frozenset[str]
    written: frozenset[str]
    gaining: frozenset[str]  # or losing rows


@cache
def tables() -> dict[str, Tables]:
    """Return the tables of every statement."""
    return {name: _tables(sql) for name, sql in queries("postgresql").items()}


def _tables(sql: str) -> Tables:
    def named(before: str) -> frozenset[str]:
        return frozenset(re.findall(rf"\b(?:{before})\s+(\w+)", sql, re.IGNORECASE))

    gaining = named("INSERT INTO|DELETE FROM")
    written = gaining | (named("UPDATE") - {"SET"})
    return Tables(frozenset(re.findall(r"\w+", sql)), written, gaining)


@value
class Known:
    """What was known at the end of a write, for the next one to go on from."""

    mark: int
    writes: int  # of the agent, this one among them
    notes: dict[str, str]
    numbers: list[int]
    tail: Tail


class PostgresEngine:
    """One connection, inside a transaction; lists are given as arrays."""

    conflict: type[Exception] = psycopg.IntegrityError
    waits = True

    def __init__(
        self,
        connection: Connection,
        *,
        turn: psycopg.Cursor[Tuple] | None = None,
        once: bool = False,
        compares: bool = False,
        known: Known | None = None,
    ) -> None:
        """Ask for the notes at once: their answer comes with that of whatever is asked first.

        One who writes has asked for them, and for the last numbers, by taking their `turn`; with
        what is `known`, nothing has to be asked.
        """
        self.compares, self.seen, self._unseen = compares, True, unknown_of("postgresql")
        self.connection, self._sql, self._tables = connection, statements(), tables()
        self._unheard = connection.cursor()  # for statements whose answers nobody asks for
        self._turn = turn
        self._asked = turn or connection.execute(self._sql["rows.every_note"])
        self._notes: dict[str, str] | None = dict(known.notes) if known else None
        self._numbers: list[int] | None = list(known.numbers) if known else None
        self._writes, self.follows = known.writes + 1 if known else 0, known is not None
        self._outdated = False  # the last numbers that came with the turn are
        self._missing: psycopg.Cursor[Tuple] | None = None  # the answer about numbers
        self._known: dict[Key, Answer] = {}
        self._changed = False  # notes are
        self._once, self._ended = once, False

    def end(self) -> None:
        """End a transaction that only read, if it has not ended yet."""
        if not self._ended:
            self._ended = True
            self.connection.execute("COMMIT")  # a ROLLBACK would drop what is prepared

    def ask_what_is_missing(self) -> None:
        """Ask, with the end of a write, for what the next one goes on from, if it is not known."""
        if self.seen and self._outdated and self._numbers is None:
            self._missing = self.connection.execute(NUMBERS)

    def known(self, mark: int, tail: Tail, before: Known | None) -> Known | None:
        """Return what the next write may go on from, once this one is stored; None if unsure."""
        notes = self.notes
        if self._missing is not None:
            self._numbers = [n or 0 for n in self._missing.fetchall()[0]]
        if not self.seen or self._changed or self._numbers is None:
            return None
        whole = tail.after(before.tail) if before and self.follows else tail
        return Known(mark, self._writes, notes, self._numbers, whole)

    @property
    def notes(self) -> dict[str, str]:
        """Return the notes; every agent has some."""
        if self._notes is None:
            if self._turn is None:
                self._notes = dict(self._asked.fetchall())
            else:
                self._writes, self.follows, *numbers, notes = self._turn.fetchall()[0]
                if not self._outdated:
                    self._numbers = [n or 0 for n in numbers]
                self._notes = json.loads(notes, strict=False)
        return self._notes

    def _noted(self, name: str, key: str) -> list[Tuple] | None:
        """Return the answer about a note, unless notes have been changed unseen."""
        if self._changed:
            return None
        value = self.notes.get(key)
        return [] if value is None else [(int(value) if name == "meta.passes" else value,)]

    def _number(self, name: str) -> int:
        """Return the number that the row of a statement about to be sent is given."""
        if self._numbers is None and self._notes is None:
            self.notes  # noqa: B018 (the numbers come along)
        if self._numbers is None:
            self._numbers = [n or 0 for n in self.connection.execute(NUMBERS).fetchall()[0]]
        self._numbers[NUMBERED[name]] += 1
        return self._numbers[NUMBERED[name]]

    def _execute(self, name: str, values: dict[str, Any]) -> psycopg.Cursor[Tuple]:
        of = self._tables[name]
        if of.written:
            self._wrote(name, values, of)
        return self.connection.execute(self._sql[name], values)

    def _send(self, name: str, values: dict[str, Any]) -> None:
        self._wrote(name, values, self._tables[name])
        self._unheard.execute(self._sql[name], values)

    def _wrote(self, name: str, values: dict[str, Any], of: Tables) -> None:
        """Forget what was read of tables that are written to, or write it here, too."""
        self.seen = self.seen and name not in self._unseen
        self._known = {k: a for k, a in self._known.items() if not self._reads(k) & of.written}
        if name not in NUMBERED and of.gaining & OF_NUMBERS:
            self._numbers, self._outdated = None, True
        if name == "meta.set":
            self.notes[values["key"]] = values["value"]
        elif name == "meta.advance":
            self.notes["passes"] = str(int(self.notes["passes"]) + 1)
        elif "meta" in of.written:
            self._changed = True

    def _reads(self, key: Key) -> frozenset[str]:
        return self._tables[key[0]].read

    def rows(self, name: str, values: Values) -> list[Tuple]:
        """Return all rows of a statement."""
        if name in NOTED:
            noted = self._noted(name, _key_of(values))
            if noted is not None:
                return noted
        plain = _plain(values)
        if name in NUMBERED:
            number = self._number(name)
            self._send(name, plain if name == COUNTED else {**plain, "seq": number})
            return [(number,)]
        return self._fetched(*self._asked_for(name, plain))

    def _asked_for(self, name: str, plain: dict[str, Any]) -> tuple[Key, Answer]:
        """Return the answer to a statement, which may have been asked before or ahead."""
        key = name, tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in plain.items())
        found = self._known.get(key)
        if found is None:
            found = self._execute(name, plain)
            if not self._tables[name].written and len(self._known) < MOST_KNOWN:
                self._known[key] = found
        return key, found

    def _fetched(self, key: Key, found: Answer) -> list[Tuple]:
        """Return the rows of an answer, waiting for them if they are not here yet."""
        if isinstance(found, list):
            return list(found)
        if self._once:
            self.end()
        rows = found.fetchall()
        if key in self._known:
            self._known[key] = list(rows)
        return rows

    def ahead(self, name: str, values: Values) -> list[Tuple] | None:
        """Send a statement that will be asked for soon; return its rows only if they are here."""
        if name in NOTED:
            here = self._notes is not None or self._asked.pgresult is not None
            return self._noted(name, _key_of(values)) if here else None
        key, found = self._asked_for(name, _plain(values))
        here = isinstance(found, list) or found.pgresult is not None
        return self._fetched(key, found) if here else None

    def answers(self, asked: Iterable[tuple[str, Values]]) -> list[list[Tuple]]:
        """Return all rows of several statements, sent at once."""
        found = [self._asked_for(name, _plain(values)) for name, values in asked]
        return [self._fetched(key, answer) for key, answer in found]

    def each(self, name: str) -> Iterator[Tuple]:
        """Yield the rows of a statement as they are read."""
        cursor = f"each_{next(_cursors)}"
        self.connection.execute(f"DECLARE {cursor} CURSOR FOR {self._sql[name]}")
        while rows := self.connection.execute(f"FETCH {FETCHED} FROM {cursor}").fetchall():
            yield from rows
        self.connection.execute(f"CLOSE {cursor}")

    def run(self, name: str, values: Values) -> int:
        """Run a statement; return how many rows it changed."""
        plain = _plain(values)
        self._wrote(name, plain, self._tables[name])
        sql = f"{self._sql[name]} RETURNING 1"
        return len(self.connection.execute(sql, plain).fetchall())

    def do(self, name: str, values: Values) -> None:
        """Run a statement without waiting for it."""
        self._send(name, _plain(values))

    def run_many(self, name: str, many: Iterable[Values]) -> None:
        """Run a statement with one set of values after the other, without waiting."""
        for values in many:
            self._send(name, _plain(values))

    @contextmanager
    def part(self) -> Iterator[None]:
        """Begin a part of the transaction, undone alone if anything is raised in it.

        What the server refuses without having been waited for is told later, and undoes all.
        """
        self.connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._forget()
            self.connection.execute("ROLLBACK TO SAVEPOINT part")
            for _ in range(2):  # psycopg drops what is prepared: before anything else is sent
                self.connection.execute("SELECT 1", prepare=False).fetchall()
            raise
        self.connection.execute("RELEASE SAVEPOINT part")

    def _forget(self) -> None:
        """Forget what was read: it may have been undone."""
        self._known, self._changed, self.seen = {}, True, False
        self._numbers, self._outdated = None, True


def _key_of(values: Values) -> str:
    """Return which note is asked for."""
    return str(values.get("key", "passes"))


def _plain(values: Values) -> dict[str, Any]:
    plain: dict[str, Any] = {k: v if isinstance(v, PLAIN) else list(v) for k, v in values.items()}
    if (plain.get("limit") or 0) < 0:
        plain["limit"] = None  # all of them
    return plain
