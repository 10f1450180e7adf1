"""Cells: PostgreSQL databases that keep agents, and the workers that do what waits in them."""

from __future__ import annotations

import signal
from threading import Thread
from typing import Annotated, Any

import typer

from wangchuan.cells import care, moving
from wangchuan.cells.worker import Worker
from wangchuan.cli.options import GROUP, Json
from wangchuan.cli.output import note, say, say_json, size
from wangchuan.host import Host

app = typer.Typer(
    name="cell", help="Make, look at and upgrade a cell: a PostgreSQL that keeps agents.", **GROUP
)

Dsn = Annotated[
    str | None,
    typer.Argument(
        metavar="[DSN]",
        help="postgresql://user@host/database, or a file of cells [default: the setting].",
    ),
]


@app.command()
def init(
    dsn: Dsn = None,
    partitions: Annotated[
        int, typer.Option("--partitions", min=1, max=256, help="Parts of each table, by agent.")
    ] = 16,
) -> None:
    """Make a cell of a database, as its owner; one that is there is brought up to date."""
    for line in care.make(care.address(dsn), partitions):
        say(line)


@app.command()
def upgrade(dsn: Dsn = None) -> None:
    """Bring a cell to the format of this version, as its owner."""
    for line in care.make(care.address(dsn)):
        say(line)


@app.command()
def status(dsn: Dsn = None, as_json: Json = False) -> None:
    """Show the figures of a cell: agents, waiting jobs, leases, size."""
    found = care.status(care.address(dsn))
    if as_json:
        say_json(found[0] if len(found) == 1 else found)
        return
    for cell in found:
        say(cell.pop("cell"))
        for name, value in cell.items():
            say(f"  {name.replace('_', ' '):16}{size(value) if name == 'bytes' else value}")


@app.command()
def move(
    agent: Annotated[str, typer.Argument(help="The agent.")],
    target: Annotated[
        str | None, typer.Argument(metavar="[CELL]", help="The cell to move it to.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--from", help="The cell it is in [default: the setting].")
    ] = None,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Give up a move that was begun: the agent stays.")
    ] = False,
) -> None:
    """Move an agent to another cell; one that was interrupted goes on when it is run again."""
    if cancel == (target is not None):
        raise typer.BadParameter("name the cell to move it to, or give --cancel, not both")
    if target is None:
        moving.stay(agent, care.address(source, agent))
        say(f"{agent} stays where it is")
    else:
        moving.move(agent, care.address(source, agent), care.address(target))
        say(f"{agent} was moved")


def work(
    cells: Annotated[
        list[str] | None,
        typer.Option("--cells", help="A cell to work for (repeatable) [default: the setting]."),
    ] = None,
    threads: Annotated[
        int, typer.Option("--threads", min=1, max=64, help="Agents worked for at once, per cell.")
    ] = 4,
    once: Annotated[bool, typer.Option("--once", help="End when nothing waits any more.")] = False,
) -> None:
    """Do what waits in cells, until stopped; as many workers as there is work for."""
    hosts = [Host(care.address(name)) for name in cells or ()] or [Host(care.address(None))]
    workers = [Worker(host, threads) for host in hosts]

    def stop(*_: object) -> None:
        for worker in workers:
            worker.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    note(f"working for {', '.join(host.backend.where for host in hosts)}")
    _run(workers, once)
    for host in hosts:
        host.close()
    turns = sum(worker.worked.turns for worker in workers)
    note(f"{turns} turns")


def _run(workers: list[Any], once: bool) -> None:
    """Let all workers run, the first in this thread: signals are heard there."""
    others = [Thread(target=one.run, args=(lambda: once,)) for one in workers[1:]]
    for thread in others:
        thread.start()
    workers[0].run(lambda: once)
    for thread in others:
        thread.join()
