"""The calendar behind `spans`: units, what comes round again, where one stands.

Days come in pairs, the first and the one after the last, so that neighbours share a border and
lengths are differences.  Weeks begin on Monday, seasons are those of the north and begin with
the months of March, June, September and December.  What the calendar does not have (30 February)
raises ValueError or OverflowError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta

from wangchuan.types import value

Days = tuple[date, date]
Unit = Callable[[date, int], Days]

YEARS = range(1900, 2100)
LATEST = date(YEARS.stop, 1, 1)
SATURDAY = 5
SOON = 14  # days ahead for which a date without a year may be meant, where a text looks ahead
TURNS = 9  # how far to look for the next time; eight years may pass between two 29ths of February


def stretch(first: date, many: int = 1) -> Days:
    """Return that many days from a first one."""
    return first, first + timedelta(many)


def months(count: int, many: int = 1) -> Days:
    """Return that many months; they are counted from January of the year 0."""
    return _first_of(count), _first_of(count + many)


def _first_of(count: int) -> date:
    return date(count // 12, count % 12 + 1, 1)


def month_of(day: date) -> int:
    """Return the number of a day's month, as `months` counts them."""
    return day.year * 12 + day.month - 1


def monday(day: date, weeks: int = 0) -> date:
    """Return the Monday of a day's week, or of one so many weeks later."""
    return day + timedelta(7 * weeks - day.weekday())


