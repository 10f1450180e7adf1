"""Listening: one server process, which ends what it began before it stops."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import Callable

import uvicorn

from wangchuan.errors import InvalidInput, StorageError, shown
from wangchuan.host import Host
from wangchuan.operations.rights import EVERYONE, RIGHTS
from wangchuan.server.app import application
from wangchuan.server.connection import Impatient
from wangchuan.server.desk import Desk
from wangchuan.server.gate import Gate
from wangchuan.server.tokens import Tokens
from wangchuan.server.whereabouts import Whereabouts

GRACE_SECONDS = 20  # in which what is under way may end
log = logging.getLogger("wangchuan")


class Server(uvicorn.Server):
    """A server that tells its streams to end when it is told to stop."""

    def __init__(self, desk: Desk, config: uvicorn.Config, told: Callable[[str], None]) -> None:
        super().__init__(config)
        self._desk, self._told = desk, told

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and tell where."""
        await super().startup(sockets)
        if sockets and not self.should_exit:
            host, port = sockets[0].getsockname()[:2]
            self._told(f"http://{f'[{host}]' if ':' in host else host}:{port}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell streams to end, then let everything end."""
        self._desk.stopping.set()
        await super().shutdown(sockets)


def first_token(tokens: Tokens, host: str) -> str | None:
    """Return a token for everything, made where there was none; None if there are some.

    Raises InvalidInput for an address that others can reach, where nobody has a token.
    """
    if any(token.use == "key" for token in tokens.list()):
        return None
    if not _is_loopback(host):
        raise InvalidInput(
            f"{host} can be reached by others, and there is no token yet: make one first"
            " (`wangchuan token add`), or listen at 127.0.0.1"
        )
    return tokens.add([EVERYONE], RIGHTS, name="first")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or raise StorageError saying why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, TypeError, UnicodeError) as error:  # the last two: no name of a host
        why = error.strerror if isinstance(error, OSError) else "it cannot name a host"
        raise StorageError(f"cannot listen at {shown(host)}:{port}: {why}") from error


def configured(gate: Gate) -> uvicorn.Config:
    """Return how the server speaks: HTTP only, with no word about itself."""
    return uvicorn.Config(
        gate,
        http=Impatient,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        lifespan="on",
    )


def serve(host: Host, tokens: Tokens, told: Callable[[str], None]) -> None:
    """Serve the agents of a host until told to stop; `told` is called with the address."""
    gate, desk = application(host, tokens)
    here = Whereabouts(host.settings.root)

    def tell(url: str) -> None:
        here.announce(url)
        told(url)

    with listening(host.settings.server_host, host.settings.server_port) as place, here:
        Server(desk, configured(gate), tell).run(sockets=[place])
