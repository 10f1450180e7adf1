"""What is SQLite's own: the format, its migrations, and a disk that fails."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import apsw
import pytest
from faults.disk import faulty_disk

from wangchuan import Memory, StorageError
from wangchuan.errors import NewerFormat
from wangchuan.storage import SQLiteStore, schema
from wangchuan.types import Message


def test_the_database_is_in_wal_mode_and_syncs_fully_by_default(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "memory.db")
    assert store._writer.pragma("journal_mode") == "wal"
    assert store._writer.pragma("synchronous") == 2
    with store.write(soft=True):
        assert store._writer.pragma("synchronous") == 1
    assert store._writer.pragma("synchronous") == 2
    store.close()


def test_a_newer_format_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    SQLiteStore(path).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NewerFormat, match="upgrade Wangchuan"):
        SQLiteStore(path)
    assert path.read_bytes() == before


def test_a_migration_runs_once_and_leaves_a_copy_of_what_was(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    steps = (*schema.migrations(), "ALTER TABLE meta ADD COLUMN note TEXT DEFAULT 'new'")
    store = SQLiteStore(path)
    with store.write() as tx:
        tx.set_meta("kept", "yes")
    schema.prepare(store._writer, path, steps)
    schema.prepare(store._writer, path, steps)
    rows = list(store._writer.execute("SELECT value, note FROM meta WHERE key = 'kept'"))
    assert rows == [("yes", "new")]
    store.close()
    copy = sqlite3.connect(path.with_name(f"memory.db.format{len(schema.migrations())}"))
    assert copy.execute("SELECT value FROM meta WHERE key = 'kept'").fetchall() == [("yes",)]
    copy.close()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SQLiteStore(path)
    steps = (*schema.migrations(), "CREATE TABLE half (x); CREATE TABLE meta (y)")
    with pytest.raises(StorageError, match="nothing was changed"):
        schema.prepare(store._writer, path, steps)
    assert store._writer.pragma("user_version") == len(schema.migrations())
    assert not list(store._writer.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'"))
    store.close()


def test_a_damaged_database_is_named_and_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "root" / "a"
    folder.mkdir(parents=True)
    (folder / "memory.db").write_bytes(b"this is not a database" * 100)
    with pytest.raises(StorageError, match=r"memory\.db"):
        Memory.open("a", root=tmp_path / "root")
    assert (folder / "memory.db").read_bytes() == b"this is not a database" * 100


def test_nothing_is_acknowledged_when_the_disk_does_not_sync(tmp_path: Path) -> None:
    with faulty_disk() as disk:
        store = SQLiteStore(tmp_path / "memory.db")
        with store.write() as tx:
            tx.accept([Message("user", "before")], 1.0, 10)
        disk.fail("fsync", 1, lasting=True)
        with pytest.raises(StorageError, match="does not answer"), store.write() as tx:
            tx.accept([Message("user", "lost")], 1.0, 10)
        disk.work()
        with store.write() as tx:
            tx.accept([Message("user", "after")], 1.0, 10)
            assert [m.content for m in tx.messages_between(1, 9)] == ["before", "after"]
        store.close()


def test_remember_raises_when_the_disk_does_not_sync(tmp_path: Path) -> None:
    with faulty_disk() as disk, Memory.open("a", root=tmp_path) as memory:
        memory.remember("before").result(10)
        memory.flush(10)
        disk.fail("fsync", 1, lasting=True)
        with pytest.raises(StorageError, match="nothing of this call was stored"):
            memory.remember("lost")
        disk.work()
        memory.remember("after").result(10)
        assert [node.content for node in memory.nodes()] == ["before", "after"]
