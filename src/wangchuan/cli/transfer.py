"""Taking a memory home and bringing one in: export, import, backup."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.output import note, say, size
from wangchuan.host import Host
from wangchuan.settings.fields import load
from wangchuan.transfer.carrying import format_of

PIPE = Path("-")


@of_memory
def export(
    call: Call,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to; `-` is stdout.")] = PIPE,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help="jsonl (everything), markdown or turtle"
            " [default: by the suffix: .md markdown, .ttl turtle, else jsonl].",
        ),
    ] = None,
    vectors: Annotated[bool, typer.Option("--vectors", help="With the vectors (jsonl).")] = False,
) -> None:
    """Export a memory: to import it elsewhere (jsonl), to read it, or as RDF."""
    if call.as_json and file == PIPE:
        raise typer.BadParameter("--json needs a FILE: standard output is taken by the export")
    with call.opened() as here:
        if file == PIPE:
            here.memory.export(sys.stdout.buffer, format=form, vectors=vectors)
            sys.stdout.buffer.flush()
            return
        form = form or format_of(file)
        here.memory.export(file, format=form, vectors=vectors)
    written = file.stat().st_size
    if not call.told({"agent": call.agent, "file": str(file), "format": form, "bytes": written}):
        note(f"exported {call.agent} to {file} ({form}, {size(written)})")


@of_memory
def import_(
    call: Call,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to import; `-` is stdin.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help="jsonl (ours), chatgpt, claude, langgraph, mem0 [default: told by the content].",
        ),
    ] = None,
) -> None:
    """Import an export: ours into a new agent, those of other systems into any.

    If a line or an item cannot be used, nothing is stored.
    """
    call.refuse_a_server()
    with Host(settings=load(root=call.root)) as host:
        place = sys.stdin.buffer if file == PIPE else file
        came = host.import_(call.agent, place, format=form)
        with host.open(call.agent) as memory:
            memory.flush()
    if not call.told({"agent": call.agent, "records": came}):
        told = ", ".join(f"{count} {kind}" for kind, count in came.items())
        note(f"imported into {call.agent}: {told or 'nothing'}")


@of_memory
def backup(
    call: Call,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The root of the copy.")],
) -> None:
    """Copy a memory, even one in use, to FOLDER/AGENT, from where it can be opened."""
    with call.opened() as here:
        copy = here.memory.backup(folder)
    if not call.told({"agent": call.agent, "path": str(copy.absolute())}):
        say(str(copy))
