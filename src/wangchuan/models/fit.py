"""Making a text shorter by leaving words out, and by nothing else.

A text is clauses, a clause is units, a unit is a word with the small words that lean on it
("to Berlin", "不喜欢"), so that no preposition or "not" is left behind or lost alone.  Every
text has one fixed order in which its units are given up: first the padding, wherever it
stands; then clause by clause, the least telling first, and inside a clause unit by unit; a
clause that has lost much of what it told goes at once, for a torn clause tells nothing.
Fitting a length means giving up the shortest beginning of that order that is enough.  So
what is kept at a smaller length is always a part of what is kept at a larger one: a memory
fades, it does not change its story.

Giving up a unit only changes the gap it leaves, so the length is kept up to date by one
subtraction per unit: the walk down the order is linear, and stops as soon as the text fits.
"""

import math
import re
from typing import NamedTuple

from wangchuan.models.language import CJK, Word, whole_characters, words


class Unit(NamedTuple):
    """A stretch of text kept or given up as one: its weight, and the clause it belongs to."""

    start: int
    end: int
    weight: float
    clause: int


# How strongly a mark separates; the strongest one survives when what it separated is gone.
_STRENGTH = {"": 0, "、": 1, "，": 2, ",": 2, "：": 2, ":": 2, "—": 2, "；": 3, ";": 3, "…": 3}
_STRENGTH |= {"。": 4, "！": 4, "？": 4, ".": 4, "!": 4, "?": 4, "\n": 5}
CLAUSE = 2  # the strength from which a mark ends a clause

# Words that lean on what follows, and words that may stand in between.
_LEANING = frozenset({"func", "det", "aux", "modal", "neg", "subj"})
_BETWEEN = _LEANING | {"adv", "pron", "part", "filler", "light"}
# Words that make one unit with the next: by the gap between them, what may follow what.
_NOUNS = frozenset({"noun", "id"})
_COMPOUNDS = {
    ("", "noun"): _NOUNS,
    ("", "name"): _NOUNS | {"name"},
    ("", "id"): _NOUNS,
    ("", "num"): frozenset({"unit"}),
    (" ", "noun"): _NOUNS,
    (" ", "name"): _NOUNS | {"name", "num"},
    (" ", "id"): _NOUNS | {"num"},
    (" ", "num"): _NOUNS | {"generic", "time", "unit"},
    (" ", "adj"): _NOUNS | {"adj", "generic", "key", "name", "time"},
    (" ", "time"): frozenset({"num", "time"}),
}
# English words that open a clause without a mark; "and" and "that" do before a subject.
_TURNS = frozenset(
    {"although", "because", "but", "if", "since", "so", "though", "unless", "when", "whereas"}
    | {"which", "while"}
)
FIRST = 1.15  # how much more the first clause counts: people say what matters first
LONGEST = 16  # characters of a unit, however many small words lean on each other
TORN = 0.6  # the share of its weight under which a clause is given up whole
_QUOTES = ("《》", "“”", "「」", "『』", "（）", "()", '""')
_QUOTED = re.compile("|".join(rf"[{q[0]}][^{q}\n]{{1,20}}[{q[1]}]" for q in _QUOTES))
_PAIRS = {"》": "《", "”": "“", "」": "「", "』": "『", "）": "（", ")": "(", "】": "【", "]": "["}
_BRACKET = re.compile("[" + re.escape("".join(_PAIRS) + "".join(_PAIRS.values())) + "]")
_CJK = re.compile(rf"[{CJK}]")


def fit(text: str, length: int) -> str:
    """Return at most `length` characters of the text: whole words, in their order.

    A text that fits comes back unchanged.  For two lengths that each hold the most telling
    unit, the words kept at the smaller are among those kept at the larger.  If not even that
    unit fits, the most telling word that does is returned, or else its first characters.
    Empty only for a length under one or a text of nothing but whitespace.
    """
    if length >= len(text):
        return text
    found = words(text) if length > 0 else []
    if not found:
        return _clipped(text.strip(), length)
    units = _units(text, found)
    gaps = _thinned(text, units, length)
    if not gaps:
        return _one_word(found, length)
    joined = "".join(gap + text[units[n].start : units[n].end] for n, gap in gaps.items())
    return _finished(text, units[max(gaps)].end, _balanced(joined), length)


