"""A folder that cannot be written can be read, and says so to whoever wants to write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from stage import PATIENCE, LineModel

from wangchuan import Memory
from wangchuan.errors import StorageError
from wangchuan.storage.sqlite.store import SQLiteStore

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="root gives up a right of Linux")
LOOKING = Path(__file__).with_name("looking_only.py")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A root with the folder of an agent that will be read-only; it can be removed afterwards."""
    where = tmp_path / "root"
    with Memory.open("a", root=where, model=LineModel()) as memory:
        memory.remember("The gate is green.").result(PATIENCE)
        assert memory.flush(PATIENCE)
    yield where
    lock(where / "a", 0o700, 0o600)


def lock(folder: Path, mode: int = 0o555, files: int = 0o444) -> None:
    folder.chmod(mode)
    for path in folder.iterdir():
        path.chmod(files)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_read_only_folder_is_read_and_nothing_in_it_changes(root: Path, tmp_path: Path) -> None:
    (root / "a" / "worker.lock").unlink(missing_ok=True)
    before = contents(root / "a")
    lock(root / "a")
    done = subprocess.run(
        [sys.executable, LOOKING, root, tmp_path], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    told, visit = done.stdout.split("\n", 1)
    found = json.loads(told)
    refused = found.pop("refused")
    assert "gate is green" in found.pop("recall")
    assert found == {
        "search": ["The gate is green."],
        "nodes": 1,
        "messages": 1,
        "flush": True,
        "doctor": [],
        "replay": [],
        "export": True,
        "backup": "a",
    }
    for name, error in refused.items():
        assert error.startswith("StorageError: "), name
        assert "is read-only: " in error, name
    assert "a: ok" in visit
    assert "is read-only" in " ".join(visit.split())
    assert done.stderr == ""
    assert contents(root / "a") == before
    with Memory.open("a", root=tmp_path / "copy") as copy:
        copy.remember("The door is red.").result(PATIENCE)


def test_an_older_format_that_cannot_be_brought_up_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(apsw.Connection(str(tmp_path / "memory.db"))) as connection:
        connection.pragma("user_version", 1)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StorageError, match="older format and read-only"):
        SQLiteStore(tmp_path / "memory.db")


def test_a_lease_that_cannot_be_tried_is_an_error_of_ours(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open("a", root=root, model=LineModel()) as memory:
        lease = memory._agent.backend.lease("a")

        def full() -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(lease._lock, "take", full)
        with pytest.raises(StorageError, match=r"cannot lock .*worker.lock: No space left"):
            lease.take()


@pytest.mark.parametrize("index", [True, False], ids=["with its index", "without"])
def test_the_log_that_a_killed_writer_left_is_read_or_refused(
    tmp_path: Path, *, index: bool
) -> None:
    with Memory.open("a", root=tmp_path / "live", model=LineModel()) as memory:
        memory.remember("The gate is green.").result(PATIENCE)
        assert memory.flush(PATIENCE)
        (tmp_path / "root").mkdir()
        subprocess.run(["cp", "-r", memory.path, tmp_path / "root"], check=True)  # as a kill leaves
    folder = tmp_path / "root" / "a"
    if not index:
        (folder / "memory.db-shm").unlink()
    assert (folder / "memory.db-wal").stat().st_size
    lock(folder)
    done = subprocess.run(
        [sys.executable, LOOKING, tmp_path / "root", tmp_path],
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    lock(folder, 0o700, 0o600)
    if index:
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[0])["search"] == ["The gate is green."]
    else:
        assert "StorageError" in done.stderr
        assert "was not closed, and is read-only" in done.stderr
