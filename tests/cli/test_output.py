"""What is written to a terminal."""

from __future__ import annotations

from wangchuan.cli.output import bar, one_line, size, visible


def test_control_characters_are_written_out_and_lines_joined() -> None:
    assert visible("a\x1b[2Jb\u202ec\x9bd") == "a\\x1b[2Jb\\u202ec\\x9bd"
    assert one_line("one\ntwo\tthree") == "one ⏎ two three"
    assert visible("记忆 [red] ok\n") == "记忆 [red] ok\n"


def test_bars_show_that_little_is_more_than_nothing() -> None:
    assert bar(0.0) == "░" * 10
    assert bar(0.01) == "█" + "░" * 9
    assert bar(1.7) == "█" * 10


def test_sizes_are_told_in_their_unit() -> None:
    assert [size(n) for n in (0, 999, 1000, 12_345_678)] == ["0 B", "999 B", "1.0 KB", "12.3 MB"]
