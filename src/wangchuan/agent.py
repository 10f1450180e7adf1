"""One agent: the parts that work on its memory, wired. The table of job kinds is here."""

from __future__ import annotations

import json
import logging
import os
import random
import weakref
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wangchuan.answers import Asking
from wangchuan.erasing.bounds import PRUNE, Bounds
from wangchuan.erasing.erasure import Erasing
from wangchuan.erasing.retention import RETAIN, Retention
from wangchuan.errors import Closed, StorageError
from wangchuan.events import Events
from wangchuan.facts.learning import Learning
from wangchuan.facts.records import Facts
from wangchuan.facts.reviewing import Reviewing
from wangchuan.finding import indexing
from wangchuan.finding.search import Nearest
from wangchuan.finding.vectors import Vectors
from wangchuan.jobs.lanes import Lane
from wangchuan.jobs.pool import Pool
from wangchuan.jobs.work import Answer, Shared, Work
from wangchuan.lifecycle.merging import Merging
from wangchuan.lifecycle.tick import TICK, Metabolism
from wangchuan.living.lens import open_tasks, settings_by
from wangchuan.living.parts import Living
from wangchuan.living.schedule import SWEEP
from wangchuan.living.tasks import RELEASE
from wangchuan.living.ways import EXTRACTIVE, note_ways, noted_ways, settings_with, ways_of
from wangchuan.living.weave import Weave
from wangchuan.models.embedding import Embedder
from wangchuan.models.seam import Model
from wangchuan.notebook.places import Places
from wangchuan.settings import groups
from wangchuan.settings.fields import Settings
from wangchuan.storage import Backend, Mark, Store, Transaction
from wangchuan.storage.shelf import Shelf
from wangchuan.storage.store import INHERITED
from wangchuan.types import Clock

log = logging.getLogger("wangchuan")

QUIET_SECONDS = 10.0  # between two warnings of the same kind
LOOK_SECONDS = 6 * 3600.0  # an agent is not looked at more often: the shortest time between ticks
ERASE_AGAIN, ERASE_AT_LEAST = 1.0, 600.0  # seconds between two tries: at first, and at the most


@dataclass(frozen=True)
class Common:
    """The parts that all agents of a host share.

    With `adopts`, the settings' rules of fading hold from now on. Else an agent goes on by the
    rules it was last opened with; so does an agent whose store is read-only.
    """

    settings: Settings
    backend: Backend
    model: Model
    embedder: Embedder | None
    clock: Clock
    chance: random.Random
    adopts: bool
    embedding: Pool

    def _adopts_in(self, store: Store) -> bool:
        return self.adopts and not store.read_only

    def settings_for(self, store: Store) -> Settings:
        """Return the settings that hold for an agent."""
        if self._adopts_in(store):
            return self.settings
        with store.read() as tx:
            noted, ways = tx.meta.get("rules"), noted_ways(tx)
        settings = settings_by(json.loads(noted), self.settings) if noted else self.settings
        return settings_with(ways, settings)

    def extractive_for(self, store: Store) -> bool:
        """Tell whether an agent's texts fade by leaving words out of the whole."""
        ours = bool(getattr(self.model, EXTRACTIVE, False))
        if self._adopts_in(store):
            return ours
        with store.read() as tx:
            return bool(noted_ways(tx).get(EXTRACTIVE, ours))

    def vectors_of(self, events: Events) -> Vectors | None:
        """Return the vectors of an agent; None without an embedder."""
        if not self.embedder:
            return None
        patience = self.settings.recall_patience
        return Vectors(self.embedder, self.clock, events, self.embedding, patience)

    def open_store(self, agent_id: str) -> Store:
        """Open the store of an agent, brought up to the present rules and analysis."""
        store = self.backend.open(agent_id)
        try:
            if self._adopts_in(store):
                self._adopt_rules(store, agent_id)
                self._adopt_analysis(store, agent_id)
        except BaseException:
            store.close()
            raise
        return store

    def _adopt_rules(self, store: Store, agent_id: str) -> None:
        """Let changed rules of fading hold from now on; passes of before count by the old rules."""
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
        """Index messages anew, as a job, if another analysis or embedder made the index."""
        vectors = self.vectors_of(Events(agent_id))
        with store.read() as tx:
            settled = indexing.is_current(tx) and (vectors is None or vectors.is_current(tx))
        if not settled:
            with store.write() as tx:
                indexing.adopt(tx, self.clock())
                if vectors:
                    vectors.adopt(tx)


