"""What entries of the journal say: one frozen value per kind of entry.

Writers log such a value, readers get one back (`read`, `Journal.each`); the JSON of a stored detail
is known here and nowhere else. An entry is of the kind that its class is named after. Its fields
are the keys of the detail, in their order; `node` is the node the entry is about, a column of its
own. A field with a default is stored only where it differs from that.

An entry that retention or an erasure emptied, or that no version of ours wrote, is `Blank`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, Field, field, fields
from functools import cache
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from wangchuan.ids import NODE, number_in
from wangchuan.storage.records import JournalRecord, SignalsRecord, Text
from wangchuan.types import Change, value

Detail = dict[str, Any]
MOST_LABELS = 1000  # in a row: the focus holds no more
KINDS: dict[str, type[Happened]] = {}
SUPERSEDED, INTO = "superseded by", "merged into"  # words for people, before the name of a node


@value
class Happened:
    """The value of a journal entry; `name` is its kind."""

    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.name = cls.__name__.lower()
        KINDS[cls.name] = cls

    def detail(self) -> Detail:
        """Return the detail as it is stored."""
        said = [(f, getattr(self, f.name)) for f in _told(self.name)]
        return {f.name: value for f, value in said if value != f.default}

    @classmethod
    def of(cls, node: int | None, detail: Detail) -> Happened:
        """Return what a stored detail says; raises KeyError, TypeError or ValueError."""
        values = {f.name: _value(f, detail) for f in _told(cls.name)}
        return cls(**({"node": node or 0} if "node" in _names(cls) else {}), **values)


@cache
def _told(name: str) -> list[Field[Any]]:
    """Return the fields of a kind of entry that stand in its stored detail."""
    return [f for f in fields(KINDS[name]) if f.name != "node"]


def _names(cls: type[Happened]) -> set[str]:
    return {f.name for f in fields(cls)}


def _value(one: Field[Any], detail: Detail) -> Any:
    if one.name not in detail:
        return one.metadata["absent"] if one.default is MISSING else one.default
    return one.metadata.get("read", _frozen)(detail[one.name])


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Weighed(NamedTuple):
    """What a step in the weight of a fact replaced."""

    weight: float
    used_at: float
    aged: int
    review: str | None


def _text(stored: Any) -> Text:
    content, phrase, keywords = stored
    return Text(content, phrase, tuple(keywords))


def _weighed(stored: Any) -> Weighed:
    return Weighed(*stored)


def _seen(stored: Any) -> tuple[SignalsRecord, ...]:
    return tuple(SignalsRecord(*one) for one in stored)


def _words(stored: Any) -> str:
    return str(stored or "")


def _met(stored: Any) -> tuple[tuple[int, str | None], ...]:
    return tuple((int(n), name) for n, name in stored)


def _by_node(read: Callable[[Any], Any]) -> dict[str, Any]:
    return {"absent": {}, "read": lambda found: {int(n): read(one) for n, one in found.items()}}


def _in_runs(labels: tuple[str | None, ...]) -> list[str | int | None]:
    """Return labels, with a count after each that is repeated in a row."""
    runs = [(label, len(list(same))) for label, same in groupby(labels)]
    return [one for label, times in runs for one in ((label,) if times == 1 else (label, times))]


def _from_runs(stored: Any) -> tuple[str | None, ...]:
    found: list[str | None] = []
    for one in stored or ():
        if not isinstance(one, int):
            found.append(one)
        elif not found or not 1 < one <= MOST_LABELS:
            raise ValueError(f"{one} is not how often a label is meant")
        else:
            found += found[-1:] * (one - 1)
    return tuple(found)


# the making of nodes, and time


@value
class Remembered(Happened):
    """A node was made by a job; `relations` are the names of its links with the focus.

    `related` are the other nodes the node was linked with, and the names of these links.
    """

    node: int
    job: int
    relations: tuple[str | None, ...] = field(metadata={"read": _from_runs})
    related: tuple[tuple[int, str | None], ...] = field(default=(), metadata={"read": _met})

    def detail(self) -> Detail:
        """Return the detail as it is stored, in which relations of one name are counted."""
        return super().detail() | {"relations": _in_runs(self.relations)}


@value
class Woven(Happened):
    """A window of a job is stored, and not its last."""

    job: int


@value
class Passed(Happened):
    """One unit of time went by, after a job if there was one."""

    job: int | None


# what happens to nodes


@value
class Compressed(Happened):
    """A text became shorter; by a sweep, or because the node was held or let go."""

    node: int
    before: Text = field(metadata={"read": _text})
    length: int
    swept: bool = False


@value
class Forgotten(Happened):
    """A node went to the trash: `reason` says why to people, the rest to readers."""

    node: int
    reason: str = field(metadata={"read": _words})
    focus: tuple[int, ...] = field(metadata={"absent": ()})
    successor: int | None = None
    merged_into: int | None = None

    @classmethod
    def of(cls, node: int | None, detail: Detail) -> Happened:
        """Return the values of a stored detail; older details name other nodes in words only."""
        told = "successor" in detail or "merged_into" in detail
        older = {} if told else _named_in(_words(detail["reason"]))
        return super().of(node, {**detail, **older})


@value
class Restored(Happened):
    """A node came back; `unswept`: before a sweep forgot it; `before`: the text, if short."""

    node: int
    reason: str | None
    focus: tuple[int, ...]
    unswept: bool = False
    before: Text | None = field(default=None, metadata={"read": _text})


@value
class Merged(Happened):
    """A node was made of others."""

    node: int
    sources: tuple[int, ...]

    def detail(self) -> Detail:
        """Return the detail as it is stored, which names the node once more."""
        return {**super().detail(), "node": self.node}


@value
class Undone(Happened):
    """A change was undone: its entry, which nodes live now, and the texts that were replaced."""

    node: int | None
    seq: int = field(metadata={"absent": 0})
    kind: str = field(metadata={"absent": ""})
    lives: dict[int, str] = field(metadata=_by_node(str))
    before: dict[int, Text] = field(metadata=_by_node(_text))


@value
class Erased(Happened):
    """A node, or words of messages, were destroyed."""

    node: int | None = None
    messages: tuple[str, ...] = ()


# facts


@value
class Learned(Happened):
    """A fact or an episode was learned."""

    node: int
    kind: str
    source: str
    verified: bool = False


@value
class Boosted(Happened):
    """A fact was used."""

    node: int
    before: Weighed = field(metadata={"read": _weighed})
    weight: float


@value
class Revived(Happened):
    """The days of a restored fact began anew."""

    node: int
    before: Weighed = field(metadata={"read": _weighed})
    weight: float


@value
class Refreshed(Happened):
    """A fact was asked for by name: its days began anew."""

    node: int
    before: Weighed = field(metadata={"read": _weighed})
    weight: float


@value
class Kept(Happened):
    """A review kept a fact; nothing was replaced if it was a review of promotion."""

    node: int
    before: Weighed | None = field(default=None, metadata={"read": _weighed})
    weight: float = field(kw_only=True)


@value
class Verified(Happened):
    """A person confirmed a fact; `before` is its record of before."""

    node: int
    before: Detail


@value
class Undecided(Happened):
    """A review came to no decision; `before` is the review that was wanted."""

    node: int
    before: str | None


@value
class Promoted(Happened):
    """A node is of another kind now."""

    node: int
    before: str
    reason: str


@value
class Aged(Happened):
    """Days were counted for the facts from one number to another."""

    nodes: tuple[int, int]
    reviewed: bool


# settings, tasks, ticks


@value
class Rules(Happened):
    """The rules of fading changed."""

    before: Detail
    after: Detail


@value
class Settings(Happened):
    """Settings other than the rules changed that decide what happens to nodes."""

    before: Detail
    after: Detail


@value
class Task(Happened):
    """A task was opened or ended somewhere."""

    where: str
    open: bool


@value
class Touched(Happened):
    """Nodes are held by the open tasks."""

    nodes: tuple[int, ...]


@value
class Released(Happened):
    """Nodes are no longer held by tasks."""

    nodes: tuple[int, ...]


@value
class Spared(Happened):
    """Texts stay for some passes, as no model could be had."""

    nodes: tuple[int, ...]


@value
class Ticking(Happened):
    """A piece of a tick went by this: behaviour that was seen, or where the tick stood."""

    seen: tuple[SignalsRecord, ...] = field(default=(), metadata={"read": _seen})
    at: float = 0.0
    stage: str = ""
    after: int = -1
    said: int = -1


@value
class Ticked(Happened):
    """A tick ended."""

    at: float
    said: int


@value
class Blank:
    """A blank entry: only its kind and its node are left."""

    node: int | None
    kind: str


def read(entry: JournalRecord) -> Happened | Blank:
    """Return the value of an entry."""
    return _read(entry.kind, entry.node, json.loads(entry.detail))


def read_change(change: Change) -> Happened | Blank:
    """Return the value of an entry that a caller was told as a Change."""
    return _read(change.kind, number_in(change.node, NODE), change.detail)


def _read(kind: str, node: int | None, detail: Detail) -> Happened | Blank:
    known = KINDS.get(kind)
    if known is None or (not detail and any(f.default is MISSING for f in _told(known.name))):
        return Blank(node, kind)
    try:
        return known.of(node, detail)
    except (KeyError, TypeError, ValueError, AttributeError):
        return Blank(node, kind)


# reading old formats: the only place where words are looked into


def _named_in(reason: str) -> dict[str, int]:
    """Return the successor of a node, or the node it was merged into, from older words."""
    for name, words in (("successor", SUPERSEDED), ("merged_into", INTO)):
        n = number_in(reason.removeprefix(f"{words} "), NODE)
        if n is not None and reason.startswith(words):
            return {name: n}
    return {}


def forgotten_for(node: int, reason: str) -> Forgotten:
    """Return the value of a blank entry of forgetting, from the reason that the node keeps."""
    return Forgotten(node, reason, (), **_named_in(reason))
