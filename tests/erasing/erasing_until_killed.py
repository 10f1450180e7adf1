"""A process that dies while it erases: `python erasing_until_killed.py ROOT PLACE COUNT`.

PLACE names a function on the way of an erasure; the process kills itself (SIGKILL) when that is
entered for the COUNT-th time.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from typing import Any

import wangchuan.erasing.erasure
from wangchuan import Memory

SECRET = "The zanzibarquux password, part {}, is hunter2hunter2."


def die_at(place: str, count: int) -> None:
    module, _, name = place.rpartition(":")
    *owners, last = name.split(".")
    owner: Any = import_module(module)
    for part in owners:
        owner = getattr(owner, part)
    real, left = getattr(owner, last), [count]

    def dying(*args: Any, **more: Any) -> Any:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **more)

    setattr(owner, last, dying)


def main(root: str, place: str, count: int) -> None:
    wangchuan.erasing.erasure.CHUNK = 2
    memory = Memory.open("a", root=root, settings={"learn": False})
    for n in range(6):
        memory.remember({"role": "user", "content": SECRET.format(n), "id": f"secret{n}"})
        memory.remember({"role": "user", "content": f"Part {n} of the garden.", "id": f"keep{n}"})
    assert memory.flush(600)
    die_at(place, count)
    memory.erase(message_ids=[f"secret{n}" for n in range(6)])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
