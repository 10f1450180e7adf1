"""The measurements of what lasts, on small files made up here."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from bench import lasting, talk
from bench.__main__ import chosen
from bench.lasting import ALONE, LIFE, SESSIONS, TURNS, Answer, Row, Sheet
from bench.retrieval import PATIENCE, weight
from bench.spaces import Question, Space, Turn
from bench.talk import OWN, Talk, holds
from wangchuan import Memory


def turn(number: int, text: str = "bees") -> Turn:
    return Turn(f"m{number}", "user", "Nora", text, 1e9)


def space(*sizes: int, evidence: tuple[str, ...] = ("m0",)) -> Space:
    numbers = iter(range(100))
    sessions = tuple(tuple(turn(next(numbers)) for _ in range(size)) for size in sizes)
    question = Question("fact", "Where?", tuple(frozenset({one}) for one in evidence))
    return Space("one", "en", sessions, (question,))


def answer(*parts: int, ids: str = "") -> Answer:
    groups = tuple(frozenset({str(n)}) for n in range(len(parts)))
    return Answer(Question("fact", "?", groups), parts, list(ids))


# the lives


def test_a_turn_is_two_messages_and_a_session_ends_its_last_one() -> None:
    turns = lasting.as_turns(space(3, 2)).sessions
    assert [[one.id for one in some] for some in turns] == [["m0", "m1"], ["m2"], ["m3", "m4"]]


def test_a_life_has_all_conversations_with_ids_of_their_own() -> None:
    life = lasting.one_life([space(2), space(1, 1, evidence=("m1",))])
    assert [one.id for one in life.turns] == ["0/m0", "0/m1", "1/m0", "1/m1"]
    assert [q.evidence for q in life.questions] == [
        (frozenset({"0/m0"}),),
        (frozenset({"1/m1"}),),
    ]


def test_age_goes_by_turns() -> None:
    age = lasting.ages(space(12))
    assert [age[f"m{n}"] for n in range(12)] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_a_sample_of_questions_is_spread_over_all() -> None:
    given = Space("one", "en", (), tuple(Question("fact", str(n), ()) for n in range(10)))
    assert [q.text for q in lasting.sampled(given, 4).questions] == ["0", "3", "6", "9"]
    assert lasting.sampled(given, None) == given


# scoring


def test_an_entry_holds_evidence_if_it_has_most_of_its_words() -> None:
    said = {"m0": [{"bee", "roof", "old", "theatr", "keep"}]}
    question = Question("fact", "?", (frozenset({"m0"}),))
    assert lasting.stands(said, question, ["bees on the roof of an old house"]) == (True,)
    assert lasting.stands(said, question, ["bees on the roof", "an old theatre"]) == (False,)
    assert lasting.stands({"m0": [set()]}, question, ["anything"]) == (False,)


def test_all_is_the_mean_of_questions_and_a_third_that_of_its_groups() -> None:
    row = Row([answer(0, 1, 5, ids="0"), answer(0, ids="0")])
    assert row.share(lasting.found) == pytest.approx(100 * (1 / 3 + 1) / 2)
    thirds = [row.share(lasting.found, third) for third in range(3)]
    assert thirds == [pytest.approx(200 / 3), 0.0, 0.0]


def test_kept_is_told_of_text_and_of_evidence() -> None:
    row, given = Row(), space(2, 2, 2)
    texts = ["be", "", "", "bees", "bees", "b e es"]
    lasting.note_left(row, given, texts, lasting.evidence_of(given))
    assert row.kept("text", (0, 1)) == 25.0
    assert row.kept("evidence") == 50.0
    assert row.kept("text", (4, 5)) == 100.0  # what joins two memories is no text of theirs


def test_bars_compare_with_sessions_told_at_once_and_need_a_life() -> None:
    sheet = Sheet("locomo.jsonl")
    for life in (ALONE, LIFE):
        sheet.row(life, SESSIONS).answers = [answer(0, ids="0")]
        sheet.row(life, TURNS).answers = [answer(0, ids="0")]
        sheet.row(life, TURNS).figures.update(bytes=1500, messages=1)
    row = sheet.row(LIFE, TURNS)
    for part in (0, 2, 4):
        row.whole.update({("text", part): 100, ("evidence", part): 100})
        row.left.update({("text", part): 60, ("evidence", part): 61})
    assert lasting.held([sheet])[1]
    row.left["evidence", 2] = 60  # as much is not more
    assert not lasting.held([sheet])[1]
    row.left["evidence", 2] = 61
    row.answers = [answer(0)]
    text, kept = lasting.held([sheet])
    assert not kept
    assert text.count("| no |") == 2
    del sheet.rows[LIFE, TURNS], sheet.rows[LIFE, SESSIONS]
    assert lasting.held([sheet])[1]


# running


def write(path: Path, count: int = 2) -> Path:
    lines = []
    for n in range(count):
        texts = [f"The boat number {n}{i} lies in harbour {i}." for i in range(7)]
        messages = [
            {"id": f"m{i}", "role": "user", "name": "Nora", "content": text}
            for i, text in enumerate(texts)
        ]
        question = {"category": "fact", "question": f"boat {n}3?", "evidence": [["m3"]]}
        session = {"at": f"2024-03-0{n + 1}T10:00:00", "messages": messages}
        line = {"space": str(n), "lang": "en", "sessions": [session], "questions": [question]}
        lines.append(json.dumps(line))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_life_is_measured_beside_each_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(lasting.WAYS, "decay_rate=1", {"no_such_setting": 1})
    text, kept = lasting.run(str(write(tmp_path / "boats.jsonl")), "--context", results=tmp_path)
    assert kept  # a file of this name has no bars
    lines = text.splitlines()
    assert sum(line.startswith("| turn by turn | 100.0 |") for line in lines) == 2
    assert sum(line.startswith("| decay_rate=1 | no such setting |") for line in lines) == 2
    told = [line for line in lines if line.startswith("| turn by turn |") and line.endswith("s |")]
    assert [line.split(" | ")[3] for line in told] == ["8", "8"]  # remembers
    picture = ET.fromstring((tmp_path / "lasting.svg").read_text(encoding="utf-8"))
    assert sum(e.tag.endswith("polyline") for e in picture.iter()) >= 5


def test_one_conversation_has_no_life_beside_it(tmp_path: Path) -> None:
    text, _ = lasting.run(str(write(tmp_path / "boats.jsonl")), "--spaces=1", results=tmp_path)
    assert ALONE in text
    assert f"boats.jsonl, {LIFE}" not in text


@pytest.mark.parametrize("option", ["--space=1", "--spaces=few", "--context=1", "--spaces"])
def test_other_options_say_how_to_call_it(option: str) -> None:
    with pytest.raises(SystemExit, match=r"usage: \./run bench lasting"):
        lasting.run(option)
    with pytest.raises(SystemExit, match=r"usage: \./run bench lasting"):
        lasting.run()


def test_options_are_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCH_FROM", "/there")
    assert chosen(["lasting", "--spaces=1", "a.jsonl"]) == [
        ("lasting", ["--spaces=1", "/there/a.jsonl"])
    ]


# talk


def test_a_line_must_hold_all_that_is_needed() -> None:
    assert holds("- The fair\n- Tomasz does the Backend", ["tomasz", "backend"])
    assert not holds("- Tomasz\n- the backend", ["tomasz", "backend"])
    assert not holds("", ["tomasz"])


@pytest.mark.parametrize("file", OWN)
def test_a_message_takes_at_most_2000_bytes_on_disk(file: str, tmp_path: Path) -> None:
    told = Talk.of(Path(file)).told(40)
    with Memory.open("a", root=tmp_path, settings={"durability": "normal"}) as memory:
        for said, answered in told:
            memory.remember([("user", said), ("assistant", answered)]).result(PATIENCE)
        assert memory.flush(PATIENCE)
    assert weight(tmp_path) <= 2000 * 2 * len(told)


@pytest.mark.parametrize("file", OWN)
def test_an_answer_is_told_once_and_never_in_small_talk(file: str) -> None:
    told = Talk.of(Path(file))
    assert (len(told.turns), len(told.questions)) == (60, 30)
    small = [" ".join(one) for one in told.told(400)[60:]]
    assert len(set(small)) > 300
    for wordings, needed in told.questions:
        assert sum(holds(" ".join(one), needed) for one in told.turns) == 1, needed
        assert not any(holds(text, needed) for text in (*small, *wordings)), needed


def test_small_talk_is_the_same_every_time_and_repeats_nothing_soon() -> None:
    told = Talk.of(Path(OWN[0]))
    first = list(islice(told.chatter(), 200))
    assert first == list(islice(told.chatter(), 200))
    assert first != list(islice(told.chatter(seed=8), 200))
    exchanges = len(told.small)
    assert len({said for said, _ in first[:exchanges]}) == exchanges


def test_a_talk_is_asked_about_at_every_stage(tmp_path: Path) -> None:
    written: dict[str, Any] = {
        "turns": [["The spare key is under the blue pot.", "Noted."]],
        "questions": [["Where is the spare key?", "How do I get in?", "blue pot"]],
        "opening": ["Well,"],
        "closing": ["Fine."],
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in written.items()]
    small = json.dumps([["I had {dish}.", "Tasty."], ["It rains.", "Stay in."]])
    lines += ["[slots]", 'dish = ["soup", "rice"]', "[small]", f"talk = {small}"]
    file = tmp_path / "keys.toml"
    file.write_text("\n".join(lines), encoding="utf-8")
    text, kept = talk.run(str(file), results=tmp_path, stages=(0, 2))
    assert not kept  # one question is less than is wanted
    assert "| keys, 1 in its own words: `context` | 1 | 1 |" in text
    assert "| keys, 1 in other words: BM25 | 0 | 0 |" in text
    read = (tmp_path / "talk.txt").read_text(encoding="utf-8")
    assert "==== keys after 2: Where is the spare key? (blue pot): yes" in read
