"""Telling the owner what happened, without letting them break it.

Names: accepted, queue_full, stored, compressed, forgotten, restored, failed (a job's attempt),
degraded (a model's answers were no use, the offline one took over), budget_spent, embedded (a
batch of vectors was made), learned (a fact or an episode was kept), boosted, verified, promoted and
kept (what use and people do to facts), merged, ticked, undone, erased, noted (a page of the
notebook was written). Callbacks run in the thread in which the thing happened; what they raise is
logged and goes no further. An event is told in the process that did the work.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from wangchuan.errors import InvalidInput, shown
from wangchuan.types import Event

log = logging.getLogger("wangchuan")

NAMES = (
    "accepted",
    "boosted",
    "budget_spent",
    "compressed",
    "degraded",
    "embedded",
    "erased",
    "failed",
    "forgotten",
    "kept",
    "learned",
    "merged",
    "noted",
    "promoted",
    "queue_full",
    "restored",
    "stored",
    "ticked",
    "undone",
    "verified",
)
Callback = Callable[[Event], object]


class Events:
    """The callbacks of one agent."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._callbacks: dict[str, list[Callback]] = defaultdict(list)

    def on(self, name: str, callback: Callback) -> Callable[[], None]:
        """Call `callback` with every Event of that name ("*": all); returns how to stop it."""
        if not isinstance(name, str) or name not in (*NAMES, "*"):
            raise InvalidInput(
                f"no event is called {shown(name)}; there are: {', '.join(NAMES)}, *"
            )
        if not callable(callback):
            raise InvalidInput(f"a callback must be callable, not {type(callback).__name__}")
        self._callbacks[name].append(callback)

        def stop() -> None:
            if callback in self._callbacks[name]:
                self._callbacks[name].remove(callback)

        return stop

    def emit(self, name: str, **detail: Any) -> None:
        """Tell everyone who asked."""
        if not self._callbacks:
            return
        event = Event(name, self._agent, detail)
        for callback in [*self._callbacks[name], *self._callbacks["*"]]:
            try:
                callback(event)
            except Exception:  # a stranger's code: say what it did and go on
                log.exception("callback for %s of agent %s failed", name, self._agent)
