"""JSON Lines: everything a memory holds, one record a line, and back again.

The first line is a header. Every other line is a record of one kind, with its fields in the order
of its columns; kinds come in the order of `KEPT`, records in the order of their keys. Nothing in
the file depends on when or where it was written, so exporting what was imported gives the same
bytes. Both ways a line is all that is in memory at a time.

What follows from the rest is left out and made anew: the full text, the names of speakers. Kept
answers of models are left out as well: they only save asking twice.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from typing import Any, TypeGuard

from wangchuan import indexing
from wangchuan.errors import InvalidInput, NewerFormat
from wangchuan.facts import SOURCES, found_by
from wangchuan.messages import ROLES
from wangchuan.models.terms import indexed
from wangchuan.spots import PLACES
from wangchuan.storage import KEPT, MessageRecord, Transaction
from wangchuan.vectors import MADE_BY

FORMAT, VERSION = "wangchuan-memory", 1
LARGEST = (1 << 63) - 1
MOST_MESSAGES = 1 << 44  # beyond which no spot in the full text can name one
SHELL = ""  # the role of a message of which an erasure left only its number and its place
WORDS = ("id", "name", "content", "timestamp")  # what an erasure takes from a message
DERIVED = (indexing.ANALYSED_BY, indexing.DONE_UPTO)  # notes about what is made anew

# Texts in the store that are JSON themselves are told as JSON, and stored again as they were.
_PLAIN: dict[str, Any] = {"ensure_ascii": False}
_TIGHT: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":")}
_AS_JSON = {
    ("node", "keywords"): (list, _PLAIN),
    ("node", "sources"): (list, _PLAIN),
    ("entry", "detail"): (dict, _TIGHT),
}
_CHOICES = {
    ("message", "role"): frozenset((*ROLES.values(), SHELL)),
    ("job", "state"): frozenset(("pending", "done", "failed")),
    ("node", "kind"): frozenset(("segment", "episode", "fact", "core", "system")),
    ("fact", "source"): frozenset(SOURCES),
}
_BOUNDS: dict[tuple[str, str], tuple[float, float]] = {
    ("message", "seq"): (1, MOST_MESSAGES),
    ("message", "place"): (0, PLACES),
    ("job", "seq"): (1, LARGEST),
    ("node", "n"): (1, LARGEST),
    ("link", "strength"): (0, 1),
}
_NOTES: dict[str, Callable[[str], Any]] = {  # how notes are read by those who use them
    "passes": int,
    "observed": int,
    "summarised": int,
    "aged_at": float,
    "rules": json.loads,
    "settings": json.loads,
    "replay_from": int,
    "tasks": json.loads,
}
# Which memories and messages a record speaks of: if one was erased, the record stays out.
_SPEAKS_OF = {
    "message": (("message", "seq"),),
    "node": (("node", "n"),),
    "link": (("node", "source"), ("node", "target")),
    "focus": (("node", "node"),),
    "entry": (("node", "node"),),
    "signals": (("node", "node"),),
    "lifecycle": (("node", "node"),),
    "fact": (("node", "node"),),
    "evidence": (("node", "node"), ("message", "message")),
    "vector": (("message", "message"),),
}

_PREFIX = {"node": "mem", "message": "msg"}  # of public ids

Erased = frozenset[tuple[str, str]]


# writing


def written(tx: Transaction, agent: str, *, vectors: bool = False) -> Iterator[str]:
    """Yield the lines of a memory, without their ends, as they are read from the store."""
    kinds = [kind for kind in KEPT if vectors or kind != "vector"]
    notes = [note for note in tx.every("note") if _is_told(note.key, vectors)]
    counts = {kind: len(notes) if kind == "note" else tx.how_many(kind) for kind in kinds}
    yield _line(
        {
            "format": FORMAT,
            "version": VERSION,
            "agent": agent,
            "last_node": tx.last_number(),
            "counts": counts,
        }
    )
    for kind in kinds:
        for record in notes if kind == "note" else tx.every(kind):
            yield _line({"record": kind} | _told(kind, record))


def _is_told(key: str, vectors: bool) -> bool:
    return key not in DERIVED and (vectors or key != MADE_BY)


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, **_TIGHT)


def _told(kind: str, record: Any) -> dict[str, Any]:
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    for name, value in values.items():
        if (kind, name) in _AS_JSON:
            values[name] = json.loads(value)
        elif isinstance(value, bytes):
            values[name] = base64.b64encode(value).decode("ascii")
    return values


# reading


def is_empty(tx: Transaction) -> bool:
    """Tell whether nothing was ever stored: only then is there room for another memory."""
    return not (tx.last_message() or tx.highest_node() or tx.last_job())


def take_in(tx: Transaction, lines: Iterable[bytes]) -> dict[str, int]:
    """Store what lines hold and return how many records of each kind came in.

    Raises InvalidInput, naming the line, for whatever cannot be used, and NewerFormat for what a
    newer version wrote; the transaction must then be given up.
    """
    numbered = enumerate(lines, 1)
    header = _header(next(numbered, (1, b""))[1])
    found, stored, lengths, erased = Counter[str](), Counter[str](), set[int](), tx.buried()
    blank: list[MessageRecord] = []
    for number, line in numbered:
        try:
            kind, record = read(line)
            found[kind] += 1
            if kind == "vector":
                lengths.add(len(record.vector))
            if len(lengths) > 1:
                raise InvalidInput("the vector has another length than those before")
            if not skip(kind, record, erased):
                tx.take_in(kind, record)
                _index(tx, kind, record)
                stored[kind] += 1
                if kind == "message" and record.role != SHELL and not record.content:
                    blank.append(record)
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error}; nothing was stored") from error
    _compare(header["counts"], found)
    tx.reserve(header["last_node"])
    indexing.index(tx, blank)  # by memories, which came after them
    indexing.note_current(tx)
    return dict(stored)


def skip(kind: str, record: Any, erased: Erased) -> bool:
    """Tell whether a record speaks of something that was erased: that must not come back.

    The shell of a message does not speak; it keeps the number from being given to another.
    """
    if kind == "message" and record.role == SHELL:
        return False
    spoken = _SPEAKS_OF.get(kind, ()) if erased else ()
    ids = [(what, f"{_PREFIX[what]}_{getattr(record, name)}") for what, name in spoken]
    if kind == "message":
        ids.append(("message", record.public_id))
    return any(one in erased for one in ids)


def _index(tx: Transaction, kind: str, record: Any) -> None:
    """Make the full text anew."""
    if kind == "message":
        if record.role != SHELL:
            tx.index(record, indexed(record.content))
    elif kind == "node" and record.kind != "segment":
        tx.index_fact(record.n, found_by(record.original))


def is_header(line: bytes) -> bool:
    """Tell whether a line is the first one of such a file."""
    try:
        return bool(json.loads(line).get("format") == FORMAT)
    except (ValueError, AttributeError, RecursionError):
        return False


def _header(line: bytes) -> dict[str, Any]:
    if not is_header(line):
        raise InvalidInput(f"line 1: no header of the format {FORMAT!r}; nothing was stored")
    header: dict[str, Any] = json.loads(line)
    version, counts, last = (header.get(name) for name in ("version", "counts", "last_node"))
    if not _is_whole(version) or version < 1:
        raise InvalidInput("line 1: version must be a whole number; nothing was stored")
    if version > VERSION:
        raise NewerFormat(
            f"the file has version {version} of the format, this version of Wangchuan knows up to"
            f" {VERSION}: upgrade Wangchuan. Nothing was stored."
        )
    if not isinstance(counts, dict) or not all(map(_is_whole, counts.values())):
        raise InvalidInput("line 1: counts must be an object of whole numbers; nothing was stored")
    if not _is_whole(last) or not 0 <= last <= LARGEST:
        raise InvalidInput("line 1: last_node must be a whole number; nothing was stored")
    return header


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _compare(promised: dict[str, int], found: Counter[str]) -> None:
    for kind in {**promised, **found}:
        if promised.get(kind, 0) != found[kind]:
            raise InvalidInput(
                f"the header promises {promised.get(kind, 0)} records of kind {kind!r:.40}, the"
                f" file holds {found[kind]}: it is cut off or was changed; nothing was stored"
            )


def read(line: bytes) -> tuple[str, Any]:
    """Return the kind and the record of a line, or raise InvalidInput."""
    values = _parsed(line)
    kind = values.pop("record", None)
    if not isinstance(kind, str) or kind not in KEPT:
        raise InvalidInput(f"'record' is {kind!r:.40}; it must be one of {', '.join(KEPT)}")
    wanted = {field.name: str(field.type) for field in fields(KEPT[kind])}
    if values.keys() != wanted.keys():
        wrong = ", ".join(sorted(values.keys() ^ wanted.keys()))
        raise InvalidInput(f"fields of the {kind} are missing or unknown: {wrong:.200}")
    checked = {name: _value(kind, name, wanted[name], values[name]) for name in wanted}
    if kind == "note":
        _check_note(checked["key"], checked["value"])
    if kind == "message":
        _check_message(checked)
    return kind, KEPT[kind](**checked)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        values = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"not UTF-8 (byte {error.start})") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"not JSON ({error!s:.100})") from error
    if not isinstance(values, dict):
        raise InvalidInput(f"must be an object, not {type(values).__name__}")
    return values


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _value(kind: str, name: str, wanted: str, value: Any) -> Any:
    """Return one field as it is stored, or raise InvalidInput."""
    if (kind, name) in _AS_JSON:
        return _stored_json(kind, name, value)
    type_name, _, optional = wanted.partition(" | ")
    if value is None and optional:
        return None
    try:
        read_value = _READ[type_name](value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} of the {kind} is {value!r:.40}: {error}") from error
    low, high = _BOUNDS.get((kind, name), (-math.inf, math.inf))
    if type_name != "str" and (kind, name) in _BOUNDS and not low <= read_value <= high:
        raise InvalidInput(f"{name} of the {kind} is {value!r:.40}, beyond {low} to {high}")
    if read_value not in _CHOICES.get((kind, name), (read_value,)):
        choices = ", ".join(sorted(filter(None, _CHOICES[kind, name])))
        raise InvalidInput(f"{name} of the {kind} is {value!r:.40}; it must be one of {choices}")
    return read_value


def _stored_json(kind: str, name: str, value: Any) -> str:
    wanted, style = _AS_JSON[kind, name]
    if not isinstance(value, wanted):
        raise InvalidInput(f"{name} of the {kind} must be a {wanted.__name__}, not {value!r:.40}")
    if wanted is list and not all(isinstance(one, str) for one in value):
        raise InvalidInput(f"{name} of the {kind} must hold texts only")
    try:
        return _text(json.dumps(value, **style))
    except ValueError as error:
        raise InvalidInput(f"{name} of the {kind}: {error}") from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("it must be a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError("it holds half a character (a lone surrogate)") from error
    return value


def _whole(value: Any) -> int:
    if not _is_whole(value):
        raise TypeError("it must be a whole number")
    if not -LARGEST <= value <= LARGEST:
        raise ValueError("it is too large")
    return int(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("it must be a number")
    if not math.isfinite(value):
        raise ValueError("it is not finite")
    return float(value)


def _bytes(value: Any) -> bytes:
    try:
        found = base64.b64decode(_text(value), validate=True)
    except binascii.Error as error:
        raise ValueError("it must be base64") from error
    if not found or len(found) % 2:
        raise ValueError("it must hold numbers of two bytes")
    return found


_READ: dict[str, Callable[[Any], Any]] = {
    "str": _text,
    "int": _whole,
    "float": _number,
    "bytes": _bytes,
}


def _check_message(values: dict[str, Any]) -> None:
    """Refuse a message that nobody said, unless nothing is left of it either."""
    left = [name for name in WORDS if values[name] not in (None, "")]
    if values["role"] == SHELL and left:
        raise InvalidInput(f"the message was erased (its role is ''), but has: {', '.join(left)}")


def _check_note(key: str, value: str) -> None:
    """Refuse a note that would keep the memory from being opened."""
    if key in DERIVED:
        raise InvalidInput(f"the note {key!r} is made anew and cannot be brought")
    try:
        _NOTES.get(key, str)(value)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the note {key!r:.40} is {value!r:.40}: {error}") from error
