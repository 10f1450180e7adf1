"""Remembering from the command line.

Long input goes in batches. All are accepted as fast as the queue takes them; a full queue is
waited for, never dropped. One batch is one `remember` and so one pass of the network's clock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wangchuan.cli.intake import Source, messages_from
from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.output import console, counted, note, on_screen, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from wangchuan.cli.opening import Opened
    from wangchuan.pending import Receipt
    from wangchuan.types import Message

BATCH = 20
POLL_SECONDS = 0.1
LONGEST_FULL = 600.0  # seconds without a free place after which a full queue is reported
LONG_TEXT = 20_000  # characters from which on a single message shows that it is being worked on


@of_memory
def remember(
    call: Call,
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="What was said; `-` reads standard input."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(help="Text, .jsonl (a message per line) or .json (one, or a list)."),
    ] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read the input as JSON lines.")] = False,
    role: Annotated[str, typer.Option(help="Who said plain text: user, assistant, …")] = "user",
    name: Annotated[str | None, typer.Option(help="The speaker's name, for plain text.")] = None,
    batch: Annotated[int, typer.Option(min=1, help="Messages per remember.")] = BATCH,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Return once it is queued.")] = False,
) -> None:
    """Remember text, a file or what is piped in.

    A message is an object with role and content, and perhaps timestamp (seconds since 1970, or
    ISO 8601), name, id, session and metadata; one with a known id is not stored again. If one of
    them cannot be used, nothing is stored.
    """
    messages = messages_from(Source(tuple(text or ()), file, jsonl), role, name)
    batches = [messages[at : at + batch] for at in range(0, len(messages), batch)]
    with call.opened(create=True) as here, _progress(messages, batches) as advance:
        writing = Writing(here, advance)
        with _told_if_interrupted(writing, len(messages), call.to_type("stats")):
            for part in batches:
                writing.send(part)
            jobs = writing.accepted() if no_wait else writing.digested()
    if not call.told({"agent": call.agent, "messages": len(messages), "jobs": jobs}):
        _say_jobs(jobs, len(messages))


class Writing:
    """Batches on their way into a memory."""

    def __init__(self, here: Opened, advance: Callable[[int], None]) -> None:
        self._here, self._advance = here, advance
        self._under_way: list[tuple[Receipt, int]] = []
        self._done: list[dict[str, Any]] = []
        self.taken = 0  # messages that were accepted

    def send(self, messages: list[Message]) -> None:
        """Hand over one batch, waiting for a place if the queue is full."""
        while len(self._under_way) >= self._here.host.settings.max_queue_size:
            self._collect()
        receipt = self._here.memory.remember(messages)
        deadline = time.monotonic() + LONGEST_FULL
        while receipt.status == "rejected":
            self._make_room(receipt, deadline)
            receipt = self._here.memory.remember(messages)
        self.taken += len(messages)
        self._under_way.append((receipt, len(messages)))
        while self._under_way and self._under_way[0][0].done():
            self._collect()

    def _make_room(self, rejected: Receipt, deadline: float) -> None:
        """Wait until the queue has a place again; raises QueueFull if that takes too long."""
        limit = self._here.host.settings.max_queue_size
        note(f"others filled the queue ({limit} wait): waiting for a place")
        while self._here.memory.stats().pending >= limit:
            if time.monotonic() > deadline:
                rejected.result()
            time.sleep(POLL_SECONDS)

    def _collect(self) -> None:
        receipt, count = self._under_way.pop(0)
        made = [self._made(node_id) for node_id in receipt.result()]
        self._done.append({"id": receipt.id, "state": "done", "memories": made})
        self._advance(count)

    def _made(self, node_id: str) -> dict[str, str | None]:
        """Return a new memory as it is stored; one that is forgotten already has no text."""
        node = self._here.memory.look.node(node_id)
        if node is None:
            return {"id": node_id, "phrase": None, "content": None}
        return {"id": node_id, "phrase": node.phrase, "content": node.content}

    def digested(self) -> list[dict[str, Any]]:
        """Wait for everything sent and return the jobs with the memories they made."""
        while self._under_way:
            self._collect()
        return self._done

    def accepted(self) -> list[dict[str, Any]]:
        """Return the jobs as they stand, without waiting."""
        waiting: list[dict[str, Any]] = [
            {"id": receipt.id, "state": receipt.status, "memories": []}
            for receipt, _ in self._under_way
        ]
        return [*self._done, *waiting]


@contextmanager
def _told_if_interrupted(writing: Writing, total: int, stats: str) -> Iterator[None]:
    """Say what became of the messages if someone does not wait for them."""
    try:
        yield
    except KeyboardInterrupt:
        kept = "nothing was accepted"
        if writing.taken:
            kept = (
                f"{writing.taken} of {counted(total, 'message')} were accepted: they are kept and"
                f" digested with the next command, do not tell them again (`{stats}` shows jobs"
                " that wait)"
            )
        note(f"interrupted; {kept}")
        raise


@contextmanager
def _progress(
    messages: list[Message], batches: list[list[Message]]
) -> Iterator[Callable[[int], None]]:
    """Draw a bar on stderr while long input is digested, if someone watches."""
    screen = console(stderr=True)
    is_long = len(batches) > 1 or sum(len(m.content) for m in messages) > LONG_TEXT
    if not is_long or not screen.is_terminal:
        yield lambda _: None
        return
    with bar_on(screen, "remembering", len(messages), moves=len(batches) > 1) as advance:
        yield advance


@contextmanager
def bar_on(
    screen: Any, title: str, total: int, *, moves: bool = True
) -> Iterator[Callable[[int], None]]:
    """Draw a bar that the yielded function moves; one that cannot move pulses."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    with Progress(*columns, TimeElapsedColumn(), console=screen, transient=True) as progress:
        task = progress.add_task(title, total=total if moves else None)
        yield lambda count: progress.advance(task, count)


def _say_jobs(jobs: list[dict[str, Any]], messages: int) -> None:
    for job in jobs:
        made = job["memories"]
        count = counted(len(made), "new memory", "new memories")
        say(f"{job['id']} {job['state']}" + (f": {count}" if job["state"] == "done" else ""))
        for memory in made:
            text = "(forgotten already)" if memory["content"] is None else memory["content"]
            say(on_screen(f"  {memory['id']:<8} {text}"))
    if not jobs:
        note(f"{counted(messages, 'message')}: nothing to remember")
