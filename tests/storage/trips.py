"""Round trips counted where they happen: between a program and its PostgreSQL."""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

NAME = ".s.PGSQL.5432"
STARTING = 1  # of a connection: how it is set up
QUERY = ord("Q")
ASKING = frozenset(b"QSH")  # messages that make a server answer: Query, Sync, Flush


class Trips:
    """How often a server was asked for what it has to say, which is then waited for.

    What it says unasked, because it is much, while more is sent to it, keeps nobody waiting.
    """

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()

    def add(self) -> None:
        with self._lock:
            self.count += 1


class Said:
    """What one connection says to its server, message by message."""

    def __init__(self, trips: Trips) -> None:
        self._trips, self._left, self._bytes, self._fresh = trips, STARTING, b"", True
        self._begun = False

    def hear(self, data: bytes) -> None:
        self._bytes += data
        while len(self._bytes) > 4:
            at = 1 if self._begun else 0  # the first message has no letter
            length = at + int.from_bytes(self._bytes[at : at + 4], "big")
            if len(self._bytes) < length:
                return
            if self._begun:
                self._count(self._bytes[0])
            self._begun, self._bytes = True, self._bytes[length:]

    def _count(self, letter: int) -> None:
        """Count what asks for an answer, once if nothing was said since the last time."""
        if letter not in ASKING:
            self._fresh = True
        elif self._fresh or letter == QUERY:
            self._fresh = False
            self._left -= 1
            if self._left < 0:
                self._trips.add()


@contextmanager
def counted(dsn: str, folder: Path) -> Iterator[tuple[str, Trips]]:
    """Yield another address of a server, and the trips that are made by it."""
    trips, (real,) = Trips(), parse_qs(urlsplit(dsn).query)["host"]
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / NAME))
    listener.listen(64)

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_carry, args=(client, real, trips), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield dsn.replace(real, str(folder)), trips
    finally:
        listener.close()


def _carry(client: socket.socket, real: str, trips: Trips) -> None:
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{real}/{NAME}")
    said = Said(trips)
    with selectors.DefaultSelector() as both, client, server:
        both.register(client, selectors.EVENT_READ, server)
        both.register(server, selectors.EVENT_READ, client)
        while True:
            for key, _ in both.select():
                try:
                    data = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
                    if not data:
                        return
                    if key.fileobj is client:
                        said.hear(data)
                    key.data.sendall(data)
                except OSError:
                    return
