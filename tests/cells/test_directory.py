"""Several cells are one store: agents are found where they are, also while they move."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from cells.test_moving import Died, before_the_erasure, before_the_import, given, told
from stage import PATIENCE
from storage.contract.given import say
from storage.postgres import NONE, binaries

from wangchuan import Host
from wangchuan.cells import care, moving
from wangchuan.cells.worker import Worker
from wangchuan.errors import InvalidInput, Unreachable
from wangchuan.storage.postgres.backend import PostgresBackend
from wangchuan.storage.postgres.directory import Directory

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)


@pytest.fixture
def cells(cell: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    file = tmp_path / "cells.toml"
    file.write_text(f'new = "one"\n[cells]\none = "{cell}"\ntwo = "{other}"\n', "utf-8")
    monkeypatch.setenv("WANGCHUAN_STORE", str(file))
    return str(file)


def test_an_agent_is_found_in_whatever_cell_it_is(cells: str, cell: str, other: str) -> None:
    given(other, "elsewhere")
    given(cells, "made_new")
    with Host(cells) as host:
        assert {"elsewhere", "made_new"} <= set(host.agents())
    with Host(cell) as one, Host(other) as two:
        assert (one.has("made_new"), two.has("made_new")) == (True, False)
        assert (one.has("elsewhere"), two.has("elsewhere")) == (False, True)
    assert told(cells, "elsewhere") == told(other, "elsewhere")


def test_who_has_an_agent_open_goes_on_in_the_other_cell(cells: str, other: str) -> None:
    given(cells, "moves")
    with Host(cells) as host, host.open("moves") as memory:
        assert memory.flush(PATIENCE)
        moving.move("moves", care.address(None, "moves"), care.address("two"))
        assert memory.remember("Said after the move.").status == "accepted"
        assert memory.flush(PATIENCE)
        assert "after the move" in memory.search("said after the move").result(PATIENCE)[0].text
    assert b"Said after the move" in told(other, "moves")
    moving.move("moves", care.address(None, "moves"), care.address("one"))
    assert b"Said after the move" in told(cells, "moves")
    with Host(other) as two:
        assert not two.has("moves")


@pytest.mark.parametrize("when", [before_the_import, before_the_erasure])
def test_whoever_writes_while_an_agent_is_moved_waits_and_loses_nothing(
    when: Callable[[pytest.MonkeyPatch], None], cells: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = f"waits_{when.__name__}"
    given(cells, agent)
    with Host(cells) as host, host.open(agent) as memory:
        with monkeypatch.context() as patch:
            when(patch)
            with pytest.raises(Died):
                moving.move(agent, care.address("one"), care.address("two"))
        waiting = threading.Thread(target=lambda: memory.remember("Said while it moved."))
        waiting.start()
        assert "green" in memory.recall(["gate"], depth=20).result(PATIENCE)
        moving.move(agent, care.address("one"), care.address("two"))
        waiting.join(PATIENCE)
        assert memory.flush(PATIENCE)
        said = [m.content for m in memory.look.messages()]
    assert said == ["The gate is green.", "钥匙在蓝色花盆下面。", "Said while it moved."]


def test_what_is_erased_leaves_its_name_in_no_cell(cells: str, cell: str, other: str) -> None:
    given(cells, "erased")
    moving.move("erased", care.address("one"), care.address("two"))
    with Host(cells) as host:
        host.erase("erased")
        assert not host.has("erased")
        with host.open("erased") as memory:  # as new as any
            assert memory.stats().messages == 0
            assert memory.flush(PATIENCE)


def test_a_moved_agent_that_another_program_erased_can_be_made_anew(cells: str, other: str) -> None:
    given(cells, "anew")
    moving.move("anew", care.address("one"), care.address("two"))
    with Host(other) as two:
        two.erase("anew")
    with Host(cells) as host, host.open("anew") as memory:
        assert memory.remember("Hello again.").status == "accepted"
        assert memory.flush(PATIENCE)


def test_a_worker_serves_all_cells(cells: str, cell: str, other: str) -> None:
    for dsn, agent in ((cell, "worked_one"), (other, "worked_two")):
        with Host(dsn, settings={"durability": "normal"}) as host, host.open(agent) as memory:
            memory.remember(f"For {agent}.")
    with Host(cells) as host:
        worker, until = Worker(host, threads=2), time.monotonic() + PATIENCE
        served = threading.Thread(target=worker.run)
        served.start()  # whatever other tests have left in these cells waits for it, too
        while (left := _waiting(cell) | _waiting(other)) and time.monotonic() < until:
            time.sleep(0.05)
        worker.stop()
        served.join(PATIENCE)
        assert left == set()


def _waiting(dsn: str) -> set[str]:
    """Return which of the worked agents wait in a cell."""
    with psycopg.connect(dsn) as looking:
        rows = looking.execute("SELECT name FROM wangchuan.agents WHERE pending > 0 AND NOT moved")
        return {name for (name,) in rows} & {"worked_one", "worked_two"}


@pytest.mark.parametrize("text", ["", "new = 'x'\n[cells]\na = 'b'", "[cells]\na = 1", "cells = ["])
def test_a_file_that_names_no_cells_is_refused_with_what_it_should_say(
    text: str, tmp_path: Path
) -> None:
    file = tmp_path / "cells.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match=r"a table \[cells\]"):
        Host(str(file))


def test_several_cells_are_reached_while_one_of_them_is(
    cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, away = tmp_path / "cells.toml", "postgresql://wangchuan@/postgres?host=/no/such/place"
    file.write_text(f'[cells]\none = "{away}"\ntwo = "{cell}"\n', "utf-8")
    directory = Directory(file, tmp_path)
    directory.reach()
    asked: list[str] = []
    with monkeypatch.context() as patched:  # the one that answered is asked first
        patched.setattr(PostgresBackend, "reach", lambda cell: asked.append(cell.dsn))
        directory.reach()
    assert asked == [cell]
    file.write_text(f'[cells]\none = "{away}"\ntwo = "{away}"\n', "utf-8")
    with pytest.raises(Unreachable, match="No such file or directory"):
        Directory(file, tmp_path).reach()


def test_the_jobs_that_wait_are_those_of_all_cells(
    cells: str, cell: str, other: str, tmp_path: Path
) -> None:
    directory = Directory(Path(cells), tmp_path)
    before = directory.waiting_jobs()
    for n, dsn in enumerate((cell, other), 1):
        with PostgresBackend(dsn, tmp_path).open("waits").write() as tx:
            for _ in range(n):
                say(tx, "The gate is green.")
    assert directory.waiting_jobs() == before + 3
    for dsn in (cell, other):
        PostgresBackend(dsn, tmp_path).erase("waits")
    assert directory.waiting_jobs() == before
