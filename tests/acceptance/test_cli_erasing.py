"""Erasing through the real command: told twice, and then gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acceptance.command import Run, document
from acceptance.kept import traces

pytestmark = pytest.mark.in_both

WORD = "zanzibarquux"
SECRET = "Somebody typed hunter2hunter2 as the zanzibarquux password."


def test_without_yes_it_says_what_would_go_and_does_nothing(run: Run, kept_at: Path | str) -> None:
    run("remember", SECRET)
    run("remember", "The garden gate is green.")
    told = run("erase", "1")
    assert told.returncode == 1
    assert told.stdout.splitlines() == [
        f"would erase memory mem_1  {SECRET}",
        f"would erase message msg_1  {SECRET}",
    ]
    assert "nothing was erased; --yes" in told.stderr
    as_json = run("erase", "1", "--json")
    assert (as_json.returncode, json.loads(as_json.stdout)["erased"]) == (1, False)
    assert len(document(run("show", "--json"))) == 2
    assert traces(kept_at, WORD)


def test_with_yes_it_is_gone_and_cannot_be_restored(run: Run, kept_at: Path | str) -> None:
    run("remember", SECRET)
    run("remember", "The garden gate is green.")
    receipt = document(run("erase", "mem_1", "--yes", "--json"))
    assert receipt["erased"] is True
    assert (receipt["nodes"], receipt["messages"]) == (["mem_1"], ["msg_1"])
    assert receipt["remains"] == []
    assert traces(kept_at, WORD) == []
    back = run("restore", "1")
    assert back.returncode == 1
    assert run("doctor").returncode == 0
    again = run("erase", "1", "--yes")
    assert (again.returncode, again.stderr) == (1, "error: mem_1 was erased\n")


def test_messages_and_whole_agents_are_erased_by_name(run: Run, kept_at: Path | str) -> None:
    said = json.dumps({"role": "user", "content": SECRET, "id": "mine"})
    run("remember", "--jsonl", "-", "--agent", "anna", stdin=said)
    run("remember", "The garden gate is green.", "--agent", "bruno")
    done = run("erase", "--message", "mine", "--agent", "anna", "--yes")
    assert done.returncode == 0, done.stderr
    assert "erased messages: mine" in done.stdout
    assert traces(kept_at, WORD) == []
    hesitant = run("erase", "--all", "--agent", "bruno")
    assert hesitant.returncode == 1
    assert "would erase the whole memory of bruno: 1 nodes" in hesitant.stdout
    assert run("erase", "--all", "--agent", "bruno", "--yes").returncode == 0
    assert [one["agent"] for one in document(run("agents", "--json"))] == ["anna"]
    assert traces(kept_at, "garden") == []


def test_it_must_be_told_what_to_erase_and_forget_never_erases(
    run: Run, kept_at: Path | str
) -> None:
    run("remember", SECRET)
    for misused in (("erase", "--yes"), ("erase", "1", "--all", "--yes"), ("forget", "1", "--yes")):
        assert run(*misused).returncode == 2, misused
    assert len(document(run("show", "--json"))) == 1
    run("forget", "1")
    assert traces(kept_at, WORD)
    assert run("restore", "1").returncode == 0
