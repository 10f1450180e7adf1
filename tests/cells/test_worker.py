"""A worker does what waits in a cell, whoever accepted it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from stage import PATIENCE
from storage.contract.given import say
from storage.postgres import NONE, binaries

from wangchuan import Host
from wangchuan.cells.worker import Worker
from wangchuan.errors import StorageError
from wangchuan.storage.postgres.backend import PostgresBackend

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)
AGENTS = [f"worked_{n}" for n in range(3)]


def accept(backend: PostgresBackend) -> None:
    for agent in AGENTS:
        with backend.open(agent).write() as tx:
            say(tx, "The gate is green.", "The key is under the pot.")


def pending(backend: PostgresBackend) -> int:
    found = 0
    for agent in AGENTS:
        with backend.open(agent).read() as tx:
            found += tx.jobs.pending()
    return found


def test_a_worker_does_what_waits_and_ends_when_told(cell: str, tmp_path: Path) -> None:
    backend = PostgresBackend(cell, tmp_path)
    accept(backend)
    assert set(AGENTS) <= set(backend.waiting(99))
    with Host(cell) as host:
        worker = Worker(host, threads=2)
        worker.run(idle=lambda: True)
        assert worker.worked.turns >= len(AGENTS)
    assert pending(backend) == 0
    assert not set(AGENTS) & set(backend.waiting(99))


def test_the_agents_of_a_worker_that_was_killed_are_taken_over(cell: str, tmp_path: Path) -> None:
    backend = PostgresBackend(cell, tmp_path)
    accept(backend)
    lease = backend.lease(AGENTS[0])
    dead = f"""
import os
from pathlib import Path
from wangchuan.storage.postgres.backend import PostgresBackend
assert PostgresBackend({cell!r}, Path()).lease({AGENTS[0]!r}).take()
os.kill(os.getpid(), {signal.SIGKILL})
"""
    assert subprocess.run([sys.executable, "-c", dead], check=False).returncode == -signal.SIGKILL
    assert not lease.take()  # nobody knows yet that its holder is gone
    with Host(cell) as host:
        worker, until = Worker(host, threads=2), time.monotonic() + PATIENCE
        worker.run(idle=lambda: pending(backend) == 0 or time.monotonic() > until)
    assert pending(backend) == 0
    assert lease.take()
    lease.give()


def test_workers_are_for_stores(tmp_path: Path) -> None:
    with Host(tmp_path) as host, pytest.raises(StorageError, match="workers are for agents in a"):
        Worker(host)


def test_the_command_makes_a_cell_tells_of_it_and_works_for_it(
    database: str, tmp_path: Path
) -> None:
    environment = {**os.environ, "WANGCHUAN_STORE": database, "XDG_CONFIG_HOME": str(tmp_path)}

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "wangchuan.cli", *words]
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "format" in run("cell", "init", "--partitions", "2")
    run("remember", "The spare key is under the blue pot.", "--agent", "told")
    assert "blue pot" in run("search", "spare key", "--agent", "told")
    assert '"agents"' in run("cell", "status", "--json")
    run("work", "--once")
    assert "told" in run("agents")
    run("backup", str(tmp_path / "copies"), "--agent", "told")
    assert (tmp_path / "copies" / "told" / "memory.db").is_file()
    assert "rows" in run("erase", "--all", "--yes", "--agent", "told")
    assert not (tmp_path / "memory_data").exists()
