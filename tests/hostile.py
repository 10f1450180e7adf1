"""Every public call with arguments that nobody should give.

The surface is not listed here but found: the names of the package, and from an open host, memory,
chat and notebook everything of ours that an attribute or a call without arguments gives. Each
parameter gets each hostile value while the others are sound. What may be raised is in `ALLOWED`.
"""

from __future__ import annotations

import inspect
import io
import itertools
import os
import random
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from stage import FakeClock

import wangchuan
from wangchuan import Chat, Host, Memory, Pending
from wangchuan.errors import WangchuanError
from wangchuan.notebook.interpreter import Hands
from wangchuan.notebook.loose import Operation
from wangchuan.notebook.process import Process, Todo
from wangchuan.notebook.sessions import Session
from wangchuan.notebook.task import Call as FunctionCall
from wangchuan.settings.fields import Settings, load

PATIENCE = 60.0  # seconds; only a call that hangs takes so long
DEEP = 10_000


class Mine(Exception):
    """What the caller's own code raises when it is called: it is passed on as it is."""


# WangchuanError is ours. TimeoutError is what `result(timeout)` promises. Mine comes from a
# callback, a clock or a worker of the caller's own, and is theirs to see.
ALLOWED = (WangchuanError, TimeoutError, Mine)


class Sly:
    """Raises whatever is asked of it."""

    def _refuse(self, *_: Any) -> Any:
        raise RuntimeError("no")

    __str__ = __repr__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = _refuse  # type: ignore[assignment]
    __lt__ = __int__ = __float__ = __index__ = __fspath__ = __contains__ = __getitem__ = _refuse


def breaking() -> Iterator[str]:
    yield "one"
    raise RuntimeError("no more")


def calling_home(*_: Any, **__: Any) -> Any:
    raise Mine


def nested(kind: type) -> Any:
    value: Any = kind()
    for _ in range(DEEP):
        value = [value] if kind is list else {"name": value}
    return value


def itself(kind: type) -> Any:
    value: Any = kind()
    value.append(value) if kind is list else value.update(name=value)
    return value


def places(folder: Path) -> dict[str, Callable[[], Any]]:
    """Paths at which no file or folder of ours can be."""
    (folder / "a folder").mkdir()
    (folder / "read only").write_text("kept")
    (folder / "read only").chmod(0o400)
    os.mkfifo(folder / "pipe")
    device = socket.socket(socket.AF_UNIX)
    device.bind(os.path.relpath(folder / "socket"))
    (folder / "loop").symlink_to(folder / "loop")
    names = ("a folder", "read only", "pipe", "socket", "loop", "missing/further/down")
    paths = {f"path {name}": (lambda name=name: folder / name) for name in names}
    below = {f"below {name}": (lambda name=name: folder / name / "x") for name in ("read only",)}
    return {**paths, **below, "absolute": lambda: str(folder / "absolute")}


