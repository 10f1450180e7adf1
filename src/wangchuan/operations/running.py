"""Running operations for somebody: asked first, then checked, then done.

Memories stay open between operations, the least recently used is closed when there are too many;
one that is being used is not.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from wangchuan.errors import Closed, NotFound, WangchuanError
from wangchuan.events import Callback
from wangchuan.host import Host
from wangchuan.ids import checked_id
from wangchuan.memory import Memory
from wangchuan.operations.operation import Operation
from wangchuan.operations.rights import Principal, authorise
from wangchuan.pending import Pending

MOST_OPEN = 512  # memories that stay open; their databases are fewer (`max_open_agents`)


@dataclass
class _Used:
    """An open memory, and how many use it now."""

    memory: Memory
    uses: int = 0


class Runner:
    """Runs operations on the agents of a host."""

    def __init__(self, host: Host, most_open: int = MOST_OPEN) -> None:
        self.host, self._most = host, most_open
        self._open: OrderedDict[str, _Used] = OrderedDict()
        self._lock = threading.Lock()

    def run(
        self,
        operation: Operation,
        principal: Principal,
        agent: str | None,
        given: Mapping[str, Any],
        *,
        strings: bool = False,
        data: bytes = b"",
    ) -> Any:
        """Return the result of an operation, or the `Pending` of it.

        `given` is what it takes (`strings`: all of it as texts), `data` a body that is no JSON.
        Raises NotAllowed before anything is looked at.
        """
        authorise(principal, operation.right, agent)
        checked = operation.checked(given, strings=strings)
        more = {"agent": agent, "principal": principal, "data": data}
        more = {name: more[name] for name in operation.given}
        if operation.of_host:
            return self._done_to_host(lambda: operation.call(self.host, checked, **more), agent)
        return self._done(operation, str(agent), lambda m: operation.call(m, checked, **more))

    def run_together(
        self, operation: Operation, agent: str, asked: Sequence[tuple[Principal, Mapping[str, Any]]]
    ) -> list[Any]:
        """Return what an operation gives each of several who ask at the same time, or their errors.

        Each is asked for their right and what they give is checked; what is wrong with one is
        told to that one alone.
        """
        together, found = operation.together, list[Any]()
        assert together is not None
        for principal, given in asked:
            try:
                authorise(principal, operation.right, agent)
                found.append(together.prepare(operation.checked(given)))
            except WangchuanError as error:
                found.append(error)
        good = [n for n, one in enumerate(found) if not isinstance(one, WangchuanError)]
        ready = [found[n] for n in good]
        done = self._done(operation, agent, lambda m: together.do(m, ready)) if good else []
        for n, result in zip(good, done, strict=True):
            found[n] = result
        return found

    def _done(self, operation: Operation, agent: str, call: Callable[[Memory], Any]) -> Any:
        """Do something to a memory; one that was erased meanwhile begins anew, once."""
        try:
            return self._done_once(operation, agent, call)
        except Closed:
            self._drop(agent)
            return self._done_once(operation, agent, call)

    def _done_once(self, operation: Operation, agent: str, call: Callable[[Memory], Any]) -> Any:
        used = self._take(agent, operation.creates)
        try:
            value = call(used.memory)
        except BaseException:
            self._give_back(used)
            raise
        if isinstance(value, Pending):
            value.when_done(lambda: self._give_back(used))
        else:
            self._give_back(used)
        return value

    def _done_to_host(self, call: Callable[[], Any], agent: str | None) -> Any:
        if agent is not None:
            checked_id(agent)
            self._drop(agent)
        return call()

    @contextmanager
    def listening(self, principal: Principal, agent: str, callback: Callback) -> Iterator[None]:
        """Call something with every event of an agent, for as long as this is entered."""
        authorise(principal, "read", agent)
        used = self._take(agent, creates=False)
        try:
            stop = used.memory.on("*", callback)
            try:
                yield
            finally:
                stop()
        finally:
            self._give_back(used)

    def _take(self, agent: str, creates: bool) -> _Used:
        with self._lock:
            used = self._open.get(agent)
            if used is None:
                if not creates and not self.host.has(agent):
                    raise NotFound(f"there is no agent {agent!r}")
                used = self._open[agent] = _Used(self.host.open(agent))
            used.uses += 1
            self._open.move_to_end(agent)
            spare = self._spare()
        for one in spare:  # closing may wait for a model's answer: nobody waits for that
            threading.Thread(target=one.close, daemon=True).start()
        return used

    def _spare(self) -> list[Memory]:
        """Take out the memories that are too many, least recently used first."""
        over = max(0, len(self._open) - self._most)
        idle = [name for name, used in self._open.items() if not used.uses][:over]
        return [self._open.pop(name).memory for name in idle]

    def _give_back(self, used: _Used) -> None:
        with self._lock:
            used.uses -= 1

    def _drop(self, agent: str) -> None:
        with self._lock:
            used = self._open.pop(agent, None)
        if used is not None:
            used.memory.close()

    def close(self) -> None:
        """Let go of what is open. The host, which is whoever's made it, ends all of it at once."""
        with self._lock:
            self._open.clear()
