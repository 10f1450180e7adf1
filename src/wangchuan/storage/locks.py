"""Locks in files, which the system releases when their holder dies.

An interrupt (Ctrl-C) leaves nothing locked: after any step it ends the call, and the open file that
holds the lock is closed with the call.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
import weakref
from contextlib import suppress
from io import FileIO
from pathlib import Path
from types import SimpleNamespace

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MODE = 0o600
LOOK_SECONDS = 0.02  # how often a waiting caller tries again


class Busy(BlockingIOError):
    """Another holder had the lock for as long as the caller was ready to wait."""


class FileLock:
    """A lock in a file; its holder may take it again, and gives it as often.

    The holder is a thread, or (`of_thread=False`) whoever has this object.
    """

    def __init__(self, path: Path, patience: float = math.inf, *, of_thread: bool = True) -> None:
        self._path, self._patience = path, patience
        self._held = threading.local() if of_thread else SimpleNamespace()

    def take(self) -> None:
        """Take the lock, or wait for it; raises Busy and OSError."""
        held = self._held
        file = getattr(held, "file", None)
        if file is not None and not file.closed:
            held.times += 1
            return
        until = time.monotonic() + self._patience
        while (file := _locked(self._path)) is None:
            if time.monotonic() >= until:
                raise Busy(f"another has locked {self._path}")
            time.sleep(LOOK_SECONDS)
        held.times, held.file = 1, file

    def give(self) -> None:
        """Release the lock once it was given as often as taken; does nothing if it is not held."""
        file = getattr(self._held, "file", None)
        if file is not None:
            self._held.times -= 1
            if self._held.times <= 0:
                self._held.file = None
                _let_go(file)

    def __enter__(self) -> None:
        self.take()

    def __exit__(self, *_: object) -> None:
        self.give()


_files: weakref.WeakSet[FileIO] = weakref.WeakSet()  # on which there are locks


def _locked(path: Path) -> FileIO | None:
    """Open a file and lock it; None if another has."""
    while True:
        file = FileIO(path, "a", opener=lambda name, flags: os.open(name, flags, MODE))
        _files.add(file)
        try:
            _lock(file.fileno())
        except (BlockingIOError, PermissionError):
            file.close()
            return None
        if os.name == "nt" or os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # the former holder has removed the file meanwhile


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _let_go(file: FileIO) -> None:
    """Unlock a file, then close it: a child forked just now may have a copy that is open."""
    if sys.platform != "win32":
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)
    file.close()


def _forsake() -> None:
    """In a child: close the copies of locked files, or the child would hold the locks, too."""
    for file in list(_files):
        with suppress(OSError):
            file.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forsake)
