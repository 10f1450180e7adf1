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
STARTING = 3  # of a connection: its start-up, and how it is set up


class Trips:
    """How often anything was said to the server after it had answered."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()

    def add(self) -> None:
        with self._lock:
            self.count += 1


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
    answered, left = True, STARTING
    with selectors.DefaultSelector() as both, client, server:
        both.register(client, selectors.EVENT_READ, server)
        both.register(server, selectors.EVENT_READ, client)
        while True:
            for key, _ in both.select():
                try:
                    data = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
                    if not data:
                        return
                    key.data.sendall(data)
                except OSError:
                    return
                if key.fileobj is client and answered:
                    left -= 1
                    if left < 0:
                        trips.add()
                answered = key.fileobj is server
