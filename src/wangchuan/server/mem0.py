"""The dialect of mem0: its platform's routes and those of its open-source server.

A scope (user, agent, app, run) is one agent of ours, a memory's id is `<agent>.<node>`. Deleting is
forgetting: it can be restored; deleting an entity destroys its agent. `infer` makes no difference.
A text that is changed becomes a fact, which has an id of its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from wangchuan.errors import InvalidInput, NotAllowed, NotFound
from wangchuan.ids import LONGEST_ID, checked_id
from wangchuan.operations.operation import fitted
from wangchuan.operations.table import MOST
from wangchuan.server.desk import Desk
from wangchuan.server.refusals import Refusal
from wangchuan.server.requests import JSON, Endpoint, json_of, principal_of
from wangchuan.types import Change, Fact, Hit, Node

SCOPE = ("user_id", "agent_id", "app_id", "run_id")
BETWEEN = "+"  # in the id of an agent that is more than a user
DIGEST_SECONDS = 20.0  # for which `add` waits, so that it can say what was made
BESIDE = {"AND", "OR", "NOT", *SCOPE}  # keys of filters that are not metadata
EVENTS = {"remembered": "ADD", "learned": "ADD", "restored": "ADD", "forgotten": "DELETE"}
Asked = Callable[..., Awaitable[Any]]
Id = str | int | None


class Sent(BaseModel):
    """What clients of mem0 send, as far as it makes a difference here."""

    messages: Any = None
    metadata: Any = None
    timestamp: Any = None
    query: Any = None
    filters: dict[str, Any] = {}
    memories: list[dict[str, Any] | str] = []
    text: str | None = None
    data: str | None = None  # the text, as the open-source server calls it
    top_k: int | None = None
    limit: int | None = None
    page: int = 1
    page_size: int | None = None
    threshold: float = 0.0
    user_id: Id = None
    agent_id: Id = None
    app_id: Id = None
    run_id: Id = None

    @property
    def scope(self) -> dict[str, Any]:
        """Return the scope that is meant."""
        return scope_in(self.model_dump(include={*SCOPE, "filters"}))

    def most(self, usual: int) -> int:
        """Return how many are wanted."""
        return max(1, min(MOST, self.top_k or self.page_size or self.limit or usual))


async def sent_in(request: Request) -> Sent:
    """Return what a request says, in its query and in its body. Raises InvalidInput."""
    given = {**request.query_params, **(await json_of(request))}
    said = {name: value for name, value in given.items() if value is not None}
    return fitted(Sent, said, strict=False)


def agent_of(scope: Mapping[str, Any]) -> str:
    """Return the agent of a scope: a user's own name, or all its parts with their kinds.

    What cannot name an agent is named by its hash. Raises InvalidInput for no scope at all.
    """
    parts = [(kind, str(scope[kind])) for kind in SCOPE if scope.get(kind) not in (None, "", "*")]
    if not parts:
        raise InvalidInput(f"at least one of {', '.join(SCOPE)} is needed")
    plain = all(BETWEEN not in value for _, value in parts)
    name = BETWEEN.join(f"{kind[:-3]}{BETWEEN}{value}" for kind, value in parts)
    if plain and len(parts) == 1 and parts[0][0] == "user_id":
        name = parts[0][1]
    try:
        return checked_id(name) if plain and len(name) <= LONGEST_ID else _hashed(parts)
    except InvalidInput:
        return _hashed(parts)


def _hashed(parts: list[tuple[str, str]]) -> str:
    whole = json.dumps(parts).encode()
    return f"mem0{BETWEEN}{hashlib.sha256(whole).hexdigest()[:32]}"


def scope_in(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scope in parameters or filters, however they are nested."""
    filters = given.get("filters") or {}
    found = {kind: given[kind] for kind in SCOPE if given.get(kind) is not None}
    if not isinstance(filters, Mapping):
        raise InvalidInput("filters must be an object")
    if len(_list(filters.get("OR"))) > 1:
        raise Refusal("NotOffered", "one scope at a time: OR of several scopes is not offered")
    inner = [one for name in ("AND", "OR") for one in _list(filters.get(name))]
    for part in [filters, *(one for one in inner if isinstance(one, Mapping))]:
        found |= {kind: part[kind] for kind in SCOPE if part.get(kind) is not None}
    return {kind: _one(value) for kind, value in found.items()}


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list | None):
        raise InvalidInput("AND, OR and in of filters must be lists")
    return value or []


