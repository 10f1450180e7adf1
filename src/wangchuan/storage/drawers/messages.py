# mypy: disable-error-code="empty-body"
"""What was said, word for word."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.ids import MESSAGE, number_in
from wangchuan.spots import PLACES
from wangchuan.storage.drawers.journal import tight
from wangchuan.storage.records import TALK_SECONDS, Head, MessageRecord
from wangchuan.storage.statements import (
    Drawer,
    changed,
    column,
    many,
    run,
    value,
    values_of,
)
from wangchuan.types import Message


class Messages(Drawer):
    """The messages of one agent, numbered as they were accepted."""

    def add(self, message: Message, before: MessageRecord | None, at: float) -> MessageRecord:
        """Keep a message; `before` is the last one, which says in which conversation it stands."""
        said_at = at if message.timestamp is None else message.timestamp
        talk, place = (before.talk, before.place + 1) if before else (1, 0)
        if before and (place > PLACES or abs(said_at - before.said_at) > TALK_SECONDS):
            talk, place = talk + 1, 0
        values = values_of(message)
        values["metadata"] = tight(message.metadata) if message.metadata else None
        values |= {"talk": talk, "place": place, "said_at": said_at}
        seq = int(self._engine.rows("messages.add", values)[0][0])
        if message.name is not None:
            self.add_speaker(message.name)
        self._work.tail.last = MessageRecord(seq=seq, **values)
        return self._work.tail.last

    @run
    def add_speaker(self, name: str) -> None: ...
    @changed
    def drop_speaker(self, name: str) -> int: ...
    @column(str)
    def speakers(self) -> list[str]: ...

    def last(self) -> MessageRecord | None:
        """Return the message accepted last."""
        tail = self._work.tail
        if tail.last is None or not self._engine.seen:
            rows = self._engine.rows("messages.last", {})
            tail.last = MessageRecord(*rows[0]) if rows else None
        return tail.last

    @value(int)
    def newest(self) -> int: ...
    @many(MessageRecord)
    def of(self, numbers: Iterable[int]) -> list[MessageRecord]: ...
    @many(MessageRecord)
    def behind(self, n: int) -> list[MessageRecord]: ...
    @many(MessageRecord)
    def between(self, first: int, last: int) -> list[MessageRecord]: ...
    @column(int)
    def said_between(self, first: float, last: float, limit: int) -> list[int]: ...

    @column(int)
    def answering(self, numbers: Iterable[int]) -> list[int]: ...

    def heads(
        self, numbers: Iterable[int], passes: int | None = None, *, cold: bool = False
    ) -> list[Head]:
        """Return the figures by which messages are ranked; with `passes`, of those in mind.

        Cold ones are in mind only with `cold`.
        """
        if passes is None:
            return self._engine.rows("messages.heads", {"numbers": numbers})
        values = {"numbers": numbers, "passes": passes, "cold": cold}
        return self._engine.rows("messages.heads_in_mind", values)

    def waiting(self, limit: int, upto: int) -> list[MessageRecord]:
        """Return messages up to a number that no job has digested yet, newest first."""
        found: list[MessageRecord] = []
        for first, end in sorted(self.waiting_ranges(), reverse=True):
            last = min(end, upto)
            newest = self.between(max(first, last + 1 - limit + len(found)), last)
            found += reversed(newest)
            if len(found) >= limit:
                break
        return found[:limit]

    @many(lambda first, last: (first, last))
    def waiting_ranges(self) -> list[tuple[int, int]]: ...

    def named(self, public_id: str) -> list[MessageRecord]:
        """Return all messages that a public id may mean, none of them erased.

        Older memories may hold ids of callers that look like ours: then "msg_1" is the public id
        of the first message and of another. An id that is nobody's public id means the number.
        """
        found = [MessageRecord(*r) for r in self._engine.rows("messages.named", {"id": public_id})]
        seq = number_in(public_id, MESSAGE)
        if seq is not None:
            found = [m for m in self.between(seq, seq) if not found or m.id is None] + found
        return [record for record in found if record.role]

    @many(MessageRecord)
    def given(self, ids: Iterable[str]) -> list[MessageRecord]: ...
    @many(MessageRecord)
    def page(self, after: int, limit: int) -> list[MessageRecord]: ...
    @many(MessageRecord)
    def old(self, before: float, upto: int, limit: int) -> list[MessageRecord]: ...
    @changed
    def empty(self, n: int) -> int: ...
    @run
    def drop(self, n: int) -> None: ...
    @run
    def drop_speakers(self) -> None: ...
    @run
    def blank(self, n: int) -> None: ...
