"""A life that is disturbed: `python -m faults.disturbed ROOT COUNT SEED`.

A signal comes again and again, after a random time, and is what Ctrl-C is: an exception between any
two lines of the main thread. The life goes on. It prints its ledger, as JSON.
"""

from __future__ import annotations

import json
import random
import signal
import sys
from pathlib import Path
from typing import Any

from stage import LineModel

from faults.life import SETTINGS, Ledger, Life
from wangchuan import Host

AGENT = "disturbed"
LONGEST = 0.03  # seconds until the next signal


def interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def main(root: Path, count: int, seed: str) -> None:
    (root / "else").mkdir(parents=True)
    ledger, chance = Ledger(), random.Random(seed)
    settings = {**SETTINGS, "durability": "normal"}
    with Host(root, model=LineModel(), settings=settings) as host:
        life = Life(host, AGENT, seed, ledger.tell, root / "else")
        signal.signal(signal.SIGALRM, interrupt)
        left = count
        while left:
            try:
                signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0005, LONGEST))
                while True:
                    life.live()
            except KeyboardInterrupt:
                left -= 1
                if life.memory._closed:  # it came while the memory was being opened again
                    life.memory = host.open(AGENT)
        signal.setitimer(signal.ITIMER_REAL, 0)
    print(json.dumps(ledger.entries))
    exec("")  # Python would exit as interrupted if an interrupt, long caught, came within an exec


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
