"""Making a text shorter by leaving words out, and by nothing else.

A text is clauses, a clause is units, a unit is a word with the small words that lean on it
("to Berlin"), so that no preposition is left behind or lost alone.  A number is one word
however it is written.  A "not" makes one unit with what it denies, verb and object; what it
denies beyond that may only be kept while the "not" is.  Every text has one fixed order in
which its units are given up: first the padding, wherever it stands; then clause by clause,
the least telling first, and inside a clause unit by unit; a clause that has lost much of
what it told goes at once, for a torn clause tells nothing, unless that would leave more than
half of the length unused.  Fitting a length means giving up the shortest beginning of that
order that is enough.  So what is kept at a smaller length is always a part of what is kept
at a larger one: a memory fades, it does not change its story.

That holds down to the length of the unit given up last.  Below it, that unit is shortened
word by word, from its less telling end; when nothing telling of it fits, the unit before it
in the order takes its place, and so on; then any single word; and only when no whole word
fits is one cut, with a mark that shows it.

Giving up a unit only changes the gap it leaves, so the length is kept up to date by one
subtraction per unit: the walk down the order is linear, and stops as soon as the text fits.
"""

import math
import re
from typing import NamedTuple

from wangchuan.language.text import CJK, Word, whole_characters, words
from wangchuan.language.words import DENYING, UNDENYING
from wangchuan.patterns import regex


class Unit(NamedTuple):
    """A stretch of text kept or given up as one: its weight, and the clause it belongs to.

    It tells if it can stand alone: a word of meaning, not a number.  The bearing says
    whether it denies what follows it, or ends what was denied; the denier is the number of
    the unit that denies it, or -1.
    """

    start: int
    end: int
    weight: float
    clause: int
    tells: bool
    bearing: str
    denier: int = -1


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
    ("", "adj"): frozenset({"name"}),
    (" ", "noun"): _NOUNS | {"num"},
    (" ", "name"): _NOUNS | {"name", "num"},
    (" ", "id"): _NOUNS | {"num"},
    (" ", "num"): _NOUNS | {"generic", "time", "unit"},
    (" ", "adj"): _NOUNS | {"adj", "generic", "key", "name", "time"},
    (" ", "time"): frozenset({"num", "time"}),
}
_PREDICATES = frozenset({"subj", "verb", "light", "key", "aux", "modal"})
# What a word of a tag, or a listed word, does to a denial.
_BEARINGS = {"neg": "denies", "negated": "denies", "conj": "ends", "and": "and"}
_BEARINGS |= dict.fromkeys(UNDENYING, "ends") | dict.fromkeys(DENYING, "denies")
_BEARINGS |= {word.capitalize(): "denies" for word in DENYING}
# English words that open a clause without a mark; "and" and "that" do before a subject.
_TURNS = frozenset(
    {"although", "because", "but", "if", "since", "so", "though", "unless", "when", "whereas"}
    | {"which", "while"}
)
FIRST = 1.15  # how much more the first clause counts: people say what matters first
LONGEST = 24  # characters of a unit, however many small words lean on each other
LONGEST_DENIAL = {True: 18, False: 36}  # the same with what a "not" denies: Chinese, other
DENIAL = 0.5  # how much more a denial counts than its place in a clause says
TELLING = 0.45  # the weight from which a word can stand alone
TORN = 0.6  # the share of its weight under which a clause is given up whole
_QUOTES = ("《》", "“”", "「」", "『』", "（）", "()", '""')
_QUOTED = regex("|".join(rf"[{q[0]}][^{q}\n]{{1,20}}[{q[1]}]" for q in _QUOTES))
_PAIRS = {"》": "《", "”": "“", "」": "「", "』": "『", "）": "（", ")": "(", "】": "【", "]": "["}
_BRACKET = regex("[" + re.escape("".join(_PAIRS) + "".join(_PAIRS.values())) + "]")
_CJK = regex(rf"[{CJK}]")


