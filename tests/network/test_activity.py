"""Activity: the formula by the figures worked out beforehand, and the states it leads to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan import InvalidInput, Settings
from wangchuan.network import activity
from wangchuan.network.activity import ACTIVE, COLD, DAY, HOUR, Coefficients, Signals
from wangchuan.settings.fields import load

NOW = 1_767_225_600.0
BY = Coefficients.of(Settings(theta_active=1.0, merge_max_degree=2))  # by the worked figures


def signals(
    counts: tuple[int, int, int, int] = (0, 0, 0, 0),
    accessed: float | None = None,
    linked: float | None = None,
    age: float = 0.0,
) -> Signals:
    """Signals with times given as seconds before now."""
    return Signals(
        *counts,
        created_at=NOW - age,
        last_accessed_at=None if accessed is None else NOW - accessed,
        last_linked_at=None if linked is None else NOW - linked,
    )


CASES = [
    (signals(), 0.0),
    (signals(accessed=0, linked=0), 2.5),
    (signals((3, 2, 10, 5), 24 * HOUR, 72 * HOUR, 30 * DAY), 7.195765),
    (signals((1, 1, 0, 0)), 1.247665),
    (signals(age=30 * DAY), -0.3),
    (signals((0, 0, 1, 0), 60 * DAY, None, 60 * DAY), 0.231777),
    (signals((10, 10, 100, 100), HOUR, HOUR, 90 * DAY), 15.071444),
    (signals((1, 1, 1, 0), 7 * DAY, 7 * DAY, 30 * DAY), 1.877781),
    (signals((5, 0, 0, 0), age=365 * DAY), -1.858241),
]


@pytest.mark.parametrize(("given_signals", "expected"), CASES)
def test_the_score_is_the_one_worked_out_by_hand(given_signals: Signals, expected: float) -> None:
    assert activity.score(given_signals, NOW, BY) == pytest.approx(expected, abs=5e-7)


def test_every_term_is_the_one_worked_out_by_hand() -> None:
    terms = activity.terms(CASES[2][0], NOW, BY)
    expected = [1.386294, 0.878890, 2.877474, 1.433408, 0.551819, 0.367879, -0.3]
    assert list(terms.values()) == pytest.approx(expected, abs=5e-7)
    assert sum(terms.values()) == activity.score(CASES[2][0], NOW, BY)


def test_an_isolated_memory_is_cold_on_day_three_and_deletable_on_day_84() -> None:
    days = {}
    for day in range(100):
        once = signals((0, 0, 1, 0), accessed=day * DAY, age=day * DAY)
        state = activity.state(activity.score(once, NOW, BY), BY)
        deletable = activity.is_deletable(once, NOW, BY)
        days.setdefault("deletable" if deletable else state, day)
    assert days == {ACTIVE: 0, COLD: 3, "deletable": 84}


def test_a_memory_that_others_lead_to_is_never_deletable() -> None:
    lonely_in, alone = signals((5, 0, 0, 0), age=365 * DAY), signals(age=365 * DAY)
    assert not activity.is_deletable(lonely_in, NOW, BY)
    assert activity.is_deletable(alone, NOW, BY)


def test_the_thresholds_themselves_are_active_and_deletable() -> None:
    assert activity.state(1.0, BY) == ACTIVE
    assert activity.state(1.0 - 1e-12, BY) == COLD
    free = replace(BY, activity_age=0)  # a score of exactly 0
    assert activity.is_deletable(signals(age=30 * DAY), NOW, free)
    assert not activity.is_deletable(signals(age=30 * DAY - 1), NOW, free)


def test_much_use_counts_little_more_than_some() -> None:
    def use(count: int) -> float:
        return activity.terms(signals((0, 0, count, 0)), NOW, BY)["access"]

    assert use(1) == pytest.approx(0.831777, abs=5e-7)
    assert use(1000) == pytest.approx(8.290506, abs=5e-7)
    assert use(10**18) < 60


counts = st.tuples(*[st.integers(-5, 10**18)] * 4)
spans = st.none() | st.floats(-1e9, 1e9)


@given(counts, spans, spans, st.floats(-1e9, 1e9))
def test_any_signals_give_a_finite_score_bounded_by_its_terms(
    given_counts: tuple[int, int, int, int],
    accessed: float | None,
    linked: float | None,
    age: float,
) -> None:
    terms = activity.terms(signals(given_counts, accessed, linked, age), NOW, BY)
    assert all(value >= 0 for name, value in terms.items() if name != "age")
    assert terms["recent_access"] <= 1.5
    assert terms["recent_link"] <= 1.0
    assert terms["age"] <= 0
    if age < 0:
        assert terms["age"] == 0  # a clock that went back makes nothing younger than new


@given(st.none() | st.floats(0, 1e9), st.floats(0, 1e8), st.floats(0, 1e8))
def test_without_use_activity_only_sinks(accessed: float | None, age: float, more: float) -> None:
    found = signals((2, 1, 3, 4), accessed, accessed, age)
    assert activity.score(found, NOW + more, BY) <= activity.score(found, NOW, BY)


@pytest.mark.parametrize(
    "wrong",
    [
        {"activity_access": float("nan")},
        {"activity_age": float("inf")},
        {"activity_in_degree": -1},
        {"activity_access_hours": 0},
        {"activity_link_hours": 0},
        {"activity_age_days": 0},
        {"theta_active": 0.0},
        {"theta_delete": 3.8},
        {"theta_delete": float("nan")},
        {"tick_hours": 5.9},
        {"tick_hours": 24.1},
        {"merge_overlap": 0},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        load(wrong)
