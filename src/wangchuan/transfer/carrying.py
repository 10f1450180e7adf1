"""Export, import and backup of one agent: files and streams, and which format they hold.

A file, or a new agent's memory, is written as a draft beside its place. The draft is moved there in
one step. So nobody reads half a file, and a bad line leaves nothing behind.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from glob import escape
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from wangchuan.arguments import a_path, one_of
from wangchuan.erasing.provenance import MESSAGE
from wangchuan.errors import InvalidInput, StorageError, shown
from wangchuan.facts.records import Facts, Learned
from wangchuan.living.lens import Lens, settings_by
from wangchuan.living.parts import Living
from wangchuan.living.soundness import faults
from wangchuan.living.ways import EXTRACTIVE, noted_ways, settings_with
from wangchuan.pending import Receipt
from wangchuan.routines.observe import topic_of
from wangchuan.settings.fields import Settings
from wangchuan.storage import Backend, Store, Transaction, files
from wangchuan.transfer import lines, markdown, others, turtle
from wangchuan.types import Clock, Message

Place = str | Path | BinaryIO

OURS = "jsonl"
SYSTEMS = tuple(sorted(others.READERS))
BATCH = 10  # messages per remember; it takes ten of the longest
PATIENCE = 600.0  # seconds that a full queue is waited for

FORMATS = (OURS, "markdown", "turtle")
SUFFIXES = {".md": "markdown", ".markdown": "markdown", ".ttl": "turtle"}  # others are ours


class Agent(Protocol):
    """An agent, as export and backup need it."""

    id: str
    backend: Backend
    living: Living
    facts: Facts

    def store(self) -> AbstractContextManager[Store]:
        """Borrow the store for a short while."""


class Ground(Protocol):
    """The host, as an import needs it."""

    settings: Settings
    backend: Backend
    clock: Clock

    def is_open(self, agent_id: str) -> bool:
        """Tell whether an agent is open here."""


class Hearer(Protocol):
    """An open memory, as an import of other systems needs it."""

    def remember(self, messages: Any) -> Receipt:
        """Accept messages."""

    def flush(self, timeout: float | None) -> bool:
        """Wait until everything accepted is digested."""


# out


def format_of(place: Place) -> str:
    """Return the format that a place asks for by its suffix."""
    suffix = Path(place).suffix.casefold() if isinstance(place, str | Path) else ""
    return SUFFIXES.get(suffix, OURS)


def export(agent: Agent, place: Place, form: str | None, *, vectors: bool) -> None:
    """Write a memory, as it is at this moment, to a path or a binary stream."""
    form = format_of(place) if form is None else one_of(form, FORMATS, "format")
    with (
        agent.store() as store,
        store.snapshot() as tx,
        _opened_to_write(place, agent) as out,
    ):
        for line in _written(tx, agent, form, vectors):
            out.write(line.encode("utf-8") + b"\n")


def _written(tx: Transaction, agent: Agent, form: str, vectors: bool) -> Iterator[str]:
    if form == "markdown":
        return markdown.written(tx, agent.id, agent.facts)
    if form == "turtle":
        return turtle.written(tx, agent.id, agent.living.lens)
    return lines.written(tx, agent.id, vectors=vectors)


@contextmanager
def _opened_to_write(place: Place, agent: Agent) -> Iterator[BinaryIO]:
    """Open a draft that takes its place when it is whole; a stream is used as it is."""
    if not isinstance(place, str | os.PathLike):
        _refuse_no_stream(place, "write")
        yield place
        return
    path = a_path(place, "place")
    try:
        _refuse_no_file(path)
        _refuse_in_use(path, agent.backend)
        files.tidy(path.parent, f".{escape(path.name)}.*{files.DRAFT}")
        with files.draft_of(path, agent.backend.path(agent.id)) as draft:
            with files.open_file(draft) as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            draft.replace(path)
    except OSError as error:  # the error names the draft, of which nobody knows
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error


def _refuse_no_stream(place: object, verb: str) -> None:
    """Raise InvalidInput unless a place is a binary stream with this verb."""
    if isinstance(place, io.TextIOBase) or not callable(getattr(place, verb, None)):
        raise InvalidInput(f"place must be a path or a binary stream: {shown(place)}")


def _refuse_no_file(path: Path) -> None:
    """Raise InvalidInput for a path at which no file can be."""
    if path.is_dir():
        raise InvalidInput(
            f"{path} is a folder; name a file in it, such as {path / 'memory.jsonl'}"
        )
    if path.exists() and not path.is_file():  # a draft moved there would destroy a device
        raise InvalidInput(f"{path} is no file; open it and give the stream")
    if not path.parent.is_dir():
        raise InvalidInput(f"cannot write {path}: there is no folder {path.parent}; make it first")


def _refuse_in_use(path: Path, backend: Backend) -> None:
    """Raise InvalidInput for a file of a memory that is open: only its store may touch it."""
    if backend.is_in_use(path):
        raise InvalidInput(f"{path} belongs to a memory that is open; name another file")


def back_up(agent: Agent, root: str | Path) -> Path:
    """Copy a living memory to `root/agent_id`, from where it can be opened; return that folder.

    Raises InvalidInput if there is an agent already.
    """
    where = a_path(root, "root")
    with agent.store() as store:
        copied = agent.backend.copy(agent.id, store, where)
    if copied is None:
        raise InvalidInput(f"{where / agent.id} holds a memory already; choose another folder")
    return copied


# in


def import_into(
    host: Ground,
    agent_id: str,
    place: Place,
    form: str | None,
    opened: Callable[[], AbstractContextManager[tuple[Agent, Hearer]]],
) -> dict[str, int]:
    """Bring the memory of a file or a stream into an agent; see `Host.import_`."""
    known = (OURS, *SYSTEMS)
    if form is not None:
        one_of(form, known, "format")
    with _opened_to_read(place, host.backend) as source:
        first = source.readline()
        if form == OURS or (form is None and lines.is_header(first)):
            return _take_in(host, agent_id, chain([first], source))
        document = others.parsed(first + source.read())
    system = form or others.recognised(document)
    if system is None:
        raise InvalidInput(
            f"this is no export of {', '.join(known)} that could be recognised; name the format,"
            " or give messages to `remember`. Nothing was stored"
        )
    found = others.read(document, system)
    with opened() as (agent, memory):
        return _take_over(agent, memory, found)


@contextmanager
def _opened_to_read(place: Place, backend: Backend) -> Iterator[BinaryIO]:
    if not isinstance(place, str | os.PathLike):
        _refuse_no_stream(place, "readline")
        yield place
        return
    path = a_path(place, "place")
    if path.exists() and not path.is_file():  # a pipe would be waited for without end
        raise InvalidInput(f"{path} is no file; open it and give the stream")
    _refuse_in_use(path, backend)
    try:
        source = path.open("rb")
    except OSError as error:
        raise InvalidInput(f"cannot read {place}: {error.strerror or error}") from error
    with source:
        yield source


def _take_in(host: Ground, agent: str, source: Iterable[bytes]) -> dict[str, int]:
    """Store our own format in a draft; the draft becomes the agent when the source has ended."""
    with host.backend.draft(agent) as draft:
        if host.backend.exists(agent):
            with _alone(host, agent) as present, present.read() as tx:
                _refuse_memories(tx, agent)
        with closing(draft.open()) as store:
            with store.write() as tx:
                came = lines.take_in(tx, source, partial(_faults, host))
            if draft.was_taken:
                return _pour(host, store, agent)
        if not draft.settle():
            raise InvalidInput(
                f"agent {agent!r} was made by someone else meanwhile, and stays as it is;"
                " import under another name. Nothing was stored"
            )
    return came


def _faults(host: Ground, tx: Transaction) -> Iterator[str]:
    """Yield the faults of a memory, by the rules that are noted in it."""
    noted, ways = tx.meta.get("rules"), noted_ways(tx)
    settings = settings_by(json.loads(noted), host.settings) if noted else host.settings
    settings, extractive = settings_with(ways, settings), bool(ways.get(EXTRACTIVE, True))
    return faults(tx, Lens(settings, host.clock, extractive))


def _pour(host: Ground, draft: Store, agent: str) -> dict[str, int]:
    """Bring a draft into an agent that is there, without the nodes that the agent erased."""
    host.backend.prepare(agent)
    with _alone(host, agent) as store, draft.snapshot() as whole, store.write() as tx:
        _refuse_memories(tx, agent)
        told = lines.written(whole, agent, vectors=True)
        return lines.take_in(tx, (line.encode("utf-8") for line in told))


def _refuse_memories(tx: Transaction, agent: str) -> None:
    if not lines.is_empty(tx):
        raise InvalidInput(
            f"agent {agent!r} has memories already; import into a new agent. Nothing was stored"
        )


@contextmanager
def _alone(host: Ground, agent: str) -> Iterator[Store]:
    """Open an agent's store while nobody else works on the agent."""
    if host.is_open(agent):
        raise InvalidInput(f"agent {agent!r} is open; close it first. Nothing was stored")
    lease = host.backend.lease(agent)
    if not lease.take():
        where = host.backend.path(agent)
        raise StorageError(f"another process works on {where}; close it there first")
    try:
        with closing(host.backend.open(agent)) as store:
            yield store
    finally:
        lease.give()


