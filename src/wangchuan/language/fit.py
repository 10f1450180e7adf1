"""Making a text shorter by leaving words out, so that it says less and never something else.

A text is clauses, a clause is units, a unit is a word with the small words that lean on it
("to Berlin").  A number is one word however it is written.  A "not" makes one unit with what
it denies, verb and object; what it denies beyond that may only be kept while the "not" is.

Every text has one fixed row of ever shorter versions, each a part of the one before; fitting
a length means taking the first that fits, so a node fades and no word ever comes back:

1. the padding goes, wherever it stands;
2. clause by clause, the least telling first: its loose parts (where, when, how much), then
   all but what it names, told apart by commas, then that one by one.  A clause that denies,
   bounds or only supposes something goes as a whole: torn, it would say something else.  A
   reason goes before what it explains, what was said before a "but" before what follows it; a
   condition and what hangs on it stay or go together;
3. of the last clause nothing but its keywords stays, told apart by commas, and these go one
   by one: names, numbers, decisions and denials last;
4. of the last keyword its last words.  A word is never cut; where none fits there is "…".

The length is kept up to date by one subtraction per unit, so the walk is linear.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from itertools import groupby, zip_longest
from typing import NamedTuple

from wangchuan.language.text import CJK, Word, whole_characters, words
from wangchuan.language.units import (
    ABOUT,
    ACTING,
    DOING,
    LEANING,
    NAMING,
    SENTENCE,
    STRENGTH,
    TELLING,
    Unit,
    mark_of,
    tells,
    units_of,
)
from wangchuan.language.words import (
    ALSO,
    CALLED,
    CLAUSES,
    DATED,
    HANDLING,
    PLACING,
    POINTING,
    POLITE,
    REPORTING,
    SPANNING,
    SUPPOSING,
)
from wangchuan.language.worth import acts, asks, is_fresh, tie_of, values_of, worth
from wangchuan.patterns import regex


class Step(NamedTuple):
    """Units that are given up together, and the clause that they tear, if they do.

    What is left of a torn clause is told apart by commas, and by "…" from what stands before it.
    """

    units: list[int]
    torn: tuple[int, ...] = ()


NOTHING = "…"  # stands where no whole word fits
# By how much keywords go later
_LAST = {"name": 0.6, "id": 0.6, "time": 0.3, "num": 0.1, "neg": 0.1, "negated": 0.1, "key": -0.3}
SUBJECT = 0.5  # by how much what a clause is about goes later
_BESIDE = frozenset({"num", "time", "key"})  # keywords that tell nothing alone
_PAIRS = {"》": "《", "”": "“", "」": "「", "』": "『", "）": "（", ")": "(", "】": "【", "]": "["}
_BRACKET = regex("[" + re.escape("".join(_PAIRS) + "".join(_PAIRS.values())) + "]")
_SMALL_END = regex(r"(?:的(?:时候|话)?|(?<!不)了|[着过地得时吗呢吧啊])\Z")
_VAGUE = regex(r"[一几]\w?\Z")  # counts nothing: 一道, 几本
_CJK = regex(rf"[{CJK}]")
_INSIDE = "上里中内外前后时下间"  # ends of a place or a time
_SIDE = regex(r"门口|附近|旁边|对面|.[里上边的]|..的")  # where something is, or whose


def fit(text: str, length: int) -> str:
    """Return at most `length` characters of the text: whole words, in their order.

    A text that fits comes back unchanged.  The words kept at a length are among those kept at
    any larger one.  If no whole word fits, "…" stands for them.  Empty only for a length under
    one or a text of nothing but whitespace.
    """
    if length >= len(text):
        return text
    found = words(text) if length > 0 else []
    if not found:
        return _clipped(text.strip(), length)
    units, steps = _remembered(text) if len(text) <= _SHORT else _given_up(text)
    chain = _chain(text, units)
    if _thinned(chain, steps, length):
        return _joined(chain, length)
    return _named(text, found, [units[n] for n in chain.gaps], length)


def least(text: str) -> str:
    """Return the shortest version of a text that has a word; else the text itself."""
    lengths = range(1, len(text))
    return fit(
        text, 1 + bisect_left(lengths, True, key=lambda length: fit(text, length) != NOTHING)
    )


_SHORT = 500  # characters of a text whose row of versions is remembered


def _given_up(text: str) -> tuple[list[Unit], list[Step]]:
    """Return the units of a text, and in which steps they are given up."""
    units = units_of(text, words(text))
    return units, _steps(text, units)


_remembered = lru_cache(maxsize=256)(_given_up)  # a text that fades is cut to several lengths


def _joined(chain: "_Chain", length: int) -> str:
    """Write out the units kept, with the gaps between them."""
    text, units, gaps = chain.text, chain.units, chain.gaps
    joined = "".join(gap + text[units[n].start : units[n].end] for n, gap in gaps.items())
    last = max(gaps)
    if chain.separator:
        torn = last + 1 < len(units) and units[last + 1].denier >= 0
        return _balanced(joined) + "…" * torn
    return _finished(text, units[last].end, _balanced(joined), length)


def _clipped(text: str, length: int) -> str:
    """Cut by characters, for what has no smaller whole."""
    return text[: whole_characters(text, length)] if length > 0 else ""


# What is given up, in which order ------------------------------------------------------------


def _steps(text: str, units: list[Unit]) -> list[Step]:
    """Return what is given up step by step, by the units' numbers: all but the last clause."""
    clauses = _clauses(text, units)
    values = values_of(text, units, clauses)
    steps = [Step([n]) for n, unit in enumerate(units) if not unit.weight]
    given_up = {len(clauses)}
    for place in sorted(range(len(clauses)), key=lambda place: (values[place], -place)):
        clause = clauses[place]
        torn = _torn(text, units, clause) if values[place] else []  # thanks go as a whole
        steps += map(Step, _loose(text, units, clause))
        if place + 1 in given_up:
            steps += torn
        else:
            after = clauses[place + 1]
            opener = [n for n in after[:1] if _only_ties(units[n])]
            lacking = _lacks_subject(text, units, clause, after[len(opener) :])
            subject = clause[:1] if lacking else []
            if not lacking and tie_of(units, after) != "but":
                steps += torn
            clauses[place + 1] = subject + after
            clause = clause[len(subject) :] + opener
        steps.append(Step(clause))
        given_up.add(place)
    while steps and (steps[-1].torn or steps[-1].units == clause):
        steps.pop()  # of the last clause, keywords stay
    return steps


