"""Erasure: destroying nodes for good, with everything that holds their words.

Forgetting hides; erasing destroys. A node is erased with the messages it was made of, because
its words stand there too. Everything else that was made of these messages goes as well: other nodes
cut from them, facts and episodes learned from them (`provenance`). Further messages of those facts
and episodes stay. So do the pages of the notebook, which are the owner's own files; the receipt
names the pages that hold the words.

First the intent is noted, durably and by numbers only. Then the rows go, a bounded number per
transaction. Then the database, its log and older copies are rewritten, so that no deleted row
leaves bytes behind. After a crash, whoever opens the agent goes on where the erasure ended. A
tombstone of id and time stays, so that no import brings the node back.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from wangchuan.erasing.provenance import (
    MESSAGE,
    NODE,
    Targets,
    borrowed_relations,
    chosen,
    made_from,
    texts_of,
)
from wangchuan.errors import StorageError
from wangchuan.ids import name_of
from wangchuan.living.schedule import Schedule
from wangchuan.storage import MessageRecord, Store, Transaction, journal
from wangchuan.storage.files import holds
from wangchuan.types import Clock, Erasure

log = logging.getLogger("wangchuan")

INTENT, SCRUB, TIMES = "erasing", "scrub", "erased"  # notes of the store
CHUNK = 50  # messages, and nodes, per transaction
SHORTEST, LONGEST = 8, 48  # bytes of a piece that is looked for
STRIDE = 1000  # one piece is looked for in so many bytes
MOST_PIECES = 1000


class Erasing:
    """The erasing of one agent's nodes."""

    def __init__(
        self, agent: str, schedule: Schedule, clock: Clock, pages: Callable[[], Iterable[Path]]
    ) -> None:
        """`pages` names the owner's pages: they may hold erased words, and stay."""
        self._agent, self._schedule, self._clock, self._pages = agent, schedule, clock, pages
        self.try_later: Callable[[], None] = lambda: None  # called when a reader hinders the scrub

    def erase(
        self, store: Store, node_ids: Iterable[str] = (), message_ids: Iterable[str] = ()
    ) -> Erasure:
        """Destroy nodes and messages; return the receipt.

        Raises NotFound before anything is done, and StorageError if bytes could not be destroyed
        because another program was reading: everything else has been done by then.
        """
        with store.write() as tx:
            targets = chosen(tx, node_ids, message_ids)
            receipt = self._announced(tx, targets)
            pieces = pieces_of(_texts(tx, targets))
            self._unname(tx, targets)
            self._intend(tx, targets)
        removed = self._remove(store)
        removed["copies"] = self._scrub(store)
        return self._checked(store, receipt, removed, pieces)

    def resume(self, store: Store) -> None:
        """Finish an erasure that was begun, perhaps by a process that died, as far as possible."""
        with store.read() as tx:
            begun, unclean = tx.meta.get(INTENT), tx.meta.get(SCRUB)
        if store.read_only or not (begun or unclean):
            return
        log.info("agent %s: finishing an erasure", self._agent)
        self._remove(store)
        try:
            self._scrub(store)
        except StorageError as error:
            log.warning("agent %s: %s", self._agent, error)

    def _announced(self, tx: Transaction, targets: Targets) -> Erasure:
        messages = tx.messages.of(targets.messages)
        ids = dict.fromkeys(m.public_id for m in messages)
        return Erasure(self._agent, tuple(map(name_of, targets.nodes)), tuple(ids), {})

    def _intend(self, tx: Transaction, targets: Targets) -> None:
        """Note which nodes and messages are to be erased: from here on there is no way back."""
        tx.meta.set(INTENT, (Targets.of(tx.meta.get(INTENT)) + targets).text())
        self.want_scrub(tx)

    def _unname(self, tx: Transaction, targets: Targets) -> None:
        """Take away the names of links that hold words of erased texts, wherever they are noted."""
        links = borrowed_relations(tx, targets)
        for link in links:
            unnamed = asdict(replace(link, relation=None))
            tx.undo.put_row("link", (link.source, link.target), unnamed)
        touched = {n for link in links for n in (link.source, link.target)}
        for n in touched:
            _forget_relations(tx, n, _relations(tx, n, set(targets.nodes)))
        if touched:
            tx.undo.drop_touching(touched)

    # removing

    def _remove(self, store: Store) -> Counter[str]:
        """Remove the nodes and messages of the intent, some per transaction."""
        removed: Counter[str] = Counter()
        while True:
            with store.write() as tx:
                targets = Targets.of(tx.meta.get(INTENT))
                now, rest = targets.first(CHUNK), targets.rest(CHUNK)
                removed += self.remove_nodes(tx, {*now.nodes, *made_from(tx, now.messages)})
                removed += self.remove_messages(tx, tx.messages.of(now.messages))
                tx.meta.set(INTENT, rest.text())
                self.want_scrub(tx)  # answers asked for since the last time are out of date
                if not rest:
                    removed += tx.clear_traces()
                    return removed

    def remove_messages(self, tx: Transaction, messages: Sequence[MessageRecord]) -> Counter[str]:
        """Leave shells of messages, and tombstones."""
        removed: Counter[str] = Counter()
        at, spoken = self._clock(), [m for m in messages if m.role]
        for message in spoken:
            tx.tombstones.add(MESSAGE, message.public_id, at)
            removed += tx.erase_message(message)
        if spoken:
            names = tuple(message.public_id for message in spoken)
            tx.journal.log(journal.Erased(messages=names), at)
            self._settle_failed(tx, {m.seq for m in spoken})
        return removed

    def _settle_failed(self, tx: Transaction, erased: set[int]) -> None:
        """End failed jobs whose messages have no words left."""
        for job in tx.jobs.in_state("failed"):
            first, last = job.first_message or 0, job.last_message or 0
            touched = erased & set(range(first, last + 1))
            if touched and not any(m.content for m in tx.messages.between(first, last)):
                tx.jobs.finish(job.seq, self._clock(), job.progress)

    def remove_nodes(self, tx: Transaction, numbers: Iterable[int]) -> Counter[str]:
        """Remove nodes, leaving tombstones; nodes linked with them are scheduled anew."""
        going = {n for n in numbers if tx.nodes.get(n) or tx.undo.former(n)}
        if not going:
            return Counter()
        focus, at = tx.links.focus(), self._clock()
        if going & set(focus):
            self._schedule.refocus(tx, [n for n in focus if n not in going])
        links = [link for n in going for link in [*tx.links.of(n), *tx.links.to(n)]]
        around = {n for link in links for n in (link.source, link.target)} - going
        self._reschedule(tx, around)  # the links to erased nodes counted up to now
        for n in around.union(tx.nodes.made_beside(going)) - going:
            _forget_relations(tx, n, _relations(tx, n, going))
        removed: Counter[str] = Counter(journal=forget_texts(tx, going))
        removed["undo"] = tx.undo.drop_touching(going)
        for n in sorted(going):
            met = _met(tx, n)
            removed += tx.erase_node(n)
            for seq, said in met:
                tx.journal.rewrite(seq, said)
            tx.tombstones.add(NODE, name_of(n), at)
            tx.journal.log(journal.Erased(n), at)
        self._reschedule(tx, around)
        return removed

    def _reschedule(self, tx: Transaction, numbers: Collection[int]) -> None:
        tx.links.read_ahead(numbers)
        for n in sorted(numbers):
            record = tx.nodes.get(n)
            if record and record.since_pass is not None and record.is_alive(tx.passes()):
                self._schedule.let_go(tx, record)

    # destroying the bytes

    def want_scrub(self, tx: Transaction) -> None:
        """Note that the database is to be rewritten, so that deleted rows leave no bytes behind."""
        tx.meta.set(SCRUB, "wanted")
        tx.meta.set(TIMES, str(int(tx.meta.get(TIMES) or 0) + 1))

    def _scrub(self, store: Store) -> int:
        try:
            copies = store.scrub()
        except StorageError:
            self.try_later()
            raise
        with store.write() as tx:
            tx.meta.set(SCRUB, "")
        return copies

    def _checked(
        self, store: Store, receipt: Erasure, removed: Counter[str], pieces: Sequence[bytes]
    ) -> Erasure:
        """Return the receipt with the files in which a scan finds erased words.

        Words that a message which stays holds, too, do not count.
        """
        found = store.found(pieces)
        with store.read() as tx:
            if packed := tx.undo.holds(pieces):
                found["memory.db"] = [*found.get("memory.db", ()), *packed]
            others = {p for here in found.values() for p in here if tx.tombstones.mentions(p)}
        remains = [name for name, here in found.items() if set(here) - others]
        return replace(
            receipt,
            removed={what: count for what, count in sorted(removed.items()) if count},
            scanned=len(pieces),
            remains=tuple(remains),
            elsewhere=len(others),
            pages=tuple(str(page) for page in self._pages() if holds(page, pieces)),
            beyond=store.beyond,
        )


