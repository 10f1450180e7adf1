"""What is offered over the protocol: tools made from the table of operations, and resources.

A profile says which. `default` are the few that an agent needs in a conversation, `all` is the
whole table but for what concerns other agents, `chatgpt` is what its connectors want, `graph` are
the tools of the official memory server. Answers are bounded: a model reads them.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wangchuan.errors import InvalidInput, NotFound, WangchuanError
from wangchuan.operations.operation import Operation
from wangchuan.operations.table import TABLE
from wangchuan.server.mcp import graph
from wangchuan.server.mcp.protocol import PARAMS, Fault, Json

log = logging.getLogger("wangchuan.mcp")

Run = Callable[[str, Json], Any]  # runs an operation by its name, for whoever is connected

RENAMED = {"stats": "memory_status"}
DEFAULT = ("search", "remember", "context", "forget", "stats")
LEFT_OUT = (  # for people, not for models
    "export",
    "import",
    "agents",
    "agents.erase",
    "agents.make",
    "replay",
    "me",
    "picture",
    "names",
    "look.search",
    "what_if",
    "doctor",
    "jobs.retry",
    "settings",
)
LONGEST = 40_000  # characters of an answer
CUTS = (4000, 1000, 300, 100)  # characters of a text in it; the first that lets the answer fit
CORE, NOTEBOOK, KNOWLEDGE = "wangchuan://core", "wangchuan://notebook", "wangchuan://knowledge/"
LIMIT = 8  # hits, unless a model asks for more


@dataclass(frozen=True)
class Tools:
    """The tools and resources of one agent, for somebody who may `run` operations."""

    run: Run
    profile: str = "default"

    def tools(self) -> list[Json]:
        """Return the tools of the profile."""
        if self.profile == "chatgpt":
            return CHATGPT
        if self.profile == "graph":
            return graph.TOOLS
        return [_tool(operation) for operation in self._operations().values()]

    def _operations(self) -> dict[str, Operation]:
        """Return the operations of the profile by the names of their tools."""
        names = DEFAULT if self.profile == "default" else [n for n in TABLE if n not in LEFT_OUT]
        return {_name(name): TABLE[name] for name in names}

    def call(self, name: str, arguments: Json) -> Json:
        """Return the result of a tool; what goes wrong is a result, too, which a model can read."""
        call = self._call_of(name)
        try:
            return call(arguments)
        except (WangchuanError, OSError, TimeoutError) as error:
            return _told(str(error) or type(error).__name__, failed=True)
        except Exception as error:  # the outer frame: no client is shown how it happened
            log.exception("the tool %s failed", name)
            return _told(f"{name} failed: {type(error).__name__}", failed=True)

    def _call_of(self, name: str) -> Callable[[Json], Json]:
        if self.profile == "chatgpt" and name in ("search", "fetch"):
            return self._found if name == "search" else self._fetched
        if self.profile == "graph" and name in graph.CALLS:
            return lambda arguments: _answer(graph.CALLS[name](self.run, arguments))
        operation = self._operations().get(name) if self.profile in ("default", "all") else None
        if operation is None:
            raise Fault(PARAMS, f"Unknown tool: {name[:100]}")
        return lambda arguments: self._done(operation, arguments)

    def _done(self, operation: Operation, arguments: Json) -> Json:
        if operation.name == "search":
            arguments = {"limit": LIMIT} | arguments
        value = self.run(operation.name, arguments)
        if value is None and operation.may_be_none:
            return _told("there is none")
        answer = json.loads(operation.answered(value))
        return _answer(answer, _lines(answer) if operation.name == "search" else None)

    # what ChatGPT's connectors want

    def _found(self, arguments: Json) -> Json:
        hits = self.run("search", {"query": arguments.get("query"), "limit": LIMIT})
        results = [
            {"id": _id_of(hit), "title": hit.text[:80], "url": f"wangchuan://{_id_of(hit)}"}
            for hit in hits
        ]
        return _answer({"results": results})

    def _fetched(self, arguments: Json) -> Json:
        wanted = arguments.get("id")
        if not isinstance(wanted, str):
            raise InvalidInput("id must be the id of a result")
        if wanted.startswith("msg_"):
            found = self.run("messages", {"after": int(wanted[4:] or 0) - 1, "limit": 1}).items
            text = found[0].content if found else ""
        else:
            node = self.run("node", {"node_id": wanted})
            said = self.run("messages", {"node_id": wanted}).items if node else []
            text = "\n".join(one.content for one in said) or (node.content if node else "")
        if not text:
            raise NotFound(f"there is no {wanted[:40]!r}")
        page = {"id": wanted, "title": text[:80], "text": text, "url": f"wangchuan://{wanted}"}
        return _answer(page | {"metadata": {}})

    # resources

    def resources(self) -> list[Json]:
        """Return the pages that are there: core facts, and those of the notebook if it has one."""
        told = [_page(CORE, "Core facts", "What always holds, as a person said.")]
        try:
            pages = self.run("notebook.knowledge", {}).items
        except WangchuanError:
            return told  # it has no notebook
        told.append(_page(NOTEBOOK, "Notebook", "The pages the agent works from."))
        return told + [
            _page(f"{KNOWLEDGE}{page}", page, "What was learned to do.") for page in pages
        ]

    def read(self, uri: str) -> Json | None:
        """Return the text of a page; None if there is none."""
        try:
            text = self._read(uri)
        except WangchuanError:
            text = None
        return None if text is None else {"uri": uri, "mimeType": "text/markdown", "text": text}

    def _read(self, uri: str) -> str | None:
        if uri == CORE:
            core = self.run("facts", {"kinds": ["core", "system"], "limit": 200}).items
            return "\n".join(f"- {fact.text}" for fact in core)
        if uri == NOTEBOOK:
            return str(self.run("notebook.prompt", {}))
        if uri.startswith(KNOWLEDGE):
            return str(self.run("notebook.page", {"page": uri.removeprefix(KNOWLEDGE)}))
        return None


def _name(operation: str) -> str:
    return RENAMED.get(operation, operation.replace(".", "_"))


def _tool(operation: Operation) -> Json:
    return {
        "name": _name(operation.name),
        "title": _name(operation.name).replace("_", " ").capitalize(),
        "description": operation.when,
        "inputSchema": operation.takes.model_json_schema(),
        "annotations": {
            "readOnlyHint": operation.right == "read",
            "destructiveHint": operation.right == "erase",
            "idempotentHint": operation.right == "read" or operation.name == "remember",
            "openWorldHint": False,
        },
    }


_TEXT = {"type": "string"}


def _simple(name: str, description: str, argument: str) -> Json:
    schema = {"type": "object", "properties": {argument: _TEXT}, "required": [argument]}
    hints = {"readOnlyHint": True, "openWorldHint": False}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": hints}


CHATGPT = [
    _simple("search", TABLE["search"].when, "query"),
    _simple("fetch", "Call this with the id of a result of search to read it whole.", "id"),
]


def _page(uri: str, name: str, description: str) -> Json:
    return {"uri": uri, "name": name, "description": description, "mimeType": "text/markdown"}


def _id_of(hit: Any) -> str:
    return str(hit.node.id if hit.node else hit.sources[0].id)


def _lines(answer: Json) -> str:
    """Return hits as a model reads them best: a line each, with when, who and the id."""
    return "\n".join(_line(hit) for hit in answer["items"]) or "nothing of it is known"


def _line(hit: Json) -> str:
    node, said = hit["node"], (hit["sources"] or [{}])[0]
    text = node["content"] if node else said["content"]
    day = f"{datetime.fromtimestamp(said['timestamp']):%Y-%m-%d} " if said.get("timestamp") else ""
    who = said.get("name") or said.get("role") or (node or {}).get("kind", "")
    lost = f", {hit['lost']}" if hit["lost"] else ""
    return f"- {day}{who}: {' '.join(text.split())} ({node['id'] if node else said['id']}{lost})"


def _answer(value: Json, text: str | None = None) -> Json:
    """Return the result of a tool, no longer than a model should read."""
    fitting = _fitting(value)
    if text is None:
        plain = fitting.get("text") if len(fitting) == 1 else None
        text = plain if isinstance(plain, str) else json.dumps(fitting, ensure_ascii=False)
    return _told(text[:LONGEST]) | {"structuredContent": fitting}


def _told(text: str, *, failed: bool = False) -> Json:
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def _fitting(value: Json) -> Json:
    """Return an answer with its texts cut, and then its last items left out, until it fits."""
    for longest in CUTS:
        if len(json.dumps(value, ensure_ascii=False)) <= LONGEST:
            return value
        value = _cut(value, longest)
    while isinstance(items := value.get("items"), list) and len(items) > 1:
        value = value | {"items": items[: len(items) // 2]}
        if len(json.dumps(value, ensure_ascii=False)) <= LONGEST:
            break
    return value


def _cut(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[:longest]}…"
    if isinstance(value, dict):
        return {key: _cut(one, longest) for key, one in value.items()}
    return [_cut(one, longest) for one in value] if isinstance(value, list) else value
