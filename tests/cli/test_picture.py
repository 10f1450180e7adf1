"""Where things go in a picture, and what is written there."""

from __future__ import annotations

from itertools import pairwise
from math import hypot

from wangchuan.cli.layout import arranged
from wangchuan.cli.output import bar, one_line, size, visible


def test_no_two_dots_lie_on_each_other() -> None:
    ids = [f"mem_{n}" for n in range(80)]
    chain = [(a, b, 0.9) for a, b in pairwise(ids)]
    places = list(arranged(ids, chain, ids[:5]).values())
    nearest = min(hypot(x - u, y - v) for n, (x, y) in enumerate(places) for u, v in places[:n])
    assert nearest > 20


def test_a_layout_is_the_same_every_time_and_bears_the_smallest_networks() -> None:
    assert arranged(["a", "b"], [("a", "b", 1.0)], []) == arranged(
        ["a", "b"], [("a", "b", 1.0)], []
    )
    assert len(arranged(["a"], [], ["a"])) == 1
    assert arranged([], [], []) == {}


def test_linked_dots_lie_closer_than_the_same_dots_unlinked() -> None:
    ids = [f"mem_{n}" for n in range(40)]

    def distance(pairs: list[tuple[str, str, float]]) -> float:
        places = arranged(ids, pairs, [])
        (x, y), (u, v) = places["mem_0"], places["mem_39"]
        return hypot(x - u, y - v)

    assert distance([("mem_0", "mem_39", 1.0)]) < distance([]) * 0.8


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
