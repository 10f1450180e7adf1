"""A proxy before a model: `/a/{agent}/v1/…` passes requests on, with memory beside the last turn.

The upstream and its key come from the settings alone; our token is not passed on, and no redirect
is followed. What streams is passed on as it comes. The user's new turn and the reply are
remembered with ids made from the conversation so far: a request that is sent again changes nothing.
Trouble with the memory never keeps a reply from the user.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import socket
from collections import OrderedDict
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from wangchuan.errors import NotAllowed, NotFound, WangchuanError
from wangchuan.operations.rights import authorise
from wangchuan.server.desk import Desk
from wangchuan.server.refusals import Refusal
from wangchuan.server.requests import principal_of
from wangchuan.server.turns import (
    CHAT,
    MESSAGES,
    RESPONSES,
    Reply,
    Turn,
    last_turn,
    reply_in,
    with_block,
)

log = logging.getLogger("wangchuan")

UPSTREAM_SECONDS = 600.0  # between two pieces of an answer
BLOCK_SECONDS = 3.0  # for the block; without it if it takes longer
AT_ONCE, PIECE = 64, 65536
MOST_TURNS = 10_000  # of which the block is known, so that it stays the same while tools work
REDIRECTS, FAILED = range(300, 400), 400
OURS = {"authorization", "x-api-key", "x-wangchuan", "cookie"}
HOPS = {
    *("connection", "content-length", "host", "keep-alive", "te", "trailer", "transfer-encoding"),
    *("upgrade", "accept-encoding", "proxy-authorization", "proxy-authenticate", "set-cookie"),
}
APIS = {"v1/chat/completions": CHAT, "v1/responses": RESPONSES, "v1/messages": MESSAGES}
PARTIAL = "partial"  # marks, in the metadata, a reply that was cut off


class Proxy:
    """Passes requests on to the upstreams of the settings."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._settings = desk, desk.serving
        self._threads = ThreadPoolExecutor(AT_ONCE, "wangchuan-proxy")
        self._blocks: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    async def pass_on(self, request: Request) -> Response:
        """Answer a request as the upstream does."""
        agent, path = request.path_params["agent"], request.path_params["path"]
        authorise(principal_of(request), "read", agent)
        body, api = await request.body(), APIS.get(path)
        mode = request.headers.get("x-wangchuan", "on").casefold()
        turn = None
        if api is not None and request.method == "POST" and mode != "off":
            body, turn = await self._with_memory(request, agent, api, body)
        remembers = turn is not None and mode != "read"
        upstream = await self._sent(request, path, body)
        kept = Heard(self, request, agent, api or CHAT, turn if remembers else None)
        return await kept.answer(upstream)

    async def _with_memory(
        self, request: Request, agent: str, api: str, body: bytes
    ) -> tuple[bytes, Turn | None]:
        """Return the body with the block in the last turn, and that turn."""
        try:
            given = json.loads(body)
            turn = last_turn(api, given) if isinstance(given, dict) else None
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            return body, None  # not ours to refuse: the upstream will
        if turn is None or not turn.text:
            return body, None
        block = await self._block(request, agent, turn)
        if block:
            given = with_block(api, given, turn, block)
            body = json.dumps(given, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return body, turn

    async def _block(self, request: Request, agent: str, turn: Turn) -> str:
        """Return the block for a turn: the same as before while tools work on it."""
        key = (agent, turn.key)
        if key not in self._blocks or turn.is_new:
            self._blocks[key] = await self._asked(request, agent, turn.text)
            self._blocks.move_to_end(key)
            while len(self._blocks) > MOST_TURNS:
                self._blocks.popitem(last=False)
        return self._blocks[key]

    async def _asked(self, request: Request, agent: str, query: str) -> str:
        asked = self._desk.run("context", principal_of(request), agent, {"query": query[:10_000]})
        try:
            async with asyncio.timeout(BLOCK_SECONDS):
                return str(await asked)
        except NotFound:
            return ""  # nothing was said to this agent yet
        except NotAllowed:
            raise
        except (WangchuanError, Refusal, TimeoutError) as error:
            log.warning("the proxy goes on without memory: %s", error)
            return ""

    async def _sent(self, request: Request, path: str, body: bytes) -> Upstream:
        anthropic = path.startswith(f"v1/{MESSAGES}") or "anthropic-version" in request.headers
        url, key = self._settings.upstream_url, self._settings.upstream_key
        tail = path.removeprefix("v1")
        if anthropic:
            url, key = self._settings.upstream_anthropic_url, self._settings.upstream_anthropic_key
            tail = f"/{path}"
        if not url:
            name = "upstream_anthropic_url" if anthropic else "upstream_url"
            raise Refusal("NotOffered", f"there is no model behind this proxy: set {name}")
        headers = {k: v for k, v in request.headers.items() if k not in OURS | HOPS}
        if key is not None:
            secret = key.get_secret_value()
            own = {"x-api-key": secret} if anthropic else {"authorization": f"Bearer {secret}"}
            headers |= own
        query = f"?{request.url.query}" if request.url.query else ""
        upstream = Upstream(url, self._threads)
        await upstream.send(request.method, f"{tail}{query}", body, headers)
        return upstream

    async def remember(self, request: Request, agent: str, rows: list[dict[str, Any]]) -> None:
        """Remember what was said, as far as somebody may, and still may."""
        if not request.scope["holds"]():
            return
        try:
            await self._desk.run("remember", principal_of(request), agent, {"messages": rows})
        except NotAllowed:
            pass  # who may only read uses the memory without adding to it
        except (WangchuanError, Refusal) as error:
            log.warning("the proxy could not remember a turn: %s", error)

    def later(self, work: Any) -> None:
        """Do something after the request, whatever becomes of it."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Heard:
    """One request that is passed on: its answer goes to the client, and its text is kept."""

    def __init__(
        self, proxy: Proxy, request: Request, agent: str, api: str, turn: Turn | None
    ) -> None:
        self._proxy, self._request, self._agent = proxy, request, agent
        self._api, self._turn = api, turn

    async def answer(self, upstream: Upstream) -> Response:
        """Return the answer of the upstream."""
        status, headers = upstream.status, upstream.headers
        if status in REDIRECTS:
            upstream.hang_up()
            raise Refusal("BadUpstream", "the model's server redirects, which is not followed")
        if "text/event-stream" in headers.get("content-type", ""):
            return StreamingResponse(self._streamed(upstream), status, headers)
        pieces = [piece async for piece in upstream.pieces()]
        body = b"".join(pieces)
        task = BackgroundTask(self._heard_whole, body) if status < FAILED else None
        return Response(body, status, headers, background=task)

    async def _heard_whole(self, body: bytes) -> None:
        with suppress(ValueError, AttributeError, TypeError, KeyError):
            await self._keep(reply_in(self._api, json.loads(body)), partial=False)

    async def _streamed(self, upstream: Upstream) -> AsyncIterator[bytes]:
        reply = Reply(self._api)
        try:
            async for piece in upstream.pieces():
                if not self._request.scope["holds"]():
                    break
                reply.feed(piece)
                yield piece
        finally:
            if upstream.status < FAILED:
                self._proxy.later(self._keep(reply.text, partial=not reply.ended))
            upstream.hang_up()

    async def _keep(self, reply: str, *, partial: bool) -> None:
        """Remember the new turn and the reply to it."""
        turn = self._turn
        if turn is None:
            return
        rows: list[dict[str, Any]] = []
        if turn.is_new:
            rows.append({"role": "user", "content": turn.text, "id": f"proxy:{turn.key}"})
        if reply.strip():
            said = {"role": "assistant", "content": reply, "id": turn.reply_id}
            rows.append({**said, **({"metadata": {PARTIAL: True}} if partial else {})})
        if rows:
            await self._proxy.remember(self._request, self._agent, rows)


class Upstream:
    """One request to a model's server and its answer, in threads of their own."""

    def __init__(self, url: str, threads: ThreadPoolExecutor) -> None:
        self._parts, self._threads = urlsplit(url), threads
        kind: type[http.client.HTTPConnection] = http.client.HTTPConnection
        if self._parts.scheme == "https":
            kind = http.client.HTTPSConnection
        self._line = kind(str(self._parts.hostname), self._parts.port, timeout=UPSTREAM_SECONDS)
        self._socket: socket.socket | None = None
        self.status, self.headers = 0, dict[str, str]()

    async def send(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> None:
        """Send the request and read the head of the answer."""

        def send() -> http.client.HTTPResponse:
            to = self._parts.path.rstrip("/") + path
            self._line.request(method, to, body or None, {**headers, "accept-encoding": "identity"})
            self._socket = self._line.sock  # the line lets go of it where the answer ends with it
            return self._line.getresponse()

        try:
            self._answer = await self._in_thread(send)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.hang_up()
            told = f"the model's server cannot be reached: {error}"
            raise Refusal("BadUpstream", told) from error
        self.status = self._answer.status
        found = {name.lower(): value for name, value in self._answer.getheaders()}
        self.headers = {name: value for name, value in found.items() if name not in HOPS}

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes."""
        try:
            while piece := await self._in_thread(lambda: self._answer.read1(PIECE)):
                yield piece
        finally:
            self.hang_up()

    async def _in_thread(self, work: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def hang_up(self) -> None:
        """End the connection; whoever reads from it reads its end, and the model's server, too."""
        with suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)
        self._line.close()


def routes(desk: Desk) -> list[BaseRoute]:
    """Return the routes of the proxy."""
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    pass_on = Proxy(desk).pass_on
    return [Route("/a/{agent}/{path:path}", pass_on, methods=methods, name="proxy")]
