"""Finding the data in what a language model wrote.

Constrained decoding gives plain JSON; everything else that models do to it is undone here in the
order of how often it happens: thinking aloud first, a fence around, words before and after, an
answer cut short. What still is no object or list is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.patterns import regex

LONGEST = 1 << 20  # characters of an answer worth reading
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
            return _not_the_schema(found)
    return _not_the_schema(_repaired(text))


def without_thinking(content: str) -> str:
    """Return a model's answer without what it thought aloud, and without space around it."""
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
    """Mend JSON that was cut short or badly quoted; it must at least have begun as such."""
    import json_repair  # only broken answers need it

    opening = OPENING.search(text)
    try:
        found = json_repair.loads(text[opening.start() :]) if opening else None
    except (ValueError, RecursionError):
        found = None
    if not found or not isinstance(found, dict | list):
        raise UnusableAnswer(f"the answer holds no data: {text[:80]!r}")
    return found


def _not_the_schema(found: dict[str, Any] | list[Any]) -> dict[str, Any] | list[Any]:
    if isinstance(found, dict) and found.get("type") == "object" and "properties" in found:
        raise UnusableAnswer("the answer is the schema itself")
    return found
