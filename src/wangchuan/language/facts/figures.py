"""The figures of a text, days, hours and numbers, and how one is put in the place of another."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from wangchuan.language.dates.coming import ISO, day_of
from wangchuan.language.numerals import DAY_NAMES, MONTH_NAMES, NUMBERS, ORDINALS, WEEKDAYS
from wangchuan.patterns import regex

_N = r"(?:\d{1,4}|[零一二两三四五六七八九十百千万]{1,6})"
_MONTH, _WEEKDAY = "|".join(MONTH_NAMES), "|".join(DAY_NAMES)
_SPELLED = "|".join(
    sorted((*(w for w in NUMBERS if len(w) > 2 and w != "one"), *ORDINALS), key=len, reverse=True)
)
_UNIT = "公斤|公里|分钟|小时|年级|个月|个人|[个只条头匹辆台位岁块元楼层人米斤度室天周年]"
FIGURE = regex(
    rf"(?P<day>{ISO}"
    rf"|下个?[周月](?![一二三四五六日天])|next (?:week|month)"
    r"|(?:[下上这本]{1,2}个?)?(?:周|星期|礼拜)[一二三四五六日天末]"
    rf"|{_N}月(?:初?{_N}[号日]?)?|{_N}[号日](?!楼)|大?[明后]天|(?:next |this )?\b(?:{_WEEKDAY})"
    rf"(?:[a-z]{{0,6}}day)?s?\b|\b(?:{_MONTH})[a-z]{{0,6}}\.? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTH})[a-z]{{0,6}}\b"
    r"|(?:the )?\b\d{1,2}(?:st|nd|rd|th)\b(?! \w)|tomorrow\b)"
    rf"|(?P<hour>(?:凌晨|[早晚]上|[上中下]午)?{_N}点(?:半|一刻|{_N}分?)?|\d{{1,2}}:\d\d(?: ?[ap]m)?"
    r"|\d{1,2} ?[ap]m\b|(?:half|quarter) (?:past|to) \w+|noon|midnight"
    rf"|(?:{_SPELLED}) (?:fifteen|thirty|forty-five))"
    rf"|(?:(?P<number>(?<![\w.,-])(?:\d(?:[\d,.]*\d)?(?:'\d+)?(?:st|nd|rd|th)?k?(?:mg|kg|km|cm|lbs?|gb)?(?!\w|-\d)|(?:{_SPELLED})(?:-[a-z]+)?\b)"
    rf"|(?<![A-Za-z\d-])(?:\d[\d,.]*[万千百]?|[零一二两三四五六七八九十百千万]{{2,9}}"
    rf"|[零一二两三四五六七八九十](?={_UNIT}))(?![\d-]))"
    r"|(?P<one>\b(?:an?|one)(?= [a-z])))"
    rf"(?P<unit>{_UNIT}| (?!(?:now|and|as|with|of|in|on|at|an?|per|to|these|instead|or|not|i"
    r"|already|actually|sorry|every|for|today|tomorrow|yesterday|starting|since|if|but|so|only|max)\b)[a-z]+)?",
    re.IGNORECASE,
)
_DAY_ONLY = regex(rf"(?:the )?({_N})(?:st|nd|rd|th|号|日)\Z", re.IGNORECASE)
_DAY = regex(rf"(?<!\d){_N}(?:st|nd|rd|th|号|日)?(?!\d|月)(?=\D*\Z)", re.IGNORECASE)
_WEEK = regex(rf"周|星期|礼拜|\b(?:{_WEEKDAY})", re.IGNORECASE)
_BARE_DAY = regex(rf"(?:周|星期|礼拜)(?P<zh>[一二三四五六日天])\Z|(?P<en>{_WEEKDAY})[a-z]*\Z", re.I)


_KINDS = ("day", "hour", "number", "one")


class Figure(NamedTuple):
    """A day, an hour or a number in a text; `unit` is what is counted, with its end."""

    kind: str
    start: int
    end: int
    unit: str


def figures(text: str) -> list[Figure]:
    """Return the figures of a text."""
    return [*_figures(text)]


@lru_cache(1 << 10)  # asked of the same facts and messages again and again
def _figures(text: str) -> tuple[Figure, ...]:
    return tuple(
        Figure(_kind_of(one), *one.span(), (one["unit"] or "").strip())
        for one in FIGURE.finditer(text)
    )


def _kind_of(found: re.Match[str]) -> str:
    """Return the kind of a figure; a place in a row is none of how many there are."""
    name = next(k for k in _KINDS if found[k])
    return "place" if name == "number" and _PLACE.match(found["number"]) else name


_PLACE = regex(rf"\d{{1,9}}(?:st|nd|rd|th)|(?:{'|'.join(ORDINALS)})", re.IGNORECASE)


def kind(value: str) -> str:
    """Return what kind of value this is: a day, an hour, a number of something, "" for a name."""
    one = next(iter(figures(value)), None)
    whole = one is not None and one.kind != "one" and one.end - one.start == len(value)
    return one.kind if one and whole else ""


def fits(one: Figure, there: Figure) -> bool:
    """Tell whether a figure may stand for another: of one kind, of the same things if of any."""
    if {one.kind, there.kind} == {"hour", "number"}:
        return not (one.unit or there.unit)
    alike = one.unit.rstrip("s") == there.unit.rstrip("s") or (
        bool(one.unit) and there.unit.startswith(one.unit)
    )
    if there.kind == "one":
        return bool(one.unit) and alike
    return one.kind == there.kind and (one.kind != "number" or alike or not one.unit)


def refigured(text: str, right: str, at: float | None) -> Iterator[str]:
    """Yield a text with a figure for the one of its kind; of several, for the last."""
    one = figures(right)[0]
    for there in reversed([there for there in figures(text) if fits(one, there)]):
        raw = text[there.start : there.end]
        unit = (
            "" if one.unit or not there.unit else raw[len(raw.removesuffix(there.unit).rstrip()) :]
        )
        new = _day(raw, right, at) if one.kind == "day" else right + unit
        if new and new.casefold() != raw.casefold():
            yield text[: there.start] + new + text[there.end :]
            return


def _date(text: str) -> date | None:
    """Return the day that is written so; None if there is none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _day(raw: str, right: str, at: float | None) -> str:
    """Return a day as another one is written; a mere weekday is that of the same week."""
    right += "号" if re.search(rf"月{_N}\Z", right) else ""
    if re.match(r"\d{4}-\d\d-", raw) and (only := _DAY_ONLY.match(right)) and only[1].isdigit():
        day = f"{raw[:8]}{int(only[1]):02}"
        return day if _date(day) else ""
    if re.match(r"\d{4}-", raw):
        bare, old = _BARE_DAY.match(right), _date(raw)
        if bare and old:
            weekday = WEEKDAYS[(bare["zh"] or bare["en"]).lower()]
            new = old + timedelta(weekday - old.weekday())
            over = at is not None and str(new) <= day_of("today", at)
            return str(new + timedelta(7)) if over else str(new)
        return day_of(right, at) if at is not None else ""
    if bool(_WEEK.search(raw)) != bool(_WEEK.search(right)):
        return ""
    if _DAY_ONLY.match(right):
        return _DAY.sub(lambda _: right.removeprefix("the "), raw, count=1)
    lead = re.match(r"[下这本]{1,2}个?|(?:next|this) ", raw, re.IGNORECASE)
    return (lead[0] if lead and _BARE_DAY.match(right) else "") + right
