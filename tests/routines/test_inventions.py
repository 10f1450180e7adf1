"""What a model invents does not become memory; what it puts in other words does.

`inventions.jsonl` and `inventions-unseen.jsonl` hold pairs of what was said and what a model makes
of it, for each routine: honest rewordings and inventions. The second file was written after the
checks were: at its first run 55 of 60 and 66 of 67 were right. Checks were mended since with it
in view, so it is unseen no more. `inventions-turned.jsonl` has what says a thing of somebody else,
the other way round, as an order, or as a statement where it was asked or supposed, and what is done
to facts that are verified; before the checks of these, 64 of 77 inventions were kept. Those of
the kind "written after" came after the checks: 30 of 32 inventions were refused at their first run,
and 23 of 27 rewordings kept; some of the rest were mended.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Open
from stage import PATIENCE, LineModel

from wangchuan.errors import UnusableAnswer
from wangchuan.facts.records import Learned
from wangchuan.language import text as language_text
from wangchuan.language.facts.observer import Known
from wangchuan.language.numerals import values
from wangchuan.language.saying import Said
from wangchuan.routines import compress, digest, observe, review, summarise
from wangchuan.storage import MessageRecord

DATA = Path(__file__).parent.parent / "data"
FILES = ("inventions.jsonl", "inventions-unseen.jsonl", "inventions-turned.jsonl")
Case = dict[str, Any]


def cases(name: str, *, honest: bool) -> list[Case]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["honest"] is honest]


def spoken(case: Case) -> list[tuple[str, str]]:
    parts = [text.rpartition("|") for text in case["said"]]
    return [(role or "user", text) for role, _, text in parts]


def message(seq: int, role: str, text: str) -> MessageRecord:
    return MessageRecord(seq, None, role, None, text, None)


def segment_of(case: Case, **fields: Any) -> digest.Segment:
    """The first segment that comes of a digest."""
    said = [message(n, *one) for n, one in enumerate(spoken(case), 1)]
    view, focus = digest.window(said, 0, 10_000), [("the garden", ("garden",))]
    item = {"message": 0, "text": said[0].content, **fields}
    return digest.read({"segments": [item]}, view, focus)[0]


def digested(case: Case) -> bool:
    return segment_of(case, text=case["answer"]).text == case["answer"]


def labelled(case: Case) -> bool:
    return segment_of(case, phrase=case["answer"]).phrase == case["answer"]


def related(case: Case) -> bool:
    return segment_of(case, relations=[case["answer"]]).relations == (case["answer"],)


def compressed(case: Case) -> bool:
    job = (case["said"][0], len(case["answer"]), ())
    short = compress.read({"texts": [{"content": case["answer"]}]}, [job])
    return short[0][0] == case["answer"]


def summed_up(case: Case) -> bool:
    return summarise.read({"summary": case["answer"]}, spoken(case)) == case["answer"]


def observed(case: Case) -> bool:
    known = [Known(id_, text, "other", bool(firm)) for id_, text, *firm in case.get("known", ())]
    said = [(role, None, text) for role, text in spoken(case)]
    user = "主人" if not case["said"][0].isascii() else "Tom"
    ask = observe.ask(said, known, user, "小祥")
    tag, _, text = case["answer"].partition("] ")
    verb, _, id_ = tag.strip("[]").partition(":")
    found = observe.read({"operations": [case["answer"]]}, ask)
    return (verb, id_ or None, text) in [(op.verb, op.id, op.text) for op in found]


def reviewed(case: Case) -> bool:
    about = {"topic": "personal", "verified": False, "newer": False, **case["about"]}
    shown = review.Case(about.pop("kind"), case["said"][0], about, [])
    return review.read({"decision": case["answer"]}, shown).decision is not None


KEPT = {"digest": digested, "phrase": labelled, "relation": related, "compress": compressed,
        "summarise": summed_up, "observe": observed, "review": reviewed}  # fmt: skip


def is_kept(case: Case) -> bool:
    try:
        return KEPT[case["routine"]](case)
    except UnusableAnswer:
        return False


@pytest.mark.parametrize("name", FILES)
def test_no_invention_becomes_memory(name: str) -> None:
    given = cases(name, honest=False)
    assert len(given) >= 60
    assert [case for case in given if is_kept(case)] == []


@pytest.mark.parametrize("name", FILES)
def test_nine_of_ten_honest_rewordings_are_kept(name: str) -> None:
    given = cases(name, honest=True)
    refused = [case for case in given if not is_kept(case)]
    assert len(given) >= 60
    assert len(refused) <= len(given) // 10, refused


def test_in_the_place_of_an_invented_segment_stands_the_sentence_it_was_made_of() -> None:
    sentences = [
        "Anna moved to Berlin last spring.",
        "Her brother Karl sells old books there.",
        "They meet every Sunday for a long breakfast.",
        "Karl owes Anna 40 euros.",
    ]
    texts = [*sentences[:3], "Anna owes Karl 40 euros."]
    view = digest.window([message(1, "user", " ".join(sentences))], 0, 10_000)
    found = digest.read({"segments": [{"message": 0, "text": text} for text in texts]}, view, [])
    assert [segment.text for segment in found] == sentences


@pytest.mark.parametrize(
    ("said", "cut"),
    [
        ("We will never give up the farm.", ["We will never", "give up the farm."]),
        ("Ruth denies that Otto took the money.", ["Ruth denies that", "Otto took the money."]),
        ("The rent is 1250 euros.", ["The rent is 12", "50 euros."]),
        ("他们没有批准预算。", ["他们没有", "批准预算。"]),
        ("If the dam breaks, the town is lost.", ["If the dam breaks,", "the town is lost."]),
        ("要是大坝垮了，全城就完了。", ["要是大坝垮了，", "全城就完了。"]),
    ],
)
def test_a_cut_inside_a_clause_or_from_its_condition_is_undone(said: str, cut: list[str]) -> None:
    filler = (
        " The garden is green and the door is red." if said.isascii() else "花园很绿，门是红的。"
    )
    view = digest.window([message(1, "user", said + filler)], 0, 10_000)
    items = [{"message": 0, "text": text} for text in [*cut, filler.strip()]]
    found = digest.read({"segments": items}, view, [])
    assert sorted(segment.text for segment in found) == sorted([said, filler.strip()])


def test_a_message_may_be_cut_between_clauses_that_stand_alone() -> None:
    texts = ["我今天很累，", "明天要去上海开会。"]
    view = digest.window([message(1, "user", "".join(texts))], 0, 10_000)
    found = digest.read({"segments": [{"message": 0, "text": text} for text in texts]}, view, [])
    assert [segment.text for segment in found] == texts


@pytest.mark.parametrize("said", ["What's my birthday?", "When is my birthday, May 4?", "Hello!"])
@pytest.mark.parametrize("line", ["[UPDATE:{}] The user's birthday is May 4", "[DELETE:{}]"])
@pytest.mark.parametrize("firm", ["verified", "core"])
def test_a_question_changes_no_fact_that_is_firm(
    open_memory: Open, model: LineModel, said: str, line: str, firm: str
) -> None:
    memory = open_memory(learn=True, max_retries=0, durability="normal")
    agent = memory._agent
    with agent.store() as store, store.write() as tx:
        learned = Learned("The user's birthday is May 3", verified=firm == "verified")
        n = agent.facts.add(tx, learned)
        if firm == "core":
            tx.nodes.set_kind(n, "core")
    before = memory.facts()
    model.script["observe"] = [{"operations": [line.format(before[0].id)]}]
    memory.remember(said)
    assert memory.flush(PATIENCE)
    assert memory.facts() == before


def test_what_is_refused_for_want_of_evidence_is_not_asked_for_again() -> None:
    known = [Known("mem_1", "The user's birthday is May 3", "personal", firm=True)]
    ask = observe.ask([("user", None, "What's my birthday?")], known, "Tom", "Ada")
    for line in ("[DELETE:mem_1]", "[DELETE:mem_2]", "[UPDATE:mem_1] The user's birthday is May 4"):
        assert observe.read({"operations": [line]}, ask) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("一百块", "100块"), ("三万五千元", "35,000元"), ("5月13日", "May 13"), ("五月十三日", "5/13"),
     ("twenty-five", "25"), ("three hundred and five", "305"), ("下午三点半", "3:30 pm"),
     ("a dozen", "12"), ("二〇二四年", "2024"), ("星期三", "Wednesday"),
     ("2.5 million", "2500000")],
)  # fmt: skip
def test_a_number_is_the_same_however_it_is_written(one: str, other: str) -> None:
    assert values(one) & values(other) == values(other) != set()


def test_a_denial_is_found_in_other_words_too() -> None:
    said = Said([("user", "I am happy here, and I remember to lock the door.")])
    assert said.contradiction("I am happy here") is None
    for text in ("I am unhappy here", "I'm not happy here", "I don't remember to lock the door"):
        assert said.contradiction(text) == "a denial or a role"


def scans_of(monkeypatch: pytest.MonkeyPatch, count: int, *, verbatim: bool) -> int:
    """How many texts are cut into words to check so many segments."""
    said = [message(n, "user", f"Anna bought {n} old books in Berlin.") for n in range(1, count)]
    texts = [one.content if verbatim else one.content.replace("old ", "") for one in said]
    items = [{"message": n, "text": text, "phrase": text} for n, text in enumerate(texts)]
    scanned: list[str] = []
    real = language_text._scan
    with monkeypatch.context() as patch:
        patch.setattr(language_text, "_scan", lambda text: scanned.append(text) or real(text))
        found = digest.read({"segments": items}, digest.window(said, 0, 10_000), [])
    assert [segment.text for segment in found] == texts
    return len(scanned)


def test_what_was_said_is_read_once_however_many_segments_are_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, many = (scans_of(monkeypatch, count, verbatim=False) for count in (71, 141))
    assert few <= 70 * 3 + 10  # the message, the segment, and the segment when it is checked
    assert many <= 140 * 3 + 10


def test_segments_that_are_the_messages_are_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scans_of(monkeypatch, 40, verbatim=True) == 0
