"""What the notebook asks a model, off the caller's thread where that may take long."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wangchuan.answers import Asking
from wangchuan.errors import Closed, InvalidInput, ModelError
from wangchuan.models.offline import OfflineModel
from wangchuan.models.seam import Ask, Model
from wangchuan.notebook.owner import Owner
from wangchuan.notebook.routines import judge
from wangchuan.pending import Pending, following
from wangchuan.storage import Store

log = logging.getLogger("wangchuan")


class Questions:
    """Questions of one notebook to one model; the offline one takes over from one that fails."""

    def __init__(self, agent: Owner, model: Model) -> None:
        self._agent = agent
        self._asking = Asking(model, agent.settings, agent.clock, agent.events)

    def answer(self, ask: Ask, read: Callable[[Any], str]) -> str:
        """Return an answer of the model, or of the offline one if that is no use."""
        self._refuse_if_closed()
        try:
            return read(self._asking.answer(self._store, ask))
        except ModelError as error:
            log.warning("%s: %s; the offline model takes over", ask.routine, error)
            self._agent.events.emit("degraded", job=ask.routine, reason=str(error))
            (value,) = OfflineModel().complete(ask).values()
            return str(value)

    def judge(self, condition: str, page: str) -> bool:
        """Return whether a condition holds, judging by the page of a task."""
        question = judge.ask(condition, page)
        try:
            return judge.read(self._asking.answer(self._store, question))
        except ModelError as error:
            raise InvalidInput(
                f"the model could not say whether {condition!r:.80}: {error}"
            ) from error

    def later(self, work: Callable[[], str], dropped: str) -> Pending[str]:
        """Do work that may take long off the caller's thread.

        `dropped` is the message for whoever waits if the host is closed before the work is done.
        """
        self._refuse_if_closed()

        def done() -> str:
            try:
                return work()
            except Closed as error:
                raise Closed(dropped) from error

        try:
            future = self._agent.submit(done)
        except RuntimeError as error:  # the host was closed just now
            raise Closed(dropped) from error
        return following(future, lambda: Closed(dropped))

    @contextmanager
    def _store(self) -> Iterator[Store]:
        """Borrow the store; raises Closed if it was closed while a call took long."""
        self._refuse_if_closed()
        with self._agent.store() as store:
            yield store

    def _refuse_if_closed(self) -> None:
        if self._agent.is_closed():
            raise Closed("the memory was closed before the model was asked; open it again")
