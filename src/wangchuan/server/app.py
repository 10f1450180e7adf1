"""The routes, made from the table of operations."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, get_origin

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route, Router

from wangchuan.errors import InvalidInput, NotFound
from wangchuan.host import Host
from wangchuan.operations.operation import PREFIX, Operation
from wangchuan.operations.rights import authorise
from wangchuan.operations.running import Runner
from wangchuan.operations.table import TABLE
from wangchuan.server import mem0, proxy
from wangchuan.server.desk import Desk
from wangchuan.server.gate import Gate, Rate, Scope, allowed_names
from wangchuan.server.mcp import http as mcp
from wangchuan.server.openapi import described, page
from wangchuan.server.page.serving import routes as routes_of_the_page
from wangchuan.server.refusals import Refusal
from wangchuan.server.requests import JSON, Answering, Endpoint, json_of, principal_of
from wangchuan.server.tokens import Tokens
from wangchuan.settings.groups import Serving
from wangchuan.types import Event

LINES = "application/x-ndjson"
HEARTBEAT_SECONDS = 15.0
MOST_EVENTS = 1000  # that a listener may be behind
LONGEST_KEY = 200
WAITING = """# HELP wangchuan_waiting_jobs Jobs that wait in the store.
# TYPE wangchuan_waiting_jobs gauge
wangchuan_waiting_jobs {}
"""
EVERY_TURN = ("remember", "search", "context", "recall")  # routes are tried in order: these first


def query_of(operation: Operation, request: Request) -> dict[str, Any]:
    """Return what stands in the query of a request: lists where the operation takes a list."""
    lists = {n for n, f in operation.takes.model_fields.items() if get_origin(f.annotation) is list}
    query = request.query_params
    return {name: query.getlist(name) if name in lists else query[name] for name in query}


def endpoint(desk: Desk, operation: Operation) -> Endpoint:
    """Return the endpoint of an operation."""
    takes_json = operation.verb == "POST" and "data" not in operation.given

    async def answer(request: Request) -> Response:
        path = dict(request.path_params)
        agent = path.pop("agent", None)
        given: dict[str, Any] = operation.from_path(path)
        given |= (await json_of(request)) if takes_json else query_of(operation, request)
        if operation.name == "remember":
            given = with_ids(given, request.headers.get("idempotency-key"))
        data = b"" if takes_json else await request.body()
        value = await desk.run(
            operation, principal_of(request), agent, given, strings=not takes_json, data=data
        )
        if operation.waits and not request.scope["holds"]():
            raise Refusal("Unauthenticated", "the token was revoked, or expired, meanwhile")
        if value is None and operation.may_be_none:
            raise NotFound("there is none")
        if isinstance(value, bytes):
            return Response(value, media_type=LINES)
        return Response(operation.answered(value), operation.status, media_type=JSON)

    return answer


def with_ids(given: dict[str, Any], key: str | None) -> dict[str, Any]:
    """Return messages with ids made from an idempotency key, where they have none.

    Messages with ids are taken in once, so a request that is sent again changes nothing.
    """
    if key is None:
        return given
    if not key or len(key) > LONGEST_KEY:
        raise InvalidInput(f"an Idempotency-Key has 1 to {LONGEST_KEY} characters")
    messages = given.get("messages")
    if isinstance(messages, str):
        messages = {"role": "user", "content": messages}
    if not isinstance(messages, list):
        messages = [messages]
    keyed = [
        {**one, "id": one.get("id") or f"key:{key}:{n}"} if isinstance(one, Mapping) else one
        for n, one in enumerate(messages)
    ]
    return {**given, "messages": keyed}


def events_of(desk: Desk) -> Endpoint:
    """Return the endpoint of what happens in a memory, as it happens (server-sent events)."""

    async def answer(request: Request) -> Response:
        agent, who = request.path_params["agent"], principal_of(request)
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[Event](MOST_EVENTS)

        def heard(event: Event) -> None:
            loop.call_soon_threadsafe(_put, queue, event)

        listening = desk.runner.listening(who, agent, heard)
        await desk.call(listening.__enter__)  # raises before the answer begins
        stop = lambda: listening.__exit__(None, None, None)  # noqa: E731
        going = lambda: not desk.stopping.is_set() and request.scope["holds"]()  # noqa: E731
        told = _told(desk, queue, going, lambda: desk.call(stop))
        return StreamingResponse(told, media_type="text/event-stream")

    return answer


def _put(queue: asyncio.Queue[Event], event: Event) -> None:
    if queue.full():  # a listener who does not listen: what they miss they can read
        queue.get_nowait()
    queue.put_nowait(event)


async def _told(
    desk: Desk,
    queue: asyncio.Queue[Event],
    going: Callable[[], bool],
    end: Callable[[], Awaitable[None]],
) -> AsyncIterator[bytes]:
    """Tell events until the client leaves, loses its token, or the server stops."""
    stopping = asyncio.ensure_future(desk.stopping.wait())
    next_one = asyncio.ensure_future(queue.get())
    try:
        yield b": listening\n\n"
        while going():
            await asyncio.wait(
                (next_one, stopping), timeout=HEARTBEAT_SECONDS, return_when="FIRST_COMPLETED"
            )
            if not going():
                break
            if next_one.done():
                event = next_one.result()
                next_one = asyncio.ensure_future(queue.get())
                data = json.dumps(event.detail, ensure_ascii=False, default=str)
                yield f"event: {event.name}\ndata: {data}\n\n".encode()
            else:
                yield b": still here\n\n"
    finally:
        next_one.cancel()
        stopping.cancel()
        await asyncio.shield(end())


class Figures:
    """What `/metrics` says. No agent is named: ids are the owners' own."""

    def __init__(self, routes: list[BaseRoute], desk: Desk) -> None:
        self.registry, self._desk = CollectorRegistry(), desk
        self._routes = {route.endpoint: route.name for route in routes if isinstance(route, Route)}
        labels = ("operation", "status")
        self._requests = Counter(
            "wangchuan_requests", "Requests answered.", labels, registry=self.registry
        )
        self._seconds = Histogram(
            "wangchuan_request_seconds", "Time to answer.", ("operation",), registry=self.registry
        )

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        name = self._routes.get(scope.get("endpoint"), "none")  # type: ignore[arg-type]
        counter, histogram = self._known(name, status)
        counter.inc()
        histogram.observe(seconds)

    @cache  # noqa: B019 (there is one as long as the server runs; names and statuses are few)
    def _known(self, name: str, status: int) -> tuple[Counter, Histogram]:
        return self._requests.labels(name, str(status)), self._seconds.labels(name)

    async def show(self, request: Request) -> Response:
        """Answer with the figures."""
        authorise(principal_of(request), "admin", None)
        text = generate_latest(self.registry) + await self._waiting()
        return Response(text, media_type="text/plain; version=0.0.4")

    async def _waiting(self) -> bytes:
        """Return the jobs that wait in all cells; nothing where that is not known just now."""
        try:
            jobs = await self._desk.waiting_jobs()
        except Refusal:
            return b""
        return b"" if jobs is None else WAITING.format(jobs).encode()


