"""Any text is a question: no query breaks search, and none reaches the database as a command."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from meanings import Concepts
from soak.figures import figures, size
from stage import PATIENCE, FakeClock, LineModel, snapshot

from wangchuan import Hit, Memory
from wangchuan.finding.query import KINDS, Query
from wangchuan.finding.search import Search

QUERIES = size("QUERIES", 500)

SYNTAX = [
    *['"', '""', '"""', "'", "''", "`", "*", "a*", "^a", "+", "-", "-a", "(", ")", "((", "))"],
    *["{", "}", "[", "]", ":", "terms:", "spoken:", "{terms}:", "-terms:", "rowid:", "rank"],
    *["AND", "OR", "NOT", "NEAR", "NEAR(", "NEAR(a b, 5)", "a AND", "NOT a", "a OR OR b", "and"],
    *["; DROP TABLE nodes; --", "' OR 1=1 --", '" OR "" = "', "SELECT * FROM messages", "?", ":a"],
    *["@x", "$1", "?1", "%", "_", "\\", "\\\\", "/*", "*/", "--", "||", "&&", "x'00'", "0x10"],
    *["$node", "$t.node", "{0}", "%s", "${x}", "<b>", "</b>", "\r\n", "\t", " ", "\u3000"],
]
ODD = [
    *["\0", "a\0b", "\ud800", "\udfff\ud800", "\ufffd", "\ufeff", "\u200b", "\u200d", "\u202e"],
    *["😀", "👨‍👩‍👧", "🇩🇪", "é", "e\u0301", "ﬁ", "İ", "ß", "ſ", "²", "①", "㊗", "ﷺ", "Ǆ", "‱"],
    *["𝐁𝐨𝐥𝐝", "ｆｕｌｌ", "ﾗｰﾒﾝ", "한국어", "עברית", "العربية", "नमस्ते", "ไทย", "𠮷野", "〇", "々"],
    *["9" * 400, "a" * 5000, "的" * 3000, "x'" * 500, "( " * 2000, "猫" * 70, "é" * 999],
]
PLAIN = [
    *[
        "dog",
        "Biscuit",
        "Berlin",
        "Anna",
        "登录",
        "猫",
        "订单A1234",
        "上海",
        "火锅",
        "JWT",
        "running",
    ],
    *["昨天", "last Friday", "5月3号", "two weeks ago", "2026-13-45", "32nd May", "明年", "since"],
    *["前天的前天", "the 0th of", "in 99999 years", "1e999 days ago", "二〇二六年", "周八", "noon"],
]
PIECES = [*SYNTAX, *ODD, *PLAIN]
SAID = [
    "Anna moved to Berlin last spring and works at a bank",
    "We adopted a beagle called Biscuit from the shelter",
    "我养了一只橘猫，名字叫土豆",
    "订单A1234已发货，预计周五送到",
    "公司决定登录模块改用 JWT",
    "周末在上海吃了火锅",
    'NEAR(the dog, running) AND NOT terms:cat* OR "x" -- \' ; \0 \ud800 😀',
    "of the and",
    "",
]
NAMES = [None, "Anna", "小祥", 'NEAR("', "*", "OR", "😀", " ", "的", "\0"]

Ask = Callable[..., list[Hit]]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """A function that searches one memory in which much was said, forgotten and faded."""
    clock, root = FakeClock(), tmp_path_factory.mktemp("fuzz")
    rules = {"learn": False, "strategy": "every", "decay_rate": 0.9, "durability": "normal"}
    memory = Memory.open(
        "a", root=root, settings=rules, model=LineModel(), embedder=Concepts(), clock=clock
    )
    for n in range(40):
        clock.now += 9000
        said = [
            {"role": "user", "content": f"{text} no{n}", "name": NAMES[(n + k) % len(NAMES)]}
            for k, text in enumerate(SAID)
        ]
        memory.remember(said)
    assert memory.flush(PATIENCE)
    assert memory.stats().forgotten > 10
    before = snapshot(memory)
    lens, vectors = memory._agent.living.lens, memory._agent.vectors
    assert vectors is not None
    with memory._agent.store() as store:

        def ask(text: str, *, meaning: bool = False, **options: Any) -> list[Hit]:
            defaults = dict.fromkeys(("kinds", "since", "until"))
            query = Query.of(
                text, clock.now, **{"limit": 10, "forgotten": False, **defaults, **options}
            )
            with store.read(long=True) as tx:
                return Search(tx, lens, query, vectors.nearest if meaning else None).hits()

        yield ask
    assert snapshot(memory) == before
    memory.close()


def check(hits: list[Hit], limit: int, forgotten: bool) -> None:
    """Whatever was asked, an answer is one."""
    assert len(hits) <= limit
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    messages = [hit.sources[0].id for hit in hits]
    assert len(set(messages)) == len(messages)
    for hit in hits:
        assert hit.score > 0
        assert sum(hit.terms.values()) == pytest.approx(hit.score)
        assert hit.sources[0].content
        assert forgotten or hit.lost is None


TEXTS = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=6).map("".join),
    st.lists(st.one_of(st.text(max_size=5), st.sampled_from(PIECES)), max_size=8).map("".join),
)
TIMES = st.one_of(st.none(), st.floats(allow_nan=False), st.integers(-(10**12), 10**12))


@settings(max_examples=400)
@given(
    TEXTS, st.integers(0, 30), st.booleans(), st.booleans(), st.sets(st.sampled_from(KINDS)), TIMES
)
@example('NEAR("dog" "cat", 5) AND terms:"x"* OR -(a)', 10, True, True, set(KINDS), None)
def test_any_text_is_a_question(
    asked: Ask,
    text: str,
    limit: int,
    forgotten: bool,
    meaning: bool,
    kinds: set[str],
    since: float | None,
) -> None:
    options = {"limit": limit, "forgotten": forgotten, "kinds": kinds, "since": since}
    check(asked(text, meaning=meaning, **options), limit, forgotten)


@pytest.mark.parametrize("text", PIECES, ids=lambda text: f"{text!a:.20}")
def test_no_piece_of_syntax_is_more_than_text(asked: Ask, text: str) -> None:
    check(asked(text), 10, False)
    check(asked(f'{text} "dog* {text}', forgotten=True), 10, True)


@pytest.mark.parametrize(
    "text",
    [
        *['Biscuit"', '"Biscuit', "Biscuit*", "(Biscuit", "-Biscuit", "Biscuit:", "^Biscuit"],
        *[
            "{Biscuit}",
            "Biscuit\0",
            "Bis\u200bcuit Biscuit",
            "ＢＩＳＣＵＩＴ",
            "Biscuit OR",
            "NOT Biscuit",
        ],
    ],
)
def test_what_is_asked_for_is_found_whatever_stands_around_it(asked: Ask, text: str) -> None:
    assert "Biscuit" in asked(text)[0].sources[0].content


def test_questions_reach_the_memory_itself_as_well(memory: Memory) -> None:
    memory.remember([text for text in SAID if text]).result(PATIENCE)
    for text in PIECES:
        check(memory.search(text).result(PATIENCE), 10, False)


def generated(chance: random.Random) -> str:
    """A query of pieces, cut, repeated and glued in ways that nobody thought of."""
    pieces = [chance.choice(chance.choice([SYNTAX, ODD, PLAIN, PLAIN])) for _ in range(6)]
    letters = [chr(chance.randrange(1, 0x11_0000)) for _ in range(3)]
    parts = chance.sample(pieces + letters, k=chance.randint(0, 8))
    text = chance.choice(["", " ", '"', "*", "\0"]).join(parts)
    start, end = sorted(chance.randint(0, len(text)) for _ in range(2))
    return text[start:end] * chance.choice([1, 1, 1, 2, 50]) if chance.random() < 0.3 else text


@pytest.mark.slow
def test_very_many_questions_are_answered(asked: Ask) -> None:
    chance, answered = random.Random(20260513), 0
    with figures("questions of any text to search") as told:
        told["seed"] = "20260513"
        for n in range(QUERIES):
            text, limit, forgotten = generated(chance), chance.choice([0, 1, 10, 100]), n % 5 == 0
            try:
                hits = asked(text, limit=limit, forgotten=forgotten, meaning=n % 7 == 0)
            except Exception as error:
                raise AssertionError(f"question {n}: {text!a:.300}") from error
            check(hits, limit, forgotten)
            answered += bool(hits)
            told["how many"] += 1
    assert QUERIES * 0.2 < answered < QUERIES * 0.9
