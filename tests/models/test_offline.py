"""What the built-in model answers."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wangchuan.models.offline import OfflineModel
from wangchuan.models.seam import Ask

TEXTS = st.text(st.characters(), max_size=80)


def answer(routine: str, **data: Any) -> dict[str, Any]:
    return OfflineModel().complete(Ask(routine=routine, data=data))


def digested(*contents: str, focus: tuple[dict[str, Any], ...] = ()) -> list[dict[str, Any]]:
    messages = [{"role": "user", "content": content, "name": None} for content in contents]
    return answer("digest", messages=messages, focus=focus)["segments"]


def relation(text: str, *keywords: str) -> str:
    (segment,) = digested(text, focus=({"content": "", "keywords": list(keywords)},))
    return segment["relations"][0]


def test_it_has_a_name() -> None:
    assert OfflineModel().name == "offline"


def test_an_unknown_routine_is_refused_by_name() -> None:
    with pytest.raises(NotImplementedError, match="no routine 'dream'"):
        answer("dream")


def test_a_digest_cuts_messages_into_segments_that_know_their_message() -> None:
    found = digested("我今天去了公园。然后去了图书馆。", "  ", "I moved to Berlin.")
    assert [(item["message"], item["text"]) for item in found] == [
        (0, "我今天去了公园。"),
        (0, "然后去了图书馆。"),
        (2, "I moved to Berlin."),
    ]


def test_a_segment_has_a_phrase_and_keywords() -> None:
    (segment,) = digested("昨天讨论了用户系统的登录模块设计，决定采用JWT方案。")
    assert segment["phrase"] == "讨论了登录模块设计，决定采用JWT方案"
    assert segment["keywords"] == ["JWT方案", "登录模块设计", "用户系统"]
    assert segment["relations"] == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("登录模块用什么方案？", "询问"),
        ("你能帮我看看吗", "询问"),
        ("我们决定采用JWT", "决定"),
        ("因为预算不够", "原因"),
        ("不是周五而是周六", "更正"),
        ("但是服务器很贵", "转折"),
        ("比如苹果和香蕉", "举例"),
        ("我打算去杭州", "计划"),
        ("我很喜欢恐龙", "感受"),
        ("另外带上雨伞", "补充"),
        ("今天下雨", "提到"),
        ("How does the login work?", "question"),
        ("Let's go with JWT for login", "decision"),
        ("It failed because of the disk", "reason"),
        ("Actually it was Friday", "correction"),
        ("But the server is expensive", "contrast"),
        ("Fruit, for example apples", "example"),
        ("I plan to visit Rome", "plan"),
        ("She loves dinosaurs", "feeling"),
        ("It rained all day", "mention"),
    ],
)
def test_a_relation_is_named_by_what_the_segment_does(text: str, name: str) -> None:
    assert relation(text, "电影院") == name


def test_a_segment_without_a_cue_is_about_what_it_shares() -> None:
    assert relation("登录模块上线了", "登录模块") == "关于"
    assert relation("the LOGIN module is live", "login module") == "about"
    assert relation("登录模块上线了", "") == "提到"


def test_there_is_one_relation_for_each_focus_in_order() -> None:
    focus = tuple({"content": "x", "keywords": [word]} for word in ("猫", "杭州", "狗"))
    (segment,) = digested("杭州下雨了", focus=focus)
    assert segment["relations"] == ["提到", "关于", "提到"]


def test_a_compression_fits_and_keeps_the_keywords_still_there() -> None:
    text = "昨天讨论了用户系统的登录模块设计，决定采用JWT方案。"
    item = {"text": text, "length": 12, "keywords": ["jwt方案", "用户系统"]}
    assert answer("compress", texts=[item])["texts"] == [
        {"content": "决定采用JWT方案。", "phrase": "决定采用JWT方案。", "keywords": ["jwt方案"]}
    ]


def test_a_compression_that_lost_every_keyword_finds_its_own() -> None:
    item = {"text": "我今天去了公园。", "length": 20, "keywords": ["火锅"]}
    assert answer("compress", texts=[item])["texts"][0]["keywords"] == ["公园"]


@given(TEXTS, TEXTS, st.integers(1, 40))
@settings(max_examples=100)
def test_any_text_is_answered(text: str, other: str, length: int) -> None:
    focus = ({"content": other, "keywords": [other]},)
    for segment in digested(text, other, focus=focus):
        assert segment["text"]
        assert segment["phrase"]
        assert len(segment["relations"]) == 1
        assert segment["relations"][0]
    (fitted,) = answer("compress", texts=[{"text": text, "length": length, "keywords": []}])[
        "texts"
    ]
    assert len(fitted["content"]) <= length
