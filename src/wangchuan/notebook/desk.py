"""Where one agent writes its pages: whole or not at all, one writer at a time.

A page is written to a draft beside it, synced, and put in its place in one step: after a crash
there is the old page or the new one. Drafts carry the agent's name, so that what a killed writer
left behind is overwritten by the next one. Writers of one agent take turns by a file lock, which
the system releases when its holder dies; the lock lies in the agent's own folder, not among the
pages. Agents never write each other's pages, and nobody needs a lock to read.

The folder of the pages may come from a stranger (a repository that was cloned): a link in it that
leads out of it is neither written nor read, and only plain files are.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wangchuan.errors import InvalidInput, StorageError
from wangchuan.messages import storable
from wangchuan.storage import files
from wangchuan.storage.locks import Busy, FileLock

PATIENCE = 60.0  # seconds to wait for another writer
LARGEST = 32 << 20  # bytes of a page; no model reads a longer one


class LeadsOut(StorageError):
    """A link among the pages leads out of their folder; nothing was read or written."""


class Desk:
    """The one place from which an agent's pages are read and written."""

    def __init__(
        self,
        agent: str,
        lock: Path,
        home: Path | None = None,
        *,
        patience: float = PATIENCE,
        noted: Callable[[str], object] = str,
    ) -> None:
        """`home` is the folder in which all pages lie; None: anywhere.

        `noted` is called with the name of every page that was written or taken away.
        """
        self.agent, self._home, self._noted = agent, home, noted
        self._path, self._patience = lock, patience
        self._lock = FileLock(lock, patience)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers of this agent waiting; may be nested in one thread."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)  # memories may be kept elsewhere
            self._lock.take()
        except Busy as error:
            raise StorageError(
                f"another process has been writing the notebook of {self.agent!r} for"
                f" {self._patience:g} seconds; end it, or delete {self._path} if there is none"
            ) from error
        except OSError as error:
            raise StorageError(
                f"cannot lock the notebook by {self._path}: {error.strerror or error}"
            ) from error
        try:
            yield
        finally:
            self._lock.give()

    def read(self, path: Path, *, most: int | None = LARGEST) -> str | None:
        """Return the text of a page; None if there is none. Raises StorageError."""
        place = self._place(path)
        try:
            found = place.stat()
            if not stat.S_ISREG(found.st_mode):
                raise StorageError(f"cannot read {path}: it is no file; move it away")
            if most is not None and found.st_size > most:
                raise StorageError(
                    f"{path} has {found.st_size} bytes, a page at most {most}: shorten it, or move"
                    " it away"
                )
            return place.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise StorageError(
                f"{path} is not text in UTF-8 (byte {error.start}): mend it, or move it away"
            ) from error
        except OSError as error:
            raise StorageError(f"cannot read {path}: {error.strerror or error}") from error

    def write(self, path: Path, text: str, *, most: int | None = LARGEST) -> None:
        """Put a page in its place, whole; raises StorageError and leaves the old one otherwise.

        Raises InvalidInput for a text that is too long to be read again.
        """
        place, data = self._place(path), storable(text).encode("utf-8")
        if most is not None and len(data) > most:
            raise InvalidInput(f"a page has at most {most} bytes, not {len(data)}: shorten it")
        if place.exists() and not place.is_file():
            raise StorageError(f"cannot write {path}: it is no file; move it away")
        with self._faults(path), self._draft(place, data) as draft:
            with suppress(FileNotFoundError):
                shutil.copymode(place, draft)
            draft.replace(place)
            files.sync_folder(place.parent)
        self._noted(path.name)

    def create(self, path: Path, text: str) -> bool:
        """Put a page in a place where there is none; False, writing nothing, if there is one."""
        self._place(path.parent)
        with self._faults(path), self._draft(path, storable(text).encode("utf-8")) as draft:
            try:
                os.link(draft, path)
            except FileExistsError:
                return False
            except OSError:  # a file system without links: looking first must do
                if path.exists():
                    return False
                draft.replace(path)
            files.sync_folder(path.parent)
        self._noted(path.name)
        return True

    def remove(self, path: Path) -> None:
        """Take a page away, if there is one; raises StorageError."""
        with self._faults(path), self.locked():
            (self._place(path.parent) / path.name).unlink(missing_ok=True)
        self._noted(path.name)

    def tidy(self, *folders: Path) -> None:
        """Remove the drafts a killed writer left in folders."""
        with self.locked():
            for folder in folders:
                with suppress(OSError, StorageError):  # who writes there next will say so
                    self._draft_in(self._place(folder)).unlink()

    def _place(self, path: Path) -> Path:
        """Return the file of a page, which may be a link to that file.

        Raises LeadsOut for a link that leads out of the folder of the pages.
        """
        place = Path(os.path.realpath(path))
        if self._home and not place.is_relative_to(os.path.realpath(self._home)):
            raise LeadsOut(
                f"{path} is a link that leads out of {self._home}, to {place}: it is neither read"
                " nor written; remove the link"
            )
        return place

    @contextmanager
    def _draft(self, path: Path, data: bytes) -> Iterator[Path]:
        with self.locked():
            files.make_folder(path.parent)
            draft = self._draft_in(path.parent)
            draft.unlink(missing_ok=True)  # perhaps a killed writer's, or a stranger's link
            try:
                with files.open_file(draft) as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                yield draft
            finally:
                with suppress(OSError):
                    draft.unlink(missing_ok=True)

    def _draft_in(self, folder: Path) -> Path:
        return folder / f".{self.agent}.draft"

    @contextmanager
    def _faults(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
