"""A worker of a cell: opens agents whose jobs wait, lets their lanes work, and closes them again.

Agents that were served longest ago come first. The lease keeps two workers from one agent; the
agents of a worker that died are free when their leases run out.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from wangchuan.errors import StorageError, WangchuanError
from wangchuan.host import Host

log = logging.getLogger("wangchuan")

TURN_SECONDS = 5.0  # how long an agent is worked for while others wait
IDLE_SECONDS = 0.2  # between two looks where nothing waits
LOST_SECONDS = 1.0  # between two looks where the cell cannot be reached


@dataclass(slots=True)
class Worked:
    """What a worker did."""

    turns: int = 0


class Worker:
    """Works for the agents of one cell, a few at a time."""

    def __init__(self, host: Host, threads: int = 4) -> None:
        host.backend.waiting(0)  # which raises where there are no workers
        self._host, self._backend, self._threads = host, host.backend, threads
        self._stopped, self._lock = threading.Event(), threading.Lock()
        self._busy: set[str] = set()
        self.worked = Worked()

    def run(self, idle: Callable[[], bool] = lambda: False) -> None:
        """Work until stopped, or until nothing waits and `idle()` says that this is enough."""
        threads = [threading.Thread(target=self._serve, args=(idle,)) for _ in range(self._threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)

    def stop(self) -> None:
        """End after the turns under way."""
        self._stopped.set()

    def _serve(self, idle: Callable[[], bool]) -> None:
        while not self._stopped.is_set():
            try:
                agent = self._next()
            except StorageError as error:
                log.warning("the cell cannot be looked at: %s", error)
                self._stopped.wait(LOST_SECONDS)
                continue
            if agent is not None:
                self._turn(agent)
            elif idle():
                return
            else:
                self._stopped.wait(IDLE_SECONDS)

    def _next(self) -> str | None:
        """Return an agent that waits and that no thread of ours works for."""
        with self._lock:
            found = self._backend.waiting(limit=len(self._busy) + 1)
            agent = next((one for one in found if one not in self._busy), None)
            if agent is not None:
                self._busy.add(agent)
            return agent

    def _turn(self, agent: str) -> None:
        try:
            with self._host.open(agent) as memory:
                until = time.monotonic() + TURN_SECONDS
                while not self._stopped.is_set() and time.monotonic() < until:
                    if memory.flush(IDLE_SECONDS):
                        break
        except WangchuanError as error:
            log.warning("agent %s: %s", agent, error)
            self._stopped.wait(LOST_SECONDS)
        finally:
            with self._lock:
                self._busy.discard(agent)
                self.worked.turns += 1
