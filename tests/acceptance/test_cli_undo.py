"""Undo through the real command."""

from __future__ import annotations

import pytest
from acceptance.command import Run, document

pytestmark = pytest.mark.in_both


def test_a_forgotten_memory_comes_back_by_undo_and_goes_again_by_undoing_that(run: Run) -> None:
    run("remember", "那天晚上下了很大的雨，街上没有人。")
    run("forget", "1")
    listed = document(run("undo", "--json"))
    assert [(c["kind"], c["node"], c["refusal"]) for c in listed] == [("forgotten", "mem_1", None)]
    seq = str(listed[0]["seq"])
    told = run("undo", seq, "--dry-run")
    assert told.returncode == 0
    assert "would undo" in told.stdout
    assert "mem_1 comes back" in told.stdout
    assert run("show", "1").returncode != 0
    done = document(run("undo", seq, "--json"))
    assert run("show", "1").returncode == 0
    assert f"entry {seq}, forgotten" in run("history", "1").stdout
    again = run("undo", seq)
    assert again.returncode != 0
    assert f"undone already, by entry {done['entry']}" in again.stderr
    assert run("undo", str(done["entry"])).returncode == 0
    assert run("show", "1").returncode != 0
