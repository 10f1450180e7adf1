"""Writing the hooks into the files of a client, and taking them out again.

Those files are others' own: what is in them stays, what changes is shown, a copy is kept beside
them, and taking the hooks out gives back the very bytes, unless somebody changed the file since;
then only what is ours goes.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import json
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wangchuan.errors import InvalidInput
from wangchuan.hooks import client
from wangchuan.storage import files

MARK = "wangchuan/hooks/client.py"  # by which our hooks are known
COPY = ".before-wangchuan"
LONGEST_BASE = 60  # characters: the path of a socket has about a hundred
EVENTS = ("UserPromptSubmit", "Stop", "SessionStart", "PreCompact")
CURSOR = ("beforeSubmitPrompt", "afterAgentResponse", "sessionStart", "preCompact")


@dataclass(frozen=True)
class Client:
    """A client: its file of hooks below the home, how long a second is to it, and its events."""

    file: str
    second: float = 1
    events: tuple[str, ...] = EVENTS
    flat: bool = False  # hooks stand in the list of their event, and the file has a version
    untried: str = ""  # what nobody has seen the client itself do


CLIENTS = {
    "claude-code": Client(".claude/settings.json"),
    "codex": Client(".codex/hooks.json"),
    "qwen-code": Client(".qwen/settings.json", second=1000),
    "cursor": Client(
        ".cursor/hooks.json",
        events=CURSOR,
        flat=True,
        untried="Cursor itself was not run with these hooks: they follow its documentation, and"
        " whether it shows a block beside each prompt depends on its version (docs/hooks.md)",
    ),
}


def home_of_data() -> Path:
    """Return the folder in which the user's own memories are, unless another is named."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "wangchuan"


@dataclass(frozen=True)
class Change:
    """What becomes of a file; None: there is none."""

    path: Path
    before: bytes | None
    after: bytes | None

    def diff(self) -> str:
        """Return what changes, line by line."""
        old, new = (
            (text or b"").decode("utf-8").splitlines() for text in (self.before, self.after)
        )
        name = str(self.path)
        return "\n".join(difflib.unified_diff(old, new, name, name, lineterm=""))

    def make(self) -> None:
        """Write the file, or remove it; the folder of a new one is made, and an empty one goes."""
        if self.after is None:
            self.path.unlink(missing_ok=True)
            if not any(self.path.parent.iterdir()):
                self.path.parent.rmdir()
            return
        files.make_folder(self.path.parent)
        draft = self.path.with_name(f".{self.path.name}.wangchuan")
        with files.open_file(draft) as out:
            out.write(self.after)
        if self.before is not None:
            draft.chmod(self.path.stat().st_mode & 0o777)
        draft.replace(self.path)


def place_of(root: Path) -> Path:
    """Return where the resident process of a root is found: short enough for a socket."""
    name = hashlib.sha256(str(root).encode()).hexdigest()[:12]
    base = os.environ.get("XDG_RUNTIME_DIR")
    if not base or len(base) > LONGEST_BASE:  # in a folder of nobody's: only its owner renames it
        return Path(f"/tmp/wangchuan-{os.getuid()}-{name}")
    return Path(base) / f"wangchuan-{name}"


def command_of(place: Path, root: Path, agent: str | None) -> str:
    """Return the command of a hook."""
    options = json.dumps({"agent": agent} if agent else {})
    hook = Path(client.__file__).resolve()
    call = [sys.executable, "-I", "-S", str(hook), str(place), str(root), options]
    return shlex.join(call)


def added(name: str, command: str, before: bytes | None) -> bytes:
    """Return the file of a client with our hooks in it. Raises InvalidInput."""
    known = CLIENTS[name]
    document = _cleaned(_document(before, known))
    hooks = document.setdefault("hooks", {})
    hook: dict[str, Any] = {"type": "command", "command": command, "timeout": 5 * known.second}
    for event in known.events:
        entry: dict[str, Any] = {"command": command} if known.flat else {"hooks": [hook]}
        hooks.setdefault(event, []).append(entry)
    if known.flat:
        document.setdefault("version", 1)
    return _written(document, before)


def _document(before: bytes | None, known: Client) -> dict[str, Any]:
    try:
        found = json.loads(before) if before and before.strip() else {}
    except ValueError as error:
        raise InvalidInput(f"~/{known.file} is not JSON ({error}); nothing was changed") from None
    hooks = found.get("hooks", {}) if isinstance(found, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(one, list) for one in hooks.values()):
        raise InvalidInput(f"~/{known.file} has hooks of no known form; nothing was changed")
    return dict(found)


def _written(document: Mapping[str, Any], before: bytes | None) -> bytes:
    indent: int | str = 2
    for line in (before or b"").decode("utf-8").splitlines()[1:2]:
        indent = line[: len(line) - len(line.lstrip())] or 2
    return (json.dumps(document, indent=indent, ensure_ascii=False) + "\n").encode()


def _is_ours(entry: Any) -> bool:
    return MARK in json.dumps(entry)


def _cleaned(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without our hooks, and without what is empty since."""
    hooks = document.get("hooks")
    if not isinstance(hooks, dict) or not _is_ours(hooks):
        return document
    left = {event: [e for e in entries if not _is_ours(e)] for event, entries in hooks.items()}
    kept = {event: entries for event, entries in left.items() if entries}
    rest = {key: value for key, value in document.items() if key != "hooks"}
    return rest | ({"hooks": kept} if kept else {})


@dataclass(frozen=True)
class Installation:
    """The hooks of one client, in the home of one user; `root` holds the agents."""

    name: str
    home: Path
    root: Path

    @property
    def path(self) -> Path:
        """Return the client's file of hooks."""
        return self.home / CLIENTS[self.name].file

    @property
    def _note(self) -> Path:
        return home_of_data() / "installed" / f"{self.name}.json"

    def install(self, agent: str | None) -> Change:
        """Return what installing changes, having noted how the file was before."""
        before = self.path.read_bytes() if self.path.exists() else None
        command = command_of(place_of(self.root), self.root, agent)
        return Change(self.path, before, added(self.name, command, before))

    def note(self, change: Change) -> None:
        """Note how the file was, and keep a copy beside it, unless our hooks were in it already."""
        if change.before is not None and MARK.encode() in change.before and self._note.exists():
            told = json.loads(self._note.read_bytes())
        else:
            told = {"before": _packed(change.before)}
            if change.before is not None:
                files.make_file(self.path.with_name(self.path.name + COPY))
                self.path.with_name(self.path.name + COPY).write_bytes(change.before)
        told["after"] = _packed(change.after)
        files.make_folder(self._note.parent)
        files.write_file(self._note, json.dumps(told))

    def uninstall(self) -> Change:
        """Return what taking the hooks out changes."""
        now = self.path.read_bytes() if self.path.exists() else None
        if now is None or MARK.encode() not in now:
            return Change(self.path, now, now)
        told = json.loads(self._note.read_bytes()) if self._note.exists() else {}
        if told and _packed(now) == told["after"]:
            return Change(self.path, now, _unpacked(told["before"]))
        document = _cleaned(_document(now, CLIENTS[self.name]))
        return Change(self.path, now, _written(document, now))

    def forget(self) -> None:
        """Drop the note and the copy."""
        self._note.unlink(missing_ok=True)
        self.path.with_name(self.path.name + COPY).unlink(missing_ok=True)


def _packed(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _unpacked(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
