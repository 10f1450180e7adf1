"""What was made of what: everything that goes when some nodes or messages are erased.

A node is made of its message, a merged one of several; facts and episodes are learned from
messages. That is noted, and followed one step. Changes that can be undone hold nodes, too, even
such as are not there any more; they are found by the same notes.

One thing is not noted: models put names in the place of pronouns, so a node may hold a word that
only another message said. Such a word can come only from what was shown with it: the messages
around its own, the focus, or the fact it replaces. A node is taken to have borrowed a word if it
names something, does not stand in its own message, stands in something that is to go, and in
nothing else that was shown. It goes, and its message stays. Words by which everybody puts such
things ("lives in") are borrowed from nobody.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator

from wangchuan.errors import InvalidInput, NotFound
from wangchuan.ids import number_of
from wangchuan.language.facts.uses import ABOUT, FRAME
from wangchuan.language.terms import terms
from wangchuan.language.text import words
from wangchuan.language.words import CHINESE_WORDS, ENGLISH_WORDS
from wangchuan.routines.digest import WINDOW_MESSAGES
from wangchuan.storage import LinkRecord, MessageRecord, NodeRecord, Transaction
from wangchuan.types import value

NODE, MESSAGE = "node", "message"


@value
class Targets:
    """What is to be erased, by numbers: messages with all that was made of them, and nodes."""

    messages: tuple[int, ...]
    nodes: tuple[int, ...]

    @classmethod
    def of(cls, text: str | None) -> Targets:
        """Return the targets that a note of the store names."""
        noted = json.loads(text) if text else {}
        return cls(tuple(noted.get("messages", ())), tuple(noted.get("nodes", ())))

    def text(self) -> str:
        """Return the targets as a note of the store."""
        return json.dumps({"messages": self.messages, "nodes": self.nodes}) if self else ""

    def __bool__(self) -> bool:
        return bool(self.messages or self.nodes)

    def __add__(self, other: Targets) -> Targets:
        return Targets(
            tuple(sorted({*self.messages, *other.messages})),
            tuple(sorted({*self.nodes, *other.nodes})),
        )

    def first(self, most: int) -> Targets:
        """Return the first `most` targets: those of one transaction."""
        return Targets(self.messages[:most], self.nodes[:most])

    def rest(self, most: int) -> Targets:
        """Return the targets after the first `most`."""
        return Targets(self.messages[most:], self.nodes[most:])


def chosen(tx: Transaction, node_ids: Iterable[str], message_ids: Iterable[str]) -> Targets:
    """Return the nodes and messages that are erased with the given ones, or raise NotFound."""
    named = [_known_node(tx, node_id) for node_id in node_ids]
    messages = {m.seq for message_id in message_ids for m in _known_messages(tx, message_id)}
    for record in named:
        for source in _merged_sources(record):
            _refuse_doubt(tx, source, tx.messages.named(source))
        messages |= made_of(tx, record)
    if not named and not messages:
        raise InvalidInput("say what to erase: the id of a memory, or ids of messages")
    nodes = {record.n for record in named} | made_from(tx, messages)
    return Targets(tuple(sorted(messages)), tuple(sorted(nodes | borrowing(tx, messages, nodes))))


def _known_node(tx: Transaction, node_id: str) -> NodeRecord:
    n = number_of(node_id)
    record = tx.nodes.get(n) or next(iter(tx.undo.former(n)), None)
    if record is None:
        gone = tx.tombstones.is_erased(NODE, node_id)
        raise NotFound(f"{node_id} was erased" if gone else f"no memory has the id {node_id!r}")
    return record


def _known_messages(tx: Transaction, message_id: str) -> list[MessageRecord]:
    if not isinstance(message_id, str):
        raise InvalidInput(f"the id of a message is a string, not {type(message_id).__name__}")
    found = tx.messages.named(message_id)
    if not found:
        gone = tx.tombstones.is_erased(MESSAGE, message_id)
        raise NotFound(
            f"message {message_id!r} was erased" if gone else f"no message has id {message_id!r}"
        )
    _refuse_doubt(tx, message_id, found)
    return found


def _refuse_doubt(tx: Transaction, message_id: str, found: Collection[MessageRecord]) -> None:
    """Raise InvalidInput if an id means our message of that number and a caller's, too."""
    if len({m.id is None for m in found}) < 2:
        return
    told = (f"{_undoubted(tx, m.seq)} ({m.role}: {m.content!r:.40})" for m in found)
    raise InvalidInput(
        f"{message_id!r} is the id of several messages; nothing was erased. Name the one you mean"
        f" {' or '.join(told)}"
    )


