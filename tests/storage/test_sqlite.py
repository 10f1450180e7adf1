"""What is SQLite's own: the format, its migrations, and a disk that fails."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import apsw
import pytest
from faults.disk import faulty_disk
from stage import PATIENCE

from wangchuan import Memory, StorageError
from wangchuan.errors import NewerFormat
from wangchuan.storage.sqlite import schema
from wangchuan.storage.sqlite.store import SQLiteStore
from wangchuan.types import Message


def test_the_database_is_in_wal_mode_and_syncs_fully_by_default(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "memory.db")
    assert store._connections.writing.connection.pragma("journal_mode") == "wal"
    writer = store._connections.writing.connection
    for soft, level in ((False, 2), (True, 1), (False, 2)):
        with store.write(soft=soft):
            assert writer.pragma("synchronous") == level
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
        tx.meta.set("kept", "yes")
    schema.prepare(store._connections.writing.connection, path, steps)
    schema.prepare(store._connections.writing.connection, path, steps)
    rows = list(
        store._connections.writing.connection.execute(
            "SELECT value, note FROM meta WHERE key = 'kept'"
        )
    )
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
        schema.prepare(store._connections.writing.connection, path, steps)
    assert store._connections.writing.connection.pragma("user_version") == len(schema.migrations())
    assert not list(
        store._connections.writing.connection.execute(
            "SELECT 1 FROM sqlite_master WHERE name = 'half'"
        )
    )
    store.close()


def test_a_damaged_database_is_named_and_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "root" / "a"
    folder.mkdir(parents=True)
    (folder / "memory.db").write_bytes(b"this is not a database" * 100)
    with pytest.raises(StorageError, match=r"memory\.db"):
        Memory.open("a", root=tmp_path / "root")
    assert (folder / "memory.db").read_bytes() == b"this is not a database" * 100


def test_damage_that_only_we_notice_is_told_as_damage_and_known_to_the_doctor(
    tmp_path: Path,
) -> None:
    with Memory.open("a", root=tmp_path, settings={"durability": "normal"}) as memory:
        memory.remember("Anna moved to Berlin.").result(PATIENCE)
        assert memory.look.faults() == []
        with memory._agent.store() as store, store.write() as tx:
            tx._engine.connection.execute("UPDATE nodes SET sources = '[\"m' WHERE n = 1")  # type: ignore[attr-defined]
        for use in (memory.nodes, lambda: memory.export(tmp_path / "out.jsonl")):
            with pytest.raises(StorageError, match=r"cannot read .*memory\.db"):
                use()
        assert memory.look.faults() == ["memory.db: sources of nodes is no JSON, 1 times"]


def test_a_tick_under_way_is_no_damage(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "memory.db")
    with store.write() as tx:
        tx.jobs.progress(tx.jobs.add("tick", 1.0), "states 7")
    assert store.check() == []
    with store.write() as tx:
        tx.jobs.progress(tx.jobs.add("remember", 1.0), "states 7")
    assert store.check() == ["memory.db: progress of jobs is no JSON, 1 times"]
    store.close()


def test_an_error_within_a_transaction_is_damage_only_if_the_file_is_damaged(
    tmp_path: Path,
) -> None:
    store = SQLiteStore(tmp_path / "memory.db")
    for begin in (store.read, store.write, store.snapshot):
        with pytest.raises(IndexError, match="mine"), begin():
            raise IndexError("mine")
    with store.write() as tx:
        tx._engine.connection.execute(  # type: ignore[attr-defined]
            "INSERT INTO journal VALUES (1, 0, 0, 'made', NULL, '{')"
        )
    for begin in (store.read, store.write, store.snapshot):
        with pytest.raises(StorageError, match="no JSON"), begin():
            raise IndexError("mine")
    store.close()


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
            assert [m.content for m in tx.messages.between(1, 9)] == ["before", "after"]
        store.close()


def test_what_the_disk_did_not_sync_may_be_there_after_a_crash_and_the_error_says_so(
    tmp_path: Path,
) -> None:
    with faulty_disk() as disk:
        store = SQLiteStore(tmp_path / "memory.db")
        disk.fail("fsync", 1, lasting=True)
        with pytest.raises(StorageError, match="may have been stored"), store.write() as tx:
            tx.meta.set("said", "perhaps")
        disk.work()
        (tmp_path / "crashed").mkdir()
        for name in ("memory.db", "memory.db-wal"):  # what a crash would leave
            (tmp_path / "crashed" / name).write_bytes((tmp_path / name).read_bytes())
        crashed = SQLiteStore(tmp_path / "crashed" / "memory.db")
        with crashed.read() as tx:
            assert tx.meta.get("said") == "perhaps"
        crashed.close()
        with store.read() as tx:
            assert tx.meta.get("said") is None
        store.close()


def test_what_fails_before_it_is_made_durable_was_not_stored(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "memory.db")
    with pytest.raises(StorageError, match="nothing of this call was stored"), store.write() as tx:
        tx._engine.connection.execute(
            "INSERT INTO meta VALUES ('said', 'never'); SELECT * FROM nowhere"
        )
    with store.read() as tx:
        assert tx.meta.get("said") is None
    store.close()


def test_remember_raises_when_the_disk_does_not_sync(tmp_path: Path) -> None:
    with faulty_disk() as disk, Memory.open("a", root=tmp_path) as memory:
        memory.remember("before").result(PATIENCE)
        memory.flush(PATIENCE)
        disk.fail("fsync", 1, lasting=True)
        with pytest.raises(StorageError, match="may have been stored"):
            memory.remember("lost")
        disk.work()
        memory.remember("after").result(PATIENCE)
        assert [node.content for node in memory.nodes()] == ["before", "after"]


def test_a_check_beside_a_writer_takes_merged_full_text_for_no_damage(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "memory.db", durability="normal")
    for n in range(60):
        with store.write(soft=True) as tx:
            tx.index.add_fact(n + 1, [f"w{n % 7}", f"v{n}"])
        if n % 3 == 2:
            assert store.check() == []
    store.close()


def test_a_power_cut_after_a_scrub_brings_no_byte_back(tmp_path: Path) -> None:
    words = "The green gate hums at night."
    with faulty_disk(remembers=True) as disk:
        store = SQLiteStore(tmp_path / "memory.db")
        with store.write() as tx:
            tx.accept([Message("user", words)], 1.0, 10, [["gate"]])
        with store.write() as tx:
            tx.erase_message(tx.messages.of([1])[0])
            tx.clear_traces()
        store.scrub()
        cuts = [disk.cut(tmp_path, random.Random(seed)) for seed in range(30)]
        store.close()
    assert any("memory.db-wal" in left for left in cuts)
    assert not [name for left in cuts for name, text in left.items() if words.encode() in text]


def test_a_disk_that_fails_while_erased_bytes_are_looked_for_is_told_by_our_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise apsw.IOError("the disk does not answer")

    with Memory.open("a", root=tmp_path) as memory:
        (node,) = memory.remember("The code is 4711.").result(PATIENCE)
        monkeypatch.setattr("wangchuan.storage.sqlite.store.found_in", failing)
        with pytest.raises(StorageError, match="could not be looked for"):
            memory.erase(node)
        assert memory.look.node(node) is None


def test_a_trigger_that_is_damaged_is_found(tmp_path: Path) -> None:
    with Memory.open("a", root=tmp_path, settings={"durability": "normal"}) as memory:
        assert memory.look.faults() == []
    with apsw.Connection(str(tmp_path / "a" / "memory.db")) as connection:
        connection.pragma("writable_schema", 1)
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'UPDATE nodes', 'UPDATE nodxs')"
            " WHERE name = 'message_goes'"
        )
    connection.close()
    with Memory.open("a", root=tmp_path, settings={"durability": "normal"}) as memory:
        assert any("nodxs" in fault for fault in memory.look.faults())
