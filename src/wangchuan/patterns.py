"""Regular expressions that are compiled, and modules that are loaded, when they are first used.

Reading language takes some two hundred patterns. Compiling all would take longer than everything
else that `import` does, and most programs never use most of them. Of modules, too, a program that
only searches needs few.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, cast


class _Pattern:
    """Stands for a compiled pattern, and has all that one has."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._source, self._flags), name)  # `re` keeps what it compiled
        setattr(self, name, found)  # next time it is just there
        return found


def regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled on its first use."""
    return cast("re.Pattern[str]", _Pattern(source, flags))


class _Module:
    """Stands for a module, and has all that it has."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


def later(name: str) -> Any:
    """Return a module that is loaded on its first use.

    Beside it stands an import for type checkers, by which the rooms see it too.
    """
    return _Module(name)
