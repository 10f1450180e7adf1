"""What is made here is for nobody else to read, whatever the umask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from stage import PATIENCE, FakeClock, LineModel

from wangchuan import Host, Memory
from wangchuan.storage import files
from wangchuan.storage.sqlite.schema import migrations, prepare

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@pytest.fixture(params=[0o022, 0o000], ids=["022", "000"])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    """What is open to others, by path."""
    return {
        str(path.relative_to(folder)): oct(path.stat().st_mode & 0o777)
        for path in folder.rglob("*")
        if path.stat().st_mode & 0o077
    }


@pytest.mark.usefixtures("umask")
def test_everything_that_is_made_is_private(tmp_path: Path) -> None:
    root, pages = tmp_path / "deep" / "root", tmp_path / "work" / "dir"
    memory = Memory.open("a", root=root, model=LineModel(), work_dir=pages, mode="full")
    memory.remember("The gate is green.").result(PATIENCE)
    book = memory.notebook
    book.task.begin("Paint the gate")
    book.knowledge.write("The gate is green.", reason="seen")
    book.write_world("The gate is green.")
    book.end_task()
    for name in ("a.jsonl", "a.md"):
        memory.export(tmp_path / name)
    memory.backup(tmp_path / "copy" / "there")
    assert modes(tmp_path) == {}  # with the log and its index
    assert (root / "a" / "memory.db-wal").exists()
    memory.close()
    with Host(root) as host:
        host.import_("b", tmp_path / "a.jsonl")
    made = {path.name for path in tmp_path.rglob("*")}
    assert {"memory.db", "meta.json", "worker.lock", "open.lock", "notebook.lock"} <= made
    assert {"agent_knowledge.md", "world_state.md", ".sessions", "there", "b"} <= made
    assert modes(tmp_path) == {}


@pytest.mark.usefixtures("umask")
def test_the_copy_a_migration_makes_is_private(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    for count in (len(migrations()) - 1, len(migrations())):
        connection = apsw.Connection(str(path))
        prepare(connection, path, migrations()[:count])
        connection.close()
    (copy,) = tmp_path.glob("memory.db.format*")
    assert copy.stat().st_mode & 0o777 == 0o600


def test_an_older_folder_is_tightened_and_what_others_share_is_left(tmp_path: Path) -> None:
    clock, root = FakeClock(), tmp_path / "root"
    Memory.open("a", root=root, clock=clock).close()
    shared = [root, tmp_path / "work"]
    shared[1].mkdir()
    for path in (*shared, root / "a"):
        path.chmod(0o755)
    for path in (root / "a").iterdir():
        path.chmod(0o644)
    with Memory.open("a", root=root, clock=clock, work_dir=shared[1]) as memory:
        memory.notebook.task.begin("Paint the gate")
        assert modes(root / "a") == {}
        assert (root / "a").stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in shared] == [0o755, 0o755]


def test_a_note_that_names_no_draft_of_ours_removes_nothing(tmp_path: Path) -> None:
    thesis, draft = tmp_path / "thesis.draft", tmp_path / ".out.0123456789ab.draft"
    (tmp_path / "agent").mkdir()
    for place, name in ((thesis, "x.draft-at"), (draft, "y.draft-at")):
        place.mkdir()
        (tmp_path / "agent" / name).write_text(str(place), "utf-8")
    assert files.tidy(tmp_path / "agent") == 1
    assert (thesis.exists(), draft.exists()) == (True, False)
