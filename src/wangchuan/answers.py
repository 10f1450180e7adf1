"""Asking models with an eye on the cost.

A question that was answered before gets the answer that was kept. A question beyond the day's
budget goes to the offline model. So does a question to which the model gave useless answers. Any
other question is a call, whose tokens and seconds are counted whether it succeeds or not.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from wangchuan.errors import ModelError, UnusableAnswer
from wangchuan.events import Events
from wangchuan.ids import job_name
from wangchuan.language.tokens import plausible, tokens
from wangchuan.models.embedding import Embedder, HTTPEmbedder, LocalEmbedder
from wangchuan.models.offline import OfflineModel
from wangchuan.models.seam import Ask, Model, Reply
from wangchuan.redaction import redacted
from wangchuan.settings.fields import Settings, secrets_of
from wangchuan.storage import JobRecord, Store, UsageRecord
from wangchuan.types import Clock, Usage, value

log = logging.getLogger("wangchuan")

MOST_ANSWERS = 1000  # kept per agent
USELESS_RETRIES = 1  # after a useless answer; more of the same hardly ever help
EMBED = "embed"  # the one question that goes to the embedder


@value
class Called:
    """How a model call ended."""

    reply: Reply | None
    error: ModelError | None
    seconds: float

    def data(self) -> Any:
        """Return the answer, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.reply.data if self.reply else None


def question_key(model: Model, ask: Ask) -> str:
    """Return the hash of a question: the same words to the same model are the same question."""
    text = json.dumps(
        [model.name, ask.routine, ask.instructions, ask.prompt, ask.data, ask.schema],
        ensure_ascii=False,
        sort_keys=True,
        default=str,
    )
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


class Asking:
    """The source of one agent's answers: kept ones, the model, or the offline model."""

    def __init__(
        self,
        model: Model,
        settings: Settings,
        clock: Clock,
        events: Events,
        embedder: Embedder | None = None,
        monotonic: Clock = time.monotonic,
    ) -> None:
        self._model, self._settings, self._clock = model, settings, clock
        self._events, self._monotonic = events, monotonic
        self._embedder = embedder
        self._offline = OfflineModel()
        self._told = ""  # the day on which the budget was last said to be spent

    def answer(self, borrow: Callable[[], AbstractContextManager[Store]], ask: Ask) -> Any:
        """Ask for a caller who waits for the answer; raises ModelError.

        If the budget is spent, the offline model answers.
        """
        if self.inline:
            called = self.call(ask)
        else:
            with borrow() as store:
                given = self.at_once(store, ask)
            if given is not None:
                return given
            called = self.call(ask)  # a call may take long: no store is held meanwhile
            with borrow() as store:
                self._count(store, ask, called)
        return called.data()

    @property
    def inline(self) -> bool:
        """Tell whether the model need not be waited for."""
        return bool(getattr(self._model, "inline", False))

    def at_once(self, store: Store, ask: Ask, job: JobRecord | None = None) -> Any:
        """Return an answer for which no model has to be waited, or None."""
        if ask.routine == EMBED:
            return self._embed(ask) if getattr(self._embedder, "inline", False) else None
        if job is not None and self.is_incapable(job):
            self._events.emit("degraded", job=job_name(job.seq), reason=job.reason)
            return self._offline.complete(ask)
        if self.inline:
            return _data(self._model.complete(ask))
        with store.read() as tx:
            kept = tx.models.answer(question_key(self._model, ask))
            spent = tx.models.usage(self._day())
        if kept is not None:
            return json.loads(kept)
        if self._is_spent(spent):
            self._tell_budget()
            return self._offline.complete(ask)
        return None

    def call(self, ask: Ask) -> Called:
        """Ask the model, which may take long; never raises."""
        began = self._monotonic()
        try:
            given = self._embed(ask) if ask.routine == EMBED else self._model.complete(ask)
            reply = given if isinstance(given, Reply) else Reply(given)
            return Called(reply, None, self._monotonic() - began)
        except ModelError as error:
            return Called(None, error, self._monotonic() - began)
        except Exception as error:  # a stranger's code: any error means that it did not answer
            trouble = unanswered(self._model.name, error, secrets_of(self._settings))
            return Called(None, trouble, self._monotonic() - began)

    def take(self, store: Store, ask: Ask, called: Called) -> Any:
        """Count the cost of a call and return its answer, or raise its error."""
        self._count(store, ask, called)
        return called.data()

    def keep(self, store: Store, ask: Ask, answer: Any, erased: str | None) -> None:
        """Keep an answer that proved usable, unless there was an erasure since the question."""
        if ask.routine == EMBED:
            return  # vectors have a drawer of their own
        text = json.dumps(answer)  # ASCII: a lone surrogate must not stop the writing
        with store.write(soft=True) as tx:
            if tx.meta.get("erased") == erased:
                tx.models.keep(question_key(self._model, ask), text, self._clock(), MOST_ANSWERS)

    def _embed(self, ask: Ask) -> Mapping[str, Any]:
        if self._embedder is None:
            raise ModelError("no embedder is configured any more")
        try:
            return {"vectors": self._embedder.embed(ask.data["texts"])}
        except Exception as error:  # a stranger's code; there is no other embedder
            secrets = secrets_of(self._settings)
            raise unanswered(self._embedder.name, error, secrets) from error

    def is_incapable(self, job: JobRecord) -> bool:
        """Tell whether the model has had all its tries of a job, and its answers were no use."""
        tried = job.attempts > min(self._settings.max_retries, USELESS_RETRIES)
        useless = job.failed_by(UnusableAnswer)
        return tried and useless and job.kind != EMBED  # there is no other embedder

    def _day(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).strftime("%Y-%m-%d")

    def _is_spent(self, today: list[UsageRecord]) -> bool:
        calls = sum(usage.calls for usage in today)
        used = sum(usage.prompt_tokens + usage.completion_tokens for usage in today)
        limits = (self._settings.model_calls_per_day, self._settings.model_tokens_per_day)
        return any(
            limit and spent >= limit for limit, spent in zip(limits, (calls, used), strict=True)
        )

    def _tell_budget(self) -> None:
        day = self._day()
        if self._told != day:
            self._told = day
            log.warning("the day's model budget is spent; going on with the offline model")
            self._events.emit("budget_spent", day=day)

    def _count(self, store: Store, ask: Ask, called: Called) -> None:
        reply = called.reply or Reply(None)
        words = (
            "".join(ask.data["texts"]) if ask.routine == EMBED else ask.instructions + ask.prompt
        )
        written = _written(reply.data) if called.reply and ask.routine != EMBED else ""
        usage = UsageRecord(
            day=self._day(),
            routine=ask.routine,
            calls=1,
            failures=int(called.error is not None),
            prompt_tokens=plausible(reply.prompt_tokens) or tokens(words),
            completion_tokens=plausible(reply.completion_tokens) or tokens(written),
            seconds=called.seconds,
        )
        with store.write(soft=True) as tx:
            tx.models.add_usage(usage)


