"""The statements of search: where terms stand, what was said there, and the vectors of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from wangchuan.spots import spot
from wangchuan.storage.contract import Head, MessageRecord, NodeRecord


def match(term: str) -> str:
    """Return a term as full text asks for it; a single Chinese character begins a word."""
    return f'"{term}"' + ("*" if len(term) == 1 and not term.isascii() else "")


class FindingStatements:
    """The part of a transaction that search uses; see `Transaction` for what it promises."""

    if TYPE_CHECKING:

        def _rows(self, name: str, /, **values: Any) -> list[tuple[Any, ...]]: ...
        def _run(self, name: str, /, **values: Any) -> None: ...
        def _run_many(self, name: str, rows: Iterable[dict[str, Any]]) -> None: ...
        def _value(self, name: str, /, **values: Any) -> Any: ...
        def _nodes(self, name: str, /, **values: Any) -> list[NodeRecord]: ...

    def postings(self, term: str, limit: int, *also: str) -> list[int]:
        wanted = " AND ".join(map(match, (term, *also)))
        return [row[0] for row in self._rows("postings", match=wanted, limit=limit)]

    def last_message(self) -> MessageRecord | None:
        return next((MessageRecord(*row) for row in self._rows("last_message")), None)

    def messages(self, numbers: Iterable[int]) -> list[MessageRecord]:
        rows = self._rows("messages", numbers=json.dumps(list(numbers)))
        return [MessageRecord(*row) for row in rows]

    def heads(self, numbers: Iterable[int], passes: int | None = None) -> list[Head]:
        wanted = json.dumps(list(numbers))
        if passes is None:
            return self._rows("heads", numbers=wanted)
        return self._rows("heads_in_mind", numbers=wanted, passes=passes)

    def said_between(self, first: float, last: float, limit: int) -> list[int]:
        return [row[0] for row in self._rows("said_between", first=first, last=last, limit=limit)]

    def speakers(self) -> list[str]:
        return [row[0] for row in self._rows("speakers")]

    def segments_of(self, messages: Iterable[int]) -> list[NodeRecord]:
        return self._nodes("segments_of", messages=json.dumps(list(messages)))

    def index(self, message: MessageRecord, terms: Sequence[str]) -> None:
        if terms:
            where = spot(message.seq, message.place, len(terms))
            self._run("index", spot=where, terms=" ".join(terms))

    def clear_index(self) -> None:
        self._run("clear_index")

    def add_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        self._run_many("add_vector", ({"message": n, "vector": v} for n, v in vectors))

    def vectors(self, after: int, limit: int) -> list[tuple[int, bytes]]:
        return [(row[0], row[1]) for row in self._rows("vectors", after=after, limit=limit)]

    def last_vector(self) -> int:
        return int(self._value("last_vector"))

    def clear_vectors(self) -> None:
        self._run("clear_vectors")
