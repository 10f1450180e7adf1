"""The messages that may be answers of a search, and what was read of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from wangchuan.facts.records import outdated_among
from wangchuan.finding.query import Query
from wangchuan.ids import message_name, name_of
from wangchuan.network import ranking
from wangchuan.network.ranking import Evidence
from wangchuan.storage import MessageRecord, NodeRecord, Transaction
from wangchuan.storage.records import Head

MOST_SEEDS = 200  # messages whose surroundings are looked at: twice the limit, or so many
MOST_ENTRIES = 1000  # messages looked through for some that can be answers
ANSWERS = 5  # the first places, in which a newer statement goes above one that it replaces


@dataclass(slots=True)
class Candidates:
    """The messages that may be answers of one search."""

    tx: Transaction
    query: Query
    evidence: Evidence
    heads: dict[int, Head] = field(default_factory=dict)  # of all of them
    read: dict[int, Head | None] = field(default_factory=dict)  # None: it can be no answer
    records: dict[int, MessageRecord] = field(default_factory=dict)  # of those looked at
    made: dict[int, list[NodeRecord]] = field(default_factory=dict)  # of these, the nodes
    cold: set[int] = field(default_factory=set)  # nodes among them
    aside: set[int] = field(default_factory=set)  # near in meaning, and too little else

    @property
    def seeds(self) -> int:
        """Return how many entry points are looked at."""
        return min(2 * max(self.query.limit, ANSWERS), MOST_SEEDS)

    def gather(self, near: list[tuple[int, float]], least: float = -1.0) -> None:
        """Look up the messages that may be answers: those found, and the turns around them.

        What is `near` in meaning by less than `least` can be one by its words, a time or a second
        step only; where none speaks for it yet, it is not looked up.
        """
        entries = self._entries()
        self._read_answering(entries)
        wanted = {m for seed in entries for m in self._around(seed)}
        close = {m for m, by in near if by >= least or self.query.spans or self._has_words(m)}
        self.aside = {m for m, _ in near} - close - wanted
        wanted |= close
        for span in self.query.spans:
            day = self.tx.messages.said_between(span.first, span.last, MOST_SEEDS + 1)
            wanted |= set(day) if len(day) <= MOST_SEEDS else set()
        self.heads = self.able(wanted)

    def _read_answering(self, messages: Iterable[int]) -> None:
        """Read which of the turns around messages answer the one before."""
        self.evidence.answering |= set(self.tx.messages.answering(ranking.turns_around(messages)))

    def _has_words(self, message: int) -> bool:
        """Tell whether a message holds words of the question, or may have some lent."""
        answering = self.evidence.answering
        return message in self.evidence.own or message in answering or message + 1 in answering

    def _around(self, message: int) -> list[int]:
        """Return a message and those that may be answers by it: the turns next to it."""
        return [message, *(near for near, share in self.evidence.lenders(message))]

    def able(self, messages: Iterable[int]) -> dict[int, Head]:
        """Return what is known of those messages that can be answers, reading each once.

        One that was said at another time than asked for or is out of mind cannot; in a strict
        search, neither can one that says of it only what was corrected since.
        """
        wanted = sorted(messages)
        fresh = [message for message in wanted if message not in self.read]
        if fresh:
            self.read |= {**dict.fromkeys(fresh), **self._able(fresh)}
        return {message: head for message in wanted if (head := self.read[message])}

    def _able(self, messages: list[int]) -> dict[int, Head]:
        passes = None if self.query.forgotten else self.tx.passes()
        heads = self.tx.messages.heads(messages, passes, cold=self.query.cold)
        able = {head[0]: head for head in heads if self.query.admits(head[3])}
        if self.query.tags:
            tagged = {m.seq for m in self.tx.messages.of(able) if m.has(self.query.tags)}
            able = {message: head for message, head in able.items() if message in tagged}
        old = outdated_among(self.tx, able, self.evidence.worth) if self.query.strict else ()
        return {message: head for message, head in able.items() if message not in old}

    def _entries(self) -> list[int]:
        """Return the best entry points, and others in place of those that can be no answers."""
        best = self.evidence.best(self.seeds)
        self.tx.ahead(lambda soon: soon.messages.answering(ranking.turns_around(best)))
        if len(self.able(best)) == len(best):
            return best
        others = self.evidence.best(MOST_ENTRIES)
        able = self.able(others)
        return [*best, *[message for message in others if message in able][: self.seeds]]

    def first(self, message: int) -> int:
        """Return the first message of the same conversation."""
        return message - self.heads[message][1]

    def add(self, message: int) -> None:
        """Take in one more message, if it can be an answer."""
        if message not in self.heads:
            self.heads |= self.able([message])

    def look_up(self, messages: Iterable[int]) -> None:
        """Read messages and the nodes made of them, once."""
        fresh = [message for message in messages if message not in self.records]
        if not fresh:
            return
        self.tx.ahead(lambda soon: soon.nodes.segments_of(fresh))
        self.records |= {record.seq: record for record in self.tx.messages.of(fresh)}
        nodes = self.tx.nodes.segments_of(fresh)
        for node in nodes:
            self.made.setdefault(node.message or 0, []).append(node)
        self.cold |= self.tx.lifecycle.cold_among(node.n for node in nodes)

    def name(self, message: int) -> str:
        """Return the id of the node made of a message, or its own while there is none."""
        made = self.made.get(message)
        return name_of(made[0].n) if made else message_name(message)
