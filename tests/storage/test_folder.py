"""Agents' folders: which ids are taken, and that no two of them meet (SPEC X34, part D)."""

from __future__ import annotations

import json
import os
import random
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from stage import PATIENCE

from wangchuan import Host, InvalidInput, Memory, StorageError
from wangchuan.errors import NewerFormat, WrongAgent
from wangchuan.ids import checked_id
from wangchuan.storage.sqlite.folder import FileLease, Folder


@pytest.mark.parametrize(
    "agent_id",
    ["agent_001", "a", "小祥", "user@example.com", "v1.2-beta", "Zoë", "नमस्ते", "x" * 64],
)
def test_ordinary_ids_name_their_folder(tmp_path: Path, agent_id: str) -> None:
    folder = Folder(tmp_path, agent_id)
    folder.prepare(1)
    assert folder.path == tmp_path / agent_id
    folder.ready(1)
    assert json.loads((folder.path / "meta.json").read_text("utf-8")) == {
        "agent": agent_id,
        "format": 1,
    }


@pytest.mark.parametrize(
    "agent_id",
    [
        *["", " ", ".", "..", "../x", "a/b", "a\\b", "/etc", "C:x", "a\0b", "a\nb", "x" * 65],
        *["😀", "CON", "con.txt", "lpt1", "trailing.", "trailing ", ".hidden", "cafe\u0301"],
        *["a\u200bb", "\ud800", "a*b", "a?b", "a|b", "a%2Fb"],
        *[None, 5, b"a", ["a"], Path("a")],
    ],
)
def test_ids_that_could_leave_the_root_or_clash_are_refused(tmp_path: Path, agent_id: Any) -> None:
    with pytest.raises(InvalidInput, match="agent id"):
        Memory.open(agent_id, root=tmp_path / "root")
    assert not (tmp_path / "root").exists()


ALPHABETS = (
    "abcXYZ019",
    "aA._-@+",
    "a./\\:~% ",
    "é\u0301中ß\u200b\0😀",
    "".join(map(chr, range(0x20, 0x3000, 7))),
)


def test_no_generated_id_leaves_the_root_and_no_two_share_a_folder() -> None:
    chance, root = random.Random(20260103), Path("/srv/root")
    taken: dict[str, str] = {}
    for _ in range(100_000):
        alphabet = chance.choice(ALPHABETS)
        agent_id = "".join(chance.choices(alphabet, k=chance.randint(0, 12)))
        try:
            path = Folder(root, agent_id).path
        except InvalidInput:
            continue
        assert os.path.dirname(os.path.normpath(path)) == str(root)
        same_on_any_disk = unicodedata.normalize("NFC", str(path)).casefold()
        owner = taken.setdefault(same_on_any_disk, agent_id)
        assert owner.casefold() == agent_id.casefold()
        assert path.name == agent_id
    assert len(taken) > 10_000


def test_a_folder_of_another_agent_is_refused(tmp_path: Path) -> None:
    """As on a disk that does not tell "Agent" from "agent"."""
    folder = Folder(tmp_path, "agent")
    folder.prepare(1)
    folder.note(agent="Agent")
    with pytest.raises(WrongAgent, match="Agent"):
        Memory.open("agent", root=tmp_path)


def test_a_newer_folder_is_refused(tmp_path: Path) -> None:
    Folder(tmp_path, "a").prepare(1)
    Folder(tmp_path, "a").note(format=99)
    with pytest.raises(NewerFormat, match="upgrade Wangchuan"):
        Memory.open("a", root=tmp_path)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"format": "x"}', "null"])
def test_missing_or_damaged_notes_are_written_anew(tmp_path: Path, damage: str) -> None:
    Folder(tmp_path, "a").prepare(1)
    (tmp_path / "a" / "meta.json").write_text(damage, "utf-8")
    Memory.open("a", root=tmp_path).close()
    assert json.loads((tmp_path / "a" / "meta.json").read_text("utf-8"))["agent"] == "a"


def test_the_notes_tell_the_figures_after_closing(tmp_path: Path) -> None:
    with Memory.open("a", root=tmp_path) as memory:
        memory.remember("one thing to keep").result(PATIENCE)
    notes = json.loads((tmp_path / "a" / "meta.json").read_text("utf-8"))
    assert notes["passes"] == 1
    assert notes["counts"]["nodes"] == 1


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("in the way")
    with pytest.raises(StorageError, match="cannot make the folder"):
        Memory.open("a", root=tmp_path)


def test_a_link_out_of_the_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root" / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="leaves"):
        Memory.open("a", root=tmp_path / "root")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_one_lease_at_a_time(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "a")
    folder.prepare(1)
    first, second = FileLease(folder), FileLease(folder)
    assert first.take()
    assert not second.take()
    first.give()
    assert second.take()
    second.give()


def test_checking_returns_the_id_itself() -> None:
    assert checked_id("agent_001") == "agent_001"


def test_a_database_of_no_bytes_is_not_taken_for_an_empty_memory(tmp_path: Path) -> None:
    with Memory.open("a", root=tmp_path) as memory:
        memory.remember("The gate is green.").result(PATIENCE)
    database = tmp_path / "a" / "memory.db"
    copy = database.read_bytes()
    database.write_bytes(b"")
    with pytest.raises(StorageError, match=r"memory.db is empty \(0 bytes\), but meta.json"):
        Memory.open("a", root=tmp_path)
    with Host(tmp_path) as host, pytest.raises(StorageError, match="its content was lost"):
        host.stats("a")
    assert database.read_bytes() == b""
    database.write_bytes(copy)
    with Memory.open("a", root=tmp_path) as memory:
        assert memory.stats().messages == 1


def test_a_missing_database_is_not_taken_for_a_new_agent(tmp_path: Path) -> None:
    with Memory.open("a", root=tmp_path) as memory:
        memory.remember("The gate is green.").result(PATIENCE)
    database = tmp_path / "a" / "memory.db"
    database.rename(tmp_path / "kept.db")
    with pytest.raises(StorageError, match=r"memory.db is missing, but meta.json"):
        Memory.open("a", root=tmp_path)
    assert not database.exists()
    (tmp_path / "kept.db").rename(database)
    with Memory.open("a", root=tmp_path) as memory:
        assert memory.stats().messages == 1


def test_an_agent_whose_making_was_interrupted_is_made(tmp_path: Path) -> None:
    Folder(tmp_path, "a").prepare(1)
    (tmp_path / "a" / "memory.db").touch()
    with Memory.open("a", root=tmp_path) as memory:
        memory.remember("The gate is green.").result(PATIENCE)
