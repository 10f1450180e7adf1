"""Pages come back as they went in, and change only where they are changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebook.papers import desk_of, golden

from wangchuan.errors import StorageError
from wangchuan.notebook.pages import escaped, one_line, parsed, unescaped

MARKUP = st.text(alphabet="#\\ \t-:：x当前\n\r[]`\u2028😀", max_size=200)


@given(MARKUP | st.text(max_size=200))
def test_a_page_nobody_changed_is_written_back_byte_for_byte(text: str) -> None:
    assert parsed(text).text == text
    assert parsed("\ufeff" + text).text == "\ufeff" + text


@given(MARKUP)
def test_a_text_put_into_a_section_opens_no_other_and_comes_back(text: str) -> None:
    page = parsed("# T\n\n## A\n\n## B\nb\n").put("A", escaped("x " + text))
    assert [section.title for section in parsed(page.text).sections] == ["", "A", "B"]
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    assert unescaped(parsed(page.text).body("A")).rstrip() == ("x " + plain).rstrip()
    assert parsed(page.text).body("B") == ["b"]


def test_changing_a_section_touches_no_other_line() -> None:
    text = "\ufeff# T\r\n\r\n## A\r\nold\r\n\r\n\r\n## Mine\n  kept as it is \n\n## B\r\nlast"
    page = parsed(text).put("A", ["new", "lines"])
    assert page.text == text.replace("old\r\n", "new\r\nlines\r\n")
    assert page.put("A", ["new", "lines"]) is page


def test_a_section_that_is_not_there_is_added_after_a_blank_line() -> None:
    assert parsed("# T\n\n## A\na").put("B", ["b"]).text == "# T\n\n## A\na\n\n## B\nb\n"
    assert parsed("").put("B", ["b"]).text == "## B\nb\n"
    assert parsed("# T\r\n").put("B", ["b"]).text == "# T\r\n\r\n## B\r\nb\r\n"


def test_fields_are_changed_in_place_and_new_ones_follow_the_last() -> None:
    page = parsed("## S\n- 指令指针： 3\n* 阶段: x\nfree words\n- Owner: me\n")
    assert page.fields("S") == {"指令指针": "3", "阶段": "x", "Owner": "me"}
    changed = page.put_fields("S", {"指令指针": "4", "阶段": "x", "New": "1"})
    assert changed.text == "## S\n- 指令指针: 4\n* 阶段: x\nfree words\n- Owner: me\n- New: 1\n"


def test_every_golden_page_is_written_back_byte_for_byte() -> None:
    names = ("task_process", "task_begun", "task_stepped", "session", "compact_memory")
    for name in names:
        text = golden(name)
        for variant in (text, text.replace("\n", "\r\n"), "\ufeff" + text, text.rstrip("\n")):
            assert parsed(variant).text == variant


def test_one_line_is_one_line() -> None:
    assert one_line("  a\n\tb\u2028c ") == "a b c"


# the desk


def test_a_page_is_written_whole_and_leaves_no_draft(tmp_path: Path) -> None:
    desk, page = desk_of(tmp_path), tmp_path / "deep" / "er" / "page.md"
    desk.write(page, "one\r\n")
    assert page.read_bytes() == b"one\r\n"
    desk.write(page, "two")
    assert desk.read(page) == "two"
    assert [path.name for path in page.parent.iterdir()] == ["page.md"]


def test_a_page_is_created_only_where_there_is_none(tmp_path: Path) -> None:
    desk, page = desk_of(tmp_path), tmp_path / "p" / "page.md"
    assert desk.create(page, "first")
    assert not desk.create(page, "second")
    assert desk.read(page) == "first"


def test_what_a_killed_writer_left_behind_is_tidied_up(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    (tmp_path / ".agent_001.draft").write_text("half a pa", "utf-8")
    (tmp_path / ".other.draft").write_text("someone else's", "utf-8")
    desk.tidy(tmp_path, tmp_path / "nowhere")
    assert sorted(p.name for p in tmp_path.glob(".*.draft")) == [".other.draft"]


def test_a_page_that_is_a_link_stays_one(tmp_path: Path) -> None:
    kept = tmp_path / "elsewhere" / "kept.md"
    kept.parent.mkdir()
    kept.write_text("old", "utf-8")
    (tmp_path / "page.md").symlink_to(kept)
    desk_of(tmp_path).write(tmp_path / "page.md", "new")
    assert (tmp_path / "page.md").is_symlink()
    assert kept.read_text("utf-8") == "new"


def test_what_is_no_text_is_refused_in_words(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    (tmp_path / "page.md").write_bytes(b"ok\xff\x00")
    with pytest.raises(StorageError, match=r"page\.md is not text in UTF-8 \(byte 2\)"):
        desk.read(tmp_path / "page.md")
    with pytest.raises(StorageError, match="cannot read"):
        desk.read(tmp_path)
    with pytest.raises(StorageError, match="cannot write"):
        desk.write(tmp_path / "page.md" / "below.md", "x")
    assert desk.read(tmp_path / "missing.md") is None


def test_a_writer_waits_only_so_long_for_another(tmp_path: Path) -> None:
    from wangchuan.notebook.desk import Desk
    from wangchuan.storage.locks import FileLock

    desk = Desk("a", tmp_path / "a.lock", patience=0.05)
    with FileLock(tmp_path / "a.lock"), pytest.raises(StorageError, match=r"0\.05 seconds"):
        desk.write(tmp_path / "page.md", "x")


def test_lone_surrogates_are_written_as_what_can_be_read_again(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    desk.write(tmp_path / "page.md", "a\ud83dz😀")
    assert desk.read(tmp_path / "page.md") == "a\ufffdz😀"
