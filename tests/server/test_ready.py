"""Whoever watches the server from outside is answered soon, whatever the memories do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from server.served import Served
from stage import PATIENCE
from storage.postgres import NONE, binaries

from wangchuan.errors import StorageError
from wangchuan.server.desk import Glance


class Held:
    """A store that answers once it is let go."""

    def __init__(self) -> None:
        self.times, self.go = 0, threading.Event()

    def __call__(self) -> int:
        self.times += 1
        assert self.go.wait(PATIENCE)
        return 7


@pytest.fixture
def held() -> Iterator[Held]:
    held = Held()
    yield held
    held.go.set()


@pytest.mark.in_both
def test_who_can_reach_the_memories_is_ready(served: Served) -> None:
    served.told("a", "tea")
    answer = served.ask("GET", "/ready", token=None)
    assert (answer.status, answer.json) == (200, {"status": "ready"})


def test_a_store_that_does_not_answer_is_asked_once_and_waited_for_briefly(
    served: Served, held: Held
) -> None:
    served.desk.reach = Glance(held, seconds=0.02)
    for _ in range(10):
        answer = served.ask("GET", "/ready", token=None)
        assert (answer.status, answer.error) == (503, "Busy")
        assert "did not answer within 0.02 seconds" in answer.json["error"]["message"]
    assert held.times == 1
    assert served.told("a", "tea")  # nobody's thread is taken
    held.go.set()
    until, asked = time.monotonic() + PATIENCE, 1
    while served.ask("GET", "/ready", token=None).status == 503:
        assert time.monotonic() < until
        asked += 1
    assert held.times <= 1 + asked  # those who were told to go were not asked for again


def test_a_reason_is_told(served: Served) -> None:
    def away() -> None:
        raise StorageError("no route to the database")

    served.desk.reach = Glance(away)
    answer = served.ask("GET", "/ready", token=None)
    assert (answer.status, answer.error) == (503, "Busy")
    assert "no route to the database" in answer.json["error"]["message"]


@pytest.mark.in_a_folder
def test_a_root_that_is_no_folder_is_not_ready(served: Served, tmp_path: Path) -> None:
    root = served.host.settings.root
    root.rename(tmp_path / "elsewhere")
    assert served.ask("GET", "/ready", token=None).status == 200  # it will be made
    root.write_text("no folder")
    answer = served.ask("GET", "/ready", token=None)
    assert (answer.status, "Not a directory" in answer.json["error"]["message"]) == (503, True)


@pytest.mark.skipif(binaries() is None, reason=NONE)
def test_a_database_that_is_away_is_told_of_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANGCHUAN_ROOT", str(tmp_path))
    served = Served("postgresql://wangchuan@/postgres?host=/no/such/place")
    try:
        answer = served.ask("GET", "/ready", token=None)
        assert (answer.status, answer.error) == (503, "Busy")
        assert "No such file or directory" in answer.json["error"]["message"]
        assert "waiting_jobs" not in served.ask("GET", "/metrics").body.decode()
    finally:
        served.close()


@pytest.mark.in_both
def test_figures_tell_the_jobs_that_wait_in_a_cell(served: Served) -> None:
    text = served.ask("GET", "/metrics").body.decode()
    assert ("\nwangchuan_waiting_jobs 0\n" in text) == bool(served.host.settings.store)


def test_figures_are_told_without_those_that_the_store_does_not_tell(
    served: Served, held: Held
) -> None:
    served.desk.waiting_jobs = Glance(held, seconds=0.02)
    text = served.ask("GET", "/metrics").body.decode()
    assert "wangchuan_requests" in text
    assert "waiting_jobs" not in text
    held.go.set()
    until = time.monotonic() + PATIENCE
    while "\nwangchuan_waiting_jobs 7\n" not in served.ask("GET", "/metrics").body.decode():
        assert time.monotonic() < until
