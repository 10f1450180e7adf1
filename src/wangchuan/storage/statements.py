"""Statements: named SQL, and methods that run it and are nothing but a signature.

The SQL of a drawer stands in `sql/<drawer>.sql`, in the subset that SQLite and PostgreSQL share,
with a sentence about each statement. A statement for which they share no words stands once for
each, in `sql/<dialect>/<drawer>.sql`. The drawer has a method of the statement's name. Its
parameters are those of the statement; a decorator says what becomes of the rows.

Marks in the SQL: `$node` is the columns of a record, `$t.node` the same with a prefix,
`$node.phrase` one column, `$:node` the values, `$:node.phrase` one value, `$in(:list)` being in a
list, `$count(links)` how many there are, `$scans(n)` how often the node `n` has been scanned
(`network.fading.scans_within`).

Statements that only name a table's columns are made from its record. Some columns have a short form
in SQLite (`storage/compact.py`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from functools import cache, wraps
from operator import attrgetter
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from wangchuan.storage.compact import COUNTED, read, reading, writing
from wangchuan.storage.records import (
    TABLES,
    FactRecord,
    Key,
    LinkRecord,
    MessageRecord,
    NodeRecord,
    Row,
    UndoRow,
)

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D", bound="Drawer")
Values = Mapping[str, Any]
Tuple = tuple[Any, ...]
RECORDS: dict[str, type[Any]] = {
    **{kind: table.record for kind, table in TABLES.items()},
    "undo": UndoRow,
}
ONE_OF = {"sqlite": r"IN (SELECT value FROM json_each(\1))", "postgresql": r"= ANY(\1)"}

SENTENCES = re.compile(r"\A(?:--.*\n)+")  # about a statement, before it
# Writing statements whose callers tell the work of the transaction about their writes.
_KNOWN_OF = """
    facts.learn_from facts.put index.add index.add_fact index.drop_fact index.fold
    index.fold_facts items.put jobs.add jobs.drop jobs.finish jobs.progress journal.log
    links.add_focus links.add_oneway links.clear_focus links.put messages.add
    messages.add_speaker meta.advance meta.set
    models.add_usage nodes.add nodes.save signals.accessed signals.note signals.put
    signals.traversed undo.add undo.add_node undo.drop_old undo.tidy vectors.add
"""
KNOWN_OF = frozenset(_KNOWN_OF.split())

SCANS = re.sub(
    r"\s+",
    " ",
    r"""(CASE WHEN \1.since_pass IS NULL THEN \1.scans
    WHEN :rarity = 0 THEN \1.scans + :passes - \1.since_pass
    ELSE ceil(ln(1 + (1 + :passes - \1.since_pass + \1.waited
        + floor((exp(\1.scans * :rarity) - 1) / :rarity)) * :rarity) / :rarity) - 1 END)""",
)


def columns(record: type[Any]) -> tuple[str, ...]:
    """Return the columns of a record."""
    return tuple(column.name for column in fields(record))


@dataclass(slots=True)
class Noted:
    """The rows and entries of a change that can be undone, noted while it is made."""

    rows: dict[tuple[str, Key], Row | None] = field(default_factory=dict)
    entries: list[tuple[int, str, int | None]] = field(default_factory=list)

    def title(self, kind: str, node: int | None) -> int | None:
        """Return the journal entry by which the whole change is known."""
        fitting = [s for s, what, whom in self.entries if what == kind and node in (whom, None)]
        return fitting[-1] if fitting else None


@dataclass(slots=True)
class Tail:
    """The end of the queue: the last message, if known, and how many remembers wait, at the most.

    While these are not `counted`, only the new ones are.
    """

    last: MessageRecord | None = None
    waiting: int = 0
    counted: bool = False

    def after(self, before: Tail) -> Tail:
        """Return what is known of the end that came after another one."""
        waiting = self.waiting if self.counted else self.waiting + before.waiting
        return Tail(self.last or before.last, waiting, self.counted or before.counted)


class Work:
    """The work of one transaction: the rows it has read, and the rows it replaced.

    A transaction sees one moment, which only its own writes change. So the pass counter, notes,
    nodes, facts and links are read once. Whoever writes such a row drops it here.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.read_anew()
        self.noted: Noted | None = None
        self.calls: list[Callable[[], None]] = []

    def read_anew(self) -> None:
        """Forget the rows that were read."""
        self.passes: int | None = None
        self.focus: list[int] | None = None
        self.notes: dict[str, str | None] = {}
        self.nodes: dict[int, NodeRecord | None] = {}
        self.facts: dict[int, FactRecord | None] = {}
        self.links: dict[int, dict[int, LinkRecord]] = {}  # by source and target, in order
        self.tail = Tail()

    @property
    def size(self) -> int:
        """Return how many rows are known."""
        return len(self.nodes) + len(self.links) + len(self.facts)

    def note(self, kind: str, key: Key) -> None:
        """Note a row as it is before it changes, if the change can be undone."""
        if self.noted is not None and (kind, key) not in self.noted.rows:
            self.noted.rows[kind, key] = self.row(kind, key)

    def row(self, kind: str, key: Key) -> Row | None:
        """Return a row as it is stored."""
        if kind == "focus":
            return [row[0] for row in self.engine.rows("links.focus", {})]
        if kind == "evidence":
            found = self.engine.rows("facts.evidence_of", {"n": key[0]})
            return [row[0] for row in found] or None
        rows = self.engine.rows(f"rows.get_{kind}", self.named(kind, key))
        return dict(zip(columns(TABLES[kind].record), rows[0], strict=True)) if rows else None

    def named(self, kind: str, key: Key) -> dict[str, int]:
        """Return the key of a row by its columns."""
        return dict(zip(TABLES[kind].key, key, strict=True))

    def drop_note(self, key: str) -> None:
        """Forget a note that changes; the pass counter is one."""
        self.notes.pop(key, None)
        if key == "passes":
            self.passes = None

    def drop(self, kind: str, key: Key) -> None:
        """Forget a row that changes."""
        if kind == "node":
            self.nodes.pop(key[0], None)
        elif kind == "fact":
            self.facts.pop(key[0], None)
        elif kind == "link":
            self.links.pop(key[0], None)
        elif kind == "focus":
            self.focus = None


