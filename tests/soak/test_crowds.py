"""Many at once: processes on one memory, agents on one host. Nothing is lost, and no agent ever
hears a word of another."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pytest
from faults import crowd
from faults.life import SETTINGS, Findings, Ledger, Life, audit, left_behind
from soak.figures import SEED, figures, size
from stage import LineModel

from wangchuan import Host, Memory

PROCESSES = size("PROCESSES", 3)
WRITES = size("WRITES", 12)  # of each process
OPERATIONS = size("OPERATIONS", 500)
AGENTS, CALLERS = 50, 4
TESTS = Path(__file__).parents[1]
CANARY = re.compile(r"canary\d+o")


def note(told: dict[str, Any], found: Findings) -> None:
    told["lost"] += len(found.lost)
    told["doubled"] += len(found.doubled)
    told["corrupt"] += len(found.kept) + len(found.unsound)


@pytest.mark.slow
def test_processes_that_write_read_and_erase_at_once_lose_nothing(tmp_path: Path) -> None:
    with figures(f"{PROCESSES} processes on one memory: messages accepted") as told:
        names = [f"{SEED}p{n}o" for n in range(PROCESSES)]
        running = [
            subprocess.Popen(
                [sys.executable, "-m", "faults.crowd", *map(str, given)],
                env={**os.environ, "PYTHONPATH": str(TESTS)},
            )
            for given in ((tmp_path / "root", n, WRITES, tmp_path / f"{n}.json") for n in names)
        ]
        assert [process.wait(300 + WRITES * 10) for process in running] == [0] * PROCESSES
        texts = [(tmp_path / f"{name}.json").read_text("utf-8") for name in names]
        ledger = Ledger([tuple(entry) for text in texts for entry in json.loads(text)])
        told["how many"] = len(ledger.these("done", "said"))
        with Memory.open(crowd.AGENT, root=tmp_path / "root", settings=SETTINGS) as memory:
            found = audit(memory, ledger.without("forgotten"), 600)
        found.kept += left_behind(tmp_path / "root" / crowd.AGENT, ledger)
        note(told, found)
        assert told["how many"] == PROCESSES * WRITES
        assert not found.any(), found


class Quiet(LineModel):
    """Keeps no record of what it was asked: there is too much of it."""

    def complete(self, ask: Any) -> Any:
        return getattr(self, f"_{ask.routine}")(ask.data)


class Canary(Life):
    """Says nothing without its own name in it, and hears no other."""

    weights: ClassVar = {**Life.weights, "ask": 25, "look": 10}
    foreign = 0

    def heard(self, answer: Any) -> None:
        self.foreign += bool(set(CANARY.findall(repr(answer))) - {self._name})


@pytest.mark.slow
def test_no_agent_ever_hears_a_word_of_another(tmp_path: Path) -> None:
    settings = {**SETTINGS, "durability": "normal", "max_open_agents": 20}
    (tmp_path / "else").mkdir()
    with (
        figures(f"mixed operations of {AGENTS} agents, each with its canary") as told,
        Host(tmp_path / "root", model=Quiet(), settings=settings) as host,
        ThreadPoolExecutor(CALLERS) as callers,
    ):
        ledgers = [Ledger() for _ in range(AGENTS)]
        lives = [
            Canary(host, f"agent{n}", f"canary{n}o", ledger.tell, tmp_path / "else")
            for n, ledger in enumerate(ledgers)
        ]

        def lead(life: Canary) -> None:
            for _ in range(OPERATIONS // AGENTS):
                life.live()

        list(callers.map(lead, lives))
        told["how many"] = OPERATIONS // AGENTS * AGENTS
        for life, ledger in zip(lives, ledgers, strict=True):
            found = audit(life.memory, ledger, 600)
            note(told, found)
            assert not found.any(), (life._name, found)
        told["corrupt"] += sum(life.foreign for life in lives)
        assert sum(life.foreign for life in lives) == 0
        carried = (tmp_path / "root").iterdir()
        for folder in carried:
            text = b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())
            assert set(CANARY.findall(text.decode("latin-1"))) <= {f"canary{folder.name[5:]}o"}
