"""Talking with a memory in the terminal, or through a pipe: one line, one turn."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated

import typer

from wangchuan.chat import Chat
from wangchuan.cli.opening import Call, takes
from wangchuan.cli.output import complain, for_stdout, note, say
from wangchuan.errors import InvalidInput, ModelError

LEAVE = ("/bye", "/exit", "/quit")
PROMPT = "> "


@takes("agent", "root")
def chat(
    call: Call,
    system: Annotated[str, typer.Option(help="What the model is told about itself.")] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do not go on with a conversation of the last hour.")
    ] = False,
) -> None:
    """Talk with an agent's memory; without a model it shows what it remembers.

    One line is one turn, typed or piped in. Every turn is remembered at once.
    """
    typed = sys.stdin.isatty()
    with call.opened(create=True) as here:
        model = here.host.settings.model_name if here.host.settings.model_url else "no model"
        note(
            f"talking with {call.agent} ({model}); leave with Ctrl-D, or with {LEAVE[0]} on a line"
        )
        with Chat(here.memory, system=system, resume=not fresh) as talk:
            failures = sum(not _turn(talk, line) for line in _lines(typed))
        if not here.memory.flush(here.host.settings.close_patience):
            note("what was said is kept; learning from it goes on with the next command")
    if failures and not typed:
        raise typer.Exit(1)


def _turn(talk: Chat, line: str) -> bool:
    """Say a line and print the reply; False if there was none."""
    try:
        say(for_stdout(talk.say(line)))
    except ModelError as error:
        complain(f"{error}; what you said is remembered, say it again to ask again")
        return False
    sys.stdout.flush()
    return True


def _lines(typed: bool) -> Iterator[str]:
    """Return what is said, line by line, until it ends or somebody wants to leave."""
    for line in _typed() if typed else _piped():
        if line.strip().casefold() in LEAVE:
            return
        if line.strip():
            yield line.strip()


def _typed() -> Iterator[str]:
    """Ask for lines; with the line editor of the system, where there is one."""
    with suppress(ImportError):
        import readline  # noqa: F401 (loading it is what makes `input` edit)
    while True:
        try:
            yield input(PROMPT)
        except EOFError:
            note("")
            return


def _piped() -> Iterator[str]:
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"standard input, line {number}, is not UTF-8") from error
