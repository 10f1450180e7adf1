"""Facts: what was learned about the user. Nobody sets a weight; there is no option for it."""

from __future__ import annotations

from typing import Annotated

import typer

from wangchuan.cli.intake import words_or_input
from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.options import GROUP, Id, Kinds, Limit, Listing, Words, full_id, full_ids
from wangchuan.cli.output import Cell, moment, note, on_screen, say, say_json, say_table
from wangchuan.errors import InvalidInput
from wangchuan.settings.fields import Settings
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
    kind: Annotated[
        str, typer.Option(help="fact; core: always holds; system: nothing said changes it.")
    ] = "fact",
) -> None:
    """Add a fact that you state yourself: it counts as confirmed."""
    stated = words_or_input(text) or ""
    with call.opened(create=True) as here:
        known = here.memory.facts.saying(stated) is not None
        fact = here.memory.facts.add(stated, kind=kind)
    _say_one("known already: confirmed" if known else "added", fact, call.as_json)


@app.command()
@of_memory
def correct(call: Call, id: Id, text: Text) -> None:
    """Replace a fact; the old one stays in its history and in the trash."""
    stated = words_or_input(text) or ""
    with call.opened() as here:
        fact = here.memory.facts.correct(full_id(id), stated)
    same = fact.id == full_id(id)
    _say_one("says that already: confirmed" if same else "corrected:", fact, call.as_json)


@app.command()
@of_memory
def verify(call: Call, id: Id) -> None:
    """Confirm a fact that was learned."""
    with call.opened() as here:
        _say_one("confirmed", here.memory.facts.verify(full_id(id)), call.as_json)


@app.command()
@of_memory
def promote(call: Call, id: Id) -> None:
    """Make a fact core: it always holds, and stands in every block for a prompt."""
    with call.opened() as here:
        _say_one("core now", here.memory.facts.promote(full_id(id)), call.as_json)


@app.command()
@of_memory
def history(call: Call, id: Id) -> None:
    """Show a fact with all that it replaced, newest first."""
    with call.opened() as here:
        found = here.memory.facts.history(full_id(id))
    if call.told(found):
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


BY_ITSELF = {
    "auto": "the model decides at once; WANGCHUAN_REVIEWER=person leaves it to you",
    "rules": "rules decide at once; WANGCHUAN_REVIEWER=person leaves it to you",
    "none": "nobody reviews: what falls below 0.3 goes (reviewer = none)",
}


@of_memory
def episodes(call: Call, query: Words = None, limit: Limit = 100) -> None:
    """List the episodes: what earlier conversations were about, newest first."""
    with call.opened() as here:
        here.settle()
        found = here.memory.facts.episodes(" ".join(query) if query else None, limit)
        waiting, full = len(here.memory.look.working()), here.host.settings.working_messages
    say_facts(found, call.as_json)
    if not call.as_json:
        note(f"working memory: {waiting} of {full} messages; beyond that they become an episode")


@of_memory
def review(
    call: Call,
    promote: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Make a fact a core memory.")
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Keep it as it is, or from fading.")
    ] = None,
    delete: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Move it to the trash.")
    ] = None,
) -> None:
    """List the facts that wait for a decision, or decide on some of them.

    If one of the ids does not wait for that decision, nothing is decided.
    """
    given = {"promote": promote, "keep": keep, "delete": delete}
    wanted = [(id_, how) for how, ids in given.items() for id_ in full_ids(ids or [])]
    with call.opened() as here:
        here.settle()
        _check(wanted, here.memory.facts.pending())
        for node_id, decision in wanted:
            here.memory.facts.decide(node_id, decision)
        waiting, reviewer = here.memory.facts.pending(), _reviewer(here.host.settings)
    if call.as_json:
        decided = [{"id": node_id, "decision": decision} for node_id, decision in wanted]
        say_json({"decided": decided, "waiting": waiting})
        return
    for node_id, decision in wanted:
        say(f"{decision} {node_id}")
    _say_waiting(waiting, reviewer, call.to_type("review --keep ID"))


def _reviewer(settings: Settings) -> str:
    """Return who reviews: without a model, rules stand in for it."""
    alone = settings.reviewer == "auto" and settings.model_url is None
    return "rules" if alone else settings.reviewer


def _check(wanted: list[tuple[str, str]], waiting: list[Fact]) -> None:
    """Raise InvalidInput unless each of the facts waits for such a decision, and has only one."""
    reviews = {fact.id: fact.review for fact in waiting}
    for node_id, decision in wanted:
        if node_id not in reviews:
            raise InvalidInput(f"{node_id} does not wait for a review; nothing was decided")
        if decision == "promote" and reviews[node_id] != "promotion":
            raise InvalidInput(f"{node_id} is fading: keep or delete it; nothing was decided")
    if len({node_id for node_id, _ in wanted}) < len(wanted):
        raise InvalidInput("two decisions on one fact; nothing was decided")


def _say_waiting(waiting: list[Fact], reviewer: str, how: str) -> None:
    if waiting:
        say_facts(waiting, as_json=False)
        note(f"decide with: {how} (or --promote, --delete)")
    else:
        note("nothing waits for a review")
    if reviewer in BY_ITSELF:
        note(BY_ITSELF[reviewer])
