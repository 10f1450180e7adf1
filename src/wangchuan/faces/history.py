"""The history of a memory: `memory.history`."""

from __future__ import annotations

from typing import Any

from wangchuan.arguments import a_flag
from wangchuan.faces.face import Face
from wangchuan.finding.query import checked_time
from wangchuan.history.entry import Entries, evenly
from wangchuan.history.past import Past
from wangchuan.history.undo import Undoing
from wangchuan.ids import LARGEST, number_of
from wangchuan.living.view import checked_limit
from wangchuan.types import Change, Entry, Moment, Node, Pass, Replay, Undone


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

    def entries(
        self,
        limit: int = 20,
        *,
        node: str | None = None,
        before: int | None = None,
        undoable: bool = False,
    ) -> list[Entry]:
        """Return the newest entries about nodes, each with the text of its time.

        `node` asks for entries about one node, `before` for those before an entry, and `undoable`
        for one entry per change that can be undone. Raises NotFound for a node that never was.
        """
        most = checked_limit(limit)
        until = LARGEST if before is None else checked_limit(before, "before")
        kept = a_flag(undoable, "undoable")
        with self._reading() as reading:
            undoing = Undoing(reading.tx, self._agent.living.schedule, self._agent.clock)
            found = Entries(reading, undoing.planned)
            if node is not None:
                reading.history(node)
                return found.of(number_of(node), most, until)
            return (found.undoable if kept else found.latest)(most, until)

    def passes(self, most: int = 300) -> list[Pass]:
        """Return passes with when they ended, oldest first; of many, so many and evenly."""
        wanted = checked_limit(most)
        with self._reading() as reading:
            return evenly(reading.tx.journal.passes(), wanted)

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
        the rebuilt state is the present one (`differences`). With settings, such as
        `decay_rate=0.95`, it says which nodes would be alive, faded or forgotten if these had held
        from the beginning. A replay takes as long as the rules took the first time.
        Raises InvalidInput for settings that play no part, and for a journal that begins too late.
        """
        from wangchuan.history.replay import replay  # few programs need it

        with self._borrow() as store, store.snapshot() as tx:
            return replay(tx, self._agent.backend.scratch, self._agent.merging, settings)
