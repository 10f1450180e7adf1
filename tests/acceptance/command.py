"""The real command, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


def wangchuan(
    cwd: Path, *args: str, stdin: str | bytes = "", env: dict[str, str] | None = None
) -> Done:
    """Run `wangchuan` in a folder, with none of our own environment's settings."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("WANGCHUAN", "COLUMNS"))}
    done = subprocess.run(
        [sys.executable, "-m", "wangchuan.cli", *args],
        cwd=cwd,
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**inherited, **(env or {})},
        timeout=60,
        check=False,
    )
    return Done(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def together(run: Run, calls: Iterable[tuple[str, ...]]) -> list[Done]:
    """Run several commands that do not disturb each other; most of their time is starting up."""
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda args: run(*args), calls))


def document(done: Done) -> Any:
    """Return the one JSON document on stdout."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Demo:
    """A demo that was run once; `run` asks about what it left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        began = time.monotonic()
        self.done = wangchuan(folder, "demo", env={"LC_ALL": "C.UTF-8"})
        self.seconds = time.monotonic() - began
        self.root = folder / "wangchuan-demo"

    def run(self, *args: str, **options: Any) -> Done:
        """Run a command on the demo's data."""
        return wangchuan(self.folder, *args, "--root", str(self.root), **options)
