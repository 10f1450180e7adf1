"""A person's view of merges: what could be merged, and doing it.

`memory.merges` is one of these. A merge is only ever made because somebody asked for it, and its
sources can be restored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

from wangchuan.ids import name_of
from wangchuan.lifecycle.merging import Merging
from wangchuan.living.view import Reading, checked_limit
from wangchuan.storage import Store
from wangchuan.types import MergeSuggestion, Node


class Merges:
    """The merges of one agent, as `memory.merges`."""

    def __init__(
        self, merging: Merging, borrow: Callable[[], AbstractContextManager[Store]]
    ) -> None:
        self._merging, self._borrow = merging, borrow

    def __call__(self, limit: int = 100) -> list[MergeSuggestion]:
        """Return what the last tick suggests to merge, with reasons."""
        most = checked_limit(limit)
        with self._borrow() as store, store.read() as tx:
            return self._merging.suggestions(tx, most)

    def make(self, ids: Iterable[str]) -> Node:
        """Make one memory of several; they go to the trash, and `restore` brings them back.

        Raises NotFound for what is no living memory, and InvalidInput for fewer than two.
        """
        with self._borrow() as store, store.write() as tx:
            n = self._merging.merge(tx, ids)
            reading = Reading(tx, self._merging.lens)
            return reading.present(reading.record(name_of(n)))
