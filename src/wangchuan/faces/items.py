"""Items: values that frameworks keep beside the memory, by key: `memory.items`.

Agent frameworks have stores of their own shape: a value under a key of a namespace, found again by
key, by its fields, or by words. Such items are no nodes: nothing links them, and only those with an
end go by themselves. They live in the same store, so that they are exported, backed up and erased
with the agent.

All calls within one `with memory.items.batch() as items` are one transaction.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wangchuan.arguments import a_text
from wangchuan.errors import InvalidInput, shown
from wangchuan.faces.face import Face
from wangchuan.language.terms import asked, terms
from wangchuan.network.ranking import shares
from wangchuan.storage.records import ItemRecord
from wangchuan.storage.transaction import Transaction
from wangchuan.types import Clock, Item

END, LAST = "\x1f", "\U0010ffff"  # what ends a part of a namespace; after all of them
LONGEST = 1_000_000  # characters of a value
Where = Callable[[dict[str, Any]], bool]
Vector = Sequence[float]


class Items(Face):
    """Items: values under keys."""

    @contextmanager
    def batch(self) -> Iterator[Batch]:
        """Read and write items in one transaction; an error undoes all of it."""
        with self._borrow() as store, store.write() as tx:
            yield Batch(tx, self._agent.clock)


class Batch:
    """The items in one transaction."""

    def __init__(self, tx: Transaction, clock: Clock) -> None:
        self._tx, self._now = tx, clock()

    def get(self, namespace: Sequence[str], key: str, *, refresh: bool = True) -> Item | None:
        """Return an item; None if there is none. With `refresh` its time begins anew."""
        record = self._tx.items.get(joined(namespace), a_text(key, "a key"), self._now)
        if record is not None and refresh:
            self._extend(record)
        return _item(record) if record else None

    def put(
        self,
        namespace: Sequence[str],
        key: str,
        value: Mapping[str, Any],
        *,
        ttl: float | None = None,
        texts: Iterable[str] = (),
        vectors: Iterable[Vector] = (),
    ) -> None:
        """Keep a value under a key, to be found by `texts`, or their `vectors`.

        `ttl` is how many minutes the item lasts after its last use. Raises InvalidInput for a
        value that is no JSON object, or longer than a million characters.
        """
        if ttl is not None and not 0 < ttl <= 1e9:
            raise InvalidInput(f"ttl is a number of minutes above 0, not {shown(ttl)}")
        name, word = joined(namespace), a_text(key, "a key")
        self._tx.items.drop_expired(self._now)
        self._tx.items.put(
            ItemRecord(
                name,
                word,
                _json(value),
                self._now,
                self._now,
                ttl,
                None if ttl is None else self._now + ttl * 60,
                " ".join(term for text in texts for term in terms(text)),
                _packed(vectors),
            )
        )

    def drop(self, namespace: Sequence[str], key: str) -> bool:
        """Drop an item; tell whether there was one."""
        return bool(self._tx.items.drop(joined(namespace), a_text(key, "a key")))

    def search(
        self,
        prefix: Sequence[str] = (),
        query: str = "",
        *,
        where: Where = lambda _: True,
        vector: Vector = (),
        refresh: bool = True,
    ) -> list[Item]:
        """Return the items below a namespace that `where` admits, the newest first.

        With a query, or its vector, the items found by it, the best first, each with a score up to
        1: the share of the query's words it holds, or how near it is. Items without texts come
        last, without a score.
        """
        low = joined(prefix) if prefix else ""
        found = self._tx.items.within(low, low[:-1] + " " if low else LAST, self._now)
        admitted = [(r, value) for r in found if where(value := json.loads(r.value))]
        if refresh:
            for record, _ in admitted:
                self._extend(record)
        if not query.strip():
            return [_item(record) for record, _ in admitted]
        records = [record for record, _ in admitted]
        best = sorted(_scores(records, query, vector), key=lambda one: -one[1])
        blank = [record for record in records if not (record.vectors if vector else record.terms)]
        return [_item(*one) for one in best] + [_item(record) for record in blank]

    def namespaces(self) -> list[tuple[str, ...]]:
        """Return all namespaces that hold items."""
        found = self._tx.items.within("", LAST, self._now)
        return sorted({parted(record.namespace) for record in found})

    def _extend(self, record: ItemRecord) -> None:
        if record.ttl is not None:
            self._tx.items.extend(record.namespace, record.key, self._now)


def joined(namespace: Sequence[str]) -> str:
    """Return a namespace as one text. Raises InvalidInput."""
    if isinstance(namespace, str) or not all(isinstance(part, str) for part in namespace):
        raise InvalidInput(f"a namespace is a list of texts, not {shown(namespace)}")
    if not namespace or any(END in part or not part for part in namespace):
        raise InvalidInput(f"a part of a namespace is empty or holds U+001F: {shown(namespace)}")
    return "".join(part + END for part in namespace)


def parted(namespace: str) -> tuple[str, ...]:
    """Return the parts of a namespace."""
    return tuple(namespace.split(END)[:-1])


def _item(record: ItemRecord, score: float | None = None) -> Item:
    return Item(
        parted(record.namespace),
        record.key,
        json.loads(record.value),
        record.created_at,
        record.updated_at,
        score,
    )


def _json(value: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a value is a JSON object, not {shown(value)}: {error}") from error
    if len(text) > LONGEST:
        raise InvalidInput(f"a value has at most {LONGEST:,} characters, not {len(text):,}")
    return text


def _packed(vectors: Iterable[Vector]) -> bytes | None:
    """Return vectors as bytes: how many there are, then their numbers."""
    rows = [list(vector) for vector in vectors]
    if not rows:
        return None
    flat = [number for row in rows for number in row]
    return struct.pack(f"<i{len(flat)}f", len(rows), *flat)


def _unpacked(data: bytes) -> list[tuple[float, ...]]:
    (count,) = struct.unpack_from("<i", data)
    flat = struct.unpack_from(f"<{(len(data) - 4) // 4}f", data, 4)
    size = len(flat) // count
    return [flat[n * size : (n + 1) * size] for n in range(count)]


def _scores(
    records: list[ItemRecord], query: str, vector: Vector
) -> list[tuple[ItemRecord, float]]:
    if vector:
        held = [(record, _unpacked(record.vectors)) for record in records if record.vectors]
        return [(record, max(_cosine(vector, one) for one in many)) for record, many in held]
    words = [(record, set(record.terms.split())) for record in records if record.terms]
    scores = shares(asked(query), [found for _, found in words])
    return [(record, score) for (record, _), score in zip(words, scores, strict=True) if score]


def _cosine(one: Vector, other: Vector) -> float:
    dot = sum(a * b for a, b in zip(one, other, strict=False))
    length = sum(a * a for a in one) * sum(b * b for b in other)
    return dot / float(length**0.5) if length else 0.0
