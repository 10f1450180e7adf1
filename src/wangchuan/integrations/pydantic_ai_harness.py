"""Pydantic AI's harness: the loose pages of a notebook as the store of its `Memory`.

`Memory(store=WangchuanMemoryStore(memory))` of `pydantic_ai_harness.memory` keeps its files among
the pages of the agent's notebook (`Memory.open(…, work_dir=".", mode="full")`).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

from pydantic_ai_harness.memory import (
    MemoryConflictError,
    MemoryFile,
    MemoryMutation,
    MemoryOperationConflictError,
    MemorySearchMatch,
    MemorySearchResult,
)

from wangchuan.errors import Conflict
from wangchuan.memory import Memory
from wangchuan.notebook.loose import Change, Reused, around, ranked

_PATH = re.compile(r"[A-Za-z0-9_.\-/]*")


class WangchuanMemoryStore:
    """A `MemoryStore` of the harness, with search, over the pages of a notebook."""

    def __init__(self, memory: Memory) -> None:
        self._pages = memory.notebook.pages

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """Return the file at a path, cut to so many characters; None if there is none."""
        _positive("max_chars", max_chars)
        leaf = await asyncio.to_thread(self._pages.read, _plain(path))
        if leaf is None:
            return None
        truncated = len(leaf.text) > max_chars
        return MemoryFile(leaf.text[:max_chars], leaf.version, leaf.operation, truncated)

    async def get_operation(self, operation: Any) -> MemoryMutation | None:
        """Return what an operation came to, None if it was not done."""
        return await asyncio.to_thread(_done, lambda: self._pages.done(operation))

    async def write(
        self, path: str, content: str, *, expected_version: str | None, operation: Any = None
    ) -> MemoryMutation:
        """Create or replace a file that has this version."""
        options = {"version": expected_version, "operation": operation}
        act = partial(self._pages.write, _plain(path), content, **options)
        return cast(MemoryMutation, await asyncio.to_thread(_done, act))

    async def delete(
        self, path: str, *, expected_version: str | None, operation: Any = None
    ) -> MemoryMutation:
        """Delete a file that has this version."""
        options = {"version": expected_version, "operation": operation}
        act = partial(self._pages.delete, _plain(path), **options)
        return cast(MemoryMutation, await asyncio.to_thread(_done, act))

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """Return the paths below a prefix, sorted."""
        _positive("limit", limit)
        return (await asyncio.to_thread(self._pages.paths, _plain(prefix)))[:limit]

    async def search(self, prefix: str, query: str, **bounds: int) -> MemorySearchResult:
        """Return the files directly below a prefix that hold words of a query, in our ranking.

        Bounds are theirs: limit, max_files, max_chars and max_file_chars.
        """
        if not query.split() or min(bounds.values()) <= 0:
            return MemorySearchResult([], 0, truncated=False)
        return await asyncio.to_thread(self._searched, _plain(prefix), query, bounds)

    def _searched(self, prefix: str, query: str, bounds: dict[str, int]) -> MemorySearchResult:
        scope = [p for p in self._pages.paths(prefix) if "/" not in p.removeprefix(prefix)]
        near, longest = scope[: bounds["max_files"]], bounds["max_file_chars"]
        whole = [leaf for path in near if (leaf := self._pages.read(path))]
        found = ranked([replace(one, text=one.text[:longest]) for one in whole], query, prefix)
        matches, left = list[MemorySearchMatch](), bounds["max_chars"]
        for leaf in found[: bounds["limit"]]:
            left -= len(leaf.path.removeprefix(prefix))
            if left <= 0:
                break
            text = around(leaf.text, query, left)
            matches.append(MemorySearchMatch(leaf.path, text, leaf.score or 0.0))
            left -= len(text)
        cut = len(near) < len(scope) or len(matches) < len(found)
        cut = cut or any(len(one.text) > longest for one in whole)
        return MemorySearchResult(matches, len(near), truncated=cut)


def _done(act: Callable[[], Change | None]) -> MemoryMutation | None:
    """Do something to a page, and tell what came of it in the harness' words."""
    try:
        change = act()
    except Conflict as error:
        raise MemoryConflictError(str(error)) from error
    except Reused as error:
        raise MemoryOperationConflictError(str(error)) from error
    return MemoryMutation(change.version, change.again, change.existed) if change else None


def _plain(path: str) -> str:
    """Return a path in the harness' own, narrower form; ValueError for any other."""
    if not _PATH.fullmatch(path):
        raise ValueError(f"invalid memory path: {path!r}")
    return path


def _positive(name: str, value: int) -> None:
    if value <= 0:
        raise ValueError(f"{name} must be positive")
