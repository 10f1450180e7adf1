"""The server without a port: every surface called in this process, for every role.

`World` holds two agents, each with a word of its own that nobody else may ever see. `Surface` is
one way in: its cells are what can be asked for there, each with the rights it needs, and
`tried` tells how it ended: done, refused (they are known, and may not), or unknown.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from server.served import Answered
from stage import PATIENCE, FakeClock, LineModel

from wangchuan import Host, Memory
from wangchuan.client.line import Line
from wangchuan.errors import NotAllowed
from wangchuan.operations.operation import Operation
from wangchuan.operations.rights import EVERYONE, RIGHTS
from wangchuan.operations.table import TABLE
from wangchuan.server.app import application
from wangchuan.server.tokens import Tokens

MINE, OTHER, WORD = "mine", "other", {"mine": "minecanary", "other": "othercanary"}
DONE, REFUSED, UNKNOWN = "done", "refused", "unknown"
BOTH = " ".join(WORD.values())
Given = dict[str, Any]


@dataclass(frozen=True)
class Role:
    """Somebody who asks: their agents, their rights, and whether their token is good."""

    agents: tuple[str, ...]
    rights: tuple[str, ...]
    known: bool = True

    def expected(self, needs: tuple[str, ...], agent: str | None) -> str:
        """Return how asking for something that needs these rights must end."""
        if not self.known:
            return UNKNOWN
        theirs = agent is None or agent in self.agents or EVERYONE in self.agents
        return DONE if theirs and {*needs} <= {*self.rights} else REFUSED


ROLES: dict[str, Role] = {
    "owner": Role((EVERYONE,), RIGHTS),
    "keeper": Role((MINE,), RIGHTS),
    **{right: Role((MINE,), (right,)) for right in RIGHTS},
    "user": Role((MINE,), ("read", "write")),
    "neighbour": Role((OTHER,), RIGHTS),
    "nobody": Role((), (), known=False),
    "inventor": Role((), (), known=False),
    "expired": Role((MINE,), RIGHTS, known=False),
    "revoked": Role((MINE,), RIGHTS, known=False),
}


class World:
    """Two agents behind a gate that is called in this process."""

    def __init__(self, root: Path, **settings: Any) -> None:
        self.clock = FakeClock()
        values = {"durability": "normal", "learn": False, "server_rate": 1e6}
        values |= {"work_dir": root / "work", **settings}
        self.host = Host(root / "data", settings=values, model=LineModel(), clock=self.clock)
        self.tokens = Tokens(self.host.settings.root, self.clock)
        self._loop, self.entities = asyncio.Runner(), list[str]()
        self.gate, self.desk = application(self.host, self.tokens)
        for agent, word in WORD.items():
            self.build(agent, word)
        self.token = {name: self._token(name, role) for name, role in ROLES.items()}

    def build(self, agent: str, word: str) -> None:
        """Make an agent anew: memories, facts and pages, each with its word."""
        if self.host.has(agent):
            self.host.erase(agent)
        with self.host.open(agent) as memory:
            memory.remember([f"the {word} is one", f"the {word} is two"]).result(PATIENCE)
            memory.facts.add(f"The fact is {word}", kind="core")
            for text in ("one", "two"):
                memory.notebook.knowledge.write(f"{word} {text}", page=PAGE, reason="a test")
            memory.notebook.write_world(f"the world is {word}")

    def _token(self, name: str, role: Role) -> str:
        if name == "nobody":
            return ""
        if name == "inventor":
            return "wc_0123456789ab_" + "x" * 43
        ends = self.clock.now if name == "expired" else None
        made = self.tokens.add(role.agents, role.rights, name=name, expires=ends)
        if name == "revoked":  # it was good, and is not from now on
            assert self.ask("GET", f"/v1/agents/{MINE}/stats", token=made).status == 200
            self.tokens.revoke(made)
        return made

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str = "",
        headers: Mapping[str, str] = {},
    ) -> Answered:
        """Return the answer to a request; one that streams is left after its first piece."""
        sent = {"host": "localhost", **{name.lower(): value for name, value in headers.items()}}
        if token:
            sent.setdefault("authorization", f"Bearer {token}")
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("content-type", "application/json")
        return self._loop.run(self._asked(method, path, body or b"", sent))

    async def _asked(self, method: str, path: str, body: bytes, sent: Given) -> Answered:
        parts, messages = urlsplit(path), list[Any]()
        scope = {
            "type": "http",
            "method": method,
            "path": parts.path,
            "query_string": parts.query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
            "asgi": {"version": "3.0"},
        }
        asked = iter([{"type": "http.request", "body": body}])

        async def receive() -> Any:
            return next(asked, {"type": "http.disconnect"})

        async def send(message: Any) -> None:
            messages.append(message)

        await self.gate(scope, receive, send)
        told = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
        return Answered(messages[0]["status"], told, b"".join(m.get("body", b"") for m in messages))

    def close(self) -> None:
        self.desk.close()
        self.host.close()
        self._loop.close()


PAGE = "skills"
# What operations take; ids are those of what is always there.
GIVEN: dict[str, Given] = {
    "remember": {"messages": "something new"},
    "recall": {"keywords": [*WORD.values()]},
    "search": {"query": BOTH},
    "look.search": {"query": BOTH},
    "names": {"ids": ["mem_1"]},
    "facts.add": {"text": "A fact that is new"},
    "facts.saying": {"text": "A fact that is new"},
    "facts.correct": {"text": "A fact that is better"},
    "facts.decide": {"decision": "keep"},
    "merges.make": {"ids": ["mem_1", "mem_2"]},
    "erase": {"node_id": "mem_1"},
    "erase.preview": {"node_id": "mem_1"},
    "then": {"at": 1_767_225_600.0},
    "notebook.diff": {"old": 1, "new": 2},
    "notebook.write_world": {"text": "another world"},
}
IN_PATH = {"node_id": "mem_1", "job_id": "job_1", "seq": 1, "page": PAGE}
BODY = json.dumps([{"id": "1", "memory": "A fact of elsewhere"}]).encode()  # of an import


def usual(operation: Operation) -> Given:
    """Return what an operation is given where it is refused: what is there, and could be done."""
    named = {n: v for n, v in IN_PATH.items() if f"{{{n}}}" in operation.path}
    return {**named, **GIVEN.get(operation.name, {})}


class Stage:
    """Sets up what an operation needs, so that it can be done, however often."""

    def __init__(self, world: World) -> None:
        self._world, self._count = world, 0

    def given(self, operation: Operation) -> Given:
        """Return what an operation is given where it must succeed."""
        prepare = getattr(self, f"_{operation.name.replace('.', '_')}", None)
        return {**usual(operation), **(prepare() if prepare else {})}

    def _do(self, call: Callable[[Memory], Any]) -> Any:
        with self._world.host.open(MINE) as memory:
            return call(memory)

    def _new(self) -> str:
        self._count += 1
        said = f"thing number {self._count}"
        return str(self._do(lambda memory: memory.remember(said).result(PATIENCE))[0])

    def _fact(self) -> Given:
        self._count += 1
        text = f"Dog number {self._count} is called Rex"
        return {"node_id": self._do(lambda memory: memory.facts.add(text)).id}

    def _went(self) -> Given:
        node = self._new()
        self._do(lambda memory: memory.forget(node))
        return {"node_id": node}

    def _forget(self) -> Given:
        return {"node_id": self._new()}

    _restore = _in_trash = _went
    _erase = _forget
    _facts_history = _facts_correct = _facts_verify = _facts_promote = _fact

    def _facts_add(self) -> Given:
        self._count += 1
        return {"text": f"Cat number {self._count} is called Mimi"}

    def _facts_saying(self) -> Given:
        return {"text": f"The fact is {WORD[MINE]}"}

    def _facts_decide(self) -> Given:
        found = self._fact()

        def wait(memory: Memory) -> None:
            with memory._agent.store() as store, store.write() as tx:
                row = tx.facts.get(int(found["node_id"][4:]))
                assert row is not None
                tx.facts.put(replace(row, review="promotion"))

        self._do(wait)
        return found

    def _merges_make(self) -> Given:
        return {"ids": [self._new(), self._new()]}

    def _undo(self) -> Given:
        self._went()
        return {"seq": self._do(lambda memory: memory.history.latest(1)[0].seq)}


def http(answer: Answered, *good: int) -> str:
    """Return how an answer over HTTP ended; anything that is no answer to such a question is told.

    What is refused says so in the one form, and says what to do about it.
    """
    if answer.status in good or (not good and answer.status < 300):
        return DONE
    if answer.status in (401, 403):
        known = answer.status == 403
        assert answer.error == ("NotAllowed" if known else "Unauthenticated"), answer.body
        assert known or answer.headers["www-authenticate"] == "Bearer"
        return REFUSED if known else UNKNOWN
    return f"{answer.status} {answer.body[:300]!r}"


@dataclass(frozen=True)
class Cell:
    """One thing that can be asked for: what it needs, at which agent, and the call.

    The call is given who asks and what they give; it returns how it ended and what was told.
    """

    name: str
    needs: tuple[str, ...]
    call: Callable[[str, Given], tuple[str, str]]
    operation: Operation | None = None
    agent: str | None = MINE
    spoils: bool = False  # what others are tried with is gone afterwards


def rest(world: World) -> Iterator[Cell]:
    """Every operation as a request, and what is there beside them."""

    def asking(operation: Operation) -> Callable[[str, Given], tuple[str, str]]:
        def ask(who: str, given: Given) -> tuple[str, str]:
            given, path = dict(given), operation.path.replace("{agent}", MINE)
            for name in [name for name in given if f"{{{name}}}" in path]:
                path = path.replace(f"{{{name}}}", str(given.pop(name)))
            body: Any = given if operation.verb == "POST" else None
            if operation.verb == "GET" and given:
                path += f"?{urlencode(given)}"
            if "data" in operation.given:
                body = BODY
            answer = world.ask(operation.verb, path, body, token=world.token[who])
            return http(answer, operation.status), answer.body.decode()

        return ask

    for operation in TABLE.values():
        agent = MINE if "{agent}" in operation.path else None
        spoils = operation.name == "agents.erase"
        yield Cell(operation.name, (operation.right,), asking(operation), operation, agent, spoils)

    def plain(path: str) -> Callable[[str, Given], tuple[str, str]]:
        def ask(who: str, _: Given) -> tuple[str, str]:
            answer = world.ask("GET", path, token=world.token[who])
            return http(answer), answer.body.decode()

        return ask

    yield Cell("events", ("read",), plain(f"/v1/agents/{MINE}/events"))
    yield Cell("metrics", ("admin",), plain("/metrics"), agent=None)


def entities(world: World, tool: str, staged: bool) -> Given:
    """Return what a tool of the official memory server is given: new things, or what is there."""
    name = f"Cat{len(world.entities)}"
    world.entities.append(name)
    seen = {"entityName": name, "observations": ["sleeps"], "contents": ["sleeps"]}
    tied = {"from": name, "to": "Ann", "relationType": "likes"}
    if staged and tool.startswith("delete"):
        with world.host.open(MINE) as memory:
            for text in (f"{name} [cat]", f"{name}: sleeps", f"{name} --likes--> Ann"):
                memory.facts.add(text)
    given: dict[str, Given] = {
        "create_entities": {"entities": [{"name": name, "entityType": "cat"}]},
        "create_relations": {"relations": [tied]},
        "add_observations": {"observations": [seen]},
        "delete_entities": {"entityNames": [name]},
        "delete_observations": {"deletions": [seen]},
        "delete_relations": {"relations": [tied]},
        "search_nodes": {"query": WORD[MINE]},
        "open_nodes": {"names": [name]},
    }
    return given.get(tool, {})


def mcp(world: World) -> Iterator[Cell]:
    """Every tool of every profile, and the resources."""
    from wangchuan.server.mcp import graph
    from wangchuan.server.mcp.tools import Tools

    def asking(profile: str, method: str, **params: Any) -> Callable[..., tuple[str, str]]:
        def ask(who: str, given: Given) -> tuple[str, str]:
            sent = dict(params)
            if method == "tools/call":
                sent.setdefault("arguments", given)
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": sent}
            path = f"/v1/agents/{MINE}/mcp?profile={profile}"
            answer = world.ask("POST", path, body, token=world.token[who])
            told = answer.body.decode()
            if (ended := http(answer)) != DONE:
                return ended, told
            result = answer.json.get("result", {})
            if "error" in answer.json or result.get("isError"):
                return (REFUSED if "does not have the right to" in told else told[:300]), told
            return DONE, told

        return ask

    for name, operation in Tools(lambda *_: None, "all")._operations().items():
        ask = asking("all", "tools/call", name=name)
        yield Cell(name, (operation.right,), ask, operation)
    for tool in graph.TOOLS:
        name = tool["name"]
        needs = ("read",) if tool["annotations"]["readOnlyHint"] else ("read", "write")

        def ask(who: str, _: Given, name: str = name) -> tuple[str, str]:
            given = entities(world, name, ROLES[who].expected((), MINE) == DONE)
            return asking("graph", "tools/call", name=name, arguments=given)(who, {})

        yield Cell(name, needs, ask)
    for name, given in {
        "search": {"query": BOTH},
        "fetch": {"id": "mem_1"},
    }.items():
        ask = asking("chatgpt", "tools/call", name=name, arguments=given)
        yield Cell(f"chatgpt {name}", ("read",), ask)
    for method in ("initialize", "ping", "tools/list", "resources/list", "prompts/list"):
        yield Cell(method, (), asking("default", method))


def mem0(world: World) -> Iterator[Cell]:
    """The routes of mem0's dialect."""
    scope, one = {"user_id": MINE}, f"{MINE}.mem_1"

    def asking(verb: str, path: str, body: Any = None) -> Callable[[str, Given], tuple[str, str]]:
        def ask(who: str, given: Given) -> tuple[str, str]:
            node = f"{MINE}.{given['node_id']}" if "node_id" in given else one
            sent = json.loads(json.dumps(body).replace(one, node)) if body is not None else None
            headers = {"Authorization": f"Token {world.token[who]}"} if world.token[who] else {}
            answer = world.ask(verb, path.replace(one, node), sent, headers=headers)
            return http(answer), answer.body.decode()

        return ask

    said = {"messages": [{"role": "user", "content": "something"}], **scope}
    rows = {"memories": [{"memory_id": one, "text": "better"}]}
    new, fact = TABLE["forget"], TABLE["facts.verify"]
    both = ("read", "write")
    table: list[tuple[str, str, Any, tuple[str, ...], Operation | None]] = [
        ("GET", "/v1/ping/", None, (), None),
        ("POST", "/v3/memories/add/", said, ("write",), None),
        (
            "POST",
            "/v3/memories/search/",
            {"query": BOTH, "filters": scope},
            ("read",),
            None,
        ),
        ("POST", "/v3/memories/", {"filters": scope}, ("read",), None),
        ("GET", f"/v1/memories/{one}/", None, ("read",), None),
        ("PUT", f"/v1/memories/{one}/", {"text": "better"}, both, fact),
        ("DELETE", f"/v1/memories/{one}/", None, ("write",), new),
        ("GET", f"/v1/memories/{one}/history/", None, ("read",), None),
        ("PUT", "/v1/batch/", rows, both, new),
        ("DELETE", "/v1/batch/", rows, ("write",), new),
        ("POST", "/memories", said, ("write",), None),
        ("GET", f"/memories?user_id={MINE}", None, ("read",), None),
        ("GET", f"/memories/{one}", None, ("read",), None),
        ("PUT", f"/memories/{one}", {"data": "better"}, both, new),
        ("DELETE", f"/memories/{one}", None, ("write",), new),
        ("GET", f"/memories/{one}/history", None, ("read",), None),
        ("POST", "/search", {"query": BOTH, **scope}, ("read",), None),
        ("DELETE", f"/v1/memories/?user_id={MINE}", None, both, None),
        ("DELETE", f"/memories?user_id={MINE}", None, both, None),
        ("DELETE", f"/v2/entities/user/{MINE}/", None, ("erase",), None),
    ]
    for verb, path, body, needs, operation in table:
        agent = None if path == "/v1/ping/" else MINE
        spoils = verb == "DELETE" and path.endswith((f"user_id={MINE}", f"user/{MINE}/"))
        yield Cell(f"{verb} {path}", needs, asking(verb, path, body), operation, agent, spoils)
    yield Cell("GET /v1/entities/", ("read",), asking("GET", "/v1/entities/"), agent=None)


