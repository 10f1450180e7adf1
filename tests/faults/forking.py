"""A life that forks: `python -m faults.forking ROOT COUNT SEED`.

Between any two of its calls, while its workers are busy, a child is forked. The child is refused
the memory it inherited, opens its own, says something, and ends: properly, at once, or killed. The
life goes on meanwhile. It prints the ledger of all of them, as JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from pathlib import Path

from stage import PATIENCE, LineModel

from faults.life import SETTINGS, Ledger, Life, text_of
from wangchuan import Closed, Host, Memory

AGENT = "disturbed"
MOST_CALLS = 6  # of the life, between two forks


def be_born(root: Path, inherited: Memory, word: str, pipe: int, end: str) -> None:
    try:
        inherited.stats()
    except Closed:
        pass
    else:
        raise AssertionError("a child reads what it inherited")
    host = Host(root, model=LineModel(), settings=SETTINGS)
    memory = host.open(AGENT)
    os.write(pipe, b"b")
    memory.remember({"role": "user", "content": text_of(word), "id": word})
    os.write(pipe, b"d")
    if end == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if end == "properly":
        memory.flush(PATIENCE)
        host.close()


def fork(root: Path, life: Life, word: str, end: str) -> tuple[int, int, str]:
    """Fork a child that says a word; return its id, the end of its pipe, and the word."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            be_born(root, life.memory, word, writing, end)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    return child, reading, word


def bury(children: list[tuple[int, int, str]], ledger: Ledger) -> None:
    """Wait for children, and note what they said."""
    for child, reading, word in children:
        _, status = os.waitpid(child, 0)
        if status not in (0, signal.SIGKILL):
            sys.exit(f"{word}: a child ended with status {status}")
        for when in os.read(reading, 2).decode():
            ledger.tell({"b": "begin", "d": "done"}[when], "said", word)
        os.close(reading)
    children.clear()


def main(root: Path, count: int, seed: str) -> None:
    (root / "else").mkdir(parents=True)
    ledger, chance = Ledger(), random.Random(seed)
    children: list[tuple[int, int, str]] = []
    with Host(root, model=LineModel(), settings={**SETTINGS, "durability": "normal"}) as host:
        life = Life(host, AGENT, seed, ledger.tell, root / "else")
        for n in range(count):
            signal.alarm(PATIENCE)
            for _ in range(chance.randrange(MOST_CALLS)):
                life.live()
            end = chance.choice(("properly", "at once", "killed"))
            children.append(fork(root, life, f"{seed}child{n}", end))
            if len(children) > chance.randrange(3):
                bury(children, ledger)
        bury(children, ledger)
    print(json.dumps(ledger.entries))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
