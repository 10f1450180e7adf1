"""Facts: what was learned about the user. Nobody sets a weight; there is no option for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wangchuan.cli.options import (
    DEFAULT_AGENT,
    GROUP,
    Agent,
    Id,
    Json,
    Kinds,
    Limit,
    Listing,
    Root,
    full_id,
)
from wangchuan.cli.output import Cell, moment, note, on_screen, say, say_json, say_table

if TYPE_CHECKING:
    from wangchuan.types import Fact

app = typer.Typer(
    name="facts",
    help="List facts (`facts`, `facts WORDS`); add, correct and confirm them.",
    cls=Listing,
    **{**GROUP, "no_args_is_help": False},
)

LISTED = ("fact", "core")
KINDS = (*LISTED, "system", "episode")
MARKS = {
    "promotion": "may become core: review",
    "decay": "fades: review",
    "undecided": "fades: undecided",
}

Text = Annotated[
    list[str], typer.Argument(metavar="TEXT", help="The fact; `-` reads standard input.")
]


@app.command("list")
def list_facts(
    query: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help="What they bear on; none: all.")
    ] = None,
    kind: Kinds = None,
    limit: Limit = 100,
    agent: Agent = DEFAULT_AGENT,
    root: Root = None,
    as_json: Json = False,
) -> None:
    """List the facts, newest first, or those that bear on some words, best first."""
    from wangchuan.cli.opening import opened

    kinds = kind or list(LISTED)
    unknown = sorted(set(kinds) - set(KINDS))
    if unknown:
        raise typer.BadParameter(f"kinds are {', '.join(KINDS)}, not {', '.join(unknown)}")
    with opened(agent, root) as here:
        here.settle()
        about = " ".join(query) if query else None
        say_facts(here.memory.facts(about, kinds=kinds, limit=limit), as_json)


@app.command()
def add(text: Text, agent: Agent = DEFAULT_AGENT, root: Root = None, as_json: Json = False) -> None:
    """Add a fact that you state yourself: it counts as confirmed."""
    from wangchuan.cli.intake import words_or_input
    from wangchuan.cli.opening import opened

    stated = words_or_input(text) or ""
    with opened(agent, root, create=True) as here:
        known = here.memory.facts.saying(stated) is not None
        fact = here.memory.facts.add(stated)
    _say_one("known already: confirmed" if known else "added", fact, as_json)


@app.command()
def correct(
    id: Id,  # noqa: A002 (the name users see)
    text: Text,
    agent: Agent = DEFAULT_AGENT,
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Replace a fact; the old one stays in its history and in the trash."""
    from wangchuan.cli.intake import words_or_input
    from wangchuan.cli.opening import opened

    stated = words_or_input(text) or ""
    with opened(agent, root) as here:
        fact = here.memory.facts.correct(full_id(id), stated)
    same = fact.id == full_id(id)
    _say_one("says that already: confirmed" if same else "corrected:", fact, as_json)


@app.command()
def verify(
    id: Id,  # noqa: A002 (the name users see)
    agent: Agent = DEFAULT_AGENT,
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Confirm a fact that was learned."""
    from wangchuan.cli.opening import opened

    with opened(agent, root) as here:
        _say_one("confirmed", here.memory.facts.verify(full_id(id)), as_json)


@app.command()
def history(
    id: Id,  # noqa: A002 (the name users see)
    agent: Agent = DEFAULT_AGENT,
    root: Root = None,
    as_json: Json = False,
) -> None:
    """Show a fact with all that it replaced, newest first."""
    from wangchuan.cli.opening import opened

    with opened(agent, root) as here:
        found = here.memory.facts.history(full_id(id))
    if as_json:
        say_json(found)
        return
    columns = (("id", "bold"), ("learned", "dim"), ("by", "dim"), ("fact", "text"), ("", "dim"))
    say_table(columns, [(f.id, moment(f.created_at), f.source, f.text, _fate(f)) for f in found])


def say_facts(found: list[Fact], as_json: bool) -> None:
    """Print facts, episodes or whatever else was learned."""
    if as_json:
        say_json(found)
    elif found:
        columns = (("id", "bold"), ("kind", ""), ("weight", "right"), ("topic", "dim"))
        say_table((*columns, ("memory", "text"), ("", "dim")), [_row(fact) for fact in found])
    else:
        note("nothing of that kind is known")


def _row(fact: Fact) -> tuple[Cell, ...]:
    return fact.id, fact.kind, f"{fact.weight:.2f}", fact.topic, fact.text, _marks(fact)


def _marks(fact: Fact) -> str:
    marks = ["confirmed"] if fact.verified else []
    return ", ".join([*marks, *([MARKS[fact.review]] if fact.review else [])])


def _fate(fact: Fact) -> str:
    return f"replaced by {fact.successor}" if fact.successor else _marks(fact)


def _say_one(done: str, fact: Fact, as_json: bool) -> None:
    say_json(fact) if as_json else say(on_screen(f"{done} {fact.id}  {fact.text}"))