def fit(text: str, length: int) -> str:
    """Return at most `length` characters of the text: whole words, in their order.

    A text that fits comes back unchanged.  For two lengths that each hold the most telling
    unit, the words kept at the smaller are among those kept at the larger.  If not even that
    unit fits, the most telling of its words that do are returned, else those of another unit;
    if no whole word fits, the first characters of one and "…".
    Empty only for a length under one or a text of nothing but whitespace.
    """
    if length >= len(text):
        return text
    found = words(text) if length > 0 else []
    if not found:
        return _clipped(text.strip(), length)
    units = _denials(text, _units(text, found))
    steps = _steps(text, units)
    gaps = _thinned(_chain(text, units), steps, length)
    return (
        _joined(text, units, gaps, length) if gaps else _remnant(text, found, units, steps, length)
    )


def _joined(text: str, units: list[Unit], gaps: dict[int, str], length: int) -> str:
    """Write out the units kept, with the gaps between them."""
    joined = "".join(gap + text[units[n].start : units[n].end] for n, gap in gaps.items())
    return _finished(text, units[max(gaps)].end, _balanced(joined), length)


def _clipped(text: str, length: int) -> str:
    """Cut by characters, for what has no smaller whole."""
    return text[: whole_characters(text, length)] if length > 0 else ""


def _units(text: str, found: list[Word]) -> list[Unit]:
    """Gather words into units, and number the clauses they stand in."""
    quoted = _quoted(text)
    units: list[Unit] = []
    first, last, heaviest, clause = 0, 0, 0.0, 0
    leaning, tag, tells, bearing, denying = False, "", False, "", False
    for n, word in enumerate(found):
        start, end = quoted.get(word.start, (word.start, word.end))
        if end == last:  # inside a quotation that is a unit already
            heaviest = max(heaviest, word.weight)
            continue
        gap = text[last:start]
        turning = gap != "" and n > 0 and _turning(gap, found, n, denying)
        compound = not leaning and word.tag in _COMPOUNDS.get((gap, tag), ())
        grown = (start if leaning else end) - first
        if (leaning or compound) and not turning and grown <= LONGEST:
            heaviest = max(heaviest, word.weight) + 0.1 * compound
            leaning = leaning and word.tag in _BETWEEN
            tells, bearing = tells or _tells(word), bearing or _bearing(found, n)
        else:
            units.append(Unit(first, last, heaviest, clause, tells, bearing))
            first, heaviest, clause = max(start, last), word.weight, clause + turning
            leaning = word.tag in _LEANING
            tells, bearing = _tells(word), _bearing(found, n)
        last, tag, denying = end, word.tag, bearing == "denies" or (denying and not turning)
    return [*units[1:], Unit(first, last, heaviest, clause, tells, bearing)]


def _tells(word: Word) -> bool:
    """Tell whether a word can stand alone: no number, no single character, nothing too common."""
    if word.weight < TELLING or word.tag in ("num", "neg"):
        return False
    return word.end - word.start > 1


def _bearing(found: list[Word], n: int) -> str:
    """Tell whether a word denies what follows it, or ends what was denied before it."""
    word = found[n]
    listed = _BEARINGS.get(word.text) or _BEARINGS.get(word.tag, "")
    if listed == "and":
        return "ends" if n + 1 < len(found) and found[n + 1].tag in _PREDICATES else ""
    return listed


def _denials(text: str, units: list[Unit]) -> list[Unit]:
    """Let each denial take in what it denies, as far as it may grow, and mark the rest."""
    if not any(unit.bearing == "denies" for unit in units):
        return units
    done: list[Unit] = []
    denier, clause = -1, -1
    for unit in units:
        if unit.clause != clause or unit.bearing == "ends":
            denier = -1
        if denier >= 0 and denier == len(done) - 1 and _grows(text, done[-1], unit):
            weight = max(done[-1].weight, unit.weight) + 0.1
            done[-1] = done[-1]._replace(end=unit.end, weight=weight)
            continue
        if unit.bearing == "denies" and denier < 0:
            denier, clause = len(done), unit.clause
            done.append(unit._replace(tells=True))
        else:
            done.append(unit if denier < 0 else unit._replace(denier=denier))
    return done


