"""Loose pages: texts under paths of their own, as agents and their tools write them.

Many vendors let an agent keep files: a path, a text, a version to write against. This is that
contract once, over the notebook's folder (`.notes/{agent}/pages/…`), where people may edit every
page with an editor. A page is written if it still has the version that its writer read; an
operation with an id is done once, however often it comes. Adapters translate, and decide nothing.

A ledger beside the folder (`pages.json`) holds versions, the newest operations, and what a writer
is about to do: the ledger is written first, then the page, then the ledger without it. Whoever
comes after a killed writer finishes that change, so that ledger and page agree. A page that was
changed by hand has another checksum than its ledger says, and therefore another version.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from wangchuan.arguments import a_text
from wangchuan.errors import Conflict, InvalidInput, StorageError, WangchuanError, shown
from wangchuan.language.terms import asked, terms
from wangchuan.living.view import checked_limit
from wangchuan.messages import storable
from wangchuan.network.ranking import shares
from wangchuan.notebook.desk import Desk
from wangchuan.notebook.versions import checksum
from wangchuan.types import value

ANY = "*"  # whatever version a page has, also none
OPERATIONS = 1024  # the newest that are known again
LONGEST_PATH, LONGEST_PART = 500, 200  # bytes


class Reused(InvalidInput):
    """The id of an operation stood for another change before; nothing was changed."""


@value
class Leaf:
    """A loose page as it stands; `operation` is the id of the change that wrote it, if any."""

    path: str
    text: str
    version: str
    operation: str | None = None
    score: float | None = None


@value
class Operation:
    """The name of one change. The same id with another fingerprint is a mistake."""

    id: str
    fingerprint: str = ""


@value
class Change:
    """The result of a change: the new version (None: deleted), and whether there was a page.

    `again` says that the operation was done before, and that nothing was done now.
    """

    version: str | None
    existed: bool
    again: bool = False


@dataclass
class _Ledger:
    last: int = 0
    pages: dict[str, list[Any]] = field(default_factory=dict)  # version, checksum, operation
    operations: dict[str, list[Any]] = field(default_factory=dict)  # fingerprint, version, existed
    owed: list[Any] | None = None  # a path and its new text, None: none


class Pages:
    """The loose pages of one agent; `memory.notebook.pages` gives them."""

    def __init__(self, folder: Path, ledger: Path, desk: Desk) -> None:
        self._folder, self._path, self._desk = folder, ledger, desk

    def read(self, path: str) -> Leaf | None:
        """Return a page, None if there is none. Raises InvalidInput for what is no path."""
        return self._leaf(self._settled(), checked_path(path))

    def paths(self, prefix: str = "") -> list[str]:
        """Return the paths of all pages that begin with a prefix, sorted."""
        self._settled()
        inside = Path(os.path.realpath(self._folder))
        files = (p for p in self._folder.rglob("*") if p.is_file())
        kept = (p for p in files if Path(os.path.realpath(p)).is_relative_to(inside))
        found = (p.relative_to(self._folder) for p in kept)
        names = (p.as_posix() for p in found if not any(part[0] == "." for part in p.parts))
        return sorted(name for name in names if name.startswith(a_text(prefix, "a prefix")))

    def search(self, query: str, *, prefix: str = "", limit: int = 10) -> list[Leaf]:
        """Return the pages that hold words of a query, best first, each with its score up to 1.

        The path below the prefix counts as text: `trips/lisbon.md` is about Lisbon.
        """
        ledger, most = self._settled(), checked_limit(limit)
        leaves = [leaf for p in self.paths(prefix) if (leaf := self._leaf(ledger, p))]
        return ranked(leaves, query, prefix)[:most]

    def write(
        self,
        path: str,
        text: str,
        *,
        version: str | None = ANY,
        operation: Operation | None = None,
    ) -> Change:
        """Put a text on a page if the page has this version; None: if there is no page.

        Raises Conflict, having done nothing, if the page has another version. Raises InvalidInput
        for a wrong path, or an operation's id that stood for another change.
        """
        return self._change(path, storable(a_text(text, "a page")), version, operation)

    def delete(
        self, path: str, *, version: str | None = ANY, operation: Operation | None = None
    ) -> Change:
        """Remove a page, for good, if it has this version. Raises as `write` does."""
        return self._change(path, None, version, operation)

    def done(self, operation: Operation) -> Change | None:
        """Return the result of an operation; None if it was not done, or is no longer known."""
        known = _checked(operation)
        return _known(self._settled(), known) if known else None

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Keep other writers waiting while several pages are read and changed."""
        with self._desk.locked():
            yield

    def _change(
        self, path: str, text: str | None, version: str | None, operation: Operation | None
    ) -> Change:
        name, operation = checked_path(path), _checked(operation)
        version = None if version is None else a_text(version, "version")
        with self._desk.locked():
            ledger = self._settled()
            if operation and (known := _known(ledger, operation)):
                return known
            leaf = self._leaf(ledger, name)
            present = leaf.version if leaf else None
            if version not in (ANY, present):
                raise Conflict(
                    f"the page {shown(name)} has version {present}, not {shown(version)}: somebody"
                    " changed it; read it again, and write against that version"
                )
            return self._done(ledger, (name, text), leaf is not None, operation)

    def _done(
        self, ledger: _Ledger, owed: tuple[str, str | None], existed: bool, by: Operation | None
    ) -> Change:
        """Note a change, make the change, and note that it is made."""
        (path, text), before = owed, deepcopy(ledger)
        ledger.last += 1
        made = None if text is None else str(ledger.last)
        ledger.pages.pop(path, None)
        if text is not None:
            ledger.pages[path] = [made, checksum(text), by.id if by else None]
        if by is not None:
            ledger.operations[by.id] = [by.fingerprint, made, existed]
            for old in list(ledger.operations)[:-OPERATIONS]:
                del ledger.operations[old]
        ledger.owed = [path, text]
        self._save(ledger)
        try:
            self._settle(ledger)
        except WangchuanError:  # the change cannot be made; nobody has to finish it
            self._save(before)
            raise
        return Change(made, existed)

    def _settled(self) -> _Ledger:
        """Return the ledger, after finishing what a killed writer was about to do."""
        ledger = self._ledger()
        if ledger.owed is None:
            return ledger
        with self._desk.locked():
            ledger = self._ledger()
            self._settle(ledger)
            return ledger

    def _settle(self, ledger: _Ledger) -> None:
        if ledger.owed is None:
            return
        path, text = ledger.owed
        if text is None:
            self._desk.remove(self._folder / path)
            self._tidy((self._folder / path).parent)
        else:
            self._desk.write(self._folder / path, text)
        ledger.owed = None
        self._save(ledger)

    def _tidy(self, folder: Path) -> None:
        """Remove folders that the last page left."""
        with suppress(OSError):
            while folder != self._folder:
                folder.rmdir()
                folder = folder.parent

    def _leaf(self, ledger: _Ledger, path: str) -> Leaf | None:
        place = self._folder / path
        text = self._desk.read(place) if place.is_file() else None
        if text is None:
            return None
        version, known, operation = ledger.pages.get(path, ("0", "", None))
        found = checksum(text)
        if found == known:
            return Leaf(path, text, version, operation)
        return Leaf(path, text, f"{version}~{found[:12]}")  # somebody wrote the page by hand

    def _ledger(self) -> _Ledger:
        try:
            return _Ledger(**json.loads(self._desk.read(self._path, most=None) or "{}"))
        except (ValueError, TypeError, RecursionError) as error:
            raise StorageError(
                f"{self._path} is no ledger of pages: mend it, or move it away (the pages stay)"
            ) from error

    def _save(self, ledger: _Ledger) -> None:
        self._desk.write(self._path, json.dumps(asdict(ledger), ensure_ascii=False), most=None)


