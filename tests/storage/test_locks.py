"""The locks of a process on its databases: nothing it does may drop them.

POSIX drops every lock of a process on a file as soon as the process closes any descriptor of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from calls import CALLS, PATIENCE, Stage, unlisted

from wangchuan import Host, Memory

pytestmark = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="needs /proc/locks")
RESTARTED = Path(__file__).with_name("erasing_then_killed.py")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("locks")
    settings = {"work_dir": folder, "durability": "normal"}
    with Host(folder / "data", settings=settings) as host, host.open("a") as memory:
        stage = Stage(memory, host, folder)
        stage.node()
        yield stage


def locked(folder: Path) -> set[str]:
    """Which of a database's files this process has locks on."""
    names = {path.stat().st_ino: path.name for path in folder.glob("memory.db*")}
    held = (line.split() for line in Path("/proc/locks").read_text().splitlines())
    mine = [one for one in held if one[1] == "POSIX" and int(one[4]) == os.getpid()]
    return {names[n] for one in mine if (n := int(one[5].split(":")[2])) in names}


def test_every_public_call_is_listed() -> None:
    assert unlisted() == set()


def test_an_erasure_looks_into_links_and_backups_without_dropping_locks(tmp_path: Path) -> None:
    settings = {"durability": "normal"}
    with Memory.open("a", root=tmp_path, settings=settings) as memory:
        memory.remember("The gate is green.").result(PATIENCE)
        (memory.path / "x").symlink_to("memory.db")
        os.link(memory.path / "memory.db", memory.path / "y")
        memory.backup(memory.path / "backups")
        with Memory.open("a", root=memory.path / "backups", settings=settings) as other:
            other.stats()
            erased = memory.erase(memory.nodes()[0].id)
            assert locked(memory.path) == locked(other.path) == {"memory.db", "memory.db-shm"}
        assert erased.remains  # the backup still says it


@pytest.mark.parametrize("name", CALLS)
def test_no_call_drops_the_locks_on_the_database(stage: Stage, name: str) -> None:
    stage.memory.stats()
    assert locked(stage.memory.path) == {"memory.db", "memory.db-shm"}
    CALLS[name](stage)
    assert locked(stage.memory.path) == {"memory.db", "memory.db-shm"}


def test_what_is_accepted_after_an_erasure_outlives_another_process_and_a_kill(
    tmp_path: Path,
) -> None:
    writer = [sys.executable, str(RESTARTED), str(tmp_path)]
    done = subprocess.run(writer, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == -9, done.stderr
    with Memory.open("a", root=tmp_path) as memory:
        assert memory.stats().messages == 21  # with the shell of the one that was erased
        assert memory.flush(PATIENCE)
        with memory._agent.store() as store:
            assert store.check() == []
