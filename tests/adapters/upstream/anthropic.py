"""Anthropic's tests of its memory tool on files, with pages in the place of files.

Their tests look into a folder `memories`; the pages are put there, and nothing else.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anthropic.lib.tools._beta_builtin_memory_tool as theirs
from anyio import Path as AsyncPath

from wangchuan.integrations.anthropic import AsyncWangchuanMemoryTool, WangchuanMemoryTool
from wangchuan.notebook.desk import Desk
from wangchuan.notebook.loose import Pages
from wangchuan.storage.files import make_folder


class Beside(Desk):
    """A desk whose ledger lies elsewhere than its pages."""

    def _place(self, path: Path) -> Path:
        return path if path.name == "pages.json" else super()._place(path)


def memory_at(base: Path) -> Any:
    beside = Path(tempfile.mkdtemp())
    make_folder(base / "memories")
    desk = Beside("a", beside / "lock", base / "memories")
    pages = Pages(base / "memories", beside / "pages.json", desk)
    return SimpleNamespace(notebook=SimpleNamespace(pages=pages))


class Tool(WangchuanMemoryTool):
    def __init__(self, base_path: str = "./memory") -> None:
        self.base_path = Path(base_path)
        self.memory_root = self.base_path / "memories"
        super().__init__(memory_at(self.base_path))


class AsyncTool(AsyncWangchuanMemoryTool):
    def __init__(self, base_path: str = "./memory") -> None:
        self.base_path = Path(base_path)
        self.memory_root = AsyncPath(self.base_path / "memories")
        super().__init__(memory_at(self.base_path))


theirs.BetaLocalFilesystemMemoryTool = Tool
theirs.BetaAsyncLocalFilesystemMemoryTool = AsyncTool
