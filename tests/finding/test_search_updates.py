"""What was said later and replaces what was said before is found first.

`data/updates.jsonl` holds pairs of an older statement and a newer one that contradicts it, with
talk of other things in between, and a question; half of them Chinese, half English. Many of the
newer ones share fewer words with the question than the older. The rule was made looking at these.
`data/updates-unseen.jsonl` holds pairs of the same kind by someone who knew neither the rule nor
the first ones; only their share was looked at, when three lengths of a brief statement were tried.
`python tests/finding/test_search_updates.py` prints figures by category and seen pairs that
fail.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from stage import PATIENCE

from wangchuan import Hit, Host, Memory

DATA = Path(__file__).parents[1] / "data"
SEEN, UNSEEN = "updates.jsonl", "updates-unseen.jsonl"
DAY = 86_400.0
BEGAN = 1_767_225_600.0
REPLIES = {"en": "Noted.", "zh": "好的，记下了。"}
SHARE = 0.85  # of all pairs
LEAST = 0.5  # of every category


@dataclass(frozen=True)
class Pair:
    lang: str
    category: str
    old: str
    between: tuple[str, ...]
    new: str
    question: str


@dataclass(frozen=True)
class Asked:
    """A pair and the places in which its two statements were found, from 0; None: not at all."""

    pair: Pair
    old: int | None
    new: int | None

    @property
    def is_right(self) -> bool:
        return self.new is not None and (self.old is None or self.new < self.old)


def pairs(name: str = SEEN) -> list[Pair]:
    rows = [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]
    return [Pair(**{**row, "between": tuple(row["between"])}) for row in rows]


def talk(pair: Pair) -> Iterator[dict[str, Any]]:
    """One thing a day, the two statements answered."""
    for day, said in enumerate([pair.old, *pair.between, pair.new]):
        at = BEGAN + day * DAY
        yield {"role": "user", "content": said, "timestamp": at}
        if said in (pair.old, pair.new):
            yield {"role": "assistant", "content": REPLIES[pair.lang], "timestamp": at + 5}


def place_of(said: str, hits: list[Hit]) -> int | None:
    """The first place of a statement, or of what was learned from it."""
    places = (n for n, hit in enumerate(hits) if hit.sources and hit.sources[-1].content == said)
    return next(places, None)


def ask(memory: Memory, pair: Pair) -> Asked:
    for message in talk(pair):
        memory.remember(message)
    assert memory.flush(PATIENCE)
    hits = memory.search(pair.question).result(PATIENCE)
    return Asked(pair, place_of(pair.old, hits), place_of(pair.new, hits))


@cache
def asked(name: str = SEEN, learn: bool = True) -> tuple[Asked, ...]:
    """Ask about every pair in a memory of its own, by default settings, offline."""
    rules = {"learn": learn, "durability": "normal"}
    found = []
    with (
        tempfile.TemporaryDirectory() as root,
        Host(root, settings=rules, clock=lambda: BEGAN + 30 * DAY) as host,
    ):
        for n, pair in enumerate(pairs(name)):
            with host.open(f"pair{n}") as memory:
                found.append(ask(memory, pair))
    return tuple(found)


def share(results: list[Asked]) -> float:
    return sum(result.is_right for result in results) / len(results)


@pytest.mark.parametrize("name", [SEEN, UNSEEN])
def test_there_are_enough_pairs_of_both_languages_and_none_twice(name: str) -> None:
    every = pairs(name)
    assert len(every) >= 60
    assert len({(pair.old, pair.new) for pair in every}) == len(every)
    assert Counter(pair.lang for pair in every).most_common() == [
        ("en", len(every) // 2),
        ("zh", len(every) // 2),
    ]
    assert all(len(pair.between) >= 4 for pair in every)
    assert not {pair.old for pair in every} & {text for pair in every for text in pair.between}


@pytest.mark.parametrize("name", [SEEN, UNSEEN])
def test_the_newer_statement_stands_above_the_older(name: str) -> None:
    results = list(asked(name))
    failing = [(r.pair.question, r.pair.new, r.old, r.new) for r in results if not r.is_right]
    assert share(results) >= SHARE, failing


@pytest.mark.parametrize("category", sorted({pair.category for pair in pairs()}))
def test_no_kind_of_statement_is_left_behind(category: str) -> None:
    results = [result for result in asked() if result.pair.category == category]
    failing = [(r.pair.question, r.pair.new, r.old, r.new) for r in results if not r.is_right]
    assert share(results) >= LEAST, failing


def tell() -> None:
    """Print the figures."""
    for name, learn in ((SEEN, True), (SEEN, False), (UNSEEN, True), (UNSEEN, False)):
        results = list(asked(name, learn))
        print(f"{name}, learn={learn}: {share(results):.1%} of {len(results)}")
        for part in ("lang", "category"):
            for value in sorted({getattr(r.pair, part) for r in results}):
                some = [r for r in results if getattr(r.pair, part) == value]
                print(f"  {value:10} {sum(r.is_right for r in some):3} of {len(some)}")
        for r in (r for r in results if name == SEEN and not r.is_right):
            print(f"  - old {r.old} new {r.new}: {r.pair.old} / {r.pair.new} / {r.pair.question}")


if __name__ == "__main__":
    tell()
