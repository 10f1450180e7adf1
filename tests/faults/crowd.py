"""One of many processes on one memory: `python -m faults.crowd ROOT NAME WRITES LEDGER`.

It goes on until so many messages of its own were accepted, reading, forgetting and erasing
meanwhile, and writes its ledger to a file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import ClassVar

from stage import LineModel

from faults.life import SETTINGS, Ledger, Life
from wangchuan import Host, StorageError

AGENT = "crowd"


class Neighbour(Life):
    """Mostly says something: erasing and exporting go through the whole memory."""

    weights: ClassVar = {"remember": 900, "ask": 60, "look": 40, "forget": 20, "restore": 15,
                         "undo": 8, "state": 10, "export": 1, "erase": 4, "reopen": 4}  # fmt: skip


def main(root: Path, name: str, writes: int, place: Path) -> None:
    ledger, said = Ledger(), 0
    settings = {**SETTINGS, "durability": "normal", "workers": 1}
    with Host(root, model=LineModel(), settings=settings) as host:
        life = Neighbour(host, AGENT, name, ledger.tell, place.parent)
        while said < writes:
            before = len(ledger.entries)
            try:
                life.live()
            except StorageError as error:  # others were reading: it says so, and is made up for
                if "being read by another program" not in str(error):
                    raise
            said += ("done", "said") in {entry[:2] for entry in ledger.entries[before:]}
    place.write_text(json.dumps(ledger.entries), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
