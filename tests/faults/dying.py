"""Lives that are killed: `python -m faults.dying PLACE KILLS BATCH SEED` (with the tests on the
path).

It keeps the library loaded and forks one life after another; each tells through a pipe what it
begins and what was done, and dies (SIGKILL): half of them at a random moment, by our hand, the
others by their own, at a random call to the disk. After so many kills of one memory it prints the
folder and the ledger, a line of JSON, and goes on with another memory.
"""

from __future__ import annotations

import gc
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
from wangchuan import Host, Settings

AGENT = "dying"
LOADED = Settings(**SETTINGS)
MOST_CALLS = 600  # to the disk, that a life makes before it dies by its own hand
MOST_TOLD = 16  # lines, that it tells before it dies by ours
LONGEST = 0.01  # seconds, that it lives on then
HANG = 120  # seconds, after which a life that does not end ends us


def live_until_killed(root: Path, name: str, pipe: int, calls: int | None) -> None:
    def tell(when: str, what: str, of: str) -> None:
        os.write(pipe, f"{json.dumps([when, what, of])}\n".encode())

    if calls is not None:
        disk = Disk()

        def count(*_: str) -> None:
            if disk.calls >= calls:
                os.kill(os.getpid(), signal.SIGKILL)

        disk.before = count
    life = Life(Host(root, model=LineModel(), settings=LOADED), AGENT, name, tell, root / "else")
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
    signal.alarm(HANG)
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


def main(place: Path, kills: int, batch: int, seed: str) -> None:
    warm_up()
    gc.freeze()  # what is loaded is not looked through, and so not copied, in every life
    for first in range(0, kills, batch):
        root, chance = place / str(first), random.Random(f"{seed}b{first}")
        (root / "else").mkdir(parents=True)
        names = [f"{seed}k{kill}" for kill in range(first, min(first + batch, kills))]
        text = b"".join(die(root, kill, name, chance) for kill, name in enumerate(names))
        ledger = [json.loads(line) for line in text.splitlines()]  # each was written whole
        print(json.dumps([str(root), len(names), ledger]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
