"""Results that are not there yet, in one colour.

`Pending` wraps the future that a worker thread will fill. Synchronous code asks `.result()`,
asynchronous code awaits the same object: there is no asynchronous twin of the library and no
event loop hidden inside it. Cancelling the awaiting task abandons the wait, never the work.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import Future
from typing import Any, Generic, Self, TypeVar

from wangchuan.arguments import a_timeout
from wangchuan.errors import Closed, QueueFull

T = TypeVar("T", covariant=True)


class Pending(Generic[T]):
    """A value on its way: ask `.result()` from any thread, or await it under asyncio."""

    def __init__(self, future: Future[T]) -> None:
        self._made, self._pid = future, os.getpid()

    @property
    def _future(self) -> Future[T]:
        """Return the future; raises Closed in a forked child, where no thread fills it."""
        if self._pid != os.getpid():
            raise Closed("this was asked for before this process was forked; ask again here")
        return self._made

    def result(self, timeout: float | None = None) -> T:
        """Wait at most `timeout` seconds for the value; raises TimeoutError, or what went wrong."""
        return self._future.result(a_timeout(timeout))

    def done(self) -> bool:
        """Tell whether the value, or its error, is there."""
        return self._future.done()

    def when_done(self, call: Callable[[], object]) -> None:
        """Call something once the value, or its error, is there: at once if it is already."""
        self._future.add_done_callback(lambda _: call())

    def __await__(self) -> Generator[Any, None, T]:
        import asyncio  # whoever awaits has it loaded; others need not wait for it

        return asyncio.shield(asyncio.wrap_future(self._future)).__await__()


class Stream:
    """Pieces of a text on their way: iterate over them, or asynchronously under asyncio.

    Whoever stops before the end closes it, or lets it go.
    """

    def __init__(self, pieces: Generator[str, None, None]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[str]:
        return self._pieces

    async def __aiter__(self) -> AsyncIterator[str]:
        import asyncio  # whoever awaits has it loaded; others need not wait for it

        while (piece := await asyncio.to_thread(next, self._pieces, None)) is not None:
            yield piece

    def close(self) -> None:
        """Stop the work before it is done."""
        self._pieces.close()


class Closing:
    """Something that is closed at the end of a `with`, or of an `async with`."""

    def close(self) -> None:
        """Close the object."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        import asyncio  # whoever awaits has it loaded; others need not wait for it

        await asyncio.to_thread(self.close)  # closing may wait for a model


def following(work: Future[T], dropped: Callable[[], Exception]) -> Pending[T]:
    """Return the pending value of a thread's work; work that is dropped undone raises `dropped()`.

    A cancelled future would raise its own CancelledError, which in a coroutine reads as if the
    caller had been cancelled.
    """
    future: Future[T] = Future()

    def end(work: Future[T]) -> None:
        if work.cancelled():
            future.set_exception(dropped())
        elif error := work.exception():
            future.set_exception(error)
        else:
            future.set_result(work.result())

    work.add_done_callback(end)
    return Pending(future)


class Receipt(Pending[tuple[str, ...]]):
    """The answer of `remember`: `status` is "accepted" (durable from now on) or "rejected".

    The result is the ids of the nodes made from the messages, once they are digested. `known`
    are the ids, given by the caller, of messages that were there already (or were erased) and so
    were not stored again; `changed` are those of them that came with other words: the first stand.
    """

    known: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __init__(
        self,
        job_id: str | None,
        future: Future[tuple[str, ...]],
        hurry: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(future)
        self.id = job_id
        self.status = "rejected" if job_id is None else "accepted"
        self._hurry = hurry

    def result(self, timeout: float | None = None) -> tuple[str, ...]:
        """Wait at most `timeout` seconds for the ids of the nodes made."""
        future = self._future
        self._hurry()
        return future.result(timeout)

    def __await__(self) -> Generator[Any, None, tuple[str, ...]]:
        waiting = super().__await__()
        self._hurry()
        return waiting

    @classmethod
    def of_erased(cls) -> Receipt:
        """Build the receipt of messages all of which were erased: nothing is made of them."""
        future: Future[tuple[str, ...]] = Future()
        future.set_result(())
        receipt = cls(None, future)
        receipt.status = "accepted"
        return receipt

    @classmethod
    def rejected(cls, reason: str) -> Receipt:
        """Build the receipt of a call that was not accepted; its result raises QueueFull."""
        future: Future[tuple[str, ...]] = Future()
        future.set_exception(QueueFull(reason))
        return cls(None, future)

    def __repr__(self) -> str:
        return f"<Receipt {self.id} {self.status}>" if self.id else f"<Receipt {self.status}>"
