"""The format of a cell: versioned migrations, each in one transaction, one process at a time.

`make` is called by whoever owns the database. Two roles are made, as far as they are not there: one
owns the tables, one serves. Rows of every table with an agent in its key are kept apart by the
database itself: whoever serves names an agent first, and sees and writes its rows only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from wangchuan.errors import NewerFormat, StorageError, Unreachable
from wangchuan.storage.postgres.pool import OWNER, SCHEMA, SERVING, Connection
from wangchuan.types import value

PARTITIONS = 16  # of each table, by agent: for vacuuming and moving, not for speed
MOST_PARTITIONS = 256
AGENT = "CAST(current_setting('wc.agent') AS BIGINT)"  # an error where no agent is named
MEANING_SINCE = 6  # the format from which on vectors may be compared here
LOCK = 0x57414E47  # of the one who migrates
OPEN = ("agents", "leases", "cell")  # tables in which nothing stands that an agent remembers
REFUSED = re.compile(  # what a server says to somebody for whom no waiting changes it
    "authentication failed for user|no password supplied|no pg_hba.conf entry|SSL was required"
    "|(?:role|database) .{1,200} does not exist|permission denied|not permitted to log in"
)


RIGHTS = (
    f"cells are made and upgraded by who owns the database and may make roles (CREATEROLE), or was"
    f" given these: GRANT {OWNER}, {SERVING} TO …"
)


@value
class Cell:
    """What a cell says of itself."""

    version: int
    partitions: int
    compares: bool = False  # vectors, by pgvector


@cache
def migrations() -> tuple[str, ...]:
    """Return the SQL of all migrations, oldest first."""
    folder = files("wangchuan.storage.postgres").joinpath("migrations")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


def shown(dsn: str) -> str:
    """Return a DSN without its password."""
    try:
        parts = conninfo_to_dict(dsn)
    except psycopg.Error:
        return "this store"
    return make_conninfo("", **{k: v for k, v in parts.items() if k != "password"})


@contextmanager
def connected(dsn: str) -> Iterator[Connection]:
    """Connect as whoever the DSN names; raises StorageError."""
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            yield connection
    except psycopg.OperationalError as error:
        if REFUSED.search(str(error)):
            told = f"cannot use {shown(dsn)}: {error}; check its user, password and database"
            raise StorageError(told) from error
        raise Unreachable(f"cannot use {shown(dsn)}: {error}") from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise StorageError(f"cannot use {shown(dsn)}: {error}; {RIGHTS}") from error
    except psycopg.Error as error:
        raise StorageError(f"cannot use {shown(dsn)}: {error}") from error


def make(dsn: str, partitions: int = PARTITIONS, steps: tuple[str, ...] | None = None) -> Cell:
    """Make a cell of a database, or bring the one there to the present format.

    What was interrupted is taken up where it ended. Raises StorageError and NewerFormat.
    """
    if not 1 <= partitions <= MOST_PARTITIONS:
        raise StorageError(f"a cell has 1 to {MOST_PARTITIONS} partitions, not {partitions}")
    steps = migrations() if steps is None else steps
    with connected(dsn) as connection:
        _make_roles(connection)
        _make_extension(connection)
        connection.execute(f"SET search_path = {SCHEMA}")
        while True:
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
                connection.execute(f"SET LOCAL ROLE {OWNER}")
                cell = _begin(connection, partitions)
                _refuse_newer(cell, len(steps), dsn)
                if cell.version == len(steps):
                    return _with_meaning(connection, cell)
                _grow(connection, steps[cell.version], cell)


def _make_roles(connection: Connection) -> None:
    for role in (OWNER, SERVING):
        there = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
        if not there:
            connection.execute(f"CREATE ROLE {role} NOLOGIN")
        member = connection.execute("SELECT pg_has_role(current_user, %s, 'USAGE')", (role,))
        if not (member.fetchone() or (False,))[0]:
            connection.execute(f"GRANT {role} TO CURRENT_USER")
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA} AUTHORIZATION {OWNER}")


def _make_extension(connection: Connection) -> None:
    """Use pgvector where the server has it and we may; else nobody misses it."""
    with suppress(psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported):
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")


def _with_meaning(connection: Connection, cell: Cell) -> Cell:
    """Return a cell that compares vectors itself if its server can, whenever that began."""
    if cell.compares or cell.version < MEANING_SINCE:
        return cell
    home: Any = connection.execute(
        "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace"
        " WHERE extname = 'vector' AND to_regtype(quote_ident(nspname) || '.halfvec') IS NOT NULL"
        " AND has_schema_privilege(n.oid, 'USAGE')"
    ).fetchone()
    if home is None:
        return cell
    sql = files("wangchuan.storage.postgres").joinpath("meaning.sql").read_text(encoding="utf-8")
    connection.execute(sql.replace("$HOME", home[0]).replace("$SCHEMA", SCHEMA))
    return replace(cell, compares=True)


def _begin(connection: Connection, partitions: int) -> Cell:
    connection.execute(
        "CREATE TABLE IF NOT EXISTS cell (version BIGINT NOT NULL, partitions BIGINT NOT NULL)"
    )
    connection.execute(
        "INSERT INTO cell SELECT 0, %s WHERE NOT EXISTS (SELECT 1 FROM cell)", (partitions,)
    )
    return _cell(connection)


def _cell(connection: Connection) -> Cell:
    row: Any = connection.execute(
        "SELECT version, partitions, EXISTS (SELECT 1 FROM pg_attribute"
        " WHERE attrelid = to_regclass('vectors') AND attname = 'meaning') FROM cell"
    ).fetchone()
    return Cell(*row)


def _refuse_newer(cell: Cell, newest: int, dsn: str) -> None:
    if cell.version > newest:
        raise NewerFormat(
            f"{shown(dsn)} has format {cell.version}, this version of Wangchuan knows up to"
            f" {newest}: upgrade Wangchuan. Nothing was changed."
        )


def _grow(connection: Connection, step: str, cell: Cell) -> None:
    connection.execute(step.replace("$AGENT", AGENT))
    for (table,) in _tables(connection):
        _part(connection, table, cell.partitions)
        _guard(connection, table)
    connection.execute(
        f"GRANT USAGE ON SCHEMA {SCHEMA} TO {SERVING};"
        f" GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {SCHEMA} TO {SERVING};"
        f" REVOKE INSERT, UPDATE, DELETE ON cell FROM {SERVING};"
        " UPDATE cell SET version = version + 1"
    )
    _hide_parts(connection)


def _hide_parts(connection: Connection) -> None:
    """Let those who serve reach the rows of a part by its table only, whose rules hold there."""
    found = "SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class ON oid = inhrelid"
    found += " WHERE relkind = 'r' AND relnamespace = %s::regnamespace"
    parts = ", ".join(name for (name,) in connection.execute(found, (SCHEMA,)).fetchall())
    connection.execute(f"REVOKE ALL ON {parts} FROM {SERVING}")


def _tables(connection: Connection) -> list[tuple[str]]:
    """Return the tables of agents' rows."""
    found: Any = connection.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = %s::regnamespace"
        " ORDER BY relname",
        (SCHEMA,),
    ).fetchall()
    return list(found)


