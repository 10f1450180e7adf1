"""Carrying a memory out of its folder and into one: files, streams and what goes where.

A file, or a new agent's folder, is written beside its place and put there in one step: nobody
reads half of it, and a bad line leaves nothing behind. A folder that someone else may have opened
meanwhile is neither replaced nor removed.
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

from wangchuan.arguments import a_path, one_of, shown
from wangchuan.erasing.provenance import MESSAGE
from wangchuan.errors import InvalidInput, StorageError
from wangchuan.facts.records import Facts, Learned
from wangchuan.living.lens import Lens, settings_by
from wangchuan.living.parts import Living
from wangchuan.living.soundness import faults
from wangchuan.living.ways import EXTRACTIVE, noted_ways, settings_with
from wangchuan.pending import Receipt
from wangchuan.routines.observe import topic_of
from wangchuan.settings.fields import Settings
from wangchuan.storage import SQLiteStore, Store, Transaction, files
from wangchuan.storage.sqlite.folder import FileLease, Folder
from wangchuan.storage.sqlite.schema import migrations
from wangchuan.transfer import lines, markdown, others, turtle
from wangchuan.types import Clock, Message

Place = str | Path | BinaryIO

OURS = "jsonl"
SYSTEMS = tuple(sorted(others.READERS))
BATCH = 10  # messages per remember, which takes as many of the longest
PATIENCE = 600.0  # seconds that a full queue is waited for

FORMATS = (OURS, "markdown", "turtle")
SUFFIXES = {".md": "markdown", ".markdown": "markdown", ".ttl": "turtle"}  # others are ours


class Agent(Protocol):
    """What export and backup ask of an agent."""

    id: str
    folder: Folder
    living: Living
    facts: Facts

    def store(self) -> AbstractContextManager[Store]:
        """Borrow the store for a short while."""


class Ground(Protocol):
    """What an import asks of the host."""

    settings: Settings
    clock: Clock

    def is_open(self, agent_id: str) -> bool:
        """Tell whether an agent is open here."""

    def agent_of(self, agent_id: str) -> Agent:
        """Return the parts of an agent that is open here."""


class Memory(Protocol):
    """What an import of other systems asks of an open memory."""

    def remember(self, messages: Any) -> Receipt:
        """Accept messages durably."""

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything that was accepted is digested."""


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
        _opened_to_write(place, agent.folder.path) as out,
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
def _opened_to_write(place: Place, agent: Path) -> Iterator[BinaryIO]:
    """Open a draft that takes its place when it is whole; a stream is used as it is."""
    if not isinstance(place, str | os.PathLike):
        _refuse_no_stream(place, "write")
        yield place
        return
    path = a_path(place, "place")
    try:
        _refuse_no_file(path)
        files.tidy(path.parent, f".{escape(path.name)}.*{files.DRAFT}")
        with files.draft_of(path, agent) as draft:
            with files.open_file(draft) as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            draft.replace(path)
    except OSError as error:  # it names the draft, of which nobody knows
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error


def _refuse_no_stream(place: object, verb: str) -> None:
    """Raise InvalidInput for what is no binary stream to read from, or to write to."""
    if isinstance(place, io.TextIOBase) or not callable(getattr(place, verb, None)):
        raise InvalidInput(f"place must be a path or a binary stream: {shown(place)}")


def _refuse_no_file(path: Path) -> None:
    """Raise InvalidInput for a path at which no file can be."""
    if path.is_dir():
        raise InvalidInput(
            f"{path} is a folder; name a file in it, such as {path / 'memory.jsonl'}"
        )
    if path.exists() and not path.is_file():  # to be put in its place would destroy a device
        raise InvalidInput(f"{path} is no file; open it and give the stream")
    if not path.parent.is_dir():
        raise InvalidInput(f"cannot write {path}: there is no folder {path.parent}; make it first")


def back_up(agent: Agent, root: str | Path) -> Path:
    """Copy a living memory to `root/agent_id`, from where it can be opened; return that folder.

    Raises InvalidInput if there is an agent already.
    """
    folder = Folder(a_path(root, "root"), agent.id)
    taken = InvalidInput(f"{folder.path} holds a memory already; choose another folder")
    if folder.database.exists():
        raise taken
    with _folder_draft(folder, agent.folder.path) as draft:
        with agent.store() as store:
            store.copy_to(draft.database)
        _put_in_place(draft, folder, taken)
    return folder.path


@contextmanager
def _folder_draft(folder: Folder, noted_in: Path | None = None) -> Iterator[Folder]:
    """Make the draft of an agent's folder; nobody opens an agent by that name."""
    try:
        files.make_folder(folder.path.parent)
        with files.draft_of(folder.path, noted_in) as path:
            draft = Folder(folder.path.parent, folder.agent, path)
            draft.prepare(len(migrations()))
            yield draft
    except OSError as error:
        raise StorageError(f"cannot write {folder.path}: {error.strerror or error}") from error


