"""Many agents in one process: one root, one model, one clock, a few threads.

The host is the only place that wires all parts together. Agents share its worker threads in turns.
Their databases are opened when needed and closed when others need the room.
"""

from __future__ import annotations

import atexit
import logging
import os
import random
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from wangchuan.agent import Agent, Common
from wangchuan.answers import embedder_of, model_of
from wangchuan.arguments import a_flag, a_number, a_path
from wangchuan.errors import Closed, InvalidInput, NotFound, StorageError, shown
from wangchuan.ids import checked_id, job_name
from wangchuan.jobs.pool import Pool
from wangchuan.jobs.scheduler import Scheduler
from wangchuan.jobs.work import Shared
from wangchuan.living.view import stats_of
from wangchuan.living.weave import result_of
from wangchuan.models.embedding import Embedder, HTTPEmbedder, require_numpy
from wangchuan.models.seam import Model
from wangchuan.pending import Closing
from wangchuan.settings.fields import Settings, load
from wangchuan.settings.groups import Queue, Storage
from wangchuan.storage import JobRecord
from wangchuan.storage.configured import backend_at, is_store
from wangchuan.storage.shelf import Shelf
from wangchuan.storage.store import INHERITED
from wangchuan.types import Clock, Erasure, Stats

if TYPE_CHECKING:
    from wangchuan.memory import Memory

log = logging.getLogger("wangchuan")

TEND_SECONDS = 3600.0  # between two looks whether an open agent has to be tended


def check_parts(model: object, embedder: object, clock: object, seed: object) -> None:
    """Raise InvalidInput for a model, clock or embedder that has not the methods of one."""
    if clock is not None and not callable(clock):
        raise InvalidInput(f"clock must return seconds since 1970 when called: {shown(clock)}")
    if clock is not None:
        a_number(clock(), "what clock returns")
    if seed is not None and not isinstance(seed, int):
        raise InvalidInput(f"seed must be a whole number, not {shown(seed)}")
    for name, given, method in (("model", model, "complete"), ("embedder", embedder, "embed")):
        if given is not None and not callable(getattr(given, method, None)):
            raise InvalidInput(f"{name} must have a method `{method}`: {shown(given)}")


def placed(root: str | Path | None) -> dict[str, Any]:
    """Return the settings that say where agents are: below a folder, or in a store."""
    if root is None:
        return {}
    return {"store": root} if is_store(root) else {"root": a_path(root, "root")}


