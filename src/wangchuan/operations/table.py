"""The operations, one function each; its sentence says when to call it.

Parameters are named as on `Memory`, so that the client over HTTP can bind them. A list comes in
pages: as many as `limit`, from `cursor` on.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from wangchuan.errors import NotFound, QueueFull
from wangchuan.messages import at_once, checked
from wangchuan.operations import viewing
from wangchuan.operations.listing import (
    FURTHEST,
    LONGEST_WAIT,
    MOST,
    TABLE,
    Asked,
    Cursor,
    FactText,
    Form,
    Ids,
    JobId,
    Kinds,
    Limit,
    Moment,
    NodeId,
    Query,
    States,
    Wait,
    Whole,
    Words,
    operation,
    paged,
)
from wangchuan.operations.operation import Operation, Page, Together
from wangchuan.operations.rights import Principal
from wangchuan.pending import Pending, Receipt
from wangchuan.types import (
    Change,
    Doomed,
    Erasure,
    Explanation,
    Fact,
    Forgotten,
    Hit,
    Job,
    Lifecycle,
    Link,
    MergeSuggestion,
    Message,
    Network,
    Node,
    Replay,
    Said,
    Scalar,
    Stats,
    Undone,
    value,
)

if TYPE_CHECKING:
    from wangchuan.host import Host
    from wangchuan.memory import Memory

__all__ = ["LONGEST_WAIT", "MOST", "TABLE", "found", "viewing"]

# Defaults that a schema shows; nobody changes them.
NONE: list[str] = []
FACTS = ["fact", "core"]
STATES: States = ["pending", "done", "failed"]
AS_IT_WAS: dict[str, Any] = {}


class NewMessage(BaseModel):
    """A message to remember; `content` may be a list of parts, as chat models take it."""

    model_config = ConfigDict(extra="forbid")

    role: str = Field(description="user, assistant, system or tool")
    content: str | list[dict[str, Any]] | None
    id: str | None = Field(None, max_length=512, description="Yours; the same id is taken once.")
    name: str | None = Field(None, max_length=512, description="Who speaks.")
    timestamp: float | str | None = Field(
        None, description="When it was said: seconds since 1970, or ISO 8601."
    )
    session: str | None = Field(None, max_length=512, description="The conversation it is of.")
    metadata: dict[str, Scalar] | None = Field(None, description="Kept beside it, flat.")


@value
class Accepted:
    """The receipt of messages that are stored for good: `id` is that of the job digesting them.

    `known` are the ids of messages that were there already, `changed` those of them that came with
    other words: the first stand. `id` is null if all of them were erased.
    """

    id: str | None
    status: str = "accepted"
    known: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


# taking in and finding


NewMessages = str | NewMessage | list[NewMessage]


def _said(messages: NewMessages) -> list[Message]:
    """Return messages to remember as the library has them. Raises InvalidInput."""
    given: Any = messages
    if isinstance(messages, NewMessage):
        given = messages.model_dump()
    elif isinstance(messages, list):
        given = [message.model_dump() for message in messages]
    return at_once(checked(given))


def _accepted(receipt: Receipt) -> Accepted | QueueFull:
    """Return what is told of a receipt."""
    try:
        if receipt.status == "rejected":
            receipt.result(0)
    except QueueFull as error:
        return error
    return Accepted(receipt.id, receipt.status, receipt.known, receipt.changed)


def _remember_each(memory: Memory, calls: list[list[Message]]) -> list[Accepted | QueueFull]:
    from wangchuan.memory import remember_each  # clients have the table, and no memory of their own

    return [_accepted(one) for one in remember_each(memory, calls)]


AT_ONCE = Together(lambda given: _said(given.messages), _remember_each)


@operation("remember", "write", "POST remember", creates=True, status=202, together=AT_ONCE)
def remember(memory: Memory, messages: NewMessages) -> Accepted:
    """Call this after every turn with what was newly said, by the user and by the assistant, or
    whenever something should be kept. It is stored at once and digested in the background.
    """
    (found,) = _remember_each(memory, [_said(messages)])
    if isinstance(found, QueueFull):
        raise found
    return found


@operation("recall", "read", "POST recall", "recall")
def recall(
    memory: Memory,
    keywords: Words,
    relations: Words = NONE,
    depth: Annotated[int | None, Field(ge=0, le=100)] = None,
) -> Pending[str]:
    """Call this to follow a train of thought: what the memories being attended lead to, as text,
    for any of some keywords. To find something anywhere, search instead.
    """
    return memory.recall(keywords, relations, depth)


@operation("search", "read", "POST search", "search")
def search(
    memory: Memory,
    query: Asked,
    limit: Limit = 10,
    kinds: Kinds | None = None,
    since: Moment = None,
    until: Moment = None,
    forgotten: bool = False,
    session: str | None = None,
    where: dict[str, Scalar] | None = None,
) -> Pending[list[Hit]]:
    """Call this before answering anything that may have come up before: names, preferences,
    decisions, dates, earlier work. An empty list means that nothing of it is known.
    """
    bounds: dict[str, Any] = {"since": since, "until": until, "session": session, "where": where}
    return memory.search(query, limit=limit, kinds=kinds, forgotten=forgotten, **bounds)


@operation("context", "read", "POST context", "context")
def context(
    memory: Memory,
    query: Asked | None = None,
    max_tokens: Annotated[int, Field(ge=1, le=100_000)] = 1000,
    since: Moment = None,
    notebook: bool = False,
) -> Pending[str]:
    """Call this at the start of a turn, with what the user says, for the block of memory to put
    beside it in the prompt.
    """
    return memory.context(query, max_tokens=max_tokens, since=since, notebook=notebook)


# what was learned


@operation("facts", "read", "GET facts", "facts")
def facts(
    memory: Memory,
    query: Query = None,
    kinds: Kinds = FACTS,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Page[Fact]:
    """Call this to list what is known for sure, newest first, or what of it bears on a query."""
    return paged(lambda most: memory.facts(query, kinds=kinds, limit=most), limit, cursor)


@operation("episodes", "read", "GET episodes", "facts.episodes")
def episodes(
    memory: Memory, query: Query = None, limit: Limit = 100, cursor: Cursor = None
) -> Page[Fact]:
    """Call this to list what earlier conversations were about, newest first."""
    return paged(lambda most: memory.facts.episodes(query, most), limit, cursor)


@operation("facts.add", "write", "POST facts", "facts.add", creates=True)
def facts_add(
    memory: Memory,
    text: FactText,
    topic: str | None = None,
    kind: Literal["fact", "core", "system"] = "fact",
) -> Fact:
    """Call this when a person states something to be kept as it is; `core` always holds."""
    return memory.facts.add(text, topic=topic, kind=kind)


@operation("facts.saying", "read", "POST facts/saying", "facts.saying")
def facts_saying(memory: Memory, text: FactText) -> Fact | None:
    """Call this to see whether exactly this is known already."""
    return memory.facts.saying(text)


@operation("facts.pending", "read", "GET facts/pending", "facts.pending")
def facts_pending(memory: Memory, limit: Limit = 100, cursor: Cursor = None) -> Page[Fact]:
    """Call this to list the facts on which a person should decide; see `facts.decide`."""
    return paged(lambda _: memory.facts.pending(), limit, cursor)


@operation("facts.history", "read", "GET facts/{node_id}/history", "facts.history")
def facts_history(memory: Memory, node_id: NodeId) -> Page[Fact]:
    """Call this to see what a fact replaced, newest first."""
    return Page(memory.facts.history(node_id))


@operation("facts.correct", "write", "POST facts/{node_id}/correct", "facts.correct")
def facts_correct(memory: Memory, node_id: NodeId, text: FactText) -> Fact:
    """Call this when a person says that a fact is wrong and what is right; the old one stays in
    its history.
    """
    return memory.facts.correct(node_id, text)


@operation("facts.verify", "write", "POST facts/{node_id}/verify", "facts.verify")
def facts_verify(memory: Memory, node_id: NodeId) -> Fact:
    """Call this when a person confirms a fact."""
    return memory.facts.verify(node_id)


@operation("facts.promote", "write", "POST facts/{node_id}/promote", "facts.promote")
def facts_promote(memory: Memory, node_id: NodeId) -> Fact:
    """Call this when a person wants a fact to hold always: it becomes core."""
    return memory.facts.promote(node_id)


@operation("facts.decide", "write", "POST facts/{node_id}/decide", "facts.decide")
def facts_decide(
    memory: Memory, node_id: NodeId, decision: Literal["promote", "keep", "delete"]
) -> None:
    """Call this when a person has decided on a fact that waits for it."""
    memory.facts.decide(node_id, decision)


@operation("facts.age", "write", "POST facts/age", "facts.age")
def facts_age(memory: Memory, timeout: Wait = LONGEST_WAIT) -> bool:
    """Call this to do at once what days do to facts; it happens by itself once a day."""
    return memory.facts.age(timeout)


# looking inside


@operation("nodes", "read", "GET nodes", "nodes")
def nodes(
    memory: Memory,
    at: Moment = None,
    limit: Limit = 50,
    offset: Annotated[int, Field(ge=0, le=FURTHEST)] = 0,
    cursor: Cursor = None,
) -> Page[Node]:
    """Call this to go through all living memories, oldest first; with `at`, as they were then."""
    if at is not None or offset:
        return paged(lambda most: memory.nodes(at, limit=most, offset=offset), limit, cursor)
    found = memory.look.nodes(limit=limit + 1, after=cursor)
    return Page(found[:limit], found[limit - 1].id if len(found) > limit else None)


@operation("node", "read", "GET nodes/{node_id}", "look.node")
def node(memory: Memory, node_id: NodeId, at: Moment = None) -> Node | None:
    """Call this to see one living memory; with `at`, as it was then."""
    return memory.look.node(node_id, at)


@operation("explain", "read", "GET nodes/{node_id}/explain", "explain")
def explain(memory: Memory, node_id: NodeId) -> Explanation:
    """Call this to see why a memory stands where it stands: links, importance, activity, what is
    left of it and for how long.
    """
    return memory.explain(node_id)


@operation("explained", "read", "GET explained", "look.explained")
def explained(memory: Memory, limit: Limit = 100) -> Page[Explanation]:
    """Call this to see the newest memories, each with why it stands where it stands."""
    return Page(memory.look.explained(limit))


@operation("history", "read", "GET nodes/{node_id}/history", "history")
def history(memory: Memory, node_id: NodeId) -> Page[Change]:
    """Call this to see what happened to a memory, alive or forgotten, oldest first."""
    return Page(memory.history(node_id))


@operation("links", "read", "GET nodes/{node_id}/links", "look.links")
def links(memory: Memory, node_id: NodeId, incoming: bool = False) -> Page[Link]:
    """Call this to see where a memory leads, strongest first; `incoming`: what leads to it."""
    return Page(memory.look.links(node_id, incoming=incoming))


@operation("messages", "read", "POST messages", "look.messages")
def messages(
    memory: Memory,
    node_id: NodeId | None = None,
    after: Whole | str = 0,
    limit: Limit = 50,
    session: str | None = None,
    where: dict[str, Scalar] | None = None,
    cursor: Cursor = None,
) -> Page[Said]:
    """Call this to read what was said, word for word, oldest first: all of it, that of a session
    or with some metadata, or what a memory was made of.
    """
    last = int(cursor) if cursor and cursor.isascii() and cursor.isdecimal() else cursor or after
    bounds: dict[str, Any] = {"session": session, "where": where}
    found = memory.look.messages(node_id, after=last, limit=limit + 1, **bounds)
    return Page(found[:limit], str(found[limit - 1].seq) if len(found) > limit else None)


@operation("working", "read", "GET working", "look.working")
def working(memory: Memory) -> Page[Message]:
    """Call this for the last messages, which no episode holds yet."""
    return Page(memory.look.working())


@operation("focus", "read", "GET focus", "look.focus")
def focus(memory: Memory) -> Page[Node]:
    """Call this to see what is being attended, newest first."""
    return Page(memory.look.focus())


@operation("fading", "read", "GET fading", "look.fading")
def fading(memory: Memory, limit: Limit = 100, cursor: Cursor = None) -> Page[Explanation]:
    """Call this to see what is fading, the next to be forgotten in front."""
    return paged(lambda most: memory.look.fading(most), limit, cursor)


@operation("forgotten", "read", "GET forgotten", "look.forgotten")
def forgotten(memory: Memory, limit: Limit = 100, cursor: Cursor = None) -> Page[Forgotten]:
    """Call this to see what was forgotten, the last to go in front; `restore` brings it back."""
    return paged(lambda most: memory.look.forgotten(most), limit, cursor)


@operation("in_trash", "read", "GET forgotten/{node_id}", "look.in_trash")
def in_trash(memory: Memory, node_id: NodeId) -> Forgotten:
    """Call this to see one forgotten memory: what was left of it, why and when it went."""
    return memory.look.in_trash(node_id)


@operation("network", "read", "GET network", "look.network")
def network(
    memory: Memory,
    limit: Annotated[int, Field(ge=1, le=600)] = 100,
    around: NodeId | None = None,
) -> Network:
    """Call this to draw the memory: what is nearest to the focus, or to one memory (`around`),
    with its links.
    """
    return memory.look.network(limit, around)


@operation("stats", "read", "GET stats", "stats")
def stats(memory: Memory) -> Stats:
    """Call this for the figures of a memory: how much there is, what waits, what it cost."""
    return memory.stats()


@operation("lifecycle", "read", "GET lifecycle", "look.lifecycle")
def lifecycle(memory: Memory) -> Lifecycle:
    """Call this for how many memories are cold or marked, as of the last tick."""
    return memory.look.lifecycle()


# forgetting, bringing back, destroying


@operation("forget", "write", "POST nodes/{node_id}/forget", "forget")
def forget(memory: Memory, node_id: NodeId) -> None:
    """Call this when somebody wants a memory out of mind; `restore` brings it back."""
    memory.forget(node_id)


@operation("restore", "write", "POST nodes/{node_id}/restore", "restore")
def restore(memory: Memory, node_id: NodeId) -> Node:
    """Call this to bring back, whole, a memory that was forgotten or has faded."""
    return memory.restore(node_id)


@operation("erase", "erase", "POST erase", "erase")
def erase(
    memory: Memory,
    node_id: str | Ids = NONE,
    message_ids: Ids = NONE,
) -> Erasure:
    """Call this only when a person wants something destroyed for good, with the messages it came
    from: nothing brings it back. Show what `erase.preview` says first.
    """
    return memory.erase(node_id, message_ids=message_ids)


@operation("erase.preview", "erase", "POST erase/preview", "look.erasing")
def erase_preview(
    memory: Memory,
    node_id: str | Ids = NONE,
    message_ids: Ids = NONE,
) -> Doomed:
    """Call this before `erase`, with the same arguments, to see what would be destroyed."""
    return memory.look.erasing(node_id, message_ids=message_ids)


@operation("changes", "read", "GET changes", "history.latest")
def changes(memory: Memory, limit: Limit = 20, cursor: Cursor = None) -> Page[Undone]:
    """Call this to list the newest changes, each with what undoing it would do."""
    return paged(lambda most: memory.history.latest(most), limit, cursor)


@operation("undo", "write", "POST changes/{seq}/undo", "undo")
def undo(memory: Memory, seq: Whole, dry_run: bool = False) -> Undone:
    """Call this to take a change back; with `dry_run`, to see what that would do."""
    return memory.undo(seq, dry_run=dry_run)


@operation("merges", "read", "GET merges", "merges")
def merges(memory: Memory, limit: Limit = 100, cursor: Cursor = None) -> Page[MergeSuggestion]:
    """Call this to see which memories say the same and could be merged."""
    return paged(lambda most: memory.merges(most), limit, cursor)


@operation("merges.make", "write", "POST merges", "merges.make")
def merges_make(memory: Memory, ids: Ids) -> Node:
    """Call this to make one memory of several that say the same; `restore` brings them back."""
    return memory.merges.make(ids)


@operation("tick", "write", "POST tick", "tick")
def tick(memory: Memory, timeout: Wait = LONGEST_WAIT) -> bool:
    """Call this to settle at once what is active and what is cold; it happens by itself."""
    return memory.tick(timeout)


@operation("replay", "admin", "POST replay", "history.replay")
def replay(memory: Memory, settings: dict[str, Any] = AS_IT_WAS) -> Replay:
    """Call this to see what would be left had other settings held from the beginning; nothing is
    changed. It takes as long as the whole history took.
    """
    return memory.history.replay(**settings)


# the queue


@operation("jobs", "read", "GET jobs", "jobs")
def jobs(
    memory: Memory,
    states: States = STATES,
    before: JobId | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Page[Job]:
    """Call this to see what waits to be digested, what is done and what failed, newest first."""
    found = memory.jobs(states, before=cursor or before, limit=limit + 1)
    return Page(found[:limit], found[limit - 1].id if len(found) > limit else None)


@operation("job", "read", "GET jobs/{job_id}", "jobs.wait")
def job(memory: Memory, job_id: JobId, timeout: Wait = 0.0) -> Pending[Job]:
    """Call this with the id of a receipt to see whether its messages are digested yet, and which
    memories were made of them.
    """
    return memory.jobs.wait(job_id, timeout)


@operation("flush", "write", "POST flush", "flush")
def flush(memory: Memory, timeout: Wait = LONGEST_WAIT) -> bool:
    """Call this to wait until all that was accepted is digested."""
    return memory.flush(timeout)


# the notebook


@operation("notebook.prompt", "read", "GET notebook/prompt", "notebook.prompt")
def notebook_prompt(
    memory: Memory, base: Annotated[str, Field(max_length=4000)] = "", key: str | None = None
) -> str:
    """Call this for the pages an agent works from, as they stand in a prompt."""
    return memory.notebook.prompt(base, key=key)


@operation("notebook.world", "read", "GET notebook/world", "notebook.world")
def notebook_world(memory: Memory) -> str:
    """Call this for the page of what the agent knows of its surroundings."""
    return memory.notebook.world


@operation("notebook.write_world", "write", "POST notebook/world", "notebook.write_world")
def notebook_write_world(memory: Memory, text: Annotated[str, Field(max_length=1_000_000)]) -> None:
    """Call this to write the page of what the agent knows of its surroundings anew."""
    memory.notebook.write_world(text)


@operation("notebook.knowledge", "read", "GET notebook/knowledge")
def notebook_knowledge(memory: Memory) -> Page[str]:
    """Call this to list the pages of what the agent has learned to do."""
    return Page(memory.notebook.knowledge.pages())


@operation("notebook.page", "read", "GET notebook/knowledge/{page}")
def notebook_page(memory: Memory, page: Annotated[str, Field(max_length=200)]) -> str:
    """Call this to read one page of what the agent has learned to do."""
    return memory.notebook.knowledge.read(page)


# taking home, and the agents


@operation("export", "read", "GET export")
def export(memory: Memory, format: Form = "jsonl", vectors: bool = False) -> bytes:  # noqa: A002
    """Call this to take the whole memory home: jsonl can be imported, markdown can be read."""
    out = BytesIO()
    memory.export(out, format=format, vectors=vectors)
    return out.getvalue()


@operation("import", "write", "POST import", creates=True)
def import_(host: Host, agent: str, data: bytes, format: str | None = None) -> dict[str, int]:  # noqa: A002
    """Call this to bring an export into a memory: ours into a new one, those of others into any."""
    return host.import_(agent, BytesIO(data), format=format)


@operation("agents", "read", "GET /v1/agents")
def agents(host: Host, principal: Principal, limit: Limit = 50, cursor: Cursor = None) -> Page[str]:
    """Call this to list the agents there are, as far as they are yours."""
    return paged(lambda _: sorted(filter(principal.may_see, host.agents())), limit, cursor)


@operation("agents.make", "write", "POST ")
def agents_make(host: Host, agent: str) -> None:
    """Call this to make an agent that is not there yet, empty; one that is there stays as it is."""
    if not host.has(agent):
        host.open(agent).close()


@operation("agents.erase", "erase", "DELETE ")
def agents_erase(host: Host, agent: str) -> Erasure:
    """Call this only when a person wants a whole memory destroyed: nothing brings it back."""
    return host.erase(agent)


def found(name: str) -> Operation:
    """Return an operation by its name, or raise NotFound."""
    if name not in TABLE:
        raise NotFound(f"no operation is called {name!r:.40}; there are: {', '.join(TABLE)}")
    return TABLE[name]
