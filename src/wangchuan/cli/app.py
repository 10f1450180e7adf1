"""The commands, gathered. What they need is imported when they run, so that help is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wangchuan.cli import (
    care,
    chat,
    compact,
    demo,
    erase,
    facts,
    find,
    knowledge,
    learned,
    lifecycle,
    note,
    read,
    repair,
    replay,
    session,
    task,
    transfer,
    undo,
    write,
)
from wangchuan.cli.opening import tell_of_the_project
from wangchuan.cli.output import say

COMMANDS = (
    demo.demo,
    write.remember,
    read.recall,
    find.search,
    learned.episodes,
    learned.context,
    learned.review,
    chat.chat,
    read.show,
    read.focus,
    read.links,
    read.fading,
    read.forgotten,
    care.forget,
    care.restore,
    undo.undo,
    replay.replay,
    erase.erase,
    read.history,
    read.explain,
    lifecycle.tick,
    lifecycle.merge,
    care.stats,
    care.agents,
    repair.doctor,
    find.embed,
    transfer.export,
    transfer.import_,
    transfer.backup,
    care.settings,
)
GROUPS = (facts.app, task.app, session.app, knowledge.app, note.app, compact.app)

app = typer.Typer(
    name="wangchuan",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing boxes around help would nearly double its time
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from wangchuan import __version__

        say(f"wangchuan {__version__}")
        raise typer.Exit


@app.callback()
def wangchuan(
    version: Annotated[  # noqa: ARG001 (the option is what it is for)
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Wangchuan 忘川: the memory of AI agents, in one folder each. Begin with `wangchuan demo`."""
    if Path("wangchuan.toml").is_file():
        tell_of_the_project()


for command in COMMANDS:
    app.command(command.__name__.rstrip("_"))(command)
for group in GROUPS:
    app.add_typer(group)
