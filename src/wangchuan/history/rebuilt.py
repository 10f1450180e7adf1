"""A rebuilt memory: a store of its own, and the rules with the settings that held then.

The rules are those of the live memory. Two of them are told what they cannot find out again:
weaving, which nodes gave their slots; merging, the text of a merged node whose sources were erased.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from wangchuan.erasing.erasure import Erasing
from wangchuan.errors import NotFound
from wangchuan.events import Events
from wangchuan.facts.records import Facts
from wangchuan.lifecycle.merging import Merging
from wangchuan.lifecycle.tick import Metabolism
from wangchuan.living.lens import settings_by, stored_text
from wangchuan.living.parts import Living
from wangchuan.living.related import Related
from wangchuan.living.trash import REUSED
from wangchuan.living.ways import EXTRACTIVE, noted_ways, settings_with
from wangchuan.living.weave import Progress, Weave
from wangchuan.routines.digest import Segment
from wangchuan.settings.fields import Settings, load
from wangchuan.storage import JournalRecord, NodeRecord, Text, Transaction, journal

SHELL = "□" * 200  # stands for erased words; so long that it does not fade away at once
ERASED = "memories were erased: shells without words stand for them, as long as they were there"


class Rewoven(Weave):
    """The weaving of a replay: choices that were made by chance are taken from the journal."""

    def follow(
        self,
        recorded: Progress | None,
        reused: list[JournalRecord],
        at: Callable[[float], None],
        *,
        faithful: bool,
    ) -> None:
        """Set what the journal knows of a window: its job, and which nodes gave their slots."""
        self._recorded = recorded if faithful else None
        self._reused, self._at, self._faithful = reused, at, faithful

    def _mentioned(
        self, tx: Transaction, progress: Progress, segments: list[Segment]
    ) -> tuple[int, ...]:
        if self._recorded is None:
            return super()._mentioned(tx, progress, segments)
        return self._recorded.mentioned

    def _related(
        self, tx: Transaction, segment: Segment, near: Related
    ) -> list[tuple[NodeRecord, str | None]]:
        if not self._faithful:
            return super()._related(tx, segment, near)
        return [(r, name) for n, name in segment.related if (r := tx.nodes.get(n))]

    def _free_slots(self, tx: Transaction, before: int) -> None:
        if self._recorded is None:
            super()._free_slots(tx, before)
            return
        # A node in focus, or made since, could not be chosen yet: it went after the focus had
        # moved on.
        for entry in tuple(self._reused):
            record = tx.nodes.get(entry.node or 0)  # read anew: forgetting one node moves others
            still = record is not None and record.since_pass is None
            if still and (entry.node in tx.links.focus() or (entry.node or 0) >= before):
                continue
            if record is not None:
                self._reused.remove(entry)
                self._at(entry.at)
                self._trash.forget(tx, record, REUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remerged(Merging):
    """The merging of a replay: a merged node takes its text and link names from the live memory.

    Its sources may have been erased since, so that the rules could not find the text again.
    """

    words_of: Callable[[int], NodeRecord | None]
    name_of_link: Callable[[int, int], str | None]

    def _made_of(self, tx: Transaction, sources: Sequence[NodeRecord], at: float) -> int:
        n = super(Remerged, self)._made_of(tx, sources, at)
        made, told = tx.nodes.get(n), self.words_of(n)
        if made is not None and told is not None and made != told:
            tx.undo.put_row("node", (n,), asdict(told))
        return n

    def _link(self, tx: Transaction, n: int, sources: Sequence[NodeRecord]) -> None:
        super(Remerged, self)._link(tx, n, sources)
        for link in [*tx.links.of(n), *tx.links.to(n)]:
            name = self.name_of_link(link.source, link.target)
            if link.relation is None and name is not None:
                row = asdict(replace(link, relation=name))
                tx.undo.put_row("link", (link.source, link.target), row)


class Rebuilt:
    """The memory in which a history is done again, beside the live one."""

    def __init__(
        self, live: Transaction, tx: Transaction, merging: Merging, changed: dict[str, Any]
    ) -> None:
        """Read from `live`, write to `tx`.

        With no `changed` settings, the replay is faithful: it goes by the settings of the live
        memory. `merging` is the live one; its vectors tell which nodes are alike.
        """
        self.live, self.tx, self._changed = live, tx, changed
        self._live_alike = merging.alike
        self.faithful, self.now = not changed, 0.0
        self.gaps: Counter[str] = Counter()
        self.made: list[int] = []  # the segments remembered so far
        self.operations = self.skipped = self.said = 0  # said: messages indexed
        self._read_ahead()
        self.arrange(*self._first_settings(merging.lens.settings))

    def arrange(self, settings: Settings, extractive: bool) -> None:
        """Set up the rules for the settings that hold from here on."""
        clock, events = (lambda: self.now), Events("replay")
        self.settings = load(settings, **self._changed)
        self.living = Living.of(self.settings, clock, events, extractive=extractive)
        self.facts = Facts(self.living.trash, clock)
        alike = self._live_alike  # by the live vectors: none are made anew
        self.merging = Remerged(
            self.living.trash,
            clock,
            alike and (lambda _, messages, least: alike(self.live, messages, least)),
            words_of=self._merged_words,
            name_of_link=self.relation,
        )
        self.metabolism = Metabolism(self.merging, clock)
        self.erasing = Erasing("replay", self.living.schedule, clock, tuple)
        self.weave = Rewoven(self.living.trash, clock, random.Random(0), lambda _: None)
        self.clock = clock

    def _first_settings(self, settings: Settings) -> tuple[Settings, bool]:
        """Return the settings that held in the beginning."""
        rules, ways = json.loads(self.live.meta.get("rules") or "null"), noted_ways(self.live)
        for _, changed in reversed(list(self.live.journal.each(journal.Settings))):
            ways |= changed.before
        first = next((said.before for _, said in self.live.journal.each(journal.Rules)), rules)
        settings = settings_by(first, settings) if first else settings
        return settings_with(ways, settings), bool(ways.get(EXTRACTIVE, False))

    def _read_ahead(self) -> None:
        """Read the entries that tell something about earlier entries."""
        self.follows: dict[int, int] = {}  # a fact, and the fact it corrects
        self.inner: set[int] = set()  # entries that are part of a restoring
        self.texts: dict[int, list[tuple[int, Text]]] = {}  # texts that undoing replaced
        for _, gone in self.live.journal.each(journal.Forgotten):
            if gone.successor is not None:
                self.follows[gone.successor] = gone.node
        for entry, back in self.live.journal.each(journal.Restored):
            if back.unswept:
                earlier = [e for e in self.live.journal.of(back.node) if e.seq < entry.seq]
                kind = journal.Forgotten.name
                self.inner.add(max(e.seq for e in earlier if e.kind == kind))
        for entry, undone in self.live.journal.each(journal.Undone):
            for n, text in undone.before.items():
                self.texts.setdefault(n, []).append((entry.seq, text))

    def note_blank(self, entry: JournalRecord) -> None:
        """Count a blank entry as a gap, unless its node was erased."""
        if entry.node is None or self.live.nodes.get(entry.node) is not None:
            self.gaps["entries of the journal no longer say what happened"] += 1

    # what the live memory tells of a node

    def labels(self, node: NodeRecord) -> Text:
        """Return the first phrase and keywords of a node."""
        said = map(journal.read, self.live.journal.of(node.n))
        changes = (one.before for one in said if isinstance(one, journal.Compressed))
        return next(changes, stored_text(node))

    def relation(self, source: int, target: int) -> str | None:
        """Return the name of a link."""
        links = self.live.links.of(source)
        return next((link.relation for link in links if link.target == target), None)

    def _merged_words(self, n: int) -> NodeRecord | None:
        """Return a merged node as it was when it was made, if it is still there."""
        node = self.live.nodes.get(n)
        if node is None or not self.faithful:
            return None
        first = self.labels(node)
        words = json.dumps(first.keywords, ensure_ascii=False)
        node = replace(node, content=None, phrase=first.phrase, keywords=words, scans=0, waited=0)
        node = replace(node, kept=0, since_pass=None, fade_at=None, due_at=None, die_at=None)
        return replace(node, forgotten_at=None, reason=None)

    # what is here

    def record(self, entry: JournalRecord) -> NodeRecord:
        """Return the node an entry is about, if it is there in this history."""
        record = self.tx.nodes.get(entry.node or 0)
        if record is None:
            raise NotFound("it is not there in this history")
        return record

    def alive(self, entry: JournalRecord) -> NodeRecord:
        """Return the node an entry is about, if it is not forgotten in this history."""
        record = self.record(entry)
        if record.forgotten_at is not None:
            raise NotFound("it is forgotten in this history")
        return record
