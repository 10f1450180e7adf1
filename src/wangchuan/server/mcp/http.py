"""The Model Context Protocol over HTTP: a request, an answer, no session.

`/mcp` serves the agent that the query names (`?agent=`), the only one of a token, or `default`;
`/v1/agents/{agent}/mcp` the one in its path. `?profile=` chooses the tools. In the new era headers
repeat what the body says, so that what stands between can route; they must not differ.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from wangchuan.errors import InvalidInput, NotAllowed
from wangchuan.operations.operation import PREFIX
from wangchuan.operations.rights import EVERYONE, Principal, authorise
from wangchuan.operations.table import TABLE
from wangchuan.pending import Pending
from wangchuan.server.desk import Desk
from wangchuan.server.mcp.opened import PATIENCE
from wangchuan.server.mcp.protocol import (
    HANDSHAKE,
    INVALID,
    MISMATCH,
    MODERN,
    NAMED,
    PARAMS,
    PARSE,
    STATUS,
    VERSION,
    Fault,
    answered,
    id_of,
    parsed,
    refusal,
    written,
)
from wangchuan.server.mcp.stdio import PROFILES
from wangchuan.server.mcp.tools import Tools
from wangchuan.server.requests import JSON, Endpoint, principal_of

SPOKEN, METHOD, NAME = "mcp-protocol-version", "mcp-method", "mcp-name"


def endpoint(desk: Desk) -> Endpoint:
    """Return the endpoint of the protocol."""

    async def answer(request: Request) -> Response:
        offer, asked = _offer(desk, request), None
        try:
            asked = parsed(await request.body())
            check_headers(asked, request.headers)
        except Fault as fault:
            return _response(refusal(fault, id_of(asked)), fault.status)
        found = await desk.admitted(lambda: answered(offer, asked))
        if found is None:
            return Response(status_code=202)
        return _response(found, _status(found, is_modern(asked)))

    return answer


def routes(desk: Desk) -> list[BaseRoute]:
    """Return the routes of the protocol."""
    places = ("/mcp", f"{PREFIX}/{{agent}}/mcp")
    return [Route(place, endpoint(desk), methods=["POST"], name="mcp") for place in places]


def _response(answer: Any, status: int) -> Response:
    return Response(written(answer), status, media_type=JSON)


def _status(answer: Mapping[str, Any], modern: bool) -> int:
    """Return the status of an answer: errors of the old era are answers like others."""
    code = answer.get("error", {}).get("code")
    return STATUS.get(code, 200) if modern or code in (PARSE, INVALID) else 200


def _offer(desk: Desk, request: Request) -> Tools:
    """Return what is offered to whoever asks. Raises NotAllowed."""
    who, agent = principal_of(request), _agent(request)
    authorise(who, None, agent)  # each tool asks for the right it needs
    profile = request.query_params.get("profile", PROFILES[0])
    if profile not in PROFILES:
        raise InvalidInput(f"profile must be one of {', '.join(PROFILES)}")

    def run(name: str, given: dict[str, Any]) -> Any:
        if not desk.runner.host.has(agent) and "write" in who.rights:
            desk.runner.host.open(agent).close()
        value = desk.runner.run(TABLE[name], who, agent, given)
        return value.result(PATIENCE) if isinstance(value, Pending) else value

    return Tools(run, profile)


def _agent(request: Request) -> str:
    named = request.path_params.get("agent") or request.query_params.get("agent")
    return str(named or _only(principal_of(request)))


def _only(principal: Principal) -> str:
    """Return the agent that somebody speaks for without naming it. Raises NotAllowed."""
    if EVERYONE in principal.agents:
        return "default"
    if len(principal.agents) != 1:
        raise NotAllowed("this token is for several agents; name one: /mcp?agent=…")
    return next(iter(principal.agents))


def is_modern(asked: Any) -> bool:
    """Tell whether a request is one of the new era."""
    params = asked.get("params") if isinstance(asked, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and VERSION in meta


def check_headers(asked: Any, headers: Mapping[str, str]) -> None:
    """Raise Fault if the headers of a request say something else than its body."""
    spoken = headers.get(SPOKEN)
    if not is_modern(asked):
        if spoken in MODERN and not (isinstance(asked, dict) and "id" not in asked):
            raise Fault(PARAMS, f"{SPOKEN} is {spoken}: params._meta must hold {VERSION}")
        if spoken is not None and spoken not in (*HANDSHAKE, *MODERN):
            raise Fault(INVALID, f"{SPOKEN} is none that is known: {spoken[:40]!r}")
        return
    params = asked["params"]
    told = {SPOKEN: params["_meta"][VERSION], METHOD: asked.get("method")}
    key = NAMED.get(str(asked.get("method")))
    if key and params.get(key) is not None:
        told[NAME] = params[key]
    for name, value in told.items():
        if _plain(headers.get(name)) != value:
            raise Fault(MISMATCH, f"the header {name} does not match the body")


def _plain(value: str | None) -> str | None:
    """Return what a header says; what is not plain ASCII comes as =?base64?…?=."""
    value = value.strip() if value is not None else None
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
