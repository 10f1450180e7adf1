"""The part that all faces of a memory share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from wangchuan.agent import Agent
from wangchuan.living.view import Reading
from wangchuan.storage import Store

Borrow = Callable[[], AbstractContextManager[Store]]


class Face:
    """One side of a memory. `borrow` lends the store, and raises Closed after the memory's end."""

    def __init__(self, agent: Agent, borrow: Borrow) -> None:
        self._agent, self._borrow = agent, borrow

    @contextmanager
    def _reading(self) -> Iterator[Reading]:
        """Look at one moment."""
        with self._borrow() as store, store.read() as tx:
            yield Reading(tx, self._agent.living.lens)
