"""Death at any moment of any operation: nothing accepted is lost, doubled or damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from faults.dying import AGENT
from faults.life import SETTINGS, Findings, Ledger, audit, left_behind
from soak.figures import SEED, figures, size
from stage import PATIENCE, LineModel

from wangchuan import Memory

KILLS = size("KILLS", 24)
BATCH = 60  # kills of one memory, before it is looked at
TESTS = Path(__file__).parents[1]


def killed(root: Path, kills: int, seed: str) -> Ledger:
    """Kill lives of one memory, none of which ends by itself; return what they told."""
    done = subprocess.run(
        [sys.executable, "-m", "faults.dying", str(root), str(kills), seed],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=PATIENCE + kills * 60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Ledger([tuple(entry) for entry in json.loads(done.stdout)])


def audited(root: Path, ledger: Ledger) -> Findings:
    with Memory.open(AGENT, root=root, settings=SETTINGS, model=LineModel()) as memory:
        found = audit(memory, ledger)
    found.kept += left_behind(root / AGENT, ledger)
    return found


@pytest.mark.slow
def test_kills_lose_nothing_double_nothing_and_bring_nothing_back(tmp_path: Path) -> None:
    with figures("kill -9: at random moments and at random calls to the disk") as told:
        said = 0
        for first in range(0, KILLS, BATCH):
            kills, root = min(BATCH, KILLS - first), tmp_path / str(first)
            ledger = killed(root, kills, f"{SEED}b{first}")
            found = audited(root, ledger)
            said += len(ledger.these("done", "said"))
            told["how many"] += kills
            told["lost"] += len(found.lost)
            told["doubled"] += len(found.doubled)
            told["corrupt"] += len(found.kept) + len(found.unsound)
            assert not found.any(), found
        told["what"] += f" ({said:,} messages accepted)"
        assert said > KILLS / 2
