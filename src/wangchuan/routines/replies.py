"""Replies: reading a model's answer, whatever shape it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

MOST_KEYWORDS = 5
LONGEST_KEYWORD = 40


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and anything else as an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, and anything else as an empty one."""
    return value if isinstance(value, list) else []


def first_of(item: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the value under the first of several names that is there."""
    return next((item[name] for name in names if item.get(name) is not None), None)


def items_of(answer: Any, names: Iterable[str]) -> list[Any]:
    """Return the list in an answer: bare, under one of its names, or as the only list there."""
    if isinstance(answer, list):
        return answer
    mapping = as_mapping(answer)
    named = first_of(mapping, names)
    if isinstance(named, list):
        return named
    lists = [value for value in mapping.values() if isinstance(value, list)]
    return lists[0] if len(lists) == 1 and named is None else []


def as_text(value: Any) -> str:
    """Return trimmed text that can be stored, or "" for anything that is not text."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode("utf-8").strip()


def as_words(value: Any) -> tuple[str, ...]:
    """Return up to five keywords, without repetitions, from a list or from one line of text."""
    if isinstance(value, str):
        value = value.replace("，", ",").replace("、", ",").split(",")
    words = [" ".join(as_text(word).split())[:LONGEST_KEYWORD] for word in as_list(value)]
    unique: dict[str, str] = {}
    for word in words:
        if word:
            unique.setdefault(word.casefold(), word)
    return tuple(unique.values())[:MOST_KEYWORDS]