def _torn(text: str, units: list[Unit], clause: list[int]) -> list[Step]:
    """Return how a clause is given up but for what it names, then one by one down to the last.

    What a clause denies, bounds, explains or makes a condition is not told without that; a number
    stays only beside what it belongs to, which may be the clause before one that has no subject.
    """
    hanging = {n for n in clause if _hangs(text, units[n])}
    named = [n for n in clause if units[n].tag in NAMING and n not in hanging]
    rest = [n for n in clause if units[n].tag not in NAMING or n in hanging]
    telling = [n for n in named if _stands(units[n]) and not _is_another(units[n])]
    bound = any(units[n].bearing in ("denies", "binds") for n in clause)
    bound = bound or tie_of(units, clause) == "sub" or asks(text, units, clause)
    if bound or not named or not (telling or all(units[n].tag in DOING for n in rest)):
        return []
    if all(_is_another(units[n]) for n in named):
        return []
    about = _about(text, [units[n] for n in clause])
    late = {n: worth(units[n]) + SUBJECT / 2 * (units[n] is about) for n in named}
    last = max(telling or named, key=lambda n: (late[n], -n))
    named.sort(key=lambda n: (n == last, not _is_another(units[n]), late[n], -n))
    joint = [Step(rest[:1])] if rest[:1] == clause[:1] and _only_joins(text, units[rest[0]]) else []
    torn = tuple(clause)
    return [*joint, *(Step(step, torn) for step in (rest, *([n] for n in named[:-1])))]


