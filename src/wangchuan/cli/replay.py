"""Doing a history again: whether it comes to the same, or what other settings would have kept."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wangchuan.cli.curves import rows
from wangchuan.cli.curves import svg as drawn
from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.options import Limit
from wangchuan.cli.output import counted, note, say_pairs, say_table
from wangchuan.errors import InvalidInput
from wangchuan.storage import files

if TYPE_CHECKING:
    from wangchuan.types import Replay, Shift

STATES = {"alive": "whole", "faded": "faded", "forgotten": "forgotten"}


@of_memory
def replay(
    call: Call,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting to try (repeatable)."),
    ] = None,
    svg: Annotated[Path | None, typer.Option(help="Write the curves as SVG.")] = None,
    limit: Limit = 20,
) -> None:
    """Do the whole history again, apart from the memory, and show what comes of it.

    Alone it checks that the same comes of it. With --set decay_rate=0.95 it shows what would be
    alive, faded or forgotten by now if that had held from the beginning. Nothing is changed.
    """
    tried = dict(map(_pair, settings or ()))
    with call.opened() as here:
        found = here.memory.history.replay(**tried)
    if svg is not None:
        files.write_file(svg, drawn(found))
    if not call.told(asdict(found)):
        _say(found, limit)
        if not tried:
            line = call.to_type("replay --set decay_rate=0.95")
            note(f"try other settings with: {line}")


def _pair(given: str) -> tuple[str, str]:
    name, sign, value = given.partition("=")
    if not sign:
        raise InvalidInput(f"say --set NAME=VALUE, such as decay_rate=0.95, not {given!r:.60}")
    return name.strip(), value.strip()


def _say(found: Replay, limit: int) -> None:
    say_pairs(_figures(found))
    if found.curve:
        columns = (("", "bold"), ("", "dim"), ("over all passes", ""), ("now", "right"))
        say_table(columns, rows(found))
    _say_shifts(found.shifts, limit)
    for gap in found.gaps:
        note(f"gap: {gap}")
    for difference in found.differences[:limit]:
        note(f"differs: {difference}")


def _say_shifts(shifts: tuple[Shift, ...], limit: int) -> None:
    if not shifts:
        return
    columns = (
        ("id", "bold"), ("memory", "wide"), ("is", ""), ("would be", ""), ("characters", "right"),
    )  # fmt: skip
    say_table(columns, [_row(shift) for shift in shifts[:limit]])
    if len(shifts) > limit:
        note(f"{len(shifts) - limit} more (--limit)")


def _row(shift: Shift) -> tuple[str, ...]:
    left = f"{shift.left} → {shift.would_leave}"
    return shift.id, shift.phrase, STATES[shift.was], STATES[shift.would], left


def _figures(found: Replay) -> list[tuple[str, str]]:
    """Return the counts, with what they would be."""
    moved = dict.fromkeys(STATES, 0)
    for shift in found.shifts:
        moved[shift.was] += 1
        moved[shift.would] -= 1
    pairs = [("done again", f"{counted(found.operations, 'operation')}, {found.passes} passes")]
    for state, name in STATES.items():
        would = len(getattr(found, state))
        pairs.append((name, f"{would + moved[state]} → {would}" if found.settings else str(would)))
    if not found.settings:
        same = (
            "yes" if not found.differences else f"no, in {counted(len(found.differences), 'row')}"
        )
        pairs.append(("same as the memory", same))
    elif found.skipped:
        pairs.append(("made no sense then", counted(found.skipped, "operation")))
    return pairs
