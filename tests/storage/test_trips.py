"""How often a cell is asked and waited for: 15 times at most for a remember until it is digested, 6
for a search with the note of what it returned, 20 for a block.

Counted here between the engine and its server. Somebody who flushes asks beside that; the lease is
given back, and what follows of a message is learned, afterwards.
"""

from __future__ import annotations

import io
import time
from pathlib import Path
from statistics import median
from threading import Event

import pytest
from stage import PATIENCE
from storage.postgres import NONE, binaries
from storage.trips import Trips, counted

from wangchuan import Host, Memory

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)


DIGESTING = {"learn": False}  # what follows of a message is learned afterwards
TALK = [f"Ann likes tea number {n}." for n in range(6)]
CORRECTED = [
    "I live in Oslo.",
    "My sister Ann works at a bakery in Berlin.",
    "Actually I moved: I live in Bergen now.",
    "My sister Ann quit the bakery; she works at a school now.",
    "We decided to paint the green gate in May.",
]
ASKED = ["Where do I live?", "green gate tea", "Where does Ann work?", "What did we decide in May?"]


def settled(trips: Trips) -> int:
    """Return the count once nobody asks any more."""
    count = -1
    while count != trips.count:
        count = trips.count
        time.sleep(0.3)
    return count


def test_a_remember_takes_a_bounded_number_of_trips_until_it_is_digested(
    cell: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, told = tmp_path_factory.mktemp("t"), list[int]()
    with counted(cell, folder) as (dsn, trips), Host(dsn, settings=DIGESTING) as host:
        memory, stored, counts = host.open("told"), Event(), list[int]()
        memory.on("stored", lambda _: (counts.append(trips.count), stored.set()))
        for said in (*TALK, *CORRECTED):
            before = settled(trips)
            stored.clear()
            memory.remember(said)
            assert stored.wait(PATIENCE)
            told.append(counts[-1] - before)
            assert memory.flush(PATIENCE)
    assert min(told) > 5
    assert median(told) <= 15


def test_a_search_and_a_block_take_a_bounded_number_of_trips(
    cell: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, found = tmp_path_factory.mktemp("t"), list[int]()
    with counted(cell, folder) as (dsn, trips), Host(dsn) as host, host.open("found") as memory:
        for said in (*TALK, *CORRECTED):
            memory.remember(said)
            assert memory.flush(PATIENCE)
        for asked in ASKED * 2:
            before = settled(trips)
            assert memory.search(asked).result(PATIENCE) is not None
            found.append(settled(trips) - before)
        before = settled(trips)
        assert memory.context(ASKED[0]).result(PATIENCE)
        block = settled(trips) - before
    assert min(found) > 2
    assert median(found[len(ASKED) :]) <= 6
    assert max(found[len(ASKED) :]) <= 8
    assert 6 < block <= 20


def test_an_import_takes_as_many_trips_whatever_comes_in(
    cell: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    took = []
    with counted(cell, tmp_path_factory.mktemp("t")) as (dsn, trips), Host(dsn) as host:
        for times in (1, 6):
            with Memory.open(f"from_{times}", root=tmp_path) as memory:
                memory.remember(TALK * times)
                assert memory.flush(PATIENCE)
                told = io.BytesIO()
                memory.export(told)
            told.seek(0)
            before = settled(trips)
            assert host.import_(f"into_{times}", told)["message"] == len(TALK) * times
            took.append(settled(trips) - before)
    assert 5 < took[1] <= took[0] + 3
