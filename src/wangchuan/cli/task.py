"""The task: begun, shown, changed, and stepped through."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wangchuan.cli.opening import Call, of_notebook
from wangchuan.cli.options import GROUP
from wangchuan.cli.output import note, on_screen, say, say_json
from wangchuan.errors import InvalidInput
from wangchuan.notebook.interpreter import Hands, Outcome, rests
from wangchuan.notebook.task import no_task

if TYPE_CHECKING:
    from collections.abc import Callable

    from wangchuan.notebook.interpreter import Step
    from wangchuan.notebook.process import Process
    from wangchuan.notebook.task import Task

app = typer.Typer(name="task", help="Begin, change and step through a task.", **GROUP)

Todos = Annotated[list[str] | None, typer.Option("--todo", "-t", help="A TODO (repeatable).")]
Reference = Annotated[str, typer.Argument(metavar="TODO", help="Its place (3), or its text.")]
Words = Annotated[list[str] | None, typer.Argument(metavar="NOTE", help="A remark about it.")]


@app.command()
@of_notebook
def begin(
    call: Call,
    goal: Annotated[str, typer.Argument(help="What the task is.")],
    todo: Todos = None,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", "-r", help="Followed after each TODO: IF error THEN retry."),
    ] = None,
) -> None:
    """Begin a task."""
    _do(lambda task: task.begin(goal, todo or [], rules=rule or []), call)


@app.command()
@of_notebook
def show(call: Call) -> None:
    """Show the task and where it stands."""
    _do(lambda _: None, call, create=False)


@app.command()
@of_notebook
def add(
    call: Call,
    text: Annotated[str, typer.Argument(help="What is to be done.")],
    at: Annotated[int | None, typer.Option(min=1, help="Before the TODO at this place.")] = None,
) -> None:
    """Add a TODO."""
    _do(lambda task: task.add(text, at), call)


@app.command()
@of_notebook
def remove(call: Call, todo: Reference) -> None:
    """Take a TODO out."""
    _do(lambda task: task.remove(todo), call)


@app.command()
@of_notebook
def goto(call: Call, todo: Reference) -> None:
    """Go on at a TODO; going back opens everything from there to here again."""
    _do(lambda task: task.goto(todo), call)


@app.command()
@of_notebook
def rule(
    call: Call,
    text: Annotated[str, typer.Argument(help="Such as: IF error THEN retry ELSE continue.")],
) -> None:
    """Add a rule that is followed after each TODO."""
    _do(lambda task: task.rule(text), call)


@app.command()
@of_notebook
def done(call: Call, remark: Words = None, todo: Todos = None) -> None:
    """Tick the current TODO off; --todo adds what has to be done below it."""
    words = " ".join(remark or [])
    _do(lambda task: _open(task).done(words, todo or []), call, create=False)


@app.command()
@of_notebook
def fail(call: Call, remark: Words = None) -> None:
    """Say that the current TODO could not be done; the rules decide what follows."""
    words = " ".join(remark or [])
    _do(lambda task: _open(task).failed(words), call, create=False)


@app.command()
@of_notebook
def end(
    call: Call,
    response: Annotated[
        list[str] | None, typer.Argument(metavar="RESPONSE", help="What came of it.")
    ] = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="It was given up.")] = False,
) -> None:
    """End the task and write its session."""
    with call.paged() as notebook:
        session = notebook.end_task(" ".join(response or []), cancelled=cancel)
    if not call.told(session):
        say(f"wrote {session.name}")


@app.command()
@of_notebook
def run(call: Call) -> None:
    """Step through the task, asking what cannot be known.

    For each TODO: return or y: it is done; f and words: it failed; + and words: it needs something
    done below it; q: leave. For each condition: y or n.
    """
    with call.paged() as notebook:
        hands = Hands(act=_asked_work, ask=_asked_truth)
        steps = _steps(_open(notebook.task), hands)
        process = notebook.task.read()
    if not call.told({**_state(process), "steps": steps}):
        say(on_screen(f"{len(steps)} steps made; {process.stage}, at {process.pointer}"))


def _open(task: Task) -> Task:
    """Return a task that can be worked on; raises InvalidInput if there is none."""
    process = task.read()
    if not process.is_open:
        raise InvalidInput(no_task(process))
    return task


class _Left(Exception):
    """Whoever was asked has left."""


def _steps(task: Task, hands: Any) -> list[Step]:
    steps: list[Step] = []
    try:
        while (made := task.step(hands)) is not None:
            steps.append(made)
            note(f"  {made.place} {made.text} → {made.result}")
            if rests(task.read()):
                break
    except _Left:
        note("left; the page stands where it stood")
    return steps


def _asked_work(text: str) -> Outcome:
    todos: list[str] = []
    while True:
        answer = _answer(f"{text}  (y)es it is done, (f)ailed, (+) more below it, (q)uit")
        if answer[:1] == "+":
            todos.append(answer[1:].strip())
        elif answer[:1].lower() == "f":
            return Outcome(False, answer[1:].strip())
        elif answer[:1].lower() in ("", "y"):
            return Outcome(True, answer[1:].strip(), tuple(todos))
        else:
            note("answer y, f, + or q")


def _asked_truth(condition: str) -> bool:
    while True:
        answer = _answer(f"{condition}?  (y)es, (n)o, (q)uit")[:1].lower()
        if answer in ("y", "n"):
            return answer == "y"
        note("answer y, n or q")


def _answer(question: str) -> str:
    """Ask on stderr and read a line; raises _Left at the end of the input, or for q."""
    note(question)
    line = sys.stdin.readline()
    if not line or line.strip().lower() in ("q", "quit"):
        raise _Left
    return line.strip()


def _do(change: Callable[[Task], object], call: Call, *, create: bool = True) -> None:
    """Change a task, then show it."""
    with call.paged(create=create) as notebook:
        change(notebook.task)
        process, faults = notebook.task.read(), notebook.task.faults
    for fault in faults:
        note(f"warning: {fault}")
    if call.as_json:
        say_json(_state(process))
    elif process.todos or process.stage:
        _say(process)
    else:
        note("there is no task; `wangchuan task begin` begins one")


def _say(process: Process) -> None:
    say(on_screen(f"{process.goal or 'task'} ({process.stage})"))
    for place, todo in enumerate(process.todos, 1):
        mark = "→" if place == process.pointer else " "
        tick = "x" if todo.done else " "
        say(on_screen(f"{mark}{place:>3} {'  ' * todo.depth}[{tick}] {todo.text}"))
    for rule in process.rules:
        say(on_screen(f"     {rule}"))


def _state(process: Process) -> dict[str, Any]:
    todos = [{"text": t.text, "done": t.done, "depth": t.depth} for t in process.todos]
    return {
        "goal": process.goal,
        "stage": process.stage,
        "pointer": process.pointer,
        "todos": todos,
        "rules": list(process.rules),
        "journal": process.journal,
    }
