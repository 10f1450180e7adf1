"""Erasure: destroying memories for good, with everything that holds their words.

Forgetting hides; erasing destroys. A memory is erased with the messages it was made of, because
its words stand there too, and with everything else that was made of these messages: the other
memories cut from them, facts and episodes learned from them. What else those facts and episodes
were learned from stays.

First the intent is noted, durably and by numbers only; then the rows go, a bounded number per
transaction; then the database is rewritten without what deleted rows left behind, its log and
older copies included. Whoever opens the agent after a crash goes on where it ended. A tombstone
stays, of ids and times, so that nothing brings back what was erased.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wangchuan.errors import InvalidInput, NotFound, StorageError
from wangchuan.reading import number_of
from wangchuan.storage import MessageRecord, NodeRecord, Store, Transaction
from wangchuan.types import Clock, Erasure
from wangchuan.upkeep import Upkeep, name_of

log = logging.getLogger("wangchuan")

INTENT, SCRUB, TIMES = "erasing", "scrub", "erased"  # notes of the store
NODE, MESSAGE = "node", "message"
CHUNK = 50  # messages, and memories, per transaction
SHORTEST, LONGEST = 8, 48  # bytes of a piece that is looked for
STRIDE = 1000  # one piece is looked for in so many bytes
MOST_PIECES = 1000


@dataclass(frozen=True, slots=True)
class Targets:
    """What is to be erased, by numbers: messages with all that was made of them, and memories."""

    messages: tuple[int, ...]
    nodes: tuple[int, ...]

    @classmethod
    def of(cls, text: str | None) -> Targets:
        """Read them from a note."""
        noted = json.loads(text) if text else {}
        return cls(tuple(noted.get("messages", ())), tuple(noted.get("nodes", ())))

    def text(self) -> str:
        """Write them for a note."""
        return json.dumps({"messages": self.messages, "nodes": self.nodes}) if self else ""

    def __bool__(self) -> bool:
        return bool(self.messages or self.nodes)

    def __add__(self, other: Targets) -> Targets:
        return Targets(
            tuple(sorted({*self.messages, *other.messages})),
            tuple(sorted({*self.nodes, *other.nodes})),
        )

    def first(self) -> Targets:
        """Return those for one transaction."""
        return Targets(self.messages[:CHUNK], self.nodes[:CHUNK])

    def rest(self) -> Targets:
        """Return those for the transactions after it."""
        return Targets(self.messages[CHUNK:], self.nodes[CHUNK:])


def chosen(tx: Transaction, node_ids: Iterable[str], message_ids: Iterable[str]) -> Targets:
    """Return all that goes with these memories and messages, or raise NotFound."""
    nodes = [_known_node(tx, node_id) for node_id in node_ids]
    messages = {m.seq for message_id in message_ids for m in _known_messages(tx, message_id)}
    messages |= {m for record in nodes for m in _made_of(tx, record)}
    if not nodes and not messages:
        raise InvalidInput("say what to erase: the id of a memory, or ids of messages")
    return Targets(tuple(sorted(messages)), tuple(sorted({r.n for r in nodes}))) + Targets(
        (), _made_from(tx, messages)
    )


def _known_node(tx: Transaction, node_id: str) -> NodeRecord:
    record = tx.node(number_of(node_id))
    if record is None:
        gone = tx.is_erased(NODE, node_id)
        raise NotFound(f"{node_id} was erased" if gone else f"no memory has the id {node_id!r}")
    return record


def _known_messages(tx: Transaction, message_id: str) -> list[MessageRecord]:
    if not isinstance(message_id, str):
        raise InvalidInput(f"the id of a message is a string, not {type(message_id).__name__}")
    found = tx.messages_named(message_id)
    if not found:
        gone = tx.is_erased(MESSAGE, message_id)
        raise NotFound(
            f"message {message_id!r} was erased" if gone else f"no message has id {message_id!r}"
        )
    return found


def _made_of(tx: Transaction, record: NodeRecord) -> set[int]:
    """Return the messages a memory was made of."""
    if record.message is not None:
        return {record.message}
    learned = set(tx.evidence_of(record.n))
    if learned or record.kind != "segment":
        return learned
    return {m.seq for source in json.loads(record.sources) for m in tx.messages_named(source)}


def _made_from(tx: Transaction, messages: Iterable[int]) -> tuple[int, ...]:
    """Return the memories that were made of messages."""
    wanted = sorted(messages)
    learned = {n for _, n in tx.learned_from(wanted)}
    return tuple(sorted(learned | {r.n for r in tx.segments_of(wanted)}))


class Erasing:
    """The erasing of one agent's memories."""

    def __init__(self, agent: str, upkeep: Upkeep, clock: Clock) -> None:
        self._agent, self._upkeep, self._clock = agent, upkeep, clock

    def erase(
        self, store: Store, node_ids: Iterable[str] = (), message_ids: Iterable[str] = ()
    ) -> Erasure:
        """Destroy memories and messages; return the receipt.

        Raises NotFound before anything is done, and StorageError if bytes could not be destroyed
        because another program was reading: everything else has been done by then.
        """
        with store.write() as tx:
            targets = chosen(tx, node_ids, message_ids)
            receipt = self._announced(tx, targets)
            pieces = pieces_of(_texts(tx, targets))
            self._intend(tx, targets)
        removed = self._remove(store)
        removed["copies"] = self._scrub(store)
        found = store.found(pieces)
        return _checked(store, receipt, removed, found, len(pieces))

    def resume(self, store: Store) -> None:
        """Finish what was begun, perhaps by one who died; what cannot be done is left for later."""
        with store.read() as tx:
            begun, unclean = tx.meta(INTENT), tx.meta(SCRUB)
        if not begun and not unclean:
            return
        log.info("agent %s: finishing an erasure", self._agent)
        self._remove(store)
        try:
            self._scrub(store)
        except StorageError as error:
            log.warning("agent %s: %s", self._agent, error)

    def _announced(self, tx: Transaction, targets: Targets) -> Erasure:
        messages = tx.messages(targets.messages)
        ids = dict.fromkeys(m.public_id for m in messages)
        return Erasure(self._agent, tuple(map(name_of, targets.nodes)), tuple(ids), {})

    def _intend(self, tx: Transaction, targets: Targets) -> None:
        """Note what is to be done, and that it was: from here on there is no way back."""
        tx.set_meta(INTENT, (Targets.of(tx.meta(INTENT)) + targets).text())
        self.want_scrub(tx)

    # removing

    def _remove(self, store: Store) -> Counter[str]:
        """Remove everything that was intended, some per transaction."""
        removed: Counter[str] = Counter()
        while True:
            with store.write() as tx:
                targets = Targets.of(tx.meta(INTENT))
                now = targets.first()
                removed += self.remove_nodes(tx, {*now.nodes, *_made_from(tx, now.messages)})
                removed += self.remove_messages(tx, tx.messages(now.messages))
                tx.set_meta(INTENT, targets.rest().text())
                if not targets.rest():
                    removed += tx.clear_traces()
                    return removed

    def remove_messages(self, tx: Transaction, messages: Sequence[MessageRecord]) -> Counter[str]:
        """Leave shells of messages, and tombstones."""
        removed: Counter[str] = Counter()
        at, spoken = self._clock(), [m for m in messages if m.role]
        for message in spoken:
            tx.bury(MESSAGE, message.public_id, at)
            removed += tx.erase_message(message)
        if spoken:
            tx.log("erased", None, {"messages": [m.public_id for m in spoken]}, at)
            self._settle_failed(tx, {m.seq for m in spoken})
        return removed

    def _settle_failed(self, tx: Transaction, erased: set[int]) -> None:
        """End jobs that failed on messages of which nothing is left."""
        for job in tx.jobs("failed"):
            first, last = job.first_message or 0, job.last_message or 0
            touched = erased & set(range(first, last + 1))
            if touched and not any(m.content for m in tx.messages_between(first, last)):
                tx.finish_job(job.seq, self._clock(), job.progress)

    def remove_nodes(self, tx: Transaction, numbers: Iterable[int]) -> Counter[str]:
        """Remove memories, leaving tombstones; what was linked with them goes on without them."""
        going = {n for n in numbers if tx.node(n)}
        if not going:
            return Counter()
        focus, at = tx.focus(), self._clock()
        if going & set(focus):
            self._upkeep.refocus(tx, [n for n in focus if n not in going])
        links = [link for n in going for link in [*tx.links_from(n), *tx.links_to(n)]]
        around = {n for link in links for n in (link.source, link.target)} - going
        self._reschedule(tx, around)  # up to now these links counted
        for n in around:
            names = {li.relation for li in links if n in (li.source, li.target)}
            _forget_relations(tx, n, names - _relations(tx, n, going))
        removed: Counter[str] = Counter()
        for n in sorted(going):
            removed += tx.erase_node(n)
            tx.bury(NODE, name_of(n), at)
            tx.log("erased", n, {}, at)
        self._reschedule(tx, around)
        return removed

    def _reschedule(self, tx: Transaction, numbers: Iterable[int]) -> None:
        for n in sorted(numbers):
            record = tx.node(n)
            if record and record.since_pass is not None and record.is_alive(tx.passes()):
                self._upkeep.schedule(tx, record)

    # destroying the bytes

    def want_scrub(self, tx: Transaction) -> None:
        """See that what was deleted leaves no bytes behind."""
        tx.set_meta(SCRUB, "wanted")
        tx.set_meta(TIMES, str(int(tx.meta(TIMES) or 0) + 1))

    def _scrub(self, store: Store) -> int:
        copies = store.scrub()
        with store.write() as tx:
            tx.set_meta(SCRUB, "")
        return copies


