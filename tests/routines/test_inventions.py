"""What a model invents does not become memory; what it puts in other words does.

`inventions.jsonl` and `inventions-unseen.jsonl` hold pairs of what was said and what a model makes
of it, for each routine: honest rewordings and inventions. The second file was written after the
checks were, and never looked at to mend them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wangchuan.errors import UnusableAnswer
from wangchuan.models.facts import Known
from wangchuan.routines import compress, digest, observe, review, summarise
from wangchuan.storage import MessageRecord

DATA = Path(__file__).parent.parent / "data"
FILES = ("inventions.jsonl",)
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
    return bool(observe.read({"operations": [case["answer"]]}, ask))


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
