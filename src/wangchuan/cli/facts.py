"""Facts: what was learned about the user. Nobody sets a weight; there is no option for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wangchuan.cli.intake import words_or_input
from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.options import (
    GROUP,
    Id,
    Kinds,
    Limit,
    Listing,
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
@of_memory
def list_facts(
    call: Call,
    query: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help="What they bear on; none: all.")
    ] = None,
    kind: Kinds = None,
    limit: Limit = 100,
) -> None:
    """List the facts, newest first, or those that bear on some words, best first."""
    kinds = kind or list(LISTED)
    unknown = sorted(set(kinds) - set(KINDS))
    if unknown:
        raise typer.BadParameter(f"kinds are {', '.join(KINDS)}, not {', '.join(unknown)}")
    with call.opened() as here:
        here.settle()
        about = " ".join(query) if query else None
        say_facts(here.memory.facts(about, kinds=kinds, limit=limit), call.as_json)


@app.command()
@of_memory
def add(
    call: Call,
    text: Text,
) -> None:
    """Add a fact that you state yourself: it counts as confirmed."""
    stated = words_or_input(text) or ""
    with call.opened(create=True) as here:
        known = here.memory.facts.saying(stated) is not None
        fact = here.memory.facts.add(stated)
    _say_one("known already: confirmed" if known else "added", fact, call.as_json)


@app.command()
@of_memory
def correct(
    call: Call,
    id: Id,  # noqa: A002 (the name users see)
    text: Text,
) -> None:
    """Replace a fact; the old one stays in its history and in the trash."""
    stated = words_or_input(text) or ""
    with call.opened() as here:
        fact = here.memory.facts.correct(full_id(id), stated)
    same = fact.id == full_id(id)
    _say_one("says that already: confirmed" if same else "corrected:", fact, call.as_json)


@app.command()
@of_memory
def verify(
    call: Call,
    id: Id,  # noqa: A002 (the name users see)
) -> None:
    """Confirm a fact that was learned."""
    with call.opened() as here:
        _say_one("confirmed", here.memory.facts.verify(full_id(id)), call.as_json)


@app.command()
@of_memory
def history(
    call: Call,
    id: Id,  # noqa: A002 (the name users see)
) -> None:
    """Show a fact with all that it replaced, newest first."""
    with call.opened() as here:
        found = here.memory.facts.history(full_id(id))
    if call.as_json:
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