def _relations(tx: Transaction, n: int, without: set[int]) -> set[str | None]:
    """Return the names of a memory's links with others than these."""
    links = [*tx.links_from(n), *tx.links_to(n)]
    return {li.relation for li in links if not {li.source, li.target} & without}


def _forget_relations(tx: Transaction, n: int, names: set[str | None]) -> None:
    """Take the names of relations that are no more out of what the journal says of a memory."""
    for seq, detail in tx.relations_noted(n):
        noted = detail.get("relations") or []
        left = [None if name in names else name for name in noted]
        if left != noted:
            tx.rewrite_entry(seq, {**detail, "relations": left})


def _texts(tx: Transaction, targets: Targets) -> set[str]:
    """Return the texts that are to be gone."""
    said = {m.content for m in tx.messages(targets.messages)}
    records = [record for n in targets.nodes if (record := tx.node(n))]
    return said | {text for r in records for text in (r.original, r.text, r.phrase)}


def pieces_of(texts: Iterable[str]) -> list[bytes]:
    """Return pieces of texts to look for: short ones, since a database cuts long texts in pages.

    Words may also stand somewhere as JSON writes them, in ASCII.
    """
    found: dict[bytes, None] = {}
    for text in sorted(texts, key=len):
        plain = text.strip().encode("utf-8", "surrogatepass")
        escaped = json.dumps(text.strip())[1:-1].encode()
        for form in {plain, escaped}:
            for start in range(0, len(form), STRIDE):
                piece = form[start : start + LONGEST]
                if len(piece) >= SHORTEST and len(found) < MOST_PIECES:
                    found[piece] = None
    return list(found)


def _checked(
    store: Store,
    receipt: Erasure,
    removed: Counter[str],
    found: dict[str, list[bytes]],
    scanned: int,
) -> Erasure:
    """Return the receipt with what the scan found; others may have said the same."""
    with store.read() as tx:
        others = {p for pieces in found.values() for p in pieces if tx.mentions(p)}
    remains = [name for name, pieces in found.items() if set(pieces) - others]
    return Erasure(
        agent=receipt.agent,
        nodes=receipt.nodes,
        messages=receipt.messages,
        removed={what: count for what, count in sorted(removed.items()) if count},
        scanned=scanned,
        remains=tuple(remains),
        elsewhere=len(others),
    )
