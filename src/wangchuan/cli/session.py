"""Sessions: what was asked and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wangchuan.cli.opening import Call, of_notebook
from wangchuan.cli.options import GROUP, Limit
from wangchuan.cli.output import for_stdout, note, say, say_json, say_table
from wangchuan.errors import NotFound
from wangchuan.notebook.sessions import formatted

if TYPE_CHECKING:
    from wangchuan.notebook.sessions import Session

app = typer.Typer(name="session", help="Write, list and show sessions.", **GROUP)

LISTED = 20


@app.command("list")
@of_notebook
def list_sessions(
    call: Call,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help="All of them must occur.")
    ] = None,
    mine: Annotated[bool, typer.Option("--mine", help="Only those of the agent.")] = False,
    limit: Limit = LISTED,
) -> None:
    """List the latest sessions of all agents, oldest of them first."""
    with call.paged() as notebook:
        whose = call.agent if mine else None
        found = notebook.sessions.newest(limit, agent=whose, words=words or [])
    if call.as_json:
        say_json(found)
    elif found:
        columns = (("session", "bold"), ("agent", ""), ("request", "wide"), ("response", "wide"))
        say_table(columns, [_row(session) for session in found])
    else:
        note("no sessions")


def _row(session: Session) -> tuple[str, str, str, str]:
    return session.name, session.agent or "—", session.request, session.response


@app.command()
@of_notebook
def show(
    call: Call, name: Annotated[str, typer.Argument(help="As listed: 20250105_103000_task1.")]
) -> None:
    """Show one session as it was written."""
    with call.paged() as notebook:
        found = notebook.sessions.read(name)
    if found is None:
        raise NotFound(f"no session is called {name!r}; `wangchuan session list` lists them")
    if not call.told(found):
        say(for_stdout(formatted(found).rstrip("\n")))


@app.command()
@of_notebook
def write(
    call: Call,
    request: Annotated[str, typer.Argument(help="What was asked.")],
    response: Annotated[str, typer.Argument(help="What came of it.")],
    task: Annotated[str, typer.Option(help="What it is called.")] = "",
    duration: Annotated[float | None, typer.Option(min=0, help="Seconds it took.")] = None,
    rounds: Annotated[int | None, typer.Option(min=0, help="Rounds it took.")] = None,
    tool: Annotated[
        list[str] | None, typer.Option(help="A tool that was called (once for each call).")
    ] = None,
) -> None:
    """Write a session and remember what it says."""
    with call.paged(create=True) as notebook:
        written = notebook.end_session(
            request, response, task=task, duration=duration, rounds=rounds, tools=tool or []
        )
    if not call.told(written):
        say(f"wrote {written.name}")