class Host(Closing):
    """Opens the memories of many agents under one root folder."""

    def __init__(
        self,
        root: str | Path | None = None,
        *,
        settings: Settings | dict[str, Any] | None = None,
        model: Model | None = None,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        seed: int | None = None,
        adopt: bool = True,
    ) -> None:
        """Start the host's threads; nothing on disk is touched until an agent is opened.

        `root` is the folder that holds the agents' folders (default: the setting `root`), or the
        address of a PostgreSQL that keeps them (`postgresql://…`, default: the setting `store`),
        `model` answers the routines (default: the built-in offline one), `embedder` makes vectors
        for search (default: that of the settings), `clock` returns seconds since 1970, and `seed`
        fixes the random choices of strategy `slots`. With `adopt=False` agents go on by the rules
        of fading they were last opened with, whatever the settings say: to look without changing.
        """
        check_parts(model, embedder, clock, seed)
        self.settings = load(settings, **placed(root))
        self.model: Model = model_of(self.settings) if model is None else model
        self._own_model = self.model if model is None else None
        self._pid = os.getpid()
        self.alike: tuple[Any, ...] | None = None  # see `host_for`
        self.embedder = embedder_of(self.settings) if embedder is None else embedder
        if self.embedder is not None:
            require_numpy()
        self.clock: Clock = clock or time.time
        keeps = self.settings.part(Storage)
        self.backend = backend_at(keeps.root, keeps.durability, keeps.store, keeps.consistency)
        self._common = Common(
            self.settings,
            self.backend,
            self.model,
            self.embedder,
            self.clock,
            random.Random(seed),
            a_flag(adopt, "adopt"),
            # Questions of callers do not queue up behind those of jobs.
            self._model_threads("wangchuan-embed"),
        )
        self.shelf = Shelf(self._common.open_store, self.settings.max_open_agents)
        self.shared = Shared(
            scheduler=Scheduler(self.settings.workers),
            readers=Pool(self.settings.workers, "wangchuan-read"),
            models=self._model_threads("wangchuan-model"),
            clock=self.clock,
            queue=self.settings.part(Queue),
            result=result_of,
            failed=self._failed,
        )
        self._agents: dict[str, Agent] = {}
        self._lock = threading.RLock()
        self._closed = self._tidied = False
        _open_hosts.add(self)
        if adopt:
            self.shared.scheduler.later(TEND_SECONDS, self._look_around)

    def open(self, agent_id: str) -> Memory:
        """Open the memory of an agent, making it empty if it is new.

        Raises InvalidInput for an id that cannot name a folder and StorageError for a folder or
        database that cannot be used. Jobs that were queued are taken up at once.
        """
        from wangchuan.memory import Memory  # the facade stands above the host

        checked_id(agent_id)
        with self._lock:
            self._tidy()
            agent = self._agents.get(agent_id) or Agent(
                agent_id, self._common, self.shelf, self.shared
            )
            with agent.store() as store:
                agent.erasing.resume(store)
                self._agents[agent_id] = agent
            memory = Memory(self, agent)
            agent.memories.add(memory)
        if self._common.adopts:
            agent.tend()
        agent.lane.wake()
        return memory

    def _look_around(self) -> None:
        """Tend the agents that stay open, off the time thread, and do so again later."""
        self.shared.readers.submit(self._tend_all)
        self.shared.scheduler.later(TEND_SECONDS, self._look_around)

    def _tend_all(self) -> None:
        with self._lock:
            open_agents = list(self._agents.values())
        for agent in open_agents:
            try:
                if self._agents.get(agent.id) is agent:
                    agent.tend()
            except StorageError as error:
                log.warning("agent %s cannot be tended: %s", agent.id, error)

    def _tidy(self) -> None:
        """Finish, once, the erasing of agents that a process which died had begun."""
        self._refuse_if_closed()
        if not self._tidied:
            self.backend.tidy()
            self._tidied = True

    def erase(self, agent_id: str) -> Erasure:
        """Destroy an agent's whole memory: its folder, or its rows. Nothing brings it back.

        Memories of it that are open here are closed. Raises NotFound, and StorageError if another
        program has the memory open. Pages of the notebook are kept elsewhere, and stay.
        """
        checked_id(agent_id)
        with self._lock:
            self._tidy()
            self.backend.tidy(agent_id)
            if not self.has(agent_id):
                raise NotFound(f"no agent {agent_id!r} in {self.backend.where}")
            agent = self._agents.pop(agent_id, None)
            if agent is not None:
                agent.erased = True
                agent.close()
            self.shelf.clear(agent_id)
            try:
                gone = self.backend.erase(agent_id)
            except StorageError:
                if agent is not None and self.backend.exists(agent_id):  # not destroyed
                    agent.begin()
                    self._agents[agent_id] = agent
                    agent.lane.wake()
                raise
        return Erasure(agent_id, (), (), {gone.unit: gone.count}, beyond=gone.beyond)

    @property
    def closed(self) -> bool:
        """Tell whether the host was closed, or is that of a parent process."""
        return self._closed or self._pid != os.getpid()

    def _refuse_if_closed(self) -> None:
        if self._pid != os.getpid():
            raise Closed(f"this host {INHERITED}")
        if self._closed:
            raise Closed("this host is closed; make a new one")

    def agents(self) -> list[str]:
        """Return the ids of all agents under the root, opened or not."""
        return self.backend.agents()

    def has(self, agent_id: str) -> bool:
        """Tell whether there is an agent of this id under the root, opened or not."""
        return self.backend.exists(checked_id(agent_id))

    def stats(self, agent_id: str) -> Stats:
        """Return the figures of an agent without setting its queue to work. Raises NotFound."""
        if not self.has(agent_id):
            raise NotFound(f"no agent {agent_id!r} in {self.backend.where}")
        self._refuse_if_closed()
        with self.shelf.borrow(agent_id) as store:
            return stats_of(agent_id, store)

    def import_(
        self,
        agent_id: str,
        place: str | Path | BinaryIO,
        *,
        format: str | None = None,  # noqa: A002 (what everybody calls it)
    ) -> dict[str, int]:
        """Bring an export into an agent's memory; return how many records of each kind came in.

        `format` is "jsonl" (our own), "chatgpt", "claude", "langgraph" or "mem0"; without it, the
        content tells. Our own goes only into a new or empty agent that nobody has open. Exports
        of other systems are added: conversations are remembered, kept facts become facts of
        source background_ai. Known messages and facts are not added again. Raises InvalidInput,
        storing nothing, for a file that cannot be used, and NewerFormat.
        """
        checked_id(agent_id)
        self._refuse_if_closed()
        with self._lock:
            self._tidy()
        from wangchuan.transfer.carrying import import_into  # which few programs ever need

        return import_into(self, agent_id, place, format, lambda: self._hearing(agent_id))

    @contextmanager
    def _hearing(self, agent_id: str) -> Iterator[tuple[Agent, Memory]]:
        with self.open(agent_id) as memory:
            yield self._agents[agent_id], memory

    def is_open(self, agent_id: str) -> bool:
        """Tell whether an agent is open here."""
        with self._lock:
            return checked_id(agent_id) in self._agents

    def close(self) -> None:
        """Close all memories; steps under way are finished, the rest stays queued on disk.

        Model calls under way are waited for `close_patience` seconds.
        """
        if self._pid != os.getpid():
            return  # threads and stores are the parent's
        with self._lock:
            closed, self._closed = self._closed, True
            open_agents = list(self._agents.values())
            self._agents.clear()
        if not closed:
            self._end(open_agents)

    def _end(self, open_agents: list[Agent]) -> None:
        self._close(open_agents)
        self.shared.scheduler.close()
        self.shared.readers.shutdown()
        for threads in (self.shared.models, self._common.embedding):
            threads.shutdown(wait=False, cancel_futures=True)
        if end := getattr(self._own_model, "close", None):
            end()  # ends the questions under way
        if isinstance(self.embedder, HTTPEmbedder):
            self.embedder.close()
        self.shelf.clear()

    def _close(self, agents: list[Agent]) -> None:
        """Close agents, with one patience for the calls of all of them."""
        until = time.monotonic() + self.settings.close_patience
        for agent in agents if self.settings.close_patience else ():
            agent.begin_last()
        for agent in agents:
            agent.close(max(0.0, until - time.monotonic()))

    def _model_threads(self, name: str) -> Pool:
        longest = self.settings.worker_timeout_ms / 1000
        return Pool(self.settings.model_concurrency, name, longest)

    def release(self, agent: Agent | None = None) -> None:
        """Close an agent if no memory of it is open, and a host that was made for memories."""
        with self._lock:
            last = [] if agent is None or agent.memories else [agent]
            last = [one for one in last if self._agents.get(one.id) is one]
            for one in last:
                del self._agents[one.id]
            ends = self.alike is not None and not self._agents and not self._closed
            self._closed = self._closed or ends  # from here on nobody opens anything here
        if ends:
            self._end(last)
        else:
            self._close(last)

    def let_go(self, agent: Agent) -> None:
        """Release an agent whose memory was collected as garbage: soon, in another thread.

        The interpreter may collect a memory while locks are held that closing needs. A host that
        a program made itself goes on until it is closed.
        """
        if self.alike is not None and not self.closed:
            work = partial(threading.Thread, target=self.release, args=(agent,), daemon=True)
            self.shared.scheduler.later(0.0, lambda: work().start())

    def _failed(self, agent_id: str, job: JobRecord, reason: str) -> None:
        agent = self._agents.get(agent_id)
        if agent is not None:
            agent.events.emit("failed", job=job_name(job.seq), reason=reason)


_open_hosts: weakref.WeakSet[Host] = weakref.WeakSet()
_shared_hosts: list[Host] = []
_sharing = threading.Lock()


def host_for(agent_id: str, settings: Settings, **parts: Any) -> Host:
    """Return a host for one agent, which closes with the last memory of it.

    Memories that are opened alike share a host. A memory with parts of its own (a model, a clock)
    has a host of its own.
    """
    places = (settings.root.absolute(), settings.work_dir and Path(settings.work_dir).absolute())
    alike = (agent_id, settings, places)
    if any(part is not None for part in parts.values()):
        host = Host(settings=settings, **parts)
        host.alike = ()
        return host
    with _sharing:
        _shared_hosts[:] = [host for host in _shared_hosts if not host.closed]
        found = next((host for host in _shared_hosts if host.alike == alike), None)
        if found is None:
            found = Host(settings=settings)
            found.alike = alike
            _shared_hosts.append(found)
        return found


@atexit.register
def _close_all() -> None:
    for host in list(_open_hosts):
        host.close()


def _leave_to_the_parent() -> None:
    """In a forked child there are no threads to work: its copies of the hosts are closed."""
    global _sharing
    _sharing = threading.Lock()
    _shared_hosts.clear()
    _open_hosts.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_the_parent)
