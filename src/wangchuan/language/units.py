"""Units: the words of a text with the small words that lean on them, and what a "not" denies.

A unit is kept or given up as one.  Clauses are numbered; what a "not" denies knows its denier.
"""

from typing import NamedTuple

from wangchuan.language.text import HAN, Word, rarity
from wangchuan.language.words import (
    BACK,
    BECOMING,
    CLAUSES,
    DATED,
    DENYING,
    OBLIGING,
    TIGHT,
    UNDENYING,
)
from wangchuan.patterns import regex


class Unit(NamedTuple):
    """A stretch of text kept or given up as one: its weight, and the clause it belongs to.

    The tag is that of its weightiest word, `lead` the word it begins with, `bare` where what
    it names begins.  The bearing says whether it denies what follows it, or ends what was
    denied; the denier is the number of the unit that denies it, or -1.
    """

    start: int
    end: int
    bare: int
    lead: Word
    tag: str
    weight: float
    clause: int
    bearing: str
    denier: int = -1


# How strongly a mark separates; the strongest one survives when what it separated is gone.
STRENGTH = {"": 0, "、": 1, "，": 2, ",": 2, "：": 2, ":": 2, "—": 2, "；": 3, ";": 3, "…": 3}
STRENGTH |= {"。": 4, "！": 4, "？": 4, ".": 4, "!": 4, "?": 4, "\n": 5}
CLAUSE = 2  # the strength from which a mark ends a clause
SENTENCE = 4  # and a sentence

# Words that lean on what follows, words that may stand in between, and those that lean back.
LEANING = frozenset({"func", "det", "aux", "modal", "neg", "subj"})
_BETWEEN = LEANING | {"adv", "pron", "part", "filler", "light"}
# Words that make one unit with the next: by the gap between them, what may follow what.
NOUNS = frozenset({"noun", "id"})
_COMPOUNDS = {
    ("", "noun"): NOUNS,
    ("", "name"): NOUNS | {"name"},
    ("", "id"): NOUNS,
    ("", "num"): NOUNS | {"adj", "num", "unit"},
    ("", "adj"): NOUNS | {"name"},
    ("", "time"): frozenset({"num", "time"}),
    (" ", "noun"): NOUNS | {"num"},
    (" ", "name"): NOUNS | {"generic", "name", "num"},
    (" ", "id"): NOUNS | {"num"},
    (" ", "num"): NOUNS | {"generic", "time", "unit"},
    (" ", "adj"): NOUNS | {"adj", "generic", "key", "name", "time"},
    (" ", "time"): frozenset({"num", "time"}),
}
_NAMED = NOUNS | {"adj", "name"}
ACTING = frozenset({"verb", "light", "key", "aux", "modal"})
DOING = ACTING | {"adv", "conj", "part"}
_PREDICATES = ACTING | {"subj"}
# What a word of a tag, or a listed word, does to a denial.
_BEARINGS = {"neg": "denies", "negated": "denies", "conj": "ends", "and": "and"}
_BEARINGS |= dict.fromkeys(UNDENYING, "ends") | dict.fromkeys(DENYING, "denies")
_BEARINGS |= dict.fromkeys([*TIGHT, *(word for word in CLAUSES if CLAUSES[word] == "if")], "binds")
_BEARINGS |= {word.capitalize(): bearing for word, bearing in _BEARINGS.items()}
NAMING = frozenset({"name", "id", "link", "noun", "num", "key", "time"})
ABOUT = NAMING - {"num", "key", "time"}
TELLING = NAMING | {"verb", "idiom", "adj", "negated", "neg", "generic"}
SETTLED = 0.4  # how much more a number or a decision counts beside other words
RARE, MOST = 0.1, 0.2  # how much more a thing counts that is named a tenth as often, and at most
_HAN = regex(f"[{HAN}]")
LONGEST = 40  # characters of a unit, however many small words lean on each other
_QUOTES = ("《》", "“”", "「」", "『』", "（）", "()", '""')
_QUOTED = regex("|".join(rf"[{q[0]}][^{q}\n]{{1,30}}[{q[1]}]" for q in _QUOTES))


