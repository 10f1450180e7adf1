"""What was learned beside facts: episodes, the block for a prompt, and what waits for a review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wangchuan.cli.facts import say_facts
from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.options import (
    Limit,
    full_ids,
)
from wangchuan.cli.output import for_stdout, note, say, say_json
from wangchuan.errors import InvalidInput
from wangchuan.finding.context import DEFAULT_TOKENS

if TYPE_CHECKING:
    from wangchuan.settings.fields import Settings
    from wangchuan.types import Fact

Words = Annotated[
    list[str] | None, typer.Argument(metavar="WORDS", help="What it bears on; none: everything.")
]
BY_ITSELF = {
    "auto": "the model decides, once a day; WANGCHUAN_REVIEWER=person leaves it to you",
    "rules": "rules decide, once a day; WANGCHUAN_REVIEWER=person leaves it to you",
    "none": "nobody reviews: what falls below 0.3 goes (reviewer = none)",
}


@of_memory
def episodes(
    call: Call,
    query: Words = None,
    limit: Limit = 100,
) -> None:
    """List the episodes: what earlier conversations were about, newest first."""
    with call.opened() as here:
        here.settle()
        found = here.memory.facts.episodes(" ".join(query) if query else None, limit)
        waiting, full = len(here.memory.look.working()), here.host.settings.working_messages
    say_facts(found, call.as_json)
    if not call.as_json:
        note(f"working memory: {waiting} of {full} messages; beyond that they become an episode")


@of_memory
def context(
    call: Call,
    query: Words = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=0, help="Estimated tokens it may take [default: 1000].")
    ] = None,
) -> None:
    """Print the block of memory for a prompt: what is known and what comes to mind."""
    about, budget = " ".join(query) if query else None, max_tokens
    with call.opened() as here:
        here.settle()
        budget = DEFAULT_TOKENS if budget is None else budget
        text = here.memory.context(about, max_tokens=budget).result()
    if call.as_json:
        say_json({"agent": call.agent, "query": about, "max_tokens": budget, "text": text})
    elif text:
        say(for_stdout(text))
    else:
        note("nothing remembered bears on this, or it does not fit")


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
