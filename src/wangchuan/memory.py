"""The memory of one agent: the public face of everything else.

What takes time returns at once with something to wait for or to await; the rest answers directly.
There are no rules here.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from wangchuan.agent import Agent
from wangchuan.answers import usage_of
from wangchuan.arguments import a_flag, a_path, a_timeout, items, shown
from wangchuan.errors import Closed, InvalidInput, QueueFull, WangchuanError
from wangchuan.events import Callback
from wangchuan.facts.view import KnownFacts
from wangchuan.finding.context import DEFAULT_TOKENS, Context, checked_tokens
from wangchuan.finding.recall import Answer, Question, recall
from wangchuan.finding.search import Query, Search, checked_time
from wangchuan.history.past import Past
from wangchuan.history.undo import Undoing
from wangchuan.host import Host, check_parts, host_for
from wangchuan.ids import job_name, number_of
from wangchuan.language.terms import indexed
from wangchuan.lifecycle.merging import Merges
from wangchuan.living.trash import REQUESTED
from wangchuan.living.view import Reading, checked_limit
from wangchuan.messages import at_once, checked, storable
from wangchuan.models.embedding import Embedder
from wangchuan.models.seam import Model
from wangchuan.network.activity import COLD
from wangchuan.pending import Pending, Receipt
from wangchuan.settings.fields import Settings, load
from wangchuan.types import (
    Change,
    Clock,
    Erasure,
    Explanation,
    Fact,
    Forgotten,
    Hit,
    Link,
    Message,
    Moment,
    Node,
    Replay,
    Stats,
    Undone,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wangchuan.notebook.book import Notebook, Owner
    from wangchuan.storage import Store

T = TypeVar("T")

log = logging.getLogger("wangchuan")


class Memory:
    """One agent's memory. Open it with `Memory.open` or through a `Host`; close it when done."""

    def __init__(self, host: Host, agent: Agent) -> None:
        self._host, self._agent = host, agent
        self._closed = False
        self._notebook: Notebook | None = None
        self._lost = weakref.finalize(self, host.let_go, agent)
        self._lost.atexit = False

    @classmethod
    def open(
        cls,
        agent_id: str,
        *,
        root: str | Path | None = None,
        settings: Settings | dict[str, Any] | None = None,
        model: Model | None = None,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        work_dir: str | Path | None = None,
        mode: str | None = None,
    ) -> Memory:
        """Open the memory of an agent in the folder `root/agent_id`, making it if it is new.

        `work_dir` is the folder of its notebook's pages, `mode` "full" or "minimal" (see
        `notebook`). Raises InvalidInput for an id that cannot name a folder and StorageError for a
        folder that cannot be used. Whatever was accepted earlier and not yet digested is taken up.
        """
        check_parts(model, embedder, clock, None)
        values = {"root": None if root is None else a_path(root, "root"), "work_dir": work_dir}
        given = load(settings, notebook_mode=mode, **values)
        while True:
            host = host_for(agent_id, given, model=model, embedder=embedder, clock=clock)
            try:
                return host.open(agent_id)
            except Closed:
                continue  # its last memory was closed just now
            except BaseException:
                host.release()
                raise

    @property
    def agent_id(self) -> str:
        """Return the id of the agent."""
        return self._agent.id

    @property
    def path(self) -> Path:
        """Return the folder in which everything of this agent lives."""
        return self._agent.backend.path(self._agent.id)

    @property
    def notebook(self) -> Notebook:
        """Return the agent's notebook. Raises InvalidInput if it has no `work_dir`."""
        from wangchuan.notebook.book import Notebook  # it stands above the memory, and few need it

        self._refuse_if_closed()
        if self._notebook is None:
            self._notebook = Notebook(self._owner())
        return self._notebook

    def _owner(self) -> Owner:
        from wangchuan.notebook.book import Owner

        agent, host = self._agent, self._host
        return Owner(
            id=agent.id,
            folder=self.path,
            settings=agent.settings,
            clock=agent.clock,
            events=agent.events,
            model=host.model,
            tasks=agent.living.tasks,
            store=agent.store,
            remember=self.remember,
            wake=lambda: agent.lane.wake(),
            submit=host.shared.models.submit,
            is_closed=lambda: host.closed,
        )

    # writing

    def remember(self, messages: Any) -> Receipt:
        """Accept messages durably and return at once; they are digested in the background.

        Takes one message, a string (said by the user) or a list of messages `{"role", "content",
        "timestamp"?, "name"?, "id"?}`. Raises InvalidInput, storing nothing, if any of them
        cannot be used: they are too long, say, or have an id like ours (msg_7). A full queue
        does not raise: the receipt says "rejected".
        """
        given, limit = at_once(checked(messages)), self._agent.settings.max_queue_size
        found_by = [indexed(message.content) for message in given]
        with self._store() as store, store.write() as tx:
            seq = tx.accept(given, self._agent.clock(), limit, found_by)
            if seq is not None and self._agent.vectors:
                self._agent.vectors.want(tx)
        if seq is None:
            reason = f"队列已满 queue full: {limit} remembers of agent {self.agent_id!r} wait"
            self._agent.complain("%s; nothing of this call was stored", reason)
            self._agent.events.emit("queue_full", limit=limit)
            return Receipt.rejected(reason)
        self._agent.events.emit("accepted", job=job_name(seq), messages=len(given))
        return Receipt(job_name(seq), self._agent.lane.expect(seq), self._hurry)

    def _hurry(self) -> None:
        """Someone waits for a result: no lull is waited for. A receipt keeps its memory open."""
        self._agent.lane.hurry()

    def forget(self, node_id: str) -> None:
        """Move a memory to the trash; links to it are left dangling. Raises NotFound."""
        with self._store() as store, store.write() as tx:
            record = Reading(tx, self._agent.living.lens).record(node_id)
            self._agent.living.trash.forget(tx, record, REQUESTED)

    def restore(self, node_id: str) -> Node:
        """Bring a memory back from the trash, whole and with the same id. Raises NotFound."""
        with self._store() as store, store.write() as tx:
            record = Reading(tx, self._agent.living.lens).forgotten_record(node_id)
            self._agent.living.trash.restore(tx, record)
            if record.kind != "segment":
                self._agent.facts.revive(tx, record)
            reading = Reading(tx, self._agent.living.lens)
            return reading.present(reading.record(node_id))

    def erase(
        self, node_id: str | Iterable[str] = (), *, message_ids: Iterable[str] = ()
    ) -> Erasure:
        """Destroy memories for good, with the messages they were made of; return the receipt.

        All other memories, facts and episodes made of the same messages go with them, forgotten
        ones too. Nothing brings them back. `message_ids` names messages (yours, or msg_7). Raises
        NotFound, having done nothing, and StorageError if another program's reading kept bytes
        from being destroyed: that is tried again while it is open, and when it is next opened.
        """
        nodes, messages = _ids(node_id, "node_id"), _ids(message_ids, "message_ids")
        with self._store() as store:
            receipt = self._agent.erasing.erase(store, nodes, messages)
        self._agent.lane.wake()
        self._agent.events.emit("erased", nodes=receipt.nodes, messages=receipt.messages)
        return receipt

    def undo(self, seq: int, *, dry_run: bool = False) -> Undone:
        """Undo the change that made an entry of the journal (`history` shows their numbers).

        What it replaced is put back exactly, and the undoing can itself be undone. With `dry_run`
        nothing happens: the result says what would. Raises NotFound for an entry that is not there
        and CannotUndo where later changes depend on it.
        """
        number, agent = checked_limit(seq, "seq"), self._agent
        dry_run = a_flag(dry_run, "dry_run")
        with self._store() as store:
            if dry_run:
                with store.read() as tx:
                    return Undoing(tx, agent.living.schedule, agent.clock).plan(number)
            with store.write() as tx:
                done = Undoing(tx, agent.living.schedule, agent.clock).undo(number)
        agent.lane.wake()
        return done

    # recalling

    def recall(
        self, keywords: Iterable[str], relations: Iterable[str] = (), depth: int | None = None
    ) -> Pending[str]:
        """Walk the links from the focus and return, as text, what matches any of the keywords.

        `relations` restricts the walk to links of those names; `depth` is the number of hops.
        No keywords means everything within reach. Earlier remembers are waited for up to
        `recall_patience`; after that, messages not yet digested are searched as they were said.
        Raises InvalidInput at once for arguments that make no sense.
        """
        settings = self._agent.settings
        question = Question.of(keywords, relations, depth, settings.default_search_depth)
        return self._ask(lambda future: self._first(question, future))

    def _ask(self, answer: Callable[[Future[T]], None]) -> Pending[T]:
        """Let a reader thread answer, unless too many wait for one."""
        future: Future[T] = Future()
        self._refuse_if_closed()
        lane, most = self._agent.lane, self._agent.settings.max_queue_size
        if lane.reads_waiting() >= most:
            future.set_exception(QueueFull(f"{most} recalls wait already"))
        else:
            lane.read(lambda: answer(future))
        return Pending(future)

    def _first(self, question: Question, future: Future[str]) -> None:
        """Answer at once, or when the remembers before this have been digested."""
        lane, patience = self._agent.lane, self._agent.settings.recall_patience
        try:
            with self._agent.store() as store, store.read() as tx:
                upto = tx.jobs.last()
                settled = not tx.jobs.unsettled(upto)
            if settled:
                self._answer(question, future)
                return
            turn = lane.wait(lambda tx: not tx.jobs.unsettled(upto), patience)
        except Exception as error:  # the outer frame of a reader thread
            future.set_exception(error)
            return
        turn.add_done_callback(lambda turn: self._when_turn(turn, question, future))

    def _when_turn(self, turn: Future[bool], question: Question, future: Future[str]) -> None:
        try:
            turn.result()
            self._agent.lane.read(lambda: self._answer(question, future))
        except WangchuanError as error:  # it was closed while this waited
            future.set_exception(error)

    def _answer(self, question: Question, future: Future[str]) -> None:
        """Answer a recall; whatever goes wrong is the answer."""
        try:
            with self._agent.store() as store:
                with store.read(long=True) as tx:
                    answer = recall(tx, self._agent.living.lens, question)
                future.set_result(answer.text)
                if answer.returned:
                    self._note(store, answer)
        except Exception as error:  # the outer frame of a reader thread
            log.debug("recall of agent %s failed", self.agent_id, exc_info=True)
            if not future.done():
                future.set_exception(error)

    def _note(self, store: Store, answer: Answer) -> None:
        if store.read_only:
            return
        at = self._agent.clock()
        with store.write(soft=True) as tx:
            tx.signals.accessed(answer.returned, at)
            tx.signals.traversed(answer.passed, at)
            self._agent.living.tasks.touch(tx, answer.returned)

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Iterable[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        forgotten: bool = False,
    ) -> Pending[list[Hit]]:
        """Find something in the whole memory, best first; nothing relevant gives an empty list.

        `since` (inclusive) and `until` (exclusive) bound when it was said, in seconds since 1970
        or as datetimes. Dates in the query ("last Friday", "5月3号") count, too. With
        `forgotten`, what was forgotten, dropped by fading or has gone cold is found as well and
        marked so.
        Raises InvalidInput at once for arguments that make no sense.
        """
        options = {"limit": limit, "kinds": kinds, "since": since, "until": until}
        checked_query = Query.of(query, self._agent.clock(), forgotten=forgotten, **options)
        return self._ask(lambda future: self._find(checked_query, future))

    def _find(self, query: Query, future: Future[list[Hit]]) -> None:
        """Answer a search; whatever goes wrong is the answer."""
        vectors = self._agent.vectors
        try:
            with self._agent.store() as store:
                with store.read(long=True) as tx:
                    nearest = vectors.nearest if vectors else None
                    hits = Search(
                        tx, self._agent.living.lens, query, nearest, self._agent.facts
                    ).hits()
                future.set_result(hits)
                found = tuple(
                    number_of(hit.node.id)
                    for hit in hits
                    if hit.node and hit.lost in (None, COLD)  # what is cold warms by being found
                )
                if found:
                    self._note(store, Answer("", found))
        except Exception as error:  # the outer frame of a reader thread
            log.debug("search of agent %s failed", self.agent_id, exc_info=True)
            if not future.done():
                future.set_exception(error)

    def context(
        self,
        query: str | None = None,
        *,
        max_tokens: int = DEFAULT_TOKENS,
        notebook: bool = False,
    ) -> Pending[str]:
        """Return the block of memory for a prompt: core memories, facts and episodes that bear on
        the query, and what comes to mind: what search finds, and what the network recalls.

        It takes at most `max_tokens` (an estimate) and is empty if there is nothing to say. With
        `notebook`, the pages of the notebook stand before it, whole and beyond that budget. All
        of it stands between marks by which `remember` recognises and drops it. Being in it counts
        for nothing. Raises InvalidInput at once for arguments that make no sense.
        """
        if query is not None and not isinstance(query, str):
            raise InvalidInput(f"a query is a string, not {type(query).__name__}")
        budget = checked_tokens(max_tokens)
        pages = self.notebook.prompt() if a_flag(notebook, "notebook") else ""
        return self._ask(lambda future: self._build(query, budget, pages, future))

    def _build(self, query: str | None, budget: int, pages: str, future: Future[str]) -> None:
        """Build a block; whatever goes wrong is the answer."""
        try:
            with self._agent.store() as store, store.read(long=True) as tx:
                nearest = vectors.nearest if (vectors := self._agent.vectors) else None
                context = Context(tx, self._agent.living.lens, self._agent.facts, nearest)
                block = context.block(query, budget, pages)
            future.set_result(block)
        except Exception as error:  # the outer frame of a reader thread
            future.set_exception(error)

    # what was learned

    @property
    def facts(self) -> KnownFacts:
        """Return the facts: call it for a list; it can also add, correct and verify."""
        return KnownFacts(self._agent.facts, self._store)

    def episodes(self, query: str | None = None, limit: int = 100) -> list[Fact]:
        """Return the episodes that bear on a query, or all of them, newest first."""
        return self.facts(query, kinds=["episode"], limit=limit)

    def working(self) -> list[Message]:
        """Return the working memory: the last messages, which no episode holds yet."""
        with self._store() as store, store.read() as tx:
            records = self._agent.learning.working(tx)
        return [Message(m.role, m.content, m.public_id, m.name, m.said_at) for m in records]

    def age(self, timeout: float | None = None) -> bool:
        """Do what days have done to facts and episodes, reviews included; False: took too long.

        The host does the same by itself once a day.
        """
        seconds = a_timeout(timeout)
        with self._store() as store, store.write() as tx:
            self._agent.learning.want_ageing(tx)
        return self.flush(seconds)

    def tick(self, timeout: float | None = None) -> bool:
        """Settle which memories are active and which are cold, and mark what could be merged or
        deleted; nothing is deleted. False: took too long.

        The host does the same by itself every `tick_hours`.
        """
        seconds = a_timeout(timeout)
        with self._store() as store, store.write() as tx:
            self._agent.metabolism.want(tx)
        return self.flush(seconds)

    @property
    def merges(self) -> Merges:
        """Return the merges: call it for suggestions; `make` merges memories."""
        return Merges(self._agent.merging, self._store)

    def pending_reviews(self) -> list[Fact]:
        """Return the facts that wait for a decision; see `decide`."""
        with self._store() as store, store.read() as tx:
            return self._agent.learning.pending(tx)

    def decide(self, node_id: str, decision: str) -> None:
        """Decide on a fact that waits for a review: "promote", "keep" or "delete".

        Raises NotFound, and InvalidInput for what cannot be decided.
        """
        with self._store() as store, store.write() as tx:
            record = Reading(tx, self._agent.living.lens).record(node_id)
            self._agent.learning.decide(tx, record, decision)

    # looking inside

    def nodes(self, at: Moment | None = None) -> list[Node]:
        """Return all living memories, oldest first; with `at`, those alive then, as they were.

        `at` is in seconds since 1970 or a datetime. A text of the past is the one stored then;
        see `wangchuan.history.past`.
        """
        when = None if at is None else checked_time(at, "at")
        with self._reading() as reading:
            return reading.nodes() if when is None else Past(reading, when).nodes()

    def node(self, node_id: str) -> Node | None:
        """Return a living memory; None if it never was or is forgotten."""
        with self._reading() as reading:
            return reading.node(node_id)

    def links(self, node_id: str) -> list[Link]:
        """Return the unbroken links of a memory, strongest first. Raises NotFound."""
        with self._reading() as reading:
            return reading.links(reading.record(node_id))

    def focus(self) -> list[Node]:
        """Return the memories being attended, newest first."""
        with self._reading() as reading:
            return reading.focus()

    def fading(self, limit: int = 100) -> list[Explanation]:
        """Return memories that are fading, those to be forgotten first in front."""
        with self._reading() as reading:
            return reading.fading(checked_limit(limit))

    def forgotten(self, limit: int = 100) -> list[Forgotten]:
        """Return memories in the trash, the last to go in front."""
        with self._reading() as reading:
            return reading.forgotten(checked_limit(limit))

    def explain(self, node_id: str) -> Explanation:
        """Return why a memory stands where it stands. Raises NotFound."""
        with self._reading() as reading:
            return reading.explain(reading.record(node_id))

    def history(self, node_id: str) -> list[Change]:
        """Return what happened to a memory, alive or forgotten, oldest first. Raises NotFound."""
        with self._reading() as reading:
            return reading.history(node_id)

    def stats(self) -> Stats:
        """Return the figures of this memory."""
        with self._store() as store, store.read() as tx:
            passes = tx.passes()
            counts = tx.meta.counts(passes)
            usage = usage_of(tx.models.usage())
            return Stats(
                agent=self.agent_id, passes=passes, bytes=store.size(), usage=usage, **counts
            )

    def on(self, event: str, callback: Callback) -> Callable[[], None]:
        """Call `callback(event)` whenever something happens; returns how to stop it.

        Events: accepted, queue_full, stored, learned, compressed, forgotten, restored, erased,
        merged, ticked, embedded, failed, or "*".
        """
        return self._agent.events.on(event, callback)

    def replay(self, **settings: Any) -> Replay:
        """Do the whole history again in a memory of its own, and return what comes of it.

        No model is asked and nothing here is changed. Without arguments the result says whether
        the rebuilt state is the present one (`differences`); with settings, such as
        `decay_rate=0.95`, it says what would be alive, faded or forgotten if they had held from
        the beginning. It takes as long as the rules took the first time, digests not counted.
        Raises InvalidInput for settings that play no part, and for a journal that begins too late.
        """
        from wangchuan.history.replay import replay  # few need it

        with self._store() as store, store.snapshot() as tx:
            return replay(tx, self._agent.backend.scratch, self._agent.merging, settings)

    # taking it home

    def export(
        self,
        place: str | Path | BinaryIO,
        *,
        format: str | None = None,  # noqa: A002 (what everybody calls it)
        vectors: bool = False,
    ) -> None:
        """Write the whole memory, as it is at this moment, to a path or a binary stream.

        Formats: "jsonl" holds everything and can be imported (docs/export.md), with `vectors`
        also those; "markdown" is to be read; "turtle" is the network in RDF. Without one the suffix
        decides: .md and .ttl are these two, all else is jsonl. Raises InvalidInput for another
        format or a path that cannot be a file, StorageError if it cannot be written.
        """
        from wangchuan.transfer.carrying import export  # few need it

        self._refuse_if_closed()
        export(self._agent, place, format, vectors=a_flag(vectors, "vectors"))

    def backup(self, root: str | Path) -> Path:
        """Copy the memory as it is at this moment to `root/agent_id`; return that folder.

        It goes on working meanwhile. `Memory.open(agent_id, root=root)` opens the copy. Raises
        InvalidInput if there is an agent already.
        """
        from wangchuan.transfer.carrying import back_up

        self._refuse_if_closed()
        return back_up(self._agent, root)

    # ending

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything accepted is digested and swept; False if it took too long."""
        self._refuse_if_closed()
        held = self._agent.lane.wait(lambda tx: tx.jobs.pending() == 0, a_timeout(timeout))
        return held.result()

    def close(self) -> None:
        """Close the memory; what is still queued stays on disk. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._lost.detach()
        if self._agent.is_inherited:
            return  # all of it is the parent's
        if self._notebook is not None:
            self._notebook.close()
        self._agent.memories.discard(self)
        self._host.release(self._agent)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Memory of {self.agent_id!r} in {self.path}>"

    def _refuse_if_closed(self) -> None:
        self._agent.refuse_in_a_child()
        self._agent.let_go()
        if self._agent.erased:
            raise Closed(f"agent {self.agent_id!r} was erased; open it to begin anew")
        if self._closed or self._host.closed:
            raise Closed(f"the memory of agent {self.agent_id!r} is closed; open it again")

    @contextmanager
    def _store(self) -> Iterator[Store]:
        self._refuse_if_closed()
        with self._agent.store() as store:
            yield store

    @contextmanager
    def _reading(self) -> Iterator[Reading]:
        with self._store() as store, store.read() as tx:
            yield Reading(tx, self._agent.living.lens)


def _ids(given: object, name: str) -> list[str]:
    """Return one id or several as a list, or raise InvalidInput."""
    if isinstance(given, str):
        return [storable(given)]
    ids = items(given, name) if isinstance(given, Iterable) else [given]
    strings = [storable(one) for one in ids if isinstance(one, str)]
    if len(strings) < len(ids):
        raise InvalidInput(f"{name} must be an id, or several, not {shown(given)}")
    return strings
