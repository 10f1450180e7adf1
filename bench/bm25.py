"""Plain BM25, to compare with: bags of words, and nothing that links one message to another.

English words are folded to their stems and lose their stop words; Chinese is cut into pairs of
characters. Nothing else of the engine is used.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from wangchuan.language.terms import stem
from wangchuan.language.words import STOP_EN

K1, B = 0.9, 0.4
PARTS = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]+")


def words(text: str) -> list[str]:
    found: list[str] = []
    for part in PARTS.findall(text.lower()):
        if not part.isascii():
            found += [part[i : i + 2] for i in range(max(1, len(part) - 1))]
        elif part not in STOP_EN:
            found.append(stem(part))
    return found


class BM25:
    """An index of texts; the numbers it returns are their places in the list given."""

    def __init__(self, texts: Sequence[str]) -> None:
        bags = [Counter(words(text)) for text in texts]
        self._lengths = [bag.total() for bag in bags]
        self._average = sum(self._lengths) / max(1, len(bags)) or 1.0
        self._holding: dict[str, list[tuple[int, int]]] = {}
        for number, bag in enumerate(bags):
            for word, times in bag.items():
                self._holding.setdefault(word, []).append((number, times))

    def ranked(self, question: str) -> list[int]:
        """Return the texts that share a word with a question, best first, newest in a tie."""
        scores: Counter[int] = Counter()
        for word in dict.fromkeys(words(question)):
            holding = self._holding.get(word, [])
            rest = len(self._lengths) - len(holding)
            worth = math.log(1 + (rest + 0.5) / (len(holding) + 0.5))
            for number, times in holding:
                flat = K1 * (1 - B + B * self._lengths[number] / self._average)
                scores[number] += worth * times * (K1 + 1) / (times + flat)
        return sorted(scores, key=lambda number: (-scores[number], -number))
