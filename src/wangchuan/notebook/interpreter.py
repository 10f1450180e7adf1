"""The interpreter of the task process: one TODO at a time, and nothing is ever evaluated as code.

A TODO is work for whoever carries the task out, unless it is one of the instructions below; the
words of the instructions are capitals, so that ordinary sentences are not taken for them.

    GOTO n | GOTO text     go on there; going back opens what lies between again (a loop)
    ADD text [AT n]        add a TODO at the end of the list, or before the n-th
    SUB text               add a TODO below this one, to be done next (a call; it may do the same)
    REMOVE n | REMOVE text take a TODO out of the list, by its text the last open one
    STAGE name             name the stage
    STOP                   end the task
    IF c THEN i [ELSE i]   by a condition; instructions nest, ELSE belongs to the nearest IF
    retry, continue        do the last TODO again; go on

Rules (the section 动态指令) are instructions carried out after each piece of work. A condition is
`error` (the last piece of work failed), `HAS text` (an open TODO says exactly this), a name in the
table the caller gives, or a question to whoever can answer; `NOT` turns it round. In a branch,
words that are no instruction are a TODO to be done next.

The list itself is the store: TODOs are added, counted by `HAS` and removed, so a program can keep
any number of counters behind its STOP. With GOTO that is a counter machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field, replace

from wangchuan.arguments import a_text
from wangchuan.errors import InvalidInput
from wangchuan.notebook.pages import one_line
from wangchuan.notebook.process import DEEPEST, DONE, EXECUTING, FAILED, Process, Todo
from wangchuan.types import value

MOST_STEPS, MOST_BRANCHES = 1000, 16
STUCK, STOPPED = "failed", "stopped"  # stages from which a task can be taken up again
_KEYWORD = re.compile(r"(?<!\S)(IF|THEN|ELSE)(?!\S)")
_VERBS = (
    ("goto", re.compile(r"GOTO\s+(?P<text>.+)")),
    ("add", re.compile(r"ADD\s+(?P<text>.+?)(?:\s+AT\s+(?P<at>\d{1,9}))?")),
    ("sub", re.compile(r"SUB\s+(?P<text>.+)")),
    ("remove", re.compile(r"REMOVE\s+(?P<text>.+)")),
    ("stage", re.compile(r"STAGE\s+(?P<text>.+)")),
    ("stop", re.compile(r"STOP")),
    ("retry", re.compile(r"retry|RETRY")),
    ("continue", re.compile(r"continue|CONTINUE")),
)


@value
class Instruction:
    """One instruction; `verb` "do" is a piece of work."""

    verb: str
    text: str = ""
    at: int | None = None
    then: Instruction | None = None
    otherwise: Instruction | None = None


@value
class Outcome:
    """How a piece of work ended, and further TODOs that it turned out to need."""

    ok: bool = True
    note: str = ""
    todos: tuple[str, ...] = ()


@value
class Step:
    """One step made: its number, the place and text of its TODO, and its result."""

    number: int
    place: int
    text: str
    result: str


@value
class Hands:
    """Who does the work and who tells what is true."""

    act: Callable[[str], Outcome | bool | None] = lambda _: Outcome()
    predicates: Mapping[str, Callable[[], bool]] = field(default_factory=dict)
    ask: Callable[[str], bool] | None = None

    def __post_init__(self) -> None:
        known = self.predicates
        named = isinstance(known, Mapping) and all(isinstance(name, str) for name in known)
        called = [self.act, *(known.values() if named else [None])]
        if not all(map(callable, called)) or not (self.ask is None or callable(self.ask)):
            raise InvalidInput("hands are callables: act, ask, and predicates by their names")

    def work(self, text: str) -> Outcome:
        """Have a piece of work done; True, False and None stand for how it ended."""
        given = self.act(text)
        return given if isinstance(given, Outcome) else Outcome(ok=given is not False)

    def holds(self, condition: str, process: Process) -> bool:
        """Tell whether a condition holds."""
        if not isinstance(process, Process):
            raise InvalidInput(f"process must be a Process, not {type(process).__name__}")
        words, turned = a_text(condition, "condition").strip(), False
        while words.startswith(("NOT ", "not ")):
            words, turned = words[4:].strip(), not turned
        return self._is_so(words, process) != turned

    def _is_so(self, words: str, process: Process) -> bool:
        if words.casefold() == "error":
            return process.failed
        if words.startswith(("HAS ", "has ")):
            return process.has(words[4:])
        known = {name.casefold(): predicate for name, predicate in self.predicates.items()}
        if words.casefold() in known:
            return bool(known[words.casefold()]())
        if self.ask is not None:
            return bool(self.ask(words))
        raise InvalidInput(
            f"nobody can tell whether {words!r:.80} holds: give a predicate of that name, or"
            " someone to ask"
        )


def understood(text: str) -> Instruction | None:
    """Return the instruction a text is, or None if it is ordinary words."""
    words = [part.strip() for part in _KEYWORD.split(one_line(text)) if part.strip()]
    if words[:1] != ["IF"]:
        return _simple(one_line(text))
    found, rest = _branching(words, 0)
    return found if found is not None and not rest else None


def _simple(text: str) -> Instruction | None:
    for verb, pattern in _VERBS:
        found = pattern.fullmatch(text)
        if found:
            parts = found.groupdict()
            at = parts.get("at")
            return Instruction(verb, parts.get("text") or "", int(at) if at else None)
    return None


def _branching(words: list[str], depth: int) -> tuple[Instruction | None, list[str]]:
    """Read one instruction from the words of an IF; what could not be read gives None."""
    if depth > MOST_BRANCHES or not words or words[0] in ("THEN", "ELSE"):
        return None, words
    if words[0] != "IF":
        return _simple(words[0]) or Instruction("do", words[0]), words[1:]
    if len(words) < 4 or words[1] in ("IF", "THEN", "ELSE") or words[2] != "THEN":
        return None, words
    then, rest = _branching(words[3:], depth + 1)
    otherwise: Instruction | None = Instruction("continue")
    if rest[:1] == ["ELSE"]:
        otherwise, rest = _branching(rest[1:], depth + 1)
    if then is None or otherwise is None:
        return None, rest
    return Instruction("if", words[1], then=then, otherwise=otherwise), rest


def faults_of(process: Process) -> list[str]:
    """Return the faults of a page: of its pointer, and rules that are no rules."""
    lines = [line for line in process.rules if one_line(line).split(" ")[0] in ("IF", "GOTO")]
    odd = [f"this rule is no instruction: {line}" for line in lines if understood(line) is None]
    return [*process.faults, *odd]


def step(
    process: Process, hands: Hands, at: float, deepest: int = DEEPEST
) -> tuple[Process, Step | None]:
    """Carry out the current TODO and return the process after it; None if nothing is left.

    A TODO that cannot be done (a GOTO to nowhere, nesting too deep, a condition nobody can judge)
    stops the process, with the reason in its journal. Only errors of `hands` are raised.
    """
    if process.current is None or not process.is_open:
        return (replace(process, stage="done") if process.is_open else process), None
    place, text = process.pointer, process.current.text
    machine = _Machine(process, hands, deepest)
    try:
        machine.carry_out(process.current)
    except InvalidInput as error:
        machine.stop_because(error)
    made = Step(len(process.journal) + 1, place, text, "；".join(machine.told))
    return machine.process.noted(made.number, at, f"{place} {text} → {made.result}"), made


def run(
    process: Process,
    hands: Hands,
    clock: Callable[[], float],
    *,
    most: int = MOST_STEPS,
    deepest: int = DEEPEST,
) -> tuple[Process, list[Step]]:
    """Step until the task ends, gets stuck, or has made as many steps as allowed."""
    steps: list[Step] = []
    for _ in range(most):
        process, made = step(process, hands, clock(), deepest)
        steps += [made] if made else []
        if rests(process):
            return process, steps
    return replace(process, stage=STOPPED), steps


def rests(process: Process) -> bool:
    """Tell whether a process has ended, or waits for somebody to look at it."""
    return not process.is_open or process.stage in (STUCK, STOPPED)


PASSED, ACTED, PLACED = range(3)  # an instruction did nothing, something, or moved the pointer


class _Machine:
    """One step under way: the process as changed so far, and the result to tell."""

    def __init__(self, process: Process, hands: Hands, deepest: int) -> None:
        waited = process.stage in (STUCK, STOPPED)
        self.process = replace(process, stage=EXECUTING) if waited else process
        self.told: list[str] = []
        self._hands, self._deepest = hands, deepest

    def carry_out(self, todo: Todo) -> None:
        """Do a TODO and move on; a TODO that somebody ticked off is not done again."""
        instruction = understood(todo.text)
        if todo.done and instruction is not None:
            self.told.append("已完成")
            self.process = self.process.advance()
        elif instruction is not None:
            self._follow(instruction)
        else:
            self._work(todo)
        if self.process.current is None and self.process.is_open:
            self.process = replace(self.process, stage="done")

    def stop_because(self, error: InvalidInput) -> None:
        """Wait for somebody to look at what went wrong."""
        self.process = replace(self.process, stage=STOPPED)
        self.told.append(f"停止：{error}")

    def _follow(self, instruction: Instruction) -> None:
        """Carry out an instruction that is a TODO, wholly or not at all."""
        before = self.process
        self.process = before.tick()
        try:
            if self._obey(instruction) != PLACED:
                self.process = self.process.advance()
        except InvalidInput:
            self.process = before
            raise

    def _work(self, todo: Todo) -> None:
        outcome = Outcome(note="已勾选") if todo.done else self._hands.work(todo.text)
        self.process = replace(self.process.tick(outcome.ok), failed=not outcome.ok)
        note = f"：{said}" if (said := one_line(outcome.note)) else ""
        self.told.append((DONE if outcome.ok else FAILED) + note)
        if outcome.todos:
            self.process = self.process.nest(outcome.todos, self._deepest)
        came = self._follow_rules()
        if came == PASSED and not outcome.ok:  # no rule applied: the failure is left to people
            self.process = replace(self.process, stage=STUCK)
        elif came != PLACED:
            self.process = self.process.advance()

    def _follow_rules(self) -> int:
        """Follow the rules in order, up to one that says where to go on."""
        came = PASSED
        for rule in self.process.rules:
            instruction = understood(rule)
            came = max(came, self._obey(instruction) if instruction else PASSED)
            if came == PLACED:
                break
        return came

    def _obey(self, instruction: Instruction) -> int:
        if instruction.verb != "if":
            return _DEEDS[instruction.verb](self, instruction)
        truth = self._hands.holds(instruction.text, self.process)
        self.told.append(f"{instruction.text}？{'是' if truth else '否'}")
        branch = instruction.then if truth else instruction.otherwise
        return self._obey(branch) if branch is not None else PASSED

    def goto(self, instruction: Instruction) -> int:
        """Go on elsewhere."""
        self.process = self.process.goto(instruction.text)
        self.told.append(f"跳到 {self.process.pointer}")
        return PLACED

    def add(self, instruction: Instruction) -> int:
        """Add a TODO to the list."""
        self.process = self.process.add(instruction.text, instruction.at)
        self.told.append(f"加入 {instruction.text}")
        return ACTED

    def sub(self, instruction: Instruction) -> int:
        """Put a TODO below the current one."""
        self.process = self.process.nest([instruction.text], self._deepest)
        self.told.append(f"加入下级 {instruction.text}")
        return ACTED

    def remove(self, instruction: Instruction) -> int:
        """Take a TODO out of the list; where the current one goes, the next one is current."""
        place, current = self.process.place_of(instruction.text), self.process.pointer
        self.process = self.process.remove(str(place))
        self.told.append(f"移除 {instruction.text}")
        return PLACED if place == current else ACTED

    def stage(self, instruction: Instruction) -> int:
        """Name the stage."""
        self.process = replace(self.process, stage=instruction.text)
        self.told.append(f"阶段 {instruction.text}")
        return ACTED

    def stop(self, _: Instruction) -> int:
        """End the task."""
        self.process = replace(self.process, stage="done")
        self.told.append("结束")
        return PLACED

    def retry(self, _: Instruction) -> int:
        """Do the last piece of work again: the current TODO, or the nearest before it."""
        todos, place = self.process.todos, self.process.pointer
        while place and understood(todos[place - 1].text) is not None:
            place -= 1
        if not place:
            raise InvalidInput("there is no work before this to retry")
        self.process = self.process.goto(str(place))
        self.told.append("重试")
        return PLACED

    def go_on(self, _: Instruction) -> int:
        """Do nothing."""
        return PASSED


_DEEDS: dict[str, Callable[[_Machine, Instruction], int]] = {
    "goto": _Machine.goto,
    "add": _Machine.add,
    "sub": _Machine.sub,
    "do": _Machine.sub,
    "remove": _Machine.remove,
    "stage": _Machine.stage,
    "stop": _Machine.stop,
    "retry": _Machine.retry,
    "continue": _Machine.go_on,
}