def values(folder: Path) -> dict[str, Callable[[], Any]]:
    """All hostile values by name; each is made anew for its call."""
    numbers = (0, -1, 7, 2**31, 2**63, 10**400, -(10**400), 10**5000, 1e308, -0.5)
    plain: dict[str, Any] = {f"{n!r:.20}" if n != 10**5000 else "10**5000": n for n in numbers[:7]}
    plain |= {"10**5000": 10**5000, "1e308": 1e308, "-0.5": -0.5, "None": None}
    plain |= {"True": True, "False": False, "nan": float("nan"), "inf": float("inf")}
    plain |= {"-inf": float("-inf"), "Decimal": Decimal("NaN"), "complex": 1j}
    plain |= {"empty": "", "blank": " \t\n", "NUL": "\0", "NUL inside": "a\0b", "lone": "x\ud800"}
    plain |= {"bidi": "\u202ex\u2066", "traversal": "../../x", "dots": "..", "slash": "/"}
    plain |= {"long": "x" * 300, "long wide": "长" * 300, "very long": "y" * 100_000}
    plain |= {"lines": "a\nb", "heading": "a\n## TODO\n- [ ] b", "separators": "a\u2028b\x85c\x0cd"}
    plain |= {
        "digits": "9" * 5000,
        "device": "CON",
        "surrogates": "\udcff" * 20,
        "JSON": "[" * DEEP,
    }
    plain |= {"bytes": b"\xff\xfe", "array": bytearray(b"x"), "type": dict, "Ellipsis": ...}
    plain |= {"datetime.max": datetime.max, "datetime.min": datetime.min, "date": date(1, 1, 1)}
    plain |= {
        "no list": [],
        "no dict": {},
        "[None]": [None],
        "[1, 'a']": [1, "a"],
        "{1: 2}": {1: 2},
    }
    plain |= {
        "{None: []}": {None: []},
        "role": {"role": "user"},
        "set": {1, "a"},
        "object": object(),
    }
    plain |= {"['']": [""], "[surrogate]": ["\ud800"], "[NUL]": ["\0"], "[[[]]]": [[[]]]}
    plain |= {"message": [{"role": "user", "content": 10**400}], "schema": {"name": "x\ud800"}}
    plain |= {"at": {"role": "user", "content": "x", "timestamp": 10**400}}
    made: dict[str, Callable[[], Any]] = {k: (lambda v=v: v) for k, v in plain.items()}
    made |= {
        "sly": Sly,
        "[sly]": lambda: [Sly()],
        "breaking": breaking,
        "calling": lambda: calling_home,
    }
    made |= {"deep list": lambda: nested(list), "deep dict": lambda: nested(dict)}
    made |= {"own list": lambda: itself(list), "own dict": lambda: itself(dict)}
    made |= {"deep schema": lambda: {"name": "f", "parameters": nested(dict)}}
    made |= {"text stream": lambda: io.StringIO("x"), "stream": lambda: io.BytesIO(b"\xff{")}
    return made | places(folder)


INTERNAL = {  # parts that the package hands around; nobody is promised anything about them
    Host: {"backend", "shelf", "shared", "model", "embedder", "clock", "release"},
    Memory: {"close"},
    Process: {"page", "nest", "noted", "told_in", "tick", "advance"},  # the interpreter's own
    Todo: {"written"},
    Settings: {"model_construct", "model_copy", "part"},  # of the wiring
}
UNREACHED = {"close", "erase", "backup", "export"}  # they end or destroy the stage
SETTINGS = {str(f.annotation): name for name, f in Settings.model_fields.items()}.values()
BUILT_BY_US = {"Memory", "Pending", "Receipt"}  # public types whose constructors are not