def _one(value: Any) -> Any:
    """Return the one value that a filter names."""
    if isinstance(value, Mapping):
        value = value.get("eq", next(iter(_list(value.get("in"))), None))
    return value


def _where(filters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what filters want of metadata."""
    wanted = {key: value for key, value in filters.items() if key not in BESIDE}
    inner = wanted.pop("metadata", None)
    return {**wanted, **inner} if isinstance(inner, Mapping) else wanted or None


def _flat(metadata: Any) -> dict[str, Any] | None:
    """Return metadata as we keep it: what is nested becomes a text."""
    if not isinstance(metadata, Mapping):
        return None
    plain = (str, int, float, bool, type(None))
    return {
        str(key): value if isinstance(value, plain) else json.dumps(value, ensure_ascii=False)
        for key, value in metadata.items()
    }


def parted(memory_id: str) -> tuple[str, str]:
    """Return the agent and the node of a memory's id. Raises NotFound."""
    agent, dot, node = memory_id.rpartition(".")
    if not dot:
        raise NotFound(f"{memory_id!r:.80} is not the id of a memory; ids look like alice.mem_12")
    return agent, node


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def _told(agent: str, node: Node | Fact, **more: Any) -> dict[str, Any]:
    """Return a memory as mem0 shows it."""
    text = node.content if isinstance(node, Node) else node.text
    at = _day(node.created_at)
    return {
        "id": f"{agent}.{node.id}",
        "memory": text,
        "hash": hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest(),
        "metadata": None,
        "categories": [],
        "created_at": at,
        "updated_at": at,
        **more,
    }


class Dialect:
    """What its routes do, by our operations."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def _asking(self, request: Request, agent: str) -> Asked:
        who = principal_of(request)

        async def ask(name: str, **given: Any) -> Any:
            return await self._desk.run(name, who, agent, given)

        return ask

    async def ping(self, _: Request) -> Any:
        """Say that the token is good."""
        return {"status": "ok", "org_id": "wangchuan", "project_id": "wangchuan"}

    async def add(self, request: Request) -> Any:
        """Remember messages, and say what was made of them if that does not take long."""
        sent = await sent_in(request)
        scope = sent.scope
        agent = agent_of(scope)
        ask = self._asking(request, agent)
        receipt = await ask("remember", messages=_rows(sent))
        results, state = [], "PENDING"
        with suppress(NotAllowed):  # whoever may only write is told that it is kept, not what
            job = await ask("job", job_id=receipt.id, timeout=DIGEST_SECONDS)
            made = [await ask("node", node_id=node) for node in job.nodes]
            results = [_told(agent, node, event="ADD", **scope) for node in made if node]
            state = "SUCCEEDED" if job.state == "done" else state
        return {"results": results, "relations": [], "event_id": receipt.id, "status": state}

    async def search(self, request: Request) -> Any:
        """Search; scores are ours, which are of 0 to 1 already."""
        sent = await sent_in(request)
        scope = sent.scope
        agent = agent_of(scope)
        try:
            hits: list[Hit] = await self._asking(request, agent)(
                "search", query=sent.query, limit=sent.most(10), where=_where(sent.filters)
            )
        except NotFound:
            hits = []
        found = [
            _told(agent, hit.node, score=round(hit.score, 4), **scope) for hit in hits if hit.node
        ]
        good = [one for one in found if one["score"] >= sent.threshold]
        return {"results": good, "relations": []}

    async def list(self, request: Request) -> Any:
        """List the memories of a scope, page by page."""
        sent = await sent_in(request)
        scope = sent.scope
        agent = agent_of(scope)
        page, size = max(1, sent.page), sent.most(100)
        ask = self._asking(request, agent)
        try:
            start, count = (page - 1) * size, (await ask("stats")).nodes
            found = (await ask("nodes", limit=size, offset=start)).items
        except NotFound:
            start, count, found = 0, 0, []
        further = f"?page={page + 1}&page_size={size}" if start + size < count else None
        before = f"?page={page - 1}&page_size={size}" if page > 1 else None
        results = [_told(agent, node, **scope) for node in found]
        return {"count": count, "next": further, "previous": before, "results": results}

    async def get(self, request: Request) -> Any:
        """Return one memory."""
        agent, node_id = parted(request.path_params["memory_id"])
        node = await self._asking(request, agent)("node", node_id=node_id)
        if node is None:
            raise NotFound(f"there is no memory {request.path_params['memory_id']!r:.80}")
        return _told(agent, node)

    async def update(self, request: Request) -> Any:
        """Replace a memory by what it should say instead: a fact, which has another id."""
        sent = await sent_in(request)
        return await self._updated(request, request.path_params["memory_id"], sent)

    async def _updated(self, request: Request, memory_id: str, sent: Sent) -> Any:
        agent, node_id = parted(memory_id)
        text, ask = sent.text or sent.data, self._asking(request, agent)
        if not text:
            raise Refusal("NotOffered", "only the text of a memory can be changed")
        node = await ask("node", node_id=node_id)
        if node is None:
            raise NotFound(f"there is no memory {memory_id!r:.80}")
        if node.kind in ("fact", "core", "episode"):
            return _told(agent, await ask("facts.correct", node_id=node_id, text=text))
        fact = await ask("facts.add", text=text)
        await ask("forget", node_id=node_id)
        return _told(agent, fact)

    async def delete(self, request: Request) -> Any:
        """Forget one memory."""
        agent, node_id = parted(request.path_params["memory_id"])
        await self._asking(request, agent)("forget", node_id=node_id)
        return {"message": "Memory deleted successfully!"}

    async def delete_all(self, request: Request) -> Any:
        """Forget all memories of a scope, which has to be named."""
        agent = agent_of((await sent_in(request)).scope)
        ask = self._asking(request, agent)
        while found := (await ask("nodes", limit=MOST)).items:
            for node in found:
                await ask("forget", node_id=node.id)
        return {"message": "Memories deleted successfully!"}

    async def history(self, request: Request) -> Any:
        """Tell what happened to a memory."""
        memory_id = request.path_params["memory_id"]
        agent, node_id = parted(memory_id)
        ask = self._asking(request, agent)
        changes = (await ask("history", node_id=node_id)).items
        node = await ask("node", node_id=node_id)
        text = (node or (await ask("in_trash", node_id=node_id)).node).content
        return [_changed(memory_id, change, text) for change in changes]

    async def entities(self, request: Request) -> Any:
        """List the agents that somebody may see, as users."""
        found = await self._desk.run("agents", principal_of(request), None, {"limit": MOST})
        rows = [{"id": one, "name": one, "type": "user"} for one in found.items]
        return {"count": len(rows), "next": None, "previous": None, "results": rows}

    async def delete_entity(self, request: Request) -> Any:
        """Destroy the agent of an entity."""
        kind, name = request.path_params["kind"], request.path_params["name"]
        agent = agent_of({f"{kind}_id": name})
        await self._asking(request, agent)("agents.erase")
        return {"message": "Entity deleted successfully!"}

    async def update_several(self, request: Request) -> Any:
        """Replace several memories."""
        rows = [row for row in (await sent_in(request)).memories if isinstance(row, dict)]
        changes = [(_id_in(row), fitted(Sent, row, strict=False)) for row in rows]
        await asyncio.gather(*(self._updated(request, *change) for change in changes))
        return {"message": f"Successfully updated {len(rows)} memories"}

    async def delete_several(self, request: Request) -> Any:
        """Forget several memories."""
        rows = (await sent_in(request)).memories
        for agent, node_id in [parted(_id_in(row)) for row in rows]:
            await self._asking(request, agent)("forget", node_id=node_id)
        return {"message": f"Successfully deleted {len(rows)} memories"}

    async def missing(self, request: Request) -> Any:
        """Say what is not there."""
        raise Refusal("NotOffered", f"{request.url.path} has no counterpart here")


def _rows(sent: Sent) -> Any:
    """Return messages as we take them; what they are not is refused by the operation."""
    rows = [sent.messages] if isinstance(sent.messages, Mapping) else sent.messages
    if not isinstance(rows, list):
        return rows
    known = ("role", "content", "name", "id", "timestamp", "session")
    more = {"metadata": _flat(sent.metadata)}
    when = {"timestamp": sent.timestamp} if sent.timestamp else {}
    return [
        {**when, **{k: v for k, v in row.items() if k in known}, **more}
        if isinstance(row, Mapping)
        else row
        for row in rows
    ]


def _id_in(row: dict[str, Any] | str) -> str:
    return str(row.get("memory_id") if isinstance(row, dict) else row)


def _changed(memory_id: str, change: Change, text: str) -> dict[str, Any]:
    """Return a change as mem0 tells of it; texts of former times are not kept beside it."""
    event = EVENTS.get(change.kind, "UPDATE")
    return {
        "id": str(change.seq),
        "memory_id": memory_id,
        "old_memory": text if event == "DELETE" else None,
        "new_memory": None if event == "DELETE" else change.detail.get("text", text),
        "event": event,
        "created_at": _day(change.at),
        "updated_at": _day(change.at),
        "metadata": change.detail,
    }


def _answering(call: Asked) -> Endpoint:
    async def answer(request: Request) -> Response:
        told = json.dumps(await call(request), ensure_ascii=False)
        return Response(told.encode("utf-8", "backslashreplace"), media_type=JSON)

    return answer


def routes(desk: Desk) -> list[BaseRoute]:
    """Return the routes of the platform, and those of the open-source server."""
    do = Dialect(desk)
    one = "{memory_id}"
    table: list[tuple[str, str, Asked]] = [
        ("GET", "/v1/ping/", do.ping),
        ("POST", "/v3/memories/add/", do.add),
        ("POST", "/v3/memories/search/", do.search),
        ("POST", "/v3/memories/", do.list),
        ("GET", f"/v1/memories/{one}/", do.get),
        ("PUT", f"/v1/memories/{one}/", do.update),
        ("DELETE", f"/v1/memories/{one}/", do.delete),
        ("DELETE", "/v1/memories/", do.delete_all),
        ("GET", f"/v1/memories/{one}/history/", do.history),
        ("GET", "/v1/entities/", do.entities),
        ("DELETE", "/v2/entities/{kind}/{name}/", do.delete_entity),
        ("PUT", "/v1/batch/", do.update_several),
        ("DELETE", "/v1/batch/", do.delete_several),
        ("POST", "/memories", do.add),
        ("GET", "/memories", do.list),
        ("DELETE", "/memories", do.delete_all),
        ("GET", f"/memories/{one}", do.get),
        ("PUT", f"/memories/{one}", do.update),
        ("DELETE", f"/memories/{one}", do.delete),
        ("GET", f"/memories/{one}/history", do.history),
        ("POST", "/search", do.search),
    ]
    not_there = ("exports", "exports/get", "summary", "feedback", "webhooks", "events")
    made: list[BaseRoute] = [
        Route(path, _answering(call), methods=[verb], name=f"mem0.{call.__name__}")
        for verb, path, call in table
    ]
    every = ["GET", "POST", "PUT", "DELETE"]
    made += [
        Route(f"/v1/{name}/", _answering(do.missing), methods=every, name="mem0.missing")
        for name in not_there
    ]
    return made
