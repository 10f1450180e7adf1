"""The memory of one agent: the public face of everything else.

A method that takes time returns a `Pending` at once, to wait for or to await; the others answer
directly. There are no rules here.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from wangchuan.agent import Agent
from wangchuan.arguments import a_flag, a_text, a_timeout
from wangchuan.errors import Closed, InvalidInput
from wangchuan.events import Callback
from wangchuan.faces.facts import KnownFacts
from wangchuan.faces.history import History
from wangchuan.faces.items import Items
from wangchuan.faces.jobs import Jobs
from wangchuan.faces.look import Look
from wangchuan.faces.merges import Merges
from wangchuan.faces.remembering import Remembering
from wangchuan.finding.query import LONGEST_QUERY, Query, checked_time
from wangchuan.finding.search import Search
from wangchuan.finding.wish import DEFAULT_TOKENS, Counter, Wish, checked_counter, checked_tokens
from wangchuan.history.undo import Undoing
from wangchuan.host import Host, check_parts, host_for, placed
from wangchuan.ids import checked_id, number_of
from wangchuan.jobs.work import Answer
from wangchuan.language.tokens import tokens
from wangchuan.living.trash import REQUESTED
from wangchuan.living.view import Reading, checked_limit, checked_page
from wangchuan.messages import at_once, checked, ids_of, wanted_tags
from wangchuan.models.embedding import Embedder
from wangchuan.models.seam import Model
from wangchuan.network.activity import COLD
from wangchuan.patterns import later
from wangchuan.pending import Closing, Pending, Receipt
from wangchuan.settings.fields import Settings, load
from wangchuan.types import (
    Block,
    Clock,
    Erasure,
    Explanation,
    Hit,
    Message,
    Moment,
    Node,
    Scalar,
    Stats,
    Undone,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wangchuan.finding import context as block
    from wangchuan.finding import recall as walk
    from wangchuan.notebook.book import Notebook
    from wangchuan.storage import Store, Transaction
else:
    block, walk = later("wangchuan.finding.context"), later("wangchuan.finding.recall")


class Memory(Closing):
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
        store: str | None = None,
        settings: Settings | dict[str, Any] | None = None,
        model: Model | None = None,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        work_dir: str | Path | None = None,
        mode: str | None = None,
    ) -> Memory:
        """Open the memory of an agent in the folder `root/agent_id`, making it if it is new.

        `store` is the address of a PostgreSQL that keeps it instead: `postgresql://…`.
        `work_dir` is the folder of its notebook's pages, `mode` "full" or "minimal" (see
        `notebook`). Raises InvalidInput for an id that cannot name a folder and StorageError for a
        folder that cannot be used. Messages accepted earlier and not yet digested are taken up.
        """
        check_parts(model, embedder, clock, None)
        checked_id(agent_id)
        place = placed(root if store is None else a_text(store, "store") or root)
        given = load(settings, notebook_mode=mode, work_dir=work_dir, **place)
        while True:
            host = host_for(agent_id, given, model=model, embedder=embedder, clock=clock)
            try:
                return host.open(agent_id)
            except Closed:
                continue  # its last memory was closed just now
            except BaseException:
                host.release()
                raise

    @classmethod
    def connect(cls, url: str, agent_id: str, *, token: str) -> Memory:
        """Return the memory of an agent behind a server (`wangchuan serve`).

        Its methods and results are those of a memory that is opened here, but for those that need
        the folder: `path`, `backup`, `look.settings` and most of the notebook. Raises InvalidInput
        for a wrong address; nothing is asked of the server before the first call.
        """
        from wangchuan.client.connected import Connected  # it stands above, and few need it

        named = a_text(url, "url"), a_text(agent_id, "agent_id"), a_text(token, "token")
        return cast("Memory", Connected(*named))

    @property
    def agent_id(self) -> str:
        """Return the id of the agent."""
        return self._agent.id

    @property
    def path(self) -> Path:
        """Return the folder of this agent."""
        return self._agent.backend.path(self._agent.id)

    @property
    def notebook(self) -> Notebook:
        """Return the agent's notebook. Raises InvalidInput without a `work_dir`."""
        Door(self).check()
        if self._notebook is None:
            self._notebook = _notebook_of(self, self._host, self._agent)
        return self._notebook

    # writing

    def remember(
        self,
        messages: Any,
        *,
        session: str | None = None,
        metadata: Mapping[str, Scalar] | None = None,
    ) -> Receipt:
        """Accept messages durably and return at once; they are digested in the background.

        Takes one message, a string (said by the user), a pair (role, text), a message of LangChain
        or of OpenAI's client, or a list of those; ours is `{"role", "content", "timestamp"?,
        "name"?, "id"?, "session"?, "metadata"?}`. `session` and `metadata` are those of messages
        that have none. A message with an id that was given before is the same message: it is not
        stored again, and the receipt is the one it had. Raises InvalidInput, storing nothing, if
        one of the messages cannot be used: it is too long, say, or has an id like ours (msg_7). A
        full queue does not raise: the receipt says "rejected".
        """
        given = checked(messages, session=session, metadata=metadata)
        return remember_each(self, [at_once(given)])[0]

    def forget(self, node_id: str) -> None:
        """Move a node to the trash; links to it are left dangling. Raises NotFound."""
        with Door(self).store() as store, store.write() as tx:
            record = Reading(tx, self._agent.living.lens).record(node_id)
            self._agent.living.trash.forget(tx, record, REQUESTED)

    def restore(self, node_id: str) -> Node:
        """Bring a node back whole, with the same id: a forgotten one, or one that has faded.

        Raises NotFound, also for a node of which nothing is lost.
        """
        with Door(self).store() as store, store.write() as tx:
            record = Reading(tx, self._agent.living.lens).restorable(node_id)
            self._agent.living.trash.restore(tx, record)
            if record.kind != "segment":
                self._agent.facts.revive(tx, record)
            reading = Reading(tx, self._agent.living.lens)
            return reading.present(reading.record(node_id))

    def erase(
        self, node_id: str | Iterable[str] = (), *, message_ids: Iterable[str] = ()
    ) -> Erasure:
        """Destroy nodes for good, with the messages they were made of; return the receipt.

        All other nodes, facts and episodes made of the same messages go with them, forgotten
        ones too. Nothing brings them back. `message_ids` names messages (yours, or msg_7). Raises
        NotFound, having done nothing, and StorageError if another program's reading kept bytes
        from being destroyed: that is tried again while the agent is open, and when next opened.
        """
        nodes, messages = ids_of(node_id, "node_id"), ids_of(message_ids, "message_ids")
        with Door(self).store() as store:
            receipt = self._agent.erasing.erase(store, nodes, messages)
        self._agent.lane.wake()
        self._agent.events.emit("erased", nodes=receipt.nodes, messages=receipt.messages)
        return receipt

    def undo(self, seq: int, *, dry_run: bool = False) -> Undone:
        """Undo the change that made an entry of the journal (`history` shows their numbers).

        The rows that the change replaced are put back exactly, and the undo can itself be undone.
        With `dry_run` nothing happens: the result says what would. Raises NotFound for a missing
        entry and CannotUndo where later changes depend on the change.
        """
        number, agent = checked_limit(seq, "seq"), self._agent
        dry_run = a_flag(dry_run, "dry_run")
        with Door(self).store() as store:
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
        No keywords means all nodes within reach. A keyword that no node in reach holds, though it
        was said once, is named in a line of its own. Earlier remembers are waited for up to
        `recall_patience`; after that, messages not yet digested are searched as they were said.
        Messages remembered after this call are not in its answer.
        Raises InvalidInput at once for arguments that make no sense.
        """
        agent = self._agent
        question = walk.Question.of(keywords, relations, depth, agent.settings.default_search_depth)
        Door(self).check()
        return agent.lane.questions.ask_in_turn(
            lambda tx, upto: walk.recall(tx, agent.living.lens, question, upto),
            agent.settings.recall_patience,
        )

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Iterable[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        forgotten: bool = False,
        session: str | None = None,
        where: Mapping[str, Scalar] | None = None,
    ) -> Pending[list[Hit]]:
        """Find something in the whole memory, best first; nothing relevant gives an empty list.

        `session` and `where` bound the search to messages of a session, and with such metadata.

        `since` (inclusive) and `until` (exclusive) bound when a message was said, in seconds since
        1970 or as datetimes. Dates in the query ("last Friday", "5月3号") count, too. A hit that
        has gone cold is marked so. With `forgotten`, nodes that were forgotten and words that have
        faded are found as well, and marked.
        Raises InvalidInput at once for arguments that make no sense.
        """
        options: dict[str, Any] = {"limit": limit, "kinds": kinds, "since": since, "until": until}
        agent = self._agent
        options |= {"forgotten": forgotten, "tags": wanted_tags(session, where)}
        checked_query = Query.of(query, agent.clock(), **options)

        def find(tx: Transaction) -> Answer[list[Hit]]:
            hits = Search(tx, agent.living.lens, checked_query, agent.nearest, agent.facts).hits()
            nodes = [h.node for h in hits if h.node and h.lost in (None, COLD)]  # the cold warm
            facts = tuple(number_of(node.id) for node in nodes if node.kind == "fact")
            return Answer(hits, tuple(number_of(node.id) for node in nodes), facts=facts)

        Door(self).check()
        return agent.lane.questions.ask(find)

    def context(
        self,
        query: str | None = None,
        *,
        max_tokens: int = DEFAULT_TOKENS,
        since: Moment | None = None,
        counter: Counter | None = None,
        notebook: bool = False,
    ) -> Pending[Block]:
        """Return the block of memory for a prompt: core memories, facts and episodes that bear on
        the query, and messages about it, with who said them and when.

        The block is a text with its `parts` beside it. It takes at most `max_tokens` (an estimate,
        unless a `counter` of tokens is given) and is empty if there is nothing to say. With
        `since`, it tells only what was said or learned from then on. With `notebook`, the pages of
        the notebook stand before it, whole and beyond that budget. The block stands between marks
        by which `remember` recognises and drops it. A node in a block does not count as used,
        unless it had gone cold. Raises InvalidInput at once for arguments that make no sense.
        """
        if query is not None and not isinstance(query, str):
            raise InvalidInput(f"a query is a string, not {type(query).__name__}")
        agent, given = self._agent, checked_time(since, "since")
        wish = Wish(
            query=None if query is None else query[:LONGEST_QUERY],
            max_tokens=checked_tokens(max_tokens),
            since=float("-inf") if given is None else given,
            count=tokens if counter is None else checked_counter(counter),
            pages=self.notebook.prompt() if a_flag(notebook, "notebook") else "",
        )

        def build(tx: Transaction) -> Answer[Block]:
            context = block.Context(tx, agent.living.lens, agent.facts, agent.vectors, wish)
            told = context.block()
            known = [part.source for part in told.parts if part.kind in ("core", "fact")]
            agent.learning.given[:] = [number_of(name) for name in known if name]
            return Answer(told, context.warmed)

        Door(self).check()
        return agent.lane.questions.ask(build)

    # the faces

    @property
    def look(self) -> Look:
        """Return the face for looking inside: nodes, links, focus, trash, network."""
        return Look(self._agent, Door(self).store)

    @property
    def history(self) -> History:
        """Return the history: called with an id, the node's changes; it also lists and replays."""
        return History(self._agent, Door(self).store)

    @property
    def facts(self) -> KnownFacts:
        """Return the facts: call it for a list; it can also add, correct, verify and decide."""
        return KnownFacts(self._agent, Door(self).store)

    @property
    def jobs(self) -> Jobs:
        """Return the queue: call it for the newest jobs; `get` one, or `wait` until it is done."""
        return Jobs(self._agent, Door(self).store)

    @property
    def merges(self) -> Merges:
        """Return the merges: call it for suggestions; `make` merges nodes."""
        return Merges(self._agent, Door(self).store)

    @property
    def items(self) -> Items:
        """Return the items that frameworks keep beside the memory, by key."""
        return Items(self._agent, Door(self).store)

    def nodes(
        self, at: Moment | None = None, *, limit: int | None = None, offset: int = 0
    ) -> list[Node]:
        """Return all living nodes, oldest first; with `at`, those alive then, as they were.

        With `limit`, at most so many, the first `offset` left out; see also `look.nodes`.
        """
        if at is None:
            return self.look.nodes(limit=limit, offset=offset)
        most, first = checked_page(limit, offset)
        return self.history.nodes(at)[first:][:most]

    def explain(self, node_id: str) -> Explanation:
        """Return why a node stands where it stands. Raises NotFound."""
        return self.look.explain(node_id)

    def stats(self) -> Stats:
        """Return the figures of this memory."""
        return self.look.stats()

    def on(self, event: str, callback: Callback) -> Callable[[], None]:
        """Call `callback(event)` whenever something happens; returns how to stop it.

        Events: accepted, queue_full, stored, learned, compressed, forgotten, restored, erased,
        merged, ticked, embedded, failed, or "*".
        """
        return self._agent.events.on(event, callback)

    def tick(self, timeout: float | None = None) -> bool:
        """Settle which nodes are active and which are cold, and mark what could be merged or
        deleted; nothing is deleted. False: took too long.

        The host does the same by itself every `tick_hours`.
        """
        seconds = a_timeout(timeout)
        with Door(self).store() as store, store.write() as tx:
            self._agent.metabolism.want(tx)
        return self.flush(seconds)

    # taking a memory home

    def export(
        self,
        place: str | Path | BinaryIO,
        *,
        format: str | None = None,  # noqa: A002 (what everybody calls it)
        vectors: bool = False,
    ) -> None:
        """Write the whole memory, as it is at this moment, to a path or a binary stream.

        Formats: "jsonl" holds everything and can be imported (docs/export.md), with `vectors`
        its vectors, too; "markdown" is to be read; "turtle" is the network in RDF. Without a format
        the suffix decides: .md and .ttl are these two, all else is jsonl. Raises InvalidInput for
        another format or a path that cannot be a file, StorageError if it cannot be written.
        """
        Door(self).check()
        _carrying().export(self._agent, place, format, vectors=a_flag(vectors, "vectors"))

    def backup(self, root: str | Path) -> Path:
        """Copy the memory as it is at this moment to `root/agent_id`; return that folder.

        The memory goes on working meanwhile. `Memory.open(agent_id, root=root)` opens the copy.
        Raises InvalidInput if there is an agent already.
        """
        Door(self).check()
        return Path(_carrying().back_up(self._agent, root))

    # ending

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all accepted messages are digested and swept; False if it took too long."""
        Door(self).check()
        return self._agent.lane.flush(a_timeout(timeout))

    def close(self) -> None:
        """Close the memory; queued jobs stay on disk. A second call does nothing.

        A model call under way is waited for `close_patience` seconds.
        """
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

    def __repr__(self) -> str:
        return f"<Memory of {self.agent_id!r} in {self.path}>"


def remember_each(memory: Memory, calls: Sequence[Sequence[Message]]) -> list[Receipt]:
    """Accept the messages of several callers in one transaction; see `Memory.remember`."""
    return Remembering(memory._agent, Door(memory).store).accept_each(calls)


class Door:
    """The way to the store of one open memory. Whoever holds a door keeps the memory open."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def check(self) -> None:
        """Raise Closed if the memory is no longer open."""
        memory, agent = self._memory, self._memory._agent
        agent.refuse_in_a_child()
        agent.let_go()
        if agent.erased:
            raise Closed(f"agent {agent.id!r} was erased; open it to begin anew")
        if memory._closed or memory._host.closed:
            raise Closed(f"the memory of agent {agent.id!r} is closed; open it again")

    @contextmanager
    def store(self) -> Iterator[Store]:
        """Borrow the store for a short while."""
        self.check()
        with self._memory._agent.store() as store:
            yield store


def _carrying() -> ModuleType:
    """Return the room that exports and copies a memory; few programs need it."""
    from wangchuan.transfer import carrying

    return carrying


def _notebook_of(memory: Memory, host: Host, agent: Agent) -> Notebook:
    """Return the notebook of a memory, which few programs need."""
    from wangchuan.notebook import book, owner

    whose = owner.Owner(
        id=agent.id,
        folder=memory.path,
        settings=agent.settings,
        clock=agent.clock,
        events=agent.events,
        model=host.model,
        tasks=agent.living.tasks,
        store=agent.store,
        remember=memory.remember,
        wake=lambda: agent.lane.wake(),
        submit=host.shared.models.submit,
        is_closed=lambda: host.closed,
    )
    return book.Notebook(whose)
