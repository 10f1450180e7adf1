"""Memories one by one: showing, explaining, forgetting and restoring them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wangchuan.cli import graph as drawing
from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.options import Id, Ids, Limit, SomeIds, full_id, full_ids
from wangchuan.cli.output import (
    bar,
    console,
    counted,
    kept_bar,
    moment,
    note,
    on_screen,
    one_line,
    say,
    say_json,
    say_pairs,
    say_table,
    share,
    styled,
)
from wangchuan.cli.relations import Naming, as_stored, naming_of
from wangchuan.cli.search import time_of
from wangchuan.errors import InvalidInput
from wangchuan.server.page.export import exported
from wangchuan.storage.files import open_file

if TYPE_CHECKING:
    from wangchuan.cli.opening import Opened
    from wangchuan.memory import Memory
    from wangchuan.types import Explanation, Forgotten, Link, Node, Said

LISTED, DRAWN = 50, 150
TERMS = {
    "in_degree": "memories lead to it",
    "out_degree": "it leads to memories",
    "access": "it was returned",
    "traverse": "it was passed on the way",
    "recent_access": "it was returned lately",
    "recent_link": "it was passed lately",
    "age": "its age",
}
MARKS = {"merge": "merged", "delete": "deleted"}
COLD_MEANS = "a prompt has it only where nothing active answers"


# showing memories


@of_memory
def show(
    call: Call,
    id: Annotated[str | None, typer.Argument(metavar="ID", help="A memory to show whole.")] = None,
    graph: Annotated[bool, typer.Option("--graph", help="Draw the network.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write the network to a file to look around in.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", min=1, help="Memories at most [default: 50; pictures 150]."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(help="As it was then: 2026-05-03T14:00, or a day (its end), yesterday, …"),
    ] = None,
) -> None:
    """Show the living memories, one of them, or the network."""
    drawing = graph or html is not None
    if id is not None and drawing:
        raise typer.BadParameter("a picture is of the whole network: leave out the ID")
    if at is not None and drawing:
        raise typer.BadParameter("a picture is of the present: leave out --at")
    with call.opened() as here:
        if at is not None:
            _show_past(here, at, id, limit or LISTED, call.as_json)
        elif drawing:
            _show_graph(here, limit, html, call.as_json)
        elif id is not None:
            _show_one(here, full_id(id), call.as_json)
        else:
            _show_list(here, limit or LISTED, call.as_json)


def _show_list(here: Opened, limit: int, as_json: bool) -> None:
    found, living = here.memory.look.explained(limit), here.memory.stats().nodes
    if as_json:
        say_json([_listed(explanation) for explanation in found])
        return
    columns = (
        ("id", "bold"), ("memory", "wide"), ("kept", ""), ("importance", "right"),
        ("scans", "right"), ("state", "dim"),
    )  # fmt: skip
    say_table(columns, [_row(explanation) for explanation in found])
    if living > len(found):
        note(f"the newest {len(found)} of {counted(living, 'memory', 'memories')}; see --limit")


def _show_past(here: Opened, at: str, id: str | None, limit: int, as_json: bool) -> None:
    """Show what was there at a time, with the text it had then."""
    wanted = None if id is None else full_id(id)
    then = time_of(at, here.host.clock())
    found = [node for node in here.memory.nodes(at=then) if wanted in (None, node.id)]
    if as_json:
        say_json(found[-limit:])
        return
    columns = (("id", "bold"), ("memory", "wide"), ("kept", ""), ("scans", "right"))
    rows = [(n.id, n.content, kept_bar(_kept(n)), str(n.scan_count)) for n in found[-limit:]]
    say_table(columns, rows)
    note(f"{counted(len(found), 'memory', 'memories')} at {moment(then)}")


def _kept(node: Node) -> float:
    return share(len(node.content), node.original_length)


def _row(explanation: Explanation) -> tuple[str, ...]:
    node = explanation.node
    return (
        node.id,
        node.content,
        kept_bar(_kept(node)),
        f"{explanation.importance:.2f}",
        str(node.scan_count),
        state_of(explanation),
    )


def state_of(explanation: Explanation) -> str:
    """Return in a word or two how a memory stands."""
    if "it is in focus" in explanation.protections:
        return "in focus"
    if explanation.protections:
        return "protected"
    left = explanation.passes_left
    return "stays" if left is None else f"fading, {counted(left, 'pass', 'passes')} left"


def _listed(explanation: Explanation) -> dict[str, Any]:
    return {
        **asdict(explanation.node),
        "kept": _kept(explanation.node),
        "importance": explanation.importance,
        "state": state_of(explanation),
        "passes_left": explanation.passes_left,
    }


def _show_one(here: Opened, node_id: str, as_json: bool) -> None:
    explanation, messages = here.memory.explain(node_id), here.memory.look.messages(node_id)
    if as_json:
        say_json({**_listed(explanation), "messages": messages})
        return
    node = explanation.node
    say_pairs(
        [
            ("id", f"{node.id} ({node.kind})"),
            ("phrase", node.phrase),
            ("memory", node.content),
            ("keywords", ", ".join(node.keywords)),
            ("kept", f"{kept_bar(_kept(node))} of {node.original_length} characters"),
            ("importance", f"{explanation.importance:.2f}"),
            ("state", state_of(explanation)),
            ("made", f"{moment(node.created_at)}, scanned {counted(node.scan_count, 'time')}"),
            *((f"from {message.id}", _quoted(message)) for message in messages),
        ]
    )


def _quoted(message: Said) -> str:
    speaker = f"{message.role} {message.name}" if message.name else message.role
    at = "" if message.timestamp is None else f", {moment(message.timestamp)}"
    return f"({speaker}{at}) {message.content}"


def _show_graph(here: Opened, limit: int | None, html: Path | None, as_json: bool) -> None:
    network = here.memory.look.network(limit or (DRAWN if html or as_json else LISTED))
    if html is not None:
        _write(html, exported(network))
    if as_json:
        say_json(network)
    elif html is None:
        drawing.say_tree(drawing.renamed(network, naming_of(here.memory)))


def _write(path: Path, text: str) -> None:
    """Write a file, or say in words why that cannot be done."""
    try:
        with open_file(path) as file:
            file.write(text.encode("utf-8"))
    except OSError as error:
        why = error.strerror or str(error)
        if not path.parent.is_dir():
            why = f"the folder {path.parent} does not exist"
        raise InvalidInput(f"cannot write {path}: {why}") from error
    note(f"wrote {path}")


# lists


def _short(node: Node) -> dict[str, Any]:
    return {**asdict(node), "kept": _kept(node)}


@of_memory
def focus(call: Call) -> None:
    """Show the memories being attended, newest first."""
    with call.opened() as here:
        nodes = here.memory.look.focus()
    if call.told([_short(node) for node in nodes]):
        return
    columns = (("id", "bold"), ("memory", "wide"), ("keywords", "wide"))
    say_table(columns, [(node.id, node.content, ", ".join(node.keywords)) for node in nodes])


@of_memory
def links(
    call: Call,
    id: Id,
    incoming: Annotated[
        bool, typer.Option("--incoming", help="Show what leads to it instead.")
    ] = False,
) -> None:
    """Show where a memory leads, strongest link first."""
    with call.opened() as here:
        found = here.memory.look.links(full_id(id), incoming=incoming)
        ends = [link.source if incoming else link.target for link in found]
        leads = [here.memory.look.node(end) for end in ends]
        named = naming_of(here.memory)
    if call.told(found):
        return
    end = "from" if incoming else "to"
    columns = (("strength", ""), ("relation", ""), (end, "bold"), ("memory", "wide"))
    say_table(columns, [_link_row(*row, named) for row in zip(found, ends, leads, strict=True)])
    if any(link.dangling for link in found):
        note(f"`{call.to_type('restore ID')}` brings a forgotten memory back")


def _link_row(link: Link, end: str, lead: Node | None, named: Naming) -> tuple[str, ...]:
    strength = f"{bar(link.strength)} {link.strength:.2f}"
    told = lead.content if lead and not link.dangling else "┄ forgotten"
    return strength, named(link.relation or "—"), end, told


@of_memory
def fading(call: Call, limit: Limit = LISTED) -> None:
    """Show what is fading, the next to be forgotten in front."""
    with call.opened() as here:
        found = here.memory.look.fading(limit)
    if call.told([_listed(explanation) for explanation in found]):
        return
    columns = (
        ("id", "bold"), ("what is left", "wide"), ("kept", ""), ("passes left", "right"),
        ("importance", "right"),
    )  # fmt: skip
    say_table(columns, [_fading_row(explanation) for explanation in found])


def _fading_row(explanation: Explanation) -> tuple[str, ...]:
    node, left = explanation.node, explanation.passes_left
    figure = "—" if left is None else str(left)
    return node.id, node.content, kept_bar(_kept(node)), figure, f"{explanation.importance:.2f}"


@of_memory
def forgotten(call: Call, limit: Limit = LISTED) -> None:
    """Show what was forgotten, the last to go in front."""
    with call.opened() as here:
        found = here.memory.look.forgotten(limit)
    if call.told([{**_short(one.node), "reason": one.reason, "at": one.at} for one in found]):
        return
    columns = (("id", "bold"), ("what was left", "wide"), ("why", ""), ("when", "dim"))
    say_table(columns, [_forgotten_row(one) for one in found])
    if found:
        note(f"`{call.to_type('restore ID')}` brings one back, whole")


def _forgotten_row(one: Forgotten) -> tuple[str, ...]:
    return one.node.id, one.node.content, one.reason, moment(one.at)


# one memory's past and standing


@of_memory
def explain(call: Call, id: Id) -> None:
    """Show why a memory stands where it stands."""
    with call.opened() as here:
        explanation = here.memory.explain(full_id(id))
        counts = here.memory.look.settings.dangling_counts
        named = naming_of(here.memory)
    if not call.told({**asdict(explanation), "kept": _kept(explanation.node)}):
        say_explanation(explanation, named, counts)


def say_explanation(
    explanation: Explanation, named: Naming = as_stored, dangling_counts: bool = True
) -> None:
    """Draw an explanation."""
    node, screen = explanation.node, console()
    screen.print(styled(f"{node.id}  {one_line(node.content)}", "bold"))
    screen.print(styled(f"importance {explanation.importance:.2f}, the sum of:"))
    for link in explanation.links:
        remark = " ┄ forgotten" if link.dangling else ""
        remark += ", not counted" if link.dangling and not dangling_counts else ""
        screen.print(_sum_line(link, f"its link to {link.target}{remark}", named))
    for link in explanation.support:
        screen.print(_sum_line(link, f"{link.source} is in focus and points at it", named))
    if not explanation.links and not explanation.support:
        screen.print(styled("  nothing: no link is left"))
    _say_activity(explanation)
    say_pairs(_standing(explanation))


def _say_activity(explanation: Explanation) -> None:
    """Draw the terms of the activity, each as a share of the greatest."""
    screen, terms = console(), explanation.activity
    greatest = max(map(abs, terms.values()), default=0.0) or 1.0
    marks = "".join(f", could be {MARKS[mark]}" for mark in explanation.marks)
    screen.print(
        styled(f"activity {explanation.score:.2f}, {explanation.state}{marks}; the sum of:")
    )
    for name, value in terms.items():
        sign, drawn = "-" if value < 0 else "+", bar(abs(value) / greatest)
        told = _signal(explanation.signals, name)
        screen.print(styled(f"  {sign} {abs(value):.2f} {drawn} {TERMS[name]}{told}"))


_SIGNALS = {
    "in_degree": "in_degree", "out_degree": "out_degree", "access": "access_count",
    "traverse": "traverse_count", "recent_access": "last_accessed_at",
    "recent_link": "last_linked_at", "age": "created_at",
}  # fmt: skip


def _signal(signals: Mapping[str, float | None], term: str) -> str:
    """Say which degree, count or time a term is made of."""
    value = signals.get(_SIGNALS[term])
    if _SIGNALS[term].endswith("_at"):
        return f" ({'never' if value is None else moment(value)})"
    return f" ({value or 0:.0f})"


def _sum_line(link: Link, told: str, named: Naming) -> Any:
    name = f"({named(link.relation)})" if link.relation else ""
    return styled(f"  + {link.strength:.2f} {bar(link.strength)} {told} {one_line(name)}".rstrip())


def _standing(explanation: Explanation) -> list[tuple[str, str]]:
    node, left = explanation.node, explanation.passes_left
    lengths = f"{len(node.content)} of {node.original_length} characters"
    weight, since = explanation.weight, explanation.cold_since
    return [
        ("kept", f"{kept_bar(_kept(node))}  {lengths}"),
        ("target length", f"{explanation.target_length:.1f} characters in the next pass"),
        ("protected", "; ".join(explanation.protections) or "no"),
        ("forgotten in", "not in sight" if left is None else counted(left, "pass", "passes")),
        *([] if since is None else [("cold since", f"{moment(since)}; {COLD_MEANS}")]),
        *([] if weight is None else [("weight", f"{weight:.2f}")]),
        ("from", ", ".join(node.sources) or "—"),
    ]


@of_memory
def forget(call: Call, ids: Ids) -> None:
    """Move memories to the trash; `restore` brings them back.

    If one of the ids names no living memory, none is forgotten.
    """
    with call.opened() as here:
        going = [here.memory.explain(node_id).node for node_id in full_ids(ids)]
        for node in going:
            here.memory.forget(node.id)
    if not call.told([{"id": n.id, "phrase": n.phrase, "content": n.content} for n in going]):
        for node in going:
            say(on_screen(f"forgot {node.id}  {node.content}"))


@of_memory
def restore(
    call: Call,
    ids: SomeIds = None,
    everything: Annotated[bool, typer.Option("--all", help="All that was forgotten.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="With --all: at most so many.")] = 100,
) -> None:
    """Bring memories back whole: forgotten ones, and those that have faded.

    If one of the ids names neither, none is restored. With --all the last to be forgotten come
    first; `undo` takes each back.
    """
    if everything == bool(ids):
        raise typer.BadParameter("name memories, or say --all")
    with call.opened() as here:
        wanted = full_ids(ids or [])
        for node_id in wanted:
            _expect_loss(here.memory, node_id)
        if everything:
            wanted = [gone.node.id for gone in here.memory.look.forgotten(limit)]
        back = [here.memory.restore(node_id) for node_id in wanted]
    if not call.told(back):
        for node in back:
            say(on_screen(f"restored {node.id}  {node.content}"))


def _expect_loss(memory: Memory, node_id: str) -> None:
    """Raise NotFound for a memory that never was, or of which nothing is lost."""
    node = memory.look.node(node_id)
    if node is None or len(node.content) >= node.original_length:
        memory.look.in_trash(node_id)
