"""A process that erases, lets another look, remembers and dies: `erasing_then_killed.py ROOT`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from wangchuan import Memory


def main(root: str) -> None:
    memory = Memory.open("a", root=root)
    memory.remember({"role": "user", "content": "A secret of no use.", "id": "secret"}).result(60)
    memory.flush(60)
    memory.erase(message_ids=["secret"])
    look = [sys.executable, "-m", "wangchuan.cli", "stats", "--agent", "a"]
    subprocess.run(look, env={**os.environ, "WANGCHUAN_ROOT": root}, check=True)
    for i in range(20):
        assert memory.remember(f"Said after the erasure, number {i}.").status == "accepted"
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1])
