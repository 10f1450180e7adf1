"""Folders to run the command in."""

from __future__ import annotations

from pathlib import Path

import pytest
from acceptance.command import Demo, Run, wangchuan


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the command in a folder of the test's own."""
    return lambda *args, **options: wangchuan(tmp_path, *args, **options)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo, told once for all tests that only look at what it left."""
    return Demo(tmp_path_factory.mktemp("demo"))
