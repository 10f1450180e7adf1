"""The files of the page, as they stand in the package."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from wangchuan.types import value

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}


@value
class File:
    """A file of the page; `mark` changes with its content."""

    content: bytes
    type: str
    mark: str

    @property
    def text(self) -> str:
        """Return its content as text."""
        return self.content.decode("utf-8")


@cache
def all_files() -> dict[str, File]:
    """Return the files by their paths."""
    return dict(_below(files("wangchuan.server.page").joinpath("static"), ""))


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, File]]:
    for one in folder.iterdir():
        if one.is_dir():
            yield from _below(one, f"{path}{one.name}/")
        elif (kind := one.name.rpartition(".")[2]) in TYPES:
            content = one.read_bytes()
            mark = hashlib.sha256(content).hexdigest()[:32]
            yield path + one.name, File(content, TYPES[kind], f'"{mark}"')
