"""What happened to a memory: `memory.history`."""

from __future__ import annotations

from typing import Any

from wangchuan.faces.face import Face
from wangchuan.finding.query import checked_time
from wangchuan.history.past import Past
from wangchuan.history.undo import Undoing
from wangchuan.living.view import checked_limit
from wangchuan.types import Change, Moment, Node, Replay, Undone


class History(Face):
    """The past of a memory: call it with the id of a node for what happened to that node."""

    def __call__(self, node_id: str) -> list[Change]:
        """Return what happened to a node, alive or forgotten, oldest first. Raises NotFound."""
        with self._reading() as reading:
            return reading.history(node_id)

    def latest(self, limit: int = 20) -> list[Undone]:
        """Return the newest changes that are kept, with what undoing each would do."""
        most = checked_limit(limit)
        with self._reading() as reading:
            agent = self._agent
            return Undoing(reading.tx, agent.living.schedule, agent.clock).latest(most)

    def nodes(self, at: Moment) -> list[Node]:
        """Return the nodes that were alive at a time, as they were, oldest first.

        `at` is in seconds since 1970 or a datetime. A text of the past is the one stored then;
        see `wangchuan.history.past`.
        """
        when = checked_time(at, "at")
        with self._reading() as reading:
            return reading.nodes() if when is None else Past(reading, when).nodes()

    def replay(self, **settings: Any) -> Replay:
        """Do the whole history again in a memory of its own, and return what comes of it.

        No model is asked and nothing here is changed. Without arguments the result says whether
        the rebuilt state is the present one (`differences`); with settings, such as
        `decay_rate=0.95`, it says what would be alive, faded or forgotten if they had held from
        the beginning. It takes as long as the rules took the first time, digests not counted.
        Raises InvalidInput for settings that play no part, and for a journal that begins too late.
        """
        from wangchuan.history.replay import replay  # few need it

        with self._borrow() as store, store.snapshot() as tx:
            return replay(tx, self._agent.backend.scratch, self._agent.merging, settings)
