"""What the engine asks of a store.

A store opens transactions; a transaction reads and writes records. `Store.write` commits on
leaving and rolls back on any exception: once it has returned, what was written is durable. If it
raises, nothing was written. `Store.read` sees one moment, undisturbed by writers. Memories are
numbered by the store and numbers are never used twice.

Records are plain frozen values in the order of their columns. What they mean is in the comments
of `migrations/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wangchuan.types import Message

TALK_SECONDS = 3600.0  # a longer silence ends a conversation

Key = tuple[int, ...]  # of a row: the numbers that tell it from others of its kind
Head = tuple[int, int, str | None, float]  # of a message: number, place, speaker, when it was said


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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

    @property
    def public_id(self) -> str:
        """Return the caller's id, or ours if none was given."""
        return self.id if self.id is not None else f"msg_{self.seq}"


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """A memory as it is stored: what it shows now follows from it and the number of passes."""

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

    @property
    def text(self) -> str:
        """Return the stored text."""
        return self.original if self.content is None else self.content

    def scan_count(self, passes: int) -> int:
        """Return how often it has been scanned after so many passes."""
        return self.scans if self.since_pass is None else self.scans + passes - self.since_pass

    def is_alive(self, passes: int) -> bool:
        """Tell whether it is still there after so many passes."""
        return self.forgotten_at is None and (self.die_at is None or self.die_at > passes)


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A directed link; `strength` holds for the moment its source had `at_scan` scans."""

    source: int
    target: int
    strength: float
    at_scan: int
    relation: str | None


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """A row of the journal; `detail` is JSON."""

    seq: int
    at: float
    passes: int
    kind: str
    node: int | None
    detail: str


@dataclass(frozen=True, slots=True)
class SignalsRecord:
    """The behaviour recorded of one memory."""

    node: int
    access_count: int
    traverse_count: int
    last_accessed_at: float | None
    last_linked_at: float | None


@dataclass(frozen=True, slots=True)
class Decay:
    """What tells a broken link from a whole one at one moment; see `network.fading`."""

    passes: int
    rate: float
    broken: float  # a strength below this
    dangling: bool  # whether links to forgotten memories count


@dataclass(frozen=True, slots=True)
class VitalsRecord:
    """What is known of a living memory's part in things, and how the last tick left it."""

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


@dataclass(frozen=True, slots=True)
class TextRecord:
    """The stored text of a memory, and the message it was cut from."""

    n: int
    message: int | None
    text: str


@dataclass(frozen=True, slots=True)
class LifecycleRecord:
    """How a tick left a memory that is not active."""

    node: int
    cold_since: float
    merge_with: int | None = None
    delete_eligible: int = 0


@dataclass(frozen=True, slots=True)
class FactRecord:
    """What is kept of a fact or an episode beside its text."""

    node: int
    weight: float
    used_at: float
    aged: int
    source: str
    verified: int
    topic: str
    successor: int | None
    review: str | None


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """What model calls of one routine cost on one day (UTC)."""

    day: str
    routine: str
    calls: int
    failures: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class UndoRow:
    """A change that can be undone: the journal entry it is known by, and its first and last."""

    op: int
    seq: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class TouchedRow:
    """A row before and after a change; None: there was none."""

    kind: str
    key: Key
    former: list[Any] | None
    later: list[Any] | None


