"""Many at once: processes on one memory, agents on one host. Nothing is lost, and no agent ever
hears a word of another."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pytest
from faults import crowd
from faults.life import SETTINGS, Findings, Ledger, Life, audit, left_behind
from soak.figures import SEED, figures, size
from stage import ON_PATH, LineModel

from wangchuan import Host, Memory

PROCESSES = size("PROCESSES", 3)
WRITES = size("WRITES", 12)  # of each process
OPERATIONS = size("OPERATIONS", 500)
AGENTS, CALLERS = 50, 4
ROUND, LIFE = 25, 250  # operations of an agent: in one turn, and until it is erased, about
CANARY = re.compile(r"canary\d+og\d+e")


def note(told: dict[str, Any], found: Findings) -> None:
    told |= {"lost": len(found.lost), "doubled": len(found.doubled)}
    told["corrupt"] += len(found.kept) + len(found.unsound)


@pytest.mark.slow
def test_processes_that_write_read_and_erase_at_once_lose_nothing(tmp_path: Path) -> None:
    with figures(f"{PROCESSES} processes on one memory: messages accepted") as told:
        names = [f"{SEED}p{n}o" for n in range(PROCESSES)]
        running = [
            subprocess.Popen(
                [sys.executable, "-m", "faults.crowd", *map(str, given)],
                env={**os.environ, **ON_PATH},
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

    weights: ClassVar = {"remember": 70, "forget": 30, "restore": 20, "undo": 20, "erase": 12,
                         "state": 20, "ask": 380, "look": 410, "foresee": 5, "tick": 10,
                         "export": 5, "backup": 5, "carry": 2, "reopen": 20}  # fmt: skip
    foreign = 0

    def heard(self, answer: Any) -> None:
        self.foreign += bool(set(CANARY.findall(repr(answer))) - {self._name})


class Keeper:
    """Leads one agent's lives: each is looked at when it ends, the agent erased, and another begun.

    A name is of one life only: what an agent says after it was erased would be noticed too.
    """

    def __init__(self, host: Host, number: int, place: Path) -> None:
        self._host, self._agent = host, f"agent{number}"
        self._folder, self._elsewhere = place / "root" / self._agent, place / "else" / self._agent
        self._chance, self._number, self._lives = random.Random(f"{SEED} {number}"), number, 0
        self.looked_at, self.found, self.foreign = 0, Findings(), 0
        self._begin()

    def _begin(self) -> None:
        self._lives, self._ledger, self._lived = self._lives + 1, Ledger(), 0
        name = f"canary{self._number}og{self._lives}e"
        self._elsewhere.mkdir(parents=True)
        self._life = Canary(self._host, self._agent, name, self._ledger.tell, self._elsewhere)

    def lead(self, operations: int) -> None:
        for _ in range(operations):
            self._life.live()
        self._lived += operations
        if self._chance.random() < operations / LIFE:
            self.end()
            self._begin()

    def end(self) -> None:
        """Look at a life, its files and what it carried elsewhere, and erase its agent."""
        self.found.add(audit(self._life.memory, self._ledger, 600))
        self._life.memory.close()  # nobody holds its locks now: its files may be read
        files = [*self._folder.rglob("*"), *self._elsewhere.rglob("*")]
        text = b"".join(path.read_bytes() for path in files if path.is_file())
        written = set(CANARY.findall(text.decode("latin-1"))) - {self._life._name}
        self.foreign += self._life.foreign + len(written)
        self.looked_at += self._lived
        self._host.erase(self._agent)
        if self._folder.exists():
            self.found.kept.append(self._life._name)
        shutil.rmtree(self._elsewhere)


@pytest.mark.slow
def test_no_agent_ever_hears_a_word_of_another(tmp_path: Path) -> None:
    settings = {**SETTINGS, "durability": "normal", "max_open_agents": 20}
    with (
        figures(f"mixed operations of {AGENTS} agents, each with its canary") as told,
        Host(tmp_path / "root", model=Quiet(), settings=settings) as host,
        ThreadPoolExecutor(CALLERS) as callers,
    ):
        keepers = [Keeper(host, number, tmp_path) for number in range(AGENTS)]
        each = OPERATIONS // AGENTS
        for first in range(0, each, ROUND):
            turn = min(ROUND, each - first)
            list(callers.map(lambda keeper, turn=turn: keeper.lead(turn), keepers))
            check(told, keepers)
        for keeper in keepers:
            keeper.end()
        check(told, keepers)
        assert told["how many"] == each * AGENTS


def check(told: dict[str, Any], keepers: list[Keeper]) -> None:
    """Count what has been looked at; nothing is wrong with it."""
    found = Findings()
    for keeper in keepers:
        found.add(keeper.found)
    foreign = sum(keeper.foreign for keeper in keepers)
    told |= {"how many": sum(keeper.looked_at for keeper in keepers), "corrupt": foreign}
    note(told, found)
    assert not found.any(), found
    assert foreign == 0
