"""The benchmark of ticks measures a memory like those that remembering makes."""

from __future__ import annotations

import time
from pathlib import Path

from stage import PATIENCE

from bench.tick import SETTINGS, grown, measured
from wangchuan import Host


def test_the_memory_that_is_measured_has_the_shape_of_a_remembered_one(tmp_path: Path) -> None:
    with Host(tmp_path, settings=SETTINGS) as host:
        memory = grown(host, 200, time.time())
        assert memory.stats().nodes == 200
        assert len(memory.look.focus()) == 5
        assert len(memory.look.links("mem_50")) == 7  # the two beside it and the focus of its time
        assert (
            len(memory.look.links("mem_60")) == 2 + 5 + 19
        )  # and what was told while it was in focus
        hits = memory.search("Note 57").result(PATIENCE)
        assert any(hit.node and hit.node.id == "mem_57" for hit in hits)


def test_a_row_per_state_and_size_is_measured(tmp_path: Path) -> None:
    text, _ = measured(tmp_path, (40, 80))
    assert text.count("all cold, merges sought") == 2
    smallest = [line for line in text.splitlines() if "| 40 |" in line]
    assert [line.endswith("| 1.00 |") for line in smallest] == [True] * 3  # they are the measure
