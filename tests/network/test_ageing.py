"""Days and what they do to facts and episodes: SPEC C9 to the digit, and what holds for all."""

from __future__ import annotations

import math
from datetime import datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.network.ageing import (
    DAY,
    INITIAL,
    KEPT,
    POLICIES,
    boosted,
    crosses_up,
    days_between,
    falls_below,
    is_gone,
    worn,
)

NOON = 1_767_225_600.0  # a moment in 2026
weights = st.floats(0.0, 5.0)
days = st.integers(0, 5000)
kinds = st.sampled_from(sorted(POLICIES))


# the table of C9


@pytest.mark.parametrize(
    ("day", "left"),
    [
        (0, 1.0),
        (6, 1.0),
        (7, 1.0),
        (8, 0.8),
        (9, 0.64),
        (10, 0.512),
        (11, 0.4096),
        (12, 0.32768),
        (13, 0.262144),
    ],
)
def test_an_episode_loses_a_fifth_a_day_after_the_seventh(day: int, left: float) -> None:
    assert worn("episode", 1.0, day) == pytest.approx(left, abs=1e-9)
    assert not is_gone("episode", 1.0, day)


def test_an_episode_is_gone_on_the_fourteenth_day_whatever_is_left_of_it() -> None:
    assert worn("episode", 1.0, 14) == pytest.approx(0.2097152, abs=1e-9)
    assert is_gone("episode", 1.0, 14)
    assert is_gone("episode", 2.9, 14)
    assert not is_gone("episode", 2.9, 13)


@pytest.mark.parametrize(
    ("day", "left"),
    [
        (7, 1.0),
        (8, 0.95),
        (14, 0.698337),
        (20, 0.513342),
        (21, 0.487675),
        (30, 0.307357),
        (31, 0.291989),
    ],
)
def test_a_fact_loses_a_twentieth_a_day_after_the_seventh(day: int, left: float) -> None:
    assert worn("fact", 1.0, day) == pytest.approx(left, abs=5e-7)


@pytest.mark.parametrize(
    ("weight", "review", "gone"), [(1.0, 21, 31), (1.5, 29, 39), (2.9, 42, 52), (0.5, 8, 17)]
)
def test_the_days_on_which_a_fact_is_reviewed_and_deleted(
    weight: float, review: int, gone: int
) -> None:
    fates = [falls_below("fact", weight, day) for day in range(200)]
    assert fates.index("review") == review
    assert fates.index("gone") == gone
    assert set(fates[:review]) == {None}
    assert set(fates[gone:]) == {"gone"}


def test_the_weights_at_which_a_new_fact_is_reviewed_and_deleted() -> None:
    assert worn("fact", INITIAL["fact"], 29) == pytest.approx(0.485300, abs=5e-7)
    assert worn("fact", INITIAL["fact"], 39) == pytest.approx(0.290567, abs=5e-7)


def test_a_kept_fact_falls_below_the_last_bound_ten_daily_steps_later() -> None:
    left = KEPT
    for _ in range(10):
        left *= 0.95
    assert left == pytest.approx(0.299368, abs=5e-7)
    assert worn("fact", KEPT, 17) == pytest.approx(left, abs=1e-12)
    assert falls_below("fact", KEPT, 7) is None  # exactly 0.5 is not below it
    assert falls_below("fact", KEPT, 16) == "review"
    assert falls_below("fact", KEPT, 17) == "gone"


def test_a_weight_of_three_never_wears_away() -> None:
    for kind in POLICIES:
        assert worn(kind, 3.0, 5000) == 3.0
        assert falls_below(kind, 3.0, 5000) is None
        assert not is_gone(kind, 3.0, 5000)
    assert worn("fact", 2.999999, 8) < 2.999999


@pytest.mark.parametrize("kind", ["core", "system"])
def test_core_and_system_memories_do_not_age_even_at_a_small_weight(kind: str) -> None:
    assert worn(kind, 0.1, 5000) == 0.1
    assert falls_below(kind, 0.1, 5000) is None
    assert not is_gone(kind, 0.1, 5000)


# uses


def test_four_uses_bring_a_new_fact_over_the_bound_for_promotion_and_a_fifth_protects_it() -> None:
    steps = [INITIAL["fact"]]
    for _ in range(5):
        steps.append(boosted(steps[-1]))
    assert steps == [1.5, 1.8, 2.1, 2.4, 2.7, 3.0]
    crossings = [crosses_up(before, after) for before, after in pairwise(steps)]
    assert crossings == [False, False, False, True, False]
    assert worn("fact", steps[-1], 5000) == 3.0


