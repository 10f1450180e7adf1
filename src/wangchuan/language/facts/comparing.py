"""How a new claim stands to an old one that answers the same question."""

import re

from wangchuan.language.dates import coming
from wangchuan.language.facts.claims import Claim
from wangchuan.language.numerals import MONTH_NAMES, number
from wangchuan.language.text import HAN
from wangchuan.patterns import regex

_HAN = regex(f"[{HAN}]")
ISO = regex(coming.ISO)
_NUMERAL = regex("[零〇一二三四五六七八九十百]{1,20}")
# Values that are no words of the speaker's: the marks of shapes.
MARKS = frozenset({"likes", "dislikes", "none", "allergic", "has", "ended", "is", "will"})


def compared(old: Claim, new: Claim) -> str:
    """Say how a new claim stands to an old one of the same slot: same, finer, other or apart.

    "same" says no more than the old one; "finer" says the same and more; "other" cannot be true
    with it; "apart" may be true with it, or it cannot be told.
    """
    if old.when != new.when and ISO.search(old.when) and ISO.search(new.when):
        return "apart"  # each is true on its day
    if old.slot == "birthday":
        return _dates(_date(old.value), _date(new.value))
    if old.slot == "possession":
        return _owned(old, new)
    left, right = _plain(old.value), _plain(new.value)
    if left == right:
        return "same"
    if MARKS & {left, right}:
        return "other"
    if _within(right, left):
        return "same"
    if _within(left, right):
        return "finer"
    alike = bool(_HAN.search(left)) == bool(_HAN.search(right))
    return "other" if alike else "apart"


def contradicts(new: Claim, old: Claim) -> bool:
    """Tell whether denying a new claim denies an old one of the same slot."""
    if old.slot == "possession":
        return old.value == new.value
    return compared(old, new) == "same"


def _owned(old: Claim, new: Claim) -> str:
    """Compare possessions: the loss of a thing is another state of it, a second one is apart."""
    if old.value != new.value:
        return "other"
    left, right = _plain(old.noun), _plain(new.noun)
    if left == right or _within(right, left):
        return "same"
    if _COUNT.sub("", left) != _COUNT.sub("", right):
        return "apart"
    return "same" if _ONE.match(right) else "other"


_MEASURE = "[只条头匹辆台部架艘套栋间把个位]"
_COUNT = regex(
    rf"^(?:[\d一二两三四五六七八九十俩几]+{_MEASURE}?|{_MEASURE}|an?|one|two|three|four|five|six"
    r"|several)\s*|s$"
)
_ONE = regex(rf"1?{_MEASURE}|an? ")  # "a cat" does not deny the second


def _plain(text: str) -> str:
    """Return a value without case, spaces around it and Chinese numerals."""
    return _NUMERAL.sub(lambda found: str(number(found[0])), text.casefold().strip())


def _within(part: str, whole: str) -> bool:
    """Tell whether a value is a part of another, in whole words where words are spaced."""
    if not part:
        return False
    if _HAN.search(part):
        return part in whole
    return re.search(rf"(?<!\w){re.escape(part)}(?!\w)", whole) is not None


_YEAR = regex(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_MONTH_DAY = regex(r"(?P<m>\d{1,2})[月/.-](?:初)?(?P<d>\d{1,2})?")
_MONTH_NAME = regex(rf"\b({'|'.join(MONTH_NAMES)})")
_DAY = regex(r"(?<!\d)([0-3]?\d)(?:st|nd|rd|th)?(?![\d月/-])")
_Date = tuple[str | None, str | None, str | None]


def _date(text: str) -> _Date:
    """Read the year, month and day that a birthday names."""
    text = _plain(text)
    year = _YEAR.search(text)
    rest = _YEAR.sub("", text)
    figures, name = _MONTH_DAY.search(rest), _MONTH_NAME.search(rest)
    if figures:
        month, day = figures["m"], figures["d"]
    else:
        found = _DAY.search(rest)
        month, day = str(1 + MONTH_NAMES.index(name[1])) if name else None, found and found[1]
    return (year and year[0], month and month.lstrip("0"), day and day.lstrip("0"))


def _dates(old: _Date, new: _Date) -> str:
    """Compare two dates of which some parts may be unknown."""
    pairs = list(zip(old, new, strict=True))
    if any(left and right and left != right for left, right in pairs):
        return "other"
    return "finer" if any(right and not left for left, right in pairs) else "same"
