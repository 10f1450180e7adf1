"""Opening an agent's memory for a command.

A command that only looks must leave no trace of an agent that is not there, so whether the
database exists is asked before anything is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wangchuan.cli.options import command_line
from wangchuan.cli.output import note
from wangchuan.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from wangchuan.host import Host
    from wangchuan.memory import Memory
    from wangchuan.notebook.book import Notebook

# What the library suggests to programs, and the command that does the same.
_CALLS = (
    (re.compile(r"restore\('mem_(\d+)'\)"), r"restore \1"),
    (re.compile(r"notebook\.task\.begin\(\.\.\.\)"), "task begin GOAL"),
    (re.compile(r"notebook\.end_task\(\)"), "task end"),
)


@dataclass(frozen=True, slots=True)
class Opened:
    """An opened memory, and the host it is opened by."""

    host: Host
    memory: Memory

    def settle(self) -> None:
        """Let what was said last be learned from, for as long as a recall would wait."""
        if not self.memory.flush(self.host.settings.recall_patience):
            note("not everything that was said has been learned from yet")


@contextmanager
def opened(agent: str, root: Path | None, *, create: bool = False, **more: Any) -> Iterator[Opened]:
    """Open the memory of an agent; raises NotFound if there is none and it is not to be made.

    `more` are settings. What the library suggests as a call is suggested as a command.
    """
    from wangchuan.host import Host
    from wangchuan.settings.fields import load

    # Who only looks does not bring other rules with them.
    with Host(settings=load(root=root, **more), adopt=create) as host:
        if not create:
            require(host, agent)
        try:
            with host.open(agent) as memory:
                yield Opened(host, memory)
        except (NotFound, InvalidInput) as error:
            raise type(error)(_for_the_shell(str(error), agent, root)) from error


def _for_the_shell(text: str, agent: str, root: Path | None) -> str:
    """Return a message of the library with the command to type instead of the call."""
    for call, command in _CALLS:
        if found := call.search(text):
            to_type = command_line(found.expand(command), agent, root)
            text = text.replace(found[0], f"`{to_type}`")
    return text


@contextmanager
def paged(
    agent: str,
    root: Path | None,
    work_dir: Path | None,
    *,
    create: bool = False,
    mode: str | None = None,
) -> Iterator[Notebook]:
    """Open an agent's notebook, by default where the command is run."""
    from wangchuan.settings.fields import load

    where = work_dir or load().work_dir or Path()
    with opened(agent, root, create=create, work_dir=where, notebook_mode=mode) as here:
        yield here.memory.notebook


def tell_of_the_project() -> None:
    """Say what the settings file of the working directory sets: it may be a stranger's."""
    from wangchuan.settings.fields import FILE, project_settings

    try:
        noted = project_settings()
    except ValueError as error:
        raise InvalidInput(f"the settings cannot be read: {error}") from error
    if noted:
        told = ", ".join(f"{name} = {value}" for name, value in noted.items())
        note(f"{FILE} of this folder sets {told}")


def require(host: Host, agent: str) -> None:
    """Raise NotFound, saying where it looked, unless the agent has a memory."""
    if host.has(agent):
        return
    where = host.settings.root.absolute()
    if not where.is_dir():
        raise NotFound(f"no agent {agent!r}: the folder {where} does not exist (see --root)")
    there = ", ".join(host.agents()) or "none"
    raise NotFound(f"no agent {agent!r} in {where}; agents there: {there} (see --agent, --root)")
