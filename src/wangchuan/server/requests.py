"""What all routes ask of a request: who sent it, and what is in it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from wangchuan.operations.rights import Principal
from wangchuan.server.refusals import Refusal

JSON = "application/json"
Endpoint = Callable[[Request], Awaitable[Response]]


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
