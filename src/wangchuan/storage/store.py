"""What the engine asks of a store.

A store opens transactions. `Store.write` commits on leaving and rolls back on any exception: once
it has returned, what was written is durable. If it raises, nothing was written. `Store.read` sees
one moment, undisturbed by writers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from wangchuan.storage.records import MessageRecord
from wangchuan.storage.transaction import Transaction


def still_said(tx: Transaction, messages: Sequence[MessageRecord]) -> bool:
    """Tell whether messages read earlier are as they were: nothing of them was erased since."""
    found = {message.seq: message for message in tx.messages.of(m.seq for m in messages)}
    return all(found.get(message.seq) == message for message in messages)


class Store(Protocol):
    """One agent's memory on disk."""

    def read(self, *, long: bool = False) -> AbstractContextManager[Transaction]:
        """Open a transaction that only reads, at one moment; a `long` one is in nobody's way."""

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
