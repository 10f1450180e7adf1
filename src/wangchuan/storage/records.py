"""Records: plain frozen values in the order of their columns.

What the columns mean stands in the comments of `sqlite/migrations/`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, NamedTuple

from wangchuan.ids import message_name
from wangchuan.spots import tags as tags_of
from wangchuan.types import Message, Said, Scalar, value

TALK_SECONDS = 3600.0  # a longer silence ends a conversation

Key = tuple[int, ...]  # of a row: the numbers that tell it from others of its kind
Row = dict[str, Any] | list[int]  # by column; of the focus and of evidence, the numbers in it
# Of a message: number, place, speaker, when it was said, its last character.
Head = tuple[int, int, str | None, float, str]


class Text(NamedTuple):
    """The words of a node at some pass: its text, its phrase, its keywords."""

    content: str
    phrase: str
    keywords: tuple[str, ...]


@value
class Failure:
    """Why a job failed: the name of the error, and its words (None: they were erased).

    A job keeps both as one text; only this class makes that text and takes it apart.
    """

    error: str
    words: str | None = None

    @classmethod
    def of(cls, reason: str) -> Failure:
        """Return the failure that a job keeps as its reason."""
        error, mark, words = reason.partition(":")
        return cls(error, words.removeprefix(" ") if mark else None)

    def __str__(self) -> str:
        return self.error if self.words is None else f"{self.error}: {self.words}"


@value
class JobRecord:
    """A row of the durable queue."""

    seq: int
    kind: str
    state: str
    attempts: int
    not_before: float
    reason: str | None
    progress: str | None
    first_message: int | None
    last_message: int | None
    accepted_at: float
    finished_at: float | None
    place: int

    def failed_by(self, error: type[Exception]) -> bool:
        """Tell whether the last try ended with this error."""
        return self.reason is not None and Failure.of(self.reason).error == error.__name__


@value
class MessageRecord:
    """A message as it was said."""

    seq: int
    id: str | None
    role: str
    name: str | None
    content: str
    timestamp: float | None
    talk: int = 0
    place: int = 0
    said_at: float = 0.0
    session: str | None = None
    metadata: str | None = None  # JSON

    @property
    def labels(self) -> dict[str, Scalar]:
        """Return the metadata that the caller gave."""
        return {} if self.metadata is None else json.loads(self.metadata)

    def has(self, tags: Iterable[str]) -> bool:
        """Tell whether the message is found by all of some tags; see `spots.tags`."""
        return set(tags) <= set(tags_of(self.session, self.labels))

    @property
    def public(self) -> Message:
        """Return the message as callers know it, with the time when it counts as said."""
        told = (self.role, self.content, self.public_id, self.name, self.said_at, self.session)
        return Message(*told, self.labels)

    @property
    def said(self) -> Said:
        """Return the message with its place among others."""
        values = {column.name: getattr(self, column.name) for column in fields(self)}
        return Said(**values | {"id": self.public_id, "metadata": self.labels})

    @property
    def public_id(self) -> str:
        """Return the caller's id, or ours if none was given."""
        return self.id if self.id is not None else message_name(self.seq)


@value
class Repeated:
    """Which messages of a call are new, by place, and which are known, by id.

    `changed` are known ones with other words this time; `job` brought the last of them.
    """

    fresh: tuple[int, ...]
    known: tuple[str, ...]
    changed: tuple[str, ...]
    job: int | None


@value
class NodeRecord:
    """A node as it is stored; the text it shows now follows from it and the passes made."""

    n: int
    kind: str
    job: int | None
    original: str
    content: str | None
    phrase: str
    keywords: str
    sources: str
    created_at: float
    scans: int
    since_pass: int | None
    fade_at: int | None
    due_at: int | None
    die_at: int | None
    kept: int
    forgotten_at: float | None
    reason: str | None
    message: int | None = None
    waited: int = 0  # passes since the last scan, when `scans` and `since_pass` were noted

    @property
    def text(self) -> str:
        """Return the stored text."""
        return self.original if self.content is None else self.content

    def is_alive(self, passes: int) -> bool:
        """Tell whether the node is still there after so many passes."""
        return self.forgotten_at is None and (self.die_at is None or self.die_at > passes)


@value
class LinkRecord:
    """A directed link; `strength` holds for the moment its source had `at_scan` scans."""

    source: int
    target: int
    strength: float
    at_scan: int
    relation: str | None


@value
class JournalRecord:
    """A row of the journal; `detail` is JSON."""

    seq: int
    at: float
    passes: int
    kind: str
    node: int | None
    detail: str