def _hangs(text: str, unit: Unit) -> bool:
    """Tell whether a unit needs what stands beside it: a verb behind it, or what it is said of."""
    return text[unit.end - 1] == "的" or unit.lead.text in HANDLING or unit.lead.tag == "aux"


def _only_joins(text: str, unit: Unit) -> bool:
    """Tell whether a unit does no more than join its clause to the one before."""
    return unit.tag == "conj" or text[unit.start : unit.end] in ("是", "就是")


def _lacks_subject(text: str, units: list[Unit], clause: list[int], after: list[int]) -> bool:
    """Tell whether a Chinese clause begins with what somebody does, and the one before says who."""
    if not after or is_fresh(text, units, after[0]) or not _CJK.match(text, units[after[0]].start):
        return False
    who, does = units[clause[0]], units[after[0]]
    if does.lead.text in CALLED or who.lead.text in POINTING:
        return False  # it is the thing, not who, that is called so; "this" is what went before
    named = who.tag in ("name", "noun", "pron") and who.lead.tag not in LEANING and len(clause) > 1
    return named and text[who.end - 1] != "的" and bool(ACTING & {does.tag, does.lead.tag})


def _only_ties(unit: Unit) -> bool:
    """Tell whether a unit is a word that ties its clause to the one before, and no more."""
    return unit.end == unit.lead.end and unit.lead.text.lower() in CLAUSES


def _clauses(text: str, units: list[Unit]) -> list[list[int]]:
    """Return the units of each clause; a condition is one with what hangs on it, so is a report."""
    clauses: list[list[int]] = []
    bound = False
    for _, group in groupby(range(len(units)), key=lambda n: units[n].clause):
        clause = list(group)
        fresh, condition = is_fresh(text, units, clause[0]), tie_of(units, clause) == "if"
        if clauses and not fresh and (bound or condition or _only_says_when(text, units, clause)):
            clauses[-1] += clause
        else:
            clauses.append(clause)
        open_end = text.endswith((*REPORTING, *SUPPOSING), 0, units[clause[-1]].end)
        bound = (condition and fresh) or open_end
    return clauses


def _only_says_when(text: str, units: list[Unit], clause: list[int]) -> bool:
    """Tell whether a clause is no more than a time or a number, said of the clause before it."""
    chinese = _CJK.match(text, units[clause[0]].start)  # where it may as well be about something
    return not chinese and all(units[n].tag in ("num", "time") for n in clause)


def _loose(text: str, units: list[Unit], clause: list[int]) -> list[list[int]]:
    """Return the parts that a clause can do without, the least telling first.

    A clause with a "not" or an "only" can do without none: it would say more than it did.
    """
    if any(units[n].bearing in ("denies", "binds") for n in clause):
        return []
    spans: list[list[int]] = []
    before, verbs = "", 0  # the tag before, and how many verbs were there
    for n in clause:
        unit, last = units[n], n == clause[-1]
        if unit.lead.text == "of" and spans and spans[-1][-1] == n - 1:
            spans[-1].append(n)
        elif before and not verbs and _is_whose_place(text, units[n - 1], unit) and not last:
            spans.append([n - 1, n])
        elif text[unit.end - 1] == "的":
            inside = (
                before in ACTING and verbs > 1
            )  # 找养猫的人: what the verb before it is done to
            if verbs and not inside and not last and unit.tag in ("noun", "adj", "time", "pron"):
                spans.append([n - 1, n] if before == "adv" else [n])
        elif before in ACTING:
            ahead = units[n + 1] if not last else unit
            if unit.tag == "adv" and ahead.tag in ABOUT and _CJK.match(text, unit.start):
                spans.append([n])  # 看一些文章
        elif _is_loose(text, unit, verbs > 0, last):
            spans.append([n])
        before, verbs = unit.tag, verbs + acts(unit)
    spans += ([n] for n in _further(text, units, clause))
    return sorted(spans, key=lambda span: (max(worth(units[n]) for n in span), -span[0]))