@cache
def queries(dialect: str) -> dict[str, str]:
    """Return all statements in a dialect of `ONE_OF` by the names `drawer.method`."""
    found = _made_from_tables(dialect)
    shared = Path(__file__).parent / "sql"
    for folder in (shared, shared.joinpath(dialect)):
        for entry in sorted(filter(lambda entry: entry.is_file(), folder.iterdir()), key=str):
            drawer = entry.name.removesuffix(".sql")
            for block in _filled(entry.read_text(encoding="utf-8"), dialect).split("-- name: ")[1:]:
                name, _, rest = block.partition("\n")
                found[f"{drawer}.{name.strip()}"] = SENTENCES.sub("", rest).strip().rstrip(";")
    return found


@cache
def unknown_of(dialect: str) -> frozenset[str]:
    """Return the statements that write unseen by the work of a transaction."""
    texts = queries(dialect).items()
    return frozenset(name for name, sql in texts if not sql.startswith("SELECT")) - KNOWN_OF


def _filled(text: str, dialect: str) -> str:
    for what, counted in COUNTED[dialect].items():
        text = text.replace(f"$count({what})", counted)
    text = re.sub(r"\$in\((:\w+)\)", ONE_OF[dialect], text)
    text = re.sub(r"\$scans\((\w+)\)", SCANS, text)
    return _MARK.sub(lambda mark: _marked(mark, dialect), text)


_MARK = re.compile(r"\$(?P<value>:)?(?P<alias>[lmt]\.)?(?P<name>[a-z]+)(?:\.(?P<column>[a-z_]+))?")


def _marked(mark: re.Match[str], dialect: str) -> str:
    """Return SQL for a mark of a record, all of whose columns or one are read or written."""
    name, column = mark["name"], mark["column"]
    if name not in RECORDS:
        return mark[0]
    if column:
        return (writing if mark["value"] else read)(dialect, name, column)
    if mark["value"]:
        return ", ".join(writing(dialect, name, one) for one in columns(RECORDS[name]))
    return listed(dialect, name, mark["alias"] or "")


def listed(dialect: str, kind: str, prefix: str = "") -> str:
    """Return SQL by which the columns of a record are read."""
    named = columns(RECORDS[kind])
    return ", ".join(reading(dialect, kind, column, prefix) for column in named)


def _made_from_tables(dialect: str) -> dict[str, str]:
    made: dict[str, str] = {}
    for kind, table in TABLES.items():
        named, keys = columns(table.record), table.key
        read, order = listed(dialect, kind), ", ".join(keys)
        values = ", ".join(writing(dialect, kind, column) for column in named)
        where = " AND ".join(f"{key} = :{key}" for key in keys)
        insert = f"INSERT INTO {table.name} ({', '.join(named)}) VALUES ({values})"
        made |= {
            f"rows.every_{kind}": f"SELECT {read} FROM {table.name} ORDER BY {order}",
            f"rows.count_{kind}": f"SELECT count(*) FROM {table.name}",
            f"rows.take_in_{kind}": f"{insert} {table.conflict or 'ON CONFLICT DO NOTHING'}",
            f"rows.get_{kind}": f"SELECT {read} FROM {table.name} WHERE {where}",
            f"rows.put_{kind}": insert,
            f"rows.drop_{kind}": f"DELETE FROM {table.name} WHERE {where}",
        }
    return made


