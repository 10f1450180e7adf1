"""The terms by which a text is found: what is said and what is asked meet."""

from __future__ import annotations

import string
import threading

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wangchuan.language.terms import (
    LONGEST_TERM,
    LONGEST_TEXT,
    TWICE,
    _word,
    asked,
    indexed,
    terms,
)
from wangchuan.language.text import chinese_words
from wangchuan.language.words import ASKING, STOP_EN, STOP_ZH

UNUSABLE = set(string.whitespace + string.punctuation + "\0")


def meets(question: str, text: str) -> set[str]:
    """The terms by which a question finds a text."""
    return set(asked(question)) & set(indexed(text))


# Chinese


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("登录", "我们决定登录模块用 JWT"),
        ("火锅", "我喜欢吃火锅"),
        ("吃火锅", "周末的火锅真好"),
        ("市长", "南京市长江大桥"),
        ("大桥", "南京市长江大桥"),
        ("生活", "大学生活动中心"),
        ("学生", "大学生活动中心"),
        ("中心", "大学生活动中心"),
        ("上海", "我家在上海市"),
        ("上海市", "下个月搬去上海"),
        ("中国", "他在中国人民银行上班"),
        ("重要", "重要性"),
        ("时间", "时间戳不对"),
        ("中山", "中山公园的樱花开了"),
        ("小能", "新同事叫马小能"),
        ("李想", "李想说他要来"),
        ("煤球", "我们家的猫叫煤球"),
    ],
)
def test_a_word_of_two_characters_is_found_however_the_dictionary_cuts(
    question: str, text: str
) -> None:
    assert meets(question, text)


def test_the_dictionary_does_cut_otherwise() -> None:
    """Or the test above would show nothing."""
    assert "市长" not in chinese_words("南京市长江大桥")
    assert "上海" not in chinese_words("我家在上海市")
    assert "生活" not in chinese_words("大学生活动中心")


def test_words_come_before_pairs_and_neither_twice() -> None:
    assert terms("南京市长江大桥") == [
        *["南京市", "长江大桥"],
        *["南京", "京市", "市长", "长江", "江大", "大桥"],
    ]
    assert terms("登录") == ["登录"]


def test_a_word_of_one_character_is_a_term() -> None:
    assert terms("猫") == ["猫"]
    assert terms("猫，狗") == ["猫", "狗"]


@pytest.mark.parametrize("text", ["的", "我们", "了吗", "什么", "我的", "因为"])
def test_what_only_holds_a_chinese_sentence_together_is_no_term(text: str) -> None:
    assert terms(text) == []


def test_a_stop_word_beside_another_word_makes_no_pair() -> None:
    assert terms("去上海的") == ["上海"]
    assert terms("我在北京") == ["北京"]


# identifiers and other scripts


@pytest.mark.parametrize("question", ["A1234", "a1234", "Ａ１２３４", "订单", "发货", "订单A1234"])
def test_an_identifier_glued_to_chinese_is_found_and_so_is_what_it_is_glued_to(
    question: str,
) -> None:
    assert meets(question, "订单A1234已发货")


def test_what_stands_glued_together_is_cut_where_the_script_changes() -> None:
    assert terms("订单A1234已发货") == ["订单", "a1234", "已", "发货", "已发"]
    assert terms("用JWT登录") == ["用", "jwt", "登录"]


def test_kana_and_hangul_are_found_by_pairs() -> None:
    assert terms("カタカナ") == ["カタ", "タカ", "カナ"]
    assert terms("한국어") == ["한국", "국어"]
    assert meets("ラーメン", "昨日はラーメンを食べた")
    assert meets("서울", "나는 서울에 살아요")
    assert terms("ネ") == ["ネ"]


def test_half_width_kana_is_kana() -> None:
    assert terms("ﾗｰﾒﾝ") == terms("ラーメン")


@pytest.mark.parametrize("text", ["Привет", "Ωμεγα", "שלום", "مرحبا"])
def test_words_of_other_alphabets_are_whole(text: str) -> None:
    assert terms(text) == [text.casefold()]


def test_a_letter_and_its_accent_are_one_however_they_are_written() -> None:
    assert terms("cafe\u0301") == terms("café") == terms("cafe")


def test_full_width_is_plain() -> None:
    assert terms("ＪＷＴ　登录") == ["jwt", "登录"]


@pytest.mark.parametrize(("one", "other"), [("BERLIN", "berlin"), ("Straße", "STRASSE")])
def test_case_does_not_matter(one: str, other: str) -> None:
    assert terms(one) == terms(other)


# English


def test_english_is_found_by_its_stems_and_by_nothing_else() -> None:
    assert meets("running shoes", "She runs in a new shoe") == {"run", "shoe"}
    assert meets("running shoes", "She ran") == set()
    assert meets("policies", "a policy") == {"polici"}
    assert meets("car", "an automobile") == set()


def test_only_words_of_latin_letters_and_digits_are_stemmed() -> None:
    assert terms("Müllers cafés Приветы") == ["muller", "cafe", "приветы"]


