"""The messages that may be answers of a search, and what was read of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wangchuan.facts.records import corrected_among, still_outdated
from wangchuan.finding.query import Query
from wangchuan.ids import message_name, name_of
from wangchuan.language.dates.spans import Span
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
    records: dict[int, MessageRecord] = field(default_factory=dict)  # of those looked at
    made: dict[int, list[NodeRecord]] = field(default_factory=dict)  # of these, the nodes
    cold: set[int] = field(default_factory=set)  # nodes among them
    # what was read of messages, answers or not: maybe more than is needed
    _seen: dict[int, Head | None] = field(default_factory=dict)
    _answers: dict[int, bool] = field(default_factory=dict)  # the one before
    _corrected: dict[int, list[int]] = field(default_factory=dict)  # facts learned from them
    _sources: dict[int, list[int]] = field(default_factory=dict)  # of what corrected a fact

    def gather(self, near: list[tuple[int, float]]) -> None:
        """Look up the messages that may be answers: those found, and the turns around them."""
        entries = self._entries([message for message, _ in near])
        turns = ranking.turns_around(entries)
        self._read_answers(turns)
        self.evidence.answering.update(turn for turn in turns if self._answers[turn])
        wanted = {m for seed in entries for m in self._around(seed)}
        wanted |= {message for message, _ in near}
        for span in self.query.spans:
            day = said_in(self.tx, span)
            wanted |= set(day) if len(day) <= MOST_SEEDS else set()
        self.heads = self.able(wanted)

    def _around(self, message: int) -> list[int]:
        """Return a message and those that may be answers by it: the turns next to it."""
        return [message, *(near for near, share in self.evidence.lenders(message))]

    def able(self, messages: Iterable[int]) -> dict[int, Head]:
        """Return what is known of those messages that can be answers.

        One that was said at another time than asked for or is out of mind cannot.
        """
        wanted = sorted(messages)
        self.read_heads(wanted)
        heads = filter(None, map(self._seen.__getitem__, wanted))
        able = {head[0]: head for head in heads if self.query.admits(head[3])}
        if self.query.tags:
            tagged = {m.seq for m in self.tx.messages.of(able) if m.has(self.query.tags)}
            able = {message: head for message, head in able.items() if message in tagged}
        return able

    def outdated(self, messages: Iterable[int]) -> dict[int, list[int]]:
        """Return messages that say of the question only what was corrected since, and of whom."""
        asked = list(messages)
        self.read_corrected(asked)
        corrected = {m: old for m in asked if (old := self._corrected[m])}
        self.look_up(corrected)
        return still_outdated(self.tx, corrected, self.records, self.evidence.worth)

    def correcting(self, messages: Iterable[int]) -> dict[int, list[int]]:
        """Return those that are outdated, with the messages that their corrections came from."""
        asked = list(messages)
        self.read_corrected(asked)
        corrected = self.corrected(asked)
        self.tx.together(
            lambda tx: self.read_sources(corrected, tx), lambda tx: tx.nodes.read_ahead(corrected)
        )
        old = self.outdated(asked)
        self.read_sources([n for facts in old.values() for n in facts])
        newer = {m: [s for n in facts for s in self._sources[n]] for m, facts in old.items()}
        fresh = {s for sources in newer.values() for s in sources if s not in self.heads}
        self.heads |= self.able(fresh)
        return newer

    # reading, once

    def read_heads(self, messages: Iterable[int], tx: Transaction | None = None) -> None:
        """Read what is known of messages, if they are in mind."""
        fresh = [message for message in messages if message not in self._seen]
        if fresh:
            tx = tx or self.tx
            passes = None if self.query.forgotten else tx.passes()
            heads = tx.messages.heads(fresh, passes, cold=self.query.cold)
            self._seen |= dict.fromkeys(fresh)
            self._seen.update((head[0], head) for head in heads)

    def _read_answers(self, turns: Iterable[int], tx: Transaction | None = None) -> None:
        """Read which turns answer the one before."""
        fresh = [turn for turn in turns if turn not in self._answers]
        if fresh:
            answering = set((tx or self.tx).messages.answering(fresh))
            self._answers |= {turn: turn in answering for turn in fresh}

    def read_corrected(self, messages: Iterable[int], tx: Transaction | None = None) -> None:
        """Read which facts that were learned from messages were corrected since."""
        fresh = [message for message in messages if message not in self._corrected]
        if fresh:
            found = corrected_among(tx or self.tx, fresh)
            self._corrected |= {message: found.get(message, []) for message in fresh}

    def corrected(self, messages: Iterable[int]) -> list[int]:
        """Return the facts learned from messages that were corrected since, as far as is known."""
        return [n for message in messages for n in self._corrected.get(message, ())]

    def read_sources(self, facts: Iterable[int], tx: Transaction | None = None) -> None:
        """Read from which messages the last corrections of facts were learned."""
        fresh = [n for n in facts if n not in self._sources]
        if fresh:
            found: dict[int, list[int]] = {n: [] for n in fresh}
            for n, message in (tx or self.tx).facts.sources_of_latest(fresh):
                found[n].append(message)
            self._sources |= found

    def _read_around(self, best: Sequence[int], likely: Iterable[int]) -> None:
        """Ask at once for all that tells which messages around the best ones are answers."""
        around = ranking.turns_around(likely)
        self.tx.together(
            lambda tx: self.read_heads(dict.fromkeys([*best, *around]), tx),
            lambda tx: self._read_answers(around, tx),
            lambda tx: self.look_up(best[: seeds_of(self.query)], tx),
        )

    def _entries(self, near: Sequence[int]) -> list[int]:
        """Return the best entry points, and others in place of those that can be no answers."""
        best = self.evidence.best(seeds_of(self.query))
        self._read_around([*best, *near], best)
        if len(self.able(best)) == len(best):
            return best
        others = self.evidence.best(MOST_ENTRIES)
        self._read_around(others, others[: 2 * seeds_of(self.query)])
        able = self.able(others)
        return [*best, *[message for message in others if message in able][: seeds_of(self.query)]]

    def first(self, message: int) -> int:
        """Return the first message of the same conversation."""
        return message - self.heads[message][1]

    def look_up(self, messages: Iterable[int], tx: Transaction | None = None) -> None:
        """Read messages and the nodes made of them."""
        fresh = [message for message in messages if message not in self.records]
        if not fresh:
            return
        tx = tx or self.tx
        tx.ahead(
            lambda soon: soon.nodes.segments_of(fresh),
            lambda soon: soon.ticks.cold_from(fresh),
        )
        records, nodes = tx.messages.of(fresh), tx.nodes.segments_of(fresh)
        self.cold.update(tx.ticks.cold_from(fresh))
        self.records |= {record.seq: record for record in records}
        for node in nodes:
            self.made.setdefault(node.message or 0, []).append(node)

    def name(self, message: int) -> str:
        """Return the id of the node made of a message, or its own while there is none."""
        made = self.made.get(message)
        return name_of(made[0].n) if made else message_name(message)


def seeds_of(query: Query) -> int:
    """Return how many entry points are looked at."""
    return min(2 * max(query.limit, ANSWERS), MOST_SEEDS)


def said_in(tx: Transaction, span: Span) -> list[int]:
    """Return the messages said in a span of time, newest first; too many, if there are more."""
    return tx.messages.said_between(span.first, span.last, MOST_SEEDS + 1)
