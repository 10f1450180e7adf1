"""Putting memory into the clients people use: hooks of coding agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wangchuan.cli.options import Root
from wangchuan.cli.output import note, say
from wangchuan.errors import InvalidInput
from wangchuan.hooks.installing import CLIENTS, Installation, home_of_data
from wangchuan.ids import checked_id


def install(
    client: Annotated[str, typer.Argument(help=f"Which: {', '.join(CLIENTS)}.")],
    agent: Annotated[
        str | None,
        typer.Option("--agent", "-a", help="Whose memory [default: one for each project folder]."),
    ] = None,
    root: Root = None,
    uninstall: Annotated[
        bool, typer.Option("--uninstall", help="Take the hooks out again.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change.")] = False,
) -> None:
    """Give a coding agent memory by hooks: a block beside each prompt, each turn remembered."""
    if client not in CLIENTS:
        raise InvalidInput(f"{client!r} is not known; hooks are there for {', '.join(CLIENTS)}")
    if agent is not None:
        checked_id(agent)
    where = (root or home_of_data() / "memory_data").expanduser().absolute()
    one = Installation(client, Path.home(), where)
    change = one.uninstall() if uninstall else one.install(agent)
    if change.before == change.after:
        note(f"nothing to change in {change.path}")
        return
    say(change.diff())
    if not uninstall and CLIENTS[client].untried:
        note(CLIENTS[client].untried)
    if dry_run:
        return
    if not uninstall:
        one.note(change)
    change.make()
    if uninstall:
        one.forget()
    note(f"{'took the hooks out of' if uninstall else 'wrote'} {change.path}; memories: {where}")