def _clipped(text: str, length: int) -> str:
    """Cut by characters, for what has no smaller whole."""
    return text[: whole_characters(text, length)] if length > 0 else ""


def _one_word(found: list[Word], length: int) -> str:
    """Return the most telling word that fits, or what fits of the most telling word.

    A word that was denied would say the opposite alone, so it is a last resort.
    """
    before = ["", *(word.tag for word in found)]
    plain = [word for word, tag in zip(found, before, strict=False) if "neg" not in (tag, word.tag)]
    told = [word for word in plain if len(word.text) <= length and word.weight > 0.3]
    best = max(told or plain or found, key=lambda word: word.weight)
    return _clipped(best.text, length)


def _units(text: str, found: list[Word]) -> list[Unit]:
    """Gather words into units, and number the clauses they stand in."""
    quoted = _quoted(text)
    units: list[Unit] = []
    first, last, heaviest, clause = 0, 0, 0.0, 0
    leaning, tag = False, ""
    for n, word in enumerate(found):
        start, end = quoted.get(word.start, (word.start, word.end))
        if end == last:  # inside a quotation that is a unit already
            heaviest = max(heaviest, word.weight)
            continue
        gap = text[last:start]
        turning = gap != "" and n > 0 and _turning(gap, found, n)
        compound = not leaning and word.tag in _COMPOUNDS.get((gap, tag), ())
        if (leaning or compound) and not turning and end - first <= LONGEST:
            heaviest = max(heaviest, word.weight) + 0.1 * compound
            leaning = leaning and word.tag in _BETWEEN
        else:
            units.append(Unit(first, last, heaviest, clause))
            first, heaviest, clause = max(start, last), word.weight, clause + turning
            leaning = word.tag in _LEANING
        last, tag = end, word.tag
    return [*units[1:], Unit(first, last, heaviest, clause)]


def _turning(gap: str, found: list[Word], n: int) -> bool:
    """Tell whether a word opens a clause, by the gap before it or by what it is."""
    word = found[n]
    if _STRENGTH[_mark(gap, word.text)] >= CLAUSE:
        return True
    if word.text in ("and", "that"):
        return n + 1 < len(found) and found[n + 1].tag == "subj"
    return word.text in _TURNS


def _quoted(text: str) -> dict[int, tuple[int, int]]:
    """Map every place inside a short quotation, title or aside to the span of the whole."""
    spans = (found.span() for found in _QUOTED.finditer(text))
    return {place: span for span in spans for place in range(*span)}


def _mark(gap: str, following: str) -> str:
    """Return the strongest mark of a gap; a stop before a small letter only abbreviates."""
    if gap in ("", " "):
        return ""
    mark = max(gap, key=lambda char: _STRENGTH.get(char, 0))
    return "" if mark not in _STRENGTH or (mark == "." and following[0].islower()) else mark


def _steps(text: str, units: list[Unit]) -> list[list[int]]:
    """Return the units, by their numbers, in the order and groups they are given up in."""
    weights = [unit.weight for unit in units]
    clauses: dict[int, list[int]] = {}
    for n, unit in enumerate(units):
        clauses.setdefault(unit.clause if unit.weight else -1, []).append(n)
    steps = [[n] for n in clauses.pop(-1, [])]
    scores = {clause: _score([weights[n] for n in clauses[clause]], clause) for clause in clauses}
    for clause in sorted(clauses, key=lambda clause: (scores[clause], -clause)):
        steps += _torn(weights, _order(text, units, weights, clauses[clause]))
    return steps[:-1] + [[n] for n in steps[-1]]


