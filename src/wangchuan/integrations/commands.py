"""The commands of Claude's memory tool, done on the loose pages of a notebook.

`view`, `create`, `str_replace`, `insert`, `delete` and `rename`, on paths below `/memories`. They
answer as the tool's documentation says, by which Claude was taught. Nothing here needs Anthropic's
client: `Commands(memory.notebook.pages).do(command)` serves any loop of one's own.
"""

from __future__ import annotations

import posixpath
from typing import Any

from wangchuan.errors import InvalidInput
from wangchuan.notebook.desk import LeadsOut
from wangchuan.notebook.loose import Leaf, Pages

ROOT, LEVELS, AROUND, MOST_LINES = "/memories", 2, 2, 999_999
COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename")


class Commands:
    """The six commands of the tool, over pages. Raises InvalidInput, to be told to Claude."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages

    def do(self, command: Any) -> str:
        """Do what Claude asks, while other writers wait."""
        if command.command not in COMMANDS:
            raise InvalidInput(f"Unknown command: {command.command}")
        try:
            with self.pages.batch():
                told: str = getattr(self, command.command)(command)
                return told
        except LeadsOut as error:
            raise InvalidInput(f"Path {_named(command)} would escape {ROOT} directory") from error

    def view(self, command: Any) -> str:
        """Show a page with the numbers of its lines, or the pages below a path."""
        path = _path(command.path)
        leaf = self.pages.read(path) if path else None
        if leaf is None:
            return self._listed(command.path, path)
        lines = leaf.text.split("\n")
        if len(lines) > MOST_LINES:
            raise InvalidInput(f"File {command.path} exceeds maximum line limit of 999,999 lines.")
        first, last = command.view_range or (1, -1)
        shown = _numbered(lines, first, len(lines) if last == -1 else last)
        return f"Here's the content of {command.path} with line numbers:\n{shown}"

    def create(self, command: Any) -> str:
        """Write a page where there is none."""
        path = _path(command.path)
        if self.pages.read(path):
            raise InvalidInput(f"File {command.path} already exists")
        self.pages.write(path, command.file_text, version=None)
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        """Replace a text that stands once on a page."""
        leaf, old = self._leaf(command.path), command.old_str
        lines = _lines_with(leaf.text, old)
        if not lines:
            raise InvalidInput(
                f"No replacement was performed, old_str `{old}` did not appear verbatim"
                f" in {command.path}."
            )
        if len(lines) > 1:
            raise InvalidInput(
                f"No replacement was performed. Multiple occurrences of old_str `{old}`"
                f" in lines: {', '.join(map(str, lines))}. Please ensure it is unique"
            )
        text = leaf.text.replace(old, command.new_str)
        self.pages.write(leaf.path, text, version=leaf.version)
        shown = _numbered(text.split("\n"), lines[0] - AROUND, lines[0] + AROUND)
        told = "Here is the snippet showing the change (with line numbers)"
        return f"The memory file has been edited. {told}:\n{shown}"

    def insert(self, command: Any) -> str:
        """Insert lines after a line of a page; 0 is before the first."""
        leaf, at = self._leaf(command.path), command.insert_line
        lines = leaf.text.removesuffix("\n").split("\n") if leaf.text else []
        if not 0 <= at <= len(lines):
            bounds = f"It should be within the range [0, {len(lines)}]."
            raise InvalidInput(f"Invalid `insert_line` parameter: {at}. {bounds}")
        lines.insert(at, command.insert_text.rstrip("\n"))
        self.pages.write(leaf.path, "\n".join(lines) + "\n", version=leaf.version)
        return f"The file {command.path} has been edited."

    def delete(self, command: Any) -> str:
        """Remove a page, or all pages below a path."""
        for path in self._below(command.path, "delete"):
            self.pages.delete(path)
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        """Move a page, or all pages below a path, to where there is none."""
        moved, new = self._below(command.old_path, "rename"), _path(command.new_path)
        old = _path(command.old_path)
        if any(_is_below(path, new) for path in self.pages.paths()):
            raise InvalidInput(f"The destination {command.new_path} already exists")
        for leaf in map(self.pages.read, moved):
            if leaf is not None:
                self.pages.write(new + leaf.path.removeprefix(old), leaf.text)
                self.pages.delete(leaf.path)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def _leaf(self, named: str) -> Leaf:
        leaf = self.pages.read(path) if (path := _path(named)) else None
        if leaf is None:
            raise InvalidInput(f"The path {named} does not exist. Please provide a valid path.")
        return leaf

    def _below(self, named: str, verb: str) -> list[str]:
        """Return the page of this path, or all pages below it."""
        if not (path := _path(named)):
            raise InvalidInput(f"Cannot {verb} the {ROOT} directory itself")
        found = [one for one in self.pages.paths() if _is_below(one, path)]
        if not found:
            raise InvalidInput(f"The path {named} does not exist")
        return found

    def _listed(self, named: str, path: str) -> str:
        """Return the pages and folders below a path, two levels deep, with their sizes."""
        found = [one for one in self.pages.paths() if not path or _is_below(one, path)]
        if path and not found:
            raise InvalidInput(f"The path {named} does not exist. Please provide a valid path.")
        sizes = dict[str, int]()
        for one in found:
            parts = one.removeprefix(path).strip("/").split("/")
            size = len((leaf.text if (leaf := self.pages.read(one)) else "").encode())
            for depth in range(1, min(len(parts), LEVELS) + 1):
                name = "/".join(parts[:depth]) + "/" * (depth < len(parts))
                sizes[name] = sizes.get(name, 0) + size
        rows = [f"{size}\t{named.rstrip('/')}/{name}" for name, size in sorted(sizes.items())]
        told = f"Here're the files and directories up to {LEVELS} levels deep in {named}"
        whole = f"{sum(size for name, size in sizes.items() if '/' not in name[:-1])}\t{named}"
        return "\n".join([f"{told}, excluding hidden items:", whole, *rows])


def _named(command: Any) -> str:
    return str(getattr(command, "path", None) or getattr(command, "old_path", ""))


def _path(named: str) -> str:
    """Return the path of a page, "" for the root; InvalidInput for what is not below the root."""
    if not named.startswith(ROOT):
        raise InvalidInput(f"Path must start with {ROOT}, got: {named}")
    plain = posixpath.normpath(named)
    if plain != ROOT and not plain.startswith(f"{ROOT}/"):
        raise InvalidInput(f"Path {named} would escape {ROOT} directory")
    return plain.removeprefix(ROOT).strip("/")


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _lines_with(text: str, wanted: str) -> list[int]:
    """Return the numbers of the lines on which a text begins, once for each time."""
    found, at = list[int](), text.find(wanted) if wanted else -1
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(wanted, at + 1)
    return found


def _numbered(lines: list[str], first: int, last: int) -> str:
    first = max(first, 1)
    shown = enumerate(lines[first - 1 : max(last, 0)], first)
    return "\n".join(f"{n:6}\t{line}" for n, line in shown)
