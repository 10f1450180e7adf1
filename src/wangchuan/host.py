"""Many agents in one process: one root, one model, one clock, a few threads.

The host wires everything together and is the only place that does. Agents share its worker
threads in turns; their databases are opened when needed and closed when others need the room.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import random
import threading
import time
import weakref
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from wangchuan.answers import Asking
from wangchuan.arguments import a_flag, a_number, a_path, shown
from wangchuan.erasing.erasure import Erasing
from wangchuan.erasing.retention import RETAIN, Retention
from wangchuan.errors import Closed, InvalidInput, NotFound, StorageError
from wangchuan.events import Events
from wangchuan.facts.learning import Learning
from wangchuan.facts.records import Facts
from wangchuan.finding import indexing
from wangchuan.finding.vectors import Vectors
from wangchuan.history.settings import EXTRACTIVE, note_ways, noted_ways, settings_with, ways_of
from wangchuan.ids import job_name
from wangchuan.jobs.lanes import Lane, Scheduler, Shared, Work
from wangchuan.jobs.pool import Pool
from wangchuan.lifecycle.merging import Merging
from wangchuan.lifecycle.tick import TICK, Metabolism
from wangchuan.living.lens import settings_by
from wangchuan.living.parts import Living
from wangchuan.living.schedule import SWEEP
from wangchuan.living.tasks import RELEASE
from wangchuan.living.weave import Weave, result_of
from wangchuan.models.embedding import Embedder, HTTPEmbedder, LocalEmbedder, require_numpy
from wangchuan.models.http import HTTPModel
from wangchuan.models.offline import OfflineModel
from wangchuan.models.seam import Model
from wangchuan.notebook.places import Places
from wangchuan.settings.fields import Settings, load
from wangchuan.storage import JobRecord, SQLiteStore, Store, files
from wangchuan.storage.shelf import Shelf
from wangchuan.storage.sqlite.folder import FileLease, Folder, agents, checked_id
from wangchuan.storage.sqlite.forking import INHERITED
from wangchuan.storage.sqlite.schema import migrations
from wangchuan.storage.sqlite.scrubbing import destroy, finish_destroying
from wangchuan.types import Clock, Erasure

if TYPE_CHECKING:
    from wangchuan.memory import Memory

log = logging.getLogger("wangchuan")

QUIET_SECONDS = 10.0  # between two warnings of the same kind
LOOK_SECONDS = 6 * 3600.0  # an agent is not looked at more often: the shortest time between ticks
ERASE_AGAIN, ERASE_AT_LEAST = 1.0, 600.0  # seconds between two tries: at first, and at the most
TEND_SECONDS = 3600.0  # between two looks whether an open agent has to be tended


class Agent:
    """The parts that work on one agent's memory."""

    def __init__(self, host: Host, agent_id: str) -> None:
        self.folder = Folder(host.settings.root, agent_id)
        self.folder.prepare(len(migrations()))
        self.id, self.clock, self.settings = agent_id, host.clock, host.settings_for(agent_id)
        self.events = Events(agent_id)
        extractive = host.extractive_for(agent_id)
        self.living = Living.of(self.settings, host.clock, self.events, extractive=extractive)
        self.facts = Facts(self.living.trash, host.clock)
        self.learning = Learning(self.facts, self.settings, host.clock)
        self.vectors = host.vectors_of(self.events)
        alike = self.vectors.alike if self.vectors else None
        self.merging = Merging(self.living.trash, host.clock, alike)
        self.metabolism = Metabolism(self.merging, host.clock)
        self.erasing = Erasing(agent_id, self.living.schedule, host.clock, self._pages)
        self.erasing.try_later = self._erase_later
        self._erase_pause = ERASE_AGAIN
        self.retention = Retention(self.erasing, self.settings, host.clock)
        weave = Weave(self.living.trash, host.clock, self.events, host.chance, self.learning.want)
        work = Work(
            steps={
                "remember": weave.step,
                SWEEP: self.living.sweep.step,
                RELEASE: self.living.tasks.release,
                "index": indexing.step,
                "observe": self.learning.observe,
                "summarise": self.learning.summarise,
                "age": self.learning.age,
                "review": self.learning.review,
                TICK: self.metabolism.tick,
                RETAIN: self.retention.step,
                "embed": self.vectors.step if self.vectors else indexing.drop,
            },
            answers=Asking(host.model, self.settings, host.clock, self.events, host.embedder),
        )
        self._shelf, self._pid = host.shelf, os.getpid()
        self._work, self._shared = work, host.shared
        self.memories: weakref.WeakSet[Memory] = weakref.WeakSet()  # those that are open
        self.begin()
        self._tended_at = -LOOK_SECONDS
        self._shared = host.shared
        self._monotonic = host.shared.scheduler.monotonic
        self._complained = -QUIET_SECONDS

    def begin(self) -> None:
        """Let the agent's lane work: at first, and again if the agent could not be erased."""
        lease = FileLease(self.folder)
        self.lane = Lane(self.id, self.store, lease, self._work, self._shared)
        self.erased = False

    def store(self) -> AbstractContextManager[Store]:
        """Borrow the store for a short while."""
        self.refuse_in_a_child()
        return self._shelf.borrow(self.id)

    @property
    def is_inherited(self) -> bool:
        """Tell whether this is a forked child's copy: it has neither threads nor locks."""
        return self._pid != os.getpid()

    def refuse_in_a_child(self) -> None:
        """Raise Closed in a forked child."""
        if self.is_inherited:
            raise Closed(f"the memory of agent {self.id!r} {INHERITED}")

    def let_go(self) -> None:
        """Let go of what an interrupted call of this thread left locked."""
        self._shelf.let_go(self.id)

    def _pages(self) -> list[Path]:
        """Return the pages of the notebook, if there is one."""
        work_dir = self.settings.work_dir
        return [] if work_dir is None else Places(Path(work_dir), self.id).pages()

    def _erase_later(self) -> None:
        """Try once more, later each time, to destroy bytes that another program's reading kept."""
        pause, self._erase_pause = self._erase_pause, min(2 * self._erase_pause, ERASE_AT_LEAST)

        def again() -> None:
            if self.memories:
                self._shared.readers.submit(self._erase_again)

        self._shared.scheduler.later(pause, again)

    def _erase_again(self) -> None:
        try:
            with self.store() as store:
                self.erasing.resume(store)
        except (Closed, StorageError) as error:
            log.warning("agent %s: an erasure is not finished: %s", self.id, error)

    def close(self) -> None:
        """End the lane, note the figures in the folder and close the store."""
        self.lane.close()
        try:
            with self.store() as store, store.read() as tx:
                passes = tx.passes()
                counts = tx.meta.counts(passes)
            self.folder.note(passes=passes, counts=counts)
        except (OSError, StorageError):  # figures for people to look at, and nothing else
            log.warning("cannot note the figures of agent %s", self.id, exc_info=True)
        self._shelf.clear(self.id)

    def tend(self) -> None:
        """See that what is to be done from time to time is done; costs nothing in between."""
        if abs(self.clock() - self._tended_at) < LOOK_SECONDS:  # the clock may have gone back
            return
        self._tended_at = self.clock()
        with self.store() as store:
            with store.read() as tx:
                checks = (
                    (self.learning.is_ageing_due(tx), self.learning.want_ageing),
                    (self.metabolism.is_due(tx), self.metabolism.want),
                    (self.retention.is_due(tx), self.retention.want),
                )
            wanted = [want for due, want in checks if due]
            if wanted:
                with store.write() as tx:
                    for want in wanted:
                        want(tx)
                self.lane.wake()

    def complain(self, message: str, *args: Any) -> None:
        """Log a warning, but not over and over."""
        now = self._monotonic()
        if now - self._complained >= QUIET_SECONDS:
            self._complained = now
            log.warning(message, *args)