def _take_over(agent: Agent, memory: Hearer, found: others.Found) -> dict[str, int]:
    """Remember the messages of another system and add its facts; known ones are left out."""
    kept = 0
    with agent.store() as store, store.write() as tx:
        for stated in found.facts:
            text = " ".join(stated.text.split())
            if agent.facts.saying(tx, text) is None:
                agent.facts.add(tx, Learned(text, topic_of(text), since=stated.since))
                kept += 1
    heard = 0
    for said in found.conversations:
        fresh = _not_yet_heard(agent, said)
        for start in range(0, len(fresh), BATCH):
            _remember(memory, fresh[start : start + BATCH])
        heard += len(fresh)
    given = len(found.facts) + sum(map(len, found.conversations))
    return {"message": heard, "fact": kept, "known": given - heard - kept}


def _not_yet_heard(agent: Agent, said: list[Message]) -> list[Message]:
    with agent.store() as store, store.read() as tx:
        return [m for m in said if m.id is None or not _is_known(tx, m.id)]


def _is_known(tx: Transaction, message_id: str) -> bool:
    """Tell whether a message is there, or was erased and must not come back."""
    return bool(tx.messages.named(message_id)) or tx.tombstones.is_erased(MESSAGE, message_id)


def _remember(memory: Hearer, messages: list[Message]) -> None:
    receipt = memory.remember(messages)
    if receipt.status == "rejected":
        memory.flush(PATIENCE)
        receipt = memory.remember(messages)
    if receipt.status == "rejected":
        receipt.result()  # raises QueueFull
