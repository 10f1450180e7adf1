"""The vectors of what was said: made in the background, compared in memory.

A message is embedded together with the turn before it, because an answer means little without its
question. Vectors are kept with the messages, as half-precision numbers, under the name of the
embedder that made them; when another one is configured they are made anew, a batch at a time, and
words alone are searched until that has caught up. Comparing is exact: a product with every vector
(`Matrix`).
"""

from __future__ import annotations

import logging
import threading
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, Future
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
    import numpy as np

log = logging.getLogger("wangchuan")

BATCH = 64  # messages embedded at once
LOADED = 5000  # vectors read at once, and the most in one part of the matrix
SLICE = 512  # vectors widened or multiplied at once
FILLED = 500  # vectors in the last part of the matrix from which on the next ones begin another
BEHIND = 1000  # more messages than this without a vector: search by words alone
MADE_BY = "vectors"  # the note that says which embedder made them
KEPT_QUERIES = 256
KEPT_TEXTS = 2000  # of facts and episodes, whose vectors are kept in memory only
MOST_ALIKE = 20  # for one message


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
        self._matrix = Matrix()

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
        import numpy as np

        try:
            wanted = self._query(query)
            self._embed([text for text in dict.fromkeys(texts) if text not in self._texts])
        except ModelError as error:
            log.warning("looking at facts by words alone: %s", error)
            return []
        close: list[float] = []
        if texts:
            close = (np.stack([self._texts[text] for text in texts]) @ wanted).tolist()
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
        while len(self._asked) >= KEPT_QUERIES:
            self._asked.pop(next(iter(self._asked)), None)
        answer = self._asked.get(text) or self._asked.setdefault(text, self._ask([text]))
        try:
            return self._read(answer.result(self._patience), 1)[0]
        except Exception as error:  # a stranger's code: whatever it raised, it did not answer
            if answer.done():  # else it may still come, for the next who asks the same
                self._asked.pop(text, None)
            raise unanswered(self._embedder.name, error) from error

    def _ask(self, texts: Sequence[str]) -> Future[Any]:
        if not getattr(self._embedder, "inline", False):
            return self._threads.submit(self._embedder.embed, texts)
        answer: Future[Any] = Future()
        try:
            answer.set_result(self._embedder.embed(texts))
        except Exception as error:  # told to whoever looks at the answer
            answer.set_exception(error)
        return answer

    def _load(self, tx: Transaction) -> None:
        """Read the vectors that came since the last time."""
        made_by = f"{tx.meta.get(MADE_BY)} {tx.meta.get('erased')}"
        if made_by != self._made_by:
            self._forget()
            self._made_by = made_by
        while (found := tx.vectors.after(self._matrix.last, LOADED))[0]:
            self._matrix.add(*found)


class Matrix:
    """The vectors of messages in memory, in parts, in full precision."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._parts: list[np.ndarray[Any, Any]] = []

    @property
    def last(self) -> int:
        """Return the last message whose vector is here; 0 if there is none."""
        return self._numbers[-1] if self._numbers else 0

    def add(self, numbers: Sequence[int], vectors: bytes) -> None:
        """Add the vectors of later messages, as they are kept."""
        import numpy as np

        read = _widened(np.frombuffer(vectors, "<f2").reshape(len(numbers), -1))
        if self._parts and len(self._parts[-1]) < FILLED:
            read = np.concatenate([self._parts.pop(), read])
        self._parts.append(read)
        self._numbers += numbers

    def nearest(self, query: Any, most: int) -> list[tuple[int, float]]:
        """Return the messages nearest to a vector, with the cosine; none if it is of other size."""
        import numpy as np

        if not self._parts or self._parts[0].shape[1] != len(query):
            return []
        close = np.concatenate([_products(part, query) for part in self._parts])
        most = min(most, len(close))
        top = np.argpartition(-close, most - 1)[:most]
        top = top[np.argsort(-close[top], kind="stable")]
        return [(self._numbers[int(i)], float(close[i])) for i in top]

    def alike(self, messages: Sequence[int], least: float) -> dict[int, list[tuple[int, float]]]:
        """Return, for messages with a vector, the others at least so near."""
        import numpy as np

        numbers = self._numbers
        places = {m: bisect_left(numbers, m) for m in messages}
        known = [m for m, at in places.items() if at < len(numbers) and numbers[at] == m]
        if not known:
            return {}
        mine = np.stack([self._row(places[m]) for m in known])
        close = np.concatenate([mine @ part.T for part in self._parts], axis=1)
        found = {}
        for one, row in zip(known, close, strict=True):
            near = [int(i) for i in np.flatnonzero(row >= least) if numbers[int(i)] != one]
            near.sort(key=lambda i: (-row[i], numbers[i]))
            found[one] = [(numbers[i], min(1.0, float(row[i]))) for i in near[:MOST_ALIKE]]
        return found

    def _row(self, place: int) -> Any:
        for part in self._parts:
            if place < len(part):
                return part[place]
            place -= len(part)
        raise IndexError(place)


def _widened(halves: Any) -> Any:
    """Return numbers of half precision in full precision: their bits moved to where they belong.

    The exponent is then too small by 112. To let numpy widen them takes fifteen times as long.
    """
    import numpy as np

    wide = np.empty(halves.shape, "<f4")
    for first in range(0, len(halves), SLICE):
        bits = wide[first : first + SLICE].view("<i4")
        bits[:] = halves[first : first + SLICE].view("<i2")
        bits <<= 13
        bits &= -0x70002000
    wide *= 2.0**112
    return wide


def _products(part: Any, query: Any) -> Any:
    """Return the product of every row with a vector, a slice of rows at a time.

    A slice is too small for BLAS to share it among threads, which on busy cores burn time waiting.
    """
    import numpy as np

    found = np.empty(len(part), part.dtype)
    for first in range(0, len(part), SLICE):
        np.matmul(part[first : first + SLICE], query, out=found[first : first + SLICE])
    return found


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
