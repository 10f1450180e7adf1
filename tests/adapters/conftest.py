"""Adapters are tried with their frameworks: by `./run test-adapters`, not by `./run test`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from wangchuan import Memory

collect_ignore_glob = [] if os.environ.get("TEST_ADAPTER") else ["*"]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open("a", root=tmp_path, work_dir=tmp_path / "work", mode="full") as memory:
        yield memory


def said(memory: Memory) -> list[tuple[str, str]]:
    """Return who said what, as far as it is remembered."""
    return [(message.role, message.content) for message in memory.look.messages()]
