"""The statements in PostgreSQL's words, and a cell as a folder's database is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
from storage.contract.given import add, say
from storage.postgres import NONE, binaries

from wangchuan.errors import NewerFormat, StorageError
from wangchuan.storage.postgres import schema
from wangchuan.storage.postgres.backend import PostgresBackend
from wangchuan.storage.postgres.copying import BUNDLES
from wangchuan.storage.postgres.engine import statements
from wangchuan.storage.postgres.pool import SERVING, escaped, unescaped
from wangchuan.storage.postgres.schema import connected, tables
from wangchuan.storage.sqlite.functions import teach
from wangchuan.storage.sqlite.schema import grow, migrations
from wangchuan.storage.statements import queries

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)

FULL_TEXT = {"spoken", "kept"}  # SQLite's own kind of table; in a cell, tables like others
ONLY_CELL = {"counters", "spoken_postings", "kept_postings"}


def columns_in_sqlite() -> dict[str, set[str]]:
    connection = apsw.Connection(":memory:")
    teach(connection)
    grow(connection, migrations())
    listed = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
    names: Any = connection.execute(listed).fetchall()
    plain = [n for (n,) in names if not n.startswith(("sqlite_", BUNDLES, *FULL_TEXT))]
    return {
        name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")} for name in plain
    }


def named_in(sql: str) -> set[str]:
    return {name for name in re.findall(r"'[^']*'|:(\w+)", sql) if name}


def numbered(sql: str) -> str:
    """Return a statement with its parameters numbered, as PREPARE wants them."""
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", sql)))
    for n, name in enumerate(names, 1):
        sql = sql.replace(f"%({name})s", f"${n}")
    return sql.replace("%%", "%")


def test_a_cell_has_the_tables_and_columns_of_a_file(cell: str) -> None:
    with connected(cell) as connection:
        found = {
            table: {
                row[0]
                for row in connection.execute(
                    "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0",
                    (f"wangchuan.{table}",),
                )
            }
            for table in tables(connection)
        }
    assert all("agent" in columns for columns in found.values())
    own = {"agent", "meaning"}
    plain = {t: c - own for t, c in found.items() if t not in FULL_TEXT | ONLY_CELL}
    assert plain == columns_in_sqlite()


def test_every_statement_is_accepted_by_postgresql(cell: str) -> None:
    prepared = statements() | {"broken.one": "SELECT %(x)s FROM no_such_table"}
    refused = {}
    with connected(cell) as connection:
        connection.execute("SET search_path = wangchuan")
        for name, sql in prepared.items():
            try:
                connection.execute(f'PREPARE "{name}" AS {numbered(sql)}')
            except psycopg.Error as error:
                refused[name] = str(error)
    assert len(prepared) > 150
    assert 'relation "no_such_table" does not exist' in refused.pop("broken.one")
    assert refused == {}


def test_every_statement_has_a_text_for_both() -> None:
    assert set(queries("postgresql")) - set(queries("sqlite")) == {"vectors.nearest"}
    assert set(queries("sqlite")) <= set(queries("postgresql"))


def test_a_statement_takes_the_same_values_in_both() -> None:
    sqlite, postgresql = queries("sqlite"), queries("postgresql")
    differing = {n for n, sql in sqlite.items() if named_in(sql) != named_in(postgresql[n])}
    given = {"index.postings", "index.tagged", "index.facts_holding", "nodes.save"}
    assert differing == given  # what either needs


@pytest.mark.parametrize(
    "text", ["", "\0", "a\0b", "\U0010ffff", "\U0010ffff0\0\U0010ffff1\U0010ffff"]
)
def test_any_text_is_written_without_a_zero_and_read_as_it_was(text: str) -> None:
    assert "\0" not in escaped(text)
    assert unescaped(escaped(text)) == text


# apart


def serving(dsn: str, agent: int | None) -> psycopg.Connection[Any]:
    connection = psycopg.connect(dsn, autocommit=True)
    connection.execute(f"SET ROLE {SERVING}; SET search_path = wangchuan")
    if agent is not None:
        connection.execute("SELECT set_config('wc.agent', %s, false)", (str(agent),))
    return connection


def test_no_agent_sees_or_writes_anothers_rows(cell: str, tmp_path: Path) -> None:
    backend = PostgresBackend(cell, tmp_path)
    for name in ("apart_1", "apart_2"):
        with backend.open(name).write() as tx:
            say(tx, f"the secret of {name}", terms=[["secret", name]])
            add(tx, f"the secret of {name}")
    first, second = (backend._number(name) for name in ("apart_1", "apart_2"))
    with serving(cell, first) as connection:
        for table in tables(connection):
            rows = connection.execute(f"SELECT agent FROM {table}").fetchall()
            assert {agent for (agent,) in rows} <= {first}, table
        assert (
            connection.execute(
                "UPDATE nodes SET original = 'x' WHERE agent = %s", (second,)
            ).rowcount
            == 0
        )
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute(
                "INSERT INTO meta (agent, key, value) VALUES (%s, 'x', 'y')", (second,)
            )
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("UPDATE cell SET version = 0")
    with backend.open("apart_2").read() as tx:
        assert [m.content for m in tx.messages.between(1, 9)] == ["the secret of apart_2"]


def test_no_part_of_a_table_is_a_way_around_it(cell: str, tmp_path: Path) -> None:
    with PostgresBackend(cell, tmp_path).open("apart_3").write() as tx:
        say(tx, "a secret", terms=[["secret"]])
    parts = "SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class ON oid = inhrelid"
    with serving(cell, None) as connection:
        names = connection.execute(f"{parts} WHERE relkind = 'r'").fetchall()
        assert len(names) >= len(tables(connection))
        for (name,) in names:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT 1 FROM {name}")


def test_without_an_agent_nothing_is_seen(cell: str) -> None:
    with serving(cell, None) as connection, pytest.raises(psycopg.Error, match=r"wc\.agent"):
        connection.execute("SELECT * FROM messages")


def test_the_owner_of_the_tables_is_held_to_it_too(cell: str) -> None:
    with connected(cell) as connection:
        connection.execute("SET ROLE wangchuan_owner; SET search_path = wangchuan")
        with pytest.raises(psycopg.Error, match=r"wc\.agent"):
            connection.execute("SELECT * FROM messages")
        connection.execute("RESET ROLE")


# the format


def test_a_database_that_is_no_cell_is_told_of(database: str, cell: str, tmp_path: Path) -> None:
    with connected(database) as connection:
        connection.execute("CREATE DATABASE empty")
    empty = database.replace("/postgres?", "/empty?")
    with pytest.raises(StorageError, match="holds no cell yet: run `wangchuan cell init`"):
        PostgresBackend(empty, tmp_path).agents()
    steps = schema.migrations()
    with pytest.raises(StorageError, match="syntax error"):
        schema.make(empty, 1, (*steps, "CREATE TABLE half (n BIGINT); NONSENSE"))
    assert schema.make(empty).version == len(steps)  # what stood was kept, the half step was not
    with connected(empty) as connection:
        assert connection.execute("SELECT to_regclass('wangchuan.half')").fetchone() == (None,)
        connection.execute("UPDATE wangchuan.cell SET version = version - 1")
    with pytest.raises(StorageError, match="run `wangchuan cell upgrade`"):
        PostgresBackend(empty, tmp_path).agents()
    with connected(empty) as connection:
        connection.execute("UPDATE wangchuan.cell SET version = 99")
    with pytest.raises(NewerFormat, match="upgrade Wangchuan"):
        PostgresBackend(empty, tmp_path).agents()
    with pytest.raises(NewerFormat):
        schema.make(empty)
