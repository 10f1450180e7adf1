"""Making the vectors that search by meaning needs."""

from __future__ import annotations

import typer
from rich.progress import Progress

from wangchuan.cli.opening import Call, takes
from wangchuan.cli.output import console, counted, note


@takes("agent", "root")
def embed(call: Call) -> None:
    """Make the vectors that are missing, as after choosing another embedder, and show how far."""
    with call.opened() as here:
        if here.host.embedder is None:
            note("no embedder is set: pip install 'wangchuan[local]' and WANGCHUAN_EMBEDDER=local")
            raise typer.Exit(1)
    with Progress(console=console(), transient=True) as progress, call.opened(create=True) as here:
        bar = progress.add_task(f"embedding with {here.host.embedder.name}", total=None)  # type: ignore[union-attr]
        stop = here.memory.on(
            "embedded",
            lambda event: progress.update(
                bar, completed=event.detail["done"], total=event.detail["total"]
            ),
        )
        here.memory.flush()
        stop()
        messages = here.memory.stats().messages
    note(f"{counted(messages, 'message')} can be found by meaning")
