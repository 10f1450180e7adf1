"""The folder of an agent: its name, its notes in `meta.json`, and the lease to work in it.

The folder is named like the agent. Where a disk does not tell two ids apart (case, for instance),
the id noted inside the folder does. A folder that cannot be written can still be read.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from wangchuan.errors import NewerFormat, StorageError, WrongAgent
from wangchuan.ids import checked_id
from wangchuan.storage import files
from wangchuan.storage.locks import Busy, FileLock

DATABASE, NOTES, LEASE = "memory.db", "meta.json", "worker.lock"


class Folder:
    """One agent's folder below the root."""

    def __init__(self, root: Path, agent_id: str, path: Path | None = None) -> None:
        """`place` is the agent's folder, or the folder of its draft."""
        self.agent = checked_id(agent_id)
        self.path = path or root / agent_id
        self.database = self.path / DATABASE

    @property
    def is_read_only(self) -> bool:
        """Tell whether there is a database here of which nothing can be changed."""
        return self.database.is_file() and not files.is_writable(self.database)

    def prepare(self, format_version: int) -> None:
        """Make the folder, or check that the one there is this agent's and not too new.

        `ready` notes the format, once there is a database of that format.
        """
        if self.path.is_symlink() and not self._stays_inside():
            raise StorageError(f"{self.path} is a link that leaves {self.path.parent}; remove it")
        try:
            files.make_folder(self.path)
            files.tighten(self.path)
            files.tidy(self.path, f"*{files.DRAFT}")
            notes = self.notes()
            if not notes and not self.is_read_only:
                self.note(agent=self.agent)
        except OSError as error:
            raise StorageError(f"cannot make the folder {self.path}: {error}") from error
        if notes.get("format", 0) > format_version:
            raise NewerFormat(
                f"{self.path} has format {notes['format']}, this version of Wangchuan knows up to"
                f" {format_version}: upgrade Wangchuan. Nothing was changed."
            )
        if notes.get("agent", self.agent) != self.agent:
            raise WrongAgent(
                f"{self.path} belongs to agent {notes['agent']!r}. If this disk does not tell the"
                f" two names apart, choose another id than {self.agent!r}; if the folder was"
                f" renamed or copied on purpose, delete its {NOTES}"
            )
        self.refuse_lost_database()

    def refuse_lost_database(self) -> None:
        """Raise StorageError for a database that is away or empty though the notes know of more."""
        log = self.database.with_name(DATABASE + "-wal")
        there = self.database.is_file()
        if there and (self.database.stat().st_size or log.exists()):
            return
        if self.notes().get("format"):
            lost = "is empty (0 bytes)" if there else "is missing"
            raise StorageError(
                f"{self.database} {lost}, but {NOTES} beside it tells of a memory: its content was"
                " lost. Restore the file from a copy; or, to begin anew, delete the"
                f" folder {self.path}. Nothing was changed"
            )

    def ready(self, format_version: int) -> None:
        """Note that there is a database: from now on an empty file is a lost one."""
        if not self.is_read_only and self.notes().get("format") != format_version:
            with suppress(OSError):
                self.note(format=format_version)

    def _stays_inside(self) -> bool:
        return self.path.resolve().parent == self.path.parent.resolve()

    def notes(self) -> dict[str, Any]:
        """Return the values of `meta.json`; {} if the file is missing or damaged."""
        try:
            found = json.loads((self.path / NOTES).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        usable = isinstance(found, dict) and isinstance(found.get("format", 0), int)
        return found if usable else {}

    def note(self, **values: Any) -> None:
        """Write values into `meta.json`, all or nothing."""
        text = json.dumps({**self.notes(), **values}, ensure_ascii=False, indent=2) + "\n"
        files.write_file(self.path / NOTES, text)


class FileLease:
    """The right to work on an agent: a file lock that the system releases when its holder dies."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._lock = FileLock(folder.path / LEASE, patience=0, of_thread=False)

    def take(self) -> bool:
        """Try to take the lease without waiting. Raises StorageError if that cannot be tried."""
        try:
            self._lock.take()
        except Busy:
            return False
        except OSError as error:
            where = self._folder.path
            if self._folder.is_read_only:
                raise StorageError(files.READ_ONLY.format(where)) from error
            raise StorageError(f"cannot lock {where / LEASE}: {error.strerror or error}") from error
        return True

    def give(self) -> None:
        """Release the lease."""
        self._lock.give()


def agents(root: Path) -> list[str]:
    """Return the ids of the agents that have a database below a root, sorted."""
    if not root.is_dir():
        return []
    names = (entry.name for entry in root.iterdir() if (entry / DATABASE).is_file())
    return sorted(name for name in names if not name.startswith("."))
