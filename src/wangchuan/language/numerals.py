"""The numbers a text states, as values: 一百, 100 and "one hundred" are one number.

Months and times of day are read as the numbers they are written with, weekdays as "day1" to
"day7". A "one" that may be no more than an article (一只猫, "one of them") is told apart.
"""

from __future__ import annotations

from itertools import groupby

from wangchuan.language.dates.readers import DIGITS, MONTH_NAMES, NUMBERS, ORDINALS
from wangchuan.language.text import words
from wangchuan.patterns import regex

ONE = "one"  # said as a word, where it may be an article
_SCALES = {"百": 1e2, "千": 1e3, "万": 1e4, "亿": 1e8, "k": 1e3, "hundred": 1e2, "thousand": 1e3,
           "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9, "dozen": 12.0}  # fmt: skip
_SPELLED = {w: float(n) for w, n in NUMBERS.items() if w not in _SCALES and len(w) > 2}
_SPELLED |= {word: float(n) for n, word in enumerate(ORDINALS, 1)}
_ENDLESS = frozenset(
    {"adv", "conj", "idiom", "filler", "light", "pron", "part", "generic", "func", "modal", "subj"}
)
_DAY = regex(
    r"(?:周|星期|礼拜)([一二三四五六日天])|\b(mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?s?\b"
)
_DAYS = {d: n for row in ("一二三四五六日", "      天") for n, d in enumerate(row, 1)}
_DAYS |= {d: n for n, d in enumerate(["mon", "tue", "wed", "thu", "fri", "sat", "sun"], 1)}
_NUMBER = regex(
    r"(?P<figures>\d+(?:,\d{3})+(?!\d)|\d+)(?P<rest>\.\d+)?"
    r"(?P<scale>[百千万亿]+| ?(?:hundred|thousand|million|billion|bn|k|m|dozen)\b)?"
    r"|(?P<han>[零〇○一二两三四五六七八九十百千万亿]+)|(?P<word>[a-z]+(?:-[a-z]+)?)"
)
_LATE = regex(r"下午|晚上|傍晚|今晚|\d ?p\.?m\b")
_HALF = regex(r"点半|half past")


def values(text: str) -> set[str]:
    """Return the numbers that a text states."""
    found: set[str] = set(filter(None, [_HALF.search(text.casefold()) and "30"]))
    for word in words(text):
        if word.tag not in _ENDLESS:
            found |= _within(word.text.casefold())
        elif word.text.casefold() == "one":
            found.add(ONE)
    return found


def _within(word: str) -> set[str]:
    days = {f"day{_DAYS[m[1] or m[2]]}" for m in _DAY.finditer(word)}
    parts = [_part(found) for found in _NUMBER.finditer(_DAY.sub(" ", word))]
    late = 12 if _LATE.search(word) else 0
    numbers = [value for part in _joined(parts) for value in {part, _later(part, late)}]
    one = {ONE} if word[0] == "一" and 1.0 in numbers else set()
    return days | one | {f"{n:.10g}" for n in numbers if not (one and n == 1.0)} - {"0"}


def _later(hour: float, late: int) -> float:
    return hour + late if hour < 12 else hour


def _part(found: object) -> float | str | None:
    """Return a number, a scale that multiplies the numbers before it, or None between them."""
    match: dict[str, str | None] = found.groupdict()  # type: ignore[attr-defined]
    if match["figures"]:
        scale = 1.0
        named = (match["scale"] or "").strip()
        for part in [named] if named in _SCALES else named:
            scale *= _SCALES[part]
        return float(match["figures"].replace(",", "") + (match["rest"] or "")) * scale
    if match["han"]:
        return _chinese(match["han"])
    word = match["word"] or ""
    if word in _SCALES:
        return word
    tens, _, ones = word.partition("-")
    if tens in _SPELLED and (not ones or ones in _SPELLED):
        return _SPELLED[tens] + _SPELLED.get(ones, 0.0)
    month = MONTH_NAMES.index(word[:3]) + 1 if _is_month(word) else None
    return "and" if word == "and" else float(month) if month else None


def _is_month(word: str) -> bool:
    return word[:3] in MONTH_NAMES and (len(word) < 5 or word[-1] in "hyretl")


def _joined(parts: list[float | str | None]) -> list[float]:
    """Return the numbers of parts that follow one another: "three", "hundred", "and", "five"."""
    found: list[float] = []
    for spoken, run in groupby(parts, lambda part: part is not None):
        if spoken:
            found += _run([part for part in run if part is not None])
    return found


def _run(parts: list[float | str]) -> list[float]:
    found, open_ = list[float](), False  # whether the last number may still grow
    for part in parts:
        if isinstance(part, float):
            if open_ and part < found[-1] and found[-1] % (10 ** len(f"{part:.0f}")) == 0:
                found[-1] += part
            else:
                found.append(part)
            open_ = False
        elif part != "and":
            found = [*found[:-1], (found[-1] if found else 1.0) * _SCALES[part]]
            open_ = True
    return found


def _chinese(run: str) -> float:
    """Read a Chinese numeral: 三万五千, 二〇二四, 十二."""
    if not set(run) & set("十百千万亿"):
        return float("".join(str(DIGITS[c]) for c in run))
    whole = part = digit = 0.0
    for c in run:
        if c in DIGITS:
            digit = float(DIGITS[c])
        elif c in "万亿":
            whole, part, digit = (whole + part + digit or 1.0) * _SCALES[c], 0.0, 0.0
        else:
            part, digit = part + (digit or 1.0) * {"十": 10.0, **_SCALES}[c], 0.0
    return whole + part + digit
