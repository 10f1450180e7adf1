"""What may happen to any process: interrupts, forks, a clock that jumps, a file that is damaged."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults import disturbed
from faults.life import SETTINGS, Findings, Ledger, Life, audit, text_of
from soak.figures import SEED, figures, size
from stage import ON_PATH, PATIENCE, FakeClock, LineModel

from wangchuan import Host, Memory, StorageError, WangchuanError

INTERRUPTS = size("INTERRUPTS", 40)
FORKS = size("FORKS", 12)
JUMPS = size("JUMPS", 120)
TRAVEL = 400  # jumps that one memory goes through
DAMAGES = size("DAMAGES", 12)
YEAR = 365.25 * 86400
LEAPS = [0, 0, 1, 3600, -3600, 86400, -86400, YEAR, -YEAR, 20 * YEAR, -20 * YEAR]

# Who disturbs a life, by the name of a module that leads one.
DISTURBERS = {"interrupts": ("faults.disturbed", INTERRUPTS), "forks": ("faults.forking", FORKS)}
ONE_LIFE = 100  # disturbances, before it is looked at
EACH = 30.0  # seconds for each disturbance, before it counts as hanging


@pytest.mark.slow
@pytest.mark.parametrize("what", DISTURBERS)
def test_a_life_goes_on_after(what: str, tmp_path: Path) -> None:
    module, count = DISTURBERS[what]
    with figures(f"{what} at random moments") as told:
        for first in range(0, count, ONE_LIFE):
            root, times = tmp_path / str(first), min(ONE_LIFE, count - first)
            done = subprocess.run(
                [sys.executable, "-m", module, str(root), str(times), f"{SEED}i{first}"],
                env={**os.environ, **ON_PATH},
                capture_output=True,
                text=True,
                timeout=60 + times * EACH,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            ledger = Ledger([tuple(entry) for entry in json.loads(done.stdout)])
            with Memory.open(
                disturbed.AGENT, root=root, settings=SETTINGS, model=LineModel()
            ) as memory:
                count_in(told, times, audit(memory, ledger))


def count_in(told: dict[str, Any], many: int, found: Findings) -> None:
    """Count what was tried and looked at; nothing is wrong with it."""
    told["how many"] += many
    told["lost"] += len(found.lost)
    told["doubled"] += len(found.doubled)
    told["corrupt"] += len(found.kept) + len(found.unsound)
    assert not found.any(), found


@pytest.mark.slow
def test_a_clock_that_jumps_or_stands_still_costs_nothing(tmp_path: Path) -> None:
    clock, chance = FakeClock(), random.Random(SEED)
    settings = {**SETTINGS, "durability": "normal"}
    (tmp_path / "else").mkdir()
    with (
        figures("jumps of the clock: hours, days and years, forth and back") as told,
        Host(tmp_path / "root", model=LineModel(), settings=settings, clock=clock) as host,
    ):
        for first in range(0, JUMPS, TRAVEL):
            ledger, jumps = Ledger(), min(TRAVEL, JUMPS - first)
            name = f"{SEED}j{first}"
            life = Life(host, f"traveller{first}", name, ledger.tell, tmp_path / "else")
            for _ in range(jumps):
                clock.now = max(0.0, clock.now + chance.choice(LEAPS))
                life.live()
            count_in(told, jumps, audit(life.memory, ledger))
            life.memory.close()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a memory of some size, to be damaged."""
    place = tmp_path_factory.mktemp("sound")
    with Memory.open("a", root=place, settings=SETTINGS, model=LineModel()) as memory:
        for n in range(30):
            memory.remember({"role": "user", "content": text_of(f"d{n}"), "id": f"d{n}"})
        assert memory.flush(PATIENCE)
        memory.facts.add("The codeword is on the door.")
        for node in memory.nodes()[:5]:
            memory.forget(node.id)
    return place


def damage(path: Path, chance: random.Random) -> None:
    """Change some bytes, a sector, or the length of a file."""
    content = bytearray(path.read_bytes())
    match chance.randrange(4):
        case 0:
            for _ in range(chance.choice((1, 10, 100))):
                content[chance.randrange(len(content))] = chance.randrange(256)
        case 1:
            at = chance.randrange(len(content) // 512) * 512
            content[at : at + 512] = chance.randbytes(512)
        case 2:
            at = chance.randrange(len(content) // 4096) * 4096
            content[at : at + 4096] = bytes(4096)
        case 3:
            del content[chance.randrange(len(content)) :]
    path.write_bytes(content)


def uses(memory: Memory, place: Path) -> dict[str, Callable[[], object]]:
    """Return what is tried with a damaged memory."""
    return {
        "nodes": memory.nodes,
        "forgotten": memory.look.forgotten,
        "fading": memory.look.fading,
        "focus": memory.look.focus,
        "facts": memory.facts,
        "working": memory.look.working,
        "stats": memory.stats,
        "explain": lambda: memory.explain("mem_20"),
        "history": lambda: memory.history("mem_20"),
        "recall": lambda: memory.recall(["d5"]).result(PATIENCE),
        "search": lambda: memory.search("first thing d7").result(PATIENCE),
        "context": lambda: memory.context("the door").result(PATIENCE),
        "remember": lambda: memory.remember("something new"),
        "forget": lambda: memory.forget("mem_30"),
        "restore": lambda: memory.restore("mem_1"),
        "export": lambda: memory.export(place / "out.jsonl"),
        "markdown": lambda: memory.export(place / "out.md"),
        "backup": lambda: memory.backup(place / "backup"),
        "erase": lambda: memory.erase(message_ids=["d9"]),
        "doctor": lambda: memory.look.faults(),
    }


def raw_errors(root: Path, place: Path) -> list[str]:
    """Use a damaged memory in every way; return the errors that are not ours."""
    wrong, told = [], []
    try:
        memory = Memory.open("a", root=root, settings=SETTINGS, model=LineModel())
    except WangchuanError:
        return []
    except Exception as error:
        return [f"open: {type(error).__name__}: {error}"]
    with memory:
        found = memory.look.faults()  # before an erasure, which writes the whole file anew
        for name, use in uses(memory, place).items():
            try:
                use()
            except StorageError:
                told.append(name)
            except WangchuanError:
                pass
            except Exception as error:
                wrong.append(f"{name}: {type(error).__name__}: {error}")
        if told and not (found or memory.look.faults()):
            wrong.append(f"the doctor finds nothing, though {told} could not be done")
    return wrong


@pytest.mark.slow
def test_a_damaged_file_is_told_by_our_errors_and_hangs_nobody(sound: Path, tmp_path: Path) -> None:
    chance, wrong = random.Random(SEED), []
    with figures("damaged files: bytes, sectors, pages, length") as told:
        for n in range(DAMAGES):
            root = tmp_path / str(n)
            shutil.copytree(sound, root)
            damage(root / "a" / "memory.db", chance)
            wrong += [f"damage {n}: {what}" for what in raw_errors(root, root)]
            told["how many"] += 1
            shutil.rmtree(root, ignore_errors=True)  # SQLite may be taking its own files away
        told["corrupt"] = len(wrong)
        assert not wrong, "\n".join(wrong)
