"""What the tests of the notebook share: a desk, a clock on a known second, and the golden files."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from wangchuan.notebook.desk import Desk

GOLDEN = Path(__file__).with_name("golden")


def golden(name: str) -> str:
    return (GOLDEN / f"{name}.md").read_bytes().decode("utf-8")


def desk_of(folder: Path, agent: str = "agent_001") -> Desk:
    return Desk(agent, folder / f"{agent}.lock", patience=5)


def morning() -> float:
    """10:30:00 on 5 January 2025, wherever the clock hangs."""
    return time.mktime((2025, 1, 5, 10, 30, 0, 0, 0, -1))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_of(tmp_path)
