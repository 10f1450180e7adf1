"""What a clause is worth among the others of its text: the least is given up first.

A clause counts by the words in it, and by how it is tied to its neighbours: a reason falls before
what it explains, what was once before what has come of it, a question before what is told.
"""

import math

from wangchuan.language.units import (
    ABOUT,
    ACTING,
    NAMING,
    SENTENCE,
    SETTLED,
    STRENGTH,
    Unit,
    mark_of,
)
from wangchuan.language.words import (
    ACKNOWLEDGING,
    ADDING,
    CALLED,
    CLAUSES,
    FORMER,
    ONCE,
    PLACING,
    POLITE,
    SINCE,
    THANKING,
    THIRD,
    TOPICAL,
)
from wangchuan.patterns import regex

FIRST = 1.5  # how much more the first clause counts: people say what matters first
TURNED = 1.2  # and one that follows a "but"
NAMELESS = 0.6  # and one that neither names nor denies anything
_ENDED = regex(r"[?？!！。.\n]")


def values_of(text: str, units: list[Unit], clauses: list[list[int]]) -> list[float]:
    """Value the clauses by the sum of their weights, tempered so that length does not win."""
    ties = [tie_of(units, clause) for clause in clauses]
    fresh = [is_fresh(text, units, clause[0]) for clause in clauses]
    asked = [asks(text, units, clause) for clause in clauses]
    for place in range(1, len(clauses)):
        if _overtakes(text, units, clauses[place - 1], clauses[place]):
            ties[place] = "but"
    values = [
        sum(worth(units[n]) for n in clause)
        / math.sqrt(len(clause))
        * (TURNED if tie == "but" and _names(units, clause) else 1)
        * (1 if _says_something(units, clause) else NAMELESS)
        * (NAMELESS if asking and not all(asked) else 1)
        * (not _only_greets(text, units, clause))
        for clause, tie, asking in zip(clauses, ties, asked, strict=True)
    ]
    heads = text[units[clauses[0][-1]].end : units[clauses[0][-1]].end + 1] in ("：", ":")
    lead = not heads and ties[0] != "if" and _says_something(units, clauses[0])
    values[0] *= FIRST if lead else 1  # neither a heading nor what only may be, nor a nod
    for place in reversed(range(len(clauses) - 1)):  # what falls before the clause behind it
        when = text.endswith(ONCE, 0, units[clauses[place][-1]].end)
        opens = fresh[place] and ties[place] == "sub"
        leads = not fresh[place + 1] and (when or opens or _only_leads(units, clauses[place]))
        turned = ties[place + 1] == "but" and _names(units, clauses[place + 1])
        if turned or leads:
            values[place] = min(values[place], 0.99 * values[place + 1])
    for place in range(1, len(clauses)):
        named = any(units[n].tag in ABOUT for n in clauses[place])
        if named and units[clauses[place][0]].lead.text in CALLED:  # a name outlasts what bears it
            values[place] = max(values[place], 1.01 * values[place - 1])
    for place in range(1, len(clauses)):  # and before the one in front of it
        if ties[place] in ("sub", "back") and not fresh[place] and values[place - 1]:
            values[place] = min(values[place], 0.99 * values[place - 1])
    return values


def asks(text: str, units: list[Unit], clause: list[int]) -> bool:
    """Tell whether a clause is what a question asks, and not what is told before it."""
    end = _ENDED.search(text, units[clause[-1]].end)
    if end is None or end[0] not in "?？":
        return False
    return end.start() - units[clause[-1]].end < 2 or any(units[n].tag == "ask" for n in clause)


def _overtakes(text: str, units: list[Unit], before: list[int], clause: list[int]) -> bool:
    """Tell whether a clause says what has come of what was once, or was once meant."""
    now = any(units[n].lead.text.lower() in SINCE for n in clause[:2])
    return now and any(units[n].bearing == "binds" and _is_former(text, units[n]) for n in before)


def _is_former(text: str, unit: Unit) -> bool:
    return not FORMER.isdisjoint([unit.lead.text, *text[unit.start : unit.end].lower().split()])


def _only_greets(text: str, units: list[Unit], clause: list[int]) -> bool:
    """Tell whether a clause is nothing but a greeting, a nod, or thanks for whatever it is."""
    if units[clause[0]].lead.text.lower() in THANKING:
        return True
    said = (text[units[n].start : units[n].end].lower() for n in clause if units[n].weight)
    return all(word in POLITE or word in ACKNOWLEDGING for word in said)


def _only_leads(units: list[Unit], clause: list[int]) -> bool:
    """Tell whether a clause only says of what the next one is true, and names nothing itself."""
    lead = units[clause[0]].lead.text
    if any(units[n].tag in ("name", "id", "num") for n in clause):
        return False
    return lead in TOPICAL or (lead in PLACING and not any(acts(units[n]) for n in clause))


def _names(units: list[Unit], clause: list[int]) -> bool:
    """Tell whether a clause names anything; one that does not says of what before it only."""
    return any(units[n].tag in NAMING for n in clause)


def _says_something(units: list[Unit], clause: list[int]) -> bool:
    """Tell whether a clause names or denies anything, beside where something is."""
    where = len(clause) == 1 and units[clause[0]].lead.text in PLACING
    bare = len(clause) == 1 and units[clause[0]].tag == "key"  # what is to be done follows
    return not (where or bare) and any(units[n].tag in NAMING or units[n].bearing for n in clause)


def tie_of(units: list[Unit], clause: list[int]) -> str:
    """Tell how a clause is tied to its neighbours by the word that opens it, if it is."""
    lead = units[clause[0]].lead
    tie = CLAUSES.get(lead.text.lower(), "")
    who = units[clause[len(clause) > 1 and tie in ("but", "so")]].lead
    if who.text.lower() in THIRD or (lead.text == "and" and who.tag in ACTING):
        return "back"  # it needs the clause before, which says who
    adds = any(units[n].lead.text.lower() in ADDING for n in clause[1:3])
    return "so" if tie == "but" and adds else tie


def is_fresh(text: str, units: list[Unit], n: int) -> bool:
    """Tell whether a unit opens a sentence."""
    if n == 0:
        return True
    gap = text[units[n - 1].end : units[n].start]
    return STRENGTH[mark_of(gap, text[units[n].start])] >= SENTENCE


def acts(unit: Unit) -> bool:
    """Tell whether a unit says what somebody does."""
    return bool(ACTING & {unit.tag, unit.lead.tag})


def worth(unit: Unit) -> float:
    """Return the weight of a unit among others: numbers and decisions matter more there."""
    return unit.weight + SETTLED * (unit.tag in ("num", "key"))
