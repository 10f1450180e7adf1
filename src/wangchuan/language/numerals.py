"""The numbers a text states, as values: 一百, 100 and "one hundred" are one number.

Months are read as the numbers they are written with, weekdays as "day1" to "day7". A "one" is no
number: it may be no more than an article (一只猫, "one of them").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from wangchuan.language.text import Word, words
from wangchuan.language.words import MONTHS, NUMBER_WORDS, NUMERALS
from wangchuan.patterns import regex


def _row(listed: str) -> list[str]:
    """Turn "word word …" into a list."""
    return listed.split()


MONTH_NAMES = _row("jan feb mar apr may jun jul aug sep oct nov dec")
DAY_NAMES = _row("mon tue wed thu fri sat sun")
_TIMES = (*range(2, 20), *range(20, 100, 10))
NUMBERS = {"a": 1, "an": 1, "one": 1, **dict(zip(NUMBER_WORDS.split(), _TIMES, strict=False))}
ORDINALS = _row("""
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first
    twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh
    twenty-eighth twenty-ninth thirtieth thirty-first
""")
DIGITS = {c: n for n, row in enumerate(_row("零〇○ 一 二两 三 四 五 六 七 八 九")) for c in row}
WEEKDAYS = {name: n % 7 for n, name in enumerate((*DAY_NAMES, *"一二三四五六日"))} | {"天": 6}

_HAN_SCALES = {"亿": 10**8, "万": 10**4, "千": 1000, "百": 100, "十": 10}  # the largest first
_SCALES = _HAN_SCALES | {"hundred": 100, "k": 1000, "thousand": 1000, "m": 10**6, "dozen": 12,
                         "million": 10**6, "bn": 10**9, "billion": 10**9}  # fmt: skip
_SPELLED = {word: n for word, n in NUMBERS.items() if n > 1} | {
    word: n for n, word in enumerate(ORDINALS, 1)
}
_COUNTLESS = frozenset(
    {"adv", "conj", "idiom", "filler", "light", "pron", "part", "generic", "func", "modal", "subj"}
)
_DAY = regex(rf"(?:周|星期|礼拜)([一二三四五六日天])|\b({'|'.join(DAY_NAMES)})(?:[a-z]*day)?s?\b")
_NUMBER = regex(
    r"(?P<figures>\d+(?:,\d{3})+(?!\d)|\d+)(?P<rest>\.\d+)?"
    r"(?P<scale>[百千万亿]+| ?(?:hundred|thousand|million|billion|bn|k|m|dozen)\b)?"
    rf"|(?P<han>[{NUMERALS}]{{1,20}})|(?P<word>[a-z]+(?:-[a-z]+)?)"
)
_HALF = regex(r"点半|half past")


def number(text: str) -> int:
    """Read a whole number in figures or in Chinese: 三万五千, 二〇二四, 十二, 12."""
    for scale, times in _HAN_SCALES.items():
        many, found, rest = text.partition(scale)
        if found:
            return (number(many) if many else 1) * times + (number(rest) if rest else 0)
    return int("".join(str(DIGITS.get(c, c)) for c in text))


def values(text: str, found: Iterable[Word] | None = None) -> set[str]:
    """Return the numbers that a text states; `found` are its words, if they are known."""
    stated = {"30"} if _HALF.search(text.casefold()) else set()
    for word in words(text) if found is None else found:
        if word.tag not in _COUNTLESS:
            stated |= _within(word.text.casefold())
    return stated


def _within(word: str) -> set[str]:
    days = {f"day{WEEKDAYS[m[1] or m[2]]}" for m in _DAY.finditer(word)}
    parts = map(_part, _NUMBER.finditer(_DAY.sub(" ", word)))
    runs = [[*run] for spoken, run in groupby(parts, lambda part: part is not None) if spoken]
    return days | {f"{n:.10g}" for run in runs for n in _joined(run)} - {"0", "1"}


def _part(match: re.Match[str]) -> float | str | None:
    """Return a number, a scale that multiplies the numbers before it, or None between them."""
    if match["figures"]:
        many = float(match["figures"].replace(",", "") + (match["rest"] or ""))
        named = (match["scale"] or "").strip()
        for part in [named] if named in _SCALES else named:
            many *= _SCALES[part]
        return many
    if match["han"]:
        return float(number(match["han"]))
    word = match["word"]
    if word in _SCALES or word == "and":
        return word
    if word.title() in MONTHS:
        return MONTH_NAMES.index(word[:3]) + 1.0
    tens, _, ones = word.partition("-")
    spelled = _SPELLED.get(word) or _SPELLED.get(tens, 0) + _SPELLED.get(ones, 0)
    return float(spelled) if spelled else None


def _joined(parts: Iterable[float | str | None]) -> list[float]:
    """Return the numbers of parts that follow one another: "three", "hundred", "and", "five"."""
    found, open_ = list[float](), False  # whether the last number may still grow
    for part in parts:
        if isinstance(part, float):
            if open_ and part < found[-1] and found[-1] % (10 ** len(f"{part:.0f}")) == 0:
                found[-1] += part
            else:
                found.append(part)
            open_ = False
        elif part and part != "and":
            found = [*found[:-1], (found[-1] if found else 1.0) * _SCALES[part]]
            open_ = True
    return found
