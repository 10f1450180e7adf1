"""What a tick costs: per memory, a large memory may cost twice a small one of the same shape.

Measured when everything is active, when everything goes cold at once, and later, when everything
is cold and is looked at for merges and deletions as well. The memories are written as rows, in the
shape that remembering twenty sentences at a time gives them: what is measured is the tick.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.core import sentence, table, timed
from wangchuan import Host, Memory
from wangchuan.language.labels import keywords, phrase
from wangchuan.language.terms import indexed
from wangchuan.storage import LinkRecord, MessageRecord, NodeRecord
from wangchuan.types import AFTER, BEFORE

SIZES = (1_000, 100_000)
ROUNDS = {1_000: 15, 100_000: 3}
DAY = 86_400.0
SETTINGS = {"decay_rate": 0.9999, "durability": "normal", "learn": False}
MERGEABLE = {"merge_max_degree": 50}  # whatever its links: the dearest case
WHEN = (("all active", 0.0), ("going cold", 900.0), ("all cold, merges sought", 910.0))
TOLD, FOCUS = 20, 5  # sentences in a message, the last of which are attended by the next
PATIENCE = 3600  # seconds


def grown(host: Host, size: int, at: float) -> Memory:
    """A memory of so many living nodes, written in one transaction."""
    memory = host.open(f"size{size}")
    with memory._agent.store() as store, store.write() as tx:
        for told in range(size // TOLD):
            for record in _told(told, at):
                tx.rows.take_in(_KIND[type(record)], record)
                if isinstance(record, MessageRecord):
                    tx.index.add(record, indexed(record.content))
        tx.meta.set("passes", str(size // TOLD))
        tx.links.set_focus(range(size, size - FOCUS, -1))
    return memory


_KIND = {MessageRecord: "message", NodeRecord: "node", LinkRecord: "link"}


def _told(told: int, at: float) -> Iterator[MessageRecord | NodeRecord | LinkRecord]:
    """The rows of one message, and of what it leaves behind."""
    first, number = told * TOLD + 1, told + 1
    said = [sentence(first + i) for i in range(TOLD)]
    yield MessageRecord(number, None, "user", None, " ".join(said), None, number, 0, at)
    for n, text in enumerate(said, first):
        yield _node(n, number, text, at)
        focus = range(max(1, first - FOCUS), first)
        for other in sorted({*focus, n - 1} - {0}):
            relations = (AFTER, BEFORE) if other == n - 1 else (None, None)
            yield LinkRecord(other, n, 1.0, 0, relations[0])
            yield LinkRecord(n, other, 1.0, 0, relations[1])


def _node(n: int, message: int, text: str, at: float) -> NodeRecord:
    return NodeRecord(
        n=n,
        kind="segment",
        job=message,
        original=text,
        content=None,
        phrase=phrase(text),
        keywords=json.dumps(keywords(text)),
        sources=json.dumps([f"msg_{message}"]),
        created_at=at,
        scans=0,
        since_pass=message,
        fade_at=None,
        due_at=None,
        die_at=None,
        kept=0,
        forgotten_at=None,
        reason=None,
        message=message,
    )


def ticked(memory: Memory) -> None:
    if not memory.tick(PATIENCE):
        raise TimeoutError(f"no tick within {PATIENCE} s")


def measured(folder: Path, sizes: tuple[int, ...] = SIZES) -> tuple[str, bool]:
    rows: list[tuple[object, ...]] = []
    good, ahead, began = True, [0.0], time.time()

    def clock() -> float:
        return time.time() + ahead[0] * DAY

    with Host(folder, settings={**SETTINGS, **MERGEABLE}, clock=clock) as host:
        memories = {size: grown(host, size, began) for size in sizes}
        for what, days in WHEN:
            ahead[0] = days
            each = {}
            for size, memory in memories.items():
                rounds = 1 if what == "going cold" else ROUNDS.get(size, 3)
                took = [timed(lambda m=memory: ticked(m)) for _ in range(rounds)]
                each[size] = statistics.median(took) / size
            ratio = each[max(sizes)] / each[min(sizes)]
            good = good and ratio <= 2
            for size, cost in each.items():
                share = f"{cost / each[min(sizes)]:.2f}"
                living = f"{memories[size].stats().nodes:,}"
                rows.append((what, living, f"{cost * 1e6:.1f} µs", share))
    return table(("a tick", "living nodes", "per node, p50", "ratio (bar: 2)"), rows), good


def run() -> tuple[str, bool]:
    with tempfile.TemporaryDirectory() as folder:
        return measured(Path(folder))
