"""What the words around a date make of it.

Some pick a part of it or another time beside it ("the end of May", "the week before", 下午), some
join two into one ("from … to …", 到), some open one end ("since", 之前), and some only assure that
it is a date at all ("in May").  Each is a pattern that ends where the date begins, or begins where
it ends; they look no further than a few words, nor past the date before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from wangchuan.language.dates.almanac import (
    LATEST,
    PARTS,
    UNITS,
    WEEKEND,
    Cycle,
    Here,
    Time,
    about,
    moved,
    stretch,
    third,
)
from wangchuan.language.dates.forms import CN_COUNT, CN_SPAN, COUNT, SPAN, WEEKDAY, W
from wangchuan.language.dates.readers import Match, amount, unit_of, weekday_of
from wangchuan.language.numerals import ORDINALS
from wangchuan.patterns import regex
from wangchuan.types import value

WINDOW = 48  # characters before a date in which the words that change it stand
NESTED = 3  # how many such words may stand before one another


@value
class Named:
    """A time and the words that name it."""

    time: Time
    start: int
    end: int


_LAST_WORD = regex(
    r"\b([A-Za-z]+)[\s-]{1,3}(?:the\s{1,3})?\Z|(自从|截至|截止到?|直到|从|自|由|在)\s?\Z"
)


@value
class _Room:
    """The part of a text around a date in which no other date stands."""

    text: str
    floor: int
    ceiling: int

    @classmethod
    def between(cls, text: str, before: list[Named], after: list[Named]) -> _Room:
        """Return the room between the date before and the date after, where there are any."""
        floor = before[0].end if before else 0
        return cls(text, floor, after[0].start if after else len(text))

    def after(self, one: Named, pattern: re.Pattern[str]) -> Match | None:
        """Return what follows a date at once."""
        return pattern.match(self.text, one.end, self.ceiling)

    def before(self, one: Named, pattern: re.Pattern[str]) -> Match | None:
        """Return what ends where a date begins, within a few words."""
        return pattern.search(self.text, max(self.floor, one.start - WINDOW), one.start)

    def word(self, one: Named) -> tuple[str, int]:
        """Return the word before a date, in small letters and without "the", and its place."""
        m = self.before(one, _LAST_WORD)
        return ((m[1] or m[2]).lower(), m.start()) if m else ("", one.start)


# Narrowing: words that pick a part of a time, or another time beside it -------------------------

Change = Callable[[Match, Time, Here], Time | None]

_THIRDS = {
    "early": 0, "beginning": 0, "start": 0, "初": 0, "上旬": 0, "mid": 1, "middle": 1, "中旬": 1,
    "late": 2, "end": 2, "底": 2, "末": 2, "下旬": 2,
}  # fmt: skip


def _third(m: Match, time: Time, here: Here) -> Time | None:
    """Read "early", "the end of", 月底, 下旬."""
    if time.last - time.first <= timedelta(1):
        return None
    which = _THIRDS[m["third"].lower()]
    cycle = time.cycle and time.cycle.narrowed(which)
    return here.days(third(time.dates(), which), cycle)


def _part(m: Match, time: Time, here: Here) -> Time | None:
    """Read "Friday night", "the morning of", 下午."""
    return here.part(time.first.date(), m["part"]) if time.is_day() else None


def _week_of(_: Match, time: Time, here: Here) -> Time:
    """Read "the week of", 那周."""
    return here.days(UNITS["week"](time.first.date(), 0))


def _itself(_: Match, time: Time, __: Here) -> Time:
    """Read "in", "the month of", which only say that a date follows."""
    return replace(time, sure=True)


def _nth_of(m: Match, time: Time, here: Here) -> Time | None:
    """Read "the second week of", "the last Friday of"."""
    first, after = time.dates()
    if (after - first).days < 14:
        return None
    cycle, last = _round(m), m["nth"].lower() == "last"
    if last:
        return here.days(cycle.ended(after) if cycle else stretch(after - timedelta(7), 7))
    day = first + timedelta(7 * ORDINALS.index(m["nth"].lower()))
    return here.days(cycle.coming(day) if cycle else stretch(day, 7))


def _round(m: Match) -> Cycle | None:
    """Return the weekday or weekend that was said, or None for another unit."""
    if m.groupdict().get("weekday"):
        return weekday_of(m)
    return WEEKEND if m["unit"].lower() == "weekend" else None


def _beside(m: Match, time: Time, here: Here) -> Time:
    """Read "the week before", "the Friday after", 前一周: what touches a time, or is nearest."""
    (first, after), before = time.dates(), m["side"].lower() in _EARLIER
    cycle = _round(m)
    if cycle:
        return here.days(cycle.ended(first) if before else cycle.coming(after))
    many = amount(m)[2] if m.groupdict().get("n") else 1
    if before:
        return here.days((moved(first, unit_of(m), -many), first))
    return here.days((after, moved(after, unit_of(m), many)))


def _away(m: Match, time: Time, here: Here) -> Time:
    """Read "two weeks before", "three days after"."""
    unit, fewest, most = amount(m)
    if m["side"].lower() in _EARLIER:
        return here.days(about(time.dates()[0], unit, -fewest, -most))
    return here.days(about(time.dates()[1] - timedelta(1), unit, fewest, most))


_EARLIER = ("before", "prior to", "preceding", "前")
_SIDE = rf"{W}(?P<side>before|after|prior{W}to|preceding|following)"
_NTHS = "first|second|third|fourth|fifth|last"


def _before(
    words: str, *pairs: tuple[str, Change]
) -> dict[str, list[tuple[re.Pattern[str], Change]]]:
    """Make rules for what stands before a date, to be looked up by its last word."""
    rules = [
        (regex(rf"(?:{pattern})[\s-]{{0,3}}\Z", re.IGNORECASE | re.ASCII), change)
        for pattern, change in pairs
    ]
    return dict.fromkeys(words.split(), rules)


NARROWING = {
    **_before(
        "of",
        (
            rf"\b(?:the{W})?(?P<nth>{_NTHS}){W}(?:(?P<unit>week|weekend)|{WEEKDAY}){W}of",
            _nth_of,
        ),
        (rf"\b(?:the{W})?week{W}of", _week_of),
        (rf"\b(?:the{W})?(?P<part>morning|afternoon|evening|night){W}of", _part),
        (rf"\b(?:the{W})?(?P<third>beginning|start|middle|end){W}of", _third),
        (rf"\b(?:the{W})?(?:month|year){W}of", _itself),
    ),
    **_before("early mid late", (r"\b(?P<third>early|mid|late)", _third)),
    **_before(
        "before after to preceding following",
        (rf"{COUNT}{W}{SPAN}s?{_SIDE}", _away),
        (
            rf"\b(?:the|last|next){W}(?:(?P<unit>day|night|week(?:end)?|month|year)|{WEEKDAY})"
            rf"{_SIDE}",
            _beside,
        ),
    ),
}
FOLLOWING: tuple[tuple[re.Pattern[str], Change], ...] = tuple(
    (regex(pattern, re.IGNORECASE), change)
    for pattern, change in (
        (r"\s(?P<part>morning|afternoon|evening|night)\b", _part),
        (rf"[ 的]?(?P<part>{'|'.join(p for p in PARTS if len(p) == 2)}|晚(?![点些了到]))", _part),
        (
            r"(?:年?(?=[初底末])|的?(?=.旬))"
            r"(?P<third>[初底末](?![一二三四五六七八九十中级])|[上中下]旬)",
            _third,
        ),
        (r"的?(?:那一?个?|当)(?:周|星期|礼拜)", _week_of),
        (rf"的?(?P<side>[前后]){CN_COUNT}{CN_SPAN}", _beside),
    )
)


def narrowed(text: str, found: list[Named], here: Here) -> list[Named]:
    """Apply to each time what its neighbours say of it, first those behind it."""
    done: list[Named] = []
    for place, one in enumerate(found):
        room = _Room.between(text, done[-1:], found[place + 1 : place + 2])
        done.append(_preceded(room, _followed(room, one, here), here))
    return done


def _followed(room: _Room, one: Named, here: Here) -> Named:
    for pattern, change in FOLLOWING:
        m = room.after(one, pattern)
        time = _changed(m, change, one, here)
        if m and time:
            return Named(time, one.start, m.end())
    return one


def _preceded(room: _Room, one: Named, here: Here) -> Named:
    """Apply what stands before a time, and what stands before that: "the end of the week of"."""
    for _ in range(NESTED):
        further = _preceded_once(room, one, here)
        if further is one:
            break
        one = further
    return one


def _preceded_once(room: _Room, one: Named, here: Here) -> Named:
    for pattern, change in NARROWING.get(room.word(one)[0], ()):
        m = room.before(one, pattern)
        time = _changed(m, change, one, here)
        if m and time:
            return Named(time, m.start(), one.end)
    return one


def _changed(m: Match | None, change: Change, one: Named, here: Here) -> Time | None:
    """Return what a change makes of a time; None where it makes nothing the calendar has."""
    try:
        return change(m, one.time, here) if m else None
    except (ValueError, OverflowError, OSError):
        return None


# Joining: two times that are the ends of one, and times that are open at one end ----------------

_GAP = regex(
    r"\s{0,3}(?:(?P<and>and|和|与|跟)|to|until|till|through|thru|[-–—~～到至])\s{0,3}(?:the\s)?",
    re.IGNORECASE,
)
_LIST = regex(r"\s?(?:,?\s(?:and|or|&)\s|[,、和与或]\s?)(?:in\s)?", re.IGNORECASE)
_BETWEEN = regex(r"\s?(?:之间|期间|间)")
_FROM = frozenset(("from", "从", "自", "自从", "由"))
_RANGES = frozenset(("between", "in", "during", "since", "在")) | _FROM
_OPEN = regex(
    r"(?P<since>以来|至今|到(?:现在|目前)|\s(?:to|until|till)\s(?:now|date|the\spresent)\b"
    r"|\sonwards?\b)"
    r"|(?P<before>[之以]前|前(?![一二两三四五六七八九十几半天面后台期途往端景言提任辈男女排\d]))"
    r"|(?P<after>[之以]后|后(?![一二两三四五六七八九十几半天面期台悔续来者果备勤\d]))"
    r"|(?P<begin>起(?![床来飞诉初步因])|开始)|(?P<until>为止)",
    re.IGNORECASE,
)


def _since(time: Time, here: Here) -> Time:
    return Time(time.first, here.now)


def _until_begun(time: Time, here: Here) -> Time:
    return Time(here.epoch(), time.first)


def _until_over(time: Time, here: Here) -> Time:
    return Time(here.epoch(), time.last)


def _once_over(time: Time, here: Here) -> Time:
    """Return what comes after a time: until now, or without an end where that is still to come."""
    end = here.now if time.last < here.now else here.at(LATEST)
    return Time(time.last, end)


Opening = Callable[[Time, Here], Time]
OPENING: dict[str, Opening] = {
    **dict.fromkeys(("since", "begin", "自", "自从"), _since),
    **dict.fromkeys(("until", "till", "by", "截至", "截止", "截止到", "直到"), _until_over),
    "before": _until_begun,
    "after": _once_over,
}
ASSURING = (
    frozenset(("in", "during", "around", "throughout", "between", "year", "在", "on")) | _FROM
)


def joined(text: str, named: list[Named], here: Here) -> list[Named]:
    """Join the ends of ranges, open what is open, and drop what is still unsure."""
    done: list[Named] = []
    place = 0
    while place < len(named):
        one, two, three = (named[i : i + 1] for i in range(place, place + 3))
        both = _range(_Room.between(text, done[-1:], three), one[0], two[0], here) if two else None
        last = both or _opened(_Room.between(text, done[-1:], two), one[0], here)
        if last.time.sure or (done and _LIST.fullmatch(text, done[-1].end, last.start)):
            done.append(last)
        place += 2 if both else 1
    return done


def _range(room: _Room, one: Named, two: Named, here: Here) -> Named | None:
    """Return two times as the ends of one, where the words between and around them say so."""
    gap = _GAP.fullmatch(room.text, one.end, two.start)
    if not gap:
        return None
    word, start = room.word(one)
    closing = room.after(two, _BETWEEN)
    if gap["and"] and not (word == "between" or closing):
        return None
    if not (one.time.sure or two.time.sure or word in _RANGES or closing):
        return None
    time = _from_to(one.time, two.time, here)
    start = start if word == "between" or word in _FROM else one.start
    return Named(time, start, closing.end() if closing else two.end) if time else None


def _from_to(one: Time, two: Time, here: Here) -> Time | None:
    """Return the time from one to the other, where either may take its year from the other."""
    try:
        if two.cycle:
            two = here.days(two.cycle.coming(one.first.date()))
        elif one.cycle:
            one = here.days(one.cycle.begun(two.first.date()))
    except (ValueError, OverflowError):
        return None
    return Time(one.first, two.last) if one.first < two.last else None


def _opened(room: _Room, one: Named, here: Here) -> Named:
    """Open a time at one end where the words around it say so."""
    (word, start), tail = room.word(one), room.after(one, _OPEN)
    if tail and (tail["begin"] is None or word in _FROM):
        start = start if word in _FROM or word in OPENING else one.start
        return _open(one, OPENING[str(tail.lastgroup)], (start, tail.end()), here)
    if word in OPENING:
        return _open(one, OPENING[word], (start, one.end), here)
    return replace(one, time=replace(one.time, sure=True)) if word in ASSURING else one


def _open(one: Named, how: Opening, place: tuple[int, int], here: Here) -> Named:
    """Open a time, unless nothing is left of it then ("since tomorrow")."""
    time = how(one.time, here)
    if time.first < time.last:
        return Named(time, *place)
    return replace(one, time=replace(one.time, sure=True))
