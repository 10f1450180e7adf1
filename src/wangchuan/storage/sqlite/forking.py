"""Forks of a process that has databases open.

SQLite counts the locks of its process in memory of its own. A forked child inherits the count but
not the locks: it would write as if it were alone. So before a fork every database is closed, once
its transactions have ended; the parent opens it again when it next needs it, the child may open it
anew. What cannot be closed in time (a transaction of the forking thread itself, a long export) is
left open, and the child is refused every database: an error, rather than a damaged memory.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
import weakref
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from wangchuan.errors import StorageError

PATIENCE_SECONDS = 10.0  # how long a fork waits for the transactions under way
REFUSED = (
    "this process was forked in the midst of using a memory, and cannot open one safely: fork when"
    " nothing is being exported or replayed, or start the process by `spawn`"
)


class Forkable(Protocol):
    """What must be closed for a fork."""

    def pause(self, until: float) -> bool:
        """Close the connections once nobody uses them; False if some are in use for too long."""

    def resume(self) -> None:
        """Let others use it again."""

    def forsake(self) -> None:
        """In a child: see that nothing ever closes the connections, which are the parent's."""

    def files(self) -> Iterable[Path]:
        """Return the database's files, also those that do not exist yet."""


class Forks:
    """What is open, and the fork under way."""

    def __init__(self) -> None:
        self.open: weakref.WeakValueDictionary[int, Forkable] = weakref.WeakValueDictionary()
        self.gate = threading.RLock()  # held by whoever opens a database beside, or forks
        self.forker: int | None = None
        self.paused: list[Forkable] = []
        self.quiet = False
        self.refused = False

    def has_open(self, path: Path) -> bool:
        """Tell whether a path leads to a file of an open store, also by another name."""
        stores = [store for ref in self.open.valuerefs() if (store := ref()) is not None]
        for file in (file for store in stores for file in store.files()):
            with suppress(OSError):
                if path.samefile(file):
                    return True
        return False

    def before(self) -> None:
        """Close every database; other threads wait at its door until the fork is over."""
        until = time.monotonic() + PATIENCE_SECONDS
        if not self.gate.acquire(timeout=PATIENCE_SECONDS):
            return
        self.forker, self.quiet = threading.get_ident(), False
        stores = [store for ref in self.open.valuerefs() if (store := ref()) is not None]
        for store in stores:
            if store.pause(until):
                self.paused.append(store)
        self.quiet = len(self.paused) == len(stores)

    def in_parent(self) -> None:
        """Open the doors again."""
        if self.forker != threading.get_ident():
            return  # the gate was not opened in time: another thread is forking
        while self.paused:
            self.paused.pop().resume()
        self.forker = None
        self.gate.release()

    def in_child(self) -> bool:
        """Leave the parent's connections alone; return whether none was open."""
        stores = [store for ref in self.open.valuerefs() if (store := ref()) is not None]
        for store in stores:
            store.forsake()
        if self.forker == threading.get_ident():
            return self.quiet
        return not stores and self.gate.acquire(blocking=False)


forks = Forks()


def _begin_anew() -> None:
    """In a child: make new locks; other threads of the parent may have held the old ones."""
    global forks
    former, forks = forks, Forks()
    forks.refused = not former.in_child() or former.refused


def watch(store: Forkable) -> None:
    """Have a store closed before forks, from before it opens anything."""
    with forks.gate:
        if forks.refused:
            raise StorageError(REFUSED)
        forks.open[id(store)] = store


def unwatch(store: Forkable) -> None:
    """Forget a store that has nothing open any more."""
    forks.open.pop(id(store), None)


def forsake(connection: Any) -> None:
    """Never close a connection that is the parent's: not even when the process ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: forks.before(),
        after_in_parent=lambda: forks.in_parent(),
        after_in_child=_begin_anew,
    )
