"""An agent moves from cell to cell, and is whole in one of them whoever dies on the way."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stage import PATIENCE
from storage.postgres import NONE, binaries

from wangchuan import Host
from wangchuan.cells import moving
from wangchuan.errors import InvalidInput, NotFound, Unreachable
from wangchuan.storage import patience
from wangchuan.storage.postgres.backend import PostgresBackend

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)


def told(dsn: str, agent: str) -> bytes:
    out = io.BytesIO()
    with Host(dsn, adopt=False) as host, host.open(agent) as memory:
        memory.export(out)
    return out.getvalue()


def given(dsn: str, agent: str) -> bytes:
    with Host(dsn) as host, host.open(agent) as memory:
        for text in ("The gate is green.", "钥匙在蓝色花盆下面。"):
            memory.remember(text)
        assert memory.flush(PATIENCE)
    return told(dsn, agent)


class Died(Exception):
    pass


def dying(*_: Any, **__: Any) -> Any:
    raise Died


def before_the_import(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Host, "import_", dying)


def before_the_erasure(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PostgresBackend, "send_away", dying)


@pytest.mark.parametrize("when", [before_the_import, before_the_erasure])
def test_a_move_that_died_goes_on_when_it_is_run_again(
    when: Callable[[pytest.MonkeyPatch], None],
    cell: str,
    other: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = when.__name__
    whole = given(cell, agent)
    with monkeypatch.context() as patch:
        when(patch)
        with pytest.raises(Died):
            moving.move(agent, cell, other)
    assert told(cell, agent) == whole  # reads go on where it was
    monkeypatch.setattr(patience, "PATIENCE", 0.1)
    held = pytest.raises(Unreachable, match="is being moved")
    with Host(cell, adopt=False) as host, host.open(agent) as memory, held:
        memory.remember("not now")
    moving.move(agent, cell, other)
    with Host(cell) as here, Host(other) as there:
        assert (here.has(agent), there.has(agent)) == (False, True)
    assert told(other, agent) == whole


def test_a_move_is_given_up(cell: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given(cell, "given_up")
    with monkeypatch.context() as patch:
        before_the_import(patch)
        with pytest.raises(Died):
            moving.move("given_up", cell, other)
    moving.stay("given_up", cell)
    with Host(cell) as host, host.open("given_up") as memory:
        assert memory.remember("again").status == "accepted"
        assert memory.flush(PATIENCE)


def test_a_move_waits_for_whoever_works_on_the_agent(
    cell: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(cell, "worked_on")
    lease = PostgresBackend(cell, tmp_path).lease("worked_on")
    assert lease.take()
    with monkeypatch.context() as patch:
        patch.setattr(patience, "PATIENCE", 0.0)
        with pytest.raises(Unreachable, match="another process works"):
            moving.move("worked_on", cell, other)
    timer = threading.Timer(0.1, lease.give)
    timer.start()
    moving.move("worked_on", cell, other)
    timer.join()
    with Host(other) as there:
        assert there.has("worked_on")


def test_nothing_is_moved_onto_another_or_out_of_nowhere(cell: str, other: str) -> None:
    for dsn in (cell, other):
        given(dsn, "twin")
    with pytest.raises(InvalidInput, match="has an agent 'twin' already"):
        moving.move("twin", cell, other)
    with pytest.raises(NotFound, match="no agent 'nobody'"):
        moving.move("nobody", cell, other)
    with Host(cell) as host, host.open("twin") as memory:
        assert memory.remember("still written").status == "accepted"
        assert memory.flush(PATIENCE)
