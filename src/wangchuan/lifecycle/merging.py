"""Merging nodes that say the same: suggesting a merge, and making it on request.

Two nodes overlap as far as they have their words in common. Comparing all with all would be
quadratic, so partners are looked for through the full text, by a few words only: of two texts
that share four words in five, one has at most a fifth that the other lacks, so any words beyond
that fifth must meet at least one that both have. Long words are taken, because they are rare.

Where there is an embedder, nodes that say the same in other words are partners, too, if the vectors
of their messages are near enough. A vector stands for a whole message with the turn before it. So
it speaks only for the one node that its message left, and only if that node's words outweigh the
turn.

A merge makes a new node of the words left of its sources, and moves the sources to the trash, from
where `restore` brings them back. No merge is made without a request.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from wangchuan.arguments import texts
from wangchuan.errors import InvalidInput
from wangchuan.ids import name_of
from wangchuan.language.labels import phrase
from wangchuan.language.terms import terms
from wangchuan.language.text import segments
from wangchuan.living.lens import Lens
from wangchuan.living.trash import Trash
from wangchuan.living.view import Reading
from wangchuan.network.activity import DAY, Signals, elapsed, is_mergeable
from wangchuan.spots import message_at
from wangchuan.storage import (
    LifecycleRecord,
    LinkRecord,
    NodeRecord,
    Text,
    TextRecord,
    Transaction,
    VitalsRecord,
    journal,
)
from wangchuan.types import MERGED, Clock, MergeSuggestion

MOST_WORDS = 8  # by which partners are looked for
POSTINGS = 500  # places of each that are looked at, newest first
MOST_MESSAGES = 10  # whose nodes are looked at
MOST_PARTNERS = 20  # that are compared

Pairs = dict[int, list[tuple[float, int]]]  # by memory: how much in common, with which
Alike = Callable[[Transaction, Sequence[int], float], dict[int, list[tuple[int, float]]]]


@lru_cache(1 << 12)
def words_of(text: str) -> frozenset[str]:
    """Return the distinct terms of a text."""
    return frozenset(terms(text))


def overlap(one: str, other: str) -> float:
    """Return which share of all their words two texts have in common.

    None, if a number differs: "room 12" and "room 13" are two things, however alike they sound.
    """
    here, there = words_of(one), words_of(other)
    if numbers_differ(one, other):
        return 0.0
    return len(here & there) / len(here | there) if here and there else 0.0


def numbers_differ(one: str, other: str) -> bool:
    """Tell whether a text holds a number that the other does not."""
    return any(any(map(str.isdecimal, word)) for word in words_of(one) ^ words_of(other))


def merged_text(texts: Iterable[str]) -> str:
    """Return the longest text, followed by the sentences of the others that it lacks."""
    first, *others = sorted(dict.fromkeys(texts), key=lambda text: (-len(text), text))
    said = [first]
    for sentence in (sentence for other in others for sentence in segments(other)):
        if not words_of(sentence) <= words_of("\n".join(said)):
            said.append(sentence)
    return "\n".join(said)


@dataclass(frozen=True, slots=True)
class Merging:
    """Suggesting and making merges in one agent's memory.

    `alike` returns, for messages, the messages whose vectors are near enough; None without vectors.
    """

    trash: Trash
    clock: Clock
    alike: Alike | None = None

    @property
    def lens(self) -> Lens:
        """Return the lens, which tells how much of a node is left."""
        return self.trash.lens

    # suggesting

    def partners(self, tx: Transaction, found: Sequence[VitalsRecord], at: float) -> dict[int, int]:
        """Return the nodes for which a merge can be suggested, each with its partner."""
        quiet = tx.nodes.texts_of(v.n for v in found if self._is_quiet(v, at))
        alike = self._overlapping(tx, quiet)
        for one, pairs in self._near(tx, quiet).items():
            alike.setdefault(one, []).extend(pairs)
        others = {other for pairs in alike.values() for _, other in pairs}
        able = {v.n for v in self._vitals(tx, others) if self._is_quiet(v, at)}
        best = {n: [(c, -o) for c, o in pairs if o in able] for n, pairs in alike.items()}
        return {n: -max(pairs)[1] for n, pairs in best.items() if pairs}

    def _vitals(self, tx: Transaction, nodes: Collection[int]) -> list[VitalsRecord]:
        return tx.ticks.vitals_of(self.lens.decay(tx), sorted(nodes)) if nodes else []

    def _is_quiet(self, vitals: VitalsRecord, at: float) -> bool:
        if vitals.focused or vitals.kind != "segment":
            return False
        return is_mergeable(Signals.of(vitals), vitals.cold_since, at, self.lens.coefficients)

    def _overlapping(self, tx: Transaction, quiet: Sequence[TextRecord]) -> Pairs:
        """Return, for nodes, their partners by words in common, with the share of words."""
        least, found = self.lens.settings.merge_overlap, dict[int, list[tuple[float, int]]]()
        telling = {one.n: self._telling(one.text) for one in quiet}
        messages = _likely_messages(tx, telling, {one.n: one.message or 0 for one in quiet})
        told = _told(tx, {m for likely in messages.values() for m in likely})
        for one in quiet:
            near = [other for m in messages[one.n] for other in told.get(m, ())]
            common = [
                (overlap(one.text, other.text), other.n)
                for other in _likeliest(telling[one.n], near)
                if other.n != one.n
            ]
            found[one.n] = [pair for pair in common if pair[0] >= least]
        return found

    def _telling(self, text: str) -> list[str]:
        """Return words of which a text that overlaps enough must hold one."""
        wanted = sorted(words_of(text), key=lambda word: (-len(word), word))
        lacking = int(len(wanted) * (1 - self.lens.settings.merge_overlap))
        return wanted[: min(lacking + 1, MOST_WORDS)]

    def _near(self, tx: Transaction, quiet: Sequence[TextRecord]) -> Pairs:
        """Return, for nodes, their partners by meaning, and how near these are.

        A vector of a message speaks for the node if that is the only one its message left.
        """
        if self.alike is None or not quiet:
            return {}
        alone = _alone(tx.nodes.texts_from({one.message for one in quiet if one.message}))
        asked = [one for one in quiet if one.message in alone]
        near = self.alike(tx, [one.message or 0 for one in asked], self._closest())
        others = _alone(tx.nodes.texts_from({m for pairs in near.values() for m, _ in pairs}))
        return {
            one.n: [
                (close, others[m].n)
                for m, close in near.get(one.message or 0, ())
                if m in others and not numbers_differ(one.text, others[m].text)
            ]
            for one in asked
        }

    def _closest(self) -> float:
        return self.lens.settings.merge_closeness

    def suggestions(self, tx: Transaction, limit: int) -> list[MergeSuggestion]:
        """Return the merges that the last tick suggests, oldest nodes first."""
        reading = Reading(tx, self.lens)
        groups = _groups(tx.ticks.merge_marks())
        suggested = (self._suggestion(tx, reading, group) for group in groups)
        return [found for found in suggested if found is not None][:limit]

    def _suggestion(
        self, tx: Transaction, reading: Reading, group: Sequence[LifecycleRecord]
    ) -> MergeSuggestion | None:
        records = [
            r for r in (tx.nodes.get(m.node) for m in group) if r and r.is_alive(tx.passes())
        ]
        if len(records) < 2:
            return None  # one of the nodes went since
        common = [max(overlap(r.text, o.text) for o in records if o.n != r.n) for r in records]
        near = self._near(tx, [TextRecord(r.n, r.message, r.text) for r in records])
        within = {r.n for r in records}
        close = [max((c for c, o in near.get(n, ()) if o in within), default=0.0) for n in within]
        days = min(int(elapsed(mark.cold_since, self.clock()) // DAY) for mark in group)
        most, least = self.lens.settings.merge_max_degree, min(common)
        shared = f"{least:.0%} in common"
        if least < self.lens.settings.merge_overlap and min(close):
            shared += f", {min(close):.0%} alike in meaning"
        reason = f"cold for {days} days, at most {most} links each, {shared}"
        return MergeSuggestion(tuple(map(reading.present, records)), least, reason)

    # merging

    def merge(self, tx: Transaction, ids: Iterable[str]) -> int:
        """Make one node of several; return its number. Raises NotFound and InvalidInput."""
        reading = Reading(tx, self.lens)
        sources = [reading.record(node_id) for node_id in dict.fromkeys(texts(ids, "ids"))]
        if len(sources) < 2:
            raise InvalidInput("a merge takes at least two memories")
        strangers = [r for r in sources if r.kind != "segment"]
        if strangers:
            one = strangers[0]
            raise InvalidInput(f"{name_of(one.n)} is a {one.kind}; only segments are merged")
        with tx.undo.change(journal.Merged, None):
            n = self._join(tx, sources)
        names = [name_of(record.n) for record in sources]
        self.trash.schedule.tell(tx, "merged", node=name_of(n), sources=names)
        return n

    def _join(self, tx: Transaction, sources: Sequence[NodeRecord]) -> int:
        at = self.clock()
        n = self._made_of(tx, sources, at)
        tx.journal.log(journal.Merged(n, tuple(r.n for r in sources)), at)
        self._link(tx, n, sources)
        for record in sources:
            reason = f"{journal.INTO} {name_of(n)}"
            self.trash.forget(tx, record, reason, at, merged_into=n)
        merged = tx.nodes.get(n)
        if merged is not None:
            self.trash.schedule.let_go(tx, merged)
        return n

    def _made_of(self, tx: Transaction, sources: Sequence[NodeRecord], at: float) -> int:
        left: list[Text] = [self.lens.shown(tx, record, tx.passes()) for record in sources]
        text = merged_text(part.content for part in left)
        words = dict.fromkeys(word for part in left for word in part.keywords)
        said = dict.fromkeys(m for record in sources for m in json.loads(record.sources))
        return tx.nodes.add(
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
        """Link a merged node with its sources, and with the nodes they were linked with."""
        passes, within = tx.passes(), {record.n for record in sources}
        for record in sources:
            for link, strength in self.lens.own_links(tx, record, passes):
                if link.target not in within:
                    tx.links.put([LinkRecord(n, link.target, strength, 0, link.relation)])
            for link in tx.links.to(record.n):
                self._lead_here(tx, n, link, within)
            scans = self.lens.scans(record, passes)
            tx.links.put([LinkRecord(n, record.n, 1.0, 0, MERGED)])
            tx.links.put([LinkRecord(record.n, n, 1.0, scans, MERGED)])

    def _lead_here(self, tx: Transaction, n: int, link: LinkRecord, within: set[int]) -> None:
        source, passes = tx.nodes.get(link.source), tx.passes()
        if source is None or link.source in within or not source.is_alive(passes):
            return
        scans = self.lens.scans(source, passes)
        strength = self.lens.strength(link, scans)
        if strength:
            tx.links.put([LinkRecord(link.source, n, strength, scans, link.relation)])
            if source.since_pass is not None:
                self.trash.schedule.let_go(tx, source)


def _likely_messages(
    tx: Transaction, telling: Mapping[int, Sequence[str]], own: Mapping[int, int]
) -> dict[int, list[int]]:
    """Return, for nodes, the messages in which most of their telling words stand.

    Of messages with words said every day, those from about the time of a node are looked at.
    """
    places: dict[str, list[int]] = {}
    found = {}
    for n, words in telling.items():
        votes: Counter[int] = Counter()
        for word in words:
            if word not in places:
                places[word] = [message_at(spot) for spot in tx.index.postings(word, POSTINGS)]
            votes.update(places[word])
        best = sorted(votes, key=lambda message: (-votes[message], abs(message - own[n])))
        found[n] = best[:MOST_MESSAGES]
    return found


@dataclass(frozen=True, slots=True)
class Told:
    """A node that may be a partner: its number, its text, and the text as words are met in it."""

    n: int
    text: str
    folded: str


def _told(tx: Transaction, messages: Collection[int]) -> dict[int, list[Told]]:
    """Return the nodes that messages left, by message."""
    found: dict[int, list[Told]] = {}
    for one in tx.nodes.texts_from(sorted(messages)) if messages else ():
        told = Told(one.n, one.text, one.text.casefold())
        found.setdefault(one.message or 0, []).append(told)
    return found


def _likeliest(words: Iterable[str], near: Sequence[Told]) -> list[Told]:
    """Return the nodes that hold most of some words, judging by their letters alone."""
    met: Counter[int] = Counter()
    for word in words:
        part = word if len(word) < 4 else word[:-1]
        met.update(at for at, other in enumerate(near) if part in other.folded)
    best = sorted(met, key=lambda at: (-met[at], near[at].n))
    return [near[at] for at in best[:MOST_PARTNERS]]


def _alone(texts: Iterable[TextRecord]) -> dict[int, TextRecord]:
    """Return, by message, the nodes that are all their message left."""
    found: dict[int, TextRecord] = {}
    crowded = set()
    for one in texts:
        message = one.message or 0
        if message in found:
            crowded.add(message)
        found[message] = one
    return {message: one for message, one in found.items() if message not in crowded}


def _groups(marks: Sequence[LifecycleRecord]) -> list[list[LifecycleRecord]]:
    """Return the marks of nodes that belong together, because one is the other's partner."""
    known = {mark.node: mark for mark in marks}
    group_of: dict[int, dict[int, None]] = {}
    for mark in marks:
        if mark.merge_with not in known:
            continue  # the node was used since, or is gone
        one = group_of.setdefault(mark.node, {mark.node: None})
        other = group_of.setdefault(mark.merge_with, {mark.merge_with: None})
        if one is not other:
            one.update(other)
            group_of.update(dict.fromkeys(other, one))
    distinct = {id(group): group for group in group_of.values()}.values()
    return [[known[n] for n in sorted(group)] for group in distinct]
