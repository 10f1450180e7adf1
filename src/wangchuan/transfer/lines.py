"""JSON Lines: everything a memory holds, one record a line, and back again.

The first line is a header. Every other line is a record of one kind, with its fields in the order
of its columns; kinds come in the order of `KEPT`, records in the order of their keys. Nothing in
the file depends on when or where it was written, so exporting what was imported gives the same
bytes. Both ways a line is all that is in memory at a time.

The index of terms and the names of speakers are left out: an import makes them anew. Kept answers
of models are left out as well: they only save asking twice.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, TypeGuard

from wangchuan.errors import InvalidInput, NewerFormat
from wangchuan.facts.records import found_by
from wangchuan.finding import indexing
from wangchuan.finding.vectors import MADE_BY
from wangchuan.language.terms import indexed
from wangchuan.messages import flat
from wangchuan.storage import KEPT, JobRecord, LinkRecord, MessageRecord, NodeRecord, Transaction
from wangchuan.transfer import bounds
from wangchuan.transfer.bounds import LARGEST, MOST, SHELL

FORMAT, VERSION = "wangchuan-memory", 1
WORDS = (
    "id",
    "name",
    "content",
    "timestamp",
    "session",
    "metadata",
)  # the fields that an erasure empties
DERIVED = (indexing.ANALYSED_BY, indexing.DONE_UPTO)  # notes about the index

# Columns whose texts are JSON: a line holds the JSON, and an import stores the same text.
_PLAIN: dict[str, Any] = {"ensure_ascii": False}
_TIGHT: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":")}
_AS_JSON = {
    ("node", "keywords"): (list, _PLAIN),
    ("node", "sources"): (list, _PLAIN),
    ("entry", "detail"): (dict, _TIGHT),
    ("message", "metadata"): (dict, _TIGHT),
}
# Fields that records gained later, with the value for older files.
_LATER: dict[str, dict[str, Any]] = {
    "message": {"session": None, "metadata": None},
    "node": {"waited": 0},
}
# The nodes and messages that a record names: if one was erased, the record stays out.
_SPEAKS_OF = bounds.SPEAKS_OF | {
    "message": (("message", "seq"),),
    "node": (("node", "n"),),
    "job": (),
    "entry": (("node", "node"),),
    "lifecycle": (("node", "node"),),
    "fact": (("node", "node"),),
}

_PREFIX = {"node": "mem", "message": "msg"}  # of public ids

Erased = frozenset[tuple[str, str]]


# writing


def written(tx: Transaction, agent: str, *, vectors: bool = False) -> Iterator[str]:
    """Yield the lines of a memory, without their ends, as they are read from the store."""
    kinds = [kind for kind in KEPT if vectors or kind != "vector"]
    notes = [note for note in tx.rows.every("note") if _is_told(note.key, vectors)]
    counts = {kind: len(notes) if kind == "note" else tx.rows.how_many(kind) for kind in kinds}
    yield _line(
        {
            "format": FORMAT,
            "version": VERSION,
            "agent": agent,
            "last_node": tx.nodes.last_number(),
            "counts": counts,
        }
    )
    for kind in kinds:
        for record in notes if kind == "note" else tx.rows.every(kind):
            yield _line({"record": kind} | _told(kind, record))


def _is_told(key: str, vectors: bool) -> bool:
    return key not in DERIVED and (vectors or key != MADE_BY)


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, **_TIGHT)


def _told(kind: str, record: Any) -> dict[str, Any]:
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    for name, value in values.items():
        if (kind, name) in _AS_JSON and value is not None:
            values[name] = json.loads(value)
        elif isinstance(value, bytes):
            values[name] = base64.b64encode(value).decode("ascii")
        elif (kind, name) == ("link", "strength"):
            values[name] = float(value)  # SQLite keeps a strength of 1 as a whole number
    return values


# reading


def is_empty(tx: Transaction) -> bool:
    """Tell whether nothing was ever stored; only then may a memory be imported."""
    return not (tx.messages.last() or tx.nodes.highest() or tx.jobs.last())


def take_in(
    tx: Transaction,
    lines: Iterable[bytes],
    faults: Callable[[Transaction], Iterable[str]] | None = None,
) -> dict[str, int]:
    """Store the records of lines and return how many of each kind came in.

    `faults` yields the faults of the memory as a whole.

    Raises InvalidInput, naming the line, for a record that cannot be used, and NewerFormat for a
    file of a newer version; the transaction must then be given up.
    """
    numbered = enumerate(lines, 1)
    header = _header(next(numbered, (1, b""))[1])
    found, stored, erased = Counter[str](), Counter[str](), tx.tombstones.all()
    blank: list[MessageRecord] = []
    order = Order()
    for number, line in numbered:
        try:
            kind, record = read(line)
            found[kind] += 1
            order.check(kind, record, number)
            if skip(kind, record, erased):
                order.skipped.add((kind, getattr(record, _KEY.get(kind, ""), 0)))
                continue
            _check_references(tx, kind, record, order.skipped)
            if isinstance(record, JobRecord):
                _check_span(record, found["message"])
            tx.rows.take_in(kind, record)
            _index(tx, kind, record)
            stored[kind] += 1
            if kind == "message" and record.role != SHELL and not record.content:
                blank.append(record)
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error}; nothing was stored") from error
    _compare(header["counts"], found)
    tx.nodes.reserve(header["last_node"])
    tx.links.tidy()
    indexing.index(tx, blank)  # by their nodes, which came later in the file
    indexing.note_current(tx)
    if faults is not None:
        order.refuse(faults(tx))
    return dict(stored)


@dataclass(slots=True)
class Order:
    """The lines read so far: their kinds, and the lines of nodes and jobs."""

    kinds: list[str] = field(default_factory=lambda: list(KEPT))
    length: int | None = None  # of vectors
    skipped: set[tuple[str, int]] = field(default_factory=set)  # messages and nodes, erased here
    runs: list[tuple[str, int, int]] = field(default_factory=list)  # id, number and line of a first

    def check(self, kind: str, record: Any, line: int) -> None:
        """Refuse a kind that comes too late and a vector of another length."""
        if kind not in self.kinds:
            raise InvalidInput(f"a {kind} comes too late; kinds come as {', '.join(KEPT)}")
        del self.kinds[: self.kinds.index(kind)]
        if kind == "vector":
            self.length = self.length or len(record.vector)
            if self.length != len(record.vector):
                raise InvalidInput("the vector has another length than those before it")
        if kind in _NUMBERED:
            prefix, name = _NUMBERED[kind]
            self._note(prefix, getattr(record, name), line)

    def _note(self, prefix: str, number: int, line: int) -> None:
        """Note the line of a record, unless it follows from the record before."""
        last = self.runs[-1] if self.runs else ("", 0, 0)
        if (prefix, number - line) != (last[0], last[1] - last[2]):
            self.runs.append((prefix, number, line))

    def refuse(self, faults: Iterable[str]) -> None:
        """Raise InvalidInput for the first fault, naming its line."""
        for fault in faults:
            named = re.search(r"(mem|job)_(\d+)", fault)
            line = self._line(named[1], int(named[2])) if named else 1
            raise InvalidInput(f"line {line}: {fault}; nothing was stored")

    def _line(self, prefix: str, number: int) -> int:
        at = [(n, line) for kind, n, line in self.runs if kind == prefix and n <= number]
        first, line = max(at, default=(number, 1))
        return line + number - first


_NUMBERED = {"node": ("mem", "n"), "job": ("job", "seq")}
_KEY = {"node": "n", "message": "seq"}


def _check_references(
    tx: Transaction, kind: str, record: Any, skipped: set[tuple[str, int]]
) -> None:
    """Refuse a record that names a missing record which was not erased, or a pass to come."""
    for what, name in bounds.SPEAKS_OF.get(kind, ()):
        n = getattr(record, name)
        there = n is None or (tx.messages.of([n]) if what == "message" else tx.nodes.get(n))
        gone = (kind, name) == ("link", "target") and tx.pruned().entry
        if not there and not gone and (what, n) not in skipped:
            raise InvalidInput(f"{name} of the {kind} is {n}, and there is no such {what}")
    if isinstance(record, NodeRecord) and (record.since_pass or 0) > tx.passes():
        raise InvalidInput(f"since_pass of the node is {record.since_pass}, a pass to come")
    if isinstance(record, LinkRecord):
        source = tx.nodes.get(record.source)
        if source and record.at_scan > _most_scans(source, tx.passes()):
            raise InvalidInput(f"at_scan of the link is {record.at_scan}, a scan to come")


def _most_scans(record: NodeRecord, passes: int) -> int:
    """Return how often a node can have been scanned: at most once in a pass."""
    return record.scans + (0 if record.since_pass is None else passes - record.since_pass)


def _check_span(job: JobRecord, messages: int) -> None:
    """Refuse messages of a job that are not consecutive, or more than there are."""
    first, last = job.first_message, job.last_message
    if (first is None) != (last is None):
        raise InvalidInput("first_message and last_message of the job must come together")
    if first and last and not 0 <= last - first < messages:
        raise InvalidInput(f"last_message of the job is {last}, its first one {first}")


def skip(kind: str, record: Any, erased: Erased) -> bool:
    """Tell whether a record names an erased node or message: the record must not come back.

    A shell comes in: it keeps the number of the message from being used again.
    """
    if kind == "message" and record.role == SHELL:
        return False
    spoken = _SPEAKS_OF.get(kind, ()) if erased else ()
    ids = [(what, f"{_PREFIX[what]}_{getattr(record, name)}") for what, name in spoken]
    if kind == "message":
        ids.append(("message", record.public_id))
    return any(one in erased for one in ids)


def _index(tx: Transaction, kind: str, record: Any) -> None:
    """Index a message or a fact."""
    if kind == "message":
        if record.role != SHELL:
            tx.index.add(record, indexed(record.content))
    elif kind == "node" and record.kind != "segment":
        tx.index.add_fact(record.n, found_by(record.original))


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
    if not _is_whole(last) or not 0 <= last <= MOST:
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
    values = _LATER.get(kind, {}) | values
    wanted = {field.name: str(field.type) for field in fields(KEPT[kind])}
    if values.keys() != wanted.keys():
        wrong = ", ".join(sorted(values.keys() ^ wanted.keys()))
        raise InvalidInput(f"fields of the {kind} are missing or unknown: {wrong:.200}")
    checked = {name: _value(kind, name, wanted[name], values[name]) for name in wanted}
    _check_forms(kind, checked, values)
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
    type_name, _, optional = wanted.partition(" | ")
    if value is None and optional:
        return None
    if (kind, name) in _AS_JSON:
        return _stored_json(kind, name, value)
    try:
        read_value = _READ[type_name](value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} of the {kind} is {value!r:.40}: {error}") from error
    bounds.check(kind, name, read_value)
    return read_value


def _stored_json(kind: str, name: str, value: Any) -> str:
    wanted, style = _AS_JSON[kind, name]
    if not isinstance(value, wanted):
        raise InvalidInput(f"{name} of the {kind} must be a {wanted.__name__}, not {value!r:.40}")
    if wanted is list and not all(isinstance(one, str) for one in value):
        raise InvalidInput(f"{name} of the {kind} must hold texts only")
    bounds.check_plain(f"{name} of the {kind}", value)
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
    """Refuse a shell that has words, and metadata that is not flat."""
    flat(json.loads(values["metadata"] or "{}"))
    left = [name for name in WORDS if values[name] not in (None, "")]
    if values["role"] == SHELL and left:
        raise InvalidInput(f"the message was erased (its role is ''), but has: {', '.join(left)}")


def _check_forms(kind: str, checked: dict[str, Any], told: dict[str, Any]) -> None:
    """Refuse a record whose fields pass one by one, but whose texts have not their form."""
    if kind == "message":
        _check_message(checked)
    elif kind == "note":
        key, value = checked["key"], checked["value"]
        if key in DERIVED:
            raise InvalidInput(f"the note {key!r} is made anew and cannot be brought")
        bounds.check_form(f"the note {key!r}", value, bounds.NOTES.get(key))
    elif kind == "job" and checked["progress"] is not None:
        form = bounds.PROGRESS.get(checked["kind"], lambda _: False)
        bounds.check_form(f"progress of the job ({checked['kind']})", checked["progress"], form)
    elif kind == "entry":
        about = f"detail of the entry ({checked['kind']})"
        bounds.check_form(about, told["detail"], bounds.DETAILS.get(checked["kind"]))
