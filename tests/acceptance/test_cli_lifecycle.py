"""Ticks, merges and the drawn activity, through the real command."""

from __future__ import annotations

from pathlib import Path

import pytest
from acceptance.command import Run, document
from stage import PATIENCE

from wangchuan import Memory

pytestmark = pytest.mark.in_both

DAY = 86_400.0
TWICE = "The blue boat leaves the northern harbour on Monday morning."
SETTINGS = {"WANGCHUAN_MERGE_MAX_DEGREE": "20", "WANGCHUAN_FOCUS_LIMIT": "1"}


def old(kept_at: Path | str) -> None:
    """A memory whose conversation was 200 days ago, cold for the last ten."""
    import time

    days = [200.0, 10.0]

    def clock() -> float:
        return time.time() - days[0] * DAY

    settings = {"focus_limit": 1, "merge_max_degree": 20, "theta_active": 1.0, "learn": False}
    with Memory.open("default", root=kept_at, settings=settings, clock=clock) as memory:
        for line in (TWICE, "Anna keeps bees in Graz.", TWICE, "Lunch is at one today."):
            memory.remember(line).result(PATIENCE)
        days[0] = days[1]
        memory.tick(PATIENCE)


def test_a_tick_suggests_a_merge_and_a_merge_can_be_taken_back(
    run: Run, kept_at: Path | str
) -> None:
    old(kept_at)
    told = run("tick", env=SETTINGS)
    assert told.returncode == 0, told.stderr
    assert "could be merged" in told.stdout
    assert "`wangchuan merge`" in told.stderr
    figures = document(run("tick", "--json", env=SETTINGS))
    assert figures == {"memories": 4, "cold": 3, "mergeable": 2, "deletable": 0}
    (suggestion,) = document(run("merge", "--json", env=SETTINGS))
    assert [node["id"] for node in suggestion["nodes"]] == ["mem_1", "mem_3"]
    assert "mem_1 mem_3" in run("merge", env=SETTINGS).stdout
    merged = run("merge", "1", "3", env=SETTINGS)
    assert merged.stdout.startswith("merged mem_1, mem_3 into mem_5")
    assert "of mem_1, mem_3" in run("history", "5", env=SETTINGS).stdout
    assert run("restore", "1", env=SETTINGS).returncode == 0
    assert run("doctor", env=SETTINGS).returncode == 0


def test_explain_draws_the_terms_of_the_activity(run: Run, kept_at: Path | str) -> None:
    old(kept_at)
    told = run("explain", "1", env=SETTINGS).stdout
    assert ", cold; the sum of:" in told
    assert "█" in told
    assert "its age" in told
    assert "msg_1" in told
    assert "a prompt has it only where nothing active answers" in told
    explained = document(run("explain", "1", "--json", env=SETTINGS))
    assert explained["cold_since"] > 0
    assert sum(explained["activity"].values()) == explained["score"]
    assert explained["state"] == "cold"


def test_what_cannot_be_merged_is_said_in_words(run: Run) -> None:
    run("remember", "Something to begin with.")
    refused = run("merge", "1")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("error: a merge takes at least two")
    assert "nothing to merge" in run("merge").stderr