@dataclass(frozen=True, slots=True)
class NoteRecord:
    """A note of the store itself."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class FocusRecord:
    """A place of the focus, 0 being the newest, and the memory in it."""

    place: int
    node: int


@dataclass(frozen=True, slots=True)
class TombstoneRecord:
    """The public id of a node or a message that was erased, and when."""

    kind: str
    id: str
    at: float


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """A memory and a message it was learned from."""

    node: int
    message: int


@dataclass(frozen=True, slots=True)
class VectorRecord:
    """The vector of a message: half-precision numbers, little-endian."""

    message: int
    vector: bytes


# Everything that cannot be made anew from something else, in the order in which it is told.
# Left out: the full text, the names of speakers (both follow from the rest) and kept answers.
KEPT: dict[str, type[Any]] = {
    "note": NoteRecord,
    "message": MessageRecord,
    "job": JobRecord,
    "node": NodeRecord,
    "link": LinkRecord,
    "focus": FocusRecord,
    "entry": JournalRecord,
    "signals": SignalsRecord,
    "lifecycle": LifecycleRecord,
    "fact": FactRecord,
    "evidence": EvidenceRecord,
    "usage": UsageRecord,
    "tombstone": TombstoneRecord,
    "vector": VectorRecord,
}


class Transaction(Protocol):
    """Reads and writes of one moment. Unknown numbers give None or nothing, never an error."""

    def after(self, call: Callable[[], None]) -> None:
        """Call something once the transaction is durable and others may write again."""

    # notes of the store itself
    def meta(self, key: str) -> str | None: ...
    def set_meta(self, key: str, value: str) -> None: ...
    def passes(self) -> int: ...
    def advance(self) -> None: ...
    def counts(self, passes: int) -> dict[str, int]: ...

    # jobs and messages
    def accept(
        self,
        messages: Sequence[Message],
        at: float,
        limit: int,
        terms: Sequence[Sequence[str]] = (),
    ) -> int | None:
        """Store messages with the job to digest them; None, storing nothing, if `limit` wait.

        `terms` are those by which each message is to be found.
        """

    def add_job(self, kind: str, at: float) -> int: ...
    def next_job(self, at: float, retries: int, longest: float) -> JobRecord | None:
        """Return the job whose turn it is at a time.

        Remembers keep their order, except that one which failed more than `retries` times and
        has done nothing yet lets others go ahead while it waits; so does any for upkeep. No wait
        is longer than `longest` seconds: one that seems so has ended.
        """

    def upkeep_waits(self, kind: str) -> bool: ...
    def last_accepted(self) -> float | None:
        """Return when messages were last accepted, by the clock of that time."""

    def job(self, seq: int) -> JobRecord | None: ...
    def jobs(self, state: str) -> list[JobRecord]: ...
    def last_job(self) -> int: ...
    def unsettled(self, upto: int) -> bool: ...
    def pending(self) -> int: ...
    def finish_job(self, seq: int, at: float, progress: str | None = None) -> None: ...
    def drop_job(self, seq: int) -> None: ...
    def progress_job(self, seq: int, progress: str) -> None: ...
    def postpone_job(self, seq: int, attempts: int, not_before: float, reason: str) -> None: ...
    def send_back_job(self, seq: int) -> None: ...
    def fail_job(self, seq: int, at: float, reason: str) -> None: ...
    def retry_job(self, seq: int) -> None: ...
    def messages_between(self, first: int, last: int) -> list[MessageRecord]: ...
    def waiting_messages(self, limit: int) -> list[MessageRecord]:
        """Return messages that no job has digested yet, newest first."""

    # finding what was said
    def postings(self, term: str, limit: int, *also: str) -> list[int]:
        """Return the spots where a term stands, and others also, newest first; see `spots`."""

    def last_message(self) -> MessageRecord | None: ...
    def messages(self, numbers: Iterable[int]) -> list[MessageRecord]: ...
    def heads(self, numbers: Iterable[int], passes: int | None = None) -> list[Head]:
        """Return what ranking needs of messages; after so many `passes`, of those in mind."""

    def said_between(self, first: float, last: float, limit: int) -> list[int]: ...
    def speakers(self) -> list[str]: ...
    def segments_of(self, messages: Iterable[int]) -> list[NodeRecord]: ...
    def index(self, message: MessageRecord, terms: Sequence[str]) -> None: ...
    def clear_index(self) -> None: ...
    def add_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None: ...
    def vectors(self, after: int, limit: int) -> list[tuple[int, bytes]]: ...
    def last_vector(self) -> int: ...
    def clear_vectors(self) -> None: ...

    # memories
    def add_node(self, **values: Any) -> int: ...
    def node(self, n: int) -> NodeRecord | None: ...
    def save_node(self, record: NodeRecord) -> None: ...
    def alive(self, passes: int, limit: int = -1, offset: int = 0) -> list[NodeRecord]: ...
    def fading(self, passes: int, limit: int = -1) -> list[NodeRecord]: ...
    def trash(self, passes: int, limit: int = -1) -> list[NodeRecord]: ...
    def dying(self, passes: int, limit: int) -> list[NodeRecord]: ...
    def due(self, passes: int, limit: int) -> list[NodeRecord]: ...
    def due_exists(self, passes: int) -> bool: ...
    def still(self, after: int, limit: int) -> list[NodeRecord]: ...
    def nearest_alive(self, n: int, passes: int) -> NodeRecord | None: ...
    def lowest_alive(self) -> int: ...
    def highest_node(self) -> int: ...
    def living(self, passes: int) -> int: ...

    # facts and episodes
    def put_fact(self, record: FactRecord) -> None: ...
    def fact(self, n: int) -> FactRecord | None: ...
    def facts(self, kinds: Iterable[str], limit: int = -1) -> list[NodeRecord]:
        """Return the living memories of these kinds, the newest first."""

    def facts_after(self, n: int, limit: int) -> list[NodeRecord]: ...
    def set_kind(self, n: int, kind: str) -> None: ...
    def facts_to_review(self, limit: int) -> list[FactRecord]:
        """Return the living facts that wait for a decision (on promotion, or on decay)."""

    def learn_from(self, n: int, messages: Iterable[int]) -> None: ...
    def evidence_of(self, n: int) -> list[int]: ...
    def learned_from(self, messages: Iterable[int]) -> list[tuple[int, int]]:
        """Return (message, memory) for everything that was learned from these messages."""

    def index_fact(self, n: int, terms: Sequence[str]) -> None: ...
    def facts_holding(self, term: str, limit: int) -> list[int]:
        """Return the numbers of facts and episodes that hold a term, newest first."""

    # the lifecycle
    def vitals(
        self, decay: Decay, after: int, limit: int, *, cold: bool = False
    ) -> list[VitalsRecord]:
        """Return the vitals of living memories after a number, in order; with `cold`, of the cold.

        Links from forgotten memories and broken ones are not counted.
        """

    def vitals_of(self, decay: Decay, nodes: Iterable[int]) -> list[VitalsRecord]:
        """Return the same of these memories, as far as they live."""

    def texts_of(self, nodes: Iterable[int]) -> list[TextRecord]: ...
    def texts_from(self, messages: Iterable[int]) -> list[TextRecord]:
        """Return the texts of the memories cut from messages that are not in the trash."""

    def put_lifecycle(self, records: Iterable[LifecycleRecord]) -> None: ...
    def warm(self, nodes: Iterable[int]) -> None:
        """Make memories active: nothing is left of what ticks noted of them."""

    def cold_among(self, nodes: Iterable[int]) -> set[int]: ...
    def merge_marks(self, limit: int = -1) -> list[LifecycleRecord]: ...
    def lifecycle_counts(self, passes: int) -> dict[str, int]: ...

    # links and focus
    def put_link(self, link: LinkRecord) -> None: ...
    def put_links(self, links: Iterable[LinkRecord]) -> None: ...
    def links_from(self, n: int) -> list[LinkRecord]: ...
    def links_to(self, n: int) -> list[LinkRecord]: ...
    def neighbours(self, n: int) -> list[tuple[LinkRecord, NodeRecord | None]]: ...
    def supporters(self, n: int) -> list[LinkRecord]: ...
    def focus(self) -> list[int]: ...
    def set_focus(self, nodes: Sequence[int]) -> None: ...

    # what happened
    def log(self, kind: str, node: int | None, detail: dict[str, Any], at: float) -> None: ...
    def journal_of(self, n: int) -> list[JournalRecord]: ...
    def journal(self, after: int = 0, kind: str | None = None) -> list[JournalRecord]: ...
    def entry(self, seq: int) -> JournalRecord | None: ...
    def last_entry(self) -> int: ...
    def accessed(self, nodes: Iterable[int], at: float) -> None: ...
    def traversed(self, nodes: Iterable[int], at: float) -> None: ...
    def signals(self, n: int) -> SignalsRecord | None: ...
    def unnoted(self) -> list[SignalsRecord]:
        """Return the behaviour that the journal has not been told of; see `note_signals`."""

    def note_signals(self, records: Iterable[SignalsRecord]) -> None: ...
    def put_signals(self, records: Iterable[SignalsRecord]) -> None: ...

    # undoing
    def undoable(self, kind: str, node: int | None) -> AbstractContextManager[None]:
        """Keep what the changes made inside replace, known by their last entry of that kind.

        Inside another one it is part of that.
        """

    def undo_of(self, seq: int) -> UndoRow | None:
        """Return the change that made a journal entry, if it can still be undone."""

    def undos(self, limit: int) -> list[UndoRow]: ...
    def touched(self, op: int) -> list[TouchedRow]: ...
    def drop_undos(self, nodes: Iterable[int]) -> int:
        """Drop what is kept of all changes that touched these memories; return how many."""

    def row(self, kind: str, key: Key) -> list[Any] | None: ...
    def put_row(self, kind: str, key: Key, row: list[Any] | None) -> None:
        """Make a row what it was; None removes it."""

    # what models cost
    def add_usage(self, usage: UsageRecord) -> None: ...
    def usage(self, since: str = "") -> list[UsageRecord]: ...
    def answer(self, key: str) -> str | None: ...
    def keep_answer(self, key: str, answer: str, at: float, most: int) -> None: ...

    # destroying
    def messages_named(self, public_id: str) -> list[MessageRecord]:
        """Return all messages that a public id may mean, none of them erased.

        Older memories may hold ids of callers that look like ours: then "msg_1" is the public id
        of the first message and of another. Where it is nobody's public id, it means the number.
        """

    def erase_node(self, n: int) -> Counter[str]:
        """Destroy a memory and all that hangs on it; return what was removed where."""

    def erase_message(self, record: MessageRecord) -> Counter[str]:
        """Leave of a message an empty shell with its number; return what was removed where."""

    def clear_traces(self) -> Counter[str]:
        """Drop what may hold words of anything: kept answers, and the reasons of failed jobs."""

    def bury(self, kind: str, public_id: str, at: float) -> None:
        """Note that a "node" or a "message" was erased, by its public id."""

    def is_erased(self, kind: str, public_id: str) -> bool: ...
    def erased(self, kind: str) -> list[str]: ...
    def mentions(self, piece: bytes) -> bool:
        """Tell whether something that is still there holds these bytes."""

    def relations_noted(self, n: int) -> list[tuple[int, dict[str, Any]]]:
        """Return the journal's entries, by number, that name the relations of a memory."""

    def undone_noted(self) -> list[tuple[int, dict[str, Any]]]:
        """Return the journal's entries, by number, of changes that were undone."""

    def merged_from(self, public_ids: Iterable[str]) -> list[int]:
        """Return the memories that were merged of others made of messages of these ids."""

    def undone_from(self, messages: Iterable[int]) -> list[int]:
        """Return the memories made of messages that changes which can be undone hold."""

    def former(self, n: int) -> list[NodeRecord]:
        """Return a memory as changes that can be undone hold it, whether it is there or not."""

    def made_beside(self, nodes: Iterable[int]) -> list[int]:
        """Return the memories that were made while one of these was in focus."""

    def attended_by(self, job: int) -> list[int]:
        """Return what was in focus when a job began."""

    def rewrite_entry(self, seq: int, detail: dict[str, Any]) -> None: ...
    def old_messages(self, before: float, upto: int, limit: int) -> list[MessageRecord]: ...
    def blank_message(self, n: int) -> None: ...
    def old_trash(self, before: float, limit: int) -> list[int]: ...
    def blank_journal(self, before: float, limit: int) -> int: ...

    # all of it, for those who carry it elsewhere
    def every(self, kind: str) -> Iterator[Any]:
        """Yield all records of a kind of `KEPT`, in the order of their keys, as they are read."""

    def how_many(self, kind: str) -> int: ...
    def take_in(self, kind: str, record: Any) -> None:
        """Store a record of a kind of `KEPT` under its own number; InvalidInput if it is taken."""

    def last_number(self) -> int:
        """Return the highest number that a memory ever had."""

    def reserve(self, upto: int) -> None:
        """See that no memory made from now on gets a number up to this one."""

    def buried(self) -> frozenset[tuple[str, str]]:
        """Return what was erased for good and must not come back, as (kind, public id)."""


