"""The lifecycle of memories: ticks, and merging what says the same."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.options import full_ids
from wangchuan.cli.output import counted, note, on_screen, say, say_json, say_pairs, say_table

if TYPE_CHECKING:
    from wangchuan.types import MergeSuggestion, Node


@of_memory
def tick(call: Call) -> None:
    """Settle which memories are active and which are cold; nothing is deleted."""
    with call.opened() as here:
        here.memory.tick()
        figures = here.memory.look.lifecycle()
    if call.told(figures):
        return
    say_pairs(
        [
            ("memories", figures.memories),
            ("cold", figures.cold),
            ("could be merged", figures.mergeable),
            ("could be deleted", figures.deletable),
        ]
    )
    if figures.mergeable:
        note(f"`{call.to_type('merge')}` shows what could be merged")


@of_memory
def merge(
    call: Call,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="IDS", help="Memories to merge; none: show suggestions."),
    ] = None,
) -> None:
    """Merge memories into one, or show which could be merged; `restore` brings sources back."""
    with call.opened() as here:
        made = here.memory.merges.make(full_ids(ids)) if ids else None
        suggested = [] if ids else here.memory.merges()
    if made is not None:
        _say_merged(made, full_ids(ids or []), call.as_json)
    elif call.as_json:
        say_json([asdict(suggestion) for suggestion in suggested])
    elif suggested:
        columns = (("ids", "bold"), ("memory", "wide"), ("why", "text"))
        say_table(columns, [_row(suggestion) for suggestion in suggested])
        note(f"merge with: {call.to_type('merge ID ID')}")
    else:
        note("nothing to merge as of the last tick")


def _say_merged(made: Node, sources: list[str], as_json: bool) -> None:
    if as_json:
        say_json({**asdict(made), "merged": sources})
        return
    say(on_screen(f"merged {', '.join(sources)} into {made.id}  {made.content}"))
    note(f"{counted(len(sources), 'memory', 'memories')} went to the trash")


def _row(suggestion: MergeSuggestion) -> tuple[Any, ...]:
    ids = " ".join(node.id for node in suggestion.nodes)
    return ids, suggestion.nodes[0].content, suggestion.reason
