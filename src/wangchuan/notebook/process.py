"""The task process: what an agent is doing, as a page that is also a program.

The page holds a pointer, a stage, a list of TODOs and rules. All of the state is in the page:
whoever reads it knows what was done, what is next and why, and may change it with an editor. A
`Process` is the page as a value; every change gives a new one. What a person wrote around the
TODOs stays where it is, and a line that was not changed is written back as it stood.

The pointer counts TODOs from 1; one more than there are means that nothing is left. Where the
marker `← 当前` and the pointer disagree, the pointer holds.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from wangchuan.arguments import texts
from wangchuan.errors import InvalidInput, shown
from wangchuan.notebook.pages import Page, one_line, parsed

STATE, TODOS, RULES, JOURNAL = "当前状态", "TODO", "动态指令", "执行记录"
TODO_HEADING = "TODO列表（事件流体现在列表变化中）"
POINTER, STAGE, LAST, GOAL, BEGUN = "指令指针", "阶段", "上一步", "任务", "开始"
SESSION, NO_SESSION = "会话", "none"  # the session of a task that was ended
DONE, FAILED = "完成", "失败"  # how the last step went
EXECUTING, CLOSED = "executing", ("done", "cancelled")
MARKER = "← 当前"
MOST_TODOS, DEEPEST, LONGEST_TODO = 10_000, 20, 500
INDENT = 2
_BLANK = f"# Task Process\n\n## {STATE}\n\n## {TODO_HEADING}\n\n## {RULES}\n"
_TODO = re.compile(r"\A([ \t]*)[-*+][ \t]+\[([ xX])\](?:[ \t]+(.*))?")


@dataclass(frozen=True, slots=True)
class Todo:
    """One TODO; `line` is its line on the page, if it is there."""

    text: str
    done: bool = False
    depth: int = 0
    line: str | None = field(default=None, compare=False)

    def written(self, marked: bool) -> str:
        """Return the line of the TODO: the one it was read from, if nothing changed."""
        if self.line is not None and _item(self.line) == (self, marked):
            return self.line
        mark = f"  {MARKER}" if marked else ""
        return f"{' ' * INDENT * self.depth}- [{'x' if self.done else ' '}] {self.text}{mark}"


@dataclass(frozen=True, slots=True)
class Process:
    """A task process at one moment; `faults` says what of the page could not be believed."""

    page: Page
    pointer: int = 1
    stage: str = ""
    entries: tuple[Todo | str, ...] = ()  # TODOs, and the lines between them
    rules: tuple[str, ...] = ()
    failed: bool = False
    faults: tuple[str, ...] = ()

    # looking

    @property
    def todos(self) -> list[Todo]:
        """Return the items of the list."""
        return [entry for entry in self.entries if isinstance(entry, Todo)]

    @property
    def current(self) -> Todo | None:
        """Return the item the pointer stands at; None if nothing is left."""
        todos = self.todos
        return todos[self.pointer - 1] if self.pointer <= len(todos) else None

    @property
    def is_open(self) -> bool:
        """Tell whether there is a task and it has not ended."""
        return bool(self.stage) and self.stage not in CLOSED

    @property
    def goal(self) -> str:
        """Return what the task is called."""
        return self.page.fields(STATE).get(GOAL, "")

    @property
    def begun(self) -> str:
        """Return when the task was begun, as the page says."""
        return self.page.fields(STATE).get(BEGUN, "")

    @property
    def is_finished(self) -> bool:
        """Tell whether all TODOs are done, but nobody has ended the task: it has no session yet."""
        return self.stage in CLOSED and not self.session

    @property
    def session(self) -> str:
        """Return the name of the task's session; "" until the task was ended."""
        return self.page.fields(STATE).get(SESSION, "")

    @property
    def journal(self) -> list[str]:
        """Return the steps made so far, oldest first."""
        return [line.removeprefix("- ") for line in self.page.body(JOURNAL) if line[:2] == "- "]

    def has(self, text: str) -> bool:
        """Tell whether an open item says exactly this."""
        return any(not todo.done and todo.text == one_line(text) for todo in self.todos)

    def place_of(self, reference: str | int) -> int:
        """Return the place of a TODO from its number, or from its text (the last open one).

        Raises InvalidInput if there is no such TODO.
        """
        todos = self.todos
        text = one_line(reference) if isinstance(reference, str) else shown(reference)
        if text.isdecimal() and text.isascii():
            if 1 <= _number(text) <= len(todos):
                return _number(text)
            raise InvalidInput(f"there is no TODO {text:.20}: the list has {len(todos)}")
        said = [n for n, todo in enumerate(todos, 1) if todo.text == text]
        still = [n for n in said if not todos[n - 1].done]
        if not said:
            raise InvalidInput(f"no TODO says {text!r:.60}")
        return (still or said)[-1]

    # changing

    def add(self, text: str, at: int | None = None, depth: int = 0) -> Process:
        """Add an item at the end of the list, or before the one at a place."""
        length = len(self.todos)
        if at is not None and not (type(at) is int and 1 <= at <= length + 1):
            raise InvalidInput(f"a TODO cannot be added at {shown(at)}: the list has {length}")
        if length >= MOST_TODOS:
            raise InvalidInput(f"the list has {length} TODOs already, which is the limit")
        todo = Todo(_checked(text), depth=depth)
        place = length + 1 if at is None else at
        moved = place < self.pointer or place == self.pointer <= length
        entries = _inserted(self.entries, place, todo)
        return replace(self, entries=entries, pointer=self.pointer + int(moved))

    def remove(self, reference: str | int) -> Process:
        """Take an item out of the list; the pointer stays with the item it stands at."""
        place = self.place_of(reference)
        gone = self.todos[place - 1]
        entries = tuple(entry for entry in self.entries if entry is not gone)
        return replace(self, entries=entries, pointer=self.pointer - int(place < self.pointer))

    def nest(self, todos: Iterable[str], deepest: int = DEEPEST) -> Process:
        """Put TODOs below the current one, after those that are there, to be done next.

        A TODO that waits there already is not put there twice: a loop may come by again.
        Raises InvalidInput beyond the depth allowed.
        """
        parent, process = self.current, self
        if parent is None:
            raise InvalidInput("nothing is current: there is nothing to nest a TODO below")
        if parent.depth >= deepest:
            raise InvalidInput(f"TODOs may be nested {deepest} deep, and this one is")
        below = list(self._below(self.pointer))
        waiting = Counter(t.text for t in below if not t.done and t.depth == parent.depth + 1)
        for text in texts(todos, "todos"):
            wanted = _checked(text)
            if waiting[wanted]:
                waiting[wanted] -= 1
                continue
            place = self.pointer + 1 + len(list(process._below(self.pointer)))
            process = process.add(wanted, place, parent.depth + 1)
        return process

    def _below(self, place: int) -> Iterator[Todo]:
        todos = self.todos
        for todo in todos[place:]:
            if todo.depth <= todos[place - 1].depth:
                return
            yield todo

    def tick(self, done: bool = True) -> Process:
        """Tick the current item off, or open it again."""
        return self._each(lambda n, todo: replace(todo, done=done) if n == self.pointer else todo)

    def goto(self, reference: str | int) -> Process:
        """Move the pointer; going back opens everything from there to here again."""
        place = self.place_of(reference)
        last = max(place, self.pointer)
        opened = self._each(
            lambda n, todo: replace(todo, done=False) if place <= n <= last else todo
        )
        return replace(opened, pointer=place)

    def advance(self) -> Process:
        """Move the pointer on to the next item that is not ticked off."""
        todos, place = self.todos, self.pointer + 1
        while place <= len(todos) and todos[place - 1].done:
            place += 1
        return replace(self, pointer=min(place, len(todos) + 1))

    def _each(self, change: Callable[[int, Todo], Todo]) -> Process:
        numbers = count(1)
        entries = tuple(
            change(next(numbers), entry) if isinstance(entry, Todo) else entry
            for entry in self.entries
        )
        return replace(self, entries=entries)

    def noted(self, step: int, at: float, told: str) -> Process:
        """Write a step down in the page's own journal."""
        moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
        line = f"- {step} · {moment} · {one_line(told)}"
        return replace(self, page=self.page.put(JOURNAL, [*self.page.body(JOURNAL), line]))

    def told_in(self, session: str) -> Process:
        """Return the process with the name of its session, or without one ("")."""
        if not session and not self.session:
            return self
        others = [line for line in self.page.body(STATE) if not line.startswith(f"- {SESSION}:")]
        page = self.page.put(STATE, others)
        return replace(self, page=page.put_fields(STATE, {SESSION: session}) if session else page)

    @property
    def text(self) -> str:
        """Return the page as it is written."""
        state = {POINTER: str(self.pointer), STAGE: self.stage}
        if self.failed or LAST in self.page.fields(STATE):
            state[LAST] = FAILED if self.failed else DONE
        numbers = count(1)
        lines = [
            entry.written(next(numbers) == self.pointer) if isinstance(entry, Todo) else entry
            for entry in self.entries
        ]
        return self.page.put_fields(STATE, state).put(TODOS, lines).put(RULES, self.rules).text


