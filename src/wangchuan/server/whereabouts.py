"""Where the server of a root listens, so that others on the machine find it.

A server holds a lock in its root while it runs, and notes its address beside. The system lets the
lock go when the server dies, so an old note is never believed.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from wangchuan.storage.files import make_folder, write_file
from wangchuan.storage.locks import Busy, FileLock

LOCK, NOTE = "server.lock", "server.url"


class Whereabouts:
    """The place of the server of one root; the first of several servers is the one to be found."""

    def __init__(self, root: Path) -> None:
        self._root, self._first = root, False
        self._lock = FileLock(root / LOCK, patience=0, of_thread=False)

    def __enter__(self) -> Whereabouts:
        """Take the place, if no other server has it."""
        make_folder(self._root)
        with suppress(Busy):
            self._lock.take()
            self._first = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._first:
            (self._root / NOTE).unlink(missing_ok=True)
            self._lock.give()

    def announce(self, url: str) -> None:
        """Note the address."""
        if self._first:
            write_file(self._root / NOTE, url)

    def url(self) -> str | None:
        """Return the address of the server that runs; None if none does."""
        if not (self._root / LOCK).exists():
            return None
        try:
            self._lock.take()
        except Busy:
            with suppress(FileNotFoundError):
                return (self._root / NOTE).read_text("utf-8").strip() or None
            return None
        self._lock.give()
        return None
