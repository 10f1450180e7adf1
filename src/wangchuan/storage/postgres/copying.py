"""Where cells and files meet: an agent of a cell, copied into a database of SQLite.

Everything goes, the full text included. So a backup of an agent is a folder like any other, which
opens without a server. What is tried out apart from any memory is tried in SQLite's memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import psycopg

from wangchuan.errors import StorageError
from wangchuan.storage.files import make_file
from wangchuan.storage.sqlite.backend import SQLiteBackend
from wangchuan.storage.sqlite.functions import teach
from wangchuan.storage.sqlite.scratch import scratch
from wangchuan.storage.sqlite.store import SQLiteStore
from wangchuan.storage.store import Store

if TYPE_CHECKING:
    from wangchuan.storage.postgres.store import PostgresStore

__all__ = ["copy_into_file", "copy_into_folder", "scratch"]

FETCHED = 1000
FULL_TEXT = {
    "spoken": "spot",
    "kept": "n",
}  # tables of terms, and what their rows are told apart by
BUNDLES = "bundles"  # the table that SQLite keeps links in
TIED = """REPLACE INTO bundles (source, ties) VALUES (?1, tied(
    (SELECT ties FROM bundles WHERE source = ?1), json_array(json_array(?2, ?3, ?4, ?5))))"""
NUMBERS = {"nodes": "n", "undo": "op"}  # tables whose numbers are never used twice


def copy_into_folder(agent: str, store: Store, root: Path) -> Path | None:
    """Copy an open store to a folder below a root; None, copying nothing, if one is there."""
    target = SQLiteBackend(root)
    if target.exists(agent):
        return None
    with target.draft(agent) as draft:
        store.copy_to(draft.folder.database)
        return target.path(agent) if draft.settle() else None


def copy_into_file(store: PostgresStore, path: Path) -> None:
    """Copy a memory as it is at one moment into a file that is not there yet."""
    if path.exists():
        raise StorageError(f"cannot copy to {path}: there is a file already")
    try:
        make_file(path)
        SQLiteStore(path).close()
        with store.read() as tx:
            source: Any = tx._engine
            target = apsw.Connection(str(path))
            with target:
                _copy(source.connection, target)
            target.close()
    except (apsw.Error, psycopg.Error, OSError) as error:
        raise StorageError(f"cannot copy to {path}: {error}") from error


def _copy(source: psycopg.Connection[Any], target: apsw.Connection) -> None:
    found: list[Any] = target.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table'"
    ).fetchall()
    plain = [n for (n,) in found if not n.startswith(("sqlite_", BUNDLES, *FULL_TEXT))]
    for table in plain:
        columns = [row[1] for row in target.execute(f"PRAGMA table_info({table})")]
        named, places = ", ".join(columns), ", ".join("?" * len(columns))
        put = f"INSERT OR REPLACE INTO {table} ({named}) VALUES ({places})"
        _pour(source, f"SELECT {named} FROM {table}", target, put)
    teach(target)
    _pour(source, "SELECT source, target, strength, at_scan, relation FROM links", target, TIED)
    for table, key in FULL_TEXT.items():
        put = f"INSERT INTO {table} (rowid, terms) VALUES (?, ?)"
        _pour(source, f"SELECT {key}, terms FROM {table} ORDER BY {key}", target, put)
    for name, last in source.execute("SELECT name, last FROM counters").fetchall():
        target.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
        highest = f"SELECT max(?, coalesce(max({NUMBERS[name]}), 0)) FROM {name}"
        ((upto,),) = target.execute(highest, (last,))
        target.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, upto))


def _pour(source: psycopg.Connection[Any], get: str, target: apsw.Connection, put: str) -> None:
    source.execute(f"DECLARE poured CURSOR FOR {get}")
    while rows := source.execute(f"FETCH {FETCHED} FROM poured").fetchall():
        target.executemany(put, rows)
    source.execute("CLOSE poured")