def _score(weights: list[float], clause: int) -> float:
    """Score a clause by the sum of its weights, tempered so that length alone does not win."""
    return sum(weights) / math.sqrt(len(weights)) * (1 if clause else FIRST)


def _order(text: str, units: list[Unit], weights: list[float], clause: list[int]) -> list[int]:
    """Order the units of a clause from the one given up first; a tie is lost by the later.

    A clause of spaced words leans on its beginning, so there the place counts more than the
    weight, save for a most telling unit right behind it.  Chinese bears gaps anywhere.
    """
    if _CJK.search(text, units[clause[0]].start, units[clause[-1]].end):
        return sorted(clause, key=lambda n: (weights[n], -n))
    best = max(clause[:2], key=weights.__getitem__)
    values = {
        n: 0.35 * weights[n] - place / len(clause) + (n == best) for place, n in enumerate(clause)
    }
    return sorted(clause, key=lambda n: (values[n], -n))


def _torn(weights: list[float], order: list[int]) -> list[list[int]]:
    """Give a clause up unit by unit while enough of it is left, then the rest in one step."""
    left = sum([weights[n] for n in order])
    enough = left * TORN
    for given_up, n in enumerate(order):
        left -= weights[n]
        if left < enough:
            return [*([n] for n in order[:given_up]), order[given_up:]]
    return [order]


class _Chain(NamedTuple):
    """The units still kept, as a list linked both ways, with the gap before each."""

    units: list[Unit]
    gaps: dict[int, str]
    marks: list[str]
    before: list[int]
    after: list[int]


def _chain(text: str, units: list[Unit]) -> _Chain:
    """Link all units of a text; only the first may have text in front of it."""
    ends = [0, *(unit.end for unit in units)]
    gaps = [text[end : unit.start] for end, unit in zip(ends, units, strict=False)]
    marks = [_mark(gap, text[unit.start]) for gap, unit in zip(gaps, units, strict=True)]
    gaps[0] = gaps[0].lstrip()
    count = len(units)
    return _Chain(
        units, dict(enumerate(gaps)), marks, list(range(-1, count)), list(range(1, count + 1))
    )


def _thinned(text: str, units: list[Unit], length: int) -> dict[int, str]:
    """Give up step after step until the text fits; return the units kept, with their gaps.

    It is empty if not even the most telling unit fits.
    """
    chain = _chain(text, units)
    size = units[-1].end - units[0].start + len(chain.gaps[0])
    for step in _steps(text, units):
        if size <= length:
            break
        for n in step:
            size -= _give_up(text, chain, n)
    return chain.gaps


def _give_up(text: str, chain: _Chain, n: int) -> int:
    """Take one unit out of the chain; return by how many characters the text shrinks."""
    units, gaps, marks, before, after = chain
    left, right = before[n], after[n]
    freed = len(gaps.pop(n)) + units[n].end - units[n].start
    if left >= 0:
        after[left] = right
    if right == len(units):
        return freed
    before[right] = left
    freed += len(gaps[right])
    if _STRENGTH[marks[n]] > _STRENGTH[marks[right]]:
        marks[right] = marks[n]
    start = units[right].start
    gaps[right] = "" if left < 0 else _gap(text[units[left].end - 1], marks[right], text[start])
    return freed - len(gaps[right])


def _gap(before: str, mark: str, after: str) -> str:
    """Return what stands where something was left out: a mark, a space, or nothing."""
    if mark and (mark > "\u2000" or mark == "\n"):
        return mark
    spaced = not _CJK.match(after) and (bool(mark) or not _CJK.match(before))
    return mark + " " * spaced


def _finished(text: str, end: int, joined: str, length: int) -> str:
    """Let the end mark of a sentence stay if there is room for it."""
    closing = text[end : end + 1]
    ends = _STRENGTH.get(closing) == _STRENGTH["。"] and len(joined) < length
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
