"""Keeping the full text in step, and in few parts."""

from __future__ import annotations

from pathlib import Path

import apsw

from wangchuan import Memory
from wangchuan.finding.indexing import FOLDED


def parts(memory: Memory) -> int:
    """Return in how many parts SQLite keeps the full text of messages."""
    connection = apsw.Connection(str(memory.path / "memory.db"))
    try:
        return int(
            connection.execute("SELECT count(DISTINCT segid) FROM spoken_idx").fetchall()[0][0]
        )
    finally:
        connection.close()


def test_after_many_passes_the_full_text_is_folded_into_one_part(tmp_path: Path) -> None:
    with Memory.open("a", root=tmp_path) as memory:
        for n in range(FOLDED - 1):
            memory.remember(f"The ferry to island {n} was late.")
        assert memory.flush(60)
        assert parts(memory) > 2
        memory.remember("The last ferry was in time.").result(60)
        assert memory.flush(60)
        assert parts(memory) == 1
        found = memory.search("ferry to island 7").result(60)
        assert found[0].sources[0].content == "The ferry to island 7 was late."
