# mypy: disable-error-code="empty-body"
"""The full text of messages and of facts."""

from __future__ import annotations

from collections.abc import Sequence

from wangchuan.messages import tags
from wangchuan.spots import MESSAGE_SHIFT, message_at, spot
from wangchuan.storage.records import MessageRecord
from wangchuan.storage.statements import Drawer, changed, column, run


def match(term: str) -> str:
    """Return a term as full text asks for it; a single Chinese character begins a word."""
    return f'"{term}"' + ("*" if len(term) == 1 and not term.isascii() else "")


class Index(Drawer):
    """Where terms stand."""

    def add(self, message: MessageRecord, terms: Sequence[str]) -> None:
        """Put a message into the full text, by terms and by its session and metadata."""
        found_by = [*terms, *tags(message.session, message.labels)]
        if found_by:
            where = spot(message.seq, message.place, len(terms))
            self._engine.run("index.add", {"spot": where, "terms": " ".join(found_by)})

    def postings(self, term: str, limit: int, *also: str, before: int = 1 << 44) -> list[int]:
        """Return the spots where a term stands, and others also, newest first; see `spots`.

        Only those of messages `before` a number.
        """
        wanted = " AND ".join(map(match, (term, *also)))
        values = {"match": wanted, "before": before << MESSAGE_SHIFT, "limit": limit}
        rows = self._engine.rows("index.postings", values)
        return [row[0] for row in rows]

    def tagged(self, tags: Sequence[str], after: int, limit: int) -> list[int]:
        """Return the numbers of messages after one that have all of some tags, in order."""
        values = {"match": " AND ".join(map(match, tags)), "limit": limit}
        values["after"] = (after + 1 << MESSAGE_SHIFT) - 1
        return [message_at(row[0]) for row in self._engine.rows("index.tagged", values)]

    @run
    def clear(self) -> None: ...

    def erase(self, n: int) -> int:
        """Take a message out of the full text, whatever its spot says of its place and length."""
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
            self._engine.run("index.add_fact", {"n": n, "terms": " ".join(terms)})

    def facts_holding(self, term: str, limit: int) -> list[int]:
        """Return the numbers of facts and episodes that hold a term, newest first."""
        values = {"match": match(term), "limit": limit}
        return [row[0] for row in self._engine.rows("index.facts_holding", values)]

    @changed
    def drop_fact(self, n: int) -> int: ...
    @column(int)
    def orphans(self) -> list[int]: ...
