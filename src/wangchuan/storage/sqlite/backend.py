"""Agents in folders: one folder per agent below a root, with one SQLite database in it.

A new agent's folder is made as a draft beside its place and gets its name in one step: nobody opens
half of it. A folder that someone else may have opened meanwhile is neither replaced nor removed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from wangchuan.errors import StorageError
from wangchuan.storage import files
from wangchuan.storage.sqlite import forking
from wangchuan.storage.sqlite.folder import FileLease, Folder, agents
from wangchuan.storage.sqlite.schema import migrations
from wangchuan.storage.sqlite.scratch import scratch
from wangchuan.storage.sqlite.scrubbing import destroy, finish_destroying
from wangchuan.storage.sqlite.store import SQLiteStore
from wangchuan.storage.store import Gone, Store
from wangchuan.storage.transaction import Transaction
from wangchuan.types import value


@value
class SQLiteBackend:
    """The folders of the agents below one root."""

    root: Path
    durability: str = "full"

    @property
    def where(self) -> str:
        """Return the root."""
        return str(self.root.absolute())

    def reach(self) -> None:
        """Look into the root, of which nothing is listed; a root that is yet to be made is fine."""
        try:
            with suppress(FileNotFoundError), os.scandir(self.root) as entries:
                next(entries, None)
        except OSError as error:
            raise StorageError(f"cannot read {self.root}: {error.strerror or error}") from error

    def agents(self) -> list[str]:
        """Return the ids of all agents that have a database, sorted."""
        return agents(self.root)

    def exists(self, agent: str) -> bool:
        """Tell whether an agent has a database."""
        return Folder(self.root, agent).database.is_file()

    def place(self, agent: str) -> str:
        """Return the folder of an agent, from the root of the file system on."""
        return str(self.path(agent).absolute())

    def path(self, agent: str) -> Path:
        """Return the folder of an agent, whether or not it is there."""
        return Folder(self.root, agent).path

    def prepare(self, agent: str) -> None:
        """Make the folder of an agent, or check that the one there is this agent's."""
        Folder(self.root, agent).prepare(len(migrations()))

    def open(self, agent: str) -> SQLiteStore:
        """Open the database of an agent, in a folder that is prepared."""
        folder = Folder(self.root, agent)
        folder.refuse_lost_database()
        store = SQLiteStore(folder.database, durability=self.durability)
        folder.ready(len(migrations()))
        return store

    def lease(self, agent: str) -> FileLease:
        """Return the lease of an agent, a lock in its folder."""
        return FileLease(Folder(self.root, agent))

    def note(self, agent: str, **figures: Any) -> None:
        """Note figures in `meta.json`."""
        try:
            Folder(self.root, agent).note(**figures)
        except OSError as error:
            raise StorageError(f"cannot note figures in {self.path(agent)}: {error}") from error

    @contextmanager
    def draft(self, agent: str, noted_in: Path | None = None) -> Iterator[FolderDraft]:
        """Begin the draft of an agent's folder; `noted_in` is a folder to note it in."""
        place = Folder(self.root, agent)
        try:
            files.make_folder(self.root)
            with files.draft_of(place.path, noted_in) as path:
                folder = Folder(self.root, agent, path)
                folder.prepare(len(migrations()))
                yield FolderDraft(folder, place, place.path.exists(), self.durability)
        except OSError as error:
            raise StorageError(f"cannot write {place.path}: {error.strerror or error}") from error

    def copy(self, agent: str, store: Store, root: Path) -> Path | None:
        """Copy an open store to a folder below another root; None if a database is there."""
        target = SQLiteBackend(root, self.durability)
        if target.exists(agent):
            return None
        with target.draft(agent, self.path(agent)) as draft:
            store.copy_to(draft.folder.database)
            return target.path(agent) if draft.settle() else None

    def erase(self, agent: str) -> Gone:
        """Destroy the folder of an agent with all its files; return how many there were."""
        folder = Folder(self.root, agent)
        if folder.is_read_only:
            raise StorageError(files.READ_ONLY.format(folder.path))
        return Gone(destroy(folder.path, folder.database))

    def tidy(self, agent: str | None = None) -> None:
        """Remove what writers who died left behind, below the root or in an agent's folder."""
        files.tidy(self.root)
        if agent is None:
            finish_destroying(self.root)
        else:
            files.tidy(self.path(agent))

    def waiting(self, limit: int) -> list[str]:  # noqa: ARG002
        """Raise StorageError: whoever opens an agent's folder works for it."""
        raise StorageError("workers are for agents in a store: set `store` (postgresql://…)")

    def waiting_jobs(self) -> None:
        """Return None: each folder knows its own."""

    def scratch(self) -> AbstractContextManager[Transaction]:
        """Open an empty database in memory, in one transaction."""
        return scratch()

    def is_in_use(self, path: Path) -> bool:
        """Tell whether a file belongs to a database that this process has open.

        Closing a plain handle of it would drop every lock that SQLite has on it.
        """
        return forking.forks.has_open(path)


@value
class FolderDraft:
    """A folder that is made beside the place of an agent's."""

    folder: Folder
    place: Folder
    was_taken: bool
    durability: str

    def open(self) -> SQLiteStore:
        """Open the database of the draft."""
        return SQLiteStore(self.folder.database, durability=self.durability)

    def settle(self) -> bool:
        """Give the draft its name; False if there is a folder with anything in it."""
        try:
            self.folder.path.rename(self.place.path)
        except OSError:
            if not self.place.path.exists():
                raise
            return False
        files.sync_folder(self.place.path.parent)
        return True