def begun(goal: str, todos: Sequence[str], rules: Sequence[str] = (), at: float = 0.0) -> Process:
    """Return a new process that stands at its first TODO."""
    page = parsed(_BLANK)
    state = {POINTER: "1", STAGE: EXECUTING, GOAL: one_line(goal)}
    state[BEGUN] = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    page = page.put_fields(STATE, {name: value for name, value in state.items() if value})
    process = Process(page, stage=EXECUTING, rules=tuple(one_line(rule) for rule in rules))
    for todo in todos:
        process = process.add(todo)
    return process


def read_process(text: str) -> Process:
    """Return the process on a page; values that cannot be believed are told in its faults."""
    page = parsed(text)
    state = page.fields(STATE)
    items = [(_item(line), line) for line in page.body(TODOS)]
    entries = tuple(item[0] if item else line for item, line in items)
    marked = [marked for (item, _) in items if item for marked in [item[1]]]
    pointer, faults = _pointer(state.get(POINTER, ""), marked, entries)
    stage = state.get(STAGE, "")
    if not stage and any(isinstance(entry, Todo) for entry in entries):
        stage = EXECUTING
    return Process(
        page=page,
        pointer=pointer,
        stage=stage,
        entries=entries,
        rules=tuple(page.body(RULES)),
        failed=state.get(LAST) == FAILED,
        faults=tuple(faults),
    )


