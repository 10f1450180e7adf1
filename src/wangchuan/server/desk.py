"""Running operations for requests: off the event loop, so many at once, and no wait without end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from wangchuan.errors import Closed, StorageError
from wangchuan.operations.operation import Operation
from wangchuan.operations.rights import Principal
from wangchuan.operations.running import Runner
from wangchuan.operations.table import TABLE
from wangchuan.pending import Pending
from wangchuan.server.refusals import Refusal
from wangchuan.settings.groups import Serving
from wangchuan.types import value

THREADS, MOST_WAITING = 8, 32  # of those that work; of those that wait for something
T = TypeVar("T")
GLANCE_SECONDS = 2.0  # within which whoever watches from outside is answered
QUEUED = 8  # for each operation under way so many may wait to begin


class Admission:
    """Lets so many in at once; others wait so many seconds, and then are refused."""

    def __init__(self, most: int, patience: float) -> None:
        self._room, self._patience = asyncio.Semaphore(most), patience
        self._waiting, self._queue = 0, most * QUEUED

    async def __aenter__(self) -> None:
        """Take a place. Raises Refusal."""
        if self._waiting >= self._queue:
            raise Refusal("Busy", "too many requests wait already; try again later")
        if self._room.locked():
            await self._wait()
        else:
            await self._room.acquire()  # at once

    async def __aexit__(self, *_: object) -> None:
        """Give the place back."""
        self._room.release()

    async def _wait(self) -> None:
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                await self._room.acquire()
        except TimeoutError:
            told = f"no operation could begin within {self._patience:g} seconds; try again later"
            raise Refusal("Busy", told) from None
        finally:
            self._waiting -= 1


class Gathering:
    """What is asked of an agent while the same is being done there waits, and is then done at once:
    one thread, one transaction and one sync for all who wait.
    """

    def __init__(self, runner: Runner, threads: ThreadPoolExecutor) -> None:
        self._runner, self._threads = runner, threads
        self._waiting: dict[tuple[str, str], list[_Asked]] = {}

    async def __call__(
        self, operation: Operation, agent: str, principal: Principal, given: Mapping[str, Any]
    ) -> Any:
        """Return the result of an operation that can be done together with others."""
        loop, key = asyncio.get_running_loop(), (operation.name, agent)
        asked = _Asked(principal, given, loop.create_future())
        if key not in self._waiting:
            self._waiting[key] = []
            loop.call_soon(self._begin, operation, agent)  # those who came with it are in it, too
        self._waiting[key].append(asked)
        return await asked.future

    def _begin(self, operation: Operation, agent: str) -> None:
        those = self._waiting.pop((operation.name, agent))
        if not those:
            return
        self._waiting[operation.name, agent] = []
        each = [(one.principal, one.given) for one in those]
        run, loop = self._runner.run_together, asyncio.get_running_loop()
        work = loop.run_in_executor(self._threads, run, operation, agent, each)
        work.add_done_callback(lambda work: self._end(operation, agent, those, work))

    def _end(
        self, operation: Operation, agent: str, those: list[_Asked], work: asyncio.Future[list[Any]]
    ) -> None:
        error = Closed("the server stops") if work.cancelled() else work.exception()
        found = work.result() if error is None else [error] * len(those)
        for one, result in zip(those, found, strict=True):
            one.tell(result)
        self._begin(operation, agent)


class Glance(Generic[T]):
    """A question about all memories, asked by one thread at a time.

    Whoever asks meanwhile hears the same answer, and nobody waits longer than so many seconds.
    """

    def __init__(self, ask: Callable[[], T], seconds: float = GLANCE_SECONDS) -> None:
        self._ask, self._seconds = ask, seconds
        self._thread = ThreadPoolExecutor(1, "wangchuan-glance")
        self._asked: asyncio.Future[T] | None = None

    async def __call__(self) -> T:
        """Return the answer. Raises Refusal, with the reason, where there is none."""
        if self._asked is None or self._asked.done():
            self._asked = asyncio.get_running_loop().run_in_executor(self._thread, self._ask)
            self._asked.add_done_callback(lambda asked: asked.cancelled() or asked.exception())
        asked = self._asked
        done, _ = await asyncio.wait({asked}, timeout=self._seconds)
        if not done:
            raise Refusal("Busy", f"the memories did not answer within {self._seconds:g} seconds")
        try:
            return asked.result()
        except (OSError, StorageError) as error:
            raise Refusal("Busy", f"the memories cannot be reached: {error}") from error

    def close(self) -> None:
        """Ask no more."""
        self._thread.shutdown(wait=False, cancel_futures=True)


@value
class _Asked:
    """Somebody who waits for what they asked for."""

    principal: Principal
    given: Mapping[str, Any]
    future: asyncio.Future[Any]

    def tell(self, result: Any) -> None:
        """Tell them how it ended, unless they are gone."""
        if self.future.done():
            return
        if isinstance(result, BaseException):
            self.future.set_exception(result)
        else:
            self.future.set_result(result)


class Desk:
    """Where the routes hand in what is asked for."""

    def __init__(self, runner: Runner, serving: Serving) -> None:
        self.runner, self.serving = runner, serving
        self._working = Admission(serving.server_concurrency, serving.server_patience)
        self._waiting = Admission(MOST_WAITING, serving.server_patience)
        self._threads = ThreadPoolExecutor(THREADS, "wangchuan-serve")
        self._patient = ThreadPoolExecutor(MOST_WAITING, "wangchuan-wait")
        self._gathering = Gathering(runner, self._threads)
        self.reach = Glance(runner.host.backend.reach)
        self.waiting_jobs = Glance(runner.host.backend.waiting_jobs)
        self.stopping = asyncio.Event()

    async def run(
        self,
        name: str | Operation,
        principal: Principal,
        agent: str | None,
        given: Mapping[str, Any],
        **more: Any,
    ) -> Any:
        """Return the result of an operation for somebody, who was asked first for their right."""
        operation = TABLE[name] if isinstance(name, str) else name
        admission, threads = self._working, self._threads
        if operation.waits:  # never in the way of those who work
            admission, threads = self._waiting, self._patient
        async with admission:
            if operation.together is not None:
                return await self._gathering(operation, str(agent), principal, given)
            return await self.call(
                lambda: self.runner.run(operation, principal, agent, given, **more), threads
            )

    async def admitted(self, call: Callable[[], Any]) -> Any:
        """Return what something returns that is worked at like an operation."""
        async with self._working:
            return await self.call(call)

    async def call(self, call: Callable[[], Any], threads: ThreadPoolExecutor | None = None) -> Any:
        """Return what something returns that takes time, in a thread."""
        loop = asyncio.get_running_loop()
        value = await loop.run_in_executor(threads or self._threads, call)
        return await value if isinstance(value, Pending) else value

    def close(self) -> None:
        """Let what is under way end, then close the memories."""
        for threads in (self._threads, self._patient):
            threads.shutdown(wait=True, cancel_futures=True)
        self.reach.close()
        self.waiting_jobs.close()
        self.runner.close()
