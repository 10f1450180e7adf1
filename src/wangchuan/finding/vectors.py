"""The vectors of what was said: made in the background, compared in memory.

A message is embedded together with the turn before it, because an answer means little without its
question. Vectors are kept with the messages, as half-precision numbers, under the name of the
embedder that made them; when another one is configured they are made anew, a batch at a time, and
words alone are searched until that has caught up. Comparing is a product with every vector, or with
the likely ones of many (`finding.matrix`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

from wangchuan.answers import unanswered
from wangchuan.errors import ModelError, UnusableAnswer
from wangchuan.events import Events
from wangchuan.finding.indexing import as_known
from wangchuan.jobs.work import Plan
from wangchuan.models.embedding import Embedder, checked
from wangchuan.models.seam import Ask
from wangchuan.storage import JobRecord, MessageRecord, Store, Transaction, still_said
from wangchuan.types import Clock

if TYPE_CHECKING:
    from wangchuan.finding import matrix

log = logging.getLogger("wangchuan")

BATCH = 64  # messages embedded at once
LOADED = 5000  # vectors read at once, and the most in one part of the matrix
BEHIND = 1000  # more messages than this without a vector: search by words alone
MADE_BY = "vectors"  # the note that says which embedder made them
KEPT_QUERIES = 256
KEPT_TEXTS = 2000  # of facts and episodes, whose vectors are kept in memory only


class Vectors:
    """One agent's vectors and the embedder that makes them."""

    def __init__(
        self, embedder: Embedder, clock: Clock, events: Events, threads: Executor, patience: float
    ) -> None:
        """Take an embedder; one that is not `inline` is asked in `threads`.

        A search waits for it no longer than `patience` seconds.
        """
        self._embedder, self._clock, self._events = embedder, clock, events
        self._threads, self._patience = threads, patience
        self._lock = threading.Lock()
        self._asked: dict[str, Future[Any]] = {}
        self._texts: dict[str, Any] = {}
        self._forget()

    def _forget(self) -> None:
        self._made_by = ""
        self._vectors: matrix.Matrix | None = None

    # making them

    def is_current(self, tx: Transaction) -> bool:
        """Tell whether every message has a vector of this embedder, or a job to make it."""
        last = tx.messages.last()
        made = last is None or last.seq <= tx.vectors.last() or tx.jobs.waits("embed")
        return made and tx.meta.get(MADE_BY) == self._embedder.name

    def adopt(self, tx: Transaction) -> None:
        """See that all messages get vectors of this embedder."""
        if tx.meta.get(MADE_BY) != self._embedder.name:
            tx.vectors.clear()
            tx.meta.set(MADE_BY, self._embedder.name)
        self.want(tx)

    def want(self, tx: Transaction) -> None:
        """See that messages without a vector get one."""
        last = tx.messages.last()
        if last and last.seq > tx.vectors.last() and not tx.jobs.waits("embed"):
            tx.jobs.add("embed", self._clock())

    def step(self, store: Store, job: JobRecord) -> Plan:
        """Plan to embed the next batch."""
        with store.read() as tx:
            after, width = tx.vectors.last(), len(tx.vectors.after(0, 1)[1]) // 2
            batch = tx.messages.between(after, after + BATCH)
            texts = embedded(as_known(tx, batch), after)
        numbers = [m.seq for m in batch if m.seq > after]

        def act(store: Store, vectors: Any) -> None:
            with store.write() as tx:
                if not still_said(tx, batch):
                    return  # something of it was erased: it is embedded anew
                ours, last = tx.meta.get(MADE_BY) == self._embedder.name, tx.messages.last()
                if ours and numbers and tx.vectors.last() == after:
                    tx.vectors.add(zip(numbers, _packed(vectors), strict=True))
                done, total = tx.vectors.last(), last.seq if last else 0
                if not ours or done >= total:  # more may have been said meanwhile
                    tx.jobs.drop(job.seq)
                tx.after(lambda: self._events.emit("embedded", done=done, total=total))

        ask = Ask("embed", {"texts": texts}) if texts else None
        return Plan(ask, lambda answer: self._read(answer["vectors"], len(texts), width), act)

    def _read(self, vectors: Any, count: int, width: int = 0) -> Any:
        """Return checked vectors, of a `width` if there is one, or raise ModelError.

        Not UnusableAnswer: then another model would be asked at once, and there is no other.
        """
        try:
            found = checked(vectors, count)
        except UnusableAnswer as error:
            raise unanswered(self._embedder.name, error) from error
        if width and found.shape[1] != width:
            raise ModelError(
                f"{self._embedder.name} made vectors of {width} numbers and now makes some of"
                f" {found.shape[1]}; if it is another embedder, give it another name"
            )
        return found

    # comparing

    def nearest(self, tx: Transaction, text: str, most: int) -> list[tuple[int, float]]:
        """Return the messages nearest in meaning, with the cosine; nothing if there is no way."""
        tx.ahead(lambda tx: tx.vectors.last(), lambda tx: self._soon(tx, text, most))
        last = tx.messages.last()
        if last is None or tx.meta.get(MADE_BY) != self._embedder.name:
            return []
        if last.seq - tx.vectors.last() > BEHIND:
            return []
        try:
            query = self._query(text)
        except ModelError as error:
            log.warning("searching by words alone: %s", error)
            return []
        return self._compared(tx, query, most)

    def _soon(self, tx: Transaction, text: str, most: int) -> None:
        """Ask for the nearest messages at once, if the question's vector need not be waited for."""
        answer = self._answer(text)
        if answer.done() and answer.exception() is None:
            with suppress(ModelError):  # an answer that is no vector is told of where it is needed
                self._compared(tx, self._query(text), most)

    def _compared(self, tx: Transaction, query: Any, most: int) -> list[tuple[int, float]]:
        """Let the store compare, if it can; else read the vectors and do it here."""
        found = tx.vectors.nearest(query.tolist(), most)
        if found is not None:
            return found
        with self._lock:
            self._load(tx)
            return self._matrix.nearest(query, most)

    def alike(
        self, tx: Transaction, messages: Sequence[int], least: float
    ) -> dict[int, list[tuple[int, float]]]:
        """Return, for messages, others whose vectors are at least so near, and how near, in order.

        Only vectors count that were made mostly of a message's own words.
        """
        if tx.meta.get(MADE_BY) != self._embedder.name:
            return {}
        with self._lock:
            self._load(tx)
            near = self._matrix.alike(sorted(set(messages)), least)
        own = _own_words(tx, {m for one, pairs in near.items() for m in (one, *dict(pairs))})
        return {
            one: [pair for pair in pairs if pair[0] in own]
            for one, pairs in near.items()
            if one in own
        }

    def closeness(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how near each of some short texts is to a question, as a cosine.

        Nothing if there is no way. Their vectors are made when first asked for.
        """
        try:
            wanted = self._query(query)
            self._embed([text for text in dict.fromkeys(texts) if text not in self._texts])
        except ModelError as error:
            log.warning("looking at facts by words alone: %s", error)
            return []
        close: list[float] = _numbers().closeness([self._texts[text] for text in texts], wanted)
        while len(self._texts) > KEPT_TEXTS:
            self._texts.pop(next(iter(self._texts)))
        return close

    def _embed(self, texts: Sequence[str]) -> None:
        for first in range(0, len(texts), BATCH):
            batch = texts[first : first + BATCH]
            try:
                answer = self._ask(batch).result(self._patience)
            except Exception as error:  # a stranger's code, as below
                raise unanswered(self._embedder.name, error) from error
            self._texts.update(zip(batch, self._read(answer, len(batch)), strict=True))

    def _query(self, text: str) -> Any:
        """Return the vector of a question, or raise ModelError."""
        answer = self._answer(text)
        try:
            return self._read(answer.result(self._patience), 1)[0]
        except Exception as error:  # a stranger's code: whatever it raised, it did not answer
            if answer.done():  # else it may still come, for the next who asks the same
                self._asked.pop(text, None)
            raise unanswered(self._embedder.name, error) from error

    def _answer(self, text: str) -> Future[Any]:
        """Return the answer to come about the vector of a question."""
        while len(self._asked) >= KEPT_QUERIES:
            self._asked.pop(next(iter(self._asked)), None)
        return self._asked.get(text) or self._asked.setdefault(text, self._ask([text]))

    def _ask(self, texts: Sequence[str]) -> Future[Any]:
        if not getattr(self._embedder, "inline", False):
            return self._threads.submit(self._embedder.embed, texts)
        answer: Future[Any] = Future()
        try:
            answer.set_result(self._embedder.embed(texts))
        except Exception as error:  # told to whoever looks at the answer
            answer.set_exception(error)
        return answer

    @property
    def _matrix(self) -> matrix.Matrix:
        if self._vectors is None:
            self._vectors = _numbers().Matrix()
        return self._vectors

    def _load(self, tx: Transaction) -> None:
        """Read the vectors that came since the last time."""
        made_by = f"{tx.meta.get(MADE_BY)} {tx.meta.get('erased')}"
        if made_by != self._made_by:
            self._forget()
            self._made_by = made_by
        while (found := tx.vectors.after(self._matrix.last, LOADED))[0]:
            self._matrix.add(*found)


def _numbers() -> ModuleType:
    """Return the part that needs numpy, which takes longer to load than all the rest."""
    from wangchuan.finding import matrix

    return matrix


def embedded(batch: Sequence[MessageRecord], after: int) -> list[str]:
    """Return the texts to embed for the messages after a number: the turn before, and their own."""
    before: dict[int, MessageRecord] = {m.seq: m for m in batch}
    texts = []
    for message in batch:
        if message.seq > after:
            turn = before.get(message.seq - 1)
            lead = turn.content + " " if turn and turn.talk == message.talk else ""
            texts.append((lead + message.content)[-2000:])
    return texts


def _packed(vectors: Any) -> list[bytes]:
    return [row.astype("<f2").tobytes() for row in vectors]


def _own_words(tx: Transaction, messages: Iterable[int]) -> set[int]:
    """Return the messages whose vectors were made of no less of their own than of the turn before.

    One of which nothing is left says nothing any more.
    """
    wanted = set(messages)
    said = {m.seq: m for m in as_known(tx, tx.messages.of(wanted | {m - 1 for m in wanted}))}
    found = set()
    for message in (said[m] for m in wanted if m in said):
        before = said.get(message.seq - 1)
        lead = len(before.content) if before and before.talk == message.talk else 0
        if message.content.strip() and len(message.content) >= lead:
            found.add(message.seq)
    return found
