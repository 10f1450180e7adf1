"""Files, folders and copies: whole or not there."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest
from conftest import Open
from stage import PATIENCE, FakeClock
from transfer.packing import packed

from wangchuan import Closed, Host, Memory
from wangchuan.errors import InvalidInput, StorageError
from wangchuan.storage.sqlite.folder import FileLease, Folder


def test_a_path_and_a_stream_get_the_same_and_no_draft_stays(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    memory.remember("The gate is green.").result(PATIENCE)
    assert memory.flush(PATIENCE)
    stream = io.BytesIO()
    memory.export(stream)
    (tmp_path / "out").mkdir()
    memory.export(str(tmp_path / "out" / "a.jsonl"))
    assert (tmp_path / "out" / "a.jsonl").read_bytes() == stream.getvalue()
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_an_export_that_fails_leaves_the_former_one(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    path = tmp_path / "a.jsonl"
    path.write_text("the former one")
    with pytest.raises(InvalidInput, match="format must be one of jsonl, markdown, turtle"):
        memory.export(path, format="yaml")
    with memory._agent.store() as store, store.write() as tx:
        tx._engine.connection.execute(  # type: ignore[attr-defined]
            "INSERT INTO journal (at, passes, kind, detail) VALUES (1, 0, 'x', 'no json')"
        )
    with pytest.raises(StorageError, match="Expecting value"):
        memory.export(path)
    assert path.read_text() == "the former one"
    assert [entry.name for entry in tmp_path.iterdir() if "draft" in entry.name] == []


def test_a_place_that_cannot_be_written_is_named_as_it_was_given(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory()
    absent = tmp_path / "absent" / "a.jsonl"
    with pytest.raises(InvalidInput, match=r"there is no folder .*absent; make it first") as told:
        memory.export(absent)
    assert str(absent) in str(told.value)
    with pytest.raises(InvalidInput, match="is a folder; name a file in it"):
        memory.export(tmp_path)
    with pytest.raises(InvalidInput, match="too long"):
        memory.export("n" * 250 + ".jsonl")
    long = tmp_path / ("n" * 245 + ".jsonl")  # it fits, its draft does not
    with pytest.raises(StorageError, match=r"cannot write .*n\.jsonl: ") as told_long:
        memory.export(long)
    assert "draft" not in str(told_long.value)


def test_without_a_format_the_suffix_decides(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.remember("The gate is green.").result(PATIENCE)
    firsts = {}
    for name in ("a.md", "a.TTL", "a.jsonl", "a", "b.md"):
        form = "jsonl" if name == "b.md" else None  # a format that is named holds
        memory.export(tmp_path / name, format=form)
        firsts[name] = (tmp_path / name).read_text("utf-8")[0]
    assert firsts == {"a.md": "#", "a.TTL": "@", "a.jsonl": "{", "a": "{", "b.md": "{"}


def test_a_closed_memory_exports_nothing(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.close()
    with pytest.raises(Closed):
        memory.export(tmp_path / "x")
    with pytest.raises(Closed):
        memory.backup(tmp_path / "y")


def test_an_export_is_of_one_moment_and_in_nobodys_way(open_memory: Open) -> None:
    memory = open_memory()
    memory.remember("First.").result(PATIENCE)

    class Slow(io.BytesIO):
        def write(self, data: object) -> int:
            if not self.tell():  # while it is being written, others write and read
                memory.remember("Second.").result(PATIENCE)
                assert "Second." in memory.recall(["second"]).result(PATIENCE)
            return super().write(data)  # type: ignore[arg-type]

    stream = Slow()
    memory.export(stream)
    assert b"First." in stream.getvalue()
    assert b"Second." not in stream.getvalue()


def test_a_copy_of_a_memory_at_work_is_sound_and_opens_elsewhere(
    open_memory: Open, tmp_path: Path, clock: FakeClock
) -> None:
    memory = open_memory()
    stop = threading.Event()

    def talk() -> None:
        n = 0
        while not stop.is_set() and n < 300:
            n += 1
            memory.remember(f"Number {n}.").result(PATIENCE)

    thread = threading.Thread(target=talk)
    thread.start()
    memory.remember("The beginning.").result(PATIENCE)
    copies = [memory.backup(tmp_path / f"copy{n}") for n in range(3)]
    stop.set()
    thread.join()
    assert [copy.name for copy in copies] == ["agent_001"] * 3
    counts = []
    for copy in copies:
        with Memory.open("agent_001", root=copy.parent, clock=clock) as other:
            assert other.flush(PATIENCE)
            assert "The beginning." in [node.content for node in other.nodes()]
            with other._agent.store() as store:
                assert store.check() == []
                assert store._connections.writing.connection.pragma("journal_mode") == "wal"
            counts.append(other.stats().messages)
    assert counts == sorted(counts)


@pytest.mark.in_a_folder("it compares with the files of the folder that was copied")
def test_a_copy_holds_the_same_records(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.remember("The gate is green.").result(PATIENCE)
    assert memory.flush(PATIENCE)
    memory.backup(tmp_path / "copy")
    memory.close()
    assert packed(tmp_path / "copy") == packed(tmp_path / "memory_data")


@pytest.mark.in_a_folder("it copies over the folder that is copied")
def test_a_copy_never_overwrites(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.backup(tmp_path / "copy")
    for place in (tmp_path / "copy", tmp_path / "memory_data"):
        with pytest.raises(InvalidInput, match="holds a memory already"):
            memory.backup(place)


def test_an_import_wants_an_empty_agent_for_itself(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.remember("The gate is green.").result(PATIENCE)
    memory.export(tmp_path / "a.jsonl")
    with Host(tmp_path / "root") as host:
        with host.open("a"), pytest.raises(InvalidInput, match="is open; close it first"):
            host.import_("a", tmp_path / "a.jsonl")
        lease = FileLease(Folder(tmp_path / "root", "a"))
        assert lease.take()
        with pytest.raises(StorageError, match="another process works on"):
            host.import_("a", tmp_path / "a.jsonl")
        lease.give()
        assert host.import_("a", tmp_path / "a.jsonl")["message"] == 1
        with pytest.raises(InvalidInput, match="has memories already; import into a new"):
            host.import_("a", tmp_path / "a.jsonl")
    with pytest.raises(Closed):
        host.import_("b", tmp_path / "a.jsonl")


@pytest.mark.in_a_folder("it is about the files of a folder")
@pytest.mark.parametrize("name", ["memory.db", "memory.db-wal", "memory.db-shm", "alias"])
def test_a_file_of_an_open_memory_is_neither_imported_nor_overwritten(
    open_memory: Open, tmp_path: Path, name: str
) -> None:
    memory = open_memory()
    memory.remember("The gate is green.").result(PATIENCE)
    path = memory.path / name
    if name == "alias":
        path = tmp_path / "elsewhere.jsonl"
        path.hardlink_to(memory.path / "memory.db")
    before = path.stat().st_ino
    with Host(tmp_path / "other") as host:
        with pytest.raises(InvalidInput, match="belongs to a memory that is open"):
            host.import_("b", path)
        with pytest.raises(InvalidInput, match="belongs to a memory that is open"):
            memory.export(path)
    assert path.stat().st_ino == before
