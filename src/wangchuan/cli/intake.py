"""Reading what is to be remembered: arguments, files, pipes.

All of it is read and checked before any of it is stored, so that a bad line at the end of a long
file leaves nothing half done.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from wangchuan.errors import InvalidInput
from wangchuan.messages import checked
from wangchuan.types import Message, value

LINES, LIST = (".jsonl", ".ndjson"), (".json",)
STDIN = "standard input"


@value
class Source:
    """Where to read: words given as arguments, a file, or a pipe; `jsonl` forces JSON lines."""

    words: tuple[str, ...]
    file: Path | None
    jsonl: bool

    def is_piped(self) -> bool:
        """Tell whether standard input is to be read."""
        if self.words == ("-",) or self.file == Path("-"):
            return True
        return not self.words and self.file is None and not sys.stdin.isatty()


def messages_from(source: Source, role: str, name: str | None) -> list[Message]:
    """Return the checked messages of a source; `role` and `name` are those of plain text.

    Raises InvalidInput for what cannot be used, naming the line, and BadParameter for a
    command line that names no source or two.
    """
    _refuse_unclear(source)
    if source.words and not source.is_piped():
        return _spoken(" ".join(source.words), role, name)
    text, label, suffix = _text_of(source)
    if source.jsonl or suffix in LINES:
        return list(_from_lines(text, label))
    if suffix in LIST:
        return _from_list(text, label)
    return _spoken(text, role, name)


def words_or_input(words: list[str] | None) -> str | None:
    """Return words of the command line as a text, or standard input for `-`; None for none."""
    if words == ["-"]:
        return _decoded(sys.stdin.buffer.read(), STDIN)
    return " ".join(words) if words else None


def _refuse_unclear(source: Source) -> None:
    if source.words and source.file is not None:
        raise typer.BadParameter("give either text or --file, not both")
    if not source.words and source.file is None and not source.is_piped():
        raise typer.BadParameter("nothing to remember: give text, --file, or pipe something in")
    if source.jsonl and source.words and not source.is_piped():
        raise typer.BadParameter("--jsonl is for --file and for pipes, not for text")


def _spoken(text: str, role: str, name: str | None) -> list[Message]:
    if not text.strip():
        raise InvalidInput("there is nothing to remember: the text is empty")
    return checked({"role": role, "content": text, "name": name})


def _text_of(source: Source) -> tuple[str, str, str]:
    """Return the text of a file or pipe, how to call it, and its suffix."""
    if source.is_piped() or source.file is None:
        return _decoded(sys.stdin.buffer.read(), STDIN), STDIN, ""
    path = source.file
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error
    return _decoded(data, str(path)), str(path), path.suffix.casefold()


def _decoded(data: bytes, label: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fault = f"byte {error.start} ({data[error.start]:#04x})"
        raise InvalidInput(f"{label} is not UTF-8: {fault}; nothing was stored") from error


def _parsed(text: str, label: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        fault = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InvalidInput(f"{label}: not JSON ({fault}); nothing was stored") from error


def _from_lines(text: str, label: str) -> Iterator[Message]:
    # Not splitlines(): JSON may hold U+2028 and its like inside a string.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{label}, line {number}"
            yield _one(_parsed(line, where), where)


def _from_list(text: str, label: str) -> list[Message]:
    found = _parsed(text, label)
    if isinstance(found, dict) and isinstance(found.get("messages"), list):
        found = found["messages"]
    elif isinstance(found, dict):
        found = [found]
    if not isinstance(found, list):
        raise InvalidInput(f"{label}: messages were expected; nothing was stored")
    return [_one(item, f"{label}, message {index}") for index, item in enumerate(found, 1)]


def _one(item: Any, where: str) -> Message:
    if not isinstance(item, dict):
        kind = type(item).__name__
        raise InvalidInput(f"{where}: must be an object with role and content, not {kind}")
    try:
        return checked([item])[0]
    except InvalidInput as error:
        fault = str(error).removeprefix("message 0 ")
        raise InvalidInput(f"{where}: {fault}") from error