@pytest.mark.parametrize("text", ["", " ", "the", "What did you do?", "I don't", "it's", "we'll"])
def test_what_only_holds_an_english_sentence_together_is_no_term(text: str) -> None:
    assert terms(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("O'Brien", ["o", "brien"]),
        ("D'Angelo's bike", ["angelo", "bike"]),
        ("L’Oréal", ["l", "oreal"]),
        ("Anna's", ["anna"]),
        ("Anna’s", ["anna"]),
        ("rock'n'roll", ["rock", "n", "roll"]),
        ("'quoted'", ["quot"]),
    ],
)
def test_an_apostrophe_ends_a_word_and_loses_no_name(text: str, found: list[str]) -> None:
    assert terms(text) == found


def test_figures_and_addresses_are_cut_at_every_sign() -> None:
    assert terms("3.14") == ["3", "14"]
    assert terms("foo_bar-baz") == ["foo", "bar", "baz"]
    assert meets("anna@example.com", "write to Anna@Example.COM") == {"anna", "exampl", "com"}


# asking


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Do you remember my dog?", ["dog"]),
        ("Tell me what we talked about: Berlin", ["berlin"]),
        ("你还记得我的生日吗", ["生日"]),
        ("我告诉过你我的电话吗", ["电话"]),
    ],
)
def test_the_words_by_which_people_ask_are_not_what_they_ask_for(
    question: str, left: list[str]
) -> None:
    assert asked(question) == left


def test_said_rather_than_asked_such_words_are_terms() -> None:
    assert "rememb" in terms("I remember the dog")
    assert "记得" in terms("我记得那条狗")


def test_a_question_has_each_term_once() -> None:
    assert asked("dog dogs DOG 狗 狗") == ["dog", "狗"]


# marks and bounds


def test_a_term_that_stands_twice_is_marked_once() -> None:
    assert indexed("dog cat dogs dog") == ["dog", "cat", "dog" + TWICE]
    assert indexed("dog cat") == ["dog", "cat"]
    assert indexed("火锅，火锅") == ["火锅", "火锅" + TWICE]


def test_nothing_that_is_said_looks_like_the_mark() -> None:
    assert indexed("dog² dog") == ["dog2", "dog"]
    assert all(not term.endswith(TWICE) for term in terms("x² ² ²² 登录²"))


def test_what_is_long_is_found_by_its_beginning() -> None:
    assert terms("x" * 1000) == ["x" * LONGEST_TERM]
    assert meets("x" * 500, "x" * 1000)
    assert terms("dog " + "." * LONGEST_TEXT + " cat") == ["dog"]


@pytest.mark.parametrize("animal", ["狗", "猫", "鸟", "鸡", "猪", "兔子"])
def test_an_animal_is_asked_for_by_what_it_is_called(animal: str) -> None:
    assert animal in asked(f"我的{animal}叫什么？")
    assert animal in terms(f"我有一只{animal}叫豆豆")


def test_knowing_something_is_not_what_is_asked_for() -> None:
    assert asked("What do you know about Fjordbank?") == ["fjordbank"]
    assert "know" in terms("I know Ada.")


def test_threads_do_not_disturb_one_another() -> None:
    words = [f"running{i} policies{i} 登录{i}" for i in range(300)]
    expected = [terms(text) for text in words]
    _word.cache_clear()
    found: list[list[list[str]]] = []
    threads = [
        threading.Thread(target=lambda: found.append([terms(text) for text in words]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


# properties

WORDS = st.sampled_from(
    [
        *[
            "订单",
            "A1234",
            "已发货",
            "的",
            "上海市",
            "カタカナ",
            "한국어",
            "・",
            "²",
            "ﬁ",
            "İ",
            "ß",
        ],
        *["running", "don't", "O'Brien", "'", "’", "3.14", "_", "😀", "\0", "\ud800", " "],
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=12).map("".join))


@settings(max_examples=400)
@given(TEXTS)
@example("\ud800\udfff")
@example("'s 't")
@example("ﷺ")
def test_any_text_has_terms_that_an_index_can_hold(text: str) -> None:
    for term in [*indexed(text), *asked(text)]:
        assert 0 < len(term.removesuffix(TWICE)) <= LONGEST_TERM
        assert not UNUSABLE & set(term)
        assert not any(character.isspace() for character in term)
        term.encode("utf-8")
        assert term == term.casefold()


@settings(max_examples=400)
@given(TEXTS)
def test_a_text_is_found_by_itself(text: str) -> None:
    said, question = terms(text), asked(text)
    assert set(question) <= set(said)
    assert question == list(dict.fromkeys(question))
    if not any(word in text.casefold() for word in ASKING):
        assert question == list(dict.fromkeys(said))


@settings(max_examples=200)
@given(TEXTS)
def test_what_is_indexed_is_what_stands_there(text: str) -> None:
    said = terms(text)
    twice = {term for term in said if said.count(term) > 1}
    assert indexed(text) == [
        *dict.fromkeys(said),
        *(f"{t}{TWICE}" for t in indexed(text) if t in twice),
    ]


@settings(max_examples=200)
@given(TEXTS)
def test_no_stop_word_is_a_term(text: str) -> None:
    assert not set(terms(text)) & STOP_ZH
    assert terms(" ".join([*STOP_EN, *STOP_ZH])) == []


@pytest.mark.parametrize(
    ("one", "other"), [("café", "cafe"), ("Zürich", "zurich"), ("Ночь", "ночь")]
)
def test_words_are_found_with_and_without_their_accents(one: str, other: str) -> None:
    assert asked(one) == asked(other) != []
