"""Options and arguments that several commands share."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

DEFAULT_AGENT = "default"

Agent = Annotated[
    str,
    typer.Option("--agent", "-a", envvar="WANGCHUAN_AGENT", help="The agent whose memory it is."),
]
Root = Annotated[
    Path | None,
    typer.Option("--root", help="The folder of the agents' folders [default: the setting]."),
]
WorkDir = Annotated[
    Path | None,
    typer.Option("--work-dir", "-w", help="The folder of the notebook [default: the setting, .]."),
]
Server = Annotated[
    str | None,
    typer.Option("--server", envvar="WANGCHUAN_SERVER", help="A server that keeps it instead."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="Show at most so many.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="A memory: mem_12, or just 12.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID", help="Memories: mem_12, or just 12.")]
SomeIds = Annotated[
    list[str] | None, typer.Argument(metavar="[ID]", help="Memories: mem_12, or just 12.")
]
Words = Annotated[
    list[str] | None, typer.Argument(metavar="WORDS", help="What it bears on; none: everything.")
]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", help="Only memories of this kind (repeatable).")
]

GROUP: dict[str, Any] = {
    "no_args_is_help": True,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


class Listing(TyperGroup):
    """A group of commands that lists when none of them is named: `facts` is `facts list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `list` before what does not begin with a command of this group."""
        named = args and (args[0] in self.commands or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if named else ["list", *args])


def command_line(what: str, agent: str, root: Path | None) -> str:
    """Return a command to paste that concerns the same agent as the one that is running."""
    whose = "" if agent == DEFAULT_AGENT else f" --agent {shlex.quote(agent)}"
    where = "" if root is None else f" --root {shlex.quote(str(root))}"
    return f"wangchuan {what}{whose}{where}"


def full_id(given: str) -> str:
    """Return the id of a memory from an id or its bare number."""
    given = given.strip()
    is_number = given.isascii() and given.isdecimal()
    return f"mem_{given.lstrip('0') or 0}" if is_number else given


def full_ids(given: list[str]) -> list[str]:
    """Return the ids of memories, each once."""
    return list(dict.fromkeys(full_id(one) for one in given))
