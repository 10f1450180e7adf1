"""The resident process: memories held open, for hooks that have no time to open them.

It listens on a socket in a folder of the user's own, answers each event, and does the rest after
the answer. What hooks left while there was nobody to listen is taken up, oldest first. There is one
for a folder, and it ends when nothing has happened for a while.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from wangchuan.hooks.events import Event, Events
from wangchuan.memory import Memory
from wangchuan.storage.locks import Busy, FileLock

log = logging.getLogger("wangchuan.hooks")

IDLE_SECONDS = 1800.0
LOOK_SECONDS = 0.5  # how often it is looked for what was left
READ_SECONDS = 2.0
MOST = 2 << 20  # bytes of an event


class Resident:
    """Answers the hooks of one place: the folder of the socket, and the root of the agents."""

    def __init__(self, place: Path, root: Path, idle: float = IDLE_SECONDS) -> None:
        self._place, self._root, self._idle = place, root, idle
        self._stack, self._lock = ExitStack(), threading.Lock()
        self._memories: dict[str, Memory] = {}
        self._events = Events(self._opened, time.time)
        self._last = time.monotonic()

    def _opened(self, agent: str, event: Event) -> Memory:
        with self._lock:
            if agent not in self._memories:
                pages = event.get("cwd")
                memory = Memory.open(agent, root=self._root, work_dir=pages)
                self._memories[agent] = self._stack.enter_context(memory)
            return self._memories[agent]

    def serve(self) -> None:
        """Serve until nothing has happened for a while."""
        with self._stack, socket.socket(socket.AF_UNIX) as listening:
            path = self._place / "socket"
            path.unlink(missing_ok=True)
            listening.bind(str(path))
            path.chmod(0o600)
            listening.listen(64)
            listening.settimeout(LOOK_SECONDS)
            try:
                while time.monotonic() - self._last < self._idle:
                    self._take_up()
                    with suppress(TimeoutError):
                        wire, _ = listening.accept()
                        threading.Thread(target=self._converse, args=(wire,), daemon=True).start()
            finally:
                path.unlink(missing_ok=True)

    def _converse(self, wire: socket.socket) -> None:
        """Answer one hook, then do what is left to do."""
        with wire:
            try:
                wire.settimeout(READ_SECONDS)
                line = _line(wire)
                answer, rest = self._heard(line)
                with suppress(OSError):  # it has gone: it does not wait for ever
                    wire.sendall(_told(answer))
                    wire.shutdown(socket.SHUT_RDWR)
                rest()
            except Exception:  # the outer frame of a thread
                log.warning("a hook could not be answered", exc_info=True)

    def _heard(self, line: bytes) -> tuple[Mapping[str, Any], Any]:
        self._last = time.monotonic()
        options, _, event = line.partition(b"\t")
        return self._events.heard(json.loads(event), json.loads(options or b"{}"))

    def _take_up(self) -> None:
        """Take up what hooks left while nobody listened."""
        for path in sorted((self._place / "left").glob("*.event")):
            try:
                _, rest = self._heard(path.read_bytes())
                rest()
            except Exception:
                log.warning("an event that was left could not be used", exc_info=True)
            path.unlink(missing_ok=True)


def _line(wire: socket.socket) -> bytes:
    data = bytearray()
    while not data.endswith(b"\n") and len(data) < MOST:
        piece = wire.recv(1 << 16)
        if not piece:
            break
        data += piece
    return bytes(data)


def _told(answer: Mapping[str, Any]) -> bytes:
    return json.dumps(answer, ensure_ascii=False).encode() if answer else b""


def main() -> None:
    """Be the resident process of a place, unless there is one."""
    place, root = map(Path, sys.argv[1:3])
    os.chdir(place)
    logging.basicConfig(filename=place / "log", level=logging.WARNING)
    try:
        with FileLock(place / "resident.lock", 0.0, of_thread=False):
            (place / "pid").write_text(str(os.getpid()), "ascii")
            Resident(place, root).serve()
    except Busy:
        return


if __name__ == "__main__":
    main()
