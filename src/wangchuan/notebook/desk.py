"""Where one agent writes its pages: whole or not at all, one writer at a time.

A page is written to a draft beside it, synced, and put in its place in one step: after a crash
there is the old page or the new one. Drafts carry the agent's name, so that what a killed writer
left behind is overwritten by the next one. Writers of one agent take turns by a file lock, which
the system releases when its holder dies; the lock lies in the agent's own folder, not among the
pages. Agents never write each other's pages, and nobody needs a lock to read.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import Timeout

from wangchuan.errors import StorageError
from wangchuan.messages import storable
from wangchuan.storage import files

PATIENCE = 60.0  # seconds to wait for another writer


class Desk:
    """The one place from which an agent's pages are read and written."""

    def __init__(self, agent: str, lock: Path, *, patience: float = PATIENCE) -> None:
        self.agent = agent
        self._path, self._patience = lock, patience
        self._lock = files.lock_at(lock, timeout=patience)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers of this agent waiting; may be nested in one thread."""
        try:
            self._lock.acquire()
        except Timeout as error:
            raise StorageError(
                f"another process has been writing the notebook of {self.agent!r} for"
                f" {self._patience:g} seconds; end it, or delete {self._path} if there is none"
            ) from error
        try:
            yield
        finally:
            self._lock.release()

    def read(self, path: Path) -> str | None:
        """Return the text of a page; None if there is none."""
        try:
            return path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise StorageError(
                f"{path} is not text in UTF-8 (byte {error.start}): mend it, or move it away"
            ) from error
        except OSError as error:
            raise StorageError(f"cannot read {path}: {error.strerror or error}") from error

    def write(self, path: Path, text: str) -> None:
        """Put a page in its place, whole; raises StorageError and leaves the old one otherwise."""
        place = Path(os.path.realpath(path))  # a page may be a link to where it is kept
        with self._faults(path), self._draft(place, text) as draft:
            with suppress(FileNotFoundError):
                shutil.copymode(place, draft)
            draft.replace(place)
        files.sync_folder(place.parent)

    def create(self, path: Path, text: str) -> bool:
        """Put a page in a place where there is none; False, writing nothing, if there is one."""
        with self._faults(path), self._draft(path, text) as draft:
            try:
                os.link(draft, path)
            except FileExistsError:
                return False
            except OSError:  # a file system without links: look first, as well as it goes
                if path.exists():
                    return False
                draft.replace(path)
        files.sync_folder(path.parent)
        return True

    def tidy(self, *folders: Path) -> None:
        """Remove the drafts a killed writer left in folders."""
        with self.locked():
            for folder in folders:
                with suppress(FileNotFoundError, NotADirectoryError):
                    self._draft_in(folder).unlink()

    @contextmanager
    def _draft(self, path: Path, text: str) -> Iterator[Path]:
        with self.locked():
            files.make_folder(path.parent)
            draft = self._draft_in(path.parent)
            try:
                with files.open_file(draft) as file:
                    file.write(storable(text).encode("utf-8"))
                    file.flush()
                    os.fsync(file.fileno())
                yield draft
            finally:
                draft.unlink(missing_ok=True)

    def _draft_in(self, folder: Path) -> Path:
        return folder / f".{self.agent}.draft"

    @contextmanager
    def _faults(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
