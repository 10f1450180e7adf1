"""Several cells as one store, by a file that names them.

Which cell an agent is in, the cells know themselves: one that was moved left its name behind, with
where it went. So there is no list that could be wrong, and whoever looks for an agent while it is
moved finds it in one of its two cells. A new agent goes to the cell that the file names for new
ones, or to one by its name, the same from everywhere.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from wangchuan.errors import InvalidInput, StorageError, Unreachable
from wangchuan.ids import checked_id
from wangchuan.storage import files
from wangchuan.storage.postgres import copying
from wangchuan.storage.postgres.backend import PostgresBackend
from wangchuan.storage.postgres.store import PostgresStore
from wangchuan.storage.store import Draft, Gone, Lease, Store
from wangchuan.storage.transaction import Transaction

FORM = 'it has a table [cells] of names and addresses: berlin = "postgresql://…", and if you like'
FORM += ' new = "berlin" above it, the cell for agents that are new'


class Directory:
    """The agents of all cells that a file names."""

    def __init__(self, file: Path, root: Path, eventual: bool = False) -> None:
        """Read the file; raises InvalidInput if it does not say which cells there are."""
        self.file, self.root = file, root
        try:
            told = tomllib.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidInput(f"cannot read the cells of {file}: {error}; {FORM}") from error
        addresses, new = _addresses(told.get("cells")), told.get("new")
        if not addresses or (new is not None and new not in addresses):
            raise InvalidInput(f"{file} does not say which cells there are; {FORM}")
        self.cells = {n: PostgresBackend(dsn, root, eventual) for n, dsn in addresses.items()}
        self._new = new
        self._answered: PostgresBackend | None = None

    @property
    def where(self) -> str:
        """Return the names of the cells."""
        return f"{self.file} ({', '.join(self.cells)})"

    def cell(self, name: str) -> PostgresBackend:
        """Return a cell by its name in the file; raises InvalidInput."""
        if name not in self.cells:
            raise InvalidInput(f"{self.file} names no cell {name!r}: {', '.join(self.cells)}")
        return self.cells[name]

    def home(self, agent: str) -> PostgresBackend:
        """Return the cell that an agent is in, or is to be made in if it is in none."""
        first = self._first(checked_id(agent))
        others = [cell for cell in self.cells.values() if cell is not first]
        found = (self._followed(cell, agent) for cell in (first, *others))
        return next((cell for cell in found if cell), first)

    def _first(self, agent: str) -> PostgresBackend:
        def chance(name: str) -> bytes:
            return hashlib.sha256(f"{name}\0{agent}".encode()).digest()

        return self.cells[self._new or max(self.cells, key=chance)]

    def _followed(self, cell: PostgresBackend, agent: str) -> PostgresBackend | None:
        """Return where an agent is that is in a cell, or was moved from there."""
        way = [cell]
        while (place := way[-1].moved_to(agent)) is not None:
            if place == "":
                return way[-1]
            there = next((one for one in self.cells.values() if one.where == place), None)
            if there is None:
                told = f"agent {agent!r} was moved to {place}, which {self.file} does not name"
                raise StorageError(f"{told}: add it there")
            if len(way) > 2 * len(self.cells):
                raise Unreachable(f"agent {agent!r} is being moved to and fro; try again")
            way.append(there)
        for cell in way[:-1]:  # it was erased where it went
            cell.drop_forward(agent)
        return None

    def reach(self) -> None:
        """Ask the cells, the one that answered last first, until one answers.

        Raises StorageError with the reason of the first, if none does.
        """
        missed: list[StorageError] = []
        for cell in sorted(self.cells.values(), key=lambda cell: cell is not self._answered):
            try:
                cell.reach()
            except StorageError as error:
                missed.append(error)
            else:
                self._answered = cell
                return
        raise missed[0]

    def agents(self) -> list[str]:
        """Return the ids of all agents of all cells, sorted."""
        return sorted({agent for cell in self.cells.values() for agent in cell.agents()})

    def exists(self, agent: str) -> bool:
        """Tell whether an agent has a memory in one of the cells."""
        return self.home(agent).exists(agent)

    def place(self, agent: str) -> str:
        """Return the address of the cell that an agent is in, without its password."""
        return self.home(agent).where

    def path(self, agent: str) -> Path:
        """Return the folder for what an agent has on this machine, whether or not it is there."""
        return self.root / checked_id(agent)

    def prepare(self, agent: str) -> None:
        """Check that the agent's cell can be used."""
        self.home(agent).prepare(agent)

    def open(self, agent: str) -> DirectedStore:
        """Open the store of an agent wherever it is, making its place if it is new."""
        store = DirectedStore(self, agent)
        store.there()
        return store

    def lease(self, agent: str) -> Lease:
        """Return the lease of an agent, a row of the cell it is in."""
        return DirectedLease(self, agent)

    def note(self, agent: str, **figures: Any) -> None:
        """Note figures in the agent's row."""
        self.home(agent).note(agent, **figures)

    def draft(self, agent: str) -> AbstractContextManager[Draft]:
        """Begin the draft of an agent's memory in the cell it is to be in."""
        return self.home(agent).draft(agent)

    def copy(self, agent: str, store: Store, root: Path) -> Path | None:
        """Copy an open store to a folder below a root, where it is one of SQLite's."""
        return copying.copy_into_folder(agent, store, root)

    def erase(self, agent: str) -> Gone:
        """Destroy all rows of an agent that nobody works on, and its name in every cell."""
        gone = self.home(agent).erase(agent)
        for cell in self.cells.values():
            cell.drop_forward(agent)
        return gone

    def tidy(self, agent: str | None = None) -> None:
        """Remove drafts whose writers died long ago."""
        if agent is None:
            for cell in self.cells.values():
                cell.tidy()
        else:
            files.tidy(self.path(agent))

    def waiting(self, limit: int) -> list[str]:
        """Return agents whose jobs wait, from each cell by turns."""
        each = [cell.waiting(limit) for cell in self.cells.values()]
        turns = chain.from_iterable(zip_longest(*each))
        return [agent for agent in turns if agent is not None][:limit]

    def waiting_jobs(self) -> int:
        """Return how many jobs wait in all cells."""
        return sum(cell.waiting_jobs() for cell in self.cells.values())

    def scratch(self) -> AbstractContextManager[Transaction]:
        """Open an empty store in memory, in one transaction."""
        return copying.scratch()

    def is_in_use(self, path: Path) -> bool:  # noqa: ARG002
        """Tell that no file belongs to a store."""
        return False


