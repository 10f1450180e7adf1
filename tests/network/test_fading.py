"""The numbers of fading, as worked out by hand (SPEC C1 and C2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.network.fading import (
    Fade,
    Rules,
    decayed,
    is_forgotten,
    is_protected,
    pass_of,
    scans_within,
    target_length,
    whole_characters,
)

RULES = Rules()


def life(length: int, strengths: list[float], rules: Rules = RULES) -> int | None:
    fade = Fade(strengths, length, length, rules)
    return fade.first(fade.forgets)


@pytest.mark.parametrize(
    ("scans", "left"),
    [
        (0, 0.5),
        (1, 0.485),
        (2, 0.47045),
        (3, 0.4563365),
        (5, 0.4293670128),
        (10, 0.3687120634),
        (20, 0.2718971715),
        (50, 0.1090326877),
        (75, 0.0509155072),
        (76, 0.0493880420),
        (128, 0.0101333254),
        (129, 0.0),
    ],
)
def test_a_link_of_one_half_decays_as_in_the_table(scans: int, left: float) -> None:
    assert decayed(0.5, scans, RULES) == pytest.approx(left, abs=1e-9)


@pytest.mark.parametrize(
    ("rate", "half", "full"), [(0.97, 129, 152), (0.95, 77, 90), (0.99, 390, 459)]
)
def test_links_break_at_the_decay_the_table_names(rate: float, half: int, full: int) -> None:
    rules = Rules(decay_rate=rate)
    for strength, breaks in ((0.5, half), (1.0, full)):
        assert decayed(strength, breaks - 1, rules) > 0
        assert decayed(strength, breaks, rules) == 0


def test_a_link_that_does_not_decay_never_breaks() -> None:
    assert decayed(0.5, 10**6, Rules(decay_rate=1.0)) == 0.5
    assert life(100, [0.5], Rules(decay_rate=1.0)) is None


def test_a_link_of_exactly_the_threshold_is_still_whole() -> None:
    assert decayed(0.01, 0, RULES) == 0.01


@pytest.mark.parametrize(
    ("length", "scan"),
    [
        (8, 1),
        (9, 1),
        (10, 2),
        (11, 5),
        (15, 15),
        (20, 24),
        (50, 54),
        (100, 77),
        (200, 100),
        (493, 129),
        (494, 130),
        (5000, 130),
    ],
)
def test_a_memory_on_one_link_of_one_half_is_forgotten_at_the_scan_of_the_table(
    length: int, scan: int
) -> None:
    assert life(length, [0.5]) == scan


def test_a_higher_threshold_forgets_earlier() -> None:
    assert life(100, [0.5], Rules(delete_threshold=10)) == 54


def test_lengths_follow_the_floor_sequence() -> None:
    fade = Fade([0.5], 100, 100, RULES)
    expected = [50, 48, 47, 45, 44, 42, 41, 40, 39, 38, 36, 35, 34, 33, 32, 31, 30, 29, 28, 28]
    assert [fade.limit(scan) for scan in range(1, 21)] == expected
    assert fade.limit(51) == 10
    assert fade.limit(76) == 5


def test_with_the_current_length_as_base_forgetting_is_sudden() -> None:
    fade = Fade([0.5], 100, 100, Rules(length_base="current"))
    assert [fade.limit(scan) for scan in range(1, 5)] == [50, 24, 11, 5]
    assert fade.first(fade.forgets) == 5


@pytest.mark.parametrize(
    ("links", "compressed", "forgotten"),
    [(1, 2, 100), (2, 24, 123), (3, 38, 136), (5, 54, 153), (10, 77, 153)],
)
def test_more_links_protect_longer(links: int, compressed: int, forgotten: int) -> None:
    fade = Fade([1.0] * links, 100, 100, RULES)
    assert fade.first(lambda scan: fade.limit(scan) < 100) == compressed
    assert fade.first(fade.forgets) == forgotten


def test_a_segment_inside_a_chain_is_protected_once_and_then_fades() -> None:
    fade = Fade([0.5, 0.5], 100, 100, RULES)
    assert fade.limit(1) == 100
    assert fade.limit(2) == 97
    assert fade.first(fade.forgets) == 100


def test_importance_of_one_protects_even_the_shortest_text() -> None:
    assert not is_forgotten(2.0, target_length(2.0, 3), RULES)
    assert not is_forgotten(1.0, target_length(1.0, 3), RULES)
    assert is_forgotten(0.999, target_length(0.999, 3), RULES)


def test_the_documents_sentences_fade_as_worked_out() -> None:
    assert whole_characters(target_length(0.5, len("我今天去了公园，看到了很多花。"))) == 7
    assert is_forgotten(0.5, target_length(0.5, len("然后去了图书馆。")), RULES)
    assert not is_forgotten(5 / 6, target_length(5 / 6, len("我喜欢吃苹果")), RULES)
    assert is_forgotten(0.83, target_length(0.83, len("我喜欢吃苹果")), RULES)


def test_sums_that_fall_short_by_rounding_still_count_as_one() -> None:
    assert sum([0.1] * 10) < 1
    assert is_protected(sum([0.1] * 10))
    assert not is_forgotten(0.5, 5.0 - 1e-12, RULES)


def test_importance_of_nothing_is_forgotten_at_once() -> None:
    assert life(100, []) == 1
    assert Fade([], 100, 100, RULES).importance(0) == 0


SCANS = {1: 1, 2: 2, 7: 7, 8: 9, 10: 11, 20: 27, 24: 35, 50: 117, 54: 137, 77: 309, 100: 657}
SCANS |= {129: 1637, 130: 1688, 152: 3332, 153: 3436}


@pytest.mark.parametrize(("scan", "passes"), SCANS.items())
def test_scans_become_rarer_as_in_the_table(scan: int, passes: int) -> None:
    assert pass_of(scan, RULES) == passes
    assert (scans_within(passes - 1, RULES), scans_within(passes, RULES)) == (scan - 1, scan)


def test_every_pass_is_a_scan_where_that_is_wanted_or_nothing_fades() -> None:
    for rules in (Rules(strategy="every"), Rules(decay_rate=1.0)):
        assert [pass_of(n, rules) for n in (0, 1, 500)] == [0, 1, 500]
        assert scans_within(500, rules) == 500


@given(st.integers(0, 2000), st.integers(0, 1000))
def test_a_link_made_late_holds_long(age: int, later: int) -> None:
    """0.5·(1 + t/c) / (1 + (t + d)/c) after d passes, to whole scans."""
    c = 1 / RULES.rarity
    scans = scans_within(age + later, RULES) - scans_within(age, RULES)
    left = decayed(0.5, scans, Rules(break_threshold=0.0))
    expected = 0.5 * (1 + age / c) / (1 + (age + later) / c)
    assert expected * 0.97**2 <= left <= expected / 0.97**2  # a scan more, or one less


@given(st.integers(0, 10**7), st.floats(0.01, 0.9999))
def test_passes_and_scans_are_told_from_one_another(passes: int, rate: float) -> None:
    rules = Rules(decay_rate=rate)
    scans = scans_within(passes, rules)
    assert pass_of(scans, rules) <= passes < pass_of(scans + 1, rules)
    assert 0 <= scans <= passes


@given(st.integers(0, 1 << 70), st.floats(1e-300, 1))
def test_no_number_of_passes_is_too_large(passes: int, rate: float) -> None:
    assert scans_within(passes, Rules(decay_rate=rate)) >= 0
    assert pass_of(passes, Rules(decay_rate=rate, strategy="scan")) >= 0


strengths = st.lists(st.floats(0.001, 1), max_size=12)


@given(strengths, st.floats(0.001, 1), st.integers(0, 300))
def test_another_link_never_lowers_importance(some: list[float], more: float, scans: int) -> None:
    less = Fade(some, 100, 100, RULES).importance(scans)
    assert Fade([*some, more], 100, 100, RULES).importance(scans) >= less - 1e-12


@given(strengths, st.integers(1, 400), st.floats(0.8, 0.999))
def test_what_happens_first_is_what_going_scan_by_scan_finds(
    some: list[float], length: int, rate: float
) -> None:
    rules = Rules(decay_rate=rate)
    fade = Fade(some, length, length, rules)
    found = fade.first(fade.forgets)
    left = list(some)
    for scan in range(1, 2000):
        importance = sum(s for s in left if s >= rules.break_threshold)
        if is_forgotten(importance, target_length(importance, length), rules):
            assert found == scan
            return
        left = [s * rate for s in left]
    assert found is None or found >= 2000


@given(strengths, st.integers(1, 400))
def test_a_text_never_grows_again(some: list[float], length: int) -> None:
    fade = Fade(some, length, length, RULES)
    limits = [fade.limit(scan) for scan in range(60)]
    assert limits == sorted(limits, reverse=True)
