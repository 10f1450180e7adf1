"""Talking with a memory in the terminal, or through a pipe: one line, one turn."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from wangchuan.cli.options import DEFAULT_AGENT, Agent, Root
from wangchuan.cli.output import complain, for_stdout, note, say

if TYPE_CHECKING:
    from wangchuan.chat import Chat

LEAVE = ("/bye", "/exit", "/quit")
PROMPT = "> "
PATIENCE = 10.0  # seconds, at the end, for what was said to be learned from


def chat(
    system: Annotated[str, typer.Option(help="What the model is told about itself.")] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do not go on with a conversation of the last hour.")
    ] = False,
    agent: Agent = DEFAULT_AGENT,
    root: Root = None,
) -> None:
    """Talk with an agent's memory; without a model it shows what it remembers.

    One line is one turn, typed or piped in. Every turn is remembered at once.
    """
    from wangchuan.chat import Chat
    from wangchuan.cli.opening import opened

    typed = sys.stdin.isatty()
    with opened(agent, root, create=True) as here:
        model = here.host.settings.model_name if here.host.settings.model_url else "no model"
        note(f"talking with {agent} ({model}); leave with Ctrl-D, or with {LEAVE[0]} on a line")
        with Chat(here.memory, system=system, resume=not fresh) as talk:
            failures = sum(not _turn(talk, line) for line in _lines(typed))
        if not here.memory.flush(PATIENCE):
            note("what was said is kept; learning from it goes on with the next command")
    if failures and not typed:
        raise typer.Exit(1)


def _turn(talk: Chat, line: str) -> bool:
    """Say a line and print the reply; False if there was none."""
    from wangchuan.errors import ModelError

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
    from wangchuan.errors import InvalidInput

    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput(f"standard input, line {number}, is not UTF-8") from error
