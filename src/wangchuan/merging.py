"""Merging memories that say the same: suggesting it, and doing it when somebody asks.

Two memories overlap as far as they have their words in common. Comparing all with all would be
quadratic, so partners are looked for through the full text, by a few words only: of two texts
that share four words in five, one has at most a fifth that the other lacks, so any words beyond
that fifth must meet at least one that both have. Long words are taken, because they are rare.

A merge makes a new memory of what is left of its sources and moves these to the trash, from where
`restore` brings them back. It is never made without being asked for.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from wangchuan.errors import InvalidInput
from wangchuan.models.language import phrase, segments
from wangchuan.models.terms import terms
from wangchuan.network.activity import DAY, Signals, elapsed, is_mergeable
from wangchuan.reading import Reading
from wangchuan.spots import message_at
from wangchuan.storage import LifecycleRecord, LinkRecord, NodeRecord, Transaction, VitalsRecord
from wangchuan.types import MERGED, Clock, MergeSuggestion
from wangchuan.upkeep import Text, Upkeep, name_of

MOST_WORDS = 8  # by which partners are looked for
POSTINGS = 50  # places of each that are looked at, newest first
MOST_MESSAGES = 10  # whose memories are looked at
MOST_PARTNERS = 20  # that are compared
INTO = "merged into"  # begins why a source is gone


@lru_cache(1 << 12)
def words_of(text: str) -> frozenset[str]:
    """Return the distinct terms of a text."""
    return frozenset(terms(text))


def overlap(one: str, other: str) -> float:
    """Return which share of all their words two texts have in common.

    None, if a number differs: "room 12" and "room 13" are two things, however alike they sound.
    """
    here, there = words_of(one), words_of(other)
    if any(any(map(str.isdecimal, word)) for word in here ^ there):
        return 0.0
    return len(here & there) / len(here | there) if here and there else 0.0


def merged_text(texts: Iterable[str]) -> str:
    """Return the longest text, and after it what the others say that it does not."""
    first, *others = sorted(dict.fromkeys(texts), key=lambda text: (-len(text), text))
    said = [first]
    for sentence in (sentence for other in others for sentence in segments(other)):
        if not words_of(sentence) <= words_of("\n".join(said)):
            said.append(sentence)
    return "\n".join(said)


@dataclass(frozen=True, slots=True)
class Merging:
    """Suggesting and making merges in one agent's memory."""

    upkeep: Upkeep
    clock: Clock

    # suggesting

    def partner(self, tx: Transaction, vitals: VitalsRecord, at: float) -> int | None:
        """Return the memory that overlaps most with one, if a merge of the two can be suggested."""
        record = tx.node(vitals.n) if self._is_quiet(vitals, at) else None
        if record is None:
            return None
        least, alike = self.upkeep.settings.merge_overlap, []
        for other in self._neighbours(tx, record):
            common = overlap(record.text, other.text)
            if common >= least and self._may_join(tx, record, other, at):
                alike.append((common, -other.n))
        return -max(alike)[1] if alike else None

    def _is_quiet(self, vitals: VitalsRecord, at: float) -> bool:
        if vitals.focused or vitals.kind != "segment":
            return False
        return is_mergeable(Signals.of(vitals), vitals.cold_since, at, self.upkeep.settings)

    def _neighbours(self, tx: Transaction, record: NodeRecord) -> list[NodeRecord]:
        """Return memories whose messages share telling words with a memory, likeliest first."""
        wanted = sorted(words_of(record.text), key=lambda word: (-len(word), word))
        lacking = int(len(wanted) * (1 - self.upkeep.settings.merge_overlap))
        telling = wanted[: min(lacking + 1, MOST_WORDS)]
        votes: Counter[int] = Counter()
        for word in telling:
            votes.update(map(message_at, tx.postings(word, POSTINGS)))
        found = [message for message, _ in votes.most_common(MOST_MESSAGES)]
        likely = [(_met(telling, node.text), -node.n, node) for node in tx.segments_of(found)]
        best = sorted((met, n, node) for met, n, node in likely if met and node.n != record.n)
        return [node for _, _, node in best[-MOST_PARTNERS:]]

    def _may_join(self, tx: Transaction, one: NodeRecord, other: NodeRecord, at: float) -> bool:
        if other.kind != one.kind or not other.is_alive(tx.passes()):
            return False
        vitals = tx.vitals(self.upkeep.decay(tx), other.n - 1, 1)
        return bool(vitals) and self._is_quiet(vitals[0], at)

    def suggestions(self, tx: Transaction, limit: int) -> list[MergeSuggestion]:
        """Return the merges that the last tick suggests, oldest memories first."""
        reading = Reading(tx, self.upkeep)
        groups = _groups(tx.merge_marks())
        suggested = (self._suggestion(tx, reading, group) for group in groups)
        return [found for found in suggested if found is not None][:limit]

    def _suggestion(
        self, tx: Transaction, reading: Reading, group: Sequence[LifecycleRecord]
    ) -> MergeSuggestion | None:
        records = [r for r in (tx.node(m.node) for m in group) if r and r.is_alive(tx.passes())]
        if len(records) < 2:
            return None  # one of them went since
        common = [max(overlap(r.text, o.text) for o in records if o.n != r.n) for r in records]
        days = min(int(elapsed(mark.cold_since, self.clock()) // DAY) for mark in group)
        most = self.upkeep.settings.merge_max_degree
        reason = f"cold for {days} days, at most {most} links each, {min(common):.0%} in common"
        return MergeSuggestion(tuple(map(reading.present, records)), min(common), reason)

    # merging

    def merge(self, tx: Transaction, ids: Iterable[str]) -> int:
        """Make one memory of several; return its number. Raises NotFound and InvalidInput."""
        reading = Reading(tx, self.upkeep)
        sources = [reading.record(node_id) for node_id in dict.fromkeys(ids)]
        if len(sources) < 2:
            raise InvalidInput("a merge takes at least two memories")
        strangers = [r for r in sources if r.kind != "segment"]
        if strangers:
            one = strangers[0]
            raise InvalidInput(f"{name_of(one.n)} is a {one.kind}; only segments are merged")
        with tx.undoable("merged", None):
            n = self._join(tx, sources)
        names = [name_of(record.n) for record in sources]
        self.upkeep.tell(tx, "merged", node=name_of(n), sources=names)
        return n

    def _join(self, tx: Transaction, sources: Sequence[NodeRecord]) -> int:
        at = self.clock()
        n = self._made_of(tx, sources, at)
        tx.log("merged", n, {"sources": [r.n for r in sources], "node": n}, at)
        self._link(tx, n, sources)
        for record in sources:
            self.upkeep.forget(tx, record, f"{INTO} {name_of(n)}", at)
        merged = tx.node(n)
        if merged is not None:
            self.upkeep.schedule(tx, merged)
        return n

    def _made_of(self, tx: Transaction, sources: Sequence[NodeRecord], at: float) -> int:
        left: list[Text] = [self.upkeep.shown(tx, record, tx.passes()) for record in sources]
        text = merged_text(part.content for part in left)
        words = dict.fromkeys(word for part in left for word in part.keywords)
        said = dict.fromkeys(m for record in sources for m in json.loads(record.sources))
        return tx.add_node(
            kind="segment",
            job=None,
            message=sources[0].message,
            original=text,
            phrase=phrase(text),
            keywords=json.dumps(list(words), ensure_ascii=False),
            sources=json.dumps(list(said), ensure_ascii=False),
            created_at=at,
        )

    def _link(self, tx: Transaction, n: int, sources: Sequence[NodeRecord]) -> None:
        """Link a merged memory with its sources, and with what these were linked with."""
        passes, within = tx.passes(), {record.n for record in sources}
        for record in sources:
            for link, strength in self.upkeep.own_links(tx, record, passes):
                if link.target not in within:
                    tx.put_link(LinkRecord(n, link.target, strength, 0, link.relation))
            for link in tx.links_to(record.n):
                self._lead_here(tx, n, link, within)
            scans = record.scan_count(passes)
            tx.put_link(LinkRecord(n, record.n, 1.0, 0, MERGED))
            tx.put_link(LinkRecord(record.n, n, 1.0, scans, MERGED))

    def _lead_here(self, tx: Transaction, n: int, link: LinkRecord, within: set[int]) -> None:
        source, passes = tx.node(link.source), tx.passes()
        if source is None or link.source in within or not source.is_alive(passes):
            return
        scans = source.scan_count(passes)
        strength = self.upkeep.strength(link, scans)
        if strength:
            tx.put_link(LinkRecord(link.source, n, strength, scans, link.relation))
            if source.since_pass is not None:
                self.upkeep.schedule(tx, source)


def _met(words: Iterable[str], text: str) -> int:
    """Return how many words stand in a text, as far as can be told without analysing it."""
    folded = text.casefold()
    return sum((word if len(word) < 4 else word[:-1]) in folded for word in words)


def _groups(marks: Sequence[LifecycleRecord]) -> list[list[LifecycleRecord]]:
    """Return the marks of memories that belong together, because one is the other's partner."""
    known = {mark.node: mark for mark in marks}
    group_of: dict[int, dict[int, None]] = {}
    for mark in marks:
        if mark.merge_with not in known:
            continue  # it was used since, or is gone
        one = group_of.setdefault(mark.node, {mark.node: None})
        other = group_of.setdefault(mark.merge_with, {mark.merge_with: None})
        if one is not other:
            one.update(other)
            group_of.update(dict.fromkeys(other, one))
    distinct = {id(group): group for group in group_of.values()}.values()
    return [[known[n] for n in sorted(group)] for group in distinct]