UNITS: dict[str, Unit] = {
    "day": lambda day, shift: stretch(day + timedelta(shift)),
    "week": lambda day, shift: stretch(monday(day, shift), 7),
    "weekend": lambda day, shift: stretch(monday(day, shift) + timedelta(SATURDAY), 2),
    "month": lambda day, shift: months(month_of(day) + shift),
    "quarter": lambda day, shift: months((month_of(day) // 3 + shift) * 3, 3),
    "year": lambda day, shift: months((day.year + shift) * 12, 12),
}

# How long a step is, and how many days to either side "three of them ago" may mean.
STEPS: dict[str, tuple[int, int, int]] = {  # days, months, slack
    "day": (1, 0, 0),
    "week": (7, 0, 3),
    "month": (0, 1, 15),
    "half": (0, 6, 45),
    "year": (0, 12, 182),
}
HOURS: dict[str, tuple[int, int]] = {"minute": (60, 300), "hour": (3600, 1800)}  # seconds, slack

# From which hour to which hour of a day; the night ends on the next one.
PARTS: dict[str, tuple[int, int]] = {
    "morning": (5, 12), "早上": (5, 12), "早晨": (5, 12), "清晨": (5, 12), "上午": (5, 12),
    "早": (5, 12), "晨": (5, 12), "中午": (11, 14), "afternoon": (12, 18),
    "下午": (12, 18), "傍晚": (16, 20), "evening": (17, 24), "night": (18, 30), "晚上": (18, 30),
    "夜里": (18, 30), "晚": (18, 30), "夜": (18, 30), "半夜": (22, 30), "凌晨": (0, 6),
}  # fmt: skip


def moved(day: date, unit: str, many: int) -> date:
    """Return the day so many units later, or the last of its month where that day is missing."""
    days, steps, _ = STEPS[unit]
    if days:
        return day + timedelta(days * many)
    first, after = months(month_of(day) + steps * many)
    return min(first + timedelta(day.day - 1), after - timedelta(1))


def about(day: date, unit: str, fewest: int, most: int) -> Days:
    """Return the days meant by "so many units from a day": one unit wide, in the middle of it."""
    slack = timedelta(STEPS[unit][2])
    ends = moved(day, unit, fewest), moved(day, unit, most)
    return min(ends) - slack, max(ends) + slack + timedelta(1)


def third(days: Days, which: int) -> Days:
    """Return the early (0), middle (1) or late (2) third of some days."""
    first, after = days
    many = (after - first).days
    return first + timedelta(many * which // 3), first + timedelta(many * (which + 1) // 3)


@value
class Cycle:
    """What comes round again: its days the n-th time, and the n of about a given day."""

    nth: Callable[[int], Days]
    near: Callable[[date], int]

    def begun(self, day: date) -> Days:
        """Return the latest time that began on a day or before it."""
        return self._first(self._back(day), lambda days: days[0] <= day)

    def ended(self, day: date) -> Days:
        """Return the latest time that was over when a day began."""
        return self._first(self._back(day), lambda days: days[1] <= day)

    def coming(self, day: date) -> Days:
        """Return the first time that begins on a day or after it."""
        return self._first(self._on(day), lambda days: days[0] >= day)

    def present(self, day: date) -> Days:
        """Return the time a day falls into, else the one of the same year, month or week."""
        begun = self.begun(day)
        return begun if day < begun[1] else self.nth(self.near(day))

    def narrowed(self, which: int) -> Cycle:
        """Return the cycle of the early, middle or late third."""
        return Cycle(lambda n: third(self.nth(n), which), self.near)

    def _back(self, day: date) -> range:
        n = self.near(day)
        return range(n + 1, n - TURNS, -1)

    def _on(self, day: date) -> range:
        n = self.near(day)
        return range(n - 1, n + TURNS)

    def _first(self, numbers: Iterable[int], fits: Callable[[Days], bool]) -> Days:
        """Return the first time that fits; some years have no 29 February, some months no 31st."""
        for n in numbers:
            try:
                days = self.nth(n)
            except ValueError:
                continue
            if fits(days):
                return days
        raise ValueError("no year has such a day")


def yearly_months(first: int, many: int) -> Cycle:
    """Return some months of every year, by the first of them (1 is January) and how many."""
    return Cycle(lambda year: months(year * 12 + first - 1, many), lambda day: day.year)


def yearly_days(month: int, first: int, last: int) -> Cycle:
    """Return the days from a first to a last one (both in it) of one month of every year."""

    def nth(year: int) -> Days:
        if last < first:
            raise ValueError("the days run backwards")
        return date(year, month, first), date(year, month, last) + timedelta(1)

    return Cycle(nth, lambda day: day.year)


def monthly(day: int) -> Cycle:
    """Return a day of every month."""
    return Cycle(lambda n: stretch(date(n // 12, n % 12 + 1, day)), month_of)


def weekly(weekday: int, many: int = 1) -> Cycle:
    """Return a day of every week (Monday is 0), or that many days from it on."""
    return Cycle(
        lambda n: stretch(date.fromordinal(7 * n + 1 + weekday), many),
        lambda day: (day.toordinal() - 1) // 7,
    )


WEEKEND = weekly(SATURDAY, 2)


# Moments --------------------------------------------------------------------------------------


@value
class Time:
    """A time that was meant, with its cycle where the words leave the year (or week) open."""

    first: datetime
    last: datetime
    cycle: Cycle | None = None
    sure: bool = True

    def is_day(self) -> bool:
        """Tell whether this is one whole day."""
        return self.last - self.first == timedelta(1) and self.first.time() == time()

    def dates(self) -> Days:
        """Return the days this time covers, as a pair that leaves out its second."""
        return self.first.date(), (self.last - timedelta.resolution).date() + timedelta(1)


@value
class Here:
    """When and where a text is read, and whether it speaks of what is to come."""

    now: datetime
    ahead: Callable[[], bool] = bool

    @property
    def today(self) -> date:
        """The day of the reading."""
        return self.now.date()

    def at(self, day: date, hour: int = 0) -> datetime:
        """Return the moment of an hour of a day; hours from 24 on are of the next."""
        return datetime.combine(day + timedelta(hour // 24), time(hour % 24), self.now.tzinfo)

    def moment(self, seconds: float) -> datetime:
        """Return the moment so many seconds from now, whatever the clocks do in between."""
        return datetime.fromtimestamp(self.now.timestamp() + seconds, self.now.tzinfo)

    def epoch(self) -> datetime:
        """Return the first moment that messages can have."""
        return datetime.fromtimestamp(0, self.now.tzinfo)

    def days(self, days: Days, cycle: Cycle | None = None, *, sure: bool = True) -> Time:
        """Return some whole days."""
        return Time(self.at(days[0]), self.at(days[1]), cycle, sure)

    def part(self, day: date, word: str) -> Time:
        """Return a part of a day, such as its morning."""
        begin, end = PARTS[word.lower()]
        return Time(self.at(day, begin), self.at(day, end))

    def pick(self, cycle: Cycle, shift: int | None = None, *, sure: bool = True) -> Time:
        """Return which time of a cycle is meant: the last, this, the next, or the latest begun."""
        if shift is None:
            return self.days(self._latest(cycle), cycle, sure=sure)
        if shift:
            later = timedelta(1)
            days = cycle.ended(self.today) if shift < 0 else cycle.coming(self.today + later)
        else:
            days = cycle.present(self.today)
        return self.days(days)

    def _latest(self, cycle: Cycle) -> Days:
        latest = cycle.begun(self.today)
        if (self.today - latest[0]).days <= SOON:
            return latest
        coming = cycle.coming(self.today)
        return coming if (coming[0] - self.today).days <= SOON and self.ahead() else latest

    def away(self, unit: str, fewest: int, most: int) -> Time:
        """Return what "so many units ago" means, or from now where the numbers are positive."""
        if unit in HOURS:
            step, slack = HOURS[unit]
            first, last = sorted((fewest * step, most * step))
            return Time(self.moment(first - slack), self.moment(last + slack))
        if unit == "weekend":
            first, last = sorted((fewest, most))
            ends = UNITS[unit](self.today, first)[0], UNITS[unit](self.today, last)[1]
            return self.days(ends)
        return self.days(about(self.today, unit, fewest, most))

    def back(self, unit: str, many: int) -> Time:
        """Return the time from so many units ago until now."""
        if unit in HOURS:
            return Time(self.moment(-many * HOURS[unit][0]), self.now)
        return Time(self.at(moved(self.today, unit, -many)), self.now)