def _undoubted(tx: Transaction, seq: int) -> str:
    """Return a name of a message that means no other: its number, with zeros where needed."""
    names = (f"msg_{seq:0{width}}" for width in range(1, 20))
    return next((n for n in names if [m.seq for m in tx.messages.named(n)] == [seq]), f"msg_{seq}")


def made_of(tx: Transaction, record: NodeRecord) -> set[int]:
    """Return the messages a node was made of."""
    if record.message is not None and not _is_merged(record):
        return {record.message}
    learned = set(tx.facts.evidence_of(record.n))
    if learned or record.kind != "segment":
        return learned
    return {m.seq for source in _merged_sources(record) for m in tx.messages.named(source)}


def _is_merged(record: NodeRecord) -> bool:
    return record.kind == "segment" and record.job is None


def _merged_sources(record: NodeRecord) -> list[str]:
    """Return the ids of the messages that a merged node was made of."""
    return list(json.loads(record.sources)) if _is_merged(record) else []


def made_from(tx: Transaction, messages: Iterable[int]) -> set[int]:
    """Return the nodes that were made of messages, also those whose making was undone."""
    wanted = sorted(messages)
    if not wanted:
        return set()
    learned = {n for _, n in tx.facts.learned_from(wanted)}
    names = [message.public_id for message in tx.messages.of(wanted)]
    cut = {record.n for record in tx.nodes.segments_of(wanted)}
    return learned | cut | set(tx.nodes.merged_from(names)) | set(tx.undo.undone_from(wanted))


# borrowed words


def borrowing(tx: Transaction, messages: Collection[int], nodes: Collection[int]) -> set[int]:
    """Return the nodes that stay, but hold words that they can have from erased texts only."""
    lost, found = _candidates(tx, messages, nodes)
    return {candidate.record.n for candidate in found if candidate.borrows(lost)}


def borrowed_relations(tx: Transaction, targets: Targets) -> list[LinkRecord]:
    """Return links between nodes that stay whose names hold words of erased texts only."""
    lost, found = _candidates(tx, targets.messages, targets.nodes)
    tx.links.read_ahead(candidate.record.n for candidate in found)
    links = {
        (link.source, link.target): link
        for candidate in found
        for link in (*tx.links.of(candidate.record.n), *tx.links.to(candidate.record.n))
        if link.relation and candidate.has_borrowed(link.relation, lost)
    }
    return [link for ends, link in links.items() if not {*ends} & {*targets.nodes}]


def _candidates(
    tx: Transaction, messages: Collection[int], nodes: Collection[int]
) -> tuple[set[str], list[_Candidate]]:
    """Return the words of erased texts, and the nodes that may have borrowed some."""
    going = [record for n in nodes if (record := tx.nodes.get(n))]
    lost = {word for text in _sources(tx, messages, going) for word in terms(text)}
    shown = _shown_with(tx, messages, going)
    return lost, [_Candidate(tx, record, messages, nodes) for record in shown]


def texts_of(tx: Transaction, messages: Collection[int], records: Iterable[NodeRecord]) -> set[str]:
    """Return all texts of messages and nodes."""
    found = tx.messages.of(messages)
    said = {m.content for m in found} | {m.session or "" for m in found}
    said |= {value for m in found for value in m.labels.values() if isinstance(value, str)}
    return said | {text for r in records for text in (r.original, r.text, r.phrase)}


