"""Parsing: finding the data in a language model's answer.

Constrained decoding gives plain JSON. Whatever else models put around or into the data is undone
here, the most frequent first: thinking aloud, a fence around, words before and after, an answer cut
short. An answer without an object or a list is refused, and so is data that is nested without end.
Numbers that no computation could use become None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.models.broken_json import DEEPEST, mended
from wangchuan.patterns import regex

LONGEST = 1 << 20  # characters of an answer worth reading
GREATEST = 2**53  # from where on numbers are no longer exact
THINKING = regex(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.S | re.I)
FENCE = regex(r"```[a-zA-Z]*\s*(.*?)(?:```|\Z)", re.S)
OPENING = regex(r"[{\[]")


def parsed(content: str) -> dict[str, Any] | list[Any]:
    """Return the object or list in a model's answer, or raise UnusableAnswer."""
    if len(content) > LONGEST:
        raise UnusableAnswer(
            f"the answer has {len(content)} characters; at most {LONGEST} are read"
        )
    text = without_thinking(content)
    if not text:
        raise UnusableAnswer("the answer is empty")
    for candidate in (content, *_candidates(text)):  # as it is first: data may speak of thinking
        found = _loaded(candidate)
        if isinstance(found, dict | list):
            return _checked(found)
    return _checked(_repaired(text))


def without_thinking(content: str) -> str:
    """Return a model's answer without its thinking aloud, and without space around it."""
    return THINKING.sub("", content).strip()


def _candidates(text: str) -> Iterator[str]:
    yield text
    yield from (match.group(1).strip() for match in FENCE.finditer(text))
    opening = OPENING.search(text)
    if opening:
        closing = max(text.rfind("}"), text.rfind("]"))
        yield text[opening.start() : closing + 1]


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _repaired(text: str) -> dict[str, Any] | list[Any]:
    """Return the data of broken JSON; the text must hold an opening bracket."""
    opening = OPENING.search(text)
    found = mended(text[opening.start() :]) if opening else None
    if not found:
        raise UnusableAnswer(f"the answer holds no data: {text[:80]!r}")
    return found


def plain(value: Any, clean: Callable[[str], str] = str, depth: int = 0) -> Any:
    """Return data with every text cleaned and no absurd number, or raise UnusableAnswer."""
    if depth > DEEPEST:
        raise UnusableAnswer(f"the answer is nested more than {DEEPEST} levels deep")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [plain(item, clean, depth + 1) for item in value]
    if isinstance(value, dict):
        return {clean(key): plain(item, clean, depth + 1) for key, item in value.items()}
    if isinstance(value, int | float) and not abs(value) <= GREATEST:
        return None
    return value


def _checked(found: dict[str, Any] | list[Any]) -> dict[str, Any] | list[Any]:
    if isinstance(found, dict) and found.get("type") == "object" and "properties" in found:
        raise UnusableAnswer("the answer is the schema itself")
    usable: dict[str, Any] | list[Any] = plain(found)
    return usable
