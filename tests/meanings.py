"""Embedders to test with: one that knows a few meanings, and much that is no vector."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from faults import Handler

from wangchuan.language.terms import terms

CONCEPTS = [
    {"car", "automobil", "vehicl", "drive", "汽车", "轿车", "开车"},
    {"dog", "puppi", "beagl", "hound", "狗", "小狗", "犬"},
    {"doctor", "physician", "clinic", "hospit", "医生", "医院", "大夫"},
    {"money", "cash", "salari", "wage", "工资", "薪水", "收入"},
]
WORDS = 60  # dimensions for everything else


class Concepts:
    """Knows a few words of the same meaning; any other word means only itself."""

    inline = True

    def __init__(self, name: str = "concepts", dimensions: int = len(CONCEPTS) + WORDS) -> None:
        self.name, self.dimensions = name, dimensions
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        found = [0.0] * self.dimensions
        for term in terms(text):
            known = [n for n, words in enumerate(CONCEPTS) if term in words]
            place = known[0] if known else zlib.crc32(term.encode()) % WORDS + len(CONCEPTS)
            found[place % self.dimensions] += 1.0
        return found


NONSENSE: dict[str, Callable[[list[list[float]]], Any]] = {
    "NaN": lambda rows: [[math.nan] * len(row) for row in rows],
    "infinity": lambda rows: [[math.inf, *row[1:]] for row in rows],
    "numbers beyond any": lambda rows: [[10**400, *row[1:]] for row in rows],
    "numbers too great": lambda rows: [[1e300] * len(row) for row in rows],
    "one too few": lambda rows: rows[1:],
    "one too many": lambda rows: [*rows, rows[0]],
    "no dimensions": lambda rows: [[] for _ in rows],
    "ragged": lambda rows: [[1.0] * (n + 2) for n, _ in enumerate(rows)],
    "text": lambda rows: ["x"] * len(rows),
    "nothing": lambda rows: None,
    "one number": lambda rows: 5,
    "deeper": lambda rows: [[row] for row in rows],
}


def rows_of(request: Handler) -> list[dict[str, Any]]:
    vectors = Concepts().embed(request.asked["input"])
    return [{"index": n, "embedding": vector} for n, vector in enumerate(vectors)]


def sends_rows(change: Callable[[list[dict[str, Any]]], Any]) -> Callable[[Handler], None]:
    def answer(request: Handler) -> None:
        request.send(json.dumps({"data": change(rows_of(request))}).encode())

    return answer