def check_parts(model: object, embedder: object, clock: object, seed: object) -> None:
    """Raise InvalidInput for parts of a host that cannot be what they are given as."""
    if clock is not None and not callable(clock):
        raise InvalidInput(f"clock must return seconds since 1970 when called: {shown(clock)}")
    if clock is not None:
        a_number(clock(), "what clock returns")
    if seed is not None and not isinstance(seed, int):
        raise InvalidInput(f"seed must be a whole number, not {shown(seed)}")
    for name, given, method in (("model", model, "complete"), ("embedder", embedder, "embed")):
        if given is not None and not callable(getattr(given, method, None)):
            raise InvalidInput(f"{name} must have a method `{method}`: {shown(given)}")


class Host:
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

        `root` is the folder that holds the agents' folders (default: the setting `root`),
        `model` answers the routines (default: the built-in offline one), `embedder` makes vectors
        for search (default: what the settings say), `clock` returns seconds since 1970, and `seed`
        fixes the random choices of strategy `slots`. With `adopt=False` agents go on by the rules
        of fading they were last opened with, whatever the settings say: for those who only look.
        """
        check_parts(model, embedder, clock, seed)
        self.settings = load(settings, root=None if root is None else a_path(root, "root"))
        self.model: Model = model_of(self.settings) if model is None else model
        self._own_model = self.model if model is None else None
        self._pid = os.getpid()
        self.alike: tuple[Any, ...] | None = None  # see `host_for`
        self.embedder = embedder_of(self.settings) if embedder is None else embedder
        if self.embedder is not None:
            require_numpy()
        self.clock: Clock = clock or time.time
        self.chance, self._adopts = random.Random(seed), a_flag(adopt, "adopt")
        self.shelf = Shelf(self._open_store, self.settings.max_open_agents)
        self.shared = Shared(
            scheduler=Scheduler(self.settings.workers),
            readers=Pool(self.settings.workers, "wangchuan-read"),
            models=self._model_threads("wangchuan-model"),
            clock=self.clock,
            settings=self.settings,
            result=result_of,
            failed=self._failed,
        )
        # Questions do not queue up behind what models are asked in the background.
        self._embedding = self._model_threads("wangchuan-embed")
        self._agents: dict[str, Agent] = {}
        self._lock = threading.RLock()
        self._closed = self._tidied = False
        _open_hosts.add(self)
        if adopt:
            self.shared.scheduler.later(TEND_SECONDS, self._look_around)

    def open(self, agent_id: str) -> Memory:
        """Open the memory of an agent, making it empty if it is new.

        Raises InvalidInput for an id that cannot name a folder and StorageError for a folder or
        database that cannot be used. What was still queued is taken up at once.
        """
        from wangchuan.memory import Memory  # the facade stands above the host

        checked_id(agent_id)
        with self._lock:
            self._tidy()
            agent = self._agents.get(agent_id) or Agent(self, agent_id)
            with agent.store() as store:
                agent.erasing.resume(store)
                self._agents[agent_id] = agent
            memory = Memory(self, agent)
            agent.memories.add(memory)
        if self._adopts:
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
        """Finish, once, what someone who died had begun to destroy."""
        self._refuse_if_closed()
        if not self._tidied:
            finish_destroying(self.settings.root)
            files.tidy(self.settings.root)
            self._tidied = True

    def erase(self, agent_id: str) -> Erasure:
        """Destroy an agent's whole memory: its folder with all its files. Nothing brings it back.

        Memories of it that are open here are closed. Raises NotFound, and StorageError if another
        program has it open. Pages of its notebook are kept elsewhere, and stay.
        """
        folder = Folder(self.settings.root, checked_id(agent_id))
        with self._lock:
            self._tidy()
            files.tidy(self.settings.root)
            files.tidy(folder.path)
            if not folder.database.is_file():
                raise NotFound(f"no agent {agent_id!r} in {self.settings.root.absolute()}")
            agent = self._agents.pop(agent_id, None)
            if agent is not None:
                agent.erased = True
                agent.close()
            self.shelf.clear(agent_id)
            try:
                count = destroy(folder.path, folder.database)
            except StorageError:
                if agent is not None and folder.database.is_file():  # it was not destroyed
                    agent.begin()
                    self._agents[agent_id] = agent
                    agent.lane.wake()
                raise
        return Erasure(agent_id, (), (), {"files": count})

    @property
    def closed(self) -> bool:
        """Tell whether it was closed, or is the host of a parent process."""
        return self._closed or self._pid != os.getpid()

    def _refuse_if_closed(self) -> None:
        if self._pid != os.getpid():
            raise Closed(f"this host {INHERITED}")
        if self._closed:
            raise Closed("this host is closed; make a new one")

    def agents(self) -> list[str]:
        """Return the ids of all agents under the root, opened or not."""
        return agents(self.settings.root)

    def import_(
        self,
        agent_id: str,
        place: str | Path | BinaryIO,
        *,
        format: str | None = None,  # noqa: A002 (what everybody calls it)
    ) -> dict[str, int]:
        """Bring an export into an agent's memory; return how many records of each kind came in.

        `format` is "jsonl" (our own), "chatgpt", "claude", "langgraph" or "mem0"; without it, it
        is told by the content. Our own goes only into a new or empty agent that nobody has open.
        What other systems export is added: conversations are remembered, kept facts become facts
        of source background_ai; what is there already ("known") is not added again. Raises
        InvalidInput, storing nothing, for what cannot be used, and NewerFormat.
        """
        from wangchuan.transfer.carrying import import_into  # few need it

        checked_id(agent_id)
        self._refuse_if_closed()
        with self._lock:
            self._tidy()
        return import_into(self, agent_id, place, format)

    def is_open(self, agent_id: str) -> bool:
        """Tell whether an agent is open here."""
        with self._lock:
            return checked_id(agent_id) in self._agents

    def close(self) -> None:
        """Close all memories; steps under way are finished, the rest stays queued on disk."""
        if self._pid != os.getpid():
            return  # all of it is the parent's
        with self._lock:
            closed, self._closed = self._closed, True
            open_agents = list(self._agents.values())
            self._agents.clear()
        if not closed:
            self._end(open_agents)

    def _end(self, open_agents: list[Agent]) -> None:
        for agent in open_agents:
            agent.close()
        self.shared.scheduler.close()
        self.shared.readers.shutdown()
        for threads in (self.shared.models, self._embedding):
            threads.shutdown(wait=False, cancel_futures=True)
        if isinstance(self._own_model, HTTPModel):
            self._own_model.close()  # ends what is still being asked
        if isinstance(self.embedder, HTTPEmbedder):
            self.embedder.close()
        self.shelf.clear()

    def settings_for(self, agent_id: str) -> Settings:
        """Return the settings that hold for an agent."""
        if self._adopts:
            return self.settings
        with self.shelf.borrow(agent_id) as store, store.read() as tx:
            noted, ways = tx.meta.get("rules"), noted_ways(tx)
        settings = settings_by(json.loads(noted), self.settings) if noted else self.settings
        return settings_with(ways, settings)

    def extractive_for(self, agent_id: str) -> bool:
        """Tell whether an agent's texts fade by leaving words out of the whole."""
        ours = bool(getattr(self.model, EXTRACTIVE, False))
        if self._adopts:
            return ours
        with self.shelf.borrow(agent_id) as store, store.read() as tx:
            return bool(noted_ways(tx).get(EXTRACTIVE, ours))

    def _model_threads(self, name: str) -> Pool:
        longest = self.settings.worker_timeout_ms / 1000
        return Pool(self.settings.model_concurrency, name, longest)

    def vectors_of(self, events: Events) -> Vectors | None:
        """Return what makes and compares an agent's vectors, if there is an embedder."""
        if not self.embedder:
            return None
        patience = self.settings.recall_patience
        return Vectors(self.embedder, self.clock, events, self._embedding, patience)

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
            for one in last:
                one.close()

    def let_go(self, agent: Agent) -> None:
        """Release an agent of which a memory was forgotten about: soon, and in another thread.

        Wherever the interpreter found that out, locks may be held that closing needs. A host that
        somebody made goes on until it is closed.
        """
        if self.alike is not None and not self.closed:
            work = partial(threading.Thread, target=self.release, args=(agent,), daemon=True)
            self.shared.scheduler.later(0.0, lambda: work().start())

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open_store(self, agent_id: str) -> Store:
        folder = Folder(self.settings.root, agent_id)
        store = SQLiteStore(folder.database, durability=self.settings.durability)
        folder.ready(len(migrations()))
        try:
            if self._adopts:
                self._adopt_rules(store, agent_id)
                self._adopt_analysis(store, agent_id)
        except BaseException:
            store.close()
            raise
        return store

    def _adopt_rules(self, store: Store, agent_id: str) -> None:
        """Let changed rules of fading hold from now on: what went by, went by the old ones."""
        extractive = bool(getattr(self.model, EXTRACTIVE, False))
        events, ways = Events(agent_id), ways_of(self.settings, extractive)
        present = Living.of(self.settings, self.clock, events, extractive=extractive)
        noted = json.dumps(present.schedule.noted_rules(), sort_keys=True)
        with store.read() as tx:
            if tx.meta.get("rules") == noted and noted_ways(tx) == ways:
                return
        with store.write() as tx:
            note_ways(tx, ways, self.clock())
            former = tx.meta.get("rules")
            if former is not None and former != noted:
                log.info("agent %s: the rules of fading changed; settling its past", agent_id)
                present.trash.adopt(tx, json.loads(former))
            tx.meta.set("rules", noted)

    def _adopt_analysis(self, store: Store, agent_id: str) -> None:
        """See that what was said is found by the present analysis and embedder."""
        vectors = self.vectors_of(Events(agent_id))
        with store.read() as tx:
            settled = indexing.is_current(tx) and (vectors is None or vectors.is_current(tx))
        if not settled:
            with store.write() as tx:
                indexing.adopt(tx, self.clock())
                if vectors:
                    vectors.adopt(tx)

    def _failed(self, agent_id: str, job: JobRecord, reason: str) -> None:
        agent = self._agents.get(agent_id)
        if agent is not None:
            agent.events.emit("failed", job=job_name(job.seq), reason=reason)


def embedder_of(settings: Settings) -> Embedder | None:
    """Return the embedder the settings name; None if they name none."""
    if settings.embedder == "local":
        return LocalEmbedder()
    if settings.embedder == "none" or settings.embedding_url is None:
        return None
    key = settings.embedding_key.get_secret_value() if settings.embedding_key else None
    timeout = settings.worker_timeout_ms / 1000
    return HTTPEmbedder(settings.embedding_url, settings.embedding_name, key, timeout=timeout)


def model_of(settings: Settings) -> Model:
    """Return the model the settings name; the offline one if they name none."""
    if settings.model_url is None:
        return OfflineModel()
    key = settings.model_key.get_secret_value() if settings.model_key else None
    return HTTPModel(
        settings.model_url,
        settings.model_name,
        key,
        timeout=settings.worker_timeout_ms / 1000,
    )


_open_hosts: weakref.WeakSet[Host] = weakref.WeakSet()
_shared_hosts: list[Host] = []
_sharing = threading.Lock()


def host_for(agent_id: str, settings: Settings, **parts: Any) -> Host:
    """Return a host for one agent, which closes with the last memory of it.

    Memories that are opened alike have one host in common. One with parts of its own (a model, a
    clock) has its own.
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
