"""Dates as people write them, in Chinese and English, and the words for a date.

Reading goes in three steps.  Forms (`date_forms`) find the words that name a time by themselves:
"May 3rd", 上周五, "two weeks ago".  The words around them (`date_context`) narrow it, join two or
open one end: "the week before", "from … to …", 以来.  What is still unsure then, such as a "May"
that nothing makes a month, is dropped.

Everything is read as seen from one moment.  A date without its year is the latest that has begun:
people ask a memory about what was.  Words that point ahead ("next", 明, 下) are taken at their
word, and in a text that looks ahead a date without its year may be up to two weeks ahead.

    last, this, next week         of the calendar, and so months, quarters, years and weekends;
                                  weeks begin on Monday
    last, next Friday             the nearest before and after today; so are months and seasons
    Friday, May 3, May, 周五        the latest begun, today included
    the past three weeks, 最近三天  from the beginning of that day until now
    three weeks ago, 三周前         a week around that day; a month ago is a month wide, a day a day
    a few days ago, 几天前          two to six of them
    since May, 五月以来             until now
    before May, until May         from 1970 on, as no message is older
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, tzinfo
from functools import partial

from wangchuan.language.dates.almanac import YEARS, Here, Time
from wangchuan.language.dates.context import Named, joined, narrowed
from wangchuan.language.dates.forms import FIGURES, FORMS, Form
from wangchuan.language.numerals import DAY_NAMES, MONTH_NAMES
from wangchuan.language.words import DAYS, MONTHS
from wangchuan.patterns import regex
from wangchuan.types import value


@value
class Span:
    """A time named in a text, [first, last) in seconds since 1970; its words are [start, end)."""

    first: float
    last: float
    words: str
    start: int
    end: int


def spans(text: str, now: float, zone: tzinfo | None = None) -> list[Span]:
    """Return the times a text names, in order, as seen from a moment in a zone (or the local one).

    Never fails: what is no date of the years 1900 to 2099 is passed over.
    """
    forms = _cued(text)
    here = _here(now, zone, text) if forms else None
    if here is None:
        return []
    named = narrowed(text, _longest(text, forms, here), here)
    return [span for one in joined(text, named, here) if (span := _span(text, one))]


def _here(now: float, zone: tzinfo | None, text: str) -> Here | None:
    """Return where a reader stands, or None at a moment that no calendar has."""
    try:
        moment = datetime.fromtimestamp(now, zone)
    except (ValueError, OverflowError, OSError):
        return None
    return Here(moment, partial(_looks_ahead, text)) if moment.year in YEARS else None


def _span(text: str, one: Named) -> Span | None:
    """Turn a time into seconds; None for a day that its zone skipped, or of a far year."""
    try:
        first, last = one.time.first.timestamp(), one.time.last.timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    if first >= last or one.time.first.year not in YEARS:
        return None
    return Span(first, last, text[one.start : one.end], one.start, one.end)


# Finding --------------------------------------------------------------------------------------

_CUES: dict[str, list[int]] = {}
for _place, _form in enumerate(FORMS):
    for _cue in _form.cue:
        _CUES.setdefault(_cue, []).append(_place)
_WORDS = regex(rf"[a-z]+|[{''.join(cue for cue in _CUES if cue >= '一')}]")
_ASCII_WORDS = "".join(chr(n).lower() if chr(n).isalpha() else " " for n in range(128))
_FIGURE = regex(r"[12][09]\d\d")
_AHEAD = regex(
    r"\b(?:next|tomorrow|upcoming|will|plan(?:s|ned|ning)?|going\sto)\b|'ll\b"
    r"|明[天年早晚]|下个?(?:周|月|星期|礼拜)|打算|准备|计划",
    re.IGNORECASE,
)


def _cued(text: str) -> list[Form]:
    """Return the forms worth trying: a cheap look that spares most texts the rest."""
    # Splitting is three times as fast as a pattern, where the table knows every letter.
    plain = text.isascii()
    words = text.translate(_ASCII_WORDS).split() if plain else _WORDS.findall(text.lower())
    if _FIGURE.search(text):
        words.append(FIGURES)
    if _CUES.keys().isdisjoint(words):
        return []
    return [FORMS[place] for place in sorted({p for word in words for p in _CUES.get(word, ())})]


def _looks_ahead(text: str) -> bool:
    """Tell whether a text speaks of what is to come."""
    return bool(_AHEAD.search(text))


def _longest(text: str, forms: list[Form], here: Here) -> list[Named]:
    """Return what the forms find, in order; of two that overlap the longer wins, date or not."""
    claims = [claim for form in forms for claim in _claims(text, form, here)]
    taken, kept = bytearray(len(text)), []
    for start, end, time in sorted(claims, key=lambda claim: (claim[0] - claim[1], claim[0])):
        if 1 not in taken[start:end]:
            taken[start:end] = b"\1" * (end - start)
            kept += [Named(time, start, end)] if time else []
    return sorted(kept, key=lambda one: one.start)


def _claims(text: str, form: Form, here: Here) -> Iterator[tuple[int, int, Time | None]]:
    """Yield where a form reads a time, or None where it reads a day that no calendar has."""
    for m in form.pattern.finditer(text):
        try:
            time = form.reader(m, here)
        except (ValueError, OverflowError, OSError):
            yield m.start(), m.end(), None
        else:
            if time is not None:
                yield m.start(), m.end(), time


# Writing --------------------------------------------------------------------------------------

_CHINESE_MONTHS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_SUFFIXES = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def day_at(at: float, zone: tzinfo | None = None) -> date | None:
    """Return the day of a moment; None for one that no calendar has."""
    try:
        return datetime.fromtimestamp(at, zone).date()
    except (ValueError, OverflowError, OSError):
        return None


def told(at: float, now: float, tongue: str) -> str:
    """Return the day of a moment for readers: 2026-03-02, or 2 March (2025, if that is not now)."""
    day, today = day_at(at), day_at(now)
    if day is None or tongue == "zh":
        return str(day or "")
    year = "" if today and day.year == today.year else f" {day.year}"
    return f"{day.day} {_full(MONTHS, MONTH_NAMES[day.month - 1]).capitalize()}{year}"


def today(now: float, tongue: str) -> str:
    """Return a sentence that says what day it is; none at a moment that no calendar has."""
    day = day_at(now)
    if day is None:
        return ""
    if tongue == "zh":
        return (
            f"今天是{day.year}年{day.month}月{day.day}日，星期{'一二三四五六日'[day.weekday()]}。"
        )
    weekday = _full(DAYS, DAY_NAMES[day.weekday()]).capitalize()
    month = _full(MONTHS, MONTH_NAMES[day.month - 1]).capitalize()
    return f"Today is {weekday}, {day.day} {month} {day.year}."


def written(at: float, zone: tzinfo | None = None) -> str:
    """Return the words people use for the day of a moment, in both languages, for an index.

    Twelve words between single spaces, in small letters; none for a moment that no calendar has.
    They stand so that "8th may", "may 8" and "may 8 2023" are phrases of it.
    """
    day = day_at(at, zone)
    if day is None:
        return ""
    month, weekday = day.month, day.weekday()
    return (
        f"{day.day}{_SUFFIXES.get(day.day, 'th')} {_full(MONTHS, MONTH_NAMES[month - 1])} {day.day}"
        f" {day.year} {_full(DAYS, DAY_NAMES[weekday])} {day.year}年 {month}月"
        f" {_CHINESE_MONTHS[month - 1]}月 {month}月{day.day}日 {month}月{day.day}号"
        f" 周{'一二三四五六日'[weekday]} 星期{'一二三四五六天'[weekday]}"
    )


def _full(names: list[str], short: str) -> str:
    """Return the whole of a name that begins so, from a list with the longest first."""
    return next(name for name in map(str.lower, names) if name.startswith(short))
