"""The methods of a memory, bound to the operations of a server.

Each operation says which method it is; arguments are bound by the names they have in both. Lists
are read page by page, what takes time is asked for in a thread, and what waits longer than a server
lets anybody wait asks again.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict
from datetime import datetime
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.parse import quote, urlencode

from wangchuan.arguments import a_path, a_timeout
from wangchuan.client.line import Line, hang_up
from wangchuan.errors import Closed, InvalidInput, NotAllowed, NotFound, QueueFull
from wangchuan.events import NAMES, Callback
from wangchuan.messages import at_once, checked
from wangchuan.operations.operation import Operation, Page
from wangchuan.operations.table import LONGEST_WAIT, MOST, TABLE
from wangchuan.pending import Closing, Pending, Receipt
from wangchuan.types import Event, Job, Node

METHODS = {one.method: one for one in TABLE.values() if one.method}
LATER = ("recall", "search", "context", "jobs.wait")  # these return a `Pending`
READ = ("notebook.world",)  # these are no calls
UNBOUNDED = ("nodes", "facts.pending")  # these return all there is, unless told
THREADS = 8
Answer = TypeVar("Answer")


class OnlyThere(InvalidInput, AttributeError):
    """Something a server does not offer; it is done where the memory is kept."""


class Face:
    """A face of a memory: some of its methods."""

    def __init__(self, memory: Connected, path: str) -> None:
        self._memory, self._path = memory, path

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the face itself."""
        return self._memory.ask(self._path, given, named)

    def __getattr__(self, name: str) -> Any:
        return self._memory.bound(f"{self._path}.{name}")