def proxy(world: World) -> Iterator[Cell]:
    """What is passed on to a model; `world` has one behind it."""

    def asking(path: str, body: Any) -> Callable[[str, Given], tuple[str, str]]:
        def ask(who: str, _: Given) -> tuple[str, str]:
            verb = "GET" if body is None else "POST"
            answer = world.ask(verb, f"/a/{MINE}/v1/{path}", body, token=world.token[who])
            return http(answer), answer.body.decode()

        return ask

    said = [{"role": "user", "content": f"what is {WORD[MINE]}?"}]
    yield Cell("models", ("read",), asking("models", None))
    yield Cell("chat", ("read",), asking("chat/completions", {"model": "m", "messages": said}))
    yield Cell("responses", ("read",), asking("responses", {"model": "m", "input": said}))
    yield Cell("messages", ("read",), asking("messages", {"model": "m", "messages": said}))


class InProcess(Line):
    """The line of a client to a server in this process."""

    def __init__(self, world: World, token: str) -> None:
        super().__init__("http://localhost", token)
        self._world = world

    def _answered(self, verb: str, path: str, body: bytes | None, headers: Any) -> Any:
        answer = self._world.ask(verb, path, body, headers=headers)
        return type("Response", (), {"status": answer.status, "read": lambda _: answer.body})()


def client(world: World) -> Iterator[Cell]:
    """Every method of a connected memory, through the client's own code."""
    from wangchuan.client.connected import LATER, METHODS, READ, Connected

    def asking(method: str) -> Callable[[str, Given], tuple[str, str]]:
        def ask(who: str, given: Given) -> tuple[str, str]:
            memory = Connected("http://localhost", MINE, "unused")
            memory._line = InProcess(world, world.token[who])
            try:
                found: Any = memory
                for part in method.split("."):
                    found = getattr(found, part)
                if method in READ:
                    return DONE, str(found)
                value = found(**given)
                return DONE, str(value.result(PATIENCE) if method in LATER else value)
            except NotAllowed as error:
                told = str(error)
                return (UNKNOWN if "a token is needed" in told else REFUSED), told
            finally:
                memory.close()

        return ask

    for method, operation in METHODS.items():
        yield Cell(str(method), (operation.right,), asking(str(method)), operation)
    yield Cell("remember", ("write",), asking("remember"), TABLE["remember"])


SURFACES: dict[str, Callable[[World], Iterator[Cell]]] = {
    "REST": rest,
    "MCP": mcp,
    "mem0": mem0,
    "proxy": proxy,
    "client": client,
}
