"""What all routes ask of a request: who sent it, and what is in it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from wangchuan.operations.rights import Principal
from wangchuan.server.refusals import Refusal

JSON = "application/json"
Endpoint = Callable[[Request], Awaitable[Response]]


class Answering:
    """An endpoint as an application of its own: whatever it raises is the gate's to tell, so that
    a route needs no frame around it.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        answer = await self._endpoint(Request(scope, receive, send))
        await answer(scope, receive, send)


def principal_of(request: Request) -> Principal:
    """Return who sent a request; the gate has found out."""
    found: Principal = request.scope["principal"]
    return found


async def json_of(request: Request) -> dict[str, Any]:
    """Return the object in the body of a request; an empty body is an empty object."""
    body = await request.body()
    if not body:
        return {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind.casefold() != JSON:
        raise Refusal("NotJSON", f"the body must be {JSON}, not {kind or 'without a type'!r:.80}")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refusal("BadRequest", f"the body is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise Refusal("BadRequest", "the body must be a JSON object")
    return found