def _common(desk: Desk) -> list[BaseRoute]:
    """Return the routes beside the operations."""

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        if desk.stopping.is_set() or desk.runner.host.closed:
            raise Refusal("Busy", "the server is stopping")
        await desk.reach()
        return JSONResponse({"status": "ready"})

    async def openapi(_: Request) -> Response:
        return JSONResponse(described())

    async def to_read(_: Request) -> Response:
        return HTMLResponse(page(), headers={"Content-Security-Policy": "default-src 'none'"})

    return [
        Route("/health", health),
        Route("/ready", ready),
        Route("/openapi.json", openapi),
        Route("/openapi", to_read),
    ]


def application(host: Host, tokens: Tokens) -> tuple[Gate, Desk]:
    """Return the application that serves the agents of a host, and the desk behind it."""
    serving = host.settings.part(Serving)
    desk = Desk(Runner(host), serving)
    order = sorted(TABLE.values(), key=lambda one: one.name not in EVERY_TURN)
    routes: list[BaseRoute] = [
        Route(_typed(one.path), Answering(endpoint(desk, one)), methods=[one.verb], name=one.name)
        for one in order
    ]
    routes.append(Route(f"{PREFIX}/{{agent}}/events", events_of(desk), name="events"))
    routes += [
        *_common(desk),
        *routes_of_the_page(tokens),
        *mem0.routes(desk),
        *proxy.routes(desk),
        *mcp.routes(desk),
    ]
    figures = Figures(routes, desk)
    routes.append(Route("/metrics", figures.show))
    router = Router(routes, redirect_slashes=False, lifespan=_lifespan(desk))
    names = allowed_names(serving.server_host, serving.server_names)
    gate = Gate(router, tokens, names, Rate(serving.server_rate))
    gate.note = figures.note
    return gate, desk


def _typed(path: str) -> str:
    return re.sub(r"\{page\}", "{page:path}", path)


def _lifespan(desk: Desk) -> Any:
    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        yield
        desk.stopping.set()
        await asyncio.to_thread(desk.close)

    return lifespan
