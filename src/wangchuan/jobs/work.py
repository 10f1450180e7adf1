"""The work of a lane: the steps of its jobs, the source of answers, the parts all lanes share."""

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
from wangchuan.types import Clock, value

T = TypeVar("T")
Result = tuple[str, ...]
Borrow = Callable[[], AbstractContextManager[Store]]


@value
class Plan:
    """The next step of a job: a question to a model, how its answer is read, what is done then.

    `read` checks the answer and raises UnusableAnswer. `act` stores the effect, with the
    done-mark, in one transaction. Where there is nothing to ask, `act` is given None.
    """

    ask: Ask | None
    read: Callable[[Any], Any]
    act: Callable[[Store, Any], None]

    @classmethod
    def of(cls, act: Callable[[Transaction], None]) -> Plan:
        """Return a plan that asks nothing and acts in one transaction."""

        def done(store: Store, _: Any) -> None:
            with store.write() as tx:
                act(tx)

        return cls(None, lambda answer: answer, done)


Step = Callable[[Store, JobRecord], Plan]


class Answers(Protocol):
    """The source of a lane's answers: `Asking` of `answers.py`."""

    @property
    def inline(self) -> bool:
        """Tell whether the model need not be waited for."""

    def at_once(self, store: Store, ask: Ask, job: JobRecord) -> Any:
        """Return an answer for which no model has to be waited, or None."""

    def call(self, ask: Ask) -> Any:
        """Ask the model, which may take long; never raises."""

    def take(self, store: Store, ask: Ask, called: Any) -> Any:
        """Count the cost of a call and return its answer, or raise its error."""

    def keep(self, store: Store, ask: Ask, answer: Any, erased: str | None) -> None:
        """Keep an answer that proved usable for the next time the same is asked.

        `erased` is the store's note of erasures when the question was made.
        """

    def is_incapable(self, job: JobRecord) -> bool:
        """Tell whether the model has had all its tries: the offline model answers in its place."""


@value
class Answer(Generic[T]):
    """The answer to a question, and the nodes that it returned and passed on its way."""

    value: T
    returned: tuple[int, ...] = ()
    passed: tuple[int, ...] = ()
    facts: tuple[int, ...] = ()  # of those returned


Question = Callable[[Transaction], Answer[T]]


@dataclass(frozen=True)
class Work:
    """The steps of a lane by kind of job, the source of its answers, and who notes accesses."""

    steps: dict[str, Step]
    answers: Answers
    compression: str = ""  # the kind of job that has time slices
    grouped: frozenset[str] = frozenset()  # kinds of which several may be done in one transaction
    mark_used: Callable[[Transaction, Answer[Any]], Mark] = lambda _tx, _answer: lambda _: None


@dataclass(frozen=True)
class Shared:
    """The parts that all lanes of a host share."""

    scheduler: Scheduler
    readers: Pool
    models: Pool
    clock: Clock
    queue: Queue
    result: Callable[[JobRecord], Result]
    failed: Callable[[str, JobRecord, str], None]
