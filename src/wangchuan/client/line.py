"""Requests to a server, and its refusals as our errors."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from wangchuan import errors
from wangchuan.errors import InvalidInput, NotAllowed, QueueFull, StorageError, WangchuanError

IDLE_SECONDS = 2.0  # a server closes what is idle for longer
SECONDS = 60.0  # for an answer that does not wait for something
FAILED = 400
OTHERS: dict[str, type[WangchuanError]] = {  # what only a server refuses
    "Unauthenticated": NotAllowed,
    "Forbidden": NotAllowed,
    "BadRequest": InvalidInput,
    "TooLarge": InvalidInput,
    "NotJSON": InvalidInput,
    "Busy": QueueFull,
    "TooManyRequests": QueueFull,
}


class Line:
    """The connections to one server, one for each thread that asks; no redirect is followed."""

    def __init__(self, url: str, token: str) -> None:
        self._parts = urlsplit(url)
        if self._parts.scheme not in ("http", "https") or not self._parts.hostname:
            raise InvalidInput(f"a server is at http://… or https://…, not at {url!r:.80}")
        self.url, self._token = url.rstrip("/"), token
        self._mine = threading.local()
        self._open: set[http.client.HTTPConnection] = set()

    def send(
        self, verb: str, path: str, body: bytes | None = None, headers: Mapping[str, str] = {}
    ) -> bytes:
        """Return the body of an answer, or raise what it refuses with."""
        with_token = {"Authorization": f"Bearer {self._token}", **headers}
        if body is not None:
            with_token.setdefault("Content-Type", "application/json")
        path = self._parts.path.rstrip("/") + path
        try:
            answer = self._answered(verb, path, body, with_token)
            found = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._drop()
            raise StorageError(f"{self.url} cannot be reached: {error or type(error)}") from error
        if answer.status >= FAILED:
            raise refused(answer.status, found)
        return found

    def _answered(
        self, verb: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> http.client.HTTPResponse:
        """Send a request, once: whether it was done cannot be told where no answer comes.

        So a connection that the server may have closed by now is made anew.
        """
        if time.monotonic() - getattr(self._mine, "used", 0.0) > IDLE_SECONDS:
            self._drop()
        connection = getattr(self._mine, "connection", None)
        if connection is None:
            self._mine.connection = connection = self.connection(SECONDS)
            self._open.add(connection)
        connection.request(verb, path, body, headers)
        answer: http.client.HTTPResponse = connection.getresponse()
        self._mine.used = time.monotonic()
        return answer

    def connection(self, timeout: float | None) -> http.client.HTTPConnection:
        """Return a new connection."""
        place = (str(self._parts.hostname), self._parts.port)
        if self._parts.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(*place, timeout=timeout, context=context)
        return http.client.HTTPConnection(*place, timeout=timeout)

    def listen(self, path: str) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Return an answer that goes on, with its connection. Raises what it refuses with."""
        connection = self.connection(None)
        connection.request("GET", path, headers={"Authorization": f"Bearer {self._token}"})
        answer = connection.getresponse()
        if answer.status >= FAILED:
            told = answer.read()
            connection.close()
            raise refused(answer.status, told)
        return connection, answer

    def _drop(self) -> None:
        connection = getattr(self._mine, "connection", None)
        self._mine.connection = None
        if connection is not None:
            self._open.discard(connection)
            connection.close()

    def close(self) -> None:
        """Close the connections of all threads."""
        for connection in list(self._open):
            connection.close()
        self._open.clear()


def hang_up(connection: http.client.HTTPConnection) -> None:
    """End a connection that another thread reads from."""
    with suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)


def refused(status: int, body: bytes) -> WangchuanError:
    """Return the error that an answer tells of."""
    told: Any = None
    with suppress(ValueError):
        told = json.loads(body)
    error = told.get("error") if isinstance(told, dict) else None
    if not isinstance(error, dict):
        return StorageError(f"the server answered {status}: {body[:200]!r}")
    name, message = str(error.get("type")), str(error.get("message"))
    kind = OTHERS.get(name) or getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, WangchuanError):
        return kind(message)
    return StorageError(f"the server answered {status}: {message}")
