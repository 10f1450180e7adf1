"""Several jobs in one transaction: each happens whole or not at all, all are durable at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NoReturn, cast

from wangchuan.storage import Store, Transaction


class NoAnswer(Exception):
    """A job that is done together with others needs somebody who must be waited for."""


class Group:
    """The store as a job sees it that is done together with others: one open transaction.

    What is read includes what the jobs before it wrote. What is written is durable with the group.
    """

    read_only = False

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx

    @property
    def store(self) -> Store:
        """Return the group as what steps are given."""
        return cast("Store", self)

    def part(self) -> AbstractContextManager[None]:
        """Let what is written inside happen whole or, if anything is raised, not at all."""
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
