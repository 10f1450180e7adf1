"""Is it said there? How much of a text comes from another, by the words that tell something.

A model may move words, resolve a pronoun or drop a filler; it must not add things nobody said.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from wangchuan.models.language import CONTROL, words

TELLING = 0.45  # the weight from which a word counts


def plain(text: str) -> str:
    """Return text as it is compared: width, case, spaces and control characters do not matter."""
    return "".join(unicodedata.normalize("NFKC", CONTROL.sub("", text)).casefold().split())


def share_within(text: str, source: str) -> float:
    """Return which share of a text's telling words, by weight, occurs in the (plain) source."""
    if plain(text) in source:
        return 1.0
    found = [(plain(word.text), word.weight) for word in words(text) if word.weight >= TELLING]
    whole = sum(weight for _, weight in found)
    if not whole:
        return 0.0
    return sum(weight for word, weight in found if word in source) / whole


def covers(texts: Iterable[str], source: str) -> float:
    """Return which share of a source's telling words, by weight, occurs in the texts."""
    return share_within(source, plain("\n".join(texts)))
