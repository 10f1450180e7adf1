"""Compacting a history from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wangchuan.cli.intake import Source, messages_from
from wangchuan.cli.opening import Call, of_notebook, takes
from wangchuan.cli.options import GROUP
from wangchuan.cli.output import for_stdout, note, say
from wangchuan.language.tokens import tokens
from wangchuan.settings.fields import load

if TYPE_CHECKING:
    from wangchuan.types import Message

app = typer.Typer(name="compact", help="Compact a long history.", **GROUP)

File = Annotated[
    Path | None, typer.Argument(help="Text, .jsonl or .json; standard input if there is none.")
]
Lines = Annotated[bool, typer.Option("--jsonl", help="Read the input as JSON lines.")]
Mode = Annotated[
    str | None, typer.Option(help="full: print it; minimal: keep it on the page as well.")
]


@app.command()
@of_notebook
def run(call: Call, file: File = None, jsonl: Lines = False, mode: Mode = None) -> None:
    """Remember a history, then print what of it should stay at hand."""
    messages = _messages(file, jsonl)
    with call.paged(create=True, mode=mode) as notebook:
        before = notebook.length(messages)
        text = notebook.compact(messages).result()
        after = notebook.length(text)
    figures = {"agent": call.agent, "tokens": before, "compact_tokens": after}
    if not call.told({**figures, "memory": text}):
        say(for_stdout(text))
        note(f"{before} tokens became {after}")


@app.command()
@takes("as_json")
def check(call: Call, file: File = None, jsonl: Lines = False) -> None:
    """Tell whether a history is long enough to be compacted. Exit code 3 means it is not."""
    length = sum(tokens(message.content) for message in _messages(file, jsonl))
    wanted = length > load().compact_threshold_tokens
    if not call.told({"tokens": length, "should_compact": wanted}):
        say(f"{length} tokens: {'compact it' if wanted else 'not yet'}")
    if not wanted:
        raise typer.Exit(3)


@app.command()
@of_notebook
def show(call: Call) -> None:
    """Print the compact memory of minimal mode."""
    with call.paged(mode="minimal") as notebook:
        text = notebook.compact_memory
    call.tell({"agent": call.agent, "memory": text}, text, "nothing has been compacted here")


def _messages(file: Path | None, jsonl: bool) -> list[Message]:
    return messages_from(Source((), file, jsonl), "user", None)
