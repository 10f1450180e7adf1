"""Tokens: who may ask a server for what."""

from __future__ import annotations

import re
import time
from typing import Annotated

import typer

from wangchuan.cli.options import GROUP, Json, Listing, Root
from wangchuan.cli.output import note, say, say_json, say_table
from wangchuan.errors import InvalidInput
from wangchuan.server.tokens import Tokens
from wangchuan.settings.fields import load

SECONDS = {"h": 3600, "d": 86400, "w": 7 * 86400}
app = typer.Typer(
    name="token",
    cls=Listing,
    help="Add, list and revoke the tokens of those who may ask a server.",
    **GROUP,
)


def _tokens(root: object) -> Tokens:
    return Tokens(load(root=root).root, time.time)


def _until(given: str | None) -> float | None:
    """Return when a time from now is, in seconds since 1970."""
    if given is None:
        return None
    found = re.fullmatch(r"(\d{1,5})([hdw])", given.strip())
    if not found:
        raise InvalidInput(f"--expires {given!r:.20} must be like 12h, 30d or 4w")
    return time.time() + int(found[1]) * SECONDS[found[2]]


@app.command("add")
def add(
    agent: Annotated[
        list[str], typer.Option("--agent", "-a", help="An agent (repeatable); * means all.")
    ],
    rights: Annotated[
        str, typer.Option("--rights", help="Some of read, write, erase and admin, with commas.")
    ] = "read,write",
    expires: Annotated[
        str | None, typer.Option("--expires", help="When it ends: 12h, 30d, 4w [default: never].")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Whose it is, for the record.")] = "",
    root: Root = None,
) -> None:
    """Make a token and print it: it is not shown again."""
    wanted = [right.strip() for right in rights.split(",") if right.strip()]
    say(_tokens(root).add(agent, wanted, name=name, expires=_until(expires)))


@app.command("list")
def list_(root: Root = None, as_json: Json = False) -> None:
    """List the tokens; what they are is not kept."""
    tokens = _tokens(root).list()
    if as_json:
        say_json(tokens)
        return
    if not tokens:
        note("there are no tokens; `wangchuan token add --agent NAME` makes one")
        return
    columns = [("id", "bold"), ("name", ""), ("agents", ""), ("rights", ""), ("expires", "")]
    say_table(
        columns,
        [
            (one.id, one.name, " ".join(one.agents), " ".join(one.rights), _day(one.expires))
            for one in tokens
        ],
    )


def _day(at: float | None) -> str:
    return "never" if at is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


@app.command("revoke")
def revoke(
    token: Annotated[str, typer.Argument(metavar="ID", help="The id of a token, or itself.")],
    root: Root = None,
) -> None:
    """Revoke a token: it is refused from now on, also by servers that run."""
    _tokens(root).revoke(token)
    note("revoked")