def _put_in_place(draft: Folder, folder: Folder, taken: InvalidInput) -> None:
    """Give a draft its name in one step; a folder in which there is anything is never replaced."""
    try:
        draft.path.rename(folder.path)
    except OSError as error:
        if not folder.path.exists():
            raise
        raise taken from error
    files.sync_folder(folder.path.parent)


# in


def import_into(
    host: Ground,
    agent_id: str,
    place: Place,
    form: str | None,
    opened: Callable[[], AbstractContextManager[Memory]],
) -> dict[str, int]:
    """Bring what a file or a stream holds into an agent's memory; see `Host.import_`."""
    known = (OURS, *SYSTEMS)
    if form is not None:
        one_of(form, known, "format")
    folder = Folder(host.settings.root, agent_id)
    with _opened_to_read(place) as source:
        first = source.readline()
        if form == OURS or (form is None and lines.is_header(first)):
            return _take_in(host, folder, chain([first], source))
        document = others.parsed(first + source.read())
    system = form or others.recognised(document)
    if system is None:
        raise InvalidInput(
            f"this is no export of {', '.join(known)} that could be recognised; name the format,"
            " or give messages to `remember`. Nothing was stored"
        )
    found = others.read(document, system)
    with opened() as memory:
        return _take_over(host.agent_of(agent_id), memory, found)


@contextmanager
def _opened_to_read(place: Place) -> Iterator[BinaryIO]:
    if not isinstance(place, str | os.PathLike):
        _refuse_no_stream(place, "readline")
        yield place
        return
    path = a_path(place, "place")
    if path.exists() and not path.is_file():  # a pipe would be waited for without end
        raise InvalidInput(f"{path} is no file; open it and give the stream")
    try:
        source = path.open("rb")
    except OSError as error:
        raise InvalidInput(f"cannot read {place}: {error.strerror or error}") from error
    with source:
        yield source


def _take_in(host: Ground, folder: Folder, source: Iterable[bytes]) -> dict[str, int]:
    """Store our own format: in a draft first, however long the source takes and however it ends."""
    with _folder_draft(folder) as draft:
        there = folder.path.exists()
        if folder.database.is_file():
            with _alone(host, folder) as present, present.read() as tx:
                _refuse_memories(tx, folder)
        with _stored(host, draft) as store:
            with store.write() as tx:
                came = lines.take_in(tx, source, partial(_faults, host))
            if there:
                return _pour(host, store, folder)
        _put_in_place(
            draft,
            folder,
            InvalidInput(
                f"agent {folder.agent!r} was made by someone else meanwhile, and stays as it is;"
                " import under another name. Nothing was stored"
            ),
        )
    return came


def _faults(host: Ground, tx: Transaction) -> Iterator[str]:
    """Yield what is wrong with a memory by the rules that are noted in it."""
    noted, ways = tx.meta.get("rules"), noted_ways(tx)
    settings = settings_by(json.loads(noted), host.settings) if noted else host.settings
    settings, extractive = settings_with(ways, settings), bool(ways.get(EXTRACTIVE, True))
    return faults(tx, Lens(settings, host.clock, extractive))


def _pour(host: Ground, draft: SQLiteStore, folder: Folder) -> dict[str, int]:
    """Bring a draft into an agent that is there, but for what it erased, in one transaction."""
    folder.prepare(len(migrations()))
    with _alone(host, folder) as store, draft.snapshot() as whole, store.write() as tx:
        _refuse_memories(tx, folder)
        told = lines.written(whole, folder.agent, vectors=True)
        return lines.take_in(tx, (line.encode("utf-8") for line in told))


def _refuse_memories(tx: Transaction, folder: Folder) -> None:
    if not lines.is_empty(tx):
        raise InvalidInput(
            f"agent {folder.agent!r} has memories already; import into a new agent."
            " Nothing was stored"
        )


@contextmanager
def _alone(host: Ground, folder: Folder) -> Iterator[SQLiteStore]:
    """Open an agent's store for one who works on it alone."""
    if host.is_open(folder.agent):
        raise InvalidInput(f"agent {folder.agent!r} is open; close it first. Nothing was stored")
    lease = FileLease(folder)
    if not lease.take():
        raise StorageError(f"another process works on {folder.path}; close it there first")
    try:
        with _stored(host, folder) as store:
            yield store
    finally:
        lease.give()


@contextmanager
def _stored(host: Ground, folder: Folder) -> Iterator[SQLiteStore]:
    with closing(SQLiteStore(folder.database, durability=host.settings.durability)) as store:
        yield store


def _take_over(agent: Agent, memory: Memory, found: others.Found) -> dict[str, int]:
    """Remember what others heard, and keep as facts what they distilled; nothing twice."""
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
    """Tell whether a message is there, or was and is not to come back."""
    return bool(tx.messages.named(message_id)) or tx.tombstones.is_erased(MESSAGE, message_id)


def _remember(memory: Memory, messages: list[Message]) -> None:
    receipt = memory.remember(messages)
    if receipt.status == "rejected":
        memory.flush(PATIENCE)
        receipt = memory.remember(messages)
    if receipt.status == "rejected":
        receipt.result()  # raises QueueFull