def _grows(text: str, denial: Unit, unit: Unit) -> bool:
    """Tell whether a denial with one unit more is still short enough to be kept as one."""
    chinese = bool(_CJK.match(text, denial.end - 1))
    return unit.end - denial.start <= LONGEST_DENIAL[chinese]


def _turning(gap: str, found: list[Word], n: int, denying: bool) -> bool:
    """Tell whether a word opens a clause, by the gap before it or by what it is.

    "that" opens none after a "not": what one does not think is not said.
    """
    word = found[n]
    if _STRENGTH[_mark(gap, word.text)] >= CLAUSE:
        return True
    if word.text == "and" or (word.text == "that" and not denying):
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
    return _telling_last(units, steps[:-1] + [[n] for n in steps[-1]])


def _telling_last(units: list[Unit], steps: list[list[int]]) -> list[list[int]]:
    """Let the last unit of all be one that can stand alone, if there is any."""
    if units[steps[-1][-1]].tells:
        return steps
    for step in reversed(steps):
        for n in reversed(step):
            if units[n].tells and units[n].denier < 0:
                step.remove(n)
                return [*filter(None, steps), [n]]
    return steps


def _score(weights: list[float], clause: int) -> float:
    """Score a clause by the sum of its weights, tempered so that length alone does not win."""
    return sum(weights) / math.sqrt(len(weights)) * (1 if clause else FIRST)


def _order(text: str, units: list[Unit], weights: list[float], clause: list[int]) -> list[int]:
    """Order the units of a clause from the one given up first; a tie is lost by the later.

    A clause of spaced words leans on its beginning, so there the place counts more than the
    weight, save for a most telling unit right behind it.  Chinese bears gaps anywhere.  A
    denial counts more, and always more than what it denies.
    """
    if _CJK.search(text, units[clause[0]].start, units[clause[-1]].end):
        values = {n: weights[n] for n in clause}
    else:
        best = max(clause[:2], key=lambda n: (units[n].bearing != "denies", weights[n]))
        values = {
            n: 0.35 * weights[n] - place / len(clause) + (n == best)
            for place, n in enumerate(clause)
        }
    for n in reversed(clause):
        if units[n].bearing == "denies":
            values[n] += DENIAL
        if units[n].denier in values:
            denier = units[n].denier
            values[denier] = max(values[denier], values[n])
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

    text: str
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
        text, units, dict(enumerate(gaps)), marks, list(range(-1, count)), list(range(1, count + 1))
    )


def _thinned(chain: _Chain, steps: list[list[int]], length: int) -> dict[int, str]:
    """Give up step after step until the text fits; return the units kept, with their gaps.

    A step that leaves more than half of the length unused is only taken as far as needed.
    It is empty if not even the most telling unit fits.
    """
    units, gaps = chain.units, chain.gaps
    size = units[-1].end - units[0].start + len(gaps[0])
    for step in steps:
        if size <= length:
            break
        enough: dict[int, str] = {}
        for n in step:
            size -= _give_up(chain, n)
            if size <= length and not enough:
                enough = dict(gaps)
        if 2 * size < length:
            return enough
    return gaps


def _remnant(
    text: str, found: list[Word], units: list[Unit], steps: list[list[int]], length: int
) -> str:
    """Return what is left where the most telling unit does not fit."""
    order = [n for step in reversed(steps) for n in reversed(step)]
    return (
        _shrunk(text, found, units[order[0]], length)
        or _other(text, found, units, order, length)
        or _cut_denial(text, found, units[order[0]], length)
        or _cut_word(found, units, length)
    )


