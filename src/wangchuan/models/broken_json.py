"""Broken JSON: data that a model wrote badly or did not finish, read in one walk over its text.

Forgiven are single quotes, quotes and line breaks inside texts, commas too many or too few, keys
without quotes, words of Python, and brackets that are missing at the end. A text that was cut short
is left out: half a sentence may say the opposite of the whole. An answer of n characters takes some
n steps, whatever it holds.
"""

from __future__ import annotations

import json
import re
from typing import Any

from wangchuan.patterns import regex

DEEPEST = 64  # levels of lists and objects; no question asks for more than four
TOKEN = regex(r"\s*(?:([{}\[\],:])|([\"'“])|([^\s{}\[\],:\"'“][^{}\[\],:\n]*))")
ENDING = {'"': regex(r'\\.|"', re.S), "'": regex(r"\\.|'", re.S), "“": regex(r"\\.|”", re.S)}
AFTER = regex(r"\s*(?:[,:}\]]|\Z)|[ \t\r]*\n")  # follows the quote that ends a text
ESCAPE = regex(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
WORDS = {"True": True, "False": False, "None": None}


class _Data:
    """The lists and objects that have been begun, innermost last."""

    def __init__(self) -> None:
        self.root: Any = None
        self._open: list[tuple[Any, list[str]]] = []  # each with the key that waits for a value

    def put(self, value: Any) -> None:
        """Add a value, or the key of one, to the innermost."""
        if not self._open:
            return
        inner, key = self._open[-1]
        if isinstance(inner, list):
            inner.append(value)
        elif key:
            inner[key.pop()] = value
        elif isinstance(value, str):
            key.append(value)

    def begin(self, new: Any) -> bool:
        """Begin a list or an object; return whether it may be that deep."""
        if self._open:
            self.put(new)
        else:
            self.root = new
        self._open.append((new, []))
        return len(self._open) <= DEEPEST

    def end(self) -> bool:
        """End the innermost; return whether that was all, and something."""
        if self._open:
            self._open.pop()
        return not self._open and bool(self.root)

    def part(self) -> None:
        """Begin the next item: a key without a value is none."""
        if self._open:
            self._open[-1][1].clear()


def mended(text: str) -> dict[str, Any] | list[Any] | None:
    """Return the first list or object of a text that holds anything, or None."""
    data, at = _Data(), 0
    while found := TOKEN.match(text, at):
        mark, quote, word = found.groups()
        at = found.end()
        if quote:
            end = _end_of_text(text, at, quote)
            if end is None:
                break
            data.put(_unescaped(text[at:end]))
            at = end + 1
        elif word:
            if at == len(text):
                break
            data.put(_value(word.rstrip()))
        elif mark in "{[":
            if not data.begin({} if mark == "{" else []):
                return None
        elif mark in "}]":
            if data.end():
                break
        elif mark == ",":
            data.part()
    return data.root or None


def _end_of_text(text: str, at: int, quote: str) -> int | None:
    """Return where a quoted text ends; a quote with more text behind it belongs to the text."""
    for found in ENDING[quote].finditer(text, at):
        if found[0][0] != "\\" and AFTER.match(text, found.end()):
            return found.start()
    return None


def _unescaped(text: str) -> str:
    plain = ESCAPE.sub(lambda found: _character(found[1]), text)
    if plain.isprintable():  # no surrogates
        return plain
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _character(code: str) -> str:
    return chr(int(code[1:], 16)) if len(code) > 1 else ESCAPED.get(code, code)


def _value(word: str) -> Any:
    if word in WORDS:
        return WORDS[word]
    try:
        return json.loads(word)
    except ValueError:
        return word
