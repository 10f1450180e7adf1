"""Sessions: what was asked and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wangchuan.cli.options import DEFAULT_AGENT, GROUP, Agent, Json, Limit, Root, WorkDir
from wangchuan.cli.output import for_stdout, note, say, say_json, say_table

if TYPE_CHECKING:
    from wangchuan.notebook.sessions import Session

app = typer.Typer(name="session", help="Write, list and show sessions.", **GROUP)

LISTED = 20


@app.command("list")
def list_sessions(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help="All of them must occur.")
    ] = None,
    mine: Annotated[bool, typer.Option("--mine", help="Only those of the agent.")] = False,
    limit: Limit = LISTED,
    agent: Agent = DEFAULT_AGENT,
    root: Root = None,
    work_dir: WorkDir = None,
    as_json: Json = False,
) -> None:
    """List the latest sessions of all agents, oldest of them first."""
    from wangchuan.cli.opening import paged

    with paged(agent, root, work_dir) as notebook:
        whose = agent if mine else None
        found = notebook.sessions.newest(limit, agent=whose, words=words or [])
    if as_json:
        say_json(found)
    elif found:
        columns = (("session", "bold"), ("agent", ""), ("request", "wide"), ("response", "wide"))
        say_table(columns, [_row(session) for session in found])
    else:
        note("no sessions")


def _row(session: Session) -> tuple[str, str, str, str]:
    return session.name, session.agent or "—", session.request, session.response


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="As listed: 20250105_103000_task1.")],
    agent: Agent = DEFAULT_AGENT,
    root: Root = None,
    work_dir: WorkDir = None,
    as_json: Json = False,
) -> None:
    """Show one session as it was written."""
    from wangchuan.cli.opening import paged
    from wangchuan.errors import NotFound
    from wangchuan.notebook.sessions import formatted

    with paged(agent, root, work_dir) as notebook:
        found = notebook.sessions.read(name)
    if found is None:
        raise NotFound(f"no session is called {name!r}; `wangchuan session list` lists them")
    if as_json:
        say_json(found)
    else:
        say(for_stdout(formatted(found).rstrip("\n")))


@app.command()
def write(
    request: Annotated[str, typer.Argument(help="What was asked.")],
    response: Annotated[str, typer.Argument(help="What came of it.")],
    task: Annotated[str, typer.Option(help="What it is called.")] = "",
    duration: Annotated[float | None, typer.Option(min=0, help="Seconds it took.")] = None,
    rounds: Annotated[int | None, typer.Option(min=0, help="Rounds it took.")] = None,
    tool: Annotated[
        list[str] | None, typer.Option(help="A tool that was called (once for each call).")
    ] = None,
    agent: Agent = DEFAULT_AGENT,
    root: Root = None,
    work_dir: WorkDir = None,
    as_json: Json = False,
) -> None:
    """Write a session and remember what it says."""
    from wangchuan.cli.opening import paged

    with paged(agent, root, work_dir, create=True) as notebook:
        written = notebook.end_session(
            request, response, task=task, duration=duration, rounds=rounds, tools=tool or []
        )
    if as_json:
        say_json(written)
    else:
        say(f"wrote {written.name}")
