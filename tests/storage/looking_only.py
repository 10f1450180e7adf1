"""Looks at an agent's folder that cannot be written, as a user for whom modes hold.

Run as `python looking_only.py ROOT OUT`: prints what each call returned or raised, as JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wangchuan import Host, Memory, WangchuanError
from wangchuan.cli.__main__ import main

OVERRIDE = 1  # the capability by which root writes what modes forbid
VERSION = 0x20080522


def obey_modes() -> None:
    """Give up what lets root write a file that cannot be written."""
    if os.getuid():
        return
    libc, header = ctypes.CDLL(None, use_errno=True), (ctypes.c_uint32 * 2)(VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()
    assert libc.capget(header, sets) == 0
    for place in range(3):
        sets[place] &= ~(1 << OVERRIDE)
    assert libc.capset(header, sets) == 0


def tried(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except WangchuanError as error:
        return f"{type(error).__name__}: {error}"


def look(root: Path, out: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with Memory.open("a", root=root) as memory:
        node = memory.nodes()[0].id
        found["recall"] = memory.recall(["gate"]).result(60)
        found["search"] = [hit.text for hit in memory.search("gate").result(60)]
        found["nodes"] = len(memory.nodes())
        found["messages"] = memory.stats().messages
        found["flush"] = memory.flush(60)
        found["doctor"] = memory.look.faults()
        found["replay"] = list(memory.history.replay().differences)
        memory.export(out / "a.jsonl")
        found["export"] = (out / "a.jsonl").stat().st_size > 0
        found["backup"] = memory.backup(out / "copy").name
        refused = {
            "remember": lambda: memory.remember("The door is red."),
            "forget": lambda: memory.forget(node),
            "erase": lambda: memory.erase(node),
            "facts.add": lambda: memory.facts.add("The door is red."),
            "tick": lambda: memory.tick(60),
        }
        found["refused"] = {name: tried(call) for name, call in refused.items()}
    with Host(root) as host:
        found["refused"]["Host.erase"] = tried(lambda: host.erase("a"))
    return found


def visit(root: Path) -> int:
    """Call the doctor of the command line; return its exit code."""
    sys.argv = ["wangchuan", "doctor", "--agent", "a", "--root", str(root)]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


if __name__ == "__main__":
    obey_modes()
    answers = look(Path(sys.argv[1]), Path(sys.argv[2]))
    print(json.dumps(answers), flush=True)
    raise SystemExit(visit(Path(sys.argv[1])))
