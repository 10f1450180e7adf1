"""The commands, gathered: a command's file is imported when the command is named.

So help is quick, and the files of commands import at their top. The lines of help stand here as
well; a test compares them with the commands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from wangchuan import __version__
from wangchuan.cli.options import GROUP
from wangchuan.cli.output import say

COMMANDS = {  # name: file, first line of help
    "demo": ("demo", "Watch two agents remember, forget and notice it."),
    "remember": ("write", "Remember text, a file or what is piped in."),
    "recall": ("search", "Recall, as text, what the focus leads to."),
    "search": (
        "search",
        "Search everything that was ever said, by words, dates, names and, if set up, by meaning.",
    ),
    "episodes": (
        "facts",
        "List the episodes: what earlier conversations were about, newest first.",
    ),
    "context": (
        "search",
        "Print the block of memory for a prompt: what is known and what comes to mind.",
    ),
    "review": ("facts", "List the facts that wait for a decision, or decide on some of them."),
    "chat": ("chat", "Talk with an agent's memory; without a model it shows what it remembers."),
    "show": ("nodes", "Show the living memories, one of them, or the network."),
    "focus": ("nodes", "Show the memories being attended, newest first."),
    "links": ("nodes", "Show where a memory leads, strongest link first."),
    "fading": ("nodes", "Show what is fading, the next to be forgotten in front."),
    "forgotten": ("nodes", "Show what was forgotten, the last to go in front."),
    "forget": ("nodes", "Move memories to the trash; `restore` brings them back."),
    "restore": ("nodes", "Bring memories back whole: forgotten ones, and those that have faded."),
    "undo": ("history", "Undo a change, or list the latest changes that are kept."),
    "replay": (
        "replay",
        "Do the whole history again, apart from the memory, and show what comes of it.",
    ),
    "erase": (
        "erase",
        "Destroy memories for good, with the messages they were made of; nothing brings them back.",
    ),
    "history": ("history", "Show what happened to a memory, oldest first."),
    "explain": ("nodes", "Show why a memory stands where it stands."),
    "tick": (
        "lifecycle",
        "Settle which memories are active and which are cold; nothing is deleted.",
    ),
    "merge": (
        "lifecycle",
        "Merge memories into one, or show which could be merged; `restore` brings sources back.",
    ),
    "stats": ("agents", "Show the figures of a memory."),
    "agents": ("agents", "Show all agents below the root."),
    "doctor": (
        "doctor",
        "Examine a memory: files, queue and consistency. Exit code 3 means problems were found.",
    ),
    "embed": (
        "vectors",
        "Make the vectors that are missing, as after choosing another embedder, and show how far.",
    ),
    "export": (
        "transfer",
        "Export a memory: to import it elsewhere (jsonl), to read it, or as RDF.",
    ),
    "import": (
        "transfer",
        "Import an export: ours into a new agent, those of other systems into any.",
    ),
    "backup": (
        "transfer",
        "Copy a memory, even one in use, to FOLDER/AGENT, from where it can be opened.",
    ),
    "install": (
        "install",
        "Give a coding agent memory by hooks: a block beside each prompt, each turn remembered.",
    ),
    "mcp": ("mcp", "Serve a memory to an MCP client over standard input and output."),
    "serve": ("serve", "Serve the memories over HTTP: REST and its dialects (extra `server`)."),
    "ui": ("serve", "Open the page to look at memories, served here (extra `server`)."),
    "work": (
        "cell",
        "Do what waits in cells, until stopped; as many workers as there is work for.",
    ),
    "settings": ("agents", "Show all settings, their values and where these come from."),
}
GROUPS = {  # name, which is also the file: help
    "facts": "List facts (`facts`, `facts WORDS`); add, correct and confirm them.",
    "task": "Begin, change and step through a task.",
    "session": "Write, list and show sessions.",
    "knowledge": "Change, compare and share knowledge.",
    "token": "Add, list and revoke the tokens of those who may ask a server.",
    "note": "See the notebook: its map, its prompt, the world.",
    "compact": "Compact a long history.",
    "cell": "Make, look at and upgrade a cell: a PostgreSQL that keeps agents.",
}
HELP = {**{name: told for name, (_, told) in COMMANDS.items()}, **GROUPS}


@cache
def loaded(name: str) -> Any:
    """Import and return a command or a group of commands."""
    if name in GROUPS:
        return get_group(import_module(f"wangchuan.cli.{name}").app)
    module = import_module(f"wangchuan.cli.{COMMANDS[name][0]}")
    alone = typer.Typer(**GROUP)
    alone.callback()(lambda: None)
    alone.command(name)(vars(module).get(name) or vars(module)[f"{name}_"])
    return get_group(alone).commands[name]


class Commands(Mapping[str, Any]):
    """The commands by their names, each loaded when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in HELP:
            raise KeyError(name)
        return loaded(name)

    def __iter__(self) -> Iterator[str]:
        return iter(HELP)

    def __len__(self) -> int:
        return len(HELP)


class Root(TyperGroup):
    """All commands, of which help loads none."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Commands()  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (the one of a group)
        """Return the names of the commands."""
        return list(HELP)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the list of commands."""
        limit = formatter.width - 6 - max(map(len, HELP))
        rows = [
            (name, TyperCommand(name, help=told).get_short_help_str(limit))
            for name, told in HELP.items()
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


app = typer.Typer(
    name="wangchuan",
    cls=Root,
    pretty_exceptions_enable=False,
    **GROUP,  # without boxes around help, which would nearly double its time
)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"wangchuan {__version__}")
        raise typer.Exit


@app.callback()
def wangchuan(
    version: Annotated[  # noqa: ARG001 (the option is what it is for)
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Wangchuan 忘川: the memory of AI agents, in one folder each. Begin with `wangchuan demo`."""
    if Path("wangchuan.toml").is_file():
        from wangchuan.cli.opening import tell_of_the_project  # loads the library

        tell_of_the_project()
