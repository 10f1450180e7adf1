"""No pattern takes more than linear time, whatever a text repeats.

Every pattern of the package is found by importing all of it, and is tried with texts made for it:
each of its parts that may repeat without end is repeated, after what leads up to it, and then does
not go on as the pattern wants.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import pytest
from soak.figures import size
from stage import PATIENCE, FakeClock

import wangchuan
from wangchuan import Memory, patterns
from wangchuan.language.fit import fit
from wangchuan.language.labels import keywords, phrase
from wangchuan.language.terms import asked, indexed
from wangchuan.language.text import language, segments, words

LENGTHS = (1_000, 4_000, 16_000)  # characters
GROWTH = 8  # times as long may four times as many take
FLOOR = 0.05  # seconds, which are too few to be compared
FIRST = 5.0  # seconds, for the first length; what takes longer would take hours for the others
TRIES = 3
ENDLESS = 50  # a part that may repeat so often is tried
REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT, getattr(sre, "POSSESSIVE_REPEAT", None)}
CHARACTERS = " 1aA我的是一,.-\n\t(“\"'#/<"


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(wangchuan.__path__, "wangchuan."):
        if found.name.endswith("__main__"):
            continue
        try:
            yield importlib.import_module(found.name)
        except ModuleNotFoundError:  # of a framework that is not here
            assert ".integrations." in found.name


def patterns_in(value: object, depth: int = 4) -> Iterator[tuple[str, int]]:
    """Return the sources and flags of patterns in a value of a module, or in what it holds."""
    if isinstance(value, patterns._Pattern):
        yield value._source, int(value._flags)
    elif isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value.pattern, value.flags & ~re.UNICODE
    elif depth and isinstance(value, dict):
        for one in value.values():
            yield from patterns_in(one, depth - 1)
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for one in value:
            yield from patterns_in(one, depth - 1)
    elif depth and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        for name in value.__dataclass_fields__:
            yield from patterns_in(getattr(value, name, None), depth - 1)


def all_patterns() -> dict[tuple[str, int], str]:
    """Return every pattern of the package with the name by which it is known."""
    found: dict[tuple[str, int], str] = {}
    for module in modules():
        for name, value in vars(module).items():
            for key in patterns_in(value):
                found.setdefault(key, f"{module.__name__.removeprefix('wangchuan.')}.{name}")
    return found


def sample(tree: Any) -> str:
    """Return a short text that a part of a pattern takes, or nearly."""
    return "".join(_sample(op, given) for op, given in tree)


def _sample(op: Any, given: Any) -> str:
    if op is sre.LITERAL:
        return chr(given)
    if op in (sre.ANY, sre.NOT_LITERAL, sre.IN):
        return next(iter(_members(op, given)), "z")
    if op in REPEATS:
        return sample(given[2]) * max(given[0], 1)
    if op is sre.SUBPATTERN:
        return sample(given[3])
    if op is sre.BRANCH:
        return sample(given[1][0])
    return sample(given) if op is sre.ATOMIC_GROUP else ""


def _members(op: Any, given: Any) -> list[str]:
    """Return some characters that one place of a pattern takes."""
    one = re.compile(_class(op, given), re.DOTALL)
    found = [c for c in CHARACTERS if one.match(c)]
    if not found and op is sre.IN:
        named = [a if o is sre.LITERAL else a[0] for o, a in given if o in (sre.LITERAL, sre.RANGE)]
        found = [chr(c) for c in named[:2]]
    return found


def _class(op: Any, given: Any) -> str:
    if op is sre.ANY:
        return "."
    if op is sre.NOT_LITERAL:
        return f"[^{re.escape(chr(given))}]"
    kinds = {"SPACE": r"\s", "DIGIT": r"\d", "WORD": r"\w"}
    inside = ""
    for o, a in given:
        if o is sre.NEGATE:
            inside += "^"
        elif o is sre.LITERAL:
            inside += re.escape(chr(a))
        elif o is sre.RANGE:
            inside += f"{re.escape(chr(a[0]))}-{re.escape(chr(a[1]))}"
        else:
            kind = kinds[str(a).rsplit("_", 1)[-1]]
            inside += kind.upper() if "_NOT_" in str(a) else kind
    return f"[{inside}]"


def repeated(tree: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Return each part that may repeat without end, after what leads up to it."""
    for op, given in tree:
        if op in REPEATS:
            if given[1] >= ENDLESS:
                yield from ((before, pump) for pump in _pumps(given[2]) if pump)
            yield from repeated(given[2], before)
        elif op is sre.SUBPATTERN:
            yield from repeated(given[3], before)
        elif op is sre.ATOMIC_GROUP:
            yield from repeated(given, before)
        elif op is sre.BRANCH:
            for branch in given[1]:
                yield from repeated(branch, before)
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            yield from repeated(given[1], before)
        before += _sample(op, given)


def _pumps(body: Any) -> list[str]:
    """Return texts that the body of a repetition takes: all kinds of characters, all branches."""
    only = list(body)
    if len(only) == 1 and only[0][0] in (sre.ANY, sre.NOT_LITERAL, sre.IN):
        return _members(*only[0])[:6]
    if len(only) == 1 and only[0][0] is sre.SUBPATTERN:
        return _pumps(only[0][1][3])
    if len(only) == 1 and only[0][0] is sre.BRANCH:
        branches = [pump for branch in only[0][1][1] for pump in _pumps(branch)]
        return [*branches[:3], *(b for b in branches[3:] if len(b) == 1)][:8]
    return [sample(body)]