def still_said(tx: Transaction, messages: Sequence[MessageRecord]) -> bool:
    """Tell whether messages read earlier are as they were: nothing of them was erased since."""
    found = {message.seq: message for message in tx.messages(m.seq for m in messages)}
    return all(found.get(message.seq) == message for message in messages)


class Store(Protocol):
    """One agent's memory on disk."""

    def read(self, *, long: bool = False) -> AbstractContextManager[Transaction]:
        """Open a transaction that only reads, at one moment; a `long` one is in nobody's way."""

    def write(self, *, soft: bool = False) -> AbstractContextManager[Transaction]:
        """Open a transaction that is durable once left; `soft` ones may be lost to a power cut."""

    def snapshot(self) -> AbstractContextManager[Transaction]:
        """Open a reader of its own: it sees one moment for as long as it likes, and only reads."""

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy, as it is at one moment, into a file that is not there yet."""

    def check(self) -> list[str]:
        """Return what is wrong with the store's own files, in words; nothing means sound."""

    def scrub(self) -> int:
        """Leave no byte of what was deleted; return how many old copies went.

        Raises StorageError if another program reads and does not end.
        """

    def found(self, pieces: Iterable[bytes]) -> dict[str, list[bytes]]:
        """Return which pieces of text stand in which of the store's files."""

    def size(self) -> int:
        """Return the bytes on disk."""

    def let_go(self) -> None:
        """Let go of what an interrupted call of this thread left locked."""

    def close(self) -> None:
        """Close the files; a second call does nothing."""