def checked_path(path: str) -> str:
    """Return a path, `notes/lisbon.md`; InvalidInput for what leads elsewhere or is hidden."""
    name = a_text(path, "a path")
    fits = len(name.encode("utf-8", "replace")) <= LONGEST_PATH
    if not fits or not all(_is_part(part) for part in name.split("/")):
        raise InvalidInput(
            f"a page has a path like notes/lisbon.md, without hidden parts, not {shown(path)}"
        )
    return name


def _is_part(part: str) -> bool:
    plain = bool(part) and part[0] != "." and part.isprintable() and "\\" not in part
    return plain and len(part.encode()) <= LONGEST_PART


def _checked(operation: object) -> Operation | None:
    """Return an operation with plain names; theirs of the same form is taken, too."""
    if operation is None:
        return None
    named = getattr(operation, "id", None), getattr(operation, "fingerprint", "")
    if not all(isinstance(one, str) for one in named):
        raise InvalidInput(
            f"an operation has an id and a fingerprint, both texts: {shown(operation)}"
        )
    return Operation(*map(str, named))


def _known(ledger: _Ledger, operation: Operation) -> Change | None:
    if operation.id not in ledger.operations:
        return None
    fingerprint, version, existed = ledger.operations[operation.id]
    if fingerprint != operation.fingerprint:
        raise Reused(f"the operation {shown(operation.id)} stood for another change before")
    return Change(version, existed, again=True)


def ranked(leaves: Iterable[Leaf], query: str, prefix: str = "") -> list[Leaf]:
    """Return the pages that hold words of a query, best first, each with its score up to 1."""
    words, given = asked(a_text(query, "a query")), list(leaves)
    held = [_held(f"{leaf.path.removeprefix(prefix)}\n{leaf.text}", words) for leaf in given]
    scored = zip(given, shares(words, held), strict=True)
    found = [replace(leaf, score=score) for leaf, score in scored if score]
    return sorted(found, key=lambda leaf: -(leaf.score or 0.0))


def around(text: str, query: str, room: int) -> str:
    """Return what stands on a page around the first of a query's words, in so many characters."""
    folded = text.lower()
    places = [found for word in query.lower().split() if (found := folded.find(word)) >= 0]
    start = max(min(min(places, default=0) - room // 3, len(text) - room), 0)
    cut = text[start : start + room]
    return f"...{cut[3:]}" if start and room > 3 else cut


def _held(text: str, words: list[str]) -> set[str]:
    """Return the words that a page holds: as terms, or within a longer word."""
    folded = text.casefold()
    return {*terms(text), *(word for word in words if word in folded)}
