"""The real command, in a process of its own: one that is forked, or one that starts cold."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import Any

from acceptance.warm import ROOM
from stage import ON_PATH, PATIENCE

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


class Warm:
    """A process that has loaded everything, and forks a command for each request."""

    def __init__(self) -> None:
        self.ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            program = [sys.executable, "-m", "acceptance.warm", str(theirs.fileno())]
            self.process = subprocess.Popen(
                program,
                env={**os.environ, **ON_PATH},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )

    def run(self, request: bytes, files: list[int]) -> int:
        """Run a command and return its exit code."""
        reading, writing = os.pipe()
        try:
            try:
                socket.send_fds(self.ours, [request], [*files, writing])
            finally:
                os.close(writing)
            ready, _, _ = select.select([reading], [], [], PATIENCE)
            if not ready:
                raise subprocess.TimeoutExpired(request.decode(), PATIENCE)
            return int(os.read(reading, 100))
        finally:
            os.close(reading)

    def close(self) -> None:
        """End it and whatever command still runs."""
        self.ours.close()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


_STARTING = Lock()


@cache
def _warm() -> Warm:
    found = Warm()
    atexit.register(found.close)
    return found


def warm() -> Warm:
    """The one of this process, ended with it."""
    with _STARTING:  # several threads may be the first
        return _warm()


def wangchuan(
    cwd: Path, *args: str, stdin: str | bytes = "", env: dict[str, str] | None = None
) -> Done:
    """Run `wangchuan` in a folder, with none of our own environment's settings."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("WANGCHUAN", "COLUMNS"))}
    env = env or {}
    request = json.dumps({"cwd": str(cwd), "args": args, "env": {**inherited, **env}}).encode()
    cold = len(request) > ROOM or any(k.startswith(("PYTHON", "LC_", "LANG")) for k in env)
    program = [sys.executable, "-m", "wangchuan.cli", *args]
    with TemporaryFile() as given, TemporaryFile() as told, TemporaryFile() as complained:
        given.write(stdin.encode() if isinstance(stdin, str) else stdin)
        given.seek(0)
        if cold:
            code = subprocess.run(
                program,
                cwd=cwd,
                stdin=given,
                stdout=told,
                stderr=complained,
                env={**inherited, **env},
                timeout=PATIENCE,
                check=False,
            ).returncode
        else:
            code = warm().run(request, [file.fileno() for file in (given, told, complained)])
        texts = [(file.seek(0), file.read().decode())[1] for file in (told, complained)]
    return Done(program, code, *texts)


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
        began = os.times()
        self.done = wangchuan(folder, "demo", env={"LC_ALL": "C.UTF-8"})
        self.seconds = os.times().children_user - began.children_user  # of the processor
        self.root = folder / "wangchuan-demo"

    def run(self, *args: str, **options: Any) -> Done:
        """Run a command on the demo's data."""
        return wangchuan(self.folder, *args, "--root", str(self.root), **options)