_TITLE = regex(r"《|[\"“][A-Z]")  # how the name of a work begins, not what somebody says


def units_of(text: str, found: list[Word]) -> list[Unit]:
    """Return the units of a text, given its words, each with what denies it."""
    return _denials(_units(text, found))


def _units(text: str, found: list[Word]) -> list[Unit]:
    """Gather words into units, and number the clauses they stand in."""
    quoted = _quoted(text)
    units: list[Unit] = []
    leaning = denying = acted = False
    tag = ""  # of the word before
    for n, given in enumerate(found):
        word = _article(found, n) or given
        start, end = quoted.get(word.start, (word.start, word.end))
        unit = units[-1] if units else None
        if unit and end == unit.end:  # inside a quotation that is a unit already
            units[-1] = _quoting(text, unit, word)
            leaning, tag = False, ""
            continue
        gap = text[unit.end if unit else 0 : start]
        turning = n > 0 and _turning(gap, found, n, denying, acted)
        counted = word.tag == "num" and gap == " " and word.text[0].isalpha()  # drops three times
        compound = not leaning and not counted and word.tag in _COMPOUNDS.get((gap, tag), ())
        owned = unit is not None and gap == "" and word.tag == "noun" and _owns(text, unit)
        compound = compound or owned
        back = gap == "" and word.text in BACK
        grown = (start if leaning else end) - (unit.start if unit else 0)
        if unit and (leaning or compound or back) and not turning and grown <= LONGEST:
            leaning = leaning and word.tag in _BETWEEN and not back
            within = word._replace(start=start)
            units[-1] = _joining(unit, within, end, _bearing(found, n), compound)
        else:
            clause = unit.clause + turning if unit else 0
            start = max(start, unit.end) if unit else start
            bearing = _bearing(found, n)
            bare = end if _only_leans(word, bearing) else start
            made = Unit(start, end, bare, word, word.tag, _weight(word), clause, bearing)
            units.append(_quoting(text, made, word) if end > word.end else made)
            leaning = _leans(word) and not (turning and word.text in CLAUSES)
        denying = units[-1].bearing == "denies" or (denying and not turning)
        acted = word.tag in _PREDICATES or (acted and not turning)
        tag = word.tag if not back else ""
    return units


def _owns(text: str, unit: Unit) -> bool:
    """Tell whether a unit names whose or of what the next thing is: 周敏的丈夫 is one."""
    return unit.tag == "name" and text[unit.end - 1] == "的"


def _leans(word: Word) -> bool:
    """Tell whether a word is nothing without what follows: a preposition, "becomes" (改成)."""
    becomes = word.tag in ("verb", "key") and word.text.endswith(BECOMING)
    return word.tag in LEANING or becomes or word.text.lower() in OBLIGING


def _quoting(text: str, unit: Unit, word: Word) -> Unit:
    """Return a quotation with one word more of it: it is what its heaviest word is, or a name."""
    if _TITLE.match(text, unit.start):
        return unit._replace(weight=1.0, tag="name", bare=unit.start)
    return unit._replace(weight=word.weight, tag=word.tag) if word.weight > unit.weight else unit


def _article(found: list[Word], n: int) -> Word | None:
    """Return 一 and its measure word before a thing as an article: it counts nothing there."""
    word, after = found[n], found[n + 1 : n + 2]
    if word.tag != "num" or word.text[0] != "一" or len(word.text) != 2 or not after:
        return None
    names = after[0].start == word.end and after[0].tag in _NAMED
    return word._replace(tag="det", weight=0.1) if names else None


def _joining(unit: Unit, word: Word, end: int, bearing: str, compound: bool) -> Unit:
    """Return a unit with one word more, which may be what the unit is about."""
    opens = unit.bare == unit.end and _only_leans(word, bearing)
    heavier = _weight(word) > unit.weight and unit.tag != "num"
    counts = word.tag == "num" and unit.tag not in ("name", "id")  # PostgreSQL 15 is a name
    return unit._replace(
        end=end,
        bare=end if opens else word.start if unit.bare == unit.end else unit.bare,
        tag=word.tag if heavier or counts or (compound and unit.tag == "adj") else unit.tag,
        weight=max(unit.weight, _weight(word)) + 0.1 * compound,
        bearing=unit.bearing or bearing,
    )


