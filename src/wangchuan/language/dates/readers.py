"""What the words of a date mean: one reader for each way of writing it.

A reader is given what a pattern of `forms` found, by the names of its groups, and says which time
is meant.  It says None where the words only look like a date ("this may
help"), and lets the calendar raise ValueError where there is no such day ("2月30号"): then these
words mean no other day either.

Some words are dates only in company: a lone "May", "2021" or "3号" is more often a verb, a number
or a door.  These are returned as not `sure`; `spans` keeps them where a word
around makes them a date ("in May", "since 2021", "从3号到7号") and drops the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from wangchuan.language.dates.almanac import (
    UNITS,
    WEEKEND,
    Cycle,
    Here,
    Time,
    monthly,
    stretch,
    weekly,
    yearly_days,
    yearly_months,
)
from wangchuan.language.numerals import (
    DIGITS,
    MONTH_NAMES,
    NUMBERS,
    ORDINALS,
    WEEKDAYS,
    number,
)

FEW = (2, 6)  # as in "a few days ago"
JUST = -7200.0  # seconds; how far back "just now" reaches

Match = re.Match[str]
Reader = Callable[[Match, Here], Time | None]

# Words and numbers ---------------------------------------------------------------------------


VERBS = ("may", "march")  # in small letters
SURE_MONTHS = ("january", "february", "july", "september", "october", "november", "december")
SHIFTS = {
    "last": -1, "this past": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1,
    "coming": 1, "upcoming": 1, "today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1,
    "day before yesterday": -2, "day after tomorrow": 2,
    "上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2,
    "大前": -3, "前": -2, "去": -1, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3,
}  # fmt: skip
UNIT_NAMES = {
    "night": "day", "天": "day", "周": "week", "星期": "week", "礼拜": "week", "周末": "weekend",
    "月": "month", "季度": "quarter", "年": "year", "分钟": "minute", "小时": "hour",
    "钟头": "hour",
}  # fmt: skip
HALVES = {"hour": ("minute", 30), "month": ("week", 2), "year": ("half", 1)}
SEASONS = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
    "春": 3, "夏": 6, "秋": 9, "冬": 12,
}  # fmt: skip

PIECES = {
    **{said: n for n, said in enumerate(ORDINALS[:4], 1)},
    **{said: n for row in ("1234", "一二三四", "上下") for n, said in enumerate(row, 1)},
}


def amount(m: Match) -> tuple[str, int, int]:
    """Read "a few weeks", "两三天", "half an hour" as a unit and the fewest and most of it."""
    said, unit = m["n"].lower().split(), unit_of(m)
    if said[0] in ("half", "半"):
        if unit not in HALVES:
            raise ValueError(f"half a {unit} is too vague")
        unit, many = HALVES[unit]
        return unit, many, many
    return unit, *_counted(said[-1] if said[-1] != "of" else said[-2])


def _counted(word: str) -> tuple[int, int]:
    if word in ("few", "several", "几", "好几", "数"):
        return FEW
    if len(word) == 2 and all(c in DIGITS for c in word):
        return DIGITS[word[0]], DIGITS[word[1]]
    many = 2 if word == "couple" else NUMBERS.get(word) or number(word)
    return many, many


def unit_of(m: Match) -> str:
    """Return the unit that was said, by the name the almanac has for it."""
    said = m["unit"].lower()
    return UNIT_NAMES.get(said, said)


def shift_of(m: Match) -> int | None:
    """Return how many units "last", 下 and the like point away; None where nothing was said."""
    said = m.groupdict().get("which")
    return None if said is None else SHIFTS[" ".join(said.lower().split())]


def weekday_of(m: Match) -> Cycle:
    """Return the day of the week that was said."""
    return weekly(WEEKDAYS[m["weekday"][:3].lower()])


# Readers --------------------------------------------------------------------------------------


def habit(m: Match, _: Here) -> Time:
    """Refuse what is done again and again: it has no date, nor has any word of it."""
    raise ValueError(f"a habit, not a date: {m[0]}")


def _year_of(m: Match, here: Here) -> int | None:
    """Return the year that was said, in figures or as last year, or None."""
    said = m.groupdict()
    if said.get("year"):
        return number(said["year"])
    if said.get("short"):
        return 2000 + number(said["short"])
    era = said.get("era")
    return None if era is None else here.today.year + SHIFTS[era.lower()]


def _in_year(m: Match, here: Here, cycle: Cycle, *, sure: bool = True) -> Time:
    """Return a yearly thing in the year that was said, else as `Here.pick` has it."""
    year = _year_of(m, here)
    if year is not None:
        return here.days(cycle.nth(year))
    return here.pick(cycle, shift_of(m), sure=sure)


def _english_month(m: Match) -> int:
    return MONTH_NAMES.index(m["month"][:3].lower()) + 1


def english_date(m: Match, here: Here) -> Time:
    """Read "May 3rd", "3-7 May 2023", "the third of May"."""
    day = int(m["day"]) if m["day"] else ORDINALS.index(m["word"].lower()) + 1
    cycle = yearly_days(_english_month(m), day, int(m["to"] or day))
    return _in_year(m, here, cycle, sure=m["month"] not in VERBS or bool(m["firm"]))


def whole_month(m: Match, here: Here) -> Time | None:
    """Read "May 2023", "last May" and, unsure where it may be a verb or a name, "May"."""
    if m["which"] and m["month"] in VERBS and (m["the"] or m["which"].lower() == "this"):
        return None
    sure = m["month"].lower() in SURE_MONTHS
    return _in_year(m, here, yearly_months(_english_month(m), 1), sure=sure)


def weekday(m: Match, here: Here) -> Time:
    """Read "last Friday", "Friday" and, unsure, "Fri"."""
    return here.pick(weekday_of(m), shift_of(m), sure=m["weekday"].lower().endswith("day"))


def weekday_of_week(m: Match, here: Here) -> Time:
    """Read "Friday last week", 上周五."""
    return here.days(weekday_of(m).coming(UNITS["week"](here.today, shift_of(m) or 0)[0]))


def chinese_weekday(m: Match, here: Here) -> Time:
    """Read 周五, the latest one."""
    return here.pick(weekday_of(m))


def unit(m: Match, here: Here) -> Time:
    """Read "last week", "this month", 下个季度."""
    return here.days(UNITS[unit_of(m)](here.today, shift_of(m) or 0))


def part_of_day(m: Match, here: Here) -> Time:
    """Read "this morning", "last night", "tonight", 昨晚."""
    return here.part(here.today + timedelta(shift_of(m) or 0), m["part"] or "night")


def relative_day(m: Match, here: Here) -> Time:
    """Read "yesterday", 后天."""
    return here.days(UNITS["day"](here.today, shift_of(m) or 0))


def weekend(_: Match, here: Here) -> Time:
    """Read "over the weekend", 周末: the latest one."""
    return here.pick(WEEKEND)


def ago(m: Match, here: Here) -> Time:
    """Read "two weeks ago", 三天前."""
    unit, fewest, most = amount(m)
    return here.away(unit, -fewest, -most)


def lately(m: Match, here: Here) -> Time:
    """Read 前几天, 前两天, which count loosely."""
    return here.away(unit_of(m), -1, -3 if m["n"] == "两" else -FEW[1])


def from_now(m: Match, here: Here) -> Time:
    """Read "two weeks from now"."""
    return here.away(*amount(m))


def trailing(m: Match, here: Here) -> Time:
    """Read "the past two weeks", "the last month", 最近三天: until now."""
    unit, _, most = amount(m) if m["n"] else (m["whole"].lower(), 1, 1)
    return here.back(unit, most)


def just(_: Match, here: Here) -> Time:
    """Read "just now", 刚才."""
    return Time(here.moment(JUST), here.now)


def season(m: Match, here: Here) -> Time | None:
    """Read "summer 2022", "last winter", 去年夏天; a season alone is no date."""
    if shift_of(m) is None and _year_of(m, here) is None:
        return None
    return _in_year(m, here, yearly_months(SEASONS[m["season"].lower()], 3))


def piece(m: Match, here: Here) -> Time:
    """Read "Q3 2022", "the first half of last year", 二季度, 下半年; "Q3" alone unsurely."""
    said, what = m["nth"].lower(), m["what"].lower()
    many = 6 if what in ("h", "half", "半年") else 3
    first = 1 + many * (PIECES[said] - 1)
    if first > 12:
        raise ValueError("a year has two halves")
    return _in_year(m, here, yearly_months(first, many), sure=what not in ("q", "h"))


def year(m: Match, here: Here) -> Time:
    """Read a year or two of them in figures, which are unsure."""
    first, last = date(int(m["year"]), 1, 1), date(int(m["to"] or m["year"]), 1, 1)
    return here.days((first, UNITS["year"](last, 0)[1]), sure=False)


def chinese_year(m: Match, here: Here) -> Time:
    """Read 2021年, 去年."""
    return _in_year(m, here, yearly_months(1, 12))


def figures(m: Match, here: Here) -> Time:
    """Read "2023-05-03"."""
    return here.days(stretch(date(int(m["year"]), int(m["month"]), int(m["day"]))))


def figures_day_first(m: Match, here: Here) -> Time | None:
    """Read "13.5.2023" and "5/13/2023", where only one of the two can be the month."""
    month, day = sorted((int(m["one"]), int(m["two"])))
    if day <= 12 and day != month:
        return None
    return here.days(stretch(date(int(m["year"]), month, day)))


def month_in_figures(m: Match, here: Here) -> Time:
    """Read "2023-05"."""
    return _in_year(m, here, yearly_months(_real_month(m["month"]), 1))


def _real_month(text: str) -> int:
    month = number(text)
    if not 1 <= month <= 12:
        raise ValueError("a year has twelve months")
    return month


def chinese_date(m: Match, here: Here) -> Time:
    """Read 2023年5月, 五月三号, 去年5月3日到7日, 3到6月."""
    month = _real_month(m["month"])
    if m["day"]:
        days = number(m["day"]), number(m["to"] or m["day"])
        return _in_year(m, here, yearly_days(month, *days))
    first = _real_month(m["from"] or m["month"])
    return _in_year(m, here, yearly_months(first, (month - first) % 12 + 1))


def day_in_month(m: Match, here: Here) -> Time:
    """Read 上个月3号到7号."""
    first, last = monthly(number(m["day"])), monthly(number(m["to"] or m["day"]))
    n = first.near(here.today) + (shift_of(m) or 0)
    return here.days((first.nth(n)[0], last.nth(n)[1]))


def day_alone(m: Match, here: Here) -> Time:
    """Read 3号, which is unsure: it may be a door or a player."""
    return here.pick(monthly(number(m["day"])), sure=False)