def unanswered(name: str, error: Exception, secrets: Iterable[str] = ()) -> ModelError:
    """Return the error of a model or an embedder as a ModelError, without secrets."""
    return ModelError(redacted(f"{name}: {type(error).__name__} {error}", secrets))


def _written(data: Any) -> str:
    """Return an answer as text, to estimate its tokens; "" if JSON cannot hold the answer."""
    try:
        return json.dumps(data, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return ""


def usage_of(records: list[UsageRecord]) -> dict[str, Usage]:
    """Return the whole cost of each routine."""
    found: dict[str, Usage] = {}
    for record in records:
        sofar = found.get(record.routine, Usage())
        sums = {f.name: getattr(sofar, f.name) + getattr(record, f.name) for f in fields(Usage)}
        found[record.routine] = Usage(**sums)
    return found


def _data(given: Mapping[str, Any] | Reply) -> Any:
    return given.data if isinstance(given, Reply) else given


def embedder_of(settings: Settings) -> Embedder | None:
    """Return the embedder the settings name; None if they name none."""
    if settings.embedder == "local":
        return LocalEmbedder()
    if settings.embedder == "none" or settings.embedding_url is None:
        return None
    key = settings.embedding_key.get_secret_value() if settings.embedding_key else None
    timeout = settings.worker_timeout_ms / 1000
    return HTTPEmbedder(settings.embedding_url, settings.embedding_name, key, timeout=timeout)


def model_of(settings: Settings) -> Model:
    """Return the model the settings name; the offline one if they name none."""
    if settings.model_url is None:
        return OfflineModel()
    from wangchuan.models.http import HTTPModel  # loads everything that speaks HTTP

    key = settings.model_key.get_secret_value() if settings.model_key else None
    return HTTPModel(
        settings.model_url,
        settings.model_name,
        key,
        timeout=settings.worker_timeout_ms / 1000,
    )
