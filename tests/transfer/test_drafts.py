"""Drafts: what is not finished is nobody's, and does not outlive its writer."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Open
from stage import PATIENCE
from transfer.packing import NAME, brought, packed

from wangchuan import Host, Memory
from wangchuan.errors import InvalidInput
from wangchuan.storage import files

TALK = """
import sys
from wangchuan import Memory
with Memory.open(sys.argv[2], root=sys.argv[1]) as memory:
    memory.remember("Said by another program.").result(60)
"""
DIE = """
import io, os, sys
from pathlib import Path
from wangchuan import Host, Memory
from wangchuan.storage.sqlite.backend import FolderDraft
from wangchuan.transfer import carrying

what, root, place = sys.argv[1:]

class Deadly(io.BytesIO):
    def __iter__(self):
        yield from []
        os._exit(9)

if what == "import":
    with Host(root) as host:
        host.import_("new", Deadly(Path(place).read_bytes()))
carrying.os.fsync = lambda _: os._exit(9)
FolderDraft.settle = lambda _: os._exit(9)
with Memory.open("agent_001", root=root) as memory:
    memory.export(place) if what == "export" else memory.backup(place)
"""


def run(script: str, *arguments: object) -> int:
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], timeout=PATIENCE)
    return done.returncode


@pytest.fixture
def told(open_memory: Open, tmp_path: Path) -> bytes:
    memory = open_memory()
    memory.remember("The gate is green.").result(PATIENCE)
    assert memory.flush(PATIENCE)
    memory.close()
    return packed(tmp_path / "memory_data")


class Slow(io.BytesIO):
    """A stream in the middle of which something happens."""

    def __init__(self, data: bytes, meanwhile: Callable[[], object]) -> None:
        super().__init__(data)
        self._meanwhile = meanwhile

    def __iter__(self) -> Iterator[bytes]:
        yield self.readline()
        self._meanwhile()
        while line := self.readline():
            yield line


@pytest.mark.in_a_folder("it is about drafts of files")
@pytest.mark.parametrize("ending", [b"no json\n", b""])
def test_an_import_leaves_what_another_program_remembered_meanwhile(
    tmp_path: Path, told: bytes, ending: bytes
) -> None:
    root = tmp_path / "root"
    stream = Slow(told + ending, lambda: run(TALK, root, "new"))
    fault = r"line \d+: not JSON" if ending else "was made by someone else meanwhile"
    with Host(root) as host:
        with pytest.raises(InvalidInput, match=fault):
            host.import_("new", stream)
        with host.open("new") as memory:
            assert [m.content for m in memory.look.working()] == ["Said by another program."]
    assert [entry.name for entry in root.iterdir()] == ["new"]


@pytest.mark.in_a_folder("it is about drafts of files")
def test_an_import_into_an_empty_agent_does_not_keep_others_from_writing(
    tmp_path: Path, told: bytes
) -> None:
    Memory.open("new", root=tmp_path).close()
    stream = Slow(told, lambda: run(TALK, tmp_path, "new"))
    with Host(tmp_path) as host:
        with pytest.raises(InvalidInput, match="has memories already"):
            host.import_("new", stream)
        with host.open("new") as memory:
            assert [m.content for m in memory.look.working()] == ["Said by another program."]


def test_a_backup_leaves_an_agent_that_appeared_meanwhile(
    open_memory: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, copy = open_memory(), tmp_path / "copy"
    with memory._agent.store() as store:
        whole = store.copy_to

        def slowly(path: Path) -> None:
            whole(path)
            assert run(TALK, copy, NAME) == 0

        monkeypatch.setattr(store, "copy_to", slowly)
        with pytest.raises(InvalidInput, match="holds a memory already"):
            memory.backup(copy)
    with Memory.open(NAME, root=copy) as other:
        assert [m.content for m in other.look.working()] == ["Said by another program."]
    assert [entry.name for entry in copy.iterdir()] == [NAME]


def drafts(folder: Path) -> list[str]:
    return [str(p.relative_to(folder)) for p in folder.rglob("*") if files.DRAFT in p.name]


@pytest.mark.in_a_folder("it is about drafts of files")
@pytest.mark.parametrize("what", ["export", "backup", "import"])
def test_what_a_killed_writer_left_goes_at_the_next_start(
    tmp_path: Path, told: bytes, what: str
) -> None:
    root, place = tmp_path / "memory_data", tmp_path / "elsewhere"
    if what == "import":
        place.write_bytes(told)
    assert run(DIE, what, root, place) == 9
    assert drafts(tmp_path)
    Memory.open(NAME, root=root).close()
    assert drafts(tmp_path) == []


def test_a_killed_export_is_removed_by_the_next_one_to_the_same_place(
    open_memory: Open, tmp_path: Path
) -> None:
    (tmp_path / ".a.jsonl.4711.draft").write_text("left by one who died")
    (tmp_path / ".other.4711.draft").write_text("not ours to judge")
    open_memory().export(tmp_path / "a.jsonl")
    assert [name for name in drafts(tmp_path) if "/" not in name] == [".other.4711.draft"]


def test_the_draft_of_a_living_writer_stays(tmp_path: Path) -> None:
    with files.draft_of(tmp_path / "x", tmp_path / "agent"):
        pass
    (tmp_path / "agent").mkdir()
    with files.draft_of(tmp_path / "x", tmp_path / "agent") as draft:
        draft.write_text("being written")
        assert files.tidy(tmp_path) == files.tidy(tmp_path / "agent") == 0
        assert draft.read_text() == "being written"
    assert [p.name for p in tmp_path.rglob("*")] == ["agent"]


def test_a_note_that_names_no_draft_removes_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / f"x{files.NOTED}").write_bytes(os.fsencode(tmp_path / "mine"))
    assert files.tidy(tmp_path) == 0
    assert (tmp_path / "mine").exists()


@pytest.mark.in_a_folder("it is about drafts of files")
@pytest.mark.parametrize("whole", [True, False])
def test_erasure_knows_drafts(open_memory: Open, tmp_path: Path, whole: bool) -> None:
    memory = open_memory()
    memory.remember("The gate is green.").result(PATIENCE)
    assert memory.flush(PATIENCE)
    elsewhere = tmp_path / ".out.jsonl.0123456789ab.draft"
    for path in (elsewhere, memory.path / "memory.db.4711.draft"):
        path.write_text("The gate is green.")
    (memory.path / f"77{files.NOTED}").write_bytes(os.fsencode(elsewhere))
    if whole:
        memory._host.erase(NAME)
    else:
        assert memory.erase(message_ids=["msg_1"]).remains == ()
    assert drafts(tmp_path) == []


@pytest.mark.in_a_folder("it is about drafts of files")
def test_an_agent_whose_name_ends_like_a_draft_is_none(tmp_path: Path, told: bytes) -> None:
    brought(tmp_path, told, None, "my.draft")  # type: ignore[arg-type]
    with Host(tmp_path) as host, host.open("my.draft") as memory:
        assert memory.stats().messages == 1