def _relations(tx: Transaction, n: int, without: set[int]) -> set[str | None]:
    """Return the names of a node's links, but for those with the nodes `without`."""
    links = [*tx.links.of(n), *tx.links.to(n)]
    return {li.relation for li in links if not {li.source, li.target} & without}


def _forget_relations(tx: Transaction, n: int, names: set[str | None]) -> None:
    """Leave in what the journal says of a node only the names of relations it still has."""
    for entry in tx.journal.of(n):
        said = journal.read(entry)
        if isinstance(said, journal.Remembered):
            relations = tuple(name if name in names else None for name in said.relations)
            related = tuple((m, name if name in names else None) for m, name in said.related)
            left = replace(said, relations=relations, related=related)
            if left != said:
                tx.journal.rewrite(entry.seq, left)


def _met(tx: Transaction, n: int) -> list[tuple[int, journal.Remembered]]:
    """Return how the journal says, in numbers only, which older nodes a node was linked with.

    These were held by it, and go on from there.
    """
    said = [(entry.seq, journal.read(entry)) for entry in tx.journal.of(n)]
    return [
        (seq, replace(one, relations=(), related=tuple((m, None) for m, _ in one.related)))
        for seq, one in said
        if isinstance(one, journal.Remembered) and one.related
    ]


def forget_texts(tx: Transaction, going: set[int]) -> int:
    """Take texts of nodes out of what the journal says of changes that were undone."""
    changed = 0
    for entry, said in tx.journal.each(journal.Undone):
        left = {n: text for n, text in said.before.items() if n not in going}
        if left != said.before:
            tx.journal.rewrite(entry.seq, replace(said, before=left))
            changed += 1
    return changed


def _texts(tx: Transaction, targets: Targets) -> set[str]:
    """Return the texts of the targets, which are to be destroyed."""
    records = [
        record for n in targets.nodes for record in (tx.nodes.get(n), *tx.undo.former(n)) if record
    ]
    return texts_of(tx, targets.messages, records)


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
