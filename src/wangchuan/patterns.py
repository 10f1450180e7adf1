"""Regular expressions that are compiled when they are first used.

Reading language takes some two hundred of them. Compiling all would take longer than everything
else that `import` does, and most programs never use most of them.
"""

from __future__ import annotations

import re
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