def _only_leans(word: Word, bearing: str) -> bool:
    """Tell whether a word may be missing before what it leans on; "except" may not."""
    return word.tag not in TELLING and bearing not in ("denies", "binds")


def _weight(word: Word) -> float:
    """Return what a word weighs: a date more than another time, a rare thing more than a common."""
    if word.tag == "time":
        return word.weight + SETTLED if DATED.search(word.text) else word.weight
    if word.tag == "noun" and _HAN.match(word.text):
        return word.weight + max(-MOST, min(MOST, RARE * rarity(word.text)))
    return word.weight


def tells(word: Word) -> bool:
    """Tell whether a word can stand alone: no number, no single character, nothing too common."""
    return word.tag in TELLING - {"num", "generic", "neg"} and word.end - word.start > 1


def _bearing(found: list[Word], n: int) -> str:
    """Tell whether a word denies what follows it, or ends what was denied before it."""
    word = found[n]
    if word.tag == "det" and not word.text.isascii():
        return ""  # 那只猫: a measure word
    listed = _BEARINGS.get(word.text) or _BEARINGS.get(word.tag, "")
    if listed == "and":
        return "ends" if n + 1 < len(found) and found[n + 1].tag in _PREDICATES else ""
    return listed


def _denials(units: list[Unit]) -> list[Unit]:
    """Mark what a "not" denies: all that follows it in its clause, up to a word that ends it."""
    done: list[Unit] = []
    denier = -1
    for n, unit in enumerate(units):
        if denier >= 0 and (unit.clause != units[denier].clause or unit.bearing == "ends"):
            denier = -1
        done.append(unit._replace(denier=denier))
        if denier < 0 and unit.bearing == "denies":
            denier = n
    return done


def _turning(gap: str, found: list[Word], n: int, denying: bool, acted: bool) -> bool:
    """Tell whether a word opens a clause, by the gap before it or by what it is.

    "that" opens none after a "not": what one does not think is not said.  A Chinese "because"
    opens none before anything is done: what was done because of it follows.
    """
    word = found[n]
    if STRENGTH[mark_of(gap, word.text)] >= CLAUSE:
        return True
    if denying and CLAUSES.get(word.text) == "back":
        return False
    ahead = found[n + 1].tag if n + 1 < len(found) else ""
    if word.text == "and":
        return not denying and (ahead in _PREDICATES or (acted and _predicated(found, n + 1)))
    if word.text in ("因为", "由于") and not acted:
        return False
    if word.text == "to":  # what for, behind when or how much
        return ahead in _PREDICATES and found[n - 1].tag in ("num", "time")
    if word.text == "so" and ahead in ("adj", "adv"):
        return False
    if word.text in ("that", "who", "where"):  # after a verb it is what was said or seen
        return found[n - 1].tag in NOUNS and ahead in _PREDICATES
    return word.text in CLAUSES and word.tag in ("conj", "ask") and found[n - 1].tag != "func"


def _predicated(found: list[Word], n: int) -> bool:
    """Tell whether a thing stands here of which something is said: "the database is …"."""
    for word in found[n : n + 4]:
        if word.tag in _PREDICATES:
            return word.tag in ("aux", "modal") or word.text.endswith("s")
        if word.tag not in _NAMED | {"det", "generic"}:
            return False
    return False


def _quoted(text: str) -> dict[int, tuple[int, int]]:
    """Map every place inside a short quotation, title or aside to the span of the whole."""
    spans = (found.span() for found in _QUOTED.finditer(text))
    return {place: span for span in spans for place in range(*span)}


def mark_of(gap: str, following: str) -> str:
    """Return the strongest mark of a gap; a stop before a small letter only abbreviates."""
    if gap in ("", " "):
        return ""
    mark = max(gap, key=lambda char: STRENGTH.get(char, 0))
    return "" if mark not in STRENGTH or (mark == "." and following[0].islower()) else mark
