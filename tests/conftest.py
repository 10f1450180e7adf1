"""Memories in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stage import FakeClock, LineModel

from wangchuan import Memory


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def model() -> LineModel:
    return LineModel()


Open = Callable[..., Memory]


@pytest.fixture
def open_memory(tmp_path: Path, clock: FakeClock, model: LineModel) -> Iterator[Open]:
    opened: list[Memory] = []

    def open_one(agent: str = "agent_001", **settings: Any) -> Memory:
        settings.setdefault("learn", False)  # the network alone; facts have tests of their own
        memory = Memory.open(
            agent,
            root=tmp_path / "memory_data",
            settings=settings,
            model=settings.pop("model", model),
            clock=settings.pop("clock", clock),
        )
        opened.append(memory)
        return memory

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    return open_memory()
