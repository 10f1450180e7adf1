"""A process that writes pages until it is killed: `python scribbling.py WORK_DIR MODE KILLS SEED`.

It forks one writer after another and kills each (SIGKILL) at a random moment. Every page a writer
writes is long and can be told from half of itself: it begins and ends with the same number. At the
end it prints how many writes were told to have succeeded.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import time
from pathlib import Path

from wangchuan.notebook.compact import CompactPage
from wangchuan.notebook.desk import Desk
from wangchuan.notebook.knowledge import Knowledge
from wangchuan.notebook.places import Places
from wangchuan.notebook.sessions import Session, Sessions
from wangchuan.notebook.task import Task


def page(number: int) -> str:
    return f"{number} " + "这是很长的一页，写到一半是看得出来的。" * 600 + f" {number}"


def is_whole(text: str) -> bool:
    words = text.split()
    return words[0] == words[-1] and text.strip() == page(int(words[0]))


def scribble(work: Path, mode: str, kill: int, pipe: int) -> None:
    places, desk = Places(work, "agent_001"), Desk("agent_001", work.parent / "notebook.lock")
    compact = CompactPage(places, desk)
    knowledge = Knowledge(places.notes, desk, time.time)
    sessions, task = Sessions(places.sessions, desk), Task(places.task_process, desk, time.time)
    desk.tidy(*places.folders())
    for n in range(10**6):
        number = kill * 1000 + n
        if mode == "minimal":
            compact.write(page(number))
        else:
            desk.write(places.world_state, page(number))
            knowledge.write(page(number), reason="x")
            sessions.write(Session(page(number), "done", "20250105_103000", agent="agent_001"))
            task.add(f"todo {number}")
        os.write(pipe, b".")


def writer(work: Path, mode: str, kill: int) -> tuple[int, int]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            scribble(work, mode, kill, writing)
        finally:
            os._exit(1)
    os.close(writing)
    return child, reading


def main(work: Path, mode: str, kills: int, seed: int) -> None:
    chance, written = random.Random(seed), 0
    for kill in range(kills):
        child, reading = writer(work, mode, kill)
        if chance.random() < 0.8:
            select.select([reading], [], [], 10)
        time.sleep(chance.random() * 0.02)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while part := os.read(reading, 65536):
            written += len(part)
        os.close(reading)
    print(written)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
