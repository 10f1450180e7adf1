"""What goes wrong, as one table of status codes and one form: {"error": {"type", "message"}}."""

from __future__ import annotations

import json

from starlette.exceptions import HTTPException
from starlette.responses import Response

from wangchuan.errors import (
    CannotUndo,
    Closed,
    Conflict,
    InvalidInput,
    ModelError,
    NewerFormat,
    NotAllowed,
    NotFound,
    QueueFull,
    StorageError,
    Unreachable,
    WangchuanError,
    WrongAgent,
)

STATUS: dict[type[Exception], int] = {  # the nearest class of an error counts
    InvalidInput: 422,
    NotFound: 404,
    NotAllowed: 403,
    CannotUndo: 409,
    Conflict: 409,
    NewerFormat: 409,
    WrongAgent: 409,
    QueueFull: 503,
    Closed: 503,
    ModelError: 502,
    Unreachable: 503,
    StorageError: 500,
    WangchuanError: 500,
    TimeoutError: 504,
}
RETRY_SECONDS = 1
UNAVAILABLE, TOO_MANY = 503, 429
# What is refused before an operation is reached; each is a `Refusal` of this name.
REFUSALS = {
    "BadRequest": 400,
    "Unauthenticated": 401,
    "Forbidden": 403,
    "NotFound": 404,
    "MethodNotAllowed": 405,
    "TooSlow": 408,
    "TooLarge": 413,
    "NotJSON": 415,
    "TooManyRequests": TOO_MANY,
    "NotOffered": 501,
    "BadUpstream": 502,
    "Busy": UNAVAILABLE,
}


class Refusal(Exception):
    """A request that is answered before anything is done."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name, self.status = name, REFUSALS[name]


def status_of(error: Exception) -> int:
    """Return the status code of an error."""
    if isinstance(error, Refusal):
        return error.status
    if isinstance(error, HTTPException):
        return error.status_code
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


def answer_to(error: Exception) -> Response:
    """Return the answer that tells of an error; what is not foreseen is not told."""
    status = status_of(error)
    name, message = type(error).__name__, str(error)
    if isinstance(error, Refusal):
        name = error.name
    elif isinstance(error, HTTPException):
        name = next((n for n, code in REFUSALS.items() if code == status), "BadRequest")
        message = str(error.detail)
    elif not isinstance(error, WangchuanError | TimeoutError):
        name, message = "InternalError", "something went wrong here; the server's log says what"
    headers = {}
    if status in (UNAVAILABLE, TOO_MANY):
        headers["Retry-After"] = str(RETRY_SECONDS)
    if status == REFUSALS["Unauthenticated"]:
        headers["WWW-Authenticate"] = "Bearer"
    body = json.dumps({"error": {"type": name, "message": message}}, ensure_ascii=False)
    return Response(body.encode("utf-8", "replace"), status, headers, "application/json")
