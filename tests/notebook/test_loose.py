"""Loose pages: written against a version, done once, and whole after any death."""

from __future__ import annotations

from pathlib import Path

import pytest
from notebook.papers import desk_of

from wangchuan import InvalidInput, Memory
from wangchuan.errors import Conflict, StorageError
from wangchuan.notebook.loose import Change, Operation, Pages


def pages_of(folder: Path) -> Pages:
    return Pages(folder / "pages", folder / "pages.json", desk_of(folder))


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    return pages_of(tmp_path)


def test_a_page_is_written_against_the_version_that_was_read(pages: Pages) -> None:
    first = pages.write("notes/tea.md", "green", version=None)
    with pytest.raises(Conflict, match="read it again"):
        pages.write("notes/tea.md", "black", version=None)
    second = pages.write("notes/tea.md", "black", version=first.version)
    with pytest.raises(Conflict):
        pages.delete("notes/tea.md", version=first.version)
    assert second.existed
    found = pages.read("notes/tea.md")
    assert found is not None
    assert (found.text, found.version) == ("black", second.version)


def test_a_version_never_comes_again(pages: Pages) -> None:
    first = pages.write("a", "same")
    assert pages.delete("a", version=first.version) == Change(None, existed=True)
    assert pages.read("a") is None
    assert pages.write("a", "same", version=None).version != first.version


def test_an_operation_is_done_once_and_its_id_stands_for_one_change(pages: Pages) -> None:
    once = Operation("run-1:call-1", "write a one")
    first = pages.write("a", "one", version=None, operation=once)
    pages.write("a", "two")
    again = pages.write("a", "one", version=None, operation=once)
    assert (again.version, again.again) == (first.version, True)
    assert pages.done(once) == again
    assert (pages.read("a") or first).text == "two"  # type: ignore[union-attr]
    with pytest.raises(InvalidInput, match="another change"):
        pages.done(Operation("run-1:call-1", "delete a"))
    assert pages.done(Operation("run-1:call-2")) is None


def test_a_page_changed_by_hand_has_another_version(pages: Pages, tmp_path: Path) -> None:
    written = pages.write("a.md", "mine")
    (tmp_path / "pages" / "a.md").write_text("yours", "utf-8")
    found = pages.read("a.md")
    assert found is not None
    assert (found.text, found.version != written.version) == ("yours", True)
    with pytest.raises(Conflict):
        pages.write("a.md", "mine again", version=written.version)
    assert pages.write("a.md", "both", version=found.version).existed


@pytest.mark.parametrize("text", ["new", None])
def test_what_a_killed_writer_was_about_to_do_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    pages, operation = pages_of(tmp_path), Operation("op", "f")
    pages.write("deep/a", "old")
    with monkeypatch.context() as killing:
        killing.setattr(Pages, "_settle", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            pages._change("deep/a", text, "1", operation)
    later = pages_of(tmp_path)
    assert (tmp_path / "pages/deep/a").read_text("utf-8") == "old"
    assert [leaf and leaf.text for leaf in [later.read("deep/a")]] == [text]
    done = later.done(operation)
    assert done is not None
    assert done.again


def test_a_change_that_cannot_be_made_leaves_everything_as_it_was(pages: Pages) -> None:
    pages.write("a", "a page")
    before = pages.read("a")
    with pytest.raises(StorageError):
        pages.write("a/b", "below a page")
    assert pages.read("a") == before
    assert pages.paths() == ["a"]


@pytest.mark.parametrize(
    "path", ["../out", "/abs", "a//b", "a/../b", "", ".hidden", "a/.b", "a\x00b", "a\\b", "x" * 201]
)
def test_a_path_that_leads_elsewhere_is_refused(pages: Pages, path: str) -> None:
    with pytest.raises(InvalidInput, match="a page has a path"):
        pages.write(path, "text")


def test_nothing_is_removed_behind_a_link_that_leads_out(pages: Pages, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "theirs").write_text("theirs", "utf-8")
    pages = Pages(tmp_path / "pages", tmp_path / "pages.json", desk_of(tmp_path))
    pages._desk._home = tmp_path
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "x").symlink_to(outside)
    with pytest.raises(StorageError, match="leads out"):
        pages.delete("x/theirs")
    assert (outside / "theirs").read_text("utf-8") == "theirs"


def test_pages_are_found_by_their_words_in_both_languages(pages: Pages) -> None:
    pages.write("trips/lisbon.md", "Trams, and custard tarts.")
    pages.write("trips/kyoto.md", "寺庙很多，秋天最好。")
    pages.write("work/login.md", "We use JWT for the login.")
    assert [leaf.path for leaf in pages.search("custard tarts in Lisbon")] == ["trips/lisbon.md"]
    assert [leaf.path for leaf in pages.search("秋天的寺庙")] == ["trips/kyoto.md"]
    assert pages.search("login", prefix="trips/") == []
    (found,) = pages.search("JWT login")
    assert found.score == pytest.approx(1.0)


def test_pages_belong_to_the_full_notebook(tmp_path: Path) -> None:
    with Memory.open("a", root=tmp_path / "m", work_dir=tmp_path / "w", mode="full") as memory:
        memory.notebook.pages.write("用户/偏好.md", "茶。")
        assert memory.notebook.pages.paths() == ["用户/偏好.md"]
        assert (tmp_path / "w/.notes/a/pages/用户/偏好.md").read_text("utf-8") == "茶。"
    with (
        Memory.open("b", root=tmp_path / "m", work_dir=tmp_path / "w", mode="minimal") as memory,
        pytest.raises(InvalidInput, match="minimal mode has no pages"),
    ):
        _ = memory.notebook.pages
