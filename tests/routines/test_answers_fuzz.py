"""Whatever data a model answers with, reading it ends in a value or in UnusableAnswer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.errors import UnusableAnswer
from wangchuan.language.facts.observer import Known
from wangchuan.notebook.routines import compact, judge, world
from wangchuan.routines import chat, compress, digest, observe, review, summarise
from wangchuan.storage import MessageRecord

SAID = "Anna moved to Berlin last spring. She works at a bank now."
KEYS = (
    "segments texts operations decision summary memory world_state text content phrase keywords"
    " relations message topic line offline true answer yes items"
)
WORDS = st.sampled_from(
    [
        *(SAID, "Anna", "true", "", "\n", "\ud800", "\x00", "x" * 500, "聊了 Berlin"),
        *("[SKIP]", "[PROMOTE]", "[DELETE:mem_1]", "[UPDATE:mem_1] Anna moved to Berlin"),
        *("[ADD] Anna works at a bank", "[ADD] Anna works at a bank \ud800"),
    ]
)
NUMBERS = st.one_of(st.integers(-3, 3), st.just(2**53), st.floats(-1e15, 1e15), st.booleans())
VALUES = st.recursive(
    st.one_of(WORDS, NUMBERS, st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=4),
    ),
    max_leaves=12,
)


NAMED = st.sampled_from(
    ["segments", "texts", "operations", "decision", "summary", "memory", "text"]
)
ANSWERS = VALUES | st.dictionaries(NAMED, VALUES | st.lists(VALUES, max_size=3), max_size=2)
CASE = review.Case("decay", SAID, {}, ())
KNOWN = [Known("mem_1", "Anna is in Paris", "other")]
ASKED = observe.ask([("user", None, SAID)], KNOWN, "主人", "小祥")
WINDOW = digest.Window(((MessageRecord(1, None, "user", None, SAID, None), SAID),), 2, 0)
TOLD = [{"role": "user", "name": None, "content": SAID}]
READERS: dict[str, Callable[[Any], Any]] = {
    "chat": chat.read,
    "compact": lambda answer: compact.read(answer, TOLD, ""),
    "compress": lambda answer: compress.read(answer, [(SAID, 30, ("Anna",))], final=False),
    "digest": lambda answer: digest.read(answer, WINDOW, [("Anna", ["Anna"])]),
    "judge": judge.read,
    "observe": lambda answer: observe.read(answer, ASKED),
    "review": lambda answer: review.read(answer, CASE),
    "summarise": lambda answer: summarise.read(answer, [("user", SAID)]),
    "world": lambda answer: world.read(answer, "", TOLD),
}


@pytest.mark.parametrize("routine", READERS)
@given(answer=ANSWERS)
def test_no_answer_is_more_than_unusable(routine: str, answer: Any) -> None:
    with suppress(UnusableAnswer):
        storable(READERS[routine](answer))


def storable(value: Any) -> None:
    """Fail unless every text in a result could be stored."""
    if isinstance(value, str):
        value.encode("utf-8")
    elif isinstance(value, list | tuple):
        for item in value:
            storable(item)
    elif is_dataclass(value):
        for field in fields(value):
            storable(getattr(value, field.name))