@dataclass
class Stage:
    """An open memory with something in everything, on which all calls are made."""

    folder: Path
    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.work_dir, self.count = self.folder / "work", itertools.count()
        self.work_dir.mkdir()
        values = {"work_dir": self.work_dir, "durability": "normal", "recall_patience": 5}
        self.host = Host(self.folder / "memory_data", settings=values, clock=self.clock)
        self.memory = self.host.open("agent_001")
        self.notebook = self.memory.notebook
        small = {**values, "notebook_mode": "minimal"}
        self.small = Memory.open("agent_002", root=self.folder / "small", settings=small)
        self.chat = Chat(self.memory, lambda _: "well")
        self.memory.remember(["My dog is called Rex.", "I live in Berlin."]).result(PATIENCE)
        for text in ("one", "two"):
            self.notebook.knowledge.write(text, reason="begun")
        self.notebook.knowledge.try_out("first", 1, 2)
        self.notebook.end_session("asked", "answered")
        self.task()

    def close(self) -> None:
        for one in (self.memory, self.small, self.host):
            one.close()

    def number(self) -> int:
        return next(self.count)

    def task(self) -> Any:
        task = self.notebook.task
        return task.read() if task.read().is_open else task.begin("goal", ["a", "b", "c"])

    def fact(self) -> str:
        return self.memory.facts.add(f"Rex weighs {self.number()} kilos.").id

    def node(self) -> str:
        return self.memory.nodes()[0].id

    def agent(self) -> str:
        return f"new_{self.number()}"

    def stream(self) -> io.BytesIO:
        out = io.BytesIO()
        self.memory.export(out)
        return io.BytesIO(out.getvalue())

    def sound(self) -> dict[str, Callable[[], Any]]:
        """Return sound values of the parameters that need one, by their names."""
        nothing = Pending(Future())
        return {
            "Chat.memory": lambda: self.memory,
            "Host.erase.agent_id": self.agent,
            "KnownFacts.node_id": self.fact,
            "Memory.open.agent_id": self.agent,
            "Pages.path": lambda: "notes/page.md",
            "Pages.operation": lambda: Operation(f"operation {self.number()}"),
            "Memory.connect.url": lambda: "http://127.0.0.1:1",
            "Memory.connect.token": lambda: "token",
            "Memory.backup.root": lambda: self.folder / f"backup_{self.number()}",
            "Memory.export.place": io.BytesIO,
            "Host.import_.place": self.stream,
            "Host.import_.agent_id": self.agent,
            "Process.reference": lambda: "1",
            "Task.reference": lambda: "1",
            "Trials.count.name": lambda: "first",
            "Trials.get.name": lambda: "first",
            "Trials.end.name": lambda: "none",
            "Knowledge.try_out.name": lambda: f"trial_{self.number()}",
            "Trials.start.trial": lambda: self.notebook.knowledge.trials.get("first"),
            "Sessions.read.name": lambda: self.notebook.sessions.newest()[0].name,
            "Task.call.call": lambda: FunctionCall("release", 1, ("tag it",), {"version": "1"}),
            "Task.rule.text": lambda: "IF error THEN retry",
            "Knowledge.install.text": lambda: self.notebook.knowledge.pack("pack"),
            "Hands.holds.process": self.task,
            "a": lambda: 1,
            "agent_id": lambda: "agent_001",
            "b": lambda: 2,
            "callback": lambda: calling_home,
            "condition": lambda: "error",
            "decision": lambda: "keep",
            "event": lambda: "accepted",
            "function": lambda: breaking,
            "future": lambda: nothing,
            "goal": lambda: "goal",
            "good": lambda: True,
            "ids": lambda: [self.node(), self.node()],
            "key": lambda: "key",
            "keywords": lambda: ["dog"],
            "marked": lambda: True,
            "message_ids": tuple,
            "messages": lambda: f"A message {self.number()}.",
            "name": lambda: "name",
            "new": lambda: 2,
            "node_id": self.node,
            "number": lambda: 1,
            "old": lambda: 1,
            "page": lambda: "agent_knowledge",
            "query": lambda: "dog",
            "reason": lambda: "because",
            "reference": lambda: "1",
            "request": lambda: "asked",
            "response": lambda: "answered",
            "seq": lambda: 1,
            "session": lambda: Session("asked", "answered", "20250105_103000"),
            "step": lambda: 1,
            "at": lambda: 1,
            "told": lambda: "told",
            "text": lambda: f"A text {self.number()}.",
            "todos": lambda: ["below"],
        }


@dataclass(frozen=True)
class Call:
    """One public callable, one of its parameters and a hostile value for it."""

    owner: str
    name: str
    parameter: str
    hostile: str

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}({self.parameter}={self.hostile})"


def reached(stage: Stage) -> dict[str, Any]:
    """Return an object of each type of ours that the surface leads to."""
    found: dict[str, Any] = {"minimal": stage.small.notebook}
    waiting: list[Any] = [stage.memory, stage.host, stage.chat, stage.notebook, Hands()]
    waiting.append(stage.memory.search("dog"))
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, list | tuple) and one:
            one = one[0]
        kind = type(one)
        if kind.__name__ in found or not kind.__module__.startswith("wangchuan"):
            continue
        found[kind.__name__] = one
        waiting += [value for name in public(kind, one) for value in given_by(one, name)]
    return found


def public(kind: type, one: object) -> list[str]:
    names = {*dir(kind), *getattr(one, "__dict__", ())}
    return sorted(n for n in names if not n.startswith("_") and n not in INTERNAL.get(kind, ()))


def given_by(one: object, name: str) -> Iterator[Any]:
    """Yield what an attribute holds, or a call without arguments returns."""
    with suppress(WangchuanError):
        value = getattr(one, name)
        if not callable(value):
            yield value
        elif name not in UNREACHED and is_ours(value) and not needed(value):
            made = value()
            yield made
            if isinstance(made, Pending):
                yield made.result(PATIENCE)


def is_ours(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).startswith("wangchuan")


