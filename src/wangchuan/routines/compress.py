"""Compress: shorten texts to given lengths, several in one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wangchuan.errors import ModelError
from wangchuan.models.seam import Ask
from wangchuan.routines.answers import as_list, as_mapping, as_text, as_words

ROUTINE = "compress"
Job = tuple[str, int, tuple[str, ...]]  # text, length in characters, keywords


def ask(texts: Sequence[Job]) -> Ask:
    """Return the question that shortens all texts."""
    data = [
        {"text": text, "length": length, "keywords": list(keywords)}
        for text, length, keywords in texts
    ]
    return Ask(ROUTINE, {"texts": data})


def read(answer: Any, texts: Sequence[Job]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return (content, phrase, keywords) for every text, or raise ModelError.

    Lengths are not checked here: whoever asked cuts what is too long.
    """
    given = as_list(as_mapping(answer).get("texts"))
    if len(given) != len(texts):
        raise ModelError(f"compress: {len(texts)} texts were asked, {len(given)} came back")
    found = []
    for item in given:
        labels = as_mapping(item)
        content = as_text(labels.get("content"))
        if not content:
            raise ModelError("compress: a text came back empty")
        found.append((content, as_text(labels.get("phrase")), as_words(labels.get("keywords"))))
    return found
