"""How often a cell is asked and waited for.

Counted here between the engine and its server, on 18 November 2026: about 14 for a remember of one
sentence until it is digested, 19 until nothing holds the agent any more, 26 to 30 where somebody
flushes meanwhile; 4 or 5 for the answer of a search and one more, with its end, for noting what it
returned. That is 15 and 6 asked for.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from stage import PATIENCE
from storage.postgres import NONE, binaries
from storage.trips import counted

from wangchuan import Host

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)
ROUNDS = 4


def test_a_remember_and_a_search_take_a_bounded_number_of_trips(
    cell: str, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    folder = tmp_path_factory.mktemp("t")
    with counted(cell, folder) as (dsn, trips), Host(dsn) as host, host.open("trips") as memory:
        for n in range(6):
            memory.remember(f"Ann number {n} likes tea of the kind {n}.")
            assert memory.flush(PATIENCE)
        before = trips.count
        for n in range(ROUNDS):
            memory.remember(f"Bo walked to the green gate number {n} yesterday.")
            assert memory.flush(PATIENCE)
        told = (trips.count - before) / ROUNDS
        before = trips.count
        for _ in range(ROUNDS):
            assert memory.search("green gate tea").result(PATIENCE)
        time.sleep(0.2)  # what was returned is noted after the answer
        found = (trips.count - before) / ROUNDS
    assert 2 < found <= 6
    assert 10 < told <= 45