class Connected(Closing):
    """The memory of an agent behind a server. Close it when done."""

    def __init__(self, url: str, agent: str, token: str) -> None:
        self.agent_id = agent
        self._line, self._closed, self._there = Line(url, token), False, False
        self._threads = ThreadPoolExecutor(THREADS, "wangchuan-client")

    # the methods of a memory

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if any(method.startswith(f"{name}.") for method in METHODS):
            return Face(self, name)
        return self.bound(name)

    def bound(self, method: str) -> Any:
        """Return a method by its name; AttributeError for what a server does not offer."""
        if method in SEVERAL:
            return partial(SEVERAL[method], self)
        if method not in METHODS:
            raise OnlyThere(f"{method} is only there where the memory is kept, not by a server")
        if method in READ:
            return self.ask(method, (), {})
        return lambda *given, **named: self.ask(method, given, named)

    def ask(self, method: str, given: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """Call a method: in a thread, and at once something to wait for, if it takes time."""
        operation = METHODS[method]
        arguments = _bound(operation, given, named)
        if method in LATER:
            checked_arguments = {k: v for k, v in arguments.items() if k != "timeout"}
            operation.checked(checked_arguments)
            return self._later(lambda: self._result(method, operation, arguments))
        return self._result(method, operation, arguments)

    def _later(self, work: Callable[[], Any]) -> Pending[Any]:
        self._refuse_if_closed()
        return Pending(self._threads.submit(work))

    def _result(self, method: str, operation: Operation, arguments: dict[str, Any]) -> Any:
        fields = operation.takes.model_fields
        if "cursor" in fields and "limit" in fields:
            default = None if method in UNBOUNDED else fields["limit"].default
            return self._listed(operation, arguments, arguments.pop("limit", None) or default)
        try:
            value = self._sent(operation, arguments)
        except NotFound:
            if operation.may_be_none:
                return None
            raise
        return value.items if isinstance(value, Page) else value

    def _listed(
        self, operation: Operation, arguments: dict[str, Any], limit: int | None
    ) -> list[Any]:
        """Return a list, read page by page."""
        found: list[Any] = []
        while limit is None or len(found) < limit:
            most = MOST if limit is None else min(MOST, limit - len(found))
            page = self._sent(operation, {**arguments, "limit": most})
            found += page.items
            if page.next is None:
                break
            arguments = {**arguments, "cursor": page.next}
        return found

    def _sent(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        """Ask for an operation and return its result."""
        return self._with_agent(lambda: self._once(operation, arguments))

    def _with_agent(self, ask: Callable[[], Answer]) -> Answer:
        """Return an answer; of an agent that is not there yet, that of an empty one, made by it.

        Whoever may not write makes none, and is told that there is none.
        """
        try:
            answer = ask()
        except NotFound:
            if self._there:
                raise
            self._there = True
            with suppress(NotAllowed):
                self._once(TABLE["agents.make"], {})
            return ask()
        self._there = True
        return answer

    def _once(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        self._refuse_if_closed()
        arguments = dict(arguments)
        path = self._path(operation, arguments)
        if operation.verb == "POST":
            body = json.dumps(arguments, ensure_ascii=False).encode("utf-8", "surrogatepass")
            return operation.read(self._line.send("POST", path, body))
        query = {name: _spelled(value) for name, value in arguments.items() if value is not None}
        tail = f"?{urlencode(query, doseq=True)}" if query else ""
        return operation.read(self._line.send(operation.verb, path + tail))

    def _path(self, operation: Operation, arguments: dict[str, Any]) -> str:
        """Return the path of an operation; what stands in it is taken out of the arguments."""
        path = operation.path.replace("{agent}", quote(self.agent_id, safe=""))
        for name in [name for name in arguments if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", quote(str(arguments.pop(name)), safe=""))
        return path

    # what is more than one request

    def remember(
        self, messages: Any, *, session: str | None = None, metadata: Any = None
    ) -> Receipt:
        """Accept messages durably and return at once; see `Memory.remember`."""
        given = at_once(checked(messages, session=session, metadata=metadata))
        rows = [{k: v for k, v in asdict(one).items() if v is not None} for one in given]
        try:
            accepted = self._sent(TABLE["remember"], {"messages": rows})
        except QueueFull as error:
            return Receipt.rejected(str(error))
        if accepted.id is None:
            receipt = Receipt.of_erased()
        else:
            receipt = Receipt(accepted.id, *self._awaited(accepted.id))
        receipt.known, receipt.changed = accepted.known, accepted.changed
        return receipt

    def _awaited(self, job_id: str) -> tuple[Future[tuple[str, ...]], Callable[[], None]]:
        """Return the future of a job's result, and what to call when somebody waits for it."""
        future: Future[tuple[str, ...]] = Future()
        lock, begun = threading.Lock(), threading.Event()

        def fill() -> None:
            try:
                future.set_result(self._job(job_id, None).nodes)
            except Exception as error:  # the outer frame of a thread: whatever it is, is told
                future.set_exception(error)

        def hurry() -> None:
            with lock:
                if not begun.is_set() and not future.done():
                    begun.set()
                    self._threads.submit(fill)

        return future, hurry

    def _job(self, job_id: str, timeout: float | None) -> Job:
        """Return a job once it is done, or as it stands after so many seconds."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = LONGEST_WAIT if until is None else max(0.0, until - time.monotonic())
            arguments = {"job_id": job_id, "timeout": min(left, LONGEST_WAIT)}
            job: Job = self._sent(TABLE["job"], arguments)
            if job.state != "pending" or left <= 0:
                return job

    def _jobs_get(self, job_id: str) -> Job:
        return self._job(job_id, 0.0)

    def _jobs_wait(self, job_id: str, timeout: float | None = None) -> Pending[Job]:
        seconds = a_timeout(timeout)
        self._job(job_id, 0.0)
        return self._later(lambda: self._job(job_id, seconds))

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything accepted is digested and swept; False if it took too long."""
        return self._done("flush", timeout)

    def tick(self, timeout: float | None = None) -> bool:
        """Settle which memories are active and which are cold; see `Memory.tick`."""
        return self._done("tick", timeout)

    def _facts_age(self, timeout: float | None = None) -> bool:
        return self._done("facts.age", timeout)

    def _done(self, name: str, timeout: float | None) -> bool:
        """Do something that waits for the queue, as long as somebody likes to wait."""
        seconds = a_timeout(timeout)
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            left = LONGEST_WAIT if until is None else max(0.0, until - time.monotonic())
            if self._sent(TABLE[name], {"timeout": min(left, LONGEST_WAIT)}):
                return True
            if left <= LONGEST_WAIT and until is not None:
                return False
            name = "flush"

    def _look_nodes(self, *, limit: int | None = None, offset: int = 0) -> list[Node]:
        found: list[Node] = self.nodes(limit=limit, offset=offset)
        return found

    def _history_replay(self, **settings: Any) -> Any:
        return self._sent(TABLE["replay"], {"settings": settings})

    def export(
        self,
        place: str | Path | BinaryIO,
        *,
        format: str | None = None,  # noqa: A002 (what everybody calls it)
        vectors: bool = False,
    ) -> None:
        """Write the whole memory to a path or a binary stream; see `Memory.export`."""
        suffix = "" if hasattr(place, "write") else a_path(place, "place").suffix
        form = format or {".md": "markdown", ".ttl": "turtle"}.get(suffix, "jsonl")
        TABLE["export"].checked({"format": form})
        query = urlencode({"format": form, "vectors": _spelled(vectors)})
        path = f"{self._path(TABLE['export'], {})}?{query}"
        data = self._with_agent(lambda: self._line.send("GET", path))
        if isinstance(place, str | Path):
            Path(place).write_bytes(data)
        else:
            place.write(data)

    def on(self, event: str, callback: Callback) -> Callable[[], None]:
        """Call `callback(event)` whenever something happens; returns how to stop it."""
        if event not in (*NAMES, "*") or not callable(callback):
            known = ", ".join(NAMES)
            raise InvalidInput(f"no event is called {event!r:.40}; there are: {known}, *")
        path = f"/v1/agents/{quote(self.agent_id, safe='')}/events"
        connection, answer = self._with_agent(lambda: self._line.listen(path))
        hear = partial(_hear, (connection, answer), self.agent_id, event, callback)
        threading.Thread(target=hear, daemon=True, name="wangchuan-events").start()
        return lambda: hang_up(connection)

    # ending

    def close(self) -> None:
        """Close the connection. A second call does nothing."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._line.close()

    def __repr__(self) -> str:
        return f"<Memory of {self.agent_id!r} at {self._line.url}>"

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise Closed(f"the memory of agent {self.agent_id!r} is closed; connect again")


# Methods that are more than one request.
SEVERAL: dict[str, Callable[..., Any]] = {
    "facts.age": Connected._facts_age,
    "history.replay": Connected._history_replay,
    "jobs.get": Connected._jobs_get,
    "jobs.wait": Connected._jobs_wait,
    "look.nodes": Connected._look_nodes,
}


def _hear(
    line: tuple[HTTPConnection, HTTPResponse], agent: str, wanted: str, callback: Callback
) -> None:
    """Tell of events until the connection ends."""
    name, (connection, answer) = "", line
    with closing(connection), closing(answer), suppress(OSError, ValueError, HTTPException):
        while told := answer.readline():
            key, _, value = told.decode("utf-8").rstrip("\n").partition(": ")
            if key == "event":
                name = value
            elif key == "data" and wanted in (name, "*"):
                callback(Event(name, agent, json.loads(value)))


def _bound(
    operation: Operation, given: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Return arguments by their names, as JSON has them."""
    names = [name for name in operation.takes.model_fields if name != "cursor"]
    if len(given) > len(names) or not set(named) <= set(names):
        raise TypeError(f"{operation.method}() takes {', '.join(names)}")
    both = {**dict(zip(names, given, strict=False)), **named}
    return {name: _plain(value) for name, value in both.items()}


def _plain(value: Any) -> Any:
    """Return an argument as JSON has it."""
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_plain(one) for one in value]
    return value


def _spelled(value: Any) -> Any:
    """Return an argument as a query has it."""
    return str(value).lower() if isinstance(value, bool) else value