def _is_whose_place(text: str, unit: Unit, after: Unit) -> bool:
    """Tell whether a unit says whose place the next one is: 在学校的体育节上."""
    belongs = unit.lead.text in PLACING and text[unit.end - 1] == "的"
    return belongs and text[after.end - 1] in _INSIDE


def _further(text: str, units: list[Unit], clause: list[int]) -> list[int]:
    """Return the things behind the first of those that a clause ends with: 和寿司, and bread."""
    found: list[int] = []
    for before, n in zip(reversed(clause[:-1]), reversed(clause[1:]), strict=True):
        listed = text[units[before].end : units[n].start].strip() == "、"
        if units[n].tag not in ABOUT or not (listed or _is_another(units[n])):
            break
        found.append(n)
    ahead = clause[: len(clause) - len(found)]
    return found if len(ahead) > 1 and any(acts(units[n]) for n in ahead[:-1]) else []


def _is_another(unit: Unit) -> bool:
    """Tell whether a unit is one thing more beside the one before it."""
    return unit.lead.text in ALSO and unit.lead.end < unit.end


def _is_loose(text: str, unit: Unit, acted: bool, last: bool) -> bool:
    """Tell whether a unit only says where, when or how: behind the verb, in Chinese before it."""
    if unit.tag == "adv":
        return unit.lead.tag != "func"
    chinese = bool(_CJK.match(text, unit.start))
    dated = unit.tag in ("num", "time") and DATED.search(text, unit.start, unit.end)
    counts = unit.tag == "num" and unit.lead.text not in SPANNING
    if dated or counts or unit.tag in ("name", "id") or (last if chinese else not acted):
        return False
    only_when = unit.tag == "time" and unit.lead.tag not in ACTING | {"func"}
    return unit.lead.text in PLACING or only_when


# Giving up -----------------------------------------------------------------------------------


class _Chain(NamedTuple):
    """The units still kept, as a list linked both ways, with the gap before each.

    The separator stands where something was left out and no mark is; it may be empty.
    """

    text: str
    units: list[Unit]
    gaps: dict[int, str]
    marks: list[str]
    before: list[int]
    after: list[int]
    separator: str


def _chain(text: str, units: list[Unit], separator: str = "") -> _Chain:
    """Link units; between keywords, told apart by a separator, only whitespace stays as it is."""
    ends = [0, *(unit.end for unit in units)]
    gaps = [text[end : unit.start] for end, unit in zip(ends, units, strict=False)]
    marks = [mark_of(gap, text[unit.start]) for gap, unit in zip(gaps, units, strict=True)]
    gaps[0] = "" if separator else gaps[0].lstrip()
    for n in range(1, len(units)) if separator else ():
        marks[n] = separator if gaps[n].strip() else ""
        gaps[n] = _gap(text[ends[n] - 1], marks[n], text[units[n].start]) if marks[n] else gaps[n]
    links = list(range(-1, len(units) + 1))
    return _Chain(text, units, dict(enumerate(gaps)), marks, links[:-1], links[2:], separator)


def _thinned(chain: _Chain, steps: Iterable[Step], length: int) -> bool:
    """Give up step after step until the text fits; tell whether it does."""
    units, gaps = chain.units, chain.gaps
    size = sum(len(gap) + units[n].end - units[n].start for n, gap in gaps.items())
    torn: tuple[int, ...] = ()
    inside, first = frozenset[int](), 0  # the clause being torn, and the first unit left of it
    for step in steps:
        if size <= length:
            break
        if step.torn is not torn:
            torn, inside, first = step.torn, frozenset(step.torn), 0
        left = (n for n in step.units if n in gaps and len(gaps) > 1)
        size -= sum(_give_up(chain, n, inside) for n in left)
        while first < len(torn) and torn[first] not in gaps:
            first += 1
        size += _set_apart(chain, torn[first] if first < len(torn) else -1)
    return size <= length


def _set_apart(chain: _Chain, n: int) -> int:
    """Put "…" before what is left of a clause; return by how many characters the text grows."""
    text, units, gaps, marks, before, _, _ = chain
    if n < 0 or before[n] < 0 or STRENGTH[marks[n]] >= STRENGTH["…"]:
        return 0
    marks[n], size = "…", len(gaps[n])
    gaps[n] = _gap(text[units[before[n]].end - 1], marks[n], text[units[n].start])
    return len(gaps[n]) - size


