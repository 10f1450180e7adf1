"""The notebook as a whole: its map, its prompt, and the state of the world."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from wangchuan.cli.intake import words_or_input
from wangchuan.cli.opening import Call, of_notebook, takes
from wangchuan.cli.options import GROUP
from wangchuan.cli.output import for_stdout, say, say_json, say_table
from wangchuan.errors import InvalidInput
from wangchuan.notebook.places import MAP
from wangchuan.settings.fields import load

app = typer.Typer(name="note", help="See the notebook: its map, its prompt, the world.", **GROUP)


@app.command("map")
@takes("as_json")
def show_map(call: Call) -> None:
    """Show everything an agent keeps and its place in the three dimensions."""
    if call.told([asdict(artefact) for artefact in MAP]):
        return
    columns = (("artefact", "bold"), ("side", ""), ("time", ""), ("layer", ""), ("", "text"))
    rows = [(a.name, a.side, " + ".join(a.times), a.layer, a.where) for a in MAP]
    say_table(columns, rows)


@app.command()
@of_notebook
def prompt(
    call: Call,
    base: Annotated[str, typer.Argument(metavar="BASE", help="What the prompt begins with.")] = "",
    key: Annotated[
        str | None, typer.Option(help="For whom: chooses the side of open trials.")
    ] = None,
    mode: Annotated[str | None, typer.Option(help="full or minimal.")] = None,
) -> None:
    """Print the prompt: knowledge, task and own sessions, or the compact memory."""
    with call.paged(mode=mode) as notebook:
        text = notebook.prompt(base, key=key)
    say_json({"agent": call.agent, "prompt": text}) if call.as_json else say(for_stdout(text))


@app.command()
@of_notebook
def world(
    call: Call,
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="The new state; `-` reads standard input."),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="TEXT is what happened: a model brings it up to date.")
    ] = False,
) -> None:
    """Show the state of the world, write it, or have it brought up to date."""
    said = words_or_input(text)
    if update and said is None:
        raise typer.BadParameter("--update needs TEXT: what happened (`-` reads standard input)")
    with call.paged(create=said is not None) as notebook:
        if update and said is not None:
            before = notebook.world
            if notebook.update_world(said).result() == before:
                _refuse_without_model()
        elif said is not None:
            notebook.write_world(said)
        present = notebook.world
    missing = "the world has not been described yet"
    call.tell({"agent": call.agent, "world": present}, present, missing)


def _refuse_without_model() -> None:
    """Raise InvalidInput if nothing changed because no model understood what happened."""
    if load().model_url is None:
        raise InvalidInput(
            "nothing was changed: bringing the world up to date takes a model"
            " (WANGCHUAN_MODEL_URL); without one only files, results and states that are plainly"
            " told are added. `wangchuan note world TEXT` writes the whole state as it is"
        )
