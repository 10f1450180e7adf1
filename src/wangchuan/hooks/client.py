"""The hook itself: run by its path, as `python -I -S client.py PLACE ROOT OPTIONS`, so it may use
nothing but the standard library, and of that as little as it can.

It hands one event over to the resident process, which is started if there is none, and prints its
answer. It has 300 milliseconds, and is silent on any trouble: a memory must not keep anybody from
working. What nobody takes over is left in a folder, for the resident process to find.
"""

from __future__ import annotations

import _socket
import os
import sys
import time

SECONDS = 0.3  # from the beginning to the answer
MOST = 1 << 20  # bytes of an event
ASKING = (  # these want an answer
    *(b'"UserPromptSubmit"', b'"beforeSubmitPrompt"'),
    *(b'"SessionStart"', b'"sessionStart"'),
)


def main(place: str, root: str, options: str) -> None:
    """Hand over what standard input says to the resident process of a place."""
    until = time.monotonic() + SECONDS
    event = sys.stdin.buffer.read(MOST + 1)
    if len(event) > MOST:
        return
    os.makedirs(place + "/left", 0o700, exist_ok=True)
    if os.lstat(place).st_uid != os.getuid():
        return  # somebody else put it there
    line = options.encode() + b"\t" + event.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
    wire = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        wire.settimeout(SECONDS)
        wire.connect(place + "/socket")
    except OSError:
        leave(place, line)
        start(place, root)
        return
    wire.sendall(line)
    if any(name in event for name in ASKING):
        sys.stdout.buffer.write(answer(wire, until))


def answer(wire: _socket.socket, until: float) -> bytes:
    """Return what the resident process answers in time, else nothing."""
    pieces: list[bytes] = []
    while (left := until - time.monotonic()) > 0:
        wire.settimeout(left)
        piece = wire.recv(1 << 16)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
    return b""


def leave(place: str, line: bytes) -> None:
    """Leave an event for the resident process to find: whole, or not at all."""
    name = f"{place}/left/{time.time_ns():020}-{os.getpid()}"
    with open(name + ".part", "wb") as out:
        out.write(line)
    os.rename(name + ".part", name + ".event")


def start(place: str, root: str) -> None:
    """Start the resident process, which stays when the client ends."""
    ways = ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY))
    actions = [(os.POSIX_SPAWN_OPEN, n, os.devnull, way, 0) for n, way in ways]
    call = [sys.executable, "-I", "-m", "wangchuan.hooks.resident", place, root]
    os.posix_spawn(sys.executable, call, os.environ, file_actions=actions, setsid=True)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
        sys.stdout.flush()
    except Exception:
        pass
    os._exit(0)