def _give_up(chain: _Chain, n: int, clause: frozenset[int]) -> int:
    """Take one unit out of the chain; return by how many characters the text shrinks."""
    text, units, gaps, marks, before, after, separator = chain
    left, right = before[n], after[n]
    freed = len(gaps.pop(n)) + units[n].end - units[n].start
    if left >= 0:
        after[left] = right
    if right == len(units):
        return freed
    before[right] = left
    freed += len(gaps[right])
    if left in clause and right in clause:
        separator = _comma(text[units[right].start])
    torn = "…" if chain.separator and units[n].denier >= 0 else separator
    marks[right] = max(marks[n], marks[right], torn, key=STRENGTH.__getitem__)
    start = units[right].start
    gaps[right] = "" if left < 0 else _gap(text[units[left].end - 1], marks[right], text[start])
    return freed - len(gaps[right])


def _comma(text: str) -> str:
    """Return what sets things apart in the language of a text."""
    return "、" if _CJK.search(text) else ","


def _gap(before: str, mark: str, after: str) -> str:
    """Return what stands where something was left out: a mark, a space, or nothing."""
    if mark and (mark > "\u2000" or mark == "\n"):
        return mark + " " * (mark == "…" and not _CJK.match(after))
    spaced = not _CJK.match(after) and (bool(mark) or not _CJK.match(before))
    return mark + " " * spaced


def _finished(text: str, end: int, joined: str, length: int) -> str:
    """Let the end mark of a sentence stay if there is room for it."""
    closing = text[end : end + 1]
    ends = STRENGTH.get(closing) == SENTENCE and len(joined) < length
    return joined + closing if ends else joined


def _balanced(text: str) -> str:
    """Leave out the brackets that have no partner."""
    if not _BRACKET.search(text):
        return text
    lone: list[int] = []
    opened: list[int] = []
    for place, char in enumerate(text):
        if char in _PAIRS.values():
            opened.append(place)
        elif char in _PAIRS:
            if opened and text[opened[-1]] == _PAIRS[char]:
                opened.pop()
            else:
                lone.append(place)
    left_out = {*lone, *opened}
    return "".join(char for place, char in enumerate(text) if place not in left_out)


# Keywords ------------------------------------------------------------------------------------


def _named(text: str, found: list[Word], units: list[Unit], length: int) -> str:
    """Return the keywords of units that fit, in order; of the last one what fits of it.

    What was denied goes first, from its end, and leaves a sign that it was there.
    """
    items = _items(text, found, units)
    chain = _chain(text, items, _comma(text[items[0].start : items[-1].end]))
    denied = [n for n, item in enumerate(items) if item.denier >= 0]
    about = _about(text, items)
    supposed = _supposed(units, items, denied)
    order = sorted(
        set(range(len(items))).difference(denied, supposed),
        key=lambda n: (_lasting(items[n]) + SUBJECT * (items[n] is about), -n),
    )
    telling = [n for n in order if _stands(items[n])]
    order.sort(key=telling[-1:].__contains__)
    again = _said_again(text, items)
    order.sort(key=lambda n: n not in again)
    ahead = [Step(supposed)] if supposed else []
    steps = [*ahead, *_untold(items, denied), *(Step([n]) for n in order[:-1])]
    if _thinned(chain, steps, length - bool(denied)):
        return _joined(chain, length)
    last = items[order[-1]]
    return _shrunk(text, [w for w in found if last.start <= w.start < last.end], length) or NOTHING


def _said_again(text: str, items: list[Unit]) -> set[int]:
    """Return the items that say what another one before them says: they tell nothing more."""
    first: dict[str, int] = {}
    for n, item in enumerate(items):
        first.setdefault(text[item.start : item.end], n)
    return set(range(len(items))) - set(first.values())


