"""When two texts are related, in numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.language.terms import telling
from wangchuan.network.relating import COMMON, FLOOR, RAREST, relatedness, worth


def related(one: str, other: str) -> bool:
    here, there = telling(one), telling(other)
    return relatedness(here, there, {term: worth(2, 100) for term in {**here, **there}}) > 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("张伟负责支付接口，下周五联调。", "支付接口要换签名，张伟说的。"),
        ("服务器预算每月不能超过五千块。", "服务器预算快用完了。"),
        ("预算里服务器占多少？", "服务器预算每月不能超过五千块。"),
        ("Maria writes the onboarding guide.", "The onboarding guide needs screenshots."),
        ("The database backup fails on Sundays.", "Who looks after the database backup?"),
        ("The frontend of the shop uses React.", "The React bundle of the page is large."),
    ],
)
def test_what_shares_telling_words_is_related(one: str, other: str) -> None:
    assert related(one, other)
    assert related(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ok thanks", "ok thanks"),
        ("Good morning, Maria!", "Hey Maria, good morning!"),
        ("Well done, Maria.", "Maria writes the onboarding guide."),
        ("see you tomorrow", "see you tomorrow then"),
        ("好的，谢谢", "谢谢你"),
        ("明白，没问题。", "明白，日志九十天后删除。"),
        ("嗯嗯", "嗯嗯"),
        ("哈哈哈 太好笑了", "哈哈哈 真好笑"),
        ("记得那天我们谈了许多事情", "记得那天我们谈了许多事情"),
        ("The meeting was long.", "A long meeting again."),
    ],
)
def test_small_talk_is_related_to_nothing(one: str, other: str) -> None:
    assert not related(one, other)
    assert not related(other, one)


def test_the_worth_of_a_word() -> None:
    assert worth(0, 0) == RAREST  # log 500 is above it
    assert worth(9, 100) == pytest.approx(4.0943, abs=1e-4)  # log 60
    assert worth(29, 100) == 0.0  # log 20 is below COMMON
    assert worth(2, 100_000) == RAREST
    assert worth(6000, 100_000) == 0.0


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 1000))
def test_a_rarer_word_is_never_worth_less(holding: int, total: int, more: int) -> None:
    assert worth(holding + more, total) <= worth(holding, total)
    assert worth(holding, total) == 0.0 or COMMON <= worth(holding, total) <= RAREST


terms = st.sampled_from("abcdefgh")
texts = st.dictionaries(terms, st.sampled_from([0.7, 1.0]))


@given(texts, texts, st.dictionaries(terms, st.floats(0, 6)))
def test_it_is_mutual_and_nothing_below_the_floor(
    one: dict[str, float], other: dict[str, float], worths: dict[str, float]
) -> None:
    common = relatedness(one, other, worths)
    assert common == pytest.approx(relatedness(other, one, worths))
    assert common == 0.0 or common >= FLOOR
    assert common == 0.0 or min(len(one), len(other)) >= 2


def test_no_single_noun_relates_two_texts_however_rare_it_is() -> None:
    noun, name = {"x": 0.7, "y": 0.7, "z": 0.7}, {"x": 1.0, "p": 0.7, "q": 0.7}
    assert relatedness(noun, {"x": 0.7, "p": 0.7, "q": 0.7}, {"x": RAREST}) == 0.0
    assert relatedness(name, {"x": 1.0, "y": 0.7, "z": 0.7}, {"x": RAREST}) == RAREST
    assert relatedness(name, {"x": 1.0, "y": 0.7}, {"x": RAREST}) == 0.0  # it names too little
