"""Reading what a model sent back, whatever it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_KEYWORDS = 5
LONGEST_KEYWORD = 40


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and anything else as an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, and anything else as an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return trimmed text that can be stored, or "" for anything that is not text."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode("utf-8").strip()


def as_words(value: Any) -> tuple[str, ...]:
    """Return up to five keywords, without repetitions, from whatever was sent."""
    words = [as_text(word)[:LONGEST_KEYWORD] for word in as_list(value)]
    unique = {word.casefold(): word for word in reversed(words) if word}
    kept = [word for word in dict.fromkeys(words) if unique.get(word.casefold()) == word]
    return tuple(kept[:MOST_KEYWORDS])