def needed(call: Callable[..., Any]) -> list[str]:
    signature = inspect.signature(call)
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [
        p.name
        for p in signature.parameters.values()
        if p.default is p.empty and p.kind not in kinds
    ]


def surface(stage: Stage) -> dict[tuple[str, str], Callable[..., Any]]:
    """Return all public callables that take an argument, by owner and name."""
    found: dict[tuple[str, str], Callable[..., Any]] = {("settings", "load"): load}
    for name in wangchuan.__all__:
        one = getattr(wangchuan, name)
        if not issubclass(one, Exception) and name not in BUILT_BY_US:
            found[name, "new"] = one
    for owner, one in reached(stage).items():
        for name in public(type(one), one):
            with suppress(WangchuanError):
                value = getattr(one, name)
                if callable(value) and is_ours(value):
                    found[owner, name] = value
        if callable(one):
            found[owner, "call"] = one
    return {key: call for key, call in found.items() if parameters(call)}


def parameters(call: Callable[..., Any]) -> list[str]:
    if call is load or call is Settings:
        return ["given", *SETTINGS][call is Settings :]
    names = []
    for p in inspect.signature(call).parameters.values():
        names += ["decay_rate", "strategy"] if p.kind is p.VAR_KEYWORD else [p.name]
    return [name for name in names if name != "_"]


def calls(stage: Stage, hostile: dict[str, Callable[[], Any]]) -> list[Call]:
    """Return every call there is, in an order that a seed can shuffle."""
    return [
        Call(owner, name, parameter, value)
        for (owner, name), call in sorted(surface(stage).items())
        for parameter in parameters(call)
        for value in hostile
    ]


def sample(every: list[Call], count: int, seed: int = 14) -> list[Call]:
    """Return calls chosen by a seed, such that each parameter comes before any comes twice."""
    chance, shuffled = random.Random(seed), list(every)
    chance.shuffle(shuffled)
    seen: dict[tuple[str, str, str], int] = {}
    turn = []
    for call in shuffled:
        key = (call.owner, call.name, call.parameter)
        seen[key] = seen.get(key, 0) + 1
        turn.append((seen[key], len(turn), call))
    return [call for _, _, call in sorted(turn, key=lambda t: t[:2])][:count]


class Play:
    """Makes calls on a stage, and keeps the errors that are not ours."""

    def __init__(self, stage: Stage, hostile: dict[str, Callable[[], Any]]) -> None:
        self.stage, self.hostile = stage, hostile
        self.surface, self.sound = surface(stage), stage.sound()
        self.foreign: list[str] = []
        self.made = 0

    def make(self, call: Call) -> None:
        """Make a call in a thread of its own, so that one that hangs is noticed."""
        thread = threading.Thread(target=self._make, args=(call,), daemon=True)
        thread.start()
        thread.join(PATIENCE)
        self.made += 1
        if thread.is_alive():
            self.foreign.append(f"{call}: hangs")

    def _make(self, call: Call) -> None:
        function = self.surface[call.owner, call.name]
        try:
            given = {name: self._sound(call, name) for name in needed(function)}
            if not isinstance(function, type) and call.owner in ("Task", "Process"):
                self.stage.task()
        except Exception as error:  # a call that is not made must not count as one that held
            self.foreign.append(f"{call}: not made: {type(error).__name__}: {str(error)[:80]}")
            return
        try:
            made = function(**{**given, call.parameter: self.hostile[call.hostile]()})
            if isinstance(made, Pending):
                made.result(PATIENCE / 4)
            if isinstance(made, Host | Memory | Chat):
                made.close()
        except ALLOWED:
            pass
        except BaseException as error:  # a stranger's error is what this looks for
            self.foreign.append(f"{call}: {type(error).__name__}: {str(error)[:80]}")

    def _sound(self, call: Call, name: str) -> Any:
        if name == call.parameter:
            return None
        for key in (f"{call.owner}.{call.name}.{name}", f"{call.owner}.{name}", name):
            if key in self.sound:
                return self.sound[key]()
        if call.name == "new":  # a value: it holds what it is given
            return None
        raise LookupError(f"no sound value of {call.owner}.{call.name}({name}): add it to `sound`")
