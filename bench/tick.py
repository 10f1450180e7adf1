"""What a tick costs: per memory, a large memory may cost twice a small one of the same shape.

Measured twice: when everything is active, and half a year later, when everything has gone cold and
is looked at for merges and deletions as well.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from bench.core import grown, table, timed
from wangchuan import Host

SIZES = (1_000, 100_000)
ROUNDS = {1_000: 15, 100_000: 3}
DAY = 86_400.0
MERGEABLE = {"merge_max_degree": 50}  # whatever its links: the dearest case
WHEN = (("all active", 0.0), ("going cold", 180.0), ("all cold, merges sought", 190.0))


def run() -> tuple[str, bool]:
    rows: list[tuple[object, ...]] = []
    good, ahead = True, [0.0]

    def clock() -> float:
        return time.time() + ahead[0] * DAY

    settings = {"decay_rate": 0.9999, "durability": "normal", "max_queue_size": 100_000}
    with tempfile.TemporaryDirectory() as folder:
        options = {**settings, **MERGEABLE, "learn": False}
        with Host(Path(folder), settings=options, clock=clock) as host:
            memories = {size: grown(host, size) for size in SIZES}
            for what, days in WHEN:
                ahead[0] = days
                each = {}
                for size, memory in memories.items():
                    rounds = 1 if what == "going cold" else ROUNDS[size]
                    took = [timed(lambda m=memory: m.tick(3600)) for _ in range(rounds)]
                    each[size] = statistics.median(took) / memory.stats().nodes
                ratio = each[max(SIZES)] / each[min(SIZES)]
                good = good and ratio <= 2
                for size, cost in each.items():
                    share = f"{cost / each[min(SIZES)]:.2f}"
                    rows.append((what, f"{size:,}", f"{cost * 1e6:.1f} µs", share))
    head = ("a tick", "living nodes", "per node, p50", "ratio (bar: 2)")
    return table(head, rows), good