def test_tenths_that_floats_cannot_add_still_reach_the_bound() -> None:
    assert 1.9 + 0.3 + 0.3 < 2.5  # the trap
    once = boosted(1.9)
    assert (once, boosted(once)) == (2.2, 2.5)
    assert crosses_up(once, boosted(once))


def test_reaching_the_bound_exactly_crosses_it_and_starting_from_it_does_not() -> None:
    assert crosses_up(2.4, 2.5)
    assert not crosses_up(2.5, 2.8)
    assert not crosses_up(2.1, 2.4)


def test_ten_uses_add_up_to_exactly_three() -> None:
    weight = 0.0
    for _ in range(10):
        weight = boosted(weight)
    assert weight == 3.0


# days


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, 0),
        (DAY - 1, 0),
        (DAY, 1),
        (7 * DAY - 0.001, 6),
        (7 * DAY, 7),
        (14 * DAY - 0.001, 13),
        (14 * DAY, 14),
        (-1, 0),
        (-400 * DAY, 0),
    ],
)
def test_only_full_days_count_and_a_clock_that_went_back_counts_none(
    seconds: float, expected: int
) -> None:
    assert days_between(NOON, NOON + seconds) == expected


@pytest.mark.parametrize("month", [3, 10])  # an hour is missing, an hour comes twice
def test_a_day_has_24_hours_whatever_the_local_clock_does(month: int) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    before = datetime(2026, month, 20, 12, tzinfo=berlin).timestamp()
    assert [days_between(before, before + n * DAY) for n in range(15)] == list(range(15))
    after = datetime(2026, month, 27 if month == 3 else 24, 12, tzinfo=berlin).timestamp()
    assert days_between(before, after) == (7 if month == 3 else 4)
    later = datetime(2026, month, 29 if month == 3 else 25, 12, tzinfo=berlin).timestamp()
    assert days_between(before, later) == (8 if month == 3 else 5)  # 23 hours; 25 hours


@given(st.floats(2.0**30, 2e9), st.integers(0, 3650))
def test_whole_days_later_is_whole_days_later_at_any_fraction_of_a_second(
    at: float, count: int
) -> None:
    if at + count * DAY < 2.0**31:  # between 2004 and 2038 such a sum of floats loses nothing
        assert days_between(at, at + count * DAY) == count


@given(st.floats(0, 1e12), st.floats(0, 1e12))
def test_days_are_never_negative_and_one_direction_is_always_zero(a: float, b: float) -> None:
    assert days_between(a, b) >= 0
    assert 0 in (days_between(a, b), days_between(b, a))


# what holds for all numbers


@given(kinds, weights, days)
def test_days_only_take_away_and_never_below_nothing(kind: str, weight: float, day: int) -> None:
    left = worn(kind, weight, day)
    assert 0 <= left <= weight
    assert worn(kind, weight, day + 1) <= left
    if day <= 7:
        assert left == weight


@given(kinds, weights, weights, days)
def test_the_heavier_of_two_stays_the_heavier(kind: str, a: float, b: float, day: int) -> None:
    low, high = sorted((a, b))
    assert worn(kind, low, day) <= worn(kind, high, day)


@given(st.sampled_from(["fact", "episode"]), st.floats(0.0, 2.99), st.integers(7, 400))
def test_one_step_of_many_days_is_many_steps_of_one(kind: str, weight: float, day: int) -> None:
    factor = POLICIES[kind].factor
    assert factor is not None
    left = weight
    for _ in range(day - 7):
        left *= factor
    assert math.isclose(worn(kind, weight, day), left, rel_tol=1e-9, abs_tol=1e-12)


@given(st.floats(0.0, 2.99))
def test_every_unprotected_fact_falls_below_the_bounds_in_their_order(weight: float) -> None:
    fates = [falls_below("fact", weight, day) for day in range(60)]
    order = {None: 0, "review": 1, "gone": 2}
    ranks = [order[fate] for fate in fates]
    assert ranks == sorted(ranks)
    assert fates[-1] == "gone"


@given(weights)
def test_a_use_adds_the_same_to_every_weight_and_crosses_at_most_once(weight: float) -> None:
    assert boosted(weight) == pytest.approx(weight + 0.3, abs=1e-6)
    chain = [weight]
    for _ in range(20):
        chain.append(boosted(chain[-1]))
    crossed = sum(crosses_up(a, b) for a, b in pairwise(chain))
    assert crossed == (1 if weight < 2.5 else 0)
