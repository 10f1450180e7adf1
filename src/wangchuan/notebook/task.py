"""The page of the task, stepped through one TODO at a time.

Nothing of a task is kept in memory between two steps. Each step reads the page, and so takes up
what somebody changed in an editor. The work of a step may take long, and is done without holding
the lock. If the page was changed meanwhile, the result is applied to the page as it is now, and the
work is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wangchuan.arguments import a_flag, a_text, texts
from wangchuan.errors import InvalidInput, StorageError, shown
from wangchuan.notebook import interpreter
from wangchuan.notebook.desk import Desk
from wangchuan.notebook.interpreter import MOST_STEPS, STOPPED, Hands, Outcome, Step, rests
from wangchuan.notebook.pages import one_line
from wangchuan.notebook.process import (
    DEEPEST,
    EXECUTING,
    NO_SESSION,
    STATE,
    Process,
    begun,
    read_process,
)
from wangchuan.types import Clock, value

TRIES = 20  # of a step, while somebody goes on editing the page
IDLE = Hands()  # all work counts as done; only conditions that the page knows are true


@value
class Limits:
    """How many steps one run may make, and how deep TODOs may be nested."""

    steps: int = MOST_STEPS
    depth: int = DEEPEST


FUNCTION, PARAMETERS = "函数", "参数"  # fields of a task that was begun from a function


@value
class Call:
    """A function with its parameters, from which a task is begun."""

    name: str
    version: int
    steps: tuple[str, ...]
    parameters: Mapping[str, object]

    @classmethod
    def of(
        cls, definition: Mapping[str, Any], version: int, parameters: Mapping[str, object]
    ) -> Call:
        """Check what a function is called with, or raise InvalidInput."""
        schema = definition.get("parameters", {})
        known, needed = schema.get("properties", {}), schema.get("required", ())
        missing = [name for name in needed if name not in parameters]
        strange = [name for name in parameters if name not in known]
        if missing or strange:
            told = f"lacks {', '.join(missing)}" if missing else f"has no {', '.join(strange)}"
            raise InvalidInput(f"the call of {definition['name']} {told}; it takes {sorted(known)}")
        filled = {n: about["default"] for n, about in known.items() if "default" in about}
        steps = tuple(definition.get("steps", ()))
        return cls(definition["name"], version, steps, {**filled, **parameters})

    @property
    def given(self) -> str:
        """Return the parameters as they are noted."""
        return ", ".join(
            f"{name}={one_line(str(value))}" for name, value in self.parameters.items()
        )

    @property
    def goal(self) -> str:
        """Return the call as the name of its task."""
        return f"{self.name}({self.given})"

    @property
    def todos(self) -> list[str]:
        """Return the steps with the parameters in them; without steps, the call is the only one."""
        return [self._filled(step) for step in self.steps] or [self.goal]

    def _filled(self, step: str) -> str:
        for name, given in self.parameters.items():
            step = step.replace(f"{{{name}}}", one_line(str(given)))
        return step


class Task:
    """The task of one agent, on its page."""

    def __init__(
        self,
        path: Path,
        desk: Desk,
        clock: Clock,
        limits: Limits | None = None,
        moved: Callable[[bool], None] = lambda _: None,
        finish: Callable[[Process], object] = lambda _: None,
    ) -> None:
        """`moved` is told after every change whether a task is open.

        `finish` ends a finished task that is still on the page when another one is begun.
        """
        self.path, self._desk, self._clock, self._moved = path, desk, clock, moved
        self._finish = finish
        self._limits = limits or Limits()

    def read(self) -> Process:
        """Return the process as the page has it now; an empty one if there is no page."""
        return read_process(self._desk.read(self.path) or "")

    @property
    def faults(self) -> list[str]:
        """Return what of the page could not be believed, in words."""
        return interpreter.faults_of(self.read())

    def begin(self, goal: str, todos: Iterable[str] = (), *, rules: Iterable[str] = ()) -> Process:
        """Begin a task on a fresh page; raises InvalidInput while another one is open.

        A finished task that was not ended is ended first, so that its session is written.
        """
        return self._begin(begun(goal, texts(todos, "todos"), texts(rules, "rules"), self._clock()))

    def call(self, call: Call, *, rules: Iterable[str] = ()) -> Process:
        """Begin a task from a function: its steps, with the parameters in them, are the TODOs.

        The function, its version and the parameters are noted on the page, and so in the session
        of the task.
        """
        if not isinstance(call, Call):
            raise InvalidInput(f"{shown(call)} is no call: notebook.begin_function makes one")
        fresh = begun(call.goal, call.todos, texts(rules, "rules"), self._clock())
        noted = {FUNCTION: f"{call.name} v{call.version}", PARAMETERS: call.given}
        page = fresh.page.put_fields(STATE, {k: v for k, v in noted.items() if v})
        return self._begin(replace(fresh, page=page))

    def _begin(self, fresh: Process) -> Process:
        with self._desk.locked():
            present = self.read()
            if present.is_open:
                raise InvalidInput(
                    f"the task {present.goal or 'on the page'!r} is open ({present.stage}):"
                    " end it before another one is begun"
                )
            if present.is_finished:
                self._finish(present)
            return self._write(fresh)

    def add(self, text: str, at: int | None = None) -> Process:
        """Add a TODO at the end, or before the one at a place (from 1)."""
        return self._changed(lambda process: _opened(process).add(text, at))

    def remove(self, reference: str | int) -> Process:
        """Take out a TODO by its place, or by its text."""
        return self._changed(lambda process: process.remove(reference))

    def goto(self, reference: str | int) -> Process:
        """Go on at a TODO; going back opens everything from there to here again."""
        return self._changed(lambda process: _opened(process).goto(reference))

    def rule(self, text: str) -> Process:
        """Add a rule that is followed after every piece of work."""
        if interpreter.understood(text) is None:
            raise InvalidInput(f"{text!r:.80} is no instruction (such as IF error THEN retry)")
        return self._changed(lambda p: replace(p, rules=(*p.rules, one_line(text))))

    def done(self, note: str = "", todos: Iterable[str] = ()) -> Step | None:
        """Say that the current TODO is done, and add TODOs below it."""
        outcome = Outcome(True, a_text(note, "note"), tuple(texts(todos, "todos")))
        return self.step(Hands(lambda _: outcome))

    def failed(self, note: str = "") -> Step | None:
        """Say that the current TODO could not be done; the rules decide what follows."""
        outcome = Outcome(False, a_text(note, "note"))
        return self.step(Hands(lambda _: outcome))

    def step(self, hands: Hands = IDLE) -> Step | None:
        """Carry out the current TODO; None if nothing is left, or no task is open."""
        hands = _remembering(hands)
        for _ in range(TRIES):
            text = self._desk.read(self.path) or ""
            process = read_process(text)
            after, made = interpreter.step(process, hands, self._clock(), self._limits.depth)
            with self._desk.locked():
                if (self._desk.read(self.path) or "") == text:
                    if after is not process:
                        self._write(after)
                    return made
        raise StorageError(f"{self.path} is being changed all the time; close the editor")

    def run(self, hands: Hands = IDLE) -> list[Step]:
        """Step until the task ends, gets stuck, or has made as many steps as one run may."""
        steps: list[Step] = []
        while len(steps) < self._limits.steps:
            made = self.step(hands)
            steps += [made] if made else []
            if made is None or rests(self.read()):
                return steps
        self._changed(lambda process: replace(process, stage=STOPPED))
        return steps

    def end(self, *, cancelled: bool = False, session: str = NO_SESSION) -> Process:
        """End the task on its page, also with open TODOs; `session` is the name of its session.

        `notebook.end_task` writes the session, too.
        """
        stage = "cancelled" if a_flag(cancelled, "cancelled") else "done"
        with self._desk.locked():
            return self._put(replace(self.read(), stage=stage).told_in(one_line(session)))

    def _changed(self, change: Callable[[Process], Process]) -> Process:
        with self._desk.locked():
            return self._write(change(self.read()))

    def _write(self, process: Process) -> Process:
        """Put a changed process on the page; a session it had no longer tells of it."""
        return self._put(process.told_in(""))

    def _put(self, process: Process) -> Process:
        self._desk.write(self.path, process.text)
        self._moved(process.is_open)
        return process


def no_task(process: Process) -> str:
    """Return in words why no task is open, and how to begin one."""
    name = repr(process.goal) if process.goal else "on the page"
    if process.is_finished:
        return f"the task {name} is {process.stage}; notebook.end_task() writes its session"
    if process.stage:
        told = "" if process.session == NO_SESSION else f", see session {process.session}"
        return f"the task {name} has ended{told}; notebook.task.begin(...) begins another one"
    return "there is no task; notebook.task.begin(...) begins one"


def _opened(process: Process) -> Process:
    """Return a process that can go on; one without a page gets one."""
    if not process.page.sections:
        process = begun("", [])
    return process if process.is_open else replace(process, stage=EXECUTING)


def _remembering(hands: Hands) -> Hands:
    """Return hands that do each piece of work, and answer each question, only once."""
    if not isinstance(hands, Hands):
        raise InvalidInput(f"hands must be Hands (notebook.hands()), not {type(hands).__name__}")
    done: dict[str, Outcome] = {}
    told: dict[str, bool] = {}

    def act(text: str) -> Outcome:
        if text not in done:
            done[text] = hands.work(text)
        return done[text]

    def ask(condition: str) -> bool:
        if condition not in told:
            told[condition] = bool(hands.ask(condition)) if hands.ask else False
        return told[condition]

    return replace(hands, act=act, ask=ask if hands.ask else None)
