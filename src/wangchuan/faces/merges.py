"""Merges, suggested and made: `memory.merges`."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.faces.face import Face
from wangchuan.ids import name_of
from wangchuan.living.view import Reading, checked_limit
from wangchuan.types import MergeSuggestion, Node


class Merges(Face):
    """Merges: call it for suggestions."""

    def __call__(self, limit: int = 100) -> list[MergeSuggestion]:
        """Return the merges that the last tick suggests, with reasons."""
        most = checked_limit(limit)
        with self._borrow() as store, store.read() as tx:
            return self._agent.merging.suggestions(tx, most)

    def make(self, ids: Iterable[str]) -> Node:
        """Make one node of several; they go to the trash, and `restore` brings them back.

        Raises NotFound for an id without a living node, and InvalidInput for fewer than two.
        """
        with self._borrow() as store, store.write() as tx:
            n = self._agent.merging.merge(tx, ids)
            reading = Reading(tx, self._agent.living.lens)
            return reading.present(reading.record(name_of(n)))
