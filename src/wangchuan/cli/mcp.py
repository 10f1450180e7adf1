"""Memory as an MCP server over standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from wangchuan.cli.options import DEFAULT_AGENT, Agent, Root, WorkDir
from wangchuan.server.mcp import stdio

Profile = Annotated[str, typer.Option(help=f"Which tools: {', '.join(stdio.PROFILES)}.")]


def mcp(
    agent: Agent = DEFAULT_AGENT,
    root: Root = None,
    profile: Profile = "default",
    work_dir: WorkDir = None,
) -> None:
    """Serve a memory to an MCP client over standard input and output."""
    if profile not in stdio.PROFILES:
        raise typer.BadParameter(f"--profile must be one of {', '.join(stdio.PROFILES)}")
    places = (None if place is None else str(place) for place in (root, work_dir))
    where, pages = places
    stdio.serve(stdio.Lazy(agent, where, profile, pages))