def _sources(
    tx: Transaction, messages: Collection[int], going: Iterable[NodeRecord]
) -> Iterator[str]:
    """Yield the texts of erased messages, and of erased nodes of which no message is left.

    A node is put in the model's words: nobody said "the user", which facts begin with.
    """
    said = {m.seq: m.content for m in tx.messages.of(messages)}
    yield from said.values()
    for record in going:
        if not any(said.get(m) for m in made_of(tx, record)):
            yield record.original


def _shown_with(
    tx: Transaction, messages: Collection[int], going: Collection[NodeRecord]
) -> list[NodeRecord]:
    """Return the nodes for which a model was shown some of the erased texts."""
    around = _around(messages)
    numbers = {r.n for r in tx.nodes.segments_of(around)} | {
        n for _, n in tx.facts.learned_from(around)
    }
    numbers |= set(tx.nodes.made_beside([record.n for record in going]))
    for record in going:
        fact = tx.facts.get(record.n)
        while fact and fact.successor and fact.successor not in numbers:
            numbers.add(fact.successor)
            fact = tx.facts.get(fact.successor)
    left = sorted(numbers - {record.n for record in going})
    return [found for n in left if (found := tx.nodes.get(n))]


def _around(messages: Iterable[int]) -> list[int]:
    """Return the numbers of messages that may have been shown to a model with these."""
    return sorted(
        {n for m in messages for n in range(max(1, m - WINDOW_MESSAGES), m + WINDOW_MESSAGES)}
    )


@value
class _Candidate:
    """A node that may have borrowed words from erased texts."""

    tx: Transaction
    record: NodeRecord
    messages: Collection[int]
    nodes: Collection[int]

    def borrows(self, lost: Collection[str]) -> bool:
        """Tell whether the node holds a `lost` word that stands in no text that stays."""
        record = self.record
        text = " ".join((record.original, record.phrase, record.keywords))
        return self.has_borrowed(text, lost)

    def has_borrowed(self, text: str, lost: Collection[str]) -> bool:
        """Tell whether a text made with the node has a `lost` word that no other text holds."""
        held = {*terms(_named_in(text))} & {*lost}
        if not held:
            return False
        own = [m for m in self.tx.messages.of(made_of(self.tx, self.record)) if m.role]
        if not own or not all(m.content for m in own):
            return False  # its own messages have lost their words: it cannot be told
        held = _missing(held, (f"{m.name or ''} {m.content}" for m in own))
        return bool(held and _missing(held, self._others(own)))

    def _others(self, own: Collection[MessageRecord]) -> Iterator[str]:
        """Yield the texts that a model was shown with the node and that stay."""
        around = [n for n in _around(m.seq for m in own) if n not in self.messages]
        yield from (f"{m.name or ''} {m.content}" for m in self.tx.messages.of(around))
        beside = [n for n in self.tx.jobs.attended_by(self.record.job or 0) if n not in self.nodes]
        yield from (record.original for n in beside if (record := self.tx.nodes.get(n)))


def _named_in(text: str) -> str:
    """Return a text without common words such as "lives in".

    Any two facts share these, whatever they were learned from.
    """
    left, at = [], 0
    for word in words(text):
        plain = word.text.lower()
        common = plain in ENGLISH_WORDS or plain in CHINESE_WORDS
        if plain in FRAME or (common and word.tag not in ABOUT):
            left.append(text[at : word.start])
            at = word.end
    return " ".join([*left, text[at:]])


def _missing(wanted: set[str], texts: Iterable[str]) -> set[str]:
    """Return the words that stand in none of the texts, whole or as a part of a word."""
    left = set(wanted)
    for text in texts:
        folded = text.casefold()
        left = {word for word in left if word not in folded}
        left -= set(terms(text)) if left else set()
        if not left:
            break
    return left