def tables(connection: Connection) -> list[str]:
    """Return the names of the tables of agents' rows."""
    return [name for (name,) in _tables(connection)]


def _part(connection: Connection, table: str, partitions: int) -> None:
    for n in range(partitions):
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS {table}_{n:02} PARTITION OF {table}"
            f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {n})"
        )


def _guard(connection: Connection, table: str) -> None:
    """Let the database keep the rows of agents apart, also from the tables' owner."""
    connection.execute(
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;"
        f" ALTER TABLE {table} FORCE ROW LEVEL SECURITY;"
        f" DROP POLICY IF EXISTS own ON {table};"
        f" CREATE POLICY own ON {table} USING (agent = {AGENT}) WITH CHECK (agent = {AGENT})"
    )


def look(connection: Connection, dsn: str) -> Cell:
    """Return what a cell says of itself; raises StorageError unless it can be used as it is."""
    newest = len(migrations())
    try:
        cell = _cell(connection)
    except psycopg.errors.UndefinedTable as error:
        raise StorageError(_unseen(connection, dsn)) from error
    _refuse_newer(cell, newest, dsn)
    if cell.version < newest:
        raise StorageError(
            f"{shown(dsn)} has format {cell.version}, this version of Wangchuan needs {newest}: run"
            " `wangchuan cell upgrade` once, as its owner. Nothing was changed"
        )
    return cell


def _unseen(connection: Connection, dsn: str) -> str:
    """Return what to say of a database in which no cell is seen."""
    hidden = "SELECT current_user FROM pg_namespace WHERE nspname = %s"
    hidden += " AND NOT has_schema_privilege(oid, 'USAGE')"
    user = connection.execute(hidden, (SCHEMA,)).fetchone()
    if user:
        return f"{shown(dsn)}: {user[0]} may not use this cell: GRANT {SERVING} TO {user[0]}"
    return f"{shown(dsn)} holds no cell yet: run `wangchuan cell init` once, as its owner"
