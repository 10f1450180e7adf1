"""The routes of the page: its files, signing in and signing out.

Whoever signs in shows a token once; the browser then keeps the token of a session, in a cookie that
no script can read and that no other site can send.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from wangchuan.errors import NotFound
from wangchuan.operations.operation import Operation
from wangchuan.operations.table import TABLE
from wangchuan.server.gate import PAGE, cookie_name, session_of
from wangchuan.server.page.files import File, all_files
from wangchuan.server.refusals import Refusal
from wangchuan.server.requests import JSON, json_of
from wangchuan.server.tokens import SESSION_SECONDS, Tokens

INDEX = "index.html"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types wangchuan",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
NOT_MODIFIED = 304


def routes(tokens: Tokens) -> list[BaseRoute]:
    """Return the routes of the page."""
    me: Operation = TABLE["me"]

    async def sign_in(request: Request) -> Response:
        given = (await json_of(request)).get("token")
        made = tokens.signed_in(given.strip()) if isinstance(given, str) else None
        principal = tokens.principal(made) if made else None
        if made is None or principal is None:
            raise Refusal("Unauthenticated", "this token is unknown, expired or used up")
        answer = Response(me.answered(me.function(None, principal)), media_type=JSON)
        answer.set_cookie(
            cookie_name(request.headers),
            made,
            max_age=int(SESSION_SECONDS),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return answer

    async def session(request: Request) -> Response:
        held = session_of(request.headers)
        principal = tokens.principal(held) if held else None
        told = b"null" if principal is None else me.answered(me.function(None, principal))
        return Response(b'{"me":%s}' % told, headers={"Cache-Control": "no-store"}, media_type=JSON)

    async def sign_out(request: Request) -> Response:
        session = session_of(request.headers)
        if session and tokens.principal(session):
            tokens.revoke(session)
        answer = Response(b"{}", media_type=JSON)
        answer.delete_cookie(cookie_name(request.headers), httponly=True, samesite="strict")
        return answer

    return [
        Route("/", _index),
        Route(f"{PAGE}session", session),
        Route(f"{PAGE}sign-in", sign_in, methods=["POST"]),
        Route(f"{PAGE}sign-out", sign_out, methods=["POST"]),
        Route(f"{PAGE}{{path:path}}", _file),
    ]


async def _index(request: Request) -> Response:
    return _answer(request, all_files()[INDEX])


async def _file(request: Request) -> Response:
    found = all_files().get(request.path_params["path"])
    if found is None:
        raise NotFound("the page has no such file")
    return _answer(request, found)


def _answer(request: Request, file: File) -> Response:
    headers = {**HEADERS, "ETag": file.mark}
    if request.headers.get("if-none-match") == file.mark:
        return Response(status_code=NOT_MODIFIED, headers=headers)
    return Response(file.content, headers=headers, media_type=file.type)