def _item(line: str) -> tuple[Todo, bool] | None:
    """Return the item on a line, and whether it carries the marker; None for any other line."""
    found = _TODO.fullmatch(line.rstrip(" \t"))
    if found is None:
        return None
    indent, tick, text = found[1].replace("\t", " " * INDENT), found[2], found[3] or ""
    unmarked = _unmarked(text)
    return Todo(unmarked, tick != " ", len(indent) // INDENT, line), unmarked != text


def _unmarked(text: str) -> str:
    """Return a text without the marker at its end."""
    before = text.removesuffix("当前").rstrip(" \t") if text.endswith("当前") else text
    return before[:-1].rstrip(" \t") if before != text and before.endswith("←") else text


def _number(said: str) -> int:
    """Return the place that decimal digits name; 0, which is none, for more than nine of them."""
    return int(said) if len(said) <= 9 else 0


def _pointer(
    said: str, marked: Sequence[bool], entries: Sequence[Todo | str]
) -> tuple[int, list[str]]:
    """Return the place of the pointer, and the fault of the page's own value."""
    todos = [entry for entry in entries if isinstance(entry, Todo)]
    marks = [n for n, mark in enumerate(marked, 1) if mark]
    if said.isdecimal() and said.isascii() and 1 <= _number(said) <= len(todos) + 1:
        pointer = _number(said)
        if marks and marks != [pointer]:
            return pointer, [f"the marker is at {marks}, the pointer at {pointer}: that holds"]
        return pointer, []
    first_open = next((n for n, todo in enumerate(todos, 1) if not todo.done), len(todos) + 1)
    pointer = marks[0] if len(marks) == 1 else first_open
    if not said and not todos:
        return pointer, []
    return pointer, [f"the pointer {said!r:.40} names none of {len(todos)} TODOs; using {pointer}"]


def _checked(text: str) -> str:
    """Return a text that can be an item: one line, not too long, without the marker."""
    line = one_line(text)
    while (unmarked := _unmarked(line)) != line:
        line = unmarked
    if not line:
        raise InvalidInput("a TODO must say something")
    if len(line) > LONGEST_TODO:
        raise InvalidInput(f"a TODO may have {LONGEST_TODO} characters, not {len(line)}")
    return line


def _inserted(entries: Sequence[Todo | str], place: int, todo: Todo) -> tuple[Todo | str, ...]:
    """Return the entries with an item at a place among the items."""
    places = [n for n, entry in enumerate(entries) if isinstance(entry, Todo)]
    at = places[place - 1] if place <= len(places) else (places[-1] + 1 if places else len(entries))
    return (*entries[:at], todo, *entries[at:])