@value
class SignalsRecord:
    """The behaviour recorded of one node."""

    node: int
    access_count: int
    traverse_count: int
    last_accessed_at: float | None
    last_linked_at: float | None


@value
class Decay:
    """What tells a broken link from a whole one at one moment; see `network.fading`."""

    passes: int
    rate: float
    rarity: float  # how fast scans become rarer
    broken: float  # a strength below this
    dangling: bool  # whether links to forgotten nodes count


@value
class VitalsRecord:
    """The figures of a living node's activity, and the marks of the last tick."""

    n: int
    kind: str
    created_at: float
    in_degree: int
    out_degree: int
    access_count: int
    traverse_count: int
    last_accessed_at: float | None
    last_linked_at: float | None
    focused: int
    cold_since: float | None
    merge_with: int | None
    delete_eligible: int


@value
class TextRecord:
    """The stored text of a node, and the message it was cut from."""

    n: int
    message: int | None
    text: str


@value
class LifecycleRecord:
    """How a tick left a node that is not active."""

    node: int
    cold_since: float
    merge_with: int | None = None
    delete_eligible: int = 0


@value
class FactRecord:
    """The figures of a fact or an episode; its text stands in its node."""

    node: int
    weight: float
    used_at: float
    aged: int
    source: str
    verified: int
    topic: str
    successor: int | None
    review: str | None


@value
class UsageRecord:
    """What model calls of one routine cost on one day (UTC)."""

    day: str
    routine: str
    calls: int
    failures: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


@value
class UndoRow:
    """A change that can be undone: the entry it is known by, its first and its last entry."""

    op: int
    seq: int
    first: int
    last: int


@value
class TouchedRow:
    """A row before and after a change; None: there was none."""

    kind: str
    key: Key
    former: Row | None
    later: Row | None


@value
class Pruned:
    """Up to where records were dropped for want of room: an entry, its time and passes.

    `looked` says when the store was last pruned, in jobs and passes.
    """

    entry: int = 0
    at: float = 0.0
    passes: int = 0
    looked: int = 0


@value
class NoteRecord:
    """A note of the store itself."""

    key: str
    value: str


@value
class FocusRecord:
    """A place of the focus, 0 being the newest, and the node in it."""

    place: int
    node: int


@value
class TombstoneRecord:
    """The public id of a node or a message that was erased, and when."""

    kind: str
    id: str
    at: float


@value
class EvidenceRecord:
    """A node and a message it was learned from."""

    node: int
    message: int


@value
class VectorRecord:
    """The vector of a message: half-precision numbers, little-endian."""

    message: int
    vector: bytes


@value
class ItemRecord:
    """An item of a framework under a key: a JSON object, and the terms it is found by."""

    namespace: str
    key: str
    value: str
    created_at: float
    updated_at: float
    ttl: float | None = None  # minutes after its last use
    expires_at: float | None = None
    terms: str = ""
    vectors: bytes | None = None


@value
class Table:
    """A table whose rows are records of one type, told apart by the columns of its key."""

    name: str
    record: type[Any]
    key: tuple[str, ...]
    conflict: str = ""  # SQL for a record of an import that is there already


# All records that cannot be made anew from others, in the order of an export.
# Left out: the full text, the names of speakers (both follow from the rest) and kept answers.
TABLES = {
    "note": Table(
        "meta", NoteRecord, ("key",), "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    ),
    "message": Table("messages", MessageRecord, ("seq",)),
    "job": Table("jobs", JobRecord, ("seq",)),
    "node": Table("nodes", NodeRecord, ("n",)),
    "link": Table("links", LinkRecord, ("source", "target")),
    "focus": Table("focus", FocusRecord, ("place",)),
    "entry": Table("journal", JournalRecord, ("seq",)),
    "signals": Table("signals", SignalsRecord, ("node",)),
    "lifecycle": Table("lifecycle", LifecycleRecord, ("node",)),
    "fact": Table("facts", FactRecord, ("node",)),
    "evidence": Table("evidence", EvidenceRecord, ("node", "message")),
    "usage": Table("usage", UsageRecord, ("day", "routine")),
    "tombstone": Table(
        "tombstones", TombstoneRecord, ("kind", "id"), "ON CONFLICT (kind, id) DO NOTHING"
    ),
    "item": Table("items", ItemRecord, ("namespace", "key")),
    "vector": Table("vectors", VectorRecord, ("message",)),
}
KEPT: dict[str, type[Any]] = {kind: table.record for kind, table in TABLES.items()}
