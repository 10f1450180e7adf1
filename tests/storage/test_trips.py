"""How often a cell is asked and waited for: 15 times at most for a remember until it is digested, 6
for a search with the note of what it returned.

Counted here between the engine and its server. Somebody who flushes asks beside that; the lease is
given back, and what follows of a message is learned, afterwards.
"""

from __future__ import annotations

import time
from statistics import median
from threading import Event

import pytest
from stage import PATIENCE
from storage.postgres import NONE, binaries
from storage.trips import Trips, counted

from wangchuan import Host

pytestmark = pytest.mark.skipif(binaries() is None, reason=NONE)


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


def test_a_remember_and_a_search_take_a_bounded_number_of_trips(
    cell: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, told, found = tmp_path_factory.mktemp("t"), list[int](), list[int]()
    with counted(cell, folder) as (dsn, trips), Host(dsn) as host, host.open("trips") as memory:
        stored, counts = Event(), list[int]()
        memory.on("stored", lambda _: (counts.append(trips.count), stored.set()))
        for said in (*(f"Ann likes tea number {n}." for n in range(6)), *CORRECTED):
            before = settled(trips)
            stored.clear()
            memory.remember(said)
            assert stored.wait(PATIENCE)
            told.append(counts[-1] - before)
            assert memory.flush(PATIENCE)
        for asked in ASKED * 2:
            before = settled(trips)
            assert memory.search(asked).result(PATIENCE) is not None
            found.append(settled(trips) - before)
    assert min(found) > 2
    assert max(found[len(ASKED) :]) <= 6
    assert min(told) > 5
    assert median(told) <= 15
