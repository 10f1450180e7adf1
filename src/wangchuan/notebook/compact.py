"""The page of the compact memory: the only thing an agent in minimal mode writes.

Its first line says whose it is. Where it is another agent's, the memory goes to a page with the
agent's own name: nobody writes over anybody's memory.
"""

from __future__ import annotations

import re
from pathlib import Path

from wangchuan.notebook.desk import Desk
from wangchuan.notebook.pages import as_read
from wangchuan.notebook.places import Places

_OWNER = re.compile(r"\A<!-- agent: (.*?) -->\n?")


class CompactPage:
    """One agent's compact memory on disk."""

    def __init__(self, places: Places, desk: Desk) -> None:
        self._places, self._desk = places, desk

    @property
    def path(self) -> Path:
        """Return the page that is this agent's."""
        if self._places.own_compact.exists():
            return self._places.own_compact
        owner = _OWNER.match(as_read(self._desk.read(self._places.compact) or ""))
        taken = owner is not None and owner[1] != self._places.agent
        return self._places.own_compact if taken else self._places.compact

    def read(self) -> str:
        """Return the compact memory; "" if there is none."""
        text = as_read(self._desk.read(self.path) or "")
        return _OWNER.sub("", text, count=1).strip("\n") if _OWNER.match(text) else text.strip("\n")

    def write(self, text: str) -> None:
        """Replace the compact memory, whole."""
        whole = f"<!-- agent: {self._places.agent} -->\n{text.strip(chr(10))}\n"
        with self._desk.locked():
            path = self.path
            if path.exists() or not self._desk.create(path, whole):
                self._desk.write(self.path, whole)  # who came first has the page
