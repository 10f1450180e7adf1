"""Several jobs in one transaction: each happens whole or not at all, all are durable at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NoReturn, cast

from wangchuan.storage import Store, Transaction


class NoAnswer(Exception):
    """A job of a group asks a model that would have to be waited for."""


class Group:
    """The store as a job of a group sees it: one open transaction.

    A job reads what the jobs before it wrote. All writes are durable when the group is stored.
    """

    read_only = False

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx

    @property
    def store(self) -> Store:
        """Return the group as the store that a step is given."""
        return cast("Store", self)

    def part(self) -> AbstractContextManager[None]:
        """Let the writes of this block happen whole or, if anything is raised, not at all."""
        return self.tx.part()

    @contextmanager
    def read(self, **how: bool) -> Iterator[Transaction]:  # noqa: ARG002
        """Return the transaction of the group."""
        yield self.tx

    @contextmanager
    def write(self, *, soft: bool = False) -> Iterator[Transaction]:  # noqa: ARG002
        """Return the transaction of the group."""
        yield self.tx

    def __getattr__(self, name: str) -> NoReturn:
        raise NotImplementedError(f"{name} of a store cannot be used by a job of a group")
