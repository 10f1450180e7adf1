# mypy: disable-error-code="empty-body"
"""The full text of messages and of facts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from wangchuan.spots import MESSAGE_SHIFT, is_character, message_at, spot, tags
from wangchuan.storage.records import MessageRecord
from wangchuan.storage.statements import Drawer, changed, column, run


def starred(terms: Iterable[str]) -> list[str]:
    """Return terms with a star after each single Chinese character: there it begins a word."""
    return [term + "*" if is_character(term) else term for term in terms]


def match(terms: Iterable[str]) -> str:
    """Return terms, all of which are wanted, as SQLite's full text asks for them."""
    return " AND ".join([f'"{t[:-1]}"*' if t.endswith("*") else f'"{t}"' for t in terms])


class Index(Drawer):
    """Where terms stand."""

    def add(self, message: MessageRecord, terms: Sequence[str]) -> None:
        """Put a message into the full text, by terms and by its session and metadata."""
        found_by = [*terms, *tags(message.session, message.labels)]
        if found_by:
            where = spot(message.seq, message.place, len(terms))
            self._engine.do("index.add", {"spot": where, "terms": " ".join(found_by)})

    def postings(self, term: str, limit: int, *also: str, before: int = 1 << 44) -> list[int]:
        """Return the spots where a term stands, and others also, newest first; see `spots`.

        Only those of messages `before` a number.
        """
        return self.postings_of([(term, *also)], limit, before)[0]

    def postings_of(
        self,
        asked: Iterable[Sequence[str]],
        limit: int,
        before: int = 1 << 44,
        *,
        whole: bool = False,
    ) -> list[list[int]]:
        """Return the postings of several terms, or of terms that stand together, asked at once.

        A single Chinese character is looked for where words begin with it; with `whole`, where it
        stands alone.
        """
        wanted = [list(dict.fromkeys(terms if whole else starred(terms))) for terms in asked]
        return self._spots("index.postings", wanted, before=before << MESSAGE_SHIFT, limit=limit)

    def _spots(self, statement: str, asked: list[list[str]], **more: int) -> list[list[int]]:
        """Ask about lists of terms in one question, in the form of each engine."""
        if not asked:
            return []
        forms = {"matches": json.dumps([*map(match, asked)]), "asked": json.dumps(asked)}
        return [json.loads(row[0]) for row in self._engine.rows(statement, forms | more)]

    def tagged(self, tags: Sequence[str], after: int, limit: int) -> list[int]:
        """Return the numbers of messages after one that have all of some tags, in order."""
        first, *also = wanted = starred(dict.fromkeys(tags))
        values: dict[str, Any] = {"match": match(wanted), "term": first, "also": also or None}
        values |= {"limit": limit, "after": (after + 1 << MESSAGE_SHIFT) - 1}
        return [message_at(row[0]) for row in self._engine.rows("index.tagged", values)]

    @run
    def clear(self) -> None: ...

    def fold(self) -> None:
        """Merge the parts in which SQLite keeps the full text: a term is looked up in each."""
        if not self._engine.waits:  # a server keeps it in one piece
            self._engine.do("index.fold", {})
            self._engine.do("index.fold_facts", {})

    def erase(self, n: int) -> int:
        """Take a message out of the index, whatever place and length its spot has."""
        spots = self.spots(n << MESSAGE_SHIFT, ((n + 1) << MESSAGE_SHIFT) - 1)
        for where in spots:
            self.drop(where)
        return len(spots)

    @column(int)
    def spots(self, first: int, last: int) -> list[int]: ...
    @run
    def drop(self, spot: int) -> None: ...

    def add_fact(self, n: int, terms: Sequence[str]) -> None:
        """Put a fact or an episode into the full text."""
        if terms:
            self._engine.do("index.add_fact", {"n": n, "terms": " ".join(terms)})

    def facts_holding(self, term: str, limit: int) -> list[int]:
        """Return the numbers of facts and episodes that hold a term, newest first."""
        return self.facts_holding_each([term], limit)[term]

    def facts_holding_each(self, terms: Iterable[str], limit: int) -> dict[str, list[int]]:
        """Return the same for several terms, asked at once."""
        each = list(dict.fromkeys(terms))
        found = self._spots("index.facts_holding", [[t] for t in starred(each)], limit=limit)
        return dict(zip(each, found, strict=True))

    @changed
    def drop_fact(self, n: int) -> int: ...
    @column(int)
    def orphans(self) -> list[int]: ...
