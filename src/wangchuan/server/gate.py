"""What stands before all routes: from where a request comes, who sends it, how large it may be.

Errors end here, whatever raised them, and become the one form of `refusals`. A page in a browser
cannot reach a server at home by a name of its own (Host), nor send requests from elsewhere
(Origin); there is no CORS. Who is signed in to the page is known by a cookie, which counts for
nothing in what other pages ask for.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, cookie_parser

from wangchuan.operations.rights import Principal
from wangchuan.server.refusals import UNAVAILABLE, Refusal, answer_to, status_of
from wangchuan.server.tokens import Tokens

log = logging.getLogger("wangchuan")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Note = Callable[[Scope, int, float], None]

LARGEST = 4 << 20  # bytes of a body
MOST_TAKEN, LINGER_SECONDS = 8 * LARGEST, 1.0  # of a body that is refused, before it is answered
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PUBLIC = ("/", "/health", "/ready", "/openapi", "/openapi.json")
PAGE = "/page/"  # below it: the files of the page, and signing in to it
SERVER_ERROR = 500
NOSNIFF = (b"x-content-type-options", b"nosniff")  # what is data is never run as a page


class Rate:
    """So many requests a second for each principal, in bursts of as many."""

    def __init__(self, per_second: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._monotonic = per_second, monotonic
        self._left: dict[str, tuple[float, float]] = {}

    def spend(self, name: str) -> None:
        """Count a request; raises Refusal if there were too many."""
        now = self._monotonic()
        left, at = self._left.get(name, (self._rate, now))
        left = min(max(1.0, self._rate), left + (now - at) * self._rate)
        if left < 1:
            raise Refusal("TooManyRequests", f"more than {self._rate:g} requests a second")
        self._left[name] = (left - 1, now)


class Gate:
    """The outermost application."""

    def __init__(self, app: App, tokens: Tokens, names: Iterable[str], rate: Rate) -> None:
        self._app, self._tokens, self._rate = app, tokens, rate
        self._names = frozenset(name.casefold() for name in names)
        self.note: Note = lambda *_: None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, body, answer = time.perf_counter(), _Body(receive), _Answer(send)
        try:
            await self._let_in(scope, body, answer)
        except ClientDisconnect:
            pass  # nobody is there to be told
        except Exception as error:  # the outer frame of the server
            if _is_our_fault(error):
                log.warning("%s %s failed", scope["method"], scope["path"], exc_info=error)
            if answer.status:
                raise  # half of it is sent: the connection ends
            await body.rest()
            await answer_to(error)(scope, receive, answer)
        finally:
            self.note(scope, answer.status, time.perf_counter() - begun)

    async def _let_in(self, scope: Scope, body: _Body, answer: _Answer) -> None:
        headers = Headers(scope=scope)
        self._check_place(headers)
        scope["app"] = self  # so that the router raises instead of answering
        if scope["path"] not in PUBLIC and not scope["path"].startswith(PAGE):
            scope["principal"] = principal = self._who(headers)
            scope["holds"] = lambda: self._holds(headers)
            self._rate.spend(principal.name)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:12]) > LARGEST:
            raise Refusal("TooLarge", f"a body has at most {LARGEST:,} bytes")
        await self._app(scope, body, answer)

    def _check_place(self, headers: Headers) -> None:
        host = headers.get("host", "")
        if _name_of(host) not in self._names:
            raise Refusal("Forbidden", f"this server is not called {host!r:.80} (server_names)")
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2].casefold() != host.casefold():
            raise Refusal("Forbidden", f"requests from {origin!r:.80} are not taken")

    def _holds(self, headers: Headers) -> bool:
        """Tell whether who was let in would still be: answers that go on ask it again."""
        try:
            return bool(self._who(headers))
        except Refusal:
            return False

    def _who(self, headers: Headers) -> Principal:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.casefold() not in ("bearer", "token"):
            token = headers.get("x-api-key", "")
        token = token or session_of(headers)
        found = self._tokens.principal(token.strip()) if token else None
        if found is None:
            raise Refusal("Unauthenticated", "a token is needed: Authorization: Bearer wc_…")
        return found


class _Body:
    """What a client sends, bounded in bytes; in time, too, by its connection."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._bytes, self._all = receive, 0, False

    async def __call__(self) -> MutableMapping[str, Any]:
        message = await self._taken()
        if self._bytes > LARGEST:
            raise Refusal("TooLarge", f"a body has at most {LARGEST:,} bytes")
        return message

    async def rest(self) -> None:
        """Take what is still sent: a client who is cut off meanwhile would not hear an answer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while not self._all and self._bytes < MOST_TAKEN:
                    await self._taken()

    async def _taken(self) -> MutableMapping[str, Any]:
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        self._all = not message.get("more_body", False)
        return message


class _Answer:
    """What a client is sent."""

    def __init__(self, send: Send) -> None:
        self._send, self.status = send, 0

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), NOSNIFF]
        await self._send(message)


def _is_our_fault(error: Exception) -> bool:
    """Tell whether an error is worth a line in the log: to be full or to stop is none."""
    status = status_of(error)
    return status >= SERVER_ERROR and status != UNAVAILABLE and not isinstance(error, Refusal)


def cookie_name(headers: Headers) -> str:
    """Return what the cookie of a session is called: browsers share cookies among ports."""
    return f"wangchuan_{headers.get('host', '').rpartition(':')[2]}"


def session_of(headers: Headers) -> str:
    """Return the token of the session that a browser keeps; none for what other pages ask for."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return ""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(headers), "")


def _name_of(host: str) -> str:
    """Return the name in a Host, without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).casefold()


def allowed_names(host: str, more: str) -> list[str]:
    """Return the names under which a server at an address may be known."""
    own = f"[{host}]" if ":" in host else host
    return [*LOOPBACK, own, *(name.strip() for name in more.split(",") if name.strip())]
