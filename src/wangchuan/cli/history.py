"""What happened to a memory, and undoing changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.options import Id, Limit, full_id
from wangchuan.cli.output import moment, note, on_screen, say, say_json, say_table
from wangchuan.cli.relations import Naming, naming_of
from wangchuan.ids import job_name, name_of
from wangchuan.storage import journal
from wangchuan.types import Change

if TYPE_CHECKING:
    from wangchuan.types import Undone


@of_memory
def undo(
    call: Call,
    seq: Annotated[
        int | None,
        typer.Argument(metavar="SEQ", help="The number of the change; none: list the latest."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen, and do nothing.")
    ] = False,
    limit: Limit = 20,
) -> None:
    """Undo a change, or list the latest changes that are kept.

    What the change replaced is put back exactly. Undoing is a change, too, and can be undone.
    """
    with call.opened() as here:
        if seq is None:
            _say_latest(here.memory.history.latest(limit), call.as_json)
            return
        done = here.memory.undo(seq, dry_run=dry_run)
    if not call.told(done):
        _say_done(done)


def _say_latest(changes: list[Undone], as_json: bool) -> None:
    if as_json:
        say_json(changes)
        return
    columns = (
        ("seq", "right"), ("when", "dim"), ("what", "bold"), ("memory", ""), ("undoing it", "text"),
    )  # fmt: skip
    say_table(columns, [_row(change) for change in changes])
    if not changes:
        note("no change is kept that could be undone")


def _row(change: Undone) -> tuple[str, ...]:
    told = "; ".join(change.effects) if change.refusal is None else f"no: {change.refusal}"
    return str(change.seq), moment(change.at), change.kind, change.node or "", told


def _say_done(done: Undone) -> None:
    if done.refusal is not None:
        say(on_screen(f"entry {done.seq} cannot be undone: {done.refusal}"))
        return
    whom = f" {done.node}" if done.node else ""
    would = "would undo" if done.entry is None else f"undid (as entry {done.entry})"
    say(on_screen(f"{would} {done.seq}: {done.kind}{whom}"))
    for effect in done.effects:
        say(on_screen(f"  {effect}"))


@of_memory
def history(call: Call, id: Id) -> None:
    """Show what happened to a memory, oldest first."""
    with call.opened() as here:
        changes, named = here.memory.history(full_id(id)), naming_of(here.memory)
    if call.told(changes):
        return
    columns = (
        ("seq", "right"), ("when", "dim"), ("pass", "right"), ("what", "bold"), ("how", "text"),
    )  # fmt: skip
    rows = [(str(c.seq), moment(c.at), str(c.passes), c.kind, _told(c, named)) for c in changes]
    say_table(columns, rows)


def _told(change: Change, named: Naming) -> str:
    """Return the detail of a change in words."""
    match journal.read_change(change):
        case journal.Remembered(job=job, relations=relations, related=related):
            given = [*relations, *(name for _, name in related)]
            names = dict.fromkeys(named(name) for name in given if name)
            return f"by {job_name(job)}" + (f"; {', '.join(names)}" if names else "")
        case journal.Compressed(before=before, length=length):
            was = before.content
            return f"{len(was)} → {length} characters; it was: {was}"
        case journal.Merged(sources=sources):
            return "of " + ", ".join(map(name_of, sources))
        case journal.Forgotten(reason=reason) | journal.Restored(reason=reason):
            return reason or ""
        case journal.Undone(seq=seq, kind=kind):
            return f"entry {seq}, {kind}"
        case journal.Blank():
            return str(change.detail or "")
    return str(change.detail)
