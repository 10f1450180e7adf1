"""Bounds: the values that every field of every record may hold, by its type and name.

A file may come from anybody. A record that passes here can be opened, digested, erased, exported
again and examined. Checks for which one line is not enough are made where the lines are stored:
whether the nodes of a record are there, whether a schedule follows from the links.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from wangchuan.erasing.provenance import MESSAGE, NODE
from wangchuan.errors import InvalidInput
from wangchuan.facts.records import DECAY, PROMOTION, SOURCES, UNDECIDED
from wangchuan.lifecycle.tick import STAGES
from wangchuan.living.lens import settings_by
from wangchuan.living.ways import EXTRACTIVE, WAYS, settings_with
from wangchuan.living.weave import Progress
from wangchuan.messages import ROLES
from wangchuan.settings.fields import load
from wangchuan.spots import PLACES
from wangchuan.storage import KEPT, journal
from wangchuan.types import value

LARGEST = (1 << 63) - 1
MOST = 1 << 40  # messages, nodes, entries, passes: more than any memory will have
LATEST = 1e12  # seconds from 1970, either way; as late as `remember` takes
LONGEST = 100_000_000  # characters of a text
DEEPEST = 50  # objects and lists within one another; SQLite reads 1000
MOST_MADE = 100_000  # nodes of one remember
STRATEGY = "strategy"  # noted with the rules; before, among the settings
SHELL = ""  # the role of a shell: an erasure left only the number and place of the message

Check = Callable[[Any], bool]


@value
class Range:
    """Numbers from `low` to `high`."""

    low: float
    high: float

    def __call__(self, value: Any) -> bool:
        """Tell whether a value fits."""
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"beyond {self.low:g} to {self.high:g}"


@value
class Choice:
    """One of some texts."""

    texts: frozenset[str]

    def __call__(self, value: Any) -> bool:
        """Tell whether a value fits."""
        return value in self.texts

    def __str__(self) -> str:
        return "; it must be one of " + ", ".join(sorted(filter(None, self.texts)))


@value
class Text:
    """A text of a certain form."""

    form: str = ".*"

    def __call__(self, value: Any) -> bool:
        """Tell whether a value fits."""
        return len(value) <= LONGEST and bool(re.fullmatch(self.form, value, re.DOTALL))

    def __str__(self) -> str:
        return f"; it must be a text like {self.form}, of at most {LONGEST} characters"


@value
class Bytes:
    """Bytes of a vector; all vectors of a file are as long as the first."""

    def __call__(self, value: Any) -> bool:
        """Tell whether a value fits."""
        return len(value) <= LONGEST


ANY, NAMED = Text(), Text(".+")
NUMBER, COUNT, FLAG = Range(1, MOST), Range(0, MOST), Range(0, 1)
TIME = Range(-LATEST, LATEST)


def _choice(*texts: str) -> Choice:
    return Choice(frozenset(texts))


JOBS = (
    *("age", "embed", "index", "observe", "prune", "release", "remember", "retain", "review"),
    *("summarise", "sweep", "tick"),
)

# Whole numbers that name a record; the others count.
_NUMBERS = {"seq", "n", "job", "node", "message", "first_message", "last_message", "source",
            "target", "merge_with", "successor"}  # fmt: skip
_FLAGS = {"kept", "delete_eligible", "verified"}
_USUAL: dict[str, Check] = {"str": ANY, "int": COUNT, "float": TIME, "bytes": Bytes()}
_OTHERS: dict[tuple[str, str], Check] = {
    ("note", "key"): NAMED,
    ("message", "role"): _choice(*ROLES.values(), SHELL),
    ("message", "place"): Range(0, PLACES),
    ("job", "kind"): _choice(*JOBS),
    ("job", "state"): _choice("pending", "done", "failed"),
    ("node", "kind"): _choice("segment", "episode", "fact", "core", "system"),
    ("link", "strength"): Range(0, 1),
    ("focus", "place"): Range(0, 999),
    ("fact", "weight"): Range(0, 1e6),
    ("fact", "aged"): Range(0, 1e6),
    ("fact", "source"): _choice(*SOURCES),
    ("fact", "review"): _choice(PROMOTION, DECAY, UNDECIDED),
    ("usage", "day"): Text(r"\d{4}-\d\d-\d\d"),
    ("usage", "routine"): NAMED,
    ("usage", "seconds"): Range(0, LATEST),
    ("tombstone", "kind"): _choice(NODE, MESSAGE),
    ("tombstone", "id"): NAMED,
}


def _bound(kind: str, name: str, type_name: str) -> Check:
    """Return the bound of a field: as listed, else by its name, else by its type."""
    if (kind, name) in _OTHERS:
        return _OTHERS[kind, name]
    if name in _FLAGS:
        return FLAG
    return NUMBER if name in _NUMBERS else _USUAL[type_name.partition(" | ")[0]]


FIELDS = {
    kind: {field.name: _bound(kind, field.name, str(field.type)) for field in fields(record)}
    for kind, record in KEPT.items()
}

# The numbers by which a record names other records; these must have come before.
SPEAKS_OF: dict[str, tuple[tuple[str, str], ...]] = {
    "job": (("message", "first_message"), ("message", "last_message")),
    "node": (("message", "message"),),
    "link": (("node", "source"), ("node", "target")),
    "focus": (("node", "node"),),
    "signals": (("node", "node"),),
    "lifecycle": (("node", "node"), ("node", "merge_with")),
    "fact": (("node", "node"), ("node", "successor")),
    "evidence": (("node", "node"), ("message", "message")),
    "vector": (("message", "message"),),
}


def check(kind: str, name: str, value: Any) -> None:
    """Raise InvalidInput for a value, of the right type, that a field cannot hold."""
    bound = FIELDS[kind][name]
    if value is not None and not bound(value):
        raise InvalidInput(f"{name} of the {kind} is {value!r:.40}, {bound}".replace(", ;", ";"))


# texts with a form: notes, the progress of jobs, the details of entries


def _whole(value: Any, most: int = MOST) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _wholes(value: Any) -> bool:
    return isinstance(value, list) and all(map(_whole, value))


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _labels(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    return all(isinstance(one, str | None) or _whole(one, journal.MOST_LABELS) for one in value)


def _met(value: Any) -> bool:
    """Tell whether a value is a list of nodes, each with the name of a link or none."""
    pairs = isinstance(value, list) and all(isinstance(o, list) and len(o) == 2 for o in value)
    return pairs and all(_whole(n) and _labels([name]) for n, name in value)


def _told(value: Any) -> bool:
    """Tell whether a value is a text with its labels, as the journal keeps it."""
    if not isinstance(value, list) or len(value) != 3:
        return False
    return isinstance(value[0], str) and isinstance(value[1], str) and _texts(value[2])


def _digits(text: str) -> bool:
    return bool(re.fullmatch(r"0|[1-9][0-9]{0,12}", text)) and int(text) <= MOST


def _time(text: str) -> bool:
    return bool(re.fullmatch(r"-?[0-9.]+(e[+-]?[0-9]+)?", text)) and abs(float(text)) <= LATEST


def _targets(text: str) -> bool:
    noted = json.loads(text) if text else {}
    return isinstance(noted, dict) and all(map(_wholes, noted.values()))


def _pruned(text: str) -> bool:
    entry, at, passes, looked = json.loads(text)
    return all(map(_whole, (entry, passes, looked))) and _time(repr(at))


def _rules(text: str) -> bool:
    noted: dict[str, Any] = json.loads(text)
    settings_by(noted, load({}))
    names = {"decay_rate", "break_threshold", "delete_threshold", "length_base"}
    names |= {"compression_step", "dangling_counts", "focus_limit"}
    return noted.keys() - {STRATEGY} == names


def _ways(text: str) -> bool:
    noted: dict[str, Any] = json.loads(text)
    settings_with(noted, load({}))
    known = {*WAYS, EXTRACTIVE, STRATEGY}
    return noted.keys() <= known and isinstance(noted.get(EXTRACTIVE, True), bool)


NOTES: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(("passes", "observed", "summarised", "replay_from", "erased"), _digits),
    **dict.fromkeys(("aged_at", "ticked_at", "retained_at"), _time),
    "doubted_at": lambda text: not text or _time(text),
    "erasing": _targets,
    "pruned": _pruned,
    "scrub": lambda text: text in ("", "wanted"),
    "rules": _rules,
    "settings": _ways,
    "tasks": lambda text: _texts(json.loads(text)),
}


NUMBERED = ("others", "focus", "mentioned", "related")  # what progress names by numbers


def _woven(text: str) -> bool:
    values = json.loads(text)
    known = {field.name for field in fields(Progress)}
    ends = [values.get("first"), values.get("last")]
    made = [n for n in ends if n is not None]
    return (
        values.keys() <= known
        and all(_whole(values.get(name)) for name in ("message", "offset"))
        and all(_wholes(values.get(name, [])) for name in NUMBERED)
        and _whole(values.get("limit", 5), 1000)
        and all(map(_whole, made))
        and len(made) in (0, 2)
        and (not made or 0 <= made[1] - made[0] <= MOST_MADE)
    )


def _reviewed(text: str) -> bool:
    made, searched, n = json.loads(text)
    return _whole(made) and _texts(searched) and _whole(n)


def _ticked(text: str) -> bool:
    stage, _, after = text.partition(" ")
    return stage in STAGES and _digits(after)


PROGRESS: dict[str, Callable[[str], bool]] = {
    "remember": _woven,
    "review": _reviewed,
    "tick": _ticked,
    "age": _digits,
    "release": _digits,
}


def _undone(detail: dict[str, Any]) -> bool:
    before, lives = detail.get("before", {}), detail.get("lives", {})
    if not isinstance(before, dict) or not isinstance(lives, dict):
        return False
    return all(map(_digits, (*before, *lives))) and all(map(_told, before.values()))


DETAILS: dict[str, Callable[[dict[str, Any]], bool]] = {
    journal.Remembered.name: lambda d: (
        _whole(d.get("job", 0)) and _labels(d.get("relations") or []) and _met(d.get("related", []))
    ),
    journal.Compressed.name: lambda d: _told(d.get("before", ["", "", []])),
    journal.Restored.name: lambda d: (
        _told(d.get("before", ["", "", []])) and _wholes(d.get("focus") or [])
    ),
    journal.Undone.name: lambda d: _undone(d) and _whole(d.get("seq", 0)),
    journal.Merged.name: lambda d: _wholes(d.get("sources") or []) and _whole(d.get("node", 0)),
    journal.Forgotten.name: lambda d: _wholes(
        [*(d.get("focus") or []), d.get("successor", 0), d.get("merged_into", 0)]
    ),
}


def check_form(what: str, value: Any, form: Callable[[Any], bool] | None) -> None:
    """Raise InvalidInput for a text or an object that has not its form."""
    try:
        fits = form is None or form(value)
        why = "it has another form"
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        fits, why = False, str(error)
    if not fits:
        raise InvalidInput(f"{what:.60} is {value!r:.40}: {why:.200}")


def check_plain(what: str, value: Any) -> None:
    """Raise InvalidInput for JSON that is nested too deeply or holds numbers SQLite cannot."""
    level: Iterable[Any] = [value]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, int | float) and not (math.isfinite(one) and abs(one) <= LARGEST):
                raise InvalidInput(f"{what} holds the number {one!r:.40}")
            if isinstance(one, dict):
                inner += one.values()
            elif isinstance(one, list):
                inner += one
        level = inner
        if not inner:
            return
    raise InvalidInput(f"{what} is nested more than {DEEPEST} deep")
