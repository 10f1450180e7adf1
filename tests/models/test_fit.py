"""What fitting a text to a length promises."""

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wangchuan.models.fit import fit
from wangchuan.models.language import _remembered, words

ZH = [
    "昨天",
    "讨论",
    "了",
    "登录模块",
    "的",
    "不",
    "喜欢",
    "，",
    "。",
    "；",
    "、",
    "《三体》",
    "（",
    "）",
    "“",
    "”",
]
EN = ["I", "moved", "to", "Berlin", "not", "really", "because", "v2.1", "https://a.b/c"]
ODD = [", ", ". ", "(", ")", '"', "\n", "😀", "e\u0301", "\ud800", "\x00", "  "]
PARTS = st.sampled_from([*ZH, *(word + " " for word in EN), *ODD])
TEXTS = st.lists(PARTS | st.characters(), max_size=60).map("".join)
CHINESE = "昨天讨论了用户系统的登录模块设计，决定采用JWT方案。"
ENGLISH = "I moved to Berlin last spring, and honestly the weather is really not that bad."


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def is_part(small: str, large: str) -> bool:
    """Tell whether the small string is left when characters are struck from the large."""
    rest = iter(large)
    return all(char in rest for char in small)


@pytest.mark.parametrize(
    ("text", "length", "expected"),
    [
        (CHINESE, 12, "决定采用JWT方案。"),
        (CHINESE, 9, "决定采用JWT方案"),
        (CHINESE, 21, "用户系统登录模块设计，决定采用JWT方案。"),
        (ENGLISH, 40, "I moved to Berlin last spring"),
        (ENGLISH, 20, "I moved to Berlin"),
        ("我对花生过敏，以后别给我点含花生的菜。", 9, "我对花生过敏"),
        ("他不喜欢喝咖啡，每天早上只喝绿茶。", 8, "他不喜欢喝咖啡"),
        ("嗯，其实我们决定搬家", 6, "我们决定搬家"),
        (
            "We use Docker. It is fine. We love Python and Postgres.",
            32,
            "We love Python and Postgres.",
        ),
    ],
)
def test_the_most_telling_words_stay(text: str, length: int, expected: str) -> None:
    assert fit(text, length) == expected


@pytest.mark.parametrize("text", [CHINESE, ENGLISH, "", "  a  ", "😀"])
def test_a_text_that_fits_is_unchanged(text: str) -> None:
    assert fit(text, len(text)) == text
    assert fit(text, len(text) + 1) == text


@pytest.mark.parametrize("length", [0, -1])
def test_no_room_leaves_nothing(length: int) -> None:
    assert fit(CHINESE, length) == ""


def test_a_denied_word_is_not_left_without_its_not() -> None:
    for text, not_, denied in [
        ("他从来不喜欢咖啡。", "不", "喜欢"),
        ("They do not smoke at home.", "not", "smoke"),
    ]:
        for length in range(1, len(text)):
            kept = fit(text, length)
            assert denied not in kept or not_ in kept


def test_where_no_unit_fits_the_most_telling_word_that_does_is_kept() -> None:
    assert fit("internationalization is fun in Rome", 6) == "Rome"


def test_where_no_word_fits_the_most_telling_is_cut() -> None:
    assert fit("internationalization", 5) == "inter"
    assert fit("e\u0301" * 5, 3) == "e\u0301"
    assert fit("。。。！！！", 2) == "。。"


def test_dropped_words_leave_a_space_between_latin_words_only() -> None:
    assert fit("讨论了登录模块", 6) == "讨论登录模块"
    assert fit("My dog really loves Rome", 18) == "My dog loves Rome"


def test_a_mark_that_separates_nothing_any_more_goes() -> None:
    assert fit("嗯，好吧，我们决定搬家", 6) == "我们决定搬家"


def test_brackets_stay_in_pairs() -> None:
    text = "昨天（在一个很远很远而且我完全记不清楚名字的海边小城市里）讨论了《三体》的登录模块设计"
    for length in range(1, len(text)):
        kept = fit(text, length)
        assert kept.count("（") == kept.count("）")
        assert kept.count("《") == kept.count("》")


@given(TEXTS, st.integers(-2, 80))
@settings(deadline=None, max_examples=300)
def test_the_length_is_always_met_and_the_rest_never_empty(text: str, length: int) -> None:
    kept = fit(text, length)
    assert len(kept) <= max(0, length) or kept == text
    assert bool(kept.strip()) == (length > 0 and bool(text.strip()))


@given(TEXTS, st.integers(1, 80))
@settings(deadline=None, max_examples=300)
def test_what_is_kept_comes_from_the_text_in_order(text: str, length: int) -> None:
    assert is_part(letters(fit(text, length)), letters(text))


@given(TEXTS, st.integers(1, 80), st.integers(0, 40))
@settings(deadline=None, max_examples=300)
def test_a_smaller_length_keeps_a_part_of_what_a_larger_one_keeps(
    text: str, length: int, more: int
) -> None:
    small, large = fit(text, length), fit(text, length + more)
    assume(len(words(small)) > 1)  # one word alone may be the one that fits where no unit does
    assert is_part(letters(small), letters(large))


@given(TEXTS, st.integers(1, 80))
@settings(deadline=None, max_examples=50)
def test_the_same_text_is_always_fitted_alike(text: str, length: int) -> None:
    first = fit(text, length)
    _remembered.cache_clear()
    assert fit(text, length) == first


@pytest.mark.parametrize("text", [CHINESE * 4000, ENGLISH * 1250, "a " * 50_000, "(" * 100_000])
def test_a_long_text_takes_no_more_than_its_share(text: str) -> None:
    began = time.perf_counter()
    assert 0 < len(fit(text, 1000)) <= 1000
    assert time.perf_counter() - began < 5