class Agent:
    """The parts that work on one agent's memory."""

    def __init__(self, agent_id: str, common: Common, shelf: Shelf, shared: Shared) -> None:
        self.backend = common.backend
        self.backend.prepare(agent_id)
        self.id, self.clock, self.events = agent_id, common.clock, Events(agent_id)
        self._shelf, self._shared, self._pid = shelf, shared, os.getpid()
        with self.store() as store:
            self.settings = common.settings_for(store)
            extractive = common.extractive_for(store)
        self.living = Living.of(self.settings, common.clock, self.events, extractive=extractive)
        self.facts = Facts(self.living.trash, common.clock)
        learns, window = self.settings.part(groups.Learning), self.settings.model_window_tokens
        self.reviewing = Reviewing(self.facts, learns, common.clock)
        self.learning = Learning(self.facts, learns, window, common.clock, self.reviewing)
        self.vectors = common.vectors_of(self.events)
        alike = self.vectors.alike if self.vectors else None
        self.merging = Merging(self.living.trash, common.clock, alike)
        self.metabolism = Metabolism(self.merging, common.clock)
        self.erasing = Erasing(agent_id, self.living.schedule, common.clock, self._pages)
        self.erasing.try_later = self._erase_later
        self._erase_pause = ERASE_AGAIN
        self.retention = Retention(
            self.erasing, self.settings.part(groups.Retention), self.settings.learn, common.clock
        )
        self.bounds = Bounds(self.facts, self.settings, common.clock)
        weave = Weave(self.living.trash, common.clock, common.chance, self._after_a_remember)
        work = Work(
            steps={
                "remember": weave.step,
                SWEEP: self.living.sweep.step,
                RELEASE: self.living.tasks.release,
                "index": indexing.step,
                "observe": self.learning.observe,
                "summarise": self.learning.summarise,
                "age": self.learning.age,
                "review": self.reviewing.review,
                TICK: self.metabolism.tick,
                RETAIN: self.retention.step,
                PRUNE: self.bounds.step,
                "embed": self.vectors.step if self.vectors else indexing.drop,
            },
            answers=Asking(common.model, self.settings, common.clock, self.events, common.embedder),
            compression=SWEEP,
            grouped=frozenset(("remember", SWEEP, "observe", "summarise", "embed")),
            mark_used=self._mark_used,
        )
        self._work = work
        self.memories: weakref.WeakSet[Any] = weakref.WeakSet()  # the memories that are open
        self.begin()
        self._tended_at = -LOOK_SECONDS
        self._monotonic = shared.scheduler.monotonic
        self._complained = -QUIET_SECONDS

    def begin(self) -> None:
        """Let the agent's lane work: at first, and again if the agent could not be erased."""
        lease = self.backend.lease(self.id)
        self.lane = Lane(self.id, self.store, lease, self._work, self._shared)
        self.erased = False

    def store(self) -> AbstractContextManager[Store]:
        """Borrow the store for a short while."""
        self.refuse_in_a_child()
        return self._shelf.borrow(self.id)

    @property
    def nearest(self) -> Nearest | None:
        """Return how to find messages by meaning, if there is an embedder."""
        return self.vectors.nearest if self.vectors else None

    @property
    def is_inherited(self) -> bool:
        """Tell whether this is a forked child's copy: it has neither threads nor locks."""
        return self._pid != os.getpid()

    def refuse_in_a_child(self) -> None:
        """Raise Closed in a forked child."""
        if self.is_inherited:
            raise Closed(f"the memory of agent {self.id!r} {INHERITED}")

    def let_go(self) -> None:
        """Release the locks that an interrupted call of this thread left."""
        self._shelf.let_go(self.id)

    def _mark_used(self, tx: Transaction, answer: Answer[Any]) -> Mark:
        """Return the mark that counts nodes as used which an answer returned or passed.

        All values of the mark are read with the answer, so nothing is read again for it.
        """
        at, held = self.clock(), bool(open_tasks(tx))
        tx.facts.read_ahead(answer.facts)
        worn = [n for n in answer.facts if self.facts.has_worn(tx, n)]

        def mark(tx: Transaction) -> None:
            tx.signals.accessed(answer.returned, at)
            tx.signals.traversed(answer.passed, at)
            for record in map(tx.nodes.get, worn):
                if record and record.kind == "fact":
                    self.facts.refresh(tx, record)
            if held:
                self.living.tasks.touch(tx, answer.returned)

        return mark

    def _after_a_remember(self, tx: Transaction) -> None:
        self.learning.want(tx)
        self.bounds.want(tx)
        indexing.fold(tx)

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

    def begin_last(self) -> None:
        """Begin the accepted jobs that no worker has begun, and take no further work."""
        self.let_go()
        self.lane.begin_last()

    def close(self, patience: float = 0.0) -> None:
        """End the lane, note the figures in the folder and close the store.

        A model call under way is waited for so many seconds.
        """
        self.let_go()  # the lane may wait for a lock that an interrupted call of this thread left
        self.lane.close(patience)
        try:
            with self.store() as store, store.read() as tx:
                passes = tx.passes()
                counts = tx.meta.counts(passes)
            if not store.read_only:
                self.backend.note(self.id, passes=passes, counts=counts)
        except StorageError as error:  # figures for people to look at, and nothing else
            log.warning("cannot note the figures of agent %s: %s", self.id, error)
        self._shelf.clear(self.id)

    def tend(self) -> None:
        """Add the jobs of ageing, ticking and retention that are due; looks every six hours."""
        if abs(self.clock() - self._tended_at) < LOOK_SECONDS:  # the clock may have gone back
            return
        self._tended_at = self.clock()
        with self.store() as store:
            if store.read_only:
                return
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
