"""The store of one agent, and the backend that keeps the stores of all agents.

A store opens transactions. `Store.write` commits on leaving and rolls back on any exception: when
the block has ended, its writes are durable; if it raises, nothing was written. `Store.read` sees
one moment, undisturbed by writers.

A backend is the only one who knows where agents are kept, and by which engine. The rest of the
package names an agent and is given a store, a lease or a draft.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from wangchuan.storage.records import MessageRecord
from wangchuan.storage.transaction import Transaction
from wangchuan.types import value

INHERITED = "was opened before this process was forked; open it again here, in the child"


class Outrun(Exception):
    """Another writer was faster than a write that can be made again; nothing of it was stored."""


def still_said(tx: Transaction, messages: Sequence[MessageRecord]) -> bool:
    """Tell whether messages read earlier are unchanged: none of them was erased since."""
    found = {message.seq: message for message in tx.messages.of(m.seq for m in messages)}
    return all(found.get(message.seq) == message for message in messages)


class Store(Protocol):
    """One agent's memory on disk; if it is `read_only`, every `write` raises StorageError."""

    read_only: bool
    beyond: tuple[str, ...]  # places beyond our reach where erased bytes may be left

    def read(
        self, *, long: bool = False, once: bool = False
    ) -> AbstractContextManager[Transaction]:
        """Open a transaction that only reads, at one moment; a `long` one hinders no other reader.

        `once` promises that all questions are asked before the first answer: one round trip.
        """

    def write(
        self, *, soft: bool = False, again: bool = False
    ) -> AbstractContextManager[Transaction]:
        """Open a transaction that is durable once left; `soft` ones may be lost to a power cut.

        `again` promises that the call is made again where `Outrun` is raised.
        """

    def snapshot(self) -> AbstractContextManager[Transaction]:
        """Open a reader of its own, which sees one moment for as long as it is open."""

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy, as it is at one moment, into a file that is not there yet."""

    def check(self) -> list[str]:
        """Return the faults of the store's own files, in words; none means sound."""

    def scrub(self) -> int:
        """Destroy the bytes that deleted rows left; return how many old copies went.

        Raises StorageError if another program goes on reading.
        """

    def found(self, pieces: Iterable[bytes]) -> dict[str, list[bytes]]:
        """Return which pieces of text stand in which of the store's files."""

    def size(self) -> int:
        """Return the bytes on disk."""

    def let_go(self) -> None:
        """Release the locks that an interrupted call of this thread left."""

    def close(self) -> None:
        """Close the files; a second call does nothing."""


def follow(store: Store, tx: Transaction) -> None:
    """Do what a reading put off until its end (`Transaction.then`)."""
    if tx.following:
        tx.following.tell()
        if tx.following.write:
            with store.write(soft=True) as written:
                tx.following.write(written)


class Lease(Protocol):
    """The right to work on one agent, held by one process at a time."""

    def take(self) -> bool:
        """Try to take the lease without waiting. Raises StorageError if that cannot be tried."""

    def give(self) -> bool | None:
        """Release the lease; tell whether jobs wait, or None if that is not known."""


@value
class Gone:
    """An agent that was erased: how many files or rows went, and places beyond our reach."""

    count: int
    unit: str = "files"
    beyond: tuple[str, ...] = ()


class Draft(Protocol):
    """An agent's memory in the making, beside its place, where nobody opens it."""

    @property
    def was_taken(self) -> bool:
        """Tell whether the place was taken when the draft was begun."""

    def open(self) -> Store:
        """Open the store of the draft, which is to be closed before `settle`."""

    def settle(self) -> bool:
        """Move the draft to its place in one step; False, changing nothing, if it is taken."""


class Backend(Protocol):
    """Where the memories of all agents are kept. Methods raise StorageError for broken ones."""

    @property
    def where(self) -> str:
        """Return the root folder, or the address of the server, for people."""

    def reach(self) -> None:
        """Ask once, without patience, whether memories can be reached.

        Raises StorageError with the reason.
        """

    def agents(self) -> list[str]:
        """Return the ids of all agents that have a memory, sorted."""

    def exists(self, agent: str) -> bool:
        """Tell whether an agent has a memory."""

    def place(self, agent: str) -> str:
        """Return where the memory of an agent is, for people."""

    def path(self, agent: str) -> Path:
        """Return the folder of an agent on this machine, which need not exist."""

    def prepare(self, agent: str) -> None:
        """Make the place of an agent, or check that it is this agent's and not of a newer format.

        Raises NewerFormat and WrongAgent.
        """

    def open(self, agent: str) -> Store:
        """Open the store of an agent whose place is prepared, making the store if it is new."""

    def lease(self, agent: str) -> Lease:
        """Return the lease of an agent."""

    def note(self, agent: str, **figures: Any) -> None:
        """Note figures for people to look at."""

    def draft(self, agent: str) -> AbstractContextManager[Draft]:
        """Begin the draft of an agent's memory; a draft that was not settled is gone afterwards."""

    def copy(self, agent: str, store: Store, root: Path) -> Path | None:
        """Copy an open store to a root, from where it can be opened; return where it is now.

        Returns None, copying nothing, if the agent has a memory there.
        """

    def erase(self, agent: str) -> Gone:
        """Destroy the memory of an agent that is not open here."""

    def tidy(self, agent: str | None = None) -> None:
        """Remove drafts of writers who died; with an agent, also inside its place."""

    def waiting(self, limit: int) -> list[str]:
        """Return agents whose jobs wait for a worker, those that were served longest ago first.

        Raises StorageError in folders, where whoever opens an agent works for it.
        """

    def waiting_jobs(self) -> int | None:
        """Return how many jobs wait, asked once; None in folders, where nobody counts them all."""

    def scratch(self) -> AbstractContextManager[Transaction]:
        """Open an empty store in memory, in one transaction that is never durable."""

    def is_in_use(self, path: Path) -> bool:
        """Tell whether a file belongs to a store that this process has open."""
