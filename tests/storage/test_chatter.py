"""How many statements the engine runs for a call: each is a round trip where a server answers.

Counted here with the model that comes with the package, in a memory of 40: a remember of one
sentence, until facts were looked for in it and nothing waits, 107 to 114 (by when the lane looks
whether it is idle); erasing one node with its message, about 300, and a hundred more with a fact
learned from it; `nodes()` 3, however many fade.
Before a transaction read its rows only once, these were 325, 1,214 and one more for each node that
fades.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from stage import PATIENCE, FakeClock
from storage.contract.given import add, saved
from storage.counting import counted

from wangchuan import Memory
from wangchuan.storage import LinkRecord
from wangchuan.storage.sqlite.store import SQLiteStore
from wangchuan.types import Message

ROUNDS = 8  # what a lane does when it becomes idle may come a little late: hence the mean


@pytest.fixture
def open_agent(tmp_path: Path) -> Callable[[], Memory]:
    return lambda: Memory.open("agent", root=tmp_path, clock=FakeClock())


def remember(memory: Memory, text: str) -> None:
    memory.remember([Message("user", text)])
    assert memory.flush(PATIENCE)


def fill(memory: Memory) -> None:
    for n in range(40):
        remember(memory, f"Ann had walked by with tea of the kind {n} yesterday.")


def test_a_remember_of_one_sentence_takes_at_most_120_statements(
    open_agent: Callable[[], Memory],
) -> None:
    with counted() as found, open_agent() as memory:
        fill(memory)
        found.clear()
        for n in range(ROUNDS):
            remember(memory, f"Bo walked to the green gate number {n} yesterday.")
        mean = found.total() / ROUNDS
    assert 20 < mean <= 120


def test_erasing_a_node_takes_at_most_400_statements(open_agent: Callable[[], Memory]) -> None:
    with counted() as found, open_agent() as memory:
        fill(memory)
        node = memory.nodes()[20]
        found.clear()
        memory.erase(node.id)
        assert memory.flush(PATIENCE)
        total = found.total()
    assert 20 < total <= 400


def test_nodes_takes_the_same_statements_however_many_fade(
    tmp_path: Path, open_agent: Callable[[], Memory]
) -> None:
    asked = {}
    for many in (5, 50):
        with open_agent() as memory:
            before = len(memory.nodes())
        store = SQLiteStore(next(tmp_path.glob("**/memory.db")))
        with store.write() as tx:
            for _ in range(many - before):
                n = add(tx)
                saved(tx, n, since_pass=0, fade_at=0)
                tx.links.put([LinkRecord(n, 1, 1.0, 0, None)])
        store.close()
        with counted() as found, open_agent() as memory:
            assert memory.stats().fading == many
            found.clear()
            assert len(memory.nodes()) == many
            here = threading.get_ident()
            asked[many] = sum(c for (thread, _), c in found.items() if thread == here)
    assert asked[5] == asked[50]
    assert 0 < asked[5] <= 4
