"""No call, however hostile, raises anything but an error of ours, hangs, or breaks the memory."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile import Play, Sly, Stage, calls, sample, values
from soak.figures import figures
from stage import PATIENCE

from wangchuan import InvalidInput, Memory, StorageError
from wangchuan.notebook import desk

CALLS = 1_000_000 if os.environ.get("SOAK_HOSTILE") else 400  # `./run soak` makes all of them
# Everything at which str.splitlines() ends a line, and more.
BREAKS = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder so deep that `../../x` stays inside the test's own."""
    below = tmp_path / "a" / "b" / "c"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return tmp_path


@pytest.fixture
def paged(folder: Path) -> Iterator[Memory]:
    settings = {"durability": "normal"}
    work = folder / "work"
    work.mkdir()
    with Memory.open("a", root=folder / "data", settings=settings, work_dir=work) as memory:
        yield memory


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_hostile_calls_raise_errors_of_ours_and_leave_the_memory_sound(folder: Path) -> None:
    (folder / "places").mkdir()
    hostile = values(folder / "places")
    stage = Stage(folder)
    play = Play(stage, hostile)
    with figures("hostile calls of everything public") as told:
        for call in sample(calls(stage, hostile), CALLS):
            play.make(call)
        told |= {"how many": play.made, "corrupt": len(play.foreign)}
        assert play.foreign == []
        assert play.made >= 400
        assert stage.memory.flush(PATIENCE)
        (found,) = stage.memory.remember("Carla paints lighthouses.").result(PATIENCE)
        assert stage.memory.look.node(found) is not None
        assert stage.memory.look.faults() == []
        stage.close()


def test_places_budgets_and_counters_of_any_kind_are_refused_in_our_words(paged: Memory) -> None:
    with pytest.raises(InvalidInput, match="store must be text"):
        Memory.open("b", store=Sly())  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="agent id must be a string"):
        Memory.open(Sly())  # type: ignore[arg-type]
    paged.facts.add("The user sails.", kind="core")
    with pytest.raises(InvalidInput, match="counter must return a number"):
        paged.context("sailing", counter=dict).result(PATIENCE)  # type: ignore[arg-type]
    assert "sails" in paged.context("sailing", max_tokens=10**5000).result(PATIENCE)


def test_a_page_with_any_line_break_of_unicode_can_be_changed_again(paged: Memory) -> None:
    known = paged.notebook.knowledge
    for text in (BREAKS, f"{BREAKS}\n{BREAKS}", "plain"):
        known.write(text, author=f"an{BREAKS}na", reason=f"why{BREAKS}")
        assert known.read() == text
    assert known.version(1).text == BREAKS
    assert known.rollback(1).text == BREAKS
    assert f"-{BREAKS}" in known.diff(1, 3).split("\n")
    paged.notebook.task.begin(BREAKS, [BREAKS])
    paged.notebook.task.add("another")
    paged.notebook.write_world(BREAKS)
    assert paged.notebook.world == BREAKS


PAGES = ("task_process.md", "world_state.md", "agent_knowledge.md", "trials.json")


def doings(memory: Memory) -> dict[str, Any]:
    """A change of each page."""
    book = memory.notebook
    return {
        "task_process.md": lambda: book.task.add("more"),
        "world_state.md": lambda: book.write_world("a sunny day"),
        "agent_knowledge.md": lambda: book.knowledge.write("new", reason="why"),
        "trials.json": lambda: book.knowledge.trials.end("none"),
    }


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_is_a_link_out_of_the_folder_is_refused_untouched(
    paged: Memory, folder: Path, page: str
) -> None:
    change = doings(paged)[page]
    secret = folder / "bashrc"
    secret.write_text("export PATH\n")
    place = paged.notebook.path / ".notes" / "a" / page
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(secret)
    with pytest.raises(StorageError, match="leads out of"):
        change()
    assert secret.read_text() == "export PATH\n"


def test_folders_and_drafts_that_are_links_out_lead_nobody_out(paged: Memory, folder: Path) -> None:
    outside, secret = folder / "outside", folder / "bashrc"
    outside.mkdir()
    secret.write_text("export PATH\n")
    book = paged.notebook
    (book.path / ".sessions").symlink_to(outside)
    with pytest.raises(StorageError, match="leads out of"):
        book.end_session("asked", "answered")
    assert list(outside.iterdir()) == []
    notes = book.path / ".notes" / "a"
    notes.mkdir(parents=True)
    (notes / ".a.draft").symlink_to(secret)
    book.write_world("rain")
    assert book.world == "rain"
    assert secret.read_text() == "export PATH\n"


def test_a_link_that_stays_in_the_folder_is_followed(paged: Memory) -> None:
    book = paged.notebook
    notes = book.path / ".notes" / "a"
    notes.mkdir(parents=True)
    (notes / "world_state.md").symlink_to(book.path / "world.md")
    book.write_world("rain")
    assert (book.path / "world.md").read_text() == "rain\n"


@pytest.mark.parametrize("page", PAGES[:3])
@pytest.mark.parametrize("fault", ["folder", "pipe", "bytes", "loop", "large", "empty"])
def test_a_page_that_cannot_be_one_is_told_in_words_and_kept(
    paged: Memory, page: str, fault: str
) -> None:
    change = doings(paged)[page]
    place = paged.notebook.path / ".notes" / "a" / page
    place.parent.mkdir(parents=True, exist_ok=True)
    match fault:
        case "folder":
            place.mkdir()
        case "pipe":
            os.mkfifo(place)
        case "loop":
            place.symlink_to(place)
        case _:
            data = {"bytes": b"ok\xff", "large": b"", "empty": b""}[fault]
            place.write_bytes(data)
            os.truncate(place, 50_000_000 if fault == "large" else len(data))
    before = place.lstat()
    if fault == "empty" or (page == "world_state.md" and fault in ("bytes", "large")):
        change()  # there is nothing to keep, or the page is replaced whole
        return
    with pytest.raises(StorageError, match=page):
        change()
    assert place.lstat().st_ino == before.st_ino


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO, errno.EDQUOT])
def test_a_disk_that_refuses_leaves_every_page_as_it_was(
    paged: Memory, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    book = paged.notebook
    book.task.begin("goal", ["one"])
    book.write_world("rain")
    book.knowledge.write("old", reason="begun")
    before = {p: p.read_bytes() for p in (book.path / ".notes").rglob("*") if p.is_file()}

    def refuse(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(desk.os, "fsync", refuse)
    for change in list(doings(paged).values())[:3]:
        with pytest.raises(StorageError, match=os.strerror(code)):
            change()
    monkeypatch.undo()
    assert {p: p.read_bytes() for p in (book.path / ".notes").rglob("*") if p.is_file()} == before
    book.task.add("two")


def test_a_session_cannot_name_its_way_out_of_its_folder(paged: Memory) -> None:
    from wangchuan.notebook.sessions import Session

    book = paged.notebook
    written = book.sessions.write(Session("asked", "answered", stamp="../../x"), "../../y")
    assert (book.path / ".sessions" / f"{written.name}.md").is_file()
    assert book.sessions.read("../../x") is None


def test_an_export_never_replaces_what_is_no_file(paged: Memory, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for call in (paged.export, lambda p: paged._host.import_("b", p)):
        with pytest.raises(InvalidInput, match="is no file"):
            call(folder / "pipe")
    assert (folder / "pipe").is_fifo()
