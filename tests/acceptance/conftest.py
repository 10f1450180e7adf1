"""Folders to run the command in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from acceptance.command import Demo, Done, Run, wangchuan


@pytest.fixture
def run(tmp_path: Path, kept_at: Path | str) -> Run:
    """Run the command in a folder of the test's own, which may keep its agents in a cell."""
    where = {"WANGCHUAN_STORE": kept_at} if isinstance(kept_at, str) else {}

    def run(*args: str, env: dict[str, str] | None = None, **options: Any) -> Done:
        return wangchuan(tmp_path, *args, env={**where, **(env or {})}, **options)

    return run


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo, told once for all tests that only look at what it left."""
    return Demo(tmp_path_factory.mktemp("demo"))
