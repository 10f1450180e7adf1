"""Mending what a model wrote: forgiving, in as many steps as there are characters."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wangchuan.errors import UnusableAnswer
from wangchuan.models import parsing
from wangchuan.models.broken_json import mended
from wangchuan.models.parsing import parsed

DATA = {"segments": [{"text": 'Anna\'s "new" job\n在柏林 😀', "n": -1.5e3, "ok": True, "x": None}]}
PLAIN = json.dumps(DATA)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (PLAIN, DATA),
        (json.dumps(DATA, ensure_ascii=False), DATA),
        (str(DATA), DATA),
        ('{"a": 1,}', {"a": 1}),
        ("[1, 2,, 3,]", [1, 2, 3]),
        ('{"a": "x"\n"b": "y"}', {"a": "x", "b": "y"}),
        ('{"a": "first line\nsecond"}', {"a": "first line\nsecond"}),
        ('{"a": "she said "yes" to it", "b": 1}', {"a": 'she said "yes" to it', "b": 1}),
        ("{a: 1, b: yes, c: None}", {"a": 1, "b": "yes", "c": None}),
        ("{“a”: “b”}", {"a": "b"}),
        ('{"a": [1, 2', {"a": [1]}),
        ('{"a": [1, 2, ', {"a": [1, 2]}),
        ('{"a": {"b": "c"', {"a": {"b": "c"}}),
        ('{"a": "b", "c": "cut in the mid', {"a": "b"}),
        ('{"a": "b", "c', {"a": "b"}),
        ('{"a":, "b": 1}', {"b": 1}),
        ('{x} and then {"a": 1,}', {"a": 1}),
        ('{"a": 1,} Anything else?', {"a": 1}),
        ("{", None),
        ("[" * 1000, None),
        ("", None),
        ("]}]", None),
    ],
)  # fmt: skip
def test_what_is_meant_is_found(text: str, found: Any) -> None:
    assert mended(text) == found


def test_what_the_end_cuts_is_left_out_wherever_that_is() -> None:
    texts = {"Anna moved to Berlin.", "She works at a bank.", "text", "segments"}
    whole = json.dumps(
        {"segments": [{"text": "Anna moved to Berlin."}, {"text": "She works at a bank."}]}
    )
    for end in range(len(whole) + 1):
        found = mended(whole[:end]) or {}
        for segment in found.get("segments", ()):
            assert set(segment.values()) <= texts


SHAPES = {
    "opened texts": '{"a": "' + "x" * 9,
    "quotes": '"',
    "quotes and spaces": '" ' + "\\",
    "brackets and quotes": '[{"',
    "commas": ",[],",
    "escapes": '["\\\\\\"',
    "words": "{nil ",
    "pairs": '{"a": "b" c: ',
    "single quotes": "['it's', ",
    "spaces": '"' + " " * 60,
    "fences": "```json\n{",
    "thoughts": "<think>{",
    "digits": "[" + "9" * 60,
}


def steps(text: str) -> int:
    """How many lines of Python run: a count of the work, whatever the machine does meanwhile."""
    count = 0

    def watch(*_: Any) -> Any:
        nonlocal count
        count += 1
        return watch

    sys.settrace(watch)
    try:
        parsed(text)
    except UnusableAnswer:
        pass
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("start", ["", '{"a": [', "["])
def test_four_times_the_text_takes_four_times_the_work(shape: str, start: str) -> None:
    short, long = (start + SHAPES[shape] * (size // len(SHAPES[shape])) for size in (4000, 16_000))
    assert steps(long) <= 5 * steps(short) + 200


@pytest.mark.parametrize("shape", SHAPES)
def test_the_longest_answers_come_to_an_end(shape: str) -> None:
    text = "{" + SHAPES[shape] * (250_000 // len(SHAPES[shape]))
    with suppress(UnusableAnswer):
        parsed(text)


@given(st.text(alphabet="{}[]\",:'\\ n1e-“”\nux0a<think>`", max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    try:
        found = parsed(text)
    except UnusableAnswer:
        return
    assert isinstance(found, dict | list)
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("depth", [65, 900, 5000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_refused_whether_or_not_it_is_closed(
    depth: int, opening: str, closing: str
) -> None:
    for text in (opening * depth + "1" + closing * depth, opening * depth):
        with pytest.raises(UnusableAnswer):
            parsed(text)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 400, "9" * 5000, "1" + "0" * 30])
def test_a_number_nobody_can_use_is_none(number: str) -> None:
    found = parsed(f'{{"message": {number}, "text": "x"}}')
    assert found in ({"message": None, "text": "x"}, {"message": number, "text": "x"})


def test_data_is_cleaned_in_keys_and_texts() -> None:
    assert parsing.plain({"a": ["b", 1, True, None]}, str.upper) == {"A": ["B", 1, True, None]}
