"""A disk that counts what it is asked, fails when told, and remembers what a power cut would leave.

`Disk` is a layer of SQLite's below the library: while it is used, every connection of this process
goes through it. Before each call it asks `before(kind, path)`, which may raise, die or take a
picture. It also knows which writes have been synced. At a power cut those are on the platter; of
the others any part may be, sector by sector and in any order, and files made or deleted since may
be there or not.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

SECTOR = 512
KINDS = {"EIO": ("open", "read", "write", "sync", "truncate", "delete"),
         "ENOSPC": ("write",), "fsync": ("sync",)}  # fmt: skip


def failure(name: str, path: str) -> Exception:
    """Make the error that SQLite is told."""
    if name == "ENOSPC":
        return apsw.FullError(f"no space left on the disk for {path}")
    return apsw.IOError(f"{name}: the disk does not answer for {path}")


class Platter:
    """One file: what is surely on the disk, and what was asked since."""

    def __init__(self, path: str) -> None:
        there = Path(path).is_file()
        self.surely = bytearray(Path(path).read_bytes() if there else b"")
        self.made = not there  # since the last sync: its name may not be on the disk
        self.since: list[tuple[int, bytes | None]] = []

    def sync(self) -> None:
        for offset, data in self.since:
            _apply(self.surely, offset, data)
        self.since, self.made = [], False

    def after_a_cut(self, chance: random.Random) -> bytes | None:
        """Return what is there when the power comes back; None: no such file."""
        if self.made and chance.random() < 0.5:
            return None
        left, share = bytearray(self.surely), chance.choice((0.0, 0.5, 0.9, 1.0))
        in_order = chance.random() < 0.5  # or else the disk chose another order
        upto = chance.randint(0, len(self.since)) if in_order else len(self.since)
        for offset, data in self.since[:upto]:
            for start, part in _sectors(offset, data):
                if in_order or chance.random() < share:
                    _apply(left, start, part)
        return bytes(left)


def _sectors(offset: int, data: bytes | None) -> Iterator[tuple[int, bytes | None]]:
    if data is None:
        yield offset, None
        return
    while data:
        length = SECTOR - offset % SECTOR
        yield offset, data[:length]
        offset, data = offset + length, data[length:]


def _apply(content: bytearray, offset: int, data: bytes | None) -> None:
    """Write at an offset, or (no data) cut or lengthen the content to that size."""
    end = offset if data is None else offset + len(data)
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    if data is None:
        del content[offset:]
    else:
        content[offset:end] = data


class DiskFile(apsw.VFSFile):
    """A file whose calls the disk hears of first."""

    def __init__(self, disk: Disk, name: Any, flags: Any) -> None:
        self._disk = disk
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        disk.asked("open", self._path)
        self._platter = disk.platter(self._path)
        super().__init__("unix", name, flags)

    def excepthook(self, *_: Any) -> None:
        """Say nothing of errors that SQLite has no way to pass on."""

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 (SQLite's names)
        self._disk.asked("read", self._path)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.asked("write", self._path)
        self._disk.since(self._platter, offset, bytes(data))
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._disk.asked("truncate", self._path)
        self._disk.since(self._platter, size, None)
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.asked("sync", self._path)
        self._disk.synced(self._platter)


class Disk(apsw.VFS):
    """The disk of this process, below SQLite. Real syncs are left out: they only take time."""

    def __init__(self, *, remembers: bool = False) -> None:
        self.calls = 0
        self.before: Callable[[str, str], None] = lambda kind, path: None
        self._remembers = remembers
        self._platters: dict[str, Platter] = {}
        self._deleted: dict[str, Platter] = {}
        self._lock = threading.RLock()
        super().__init__("faulty", "unix", makedefault=True)

    def excepthook(self, *_: Any) -> None:
        """Say nothing of errors that SQLite has no way to pass on."""

    def xOpen(self, name: Any, flags: Any) -> DiskFile:  # noqa: N802
        return DiskFile(self, name, flags)

    def xDelete(self, path: str, sync: bool) -> None:  # noqa: N802
        self.asked("delete", path)
        with self._lock:
            gone = self._platters.pop(path, None)
            if gone is not None and not sync and not gone.made:
                self._deleted[path] = gone
        super().xDelete(path, sync)

    # what the files tell

    def asked(self, kind: str, path: str) -> None:
        with self._lock:
            self.calls += 1
        self.before(kind, path)

    def platter(self, path: str) -> Platter | None:
        if not self._remembers or not path:
            return None
        with self._lock:
            if path not in self._platters:
                self._platters[path] = Platter(path)
            return self._platters[path]

    def since(self, platter: Platter | None, offset: int, data: bytes | None) -> None:
        if platter is not None:
            with self._lock:
                platter.since.append((offset, data))

    def synced(self, platter: Platter | None) -> None:
        if platter is not None:
            with self._lock:
                if platter.made:  # SQLite syncs the folder with a file that it made
                    self._deleted.clear()
                platter.sync()

    # what is done with it

    def cut(self, folder: Path, chance: random.Random) -> dict[str, bytes]:
        """Return what a folder's files would hold if the power were cut now, by name."""
        with self._lock:
            found = {p: t.after_a_cut(chance) for p, t in self._within(self._platters, folder)}
            for path, platter in self._within(self._deleted, folder):
                if path not in found and chance.random() < 0.5:
                    found[path] = platter.after_a_cut(chance)
        return {os.path.basename(p): left for p, left in found.items() if left is not None}

    def _within(self, platters: dict[str, Platter], folder: Path) -> list[tuple[str, Platter]]:
        return [(p, t) for p, t in platters.items() if os.path.dirname(p) == str(folder)]

    def fail(self, name: str, nth: int, *, lasting: bool = False) -> Failing:
        """Fail the nth call of the kinds that a fault is about, counted from now."""
        failing = Failing(name, nth, lasting)
        self.before = failing
        return failing

    def work(self) -> None:
        """Fail no more."""
        self.before = lambda kind, path: None


class Failing:
    """Fails the nth call, or all from there on."""

    def __init__(self, name: str, nth: int, lasting: bool) -> None:
        self._name, self._nth, self._lasting = name, nth, lasting
        self.seen = 0  # calls of the kinds that it fails

    def __call__(self, kind: str, path: str) -> None:
        if kind not in KINDS[self._name]:
            return
        self.seen += 1
        if self.seen == self._nth or (self.seen > self._nth and self._lasting):
            raise failure(self._name, path)


class Connection(apsw.Connection):
    """One that closes as SQLite does: it ignores what the disk says to its last writes.

    Without this, an error of a disk that is written in Python would be raised all the same.
    """

    def close(self, force: bool = False) -> None:
        with suppress(apsw.IOError, apsw.FullError):
            super().close(force)


@contextmanager
def faulty_disk(*, remembers: bool = False) -> Iterator[Disk]:
    """Put the disk below every connection that is opened meanwhile."""
    disk, plain = Disk(remembers=remembers), apsw.Connection
    apsw.Connection = Connection  # type: ignore[misc]
    try:
        yield disk
    finally:
        apsw.Connection = plain  # type: ignore[misc]
        disk.unregister()