class Engine(Protocol):
    """One connection of a database, which runs statements by their names.

    Values that are neither text, bytes nor numbers are lists.
    """

    conflict: type[Exception]  # raised for a row that does not fit its table
    waits: bool  # for a server: questions are worth sending ahead
    seen: bool  # the work of its transactions knows of every write
    compares: bool  # vectors by itself, so that they need not be read

    def rows(self, name: str, values: Values) -> list[Tuple]:
        """Return all rows of a statement."""

    def answers(self, asked: Iterable[tuple[str, Values]]) -> list[list[Tuple]]:
        """Return all rows of several statements; a server is asked in one round trip."""

    def ahead(self, name: str, values: Values) -> list[Tuple] | None:
        """Send a question to a server; return the rows only if the answer is here already."""

    def each(self, name: str) -> Iterator[Tuple]:
        """Yield the rows of a statement as they are read."""

    def run(self, name: str, values: Values) -> int:
        """Run a statement; return how many rows it changed."""

    def do(self, name: str, values: Values) -> None:
        """Run a statement without waiting for its result."""

    def run_many(self, name: str, many: Iterable[Values]) -> None:
        """Run a statement with one set of values after the other."""

    def part(self) -> AbstractContextManager[object]:
        """Begin a part of the transaction, a savepoint: an error in it undoes that part alone."""


class Drawer:
    """Statements that belong together, in the work of one transaction."""

    def __init__(self, work: Work) -> None:
        self._work, self._engine = work, work.engine


def values_of(record: Any) -> dict[str, Any]:
    """Return the values of a record by their columns."""
    return dict(zip(record.__slots__, _all_of(record.__class__)(record), strict=True))


@cache
def _all_of(kind: Any) -> Callable[[Any], Tuple]:
    return attrgetter(*columns(kind))


Method = Callable[Concatenate[D, P], R]


def _ran(method: Method[D, P, R], result: Callable[[Engine, str, Values], R]) -> Method[D, P, R]:
    """Return a method that binds its arguments to the statement of its name."""
    drawer, _, name = method.__qualname__.partition(".")
    statement = f"{drawer.lower()}.{name}"
    parameters = list(inspect.signature(method).parameters.values())[1:]
    names = [parameter.name for parameter in parameters]
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}

    @wraps(method)
    def run(self: D, /, *given: P.args, **named: P.kwargs) -> R:
        values = dict(zip(names, given, strict=False))
        if len(values) < len(names):
            values = {**defaults, **values, **named}
        return result(self._engine, statement, values)

    return run


def many(record: Callable[..., R]) -> Callable[[Method[D, P, list[R]]], Method[D, P, list[R]]]:
    """Make a method return one record for each row."""
    return lambda method: _ran(
        method, lambda engine, name, values: [record(*row) for row in engine.rows(name, values)]
    )


def one(record: Callable[..., R]) -> Callable[[Method[D, P, R | None]], Method[D, P, R | None]]:
    """Make a method return the record of the first row, None if there is none."""

    def first(engine: Engine, name: str, values: Values) -> R | None:
        rows = engine.rows(name, values)
        return record(*rows[0]) if rows else None

    return lambda method: _ran(method, first)


def value(kind: Callable[[Any], R]) -> Callable[[Method[D, P, R]], Method[D, P, R]]:
    """Make a method return the first value of the first row."""
    return lambda method: _ran(
        method, lambda engine, name, values: kind(engine.rows(name, values)[0][0])
    )


def column(kind: Callable[[Any], R]) -> Callable[[Method[D, P, list[R]]], Method[D, P, list[R]]]:
    """Make a method return the first value of each row."""
    return lambda method: _ran(
        method, lambda engine, name, values: [kind(row[0]) for row in engine.rows(name, values)]
    )


def figures(names: str) -> Callable[[Method[D, P, dict[str, int]]], Method[D, P, dict[str, int]]]:
    """Make a method return the numbers of its one row by these names."""

    def named(engine: Engine, name: str, values: Values) -> dict[str, int]:
        row = engine.rows(name, values)[0]
        return {key: int(n or 0) for key, n in zip(names.split(), row, strict=True)}

    return lambda method: _ran(method, named)


def changed(method: Method[D, P, int]) -> Method[D, P, int]:
    """Make a method run its statement and return how many rows that changed."""
    return _ran(method, lambda engine, name, values: engine.run(name, values))


def run(method: Method[D, P, None]) -> Method[D, P, None]:
    """Make a method run its statement."""
    return _ran(method, lambda engine, name, values: engine.do(name, values))
