"""The work of a lane: the steps of its jobs, where answers come from, what all lanes share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from wangchuan.jobs.pool import Pool
from wangchuan.jobs.scheduler import Scheduler
from wangchuan.models.seam import Ask
from wangchuan.settings.groups import Queue
from wangchuan.storage import JobRecord, Mark, Store, Transaction
from wangchuan.types import Clock

T = TypeVar("T")
Result = tuple[str, ...]
Borrow = Callable[[], AbstractContextManager[Store]]


@dataclass(frozen=True, slots=True)
class Plan:
    """The next step of a job: what to ask a model, how to read its answer, what to do then.

    `read` checks the answer and raises UnusableAnswer; `act` stores its effect, with the mark
    that it is done, in one transaction. With nothing to ask, `act` is given None.
    """

    ask: Ask | None
    read: Callable[[Any], Any]
    act: Callable[[Store, Any], None]

    @classmethod
    def of(cls, act: Callable[[Transaction], None]) -> Plan:
        """Return a plan that asks nothing: all it does is done in one transaction."""

        def done(store: Store, _: Any) -> None:
            with store.write() as tx:
                act(tx)

        return cls(None, lambda answer: answer, done)


Step = Callable[[Store, JobRecord], Plan]


class Answers(Protocol):
    """Where answers come from."""

    @property
    def inline(self) -> bool:
        """Tell whether the model need not be waited for."""

    def at_once(self, store: Store, ask: Ask, job: JobRecord) -> Any:
        """Return an answer for which no model has to be waited, or None."""

    def call(self, ask: Ask) -> Any:
        """Ask the model, which may take long; never raises."""

    def take(self, store: Store, ask: Ask, called: Any) -> Any:
        """Note what a call cost and return its answer, or raise what went wrong."""

    def keep(self, store: Store, ask: Ask, answer: Any, erased: str | None) -> None:
        """Keep an answer that proved usable, so that it need not be asked for again.

        `erased` is what the store noted of erasures when the question was made.
        """

    def is_incapable(self, job: JobRecord) -> bool:
        """Tell whether the model has had all its tries, and another answers in its place."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """The answer to a question, and the nodes that it returned and passed on its way."""

    value: T
    returned: tuple[int, ...] = ()
    passed: tuple[int, ...] = ()
    facts: tuple[int, ...] = ()  # of those returned


Question = Callable[[Transaction], Answer[T]]


@dataclass(frozen=True)
class Work:
    """The steps of a lane by kind of job, where its answers come from, and who notes accesses."""

    steps: dict[str, Step]
    answers: Answers
    compression: str = ""  # the kind of job that has time slices
    grouped: frozenset[str] = frozenset()  # kinds of which several may be done in one transaction
    mark_used: Callable[[Transaction, Answer[Any]], Mark] = lambda _tx, _answer: lambda _: None


@dataclass(frozen=True)
class Shared:
    """What all lanes of a host have in common."""

    scheduler: Scheduler
    readers: Pool
    models: Pool
    clock: Clock
    queue: Queue
    result: Callable[[JobRecord], Result]
    failed: Callable[[str, JobRecord, str], None]
