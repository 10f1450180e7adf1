"""What reading a text promises: sentences, words, keywords and labels."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stage import in_proportion

from wangchuan.language.labels import holds, keywords, phrase
from wangchuan.language.text import language, segments, whole_characters, words

# Arbitrary text, lone surrogates and control characters included, with marks made likely.
LETTERS = st.characters() | st.sampled_from(
    "。！？；，、…“”（）.!?,;:\"' \n\t\x00\u200d\u0301一的我不aB1"
)
TEXTS = st.lists(
    LETTERS | st.sampled_from(["今天", "login ", "3.14", "👨‍👩‍👧", "```\n", "e.g. "])
).map("".join)
CONTROL = {chr(n) for n in (*range(0x09), *range(0x0E, 0x1C), 0x7F)}


def visible(text: str) -> str:
    return "".join(c for c in text if not c.isspace() and c not in CONTROL)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我们用 JWT 做 login", "zh"),
        ("我用React Native写app", "zh"),
        ("今天天气不错", "zh"),
        ("The word 你好 means hello", "en"),
        ("I moved to Berlin", "en"),
        ("看 https://example.com/a/b/c/d?e=f&g=h", "zh"),
        ("😀 123 !!", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_the_one_that_carries_the_text(text: str, expected: str) -> None:
    assert language(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "我今天去了公园，看到了很多花。然后去了图书馆。",
            ["我今天去了公园，看到了很多花。", "然后去了图书馆。"],
        ),
        (
            "你去哪里呀？我要去公园！第一步完成了；第二步",
            ["你去哪里呀？", "我要去公园！", "第一步完成了；第二步"],
        ),
        ("我不知道该怎么办……也许明天再说吧", ["我不知道该怎么办……", "也许明天再说吧"]),
        ("He left early. Nobody knew why!", ["He left early.", "Nobody knew why!"]),
        ("今天天气不错!我们去爬山吧?", ["今天天气不错!", "我们去爬山吧?"]),
        (
            "我们决定用 JWT. 然后部署到 AWS! Then we rest.",
            ["我们决定用 JWT.", "然后部署到 AWS!", "Then we rest."],
        ),
        ("first line here\nsecond line here", ["first line here", "second line here"]),
    ],
)
def test_every_sentence_is_a_piece(text: str, expected: list[str]) -> None:
    assert segments(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "See https://a.b/c?x=1.y for more",
        "Dr. Smith paid 3.14 dollars, e.g. in cash",
        "Version v2.1.0 broke bob@mail.example.com again",
        "the U.S. market is big",
        "Run `a. B. c! D` first of all",
        "- one item of a list",
        "1. Do this first",
        "```python\nx = 1.\ny = 2. Z\n```",
    ],
)
def test_what_belongs_together_is_not_cut_apart(text: str) -> None:
    assert segments(text) == [text]


def test_a_stop_after_an_address_still_ends_the_sentence() -> None:
    assert segments("See https://a.b/c?x=1. Next we go home.") == [
        "See https://a.b/c?x=1.",
        "Next we go home.",
    ]


def test_closing_quotes_and_brackets_stay_with_their_sentence() -> None:
    assert segments("他说：“我马上就来。”她点了点头。") == ["他说：“我马上就来。”", "她点了点头。"]
    assert segments('他说:"我就来。"她点了点头。') == ['他说:"我就来。"', "她点了点头。"]
    assert segments('他走远了。"快回来吧。"') == ["他走远了。", '"快回来吧。"']
    assert segments("（这里省略了。）后面还有内容。") == ["（这里省略了。）", "后面还有内容。"]


def test_a_fragment_joins_the_piece_after_it_or_the_one_before() -> None:
    assert segments("好的。我明天去北京出差。") == ["好的。我明天去北京出差。"]
    assert segments("OK. The deploy is done.") == ["OK. The deploy is done."]
    assert segments("我明天去北京出差。谢谢！") == ["我明天去北京出差。谢谢！"]
    assert segments("The deploy is done. 😀😀😀😀😀😀") == ["The deploy is done. 😀😀😀😀😀😀"]


def test_a_fragment_stays_alone_where_joining_would_break_the_limit() -> None:
    assert segments("好的。我明天去北京出差。", limit=10) == ["好的。", "我明天去北京出差。"]


@pytest.mark.parametrize("text", ["我爱你", "OK", "😀😀", "……", "?! ?!", "好。"])
def test_a_short_text_is_one_piece(text: str) -> None:
    assert segments(text) == [text]


@pytest.mark.parametrize("text", ["", " ", "\n\t \u3000", "\x00\x01"])
def test_a_text_of_nothing_has_no_pieces(text: str) -> None:
    assert segments(text) == []


def test_a_sentence_over_the_limit_is_cut_at_clause_marks() -> None:
    text = "我们需要调整参数并且增加监控，另外还要优化一下查询语句。"
    assert segments(text, limit=16) == [
        "我们需要调整参数并且增加监控，",
        "另外还要优化一下查询语句。",
    ]


def test_a_clause_over_the_limit_is_cut_between_words() -> None:
    assert segments("the quick brown fox jumps over", limit=12) == [
        "the quick",
        "brown fox",
        "jumps over",
    ]
    assert segments("系统性能瓶颈在数据库连接池", limit=8) == ["系统性能瓶颈在", "数据库连接池"]


def test_a_word_over_the_limit_is_cut_between_visible_characters() -> None:
    assert segments("a" * 25, limit=10) == ["a" * 10, "a" * 10, "a" * 5]
    family = "👨‍👩‍👧‍👦"
    assert segments(family * 3, limit=10) == [family] * 3
    assert segments("e\u0301" * 10, limit=5)[0] == "e\u0301" * 2


def test_a_limit_under_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        segments("a", limit=0)


@given(TEXTS, st.integers(1, 60))
@settings(max_examples=200)
def test_pieces_hold_every_visible_character_in_order(text: str, limit: int) -> None:
    assert visible("".join(segments(text, limit))) == visible(text)


@given(TEXTS, st.integers(1, 60))
@settings(max_examples=200)
def test_pieces_are_trimmed_and_within_the_limit(text: str, limit: int) -> None:
    for piece in segments(text, limit):
        assert 0 < len(piece) <= limit
        assert piece == piece.strip()


@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, "没有标点的文本" * 28_000, "He left early. " * 13_000, '"." ' * 50_000],
    ids=["one word", "no marks", "sentences", "stops and quotes"],
)
def test_a_long_text_takes_time_in_proportion(text: str) -> None:
    assert segments(text)
    assert in_proportion(lambda size: segments(text[:size]), len(text) // 4, len(text))


def test_a_cut_never_takes_more_than_it_may() -> None:
    assert whole_characters("abc", 5) == 3
    assert whole_characters("a\u0301b", 1) == 1
    assert whole_characters("xa\u0301b", 2) == 1
    assert whole_characters("x\ud83d\ude00", 2) == 1
    assert whole_characters("x🇩🇪", 2) == 1


@given(TEXTS)
@settings(max_examples=200)
def test_words_stand_where_they_say(text: str) -> None:
    end = 0
    for word in words(text):
        assert text[word.start : word.end] == word.text != ""
        assert word.start >= end
        assert 0 <= word.weight <= 1
        end = word.end


@pytest.mark.parametrize(
    "whole",
    [
        "user_id",
        "JWT",
        "v2.1",
        "AB-123",
        "a.b@mail.io",
        "https://a.b/c?x=1",
        "3.14",
        "10:30",
        "don't",
        "2025年3月15日",
        "一千二百三十四元五角六分",
        "下午三点半",
        "+44 20 7946 0958",
        "3 March 2025",
        "March 3rd, 2025",
        "$1,234.56",
        "10:30 am",
        "192.168.0.1",
        "v2.1.3",
        "-5",
        "at least 3",
        "two hundred and fifty",
    ],
)
def test_identifiers_numbers_and_addresses_are_one_word(whole: str) -> None:
    assert whole in [word.text for word in words(f"see {whole}, ok")]
    assert whole in [word.text for word in words(f"看{whole}，好")]


@pytest.mark.parametrize("text", ["我十分喜欢你", "有一个人", "一起去", "I like it a lot"])
def test_a_word_that_only_looks_like_a_number_is_none(text: str) -> None:
    assert "num" not in [word.tag for word in words(text)]


@pytest.mark.parametrize(
    ("text", "heavy", "light"),
    [
        ("我在北京的公司", "北京", "的"),
        ("他不喜欢了", "不", "了"),
        ("I went to Berlin", "Berlin", "to"),
        ("it is not the weather", "not", "is"),
        ("she really likes pizza", "pizza", "really"),
        ("数据库连接失败了", "数据库", "了"),
    ],
)
def test_telling_words_weigh_more(text: str, heavy: str, light: str) -> None:
    weights = {word.text: word.weight for word in words(text)}
    assert weights[heavy] >= 0.7 > 0.3 > weights[light]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "昨天讨论了用户系统的登录模块设计，决定采用JWT方案。",
            ["JWT方案", "登录模块设计", "用户系统"],
        ),
        ("最近在学习机器学习和深度学习", ["机器学习", "深度学习"]),
        ("小明昨天在北京吃了火锅", ["小明", "北京", "火锅"]),
        ("The login module fails when user_id is null", ["user_id", "login module", "null"]),
        ("I love the Golden Gate Bridge in San Francisco", ["Golden Gate Bridge", "San Francisco"]),
        ("Dr. Smith met Alice's manager", ["Dr. Smith", "Alice", "manager"]),
        ("他爱她", ["爱"]),
        ("他们在吃菜", ["菜"]),
        ("我推荐《复仇者联盟》和《长安三万里》", ["复仇者联盟", "长安三万里"]),
        ("谢谢你的建议", ["建议"]),
        ("张雅静是我的舅妈", ["张雅静", "舅妈"]),
        ("What's their name?", ["name"]),
        ("Lately I've been into chess", ["chess"]),
        ("", []),
        ("the of and", []),
    ],
)
def test_keywords_name_what_the_text_is_about(text: str, expected: list[str]) -> None:
    assert keywords(text) == expected


@pytest.mark.parametrize(
    "text",
    ["Noted.", "OK", "Got it, thanks!", "Sounds good!", "好的", "好的，明白了。", "收到", "谢谢你"],
)
def test_what_only_says_that_one_has_heard_names_nothing(text: str) -> None:
    assert keywords(text) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("我明白你的意思，就用周三那版合同", "明白"),
        ("那个人姓王，是做销售的", "人姓"),
        ("我们租了一台8核16G的服务器", "16G"),
        ("我会去听播客和音乐会", "我会"),
        ("张伟说这样被盗用的风险很大", "被盗"),
        ("我家的猫叫豆包", "猫叫"),
    ],
)
def test_what_is_no_noun_is_no_keyword(text: str, wrong: str) -> None:
    assert not any(wrong in word for word in keywords(text))


def test_a_keyword_is_named_once_however_it_is_spelled() -> None:
    assert keywords("Docker is slow because docker is old") == ["Docker"]


def test_a_keyword_is_held_as_whole_words() -> None:
    assert holds("The Login Modules fail", "login module")
    assert holds("采用JWT方案", "方案")
    assert holds("采用JWT方案", "jwt")
    assert not holds("an email arrived", "AI")
    assert not holds("anything", "")


def test_a_repeated_keyword_comes_first() -> None:
    assert keywords("the parser and the lexer, and again the lexer")[0] == "lexer"


@given(TEXTS, st.integers(0, 6))
@settings(max_examples=200)
def test_keywords_are_few_and_from_the_text(text: str, limit: int) -> None:
    found = keywords(text, limit)
    assert len(found) <= limit
    assert all(word and word in text for word in found)
    assert len({word.casefold() for word in found}) == len(found)


def test_a_short_text_is_its_own_phrase() -> None:
    assert phrase("  我爱你\n") == "我爱你"
    assert phrase("Fix the\nlogin module") == "Fix the login module"


@pytest.mark.parametrize(
    ("text", "shortest", "longest"),
    [
        ("因为预算不够，所以我们打算把上线时间推迟到2025年3月15日，等财务审批之后再说。", 10, 20),
        ("公司新来的产品经理叫王芳，她之前在阿里云做过三年的服务器部署工作。", 10, 20),
        ("I moved to Berlin last spring, and honestly the weather is really not that bad.", 15, 40),
    ],
)
def test_a_phrase_has_the_length_of_a_label(text: str, shortest: int, longest: int) -> None:
    assert shortest <= len(phrase(text)) <= longest


@pytest.mark.parametrize(
    "text",
    [
        "On 3 March 2025 at 10:30 am we will meet the whole family of Alice in the new office.",
        "13800138000是妈妈在杭州西湖区文三路新开的那家小书店的电话号码，请记下来。",
    ],
)
def test_a_phrase_names_something_where_the_text_does(text: str) -> None:
    assert any(word.weight >= 0.45 and word.tag != "num" for word in words(phrase(text)))


@given(TEXTS)
@settings(max_examples=200)
def test_a_phrase_is_one_short_line_and_never_lost(text: str) -> None:
    label = phrase(text)
    assert len(label) <= 40
    assert "\n" not in label
    assert bool(label) == bool(text.strip())


def test_threads_read_the_same_text_alike() -> None:
    texts = [f"第{n}次讨论了登录模块。Dr. Smith left at {n}. We slept." for n in range(200)]

    def read(text: str) -> object:
        return segments(text), words(text), keywords(text)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, texts)) == [read(text) for text in texts]
