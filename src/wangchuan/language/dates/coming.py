"""The day that words for a time mean where something is kept: 明天 is a date, and one day past.

What is kept is read much later than it was said. So a plan, a state and a promise carry the date
they mean, 2026-03-04, a stretch of days as 2026-03-07/2026-03-08, a month as 2026-04. Other than in
questions about the past (`spans`), a day without its year or week is one that has yet to come.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta, tzinfo
from typing import NamedTuple

from wangchuan.language.dates.almanac import moved
from wangchuan.language.dates.spans import Span, day_at, spans
from wangchuan.language.numerals import NUMBERS, number
from wangchuan.language.text import HAN
from wangchuan.patterns import regex

ISO = r"\d{4}-\d\d(?:-\d\d(?:/\d{4}-\d\d-\d\d)?)?"
_ISO = regex(rf"(?<![\d-]){ISO}(?![\d-])")
_RELATIVE = regex(
    r"[明去后前]年|大后天|[今明昨后前]天|[今明昨][晚早]|(?:下下|[下上这本])个?(?:(?:周|星期|礼拜)[一二三四五六日天末]?|月)"
    r"|\b(?:the day after tomorrow|today|tomorrow|tonight|yesterday|(?:next|this|last) \w+"
    r"|later today)\b",
    re.IGNORECASE,
)
_BEHIND = regex(r"昨|前天|去年|上[个周星礼]|\b(?:yesterday|last|ago)\b", re.IGNORECASE)
_WEEKLY = regex(r"周|星期|礼拜|week|day\b", re.IGNORECASE)
_IN = regex(
    r"\bin (?P<many>an?|\w+|\d{1,3}) (?P<unit>day|week|month|year)s?\b"
    r"|(?P<zh>\d{1,3}|[一二两三四五六七八九十]{1,3})个?(?P<of>天|周|星期|礼拜|月|年)(?:以|之)?后",
    re.I,
)
_UNITS = {"天": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_TONIGHT = regex("今晚|晚上|tonight|later|evening|下午|afternoon", re.IGNORECASE)
_HAN = regex(f"[{HAN}]")


def day_of(words: str, now: float, zone: tzinfo | None = None) -> str:
    """Return the date that words mean, said at a moment of what is then or to come; "" if none."""
    if (today := day_at(now, zone)) is None:
        return ""
    for span in spans(words, now, zone):
        return _written(*_ahead(span, today, zone), bool(_HAN.search(words)))
    return next((day.date for day in _counted(words, today)), "")


class Day(NamedTuple):
    """A day to come, or a stretch of days, where words name it."""

    start: int
    end: int
    date: str


def _counted(words: str, today: date) -> Iterator[Day]:
    """Yield the days that are told by how far ahead they are: in three days, 两周后."""
    for found in _IN.finditer(words):
        told, unit = found["many"] or found["zh"], found["unit"] or _UNITS[found["of"]]
        many = number(told) if found["zh"] or told.isdigit() else NUMBERS.get(told.lower())
        if many:
            yield Day(found.start(), found.end(), str(moved(today, unit.lower(), many)))


def days_ahead(text: str, now: float, zone: tzinfo | None = None) -> list[Day]:
    """Return the days to come that a text names, tonight among them, in order."""
    if (today := day_at(now, zone)) is None:
        return []
    found = list(_counted(text, today))
    for span in spans(text, now, zone):
        first, last = _ahead(span, today, zone)
        if first > today or (first == today and _TONIGHT.search(span.words)):
            zh = bool(_HAN.search(span.words))
            found.append(Day(span.start, span.end, _written(first, last, zh)))
    return sorted(found)


def _ahead(span: Span, today: date, zone: tzinfo | None) -> tuple[date, date]:
    """Return the first and the last day of a span, the next of its kind if it is over."""
    first = datetime.fromtimestamp(span.first, zone).date()
    last = first
    if span.last - span.first > 86_400:
        last = datetime.fromtimestamp(span.last - 1, zone).date()
    if last >= today or _BEHIND.search(span.words):
        return first, last
    if _WEEKLY.search(span.words):
        return first + timedelta(7), last + timedelta(7)
    return moved(first, "year", 1), moved(last, "year", 1)


_SEASONS = {
    3: ("春天", "spring"),
    6: ("夏天", "summer"),
    9: ("秋天", "autumn"),
    12: ("冬天", "winter"),
}


def _written(first: date, last: date, zh: bool) -> str:
    """Return a stretch of days in figures; a year or a season as people say it."""
    if first == last or first.year == 1970:  # until a day
        return str(last)
    whole = first.day == 1 and (last + timedelta(1)).day == 1
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    if whole and months == 12 and first.month == 1:
        return f"{first.year}年" if zh else str(first.year)
    if whole and months == 3 and first.month in _SEASONS:
        season = _SEASONS[first.month][not zh]
        return f"{first.year}年{season}" if zh else f"{season} {first.year}"
    return f"{first:%Y-%m}" if whole and months == 1 else f"{first}/{last}"


def dated(text: str, now: float, zone: tzinfo | None = None) -> str:
    """Return a text with the dates that its words for near days mean, said at a moment."""
    for span in reversed(spans(text, now, zone)):
        if near := _RELATIVE.search(text, span.start, span.end):
            before, behind = text[: span.start], text[span.end :]
            day = day_of(span.words, now, zone)
            on = "on " if day.count("-") > 1 else "in "
            if _HAN.search(near[0]) or before.endswith(
                ("on ", "in ", "by ", "of ", "to ", "from ")
            ):
                on = ""
            text = before + on + day + behind
    return text


def as_of(text: str, now: float, zone: tzinfo | None = None) -> str:
    """Return a kept text as it is to be read at a moment: if its last date is over, it says so."""
    last = max((day for found in _ISO.finditer(text) for day in found[0].split("/")), default="")
    if not last or str(day_at(now, zone) or "")[: len(last)] <= last:
        return text
    return text + ("（已过去）" if _HAN.search(text) else " (in the past)")
