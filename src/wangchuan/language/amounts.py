"""Numbers, amounts, dates, times and telephone numbers: each is one word, however it is written."""

import re
from collections.abc import Iterable

from wangchuan.language.words import (
    BOUNDS,
    DAY_PARTS,
    DAYS,
    ENGLISH_BOUNDS,
    HAN,
    MONTHS,
    NUMBER_WORDS,
    NUMERALS,
    SCALES,
    UNITS,
    WEIGHTS,
    Word,
)
from wangchuan.patterns import regex

Span = tuple[int, int]


def _any(listed: Iterable[str]) -> str:
    """Return a pattern for any of the listed words; a _ in them stands for a space."""
    return "(?:" + "|".join(re.escape(word).replace("_", " ") for word in listed) + ")"


# A number goes with what stands before it (a sign, a currency, a month) and what follows it.
_MONTH = _any(MONTHS) + r"\b\.?"
_LEAD = regex(
    r"(?:(?<![A-Za-z0-9_)])[-+−±~≈<>≤≥#№]|(?:US|A)?[$€£¥￥₹] ?|\("
    rf"|(?<![A-Za-z])(?:{_MONTH}|{_any(DAYS)},?|(?i:{_any(ENGLISH_BOUNDS)})) "
    rf"|[{NUMERALS}]|(?:{_any(DAY_PARTS + BOUNDS)}) ?){{1,24}}\Z"
)
_LEAD_ENDS = frozenset(
    " ($€£¥￥₹-+−±~≈<>≤≥#№" + NUMERALS + "".join(word[-1] for word in DAY_PARTS + BOUNDS)
)
_REACH = 3  # words before a number in which its beginning is sought
_DIGITS = r"\d+(?:[.,:/]\d+)*"
_COUNT = rf"(?:{_DIGITS}|[{NUMERALS}]+(?:点[{NUMERALS}]+)?)"
_MEASURED = rf"{_COUNT}(?: ?[-至到~] ?{_COUNT})? ?{_any(UNITS)}[半多余来]?"
_SPELLED = _any(NUMBER_WORDS.split())
_TAIL = regex(
    rf"{_MEASURED}(?: ?(?:{_any(DAY_PARTS)})?[-至到~]? ?{_MEASURED}|[{NUMERALS}]+(?![{HAN}]))*"
    rf"|[{NUMERALS}]+"
    rf"|(?<=etween )(?:{_DIGITS}|(?i:{_SPELLED})) and (?:{_DIGITS}|(?i:{_SPELLED}))\b"
    rf"|(?i:{_SPELLED})(?:(?:[ -](?i:and )?| to )(?i:{_SPELLED})\b)*(?: {_any(SCALES)}\b)*"
    rf"|{_DIGITS}(?:st|nd|rd|th)?\b\)?(?:(?:[ -]| ?[–~] ?| to )\(?{_DIGITS}\)?){{0,6}}"
    rf"(?: (?:of )?{_MONTH})?(?:,? \d{{4}}\b)?(?: ?{_any(SCALES)}\b)*"
    r"(?: ?(?:[ap]m\b|[ap]\.m\.|%|°[CF]?|℃|o'clock\b))?"
)
_COUNTING = frozenset({"num", "unit"})


def with_amounts(text: str, found: list[Word]) -> list[Word]:
    """Make one word of every number, amount, date, time or telephone number."""
    if not any(word.tag in _COUNTING or word.tag == "time" for word in found):
        return found
    merged: list[Word] = []
    covered = 0
    for n, word in enumerate(found):
        if word.start < covered:
            continue
        counting = word.tag in _COUNTING or (word.tag == "time" and word.text[0] in NUMERALS)
        span = _amount(text, word, found[max(0, n - _REACH) : n]) if counting else None
        if span is None:
            merged.append(word)
            continue
        while merged and merged[-1].end > span[0]:
            span = min(span[0], merged.pop().start), span[1]
        covered = _covered(found, n, span[1])
        merged.append(Word(text[span[0] : covered], span[0], covered, "num", WEIGHTS["num"]))
    return merged


def _amount(text: str, word: Word, before: list[Word]) -> Span | None:
    """Return the span of the amount a number begins, if that is more than the number."""
    tail = _TAIL.match(text, word.start)
    if tail is None:
        return None
    span = _beginning(text, word.start, before), tail.end()
    return span if span != (word.start, word.end) else None


def _beginning(text: str, start: int, before: list[Word]) -> int:
    """Return where an amount begins: at its number, or at what belongs to it before that."""
    if text[max(0, start - 1) : start] not in _LEAD_ENDS:
        return start
    if before and before[-1].text.lower() == "one" and start - before[-1].end == 1:
        return before[-1].start
    lead = _LEAD.search(text, before[0].start if before else 0, start)
    return lead.start() if lead else start


def _covered(found: list[Word], n: int, end: int) -> int:
    """Return where the last word ends that an amount reaches into."""
    while n + 1 < len(found) and found[n + 1].start < end:
        n += 1
    return max(end, found[n].end)
