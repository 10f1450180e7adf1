"""The focus tables of SPEC C6."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.network.focus import attend

N6_NOT = ([5, 4, 3, 2, 1], [6], (), [6, 5, 4, 3, 2])
N6_MENTIONS_1_AND_3 = ([5, 4, 3, 2, 1], [6], (1, 3), [6, 3, 1, 5, 4])
SAME_AGAIN = ([5, 4, 3, 2, 1], [3], (), [3, 5, 4, 2, 1])
BATCH_OVER_LIMIT = ([1], [11, 12, 13, 14, 15, 16, 17], (), [17, 16, 15, 14, 13])


@pytest.mark.parametrize(
    ("focus", "fresh", "mentioned", "after"),
    [N6_NOT, N6_MENTIONS_1_AND_3, SAME_AGAIN, BATCH_OVER_LIMIT],
)
def test_the_newest_come_first_and_the_mentioned_move_up(
    focus: list[int], fresh: list[int], mentioned: tuple[int, ...], after: list[int]
) -> None:
    assert attend(focus, fresh, mentioned, 5) == after


def test_the_table_of_batches() -> None:
    focus: list[int] = []
    table = [
        ([1], [1]),
        ([21, 22], [22, 21, 1]),
        ([31, 32, 33], [33, 32, 31, 22, 21]),
        ([41], [41, 33, 32, 31, 22]),
        ([51, 52, 53, 54, 55, 56, 57], [57, 56, 55, 54, 53]),
    ]
    for batch, expected in table:
        focus = attend(focus, batch, (), 5)
        assert focus == expected


numbers = st.lists(st.integers(1, 30), max_size=8, unique=True)


@given(numbers, st.lists(st.integers(1, 30), max_size=8), numbers, st.integers(1, 7))
def test_the_focus_is_short_unique_and_starts_with_what_is_new(
    focus: list[int], fresh: list[int], mentioned: list[int], limit: int
) -> None:
    after = attend(focus, fresh, mentioned, limit)
    assert len(after) == len(set(after)) <= limit
    assert set(after) <= {*focus, *fresh}
    if fresh:
        assert after[0] == fresh[-1]
