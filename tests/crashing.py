"""A process that remembers until it is killed: `python crashing.py ROOT KILLS SEED`.

It keeps the library loaded and forks one writer after another; each tells through a pipe what was
accepted, and is killed (SIGKILL) at a random moment. Writers also forget and restore, so that
death comes in every kind of transaction. At the end it prints, as JSON, what was accepted.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time

from wangchuan import Memory

SETTINGS = {"decay_rate": 0.9, "focus_limit": 3, "workers": 1}


def write_until_killed(root: str, kill: int, pipe: int) -> None:
    memory = Memory.open("crash", root=root, settings=SETTINGS)
    chance = random.Random(kill)
    for i in range(10**6):
        word = f"k{kill}x{i}"
        text = f"关于{word}的第一件事已经记下。Then came {word} again, to be sure."
        if memory.remember({"role": "user", "content": text, "id": word}).status == "accepted":
            os.write(pipe, f"{word}\n".encode())
        alive = memory.nodes()
        if chance.random() < 0.3 and len(alive) > 3:
            memory.forget(alive[0].id)
        gone = memory.forgotten(limit=3)
        if chance.random() < 0.3 and gone:
            memory.restore(gone[-1].node.id)


def writer(root: str, kill: int) -> tuple[int, int]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            write_until_killed(root, kill, writing)
        finally:
            os._exit(1)
    os.close(writing)
    return child, reading


def said(reading: int) -> list[str]:
    text = b""
    while part := os.read(reading, 65536):
        text += part
    os.close(reading)
    return text.decode().split()  # a line is written whole or not at all


def main(root: str, kills: int, seed: int) -> None:
    chance, accepted = random.Random(seed), []
    for kill in range(kills):
        child, reading = writer(root, kill)
        if chance.random() < 0.8:
            select.select([reading], [], [], 10)  # until something was accepted
        time.sleep(chance.random() * 0.03)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        accepted += said(reading)
    print(json.dumps(accepted))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
