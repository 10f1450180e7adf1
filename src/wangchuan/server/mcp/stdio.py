"""The protocol over a pipe: a line in, a line out, until there are no more.

Nothing but the protocol can ever get onto the wire: standard output is taken aside first, and
whatever prints writes to standard error. The engine is loaded by the first call that needs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from getopt import GetoptError, getopt
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wangchuan.server.mcp.protocol import Fault, Json, answered, parsed, refusal, written

if TYPE_CHECKING:
    from wangchuan.server.mcp.tools import Tools

PROFILES = ("default", "all", "graph", "chatgpt")
LONGEST_LINE = 16 << 20  # bytes of a request


@dataclass
class Lazy:
    """What one agent offers, made when it is first asked for."""

    agent: str
    root: str | None = None
    profile: str = "default"
    work_dir: str | None = None
    stack: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def _offer(self) -> Tools:
        engine = import_module("wangchuan.server.mcp.opened")
        opened = self.stack.enter_context(engine.Opened(self.agent, self.root, self.work_dir))
        found: Tools = opened.tools(self.profile)
        return found

    def tools(self) -> list[Json]:
        """Return the tools."""
        return self._offer.tools()

    def call(self, name: str, arguments: Json) -> Json:
        """Return the result of a tool."""
        return self._offer.call(name, arguments)

    def resources(self) -> list[Json]:
        """Return the resources."""
        return self._offer.resources()

    def read(self, uri: str) -> Json | None:
        """Return the contents of a resource; None if there is none."""
        return self._offer.read(uri)


def serve(offer: Lazy) -> None:
    """Answer what comes by standard input until it ends."""
    wire = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    with offer.stack, wire:
        for line in _lines(sys.stdin.buffer):
            answer = _answer(offer, line)
            if answer is not None:
                try:
                    wire.write(written(answer) + b"\n")
                except BrokenPipeError:
                    return


def _lines(stream: Any) -> Iterable[bytes]:
    while line := stream.readline(LONGEST_LINE):
        if line.strip():
            yield line


def _answer(offer: Lazy, line: bytes) -> Any:
    try:
        request = parsed(line)
    except Fault as fault:
        return refusal(fault, None)
    if isinstance(request, list):  # a batch, which one revision knew
        return [a for a in (answered(offer, one) for one in request) if a is not None] or None
    return answered(offer, request)


def run(arguments: list[str]) -> int:
    """Serve the agent that the arguments name; return the exit code."""
    try:
        given, rest = getopt(arguments, "a:w:", ["agent=", "root=", "profile=", "work-dir="])
        if rest:
            raise GetoptError(f"nothing is known of {rest[0]!r}")
        options = {name.lstrip("-"): value for name, value in given}
        profile = options.get("profile", "default")
        if profile not in PROFILES:
            raise GetoptError(f"--profile must be one of {', '.join(PROFILES)}")
    except GetoptError as error:
        print(f"wangchuan mcp: {error}; see wangchuan mcp --help", file=sys.stderr)
        return 2
    agent = options.get("agent") or options.get("a") or os.environ.get("WANGCHUAN_AGENT", "default")
    work_dir = options.get("work-dir") or options.get("w")
    serve(Lazy(agent, options.get("root"), profile, work_dir))
    return 0
