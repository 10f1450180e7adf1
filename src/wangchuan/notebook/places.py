"""Where everything is, and what it is: the two modes, the paths, and the map.

Three questions are asked of whatever an agent keeps: is it about the agent itself or about the
world (主体/世界), a standing state or a stream of events (状态/事件流), a pattern that can be used
again or one particular case of it (类型层/实例层)? The answers are data; code and documentation
show the same table.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Literal

from wangchuan.arguments import a_text, one_of
from wangchuan.types import value

MODES = ("minimal", "full")
COMPACT = ".compact_memory.md"
LONGEST_SLUG, MOST_BYTES = 60, 150

Side = Literal["subject", "world"]
Time = Literal["state", "event"]
Layer = Literal["type", "instance"]


@value
class Artefact:
    """One thing an agent keeps: where it is, in which modes, and its place in the framework."""

    name: str
    where: str
    side: Side
    times: tuple[Time, ...]
    layer: Layer
    modes: tuple[str, ...] = ("full",)
    explicit: bool = True


_NOTES, _BOTH = ".notes/{agent}/", ("minimal", "full")
MAP = (
    Artefact("task process", _NOTES + "task_process.md", "subject", ("state", "event"), "instance"),
    Artefact("agent knowledge", _NOTES + "agent_knowledge.md", "subject", ("state",), "type"),
    Artefact("knowledge files", _NOTES + "knowledge/**.md", "subject", ("state",), "type"),
    Artefact("functions", _NOTES + "functions.json", "subject", ("state",), "type"),
    Artefact("knowledge versions", _NOTES + "versions/**.jsonl", "subject", ("event",), "type"),
    Artefact("knowledge trials", _NOTES + "trials.json", "subject", ("event",), "type"),
    Artefact("loose pages", _NOTES + "pages/**", "subject", ("state",), "instance"),
    Artefact("world state", _NOTES + "world_state.md", "world", ("state",), "instance"),
    Artefact("sessions", ".sessions/*.md", "world", ("event",), "instance"),
    Artefact(
        "prompt templates",
        "the prompts of the routines compact and world",
        "world",
        ("state",),
        "type",
        _BOTH,
        explicit=False,
    ),
    Artefact("compact memory", COMPACT, "subject", ("state", "event"), "instance", ("minimal",)),
    Artefact(
        "living network",
        "memory_data/{agent}/memory.db",
        "subject",
        ("state", "event"),
        "instance",
        _BOTH,
    ),
)


@value
class Places:
    """The paths of one agent's pages below a working directory."""

    work_dir: Path
    agent: str

    @property
    def notes(self) -> Path:
        """Return the folder of the agent's own pages."""
        return self.work_dir / ".notes" / self.agent

    @property
    def task_process(self) -> Path:
        """Return the page of what the agent is doing."""
        return self.notes / "task_process.md"

    @property
    def world_state(self) -> Path:
        """Return the page of the world state."""
        return self.notes / "world_state.md"

    @property
    def sessions(self) -> Path:
        """Return the folder of all agents' sessions."""
        return self.work_dir / ".sessions"

    @property
    def compact(self) -> Path:
        """Return the page of the compact memory, if it is not another agent's."""
        return self.work_dir / COMPACT

    def folders(self) -> list[Path]:
        """Return the folders in which the agent writes, as far as they are there."""
        below = [path for path in self.notes.rglob("*") if path.is_dir()]
        return [self.work_dir, self.sessions, self.notes, *below]

    def pages(self) -> list[Path]:
        """Return the files in which the agent writes, as far as they are there."""
        below = [*self.notes.rglob("*"), *self.sessions.glob("*.md"), self.compact]
        return sorted(path for path in {*below, self.own_compact} if path.is_file())

    @property
    def own_compact(self) -> Path:
        """Return the page of the compact memory where the other one is taken."""
        return self.work_dir / f".compact_memory.{self.agent}.md"


def checked_mode(mode: object) -> str:
    """Return a mode, or raise InvalidInput."""
    return one_of(mode, MODES, "mode")


def slug(name: str, otherwise: str = "task") -> str:
    """Return a name as a part of a file name: letters, digits, `-` and `_`, not too long."""
    plain = unicodedata.normalize("NFC", a_text(name, "a name"))
    kept = [c if c in "-_" or unicodedata.category(c)[0] in "LMN" else " " for c in plain]
    short = "_".join("".join(kept).split())[:LONGEST_SLUG].strip("_")
    return short.encode()[:MOST_BYTES].decode("utf-8", "ignore") or otherwise