def attacks(source: str, flags: int) -> list[tuple[str, str, str]]:
    """Return texts to try a pattern with: a beginning, what is repeated, an end."""
    found = dict.fromkeys(repeated(_parser.parse(source, flags)))
    return list(
        dict.fromkeys(
            attack
            for before, pump in found
            for attack in (("", pump, "\0"), (before, pump, "\0"), ("", before + pump, ""))
        )
    )


def seconds(pattern: re.Pattern[str], text: str, everywhere: bool) -> float:
    """Return the processor time it takes to try a pattern everywhere in a text, or at its start."""
    began = time.thread_time()
    if everywhere:
        for _ in pattern.finditer(text):
            pass
    pattern.match(text)
    return time.thread_time() - began


def is_linear(
    pattern: re.Pattern[str], attack: tuple[str, str, str], everywhere: bool = True
) -> bool:
    """Tell whether longer texts take longer in proportion, at least once."""
    before, pump, after = attack
    few, most = 0.0, FIRST
    for length in LENGTHS:
        text = before + pump * (length // len(pump)) + after
        for _ in range(TRIES):
            few = seconds(pattern, text, everywhere)
            if few <= most or few > 10 * most:
                break  # longer texts, or more tries, might take hours
        if few > most:
            return False
        most = GROWTH * few + FLOOR
    return True


ALL = all_patterns()
# Each is tried only where the last one ended; what it passes over is never tried again.
WALKING = {"models.broken_json.TOKEN", "models.broken_json.AFTER"}


def test_all_patterns_are_found() -> None:
    assert len(ALL) > 200
    assert {"messages.wrapping._MARK", "language.text._TOKEN"} <= set(ALL.values())


def test_a_pattern_that_is_not_linear_is_seen() -> None:
    bad = r"[ \t]*<mark>"
    assert not all(is_linear(re.compile(bad), attack) for attack in attacks(bad, 0))


@pytest.mark.parametrize(("source", "flags"), ALL, ids=ALL.values())
def test_a_pattern_is_linear(source: str, flags: int) -> None:
    pattern, everywhere = re.compile(source, flags), ALL[source, flags] not in WALKING
    slow = (a for a in attacks(source, flags) if not is_linear(pattern, a, everywhere))
    assert next(slow, None) is None


@pytest.mark.parametrize("name", sorted(WALKING))
def test_a_pattern_that_walks_is_never_looked_for(name: str) -> None:
    module, _, own = name.rpartition(".")
    source = inspect.getsource(importlib.import_module(f"wangchuan.{module}"))
    assert set(re.findall(rf"\b{own}\b(?! =)(\S{{,7}})", source)) == {".match("}
    others = [
        inspect.getsource(other) for other in modules() if other.__name__ != f"wangchuan.{module}"
    ]
    assert not any(re.search(rf"broken_json import .*\b{own}\b", text) for text in others)


# whole functions, which may be more than linear although every pattern is not

HOSTILE = [
    " ",
    "\n",
    "的",
    "我们今天去看花",
    "一",
    "1",
    "a",
    "A. ",
    "a ",
    "(",
    '"',
    "“",
    "`",
    "，",
    "我a1 ",
]
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "indexed": indexed,
    "asked": asked,
    "language": language,
    "segments": segments,
    "words": words,
    "keywords": keywords,
    "phrase": phrase,
    "fit to a half": lambda text: fit(text, len(text) // 2),
    "fit to a little": lambda text: fit(text, 50),
}
LONG = size("CHARACTERS", 16_000)  # 40,000 in the soak
SECOND = 1.0  # in which so many may always be accepted
FEW = LONG / 160_000  # seconds, which are too few to be compared


@pytest.mark.parametrize("name", FUNCTIONS)
def test_reading_a_text_takes_time_in_proportion_to_its_length(name: str) -> None:
    read = FUNCTIONS[name]

    def taken(text: str) -> float:
        began = time.thread_time()
        read(text)
        return time.thread_time() - began

    for pump in HOSTILE:
        shorter, longer = ((pump * n)[:n] + "x<" for n in (LONG // 4, LONG))
        few = taken(shorter)
        assert any(taken(longer) <= GROWTH * few + FEW for _ in range(TRIES)), pump


@pytest.mark.parametrize("pump", [" ", "我们今天去看花", "I live in Oslo. "])
def test_a_long_text_is_digested_learned_from_and_found_without_freezing(
    tmp_path: Path, pump: str
) -> None:
    text = (pump * LONG)[:LONG] + '<wangchuan-memory id="'
    settings = {"durability": "normal"}
    with Memory.open("a", root=tmp_path, settings=settings, clock=FakeClock()) as memory:
        began = time.thread_time()
        memory.remember(text)
        assert time.thread_time() - began < SECOND
        assert memory.flush(PATIENCE)
        memory.context(text).result(PATIENCE)
        memory.search(text).result(PATIENCE)
