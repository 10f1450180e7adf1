"""A server in this process, on a port of its own, and a plain client of the standard library."""

from __future__ import annotations

import http.client
import json
import threading
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from stage import PATIENCE, FakeClock, LineModel

from wangchuan import Host
from wangchuan.operations.rights import EVERYONE, RIGHTS
from wangchuan.server.app import application
from wangchuan.server.serving import Server, configured, listening
from wangchuan.server.tokens import Tokens


class Answered:
    """What came back."""

    def __init__(self, status: int, headers: Any, body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return str(self.json["error"]["type"])


def opened(gate: Any, token: str) -> Any:
    """Let those in who cannot be given a token, as suites of tests that others made."""

    async def door(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            named = (b"authorization", f"Bearer {token}".encode())
            scope = scope | {"headers": [*scope["headers"], named]}
        await gate(scope, receive, send)

    return door


class Served:
    """A server; `owner` is a token for everything. `open_door` asks nobody for a token."""

    def __init__(
        self,
        root: Path | str,
        model: Any = None,
        clock: FakeClock | None = None,
        *,
        open_door: bool = False,
        **settings: Any,
    ) -> None:
        self.clock = clock or FakeClock()
        values = {"server_port": 0, "durability": "normal", "learn": False, **settings}
        self.host = Host(root, settings=values, model=model or LineModel(), clock=clock)
        self.tokens = Tokens(self.host.settings.root, self.clock)
        self.owner = self.tokens.add([EVERYONE], RIGHTS, name="owner")
        self.gate, self.desk = application(self.host, self.tokens)
        self._socket = listening("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._up = threading.Event()
        door = opened(self.gate, self.owner) if open_door else self.gate
        self.server = Server(self.desk, configured(door), lambda _: self._up.set())
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._up.wait(PATIENCE)

    def _run(self) -> None:
        with self._socket:
            self.server.run(sockets=[self._socket])

    def token(self, *agents: str, rights: str = "read,write", **more: Any) -> str:
        return self.tokens.add(agents or [EVERYONE], rights.split(","), **more)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = "",
        headers: dict[str, str] | None = None,
    ) -> Answered:
        """Send a request; a body that is no bytes is sent as JSON."""
        sent = dict(headers or {})
        if token is not None:
            sent.setdefault("Authorization", f"Bearer {token or self.owner}")
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        place = urlsplit(self.url).netloc
        with closing(http.client.HTTPConnection(place, timeout=PATIENCE)) as line:
            line.request(method, path, body, sent)
            answer = line.getresponse()
            return Answered(answer.status, answer.headers, answer.read())

    def get(self, path: str, **more: Any) -> Answered:
        return self.ask("GET", f"/v1/agents/{path}", **more)

    def post(self, path: str, body: Any = None, **more: Any) -> Answered:
        return self.ask("POST", f"/v1/agents/{path}", {} if body is None else body, **more)

    def told(self, agent: str, text: Any, **more: Any) -> list[str]:
        """Remember something and return the ids of what was made of it."""
        receipt = self.post(f"{agent}/remember", {"messages": text}, **more).json
        job = self.get(f"{agent}/jobs/{receipt['id']}?timeout=30").json
        assert job["state"] == "done"
        return list(job["nodes"])

    def close(self) -> None:
        self.server.should_exit = True
        self._thread.join(PATIENCE)
        self.host.close()


__all__ = ["Answered", "Served", "uvicorn"]