def _shrunk(text: str, found: list[Word], unit: Unit, length: int) -> str:
    """Leave out words of a unit, from its less telling end, until it fits; "" if in vain."""
    if unit.bearing == "denies":
        return ""
    left = [word for word in found if unit.start <= word.start < unit.end]
    while left and left[-1].end - left[0].start > length:
        left.pop(-1 if left[-1].weight < left[0].weight else 0)
    if not any(_tells(word) for word in left):
        return ""
    return _balanced(text[left[0].start : left[-1].end])


def _other(text: str, found: list[Word], units: list[Unit], order: list[int], length: int) -> str:
    """Return what else fits and can stand alone, whole units or a weightier word, or ""."""
    alone = [n for n in order if _alone(units[n], length)]
    fitting = [word for word in _undenied(found, units) if len(word.text) <= length]
    word = max(fitting, key=_rank, default=None)
    unit = max(alone, key=lambda n: units[n].weight, default=None)
    if unit is None or (word is not None and word.weight > units[unit].weight):
        return word.text if word else ""
    return _kept(text, units, alone, unit, length)


def _kept(text: str, units: list[Unit], alone: list[int], best: int, length: int) -> str:
    """Keep one unit, and of the others that can stand alone the first of the order that fit."""
    chain = _chain(text, units)
    for n in set(range(len(units))).difference(alone):
        _give_up(chain, n)
    chain.gaps[min(alone)] = ""
    size = sum(len(gap) + units[n].end - units[n].start for n, gap in chain.gaps.items())
    for n in reversed(alone):
        if size > length and n != best:
            size -= _give_up(chain, n)
    return _joined(text, units, chain.gaps, length)


def _alone(unit: Unit, length: int) -> bool:
    """Tell whether a unit fits and says nothing false without the others."""
    return unit.tells and unit.denier < 0 and unit.end - unit.start <= length


def _rank(word: Word) -> tuple[float, int]:
    """Rank a word by its weight; of two alike the shorter is kept, for it stays longer."""
    return word.weight, -len(word.text)


def _undenied(found: list[Word], units: list[Unit]) -> list[Word]:
    """Return the words that can stand alone and that nothing denies."""
    denied = [unit for unit in units if unit.bearing == "denies" or unit.denier >= 0]
    places = {place for unit in denied for place in range(unit.start, unit.end)}
    return [word for word in found if word.start not in places and _tells(word)]


def _cut_denial(text: str, found: list[Word], unit: Unit, length: int) -> str:
    """Return what fits of a denial with its "not" in it, or "" if the unit is none."""
    inside = [n for n, word in enumerate(found) if unit.start <= word.start < unit.end]
    at = next((n for n in inside if _bearing(found, n) == "denies"), None)
    if at is None:
        return ""
    ends = [found[n].end for n in inside if n > at and found[n].weight >= 0.25] or [found[at].end]
    starts = [found[n].start for n in inside if n <= at]
    spans = [(start, ends[0]) for start in starts] + [(found[at].start, found[at].end)]
    longer = [(starts[0], end) for end in reversed(ends) if end - starts[0] < length]
    start, end = next((s for s in [*longer, *spans] if s[1] - s[0] <= length), (0, 0))
    return text[start:end] + "…" * (start < end < start + length)


def _cut_word(found: list[Word], units: list[Unit], length: int) -> str:
    """Return what fits of the word that was last to fit, or any other that does.

    A word of letters, or a number, that was cut ends with a mark that shows it.
    """
    plain = _undenied(found, units)
    denying = [word for n, word in enumerate(found) if _bearing(found, n) == "denies"]
    known = [word for word in found if len(word.text) <= length and word.weight >= TELLING]
    if not plain and not denying and known:
        return max(known, key=_rank).text
    word = min(plain or denying or found, key=lambda word: (len(word.text), -word.weight))
    shown = len(word.text) > length > 1 and (word.tag == "num" or not _CJK.match(word.text))
    return _clipped(word.text, length - shown) + "…" * shown


def _give_up(chain: _Chain, n: int) -> int:
    """Take one unit out of the chain; return by how many characters the text shrinks."""
    text, units, gaps, marks, before, after = chain
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