class DirectedStore:
    """The store of one agent, looked for anew once it cannot be reached where it was."""

    def __init__(self, directory: Directory, agent: str) -> None:
        self._directory, self._agent = directory, agent
        self._store: PostgresStore | None = None
        self.read_only, self.beyond = False, self.there().beyond

    def there(self) -> PostgresStore:
        """Return the store where the agent is."""
        if self._store is None:
            self._store = self._directory.home(self._agent).open(self._agent)
        return self._store

    @contextmanager
    def _led(self) -> Iterator[PostgresStore]:
        try:
            yield self.there()
        except Unreachable:
            self._store = None
            raise

    @contextmanager
    def read(self, *, long: bool = False, once: bool = False) -> Iterator[Transaction]:
        """Open a transaction that only reads, at one moment; a `long` one may be a replica's."""
        with self._led() as store, store.read(long=long, once=once) as tx:
            yield tx

    @contextmanager
    def write(self, *, soft: bool = False, again: bool = False) -> Iterator[Transaction]:
        """Open a transaction that is durable once left; `soft` ones may be lost to a crash."""
        with self._led() as store, store.write(soft=soft, again=again) as tx:
            yield tx

    def snapshot(self) -> AbstractContextManager[Transaction]:
        """Open a reader of its own: it sees one moment for as long as it likes, and only reads."""
        return self.read()

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy into a file that is not there yet: a database of SQLite."""
        copying.copy_into_file(self.there(), path)

    def check(self) -> list[str]:
        """Return what is wrong with the agent's place in its cell; nothing means sound."""
        return self.there().check()

    def scrub(self) -> int:
        """Return 0: there are no old copies of ours."""
        return self.there().scrub()

    def found(self, pieces: Iterable[bytes]) -> dict[str, list[bytes]]:
        """Return which pieces of text stand in which tables."""
        with self._led() as store:
            return store.found(pieces)

    def size(self) -> int:
        """Return about how many bytes the agent's rows take, without their indexes."""
        with self._led() as store:
            return store.size()

    def let_go(self) -> None:
        """Do nothing: an interrupted call holds nothing."""

    def close(self) -> None:
        """Do nothing: connections belong to the process."""


class DirectedLease:
    """The lease of one agent, in the cell it is in when it is taken."""

    def __init__(self, directory: Directory, agent: str) -> None:
        self._directory, self._agent = directory, agent
        self._lease: Lease | None = None
        self._times = 0

    def take(self) -> bool:
        """Try to take it, without waiting. Raises StorageError where that cannot be tried."""
        if not self._times or self._lease is None:
            self._lease = self._directory.home(self._agent).lease(self._agent)
        taken = self._lease.take()
        self._times += taken
        return taken

    def give(self) -> bool | None:
        """Release the lease, unless it was taken more often; of no effect if it is not held."""
        if not self._times or self._lease is None:
            return None
        self._times -= 1
        return self._lease.give()


def _addresses(told: object) -> dict[str, str]:
    """Return the addresses of cells by their names; none if that is not what was told."""
    right = isinstance(told, dict) and all(isinstance(dsn, str) for dsn in told.values())
    return dict(told) if isinstance(told, dict) and right else {}
