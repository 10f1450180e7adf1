"""Death at any moment of any operation: nothing accepted is lost, doubled or damaged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.dying import AGENT
from faults.life import SETTINGS, Findings, Ledger, audit, left_behind
from soak.figures import SEED, figures, size
from stage import ON_PATH, LineModel

from wangchuan import Memory

KILLS = size("KILLS", 24)
BATCH = 30  # kills of one memory, before it is looked at


def killed(place: Path) -> Iterator[tuple[Path, int, Ledger]]:
    """Kill lives, none of which ends by itself; return each memory with what they told."""
    errors = place / "errors"
    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            [sys.executable, "-m", "faults.dying", place, str(KILLS), str(BATCH), SEED],
            env={**os.environ, **ON_PATH},
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as dying,
    ):
        assert dying.stdout
        for line in dying.stdout:
            root, kills, entries = json.loads(line)
            yield Path(root), kills, Ledger([tuple(entry) for entry in entries])
    assert dying.returncode == 0, errors.read_text("utf-8")


def audited(root: Path, ledger: Ledger) -> Findings:
    with Memory.open(AGENT, root=root, settings=SETTINGS, model=LineModel()) as memory:
        found = audit(memory, ledger)
    found.kept += left_behind(root / AGENT, ledger)
    return found


@pytest.mark.slow
def test_kills_lose_nothing_double_nothing_and_bring_nothing_back(tmp_path: Path) -> None:
    with figures("kill -9: at random moments and at random calls to the disk") as told:
        said = 0
        for root, kills, ledger in killed(tmp_path):
            found = audited(root, ledger)
            said += len(ledger.these("done", "said"))
            told["how many"] += kills
            told["lost"] += len(found.lost)
            told["doubled"] += len(found.doubled)
            told["corrupt"] += len(found.kept) + len(found.unsound)
            assert not found.any(), found
            shutil.rmtree(root)
        told["what"] += f" ({said:,} messages accepted)"
        assert said > KILLS / 2
