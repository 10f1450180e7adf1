"""Death at any moment: nothing accepted is lost, nothing is applied twice, nothing is corrupt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from wangchuan import Memory, doctor

KILLS = int(os.environ.get("SOAK_KILLS", "100"))  # `./run soak` sets 1000
CRASHING = Path(__file__).with_name("crashing.py")


@pytest.mark.slow
def test_a_hundred_kills_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(CRASHING), str(tmp_path), str(KILLS), "7"],
        capture_output=True,
        text=True,
        timeout=60 + KILLS * 10,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    accepted = json.loads(done.stdout)
    assert len(accepted) > KILLS / 2
    with Memory.open("crash", root=tmp_path, settings={"decay_rate": 0.9}) as memory:
        assert memory.flush(120)
        assert doctor.examine(memory) == []
        made = _memories_by_source(memory)
        stats = memory.stats()
    assert [word for word in accepted if made[word] != 2] == []
    assert stats.pending == stats.failed == 0
    # a message may have been accepted without its writer living to tell; none was applied twice
    assert set(made.values()) == {2}
    assert len(accepted) <= stats.messages <= len(accepted) + KILLS


def _memories_by_source(memory: Memory) -> Counter[str]:
    with memory._agent.store() as store, store.read() as tx:
        records = [*tx.alive(tx.passes()), *tx.trash(tx.passes())]
    made = [record for record in records if record.kind == "segment"]
    return Counter(source for record in made for source in json.loads(record.sources))