def _about(text: str, units: list[Unit]) -> Unit | None:
    """Return what units are about: the first thing they name that does not say whose or where."""
    for unit in units:
        if unit.tag in ABOUT and not _SIDE.match(text[unit.end - 2 : unit.end + 1]):
            return unit
    return None


def _supposed(units: list[Unit], items: list[Unit], denied: list[int]) -> list[int]:
    """Return what stands under an "unless" beside a denial: alone it would say the opposite."""
    bound = next((unit for unit in units if unit.bearing == "binds"), None)
    if bound is None or not any(item.bearing == "denies" for item in items):
        return []
    behind = (item.clause == bound.clause and item.start >= bound.start for item in items)
    under = [n for n, is_behind in enumerate(behind) if is_behind]
    return [n for n in under if n not in denied and items[n].bearing != "denies"]


def _untold(items: list[Unit], denied: list[int]) -> Iterator[Step]:
    """Yield what was denied from its end, so that no small word is left at the end of it."""
    step: list[int] = []
    for n in reversed(denied):
        step.append(n)
        if items[n - 1].denier < 0 or items[n - 1].tag in TELLING | NAMING:
            yield Step(step)
            step = []


def _items(text: str, found: list[Word], units: list[Unit]) -> list[Unit]:
    """Return what can stand as a keyword: what tells anything, and what is denied.

    Of what is bound by a condition or the like, that is only what it names, if it names something.
    """
    bound = any(unit.bearing == "binds" for unit in units)
    ends = {word.end for word in found}
    for tags in (NAMING, TELLING) if bound else (TELLING,):
        items = [
            unit if unit.denier >= 0 else _bared(text, unit, ends)
            for unit in units
            if unit.denier >= 0 or unit.tag in tags or unit.bearing == "denies"
        ]
        if any(_stands(item) for item in items):
            alone = [item for item, after in _with_next(items) if not _is_lone(text, item, after)]
            return alone or items
    return items or units


def _with_next(items: list[Unit]) -> Iterable[tuple[Unit, Unit | None]]:
    return zip_longest(items, items[1:])


def _is_lone(text: str, item: Unit, after: Unit | None) -> bool:
    """Tell whether a keyword tells nothing where it stands: a short verb, a number of nothing."""
    if item.denier >= 0 or item.bearing or (after and after.start == item.end):
        return False
    if text[item.start : item.end].lower() in POLITE:
        return True
    short = item.end - item.start == 1 and item.tag in ("verb", "adj", "light", "pron")
    return short or bool(item.tag == "num" and _VAGUE.match(text, item.start, item.end))


def _stands(item: Unit) -> bool:
    """Tell whether a keyword tells something alone."""
    return item.tag not in _BESIDE and item.denier < 0 and item.end - item.start > 1


def _bared(text: str, unit: Unit, ends: Set[int]) -> Unit:
    """Return a unit without the small words at its ends; no word is cut for that (路过)."""
    end = unit.bare + len(_SMALL_END.sub("", text[unit.bare : unit.end]))
    if end == unit.bare:
        return unit
    return unit._replace(start=unit.bare, end=end if end in ends else unit.end)


def _lasting(unit: Unit) -> float:
    """Tell how late a keyword is given up; of two alike the shorter stays, for it fits longer."""
    return worth(unit) + _LAST.get(unit.tag, 0) - min(unit.end - unit.start, 10) / 15


def _shrunk(text: str, left: list[Word], length: int) -> str:
    """Leave out words of a unit, from its less telling end, until it fits; "" if in vain."""
    if any(word.tag in ("neg", "negated") for word in left):
        return ""
    if text[max(0, left[0].start - 1)] in _PAIRS.values():
        return ""  # a title is a name: whole, or not at all
    whole = len(left)
    while left and left[-1].end - left[0].start > length:
        left.pop(-1 if left[-1].weight < left[0].weight else 0)
    while len(left) > 1 and left[-1].tag in ("part", "func"):
        left.pop()
    if len(left) < whole and not any(map(tells, left)):
        return ""
    return _balanced(text[left[0].start : left[-1].end])
