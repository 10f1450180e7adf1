"""What the engine asks of a store, and of the backend that has the stores of all agents.

A store opens transactions. `Store.write` commits on leaving and rolls back on any exception: once
it has returned, what was written is durable. If it raises, nothing was written. `Store.read` sees
one moment, undisturbed by writers.

A backend is the only one who knows where and in what agents are kept: the rest of the package names
an agent and is given a store, a lease or a draft.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wangchuan.storage.records import MessageRecord
from wangchuan.storage.transaction import Transaction

INHERITED = "was opened before this process was forked; open it again here, in the child"


def still_said(tx: Transaction, messages: Sequence[MessageRecord]) -> bool:
    """Tell whether messages read earlier are as they were: nothing of them was erased since."""
    found = {message.seq: message for message in tx.messages.of(m.seq for m in messages)}
    return all(found.get(message.seq) == message for message in messages)


class Store(Protocol):
    """One agent's memory on disk; of one that is `read_only`, every `write` raises StorageError."""

    read_only: bool
    beyond: tuple[str, ...]  # where bytes of what was erased may be left, and whose they are

    def read(
        self, *, long: bool = False, once: bool = False
    ) -> AbstractContextManager[Transaction]:
        """Open a transaction that only reads, at one moment; a `long` one is in nobody's way.

        One in which a server is asked `once`, and nothing after its first answer, costs one trip.
        """

    def write(self, *, soft: bool = False) -> AbstractContextManager[Transaction]:
        """Open a transaction that is durable once left; `soft` ones may be lost to a power cut."""

    def snapshot(self) -> AbstractContextManager[Transaction]:
        """Open a reader of its own: it sees one moment for as long as it likes, and only reads."""

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy, as it is at one moment, into a file that is not there yet."""

    def check(self) -> list[str]:
        """Return what is wrong with the store's own files, in words; nothing means sound."""

    def scrub(self) -> int:
        """Leave no byte of what was deleted; return how many old copies went.

        Raises StorageError if another program reads and does not end.
        """

    def found(self, pieces: Iterable[bytes]) -> dict[str, list[bytes]]:
        """Return which pieces of text stand in which of the store's files."""

    def size(self) -> int:
        """Return the bytes on disk."""

    def let_go(self) -> None:
        """Let go of what an interrupted call of this thread left locked."""

    def close(self) -> None:
        """Close the files; a second call does nothing."""


def follow(store: Store, tx: Transaction) -> None:
    """Do what follows a reading that has ended."""
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
        """Release the lease; tell whether jobs wait after that, if it is known without looking."""


@dataclass(frozen=True, slots=True)
class Gone:
    """What was kept of an agent: how many of what, and what of it is beyond our reach."""

    count: int
    unit: str = "files"
    beyond: tuple[str, ...] = ()


class Draft(Protocol):
    """An agent's memory that is made beside its place, where nobody opens it."""

    @property
    def was_taken(self) -> bool:
        """Tell whether there was something in the place when the draft was begun."""

    def open(self) -> Store:
        """Open the store of the draft, which is to be closed before `settle`."""

    def settle(self) -> bool:
        """Put the draft in its place in one step; False, changing nothing, if that is taken."""


class Backend(Protocol):
    """Where the memories of all agents are kept. What cannot be used raises StorageError."""

    @property
    def where(self) -> str:
        """Return where that is, for people."""

    def agents(self) -> list[str]:
        """Return the ids of all agents that have a memory, sorted."""

    def exists(self, agent: str) -> bool:
        """Tell whether an agent has a memory."""

    def place(self, agent: str) -> str:
        """Return where the memory of an agent is, for people."""

    def path(self, agent: str) -> Path:
        """Return the folder for what an agent has on this machine, whether or not it is there."""

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
        """Destroy all that is kept of an agent that is not open here; return what that was."""

    def tidy(self, agent: str | None = None) -> None:
        """Remove what writers who died left behind; with an agent, also inside its place."""

    def waiting(self, limit: int) -> list[str]:
        """Return agents whose jobs wait for a worker, those that were served longest ago first.

        Raises StorageError where there are no workers but those who open an agent.
        """

    def scratch(self) -> AbstractContextManager[Transaction]:
        """Open an empty store in memory, in one transaction that nothing makes durable."""

    def is_in_use(self, path: Path) -> bool:
        """Tell whether a file belongs to a store that this process has open: hands off it."""
