"""Lives that are killed: `python -m faults.dying ROOT KILLS SEED` (with the tests on the path).

It keeps the library loaded and forks one life after another; each tells through a pipe what it
begins and what was done, and dies (SIGKILL): half of them at a random moment, by our hand, the
others by their own, at a random call to the disk. At the end it prints the ledger, as JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from stage import LineModel

from faults.disk import Disk
from faults.life import SETTINGS, Life
from wangchuan import Host

AGENT = "dying"
MOST_CALLS = 1500  # to the disk, that a life makes before it dies by its own hand
MOST_TOLD = 40  # lines, that it tells before it dies by ours
LONGEST = 0.01  # seconds, that it lives on then


def live_until_killed(root: Path, name: str, pipe: int, calls: int | None) -> None:
    def tell(when: str, what: str, of: str) -> None:
        os.write(pipe, f"{json.dumps([when, what, of])}\n".encode())

    disk = Disk()  # without real syncs: a kill takes nothing from what the system was given

    def count(*_: str) -> None:
        if calls is not None and disk.calls >= calls:
            os.kill(os.getpid(), signal.SIGKILL)

    disk.before = count
    life = Life(Host(root, model=LineModel(), settings=SETTINGS), AGENT, name, tell, root / "else")
    for _ in range(10**6):
        life.live()


def begin(root: Path, name: str, calls: int | None) -> tuple[int, int]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            live_until_killed(root, name, writing, calls)
        finally:
            os._exit(1)
    os.close(writing)
    return child, reading


def told(reading: int, lines: int | None = None) -> bytes:
    """Return what a life tells: the next so many lines, or all until it is dead."""
    text = b""
    while lines is None or text.count(b"\n") < lines:
        part = os.read(reading, 65536)
        if not part:
            break
        text += part
    return text


def die(root: Path, kill: int, name: str, chance: random.Random) -> bytes:
    """Let a life begin and end; return what it told. Raises if it ended by itself."""
    calls = chance.randrange(MOST_CALLS) if kill % 2 else None
    child, reading = begin(root, name, calls)
    text = b""
    if calls is None:
        text = told(reading, chance.randrange(MOST_TOLD))
        time.sleep(chance.random() * LONGEST)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    text += told(reading)
    os.close(reading)
    if not os.WIFSIGNALED(status):
        sys.exit(f"{name} ended by itself, with status {status}")
    return text


def warm_up() -> None:
    """Load what is loaded at first use, so that every life need not."""
    with TemporaryDirectory() as place, Host(place, model=LineModel()) as host:
        life = Life(host, AGENT, "warm", lambda *_: None, Path(place))
        for _ in range(100):
            life.live()


def main(root: Path, kills: int, seed: str) -> None:
    chance = random.Random(seed)
    (root / "else").mkdir(parents=True)
    warm_up()
    text = b"".join(die(root, kill, f"{seed}k{kill}", chance) for kill in range(kills))
    print(json.dumps([json.loads(line) for line in text.splitlines()]))  # each written whole


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
