"""Doing a history again, from what the journal says, in a store of its own.

Nothing is decided here. What people did (forget, restore, merge, undo, state a fact), what was
said and how a model digested it, is handed once more to the same rules the live memory goes by;
what followed from it by these rules is not read but follows again. Models are not asked: the texts
they wrote stand in the memories themselves and, where those changed since, in the journal.

There are two ways to do it. A faithful player lets happen what happened, when it happened: a sweep
buries what it buried then. One that plays by other settings does at once, after each pass, what
that pass makes due; what people did to a memory that is not there then cannot be done, and is
counted as skipped.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from wangchuan.erasing.erasure import Erasing
from wangchuan.errors import CannotUndo, InvalidInput, NotFound
from wangchuan.events import Events
from wangchuan.facts.records import AGED, DELETED, REVIEWED, Facts, Learned
from wangchuan.history.past import text_before
from wangchuan.history.undo import Undoing
from wangchuan.ids import name_of
from wangchuan.language.terms import indexed
from wangchuan.lifecycle.merging import Merging
from wangchuan.lifecycle.tick import MERGES, STAGES, Metabolism, settle
from wangchuan.living.lens import settings_by, shortened, stored_text
from wangchuan.living.parts import Living
from wangchuan.living.related import Related
from wangchuan.living.trash import FADED, REUSED
from wangchuan.living.ways import EXTRACTIVE, noted_ways, settings_with
from wangchuan.living.weave import Progress, Weave
from wangchuan.routines.digest import Segment, Window
from wangchuan.settings.fields import Settings, load
from wangchuan.storage import (
    JobRecord,
    JournalRecord,
    MessageRecord,
    NodeRecord,
    Text,
    Transaction,
    journal,
)
from wangchuan.types import BEFORE

SHELL = "□" * 200  # stands for words that are gone; long, so that it does not go by itself
ERASED = "memories were erased: shells without words stand for them, as long as they were there"
LABELS = (journal.Passed.name, journal.Woven.name)  # what ends the entries of one window
MESSAGES = 200  # copied at a time


class Rewoven(Weave):
    """The making of memories once more; what chance decided then is not decided again."""

    def follow(
        self,
        recorded: Progress | None,
        reused: list[JournalRecord],
        at: Callable[[float], None],
        *,
        faithful: bool,
    ) -> None:
        """Take what is known of a window: how the job went, and which memories gave their slot."""
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
        # Only what time went on for or a task held could be chosen; the rest went after the focus
        # had moved.
        for entry in tuple(self._reused):
            record = tx.nodes.get(entry.node or 0)  # read anew: each one that goes moves others
            still = record is not None and record.since_pass is None
            if still and (entry.node in tx.links.focus() or (entry.node or 0) >= before):
                continue
            if record is not None:
                self._reused.remove(entry)
                self._at(entry.at)
                self._trash.forget(tx, record, REUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remerged(Merging):
    """Merging once more; a memory that is still there says what it said, whoever was erased."""

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


class Player:
    """One history, done again."""

    def __init__(
        self,
        live: Transaction,
        tx: Transaction,
        merging: Merging,
        changed: dict[str, Any],
        passed: Callable[[Player], None],
    ) -> None:
        """Read from `live`, write to `tx`; `passed` is called after every pass.

        Without settings that are `changed`, it is faithful to those of `merging`, the live one,
        whose vectors tell what is alike.
        """
        self.live, self.tx, self._changed, self._passed = live, tx, changed, passed
        self._live_alike = merging.alike
        self.faithful, self._now = not changed, 0.0
        self.gaps: Counter[str] = Counter()
        self.made: list[int] = []  # the segments remembered so far
        self.operations = self.skipped = self._said = 0
        self._window: list[JournalRecord] = []
        self._erased: list[JournalRecord] = []
        self._read_ahead()
        self._arrange(*self._first_settings(merging.lens.settings))

    def _arrange(self, settings: Settings, extractive: bool) -> None:
        """Set everything up for settings."""
        clock, events = (lambda: self._now), Events("replay")
        self.settings = load(settings, **self._changed)
        self.living = Living.of(self.settings, clock, events, extractive=extractive)
        self.facts = Facts(self.living.trash, clock)
        alike = self._live_alike  # what the live vectors say: none are made anew
        self.merging = Remerged(
            self.living.trash,
            clock,
            alike and (lambda _, messages, least: alike(self.live, messages, least)),
            words_of=self._merged_words,
            name_of_link=self._relation,
        )
        self.metabolism = Metabolism(self.merging, clock)
        self._erasing = Erasing("replay", self.living.schedule, clock, tuple)
        self._weave = Rewoven(self.living.trash, clock, random.Random(0), lambda _: None)
        self._clock = clock

    def _first_settings(self, settings: Settings) -> tuple[Settings, bool]:
        """Return the settings that held in the beginning."""
        rules, ways = json.loads(self.live.meta.get("rules") or "null"), noted_ways(self.live)
        for _, changed in reversed(list(self.live.journal.each(journal.Settings))):
            ways |= changed.before
        first = next((said.before for _, said in self.live.journal.each(journal.Rules)), rules)
        settings = settings_by(first, settings) if first else settings
        return settings_with(ways, settings), bool(ways.get(EXTRACTIVE, False))

    def _read_ahead(self) -> None:
        """Learn what an entry means by what comes after it."""
        self._follows: dict[int, int] = {}  # a fact, and the one it corrects
        self._inner: set[int] = set()  # what was forgotten only to be restored
        self._texts: dict[int, list[tuple[int, Text]]] = {}  # texts that undoing replaced
        for _, gone in self.live.journal.each(journal.Forgotten):
            if gone.successor is not None:
                self._follows[gone.successor] = gone.node
        for entry, back in self.live.journal.each(journal.Restored):
            if back.unswept:
                earlier = [e for e in self.live.journal.of(back.node) if e.seq < entry.seq]
                kind = journal.Forgotten.name
                self._inner.add(max(e.seq for e in earlier if e.kind == kind))
        for entry, undone in self.live.journal.each(journal.Undone):
            for n, text in undone.before.items():
                self._texts.setdefault(n, []).append((entry.seq, text))

    # going through the journal

    def play(self) -> None:
        """Do everything again, from the first entry to the last."""
        self._copy()
        for entry in self.live.rows.every("entry"):
            self._take(entry)
        self._end_erasure()

    def _copy(self) -> None:
        """Bring what the rules look at: who said what when (not the words), and the jobs."""
        for message in self.live.rows.every("message"):
            self.tx.rows.take_in("message", replace(message, content=""))
        for job in self.live.rows.every("job"):
            if job.kind == "remember":
                self.tx.rows.take_in("job", replace(job, state="done", progress=None))

    def _take(self, entry: JournalRecord) -> None:
        if self._erased and (entry.kind, entry.at) != (journal.Erased.name, self._erased[0].at):
            self._end_erasure()
        if entry.kind == journal.Erased.name and entry.node is not None:
            self._erased.append(entry)
        elif self._window or entry.kind == journal.Remembered.name or entry.kind in LABELS:
            self._window.append(entry)
            if entry.kind in LABELS:
                window, self._window = self._window, []
                self._weave_again(window)
        elif journal.KINDS.get(entry.kind) in _AGAIN:
            self._do(entry)

    def _do(self, entry: JournalRecord) -> None:
        self._now, kind, said = entry.at, journal.KINDS[entry.kind], journal.read(entry)
        blank = isinstance(said, journal.Blank)
        if blank and kind is not journal.Ticked:
            self._note_blank(entry)
        try:
            if not blank or entry.node is not None:  # what happened to no node is not known
                _AGAIN[kind](self, entry, None if blank else said)
        except (NotFound, InvalidInput, CannotUndo):
            self.skipped += 1
        self.operations += 1

    def _note_blank(self, entry: JournalRecord) -> None:
        """Note that an entry no longer tells what it told; of what was erased, that is known."""
        if entry.node is None or self.live.nodes.get(entry.node) is not None:
            self.gaps["entries of the journal no longer say what happened"] += 1

    # remembering

    def _weave_again(self, window: Sequence[JournalRecord]) -> None:
        made = [entry for entry in window if entry.kind == journal.Remembered.name]
        number = self._job_of(window[-1], made)
        self._now = (made or window)[0].at
        self.operations += 1
        if number is None:
            if made:
                self.gaps["windows of messages are not told to whom they belong"] += 1
            self.living.schedule.make_pass(self.tx)
        else:
            self._weave_window(number, made, window)
        self.made += [entry.node for entry in made if entry.node is not None]
        if window[-1].kind == journal.Passed.name:
            self._now = window[-1].at
            self._after_pass()

    def _job_of(self, label: JournalRecord, made: Sequence[JournalRecord]) -> int | None:
        said = journal.read(label)
        if isinstance(said, journal.Passed | journal.Woven):
            return said.job
        self.gaps["passes do not say what made them"] += 1
        nodes = [self.live.nodes.get(entry.node or 0) for entry in made]
        return next((node.job for node in nodes if node is not None), None)

    def _weave_window(
        self, number: int, made: Sequence[JournalRecord], window: Sequence[JournalRecord]
    ) -> None:
        there = self.live.jobs.get(number)
        job = self._begun(number, there)
        recorded = Progress(**json.loads(there.progress)) if there and there.progress else None
        now = (self.tx.links.focus(), self.settings.focus_limit)
        then = (recorded.focus, recorded.limit) if recorded and self.faithful else now
        progress = Progress.of(job, *then)
        told = recorded.focus if recorded else ()
        segments = [self._segment(i, entry, told, progress) for i, entry in enumerate(made)]
        parts = tuple((self._message(entry, job), "") for entry in made)
        last = job.last_message or 0
        final = window[-1].kind == journal.Passed.name
        view = Window(parts or ((_nobody(last), ""),), last + 1 if final else 0, 0)
        reused = [e for e in window if _is_reused(journal.read(e))]
        self._weave.follow(recorded, reused, self._set_time, faithful=self.faithful)
        if made:
            self.tx.nodes.reserve((made[0].node or 1) - 1)
        texts = [] if self.faithful else [segment.text for segment in segments]
        near = self._weave.near(self.tx, job, progress, texts, self.live)
        self._weave.apply(self.tx, job, progress, view, segments, near)

    def _set_time(self, at: float) -> None:
        self._now = at

    def _begun(self, number: int, there: JobRecord | None) -> JobRecord:
        """Return a job as it is being done."""
        job = self.tx.jobs.get(number)
        if job is not None and job.state == "pending":
            return job
        known = there or job
        if known is None:
            known = JobRecord(number, "remember", "", 0, 0, None, None, 0, 0, 0.0, None, number)
        begun = replace(known, state="pending", progress=None, finished_at=None)
        self.tx.jobs.drop(number)
        self.tx.rows.take_in("job", begun)
        return begun

    def _segment(
        self, index: int, entry: JournalRecord, told: Sequence[int], progress: Progress
    ) -> Segment:
        """Return what a digest said, from the memory that was made of it."""
        said = journal.read(entry)
        node = self.live.nodes.get(entry.node or 0)
        if node is None:
            self.gaps[ERASED] += 1
            met = said.related if isinstance(said, journal.Remembered) else ()
            return Segment(index, SHELL, "", (), (None,) * len(progress.focus), met)
        if isinstance(said, journal.Remembered):
            relations, met = said.relations, said.related
        else:
            self._note_blank(entry)
            relations = tuple(self._relation(node.n, n) for n in told)
            met = self._older(node, told)
        if not self.faithful:
            known = dict(zip(told, relations, strict=False))
            relations = tuple(known.get(n) for n in progress.focus)
        first = self._labels(node)
        return Segment(index, node.original, first.phrase, first.keywords, relations, met)

    def _older(self, node: NodeRecord, told: Sequence[int]) -> tuple[tuple[int, str | None], ...]:
        """Return what a node was related to, judging by its links with older nodes."""
        older = [li for li in self.live.links.of(node.n) if li.target < node.n]
        apart = [li for li in older if li.target not in told and li.relation != BEFORE]
        return tuple((link.target, link.relation) for link in apart)

    def _relation(self, source: int, target: int) -> str | None:
        links = self.live.links.of(source)
        return next((link.relation for link in links if link.target == target), None)

    def _labels(self, node: NodeRecord) -> Text:
        """Return the first phrase and keywords of a memory."""
        said = map(journal.read, self.live.journal.of(node.n))
        changes = (one.before for one in said if isinstance(one, journal.Compressed))
        return next(changes, stored_text(node))

    def _message(self, entry: JournalRecord, job: JobRecord) -> MessageRecord:
        """Return the message a memory was cut from, under the id it had."""
        node = self.live.nodes.get(entry.node or 0)
        found = self.live.messages.of([node.message or 0]) if node else []
        message = found[0] if found else _nobody(job.first_message or 0)
        sources = json.loads(node.sources) if node else []
        named = sources and sources[0] != message.public_id
        return replace(message, id=sources[0]) if named else message

    def _after_pass(self) -> None:
        if not self.faithful:
            self._sweep()
        self._passed(self)

    def _sweep(self) -> None:
        """Do what a pass made due; texts only where their length decides what comes next."""
        passes = self.tx.passes()
        while dying := self.tx.nodes.dying(passes, -1):
            for record in dying:
                self.living.trash.forget(self.tx, record, FADED)
        while self.settings.length_base == "current" and (
            due := self.living.sweep.due(self.tx, passes, self.settings.compression_batch_size)
        ):
            for record, text, limit in due:
                self.living.sweep.rewrite(self.tx, record, shortened(text, limit))

    # what happened to memories

    def _record(self, entry: JournalRecord) -> NodeRecord:
        """Return the memory an entry is about, if it is there in this history."""
        record = self.tx.nodes.get(entry.node or 0)
        if record is None:
            raise NotFound("it is not there in this history")
        return record

    def _living(self, entry: JournalRecord) -> NodeRecord:
        record = self._record(entry)
        if record.forgotten_at is not None:
            raise NotFound("it is forgotten in this history")
        return record

    def _compressed(self, entry: JournalRecord, said: journal.Compressed | None) -> None:
        if not self.faithful or said is None or not said.swept:
            return  # it follows from the rules
        text = self._text_after(entry)
        if text is not None:
            self.living.sweep.rewrite(self.tx, self._living(entry), text)

    def _text_after(self, entry: JournalRecord) -> Text | None:
        """Return the text that a rewriting left: what the next one found, or what is there."""
        n = entry.node or 0
        own = [e for e in self.live.journal.of(n) if e.kind != journal.Undone.name]
        texts = [(e.seq, text) for e in own if (text := text_before(journal.read(e), n))]
        texts = [found for found in (*texts, *self._texts.get(n, ())) if found[0] > entry.seq]
        if texts:
            return min(texts)[1]
        node = self.live.nodes.get(n)
        return stored_text(node) if node else None

    def _forgotten(self, entry: JournalRecord, said: journal.Forgotten | None) -> None:
        if said is None or not said.reason:
            there = self.live.nodes.get(entry.node or 0)
            said = journal.forgotten_for(entry.node or 0, (there and there.reason) or FADED)
        if _is_consequence(said) or entry.seq in self._inner:
            return
        reason = said.reason
        if reason == FADED and not self.faithful:
            return
        record = self.tx.nodes.get(entry.node or 0)
        if reason == FADED and (record is None or record.forgotten_at is not None):
            return  # it went when the rules changed
        if reason in (DELETED, REVIEWED) and self.tx.facts.get(entry.node or 0):
            self.facts.delete(self.tx, self._living(entry), reason)
        elif reason == REUSED and not self.faithful:
            return
        else:
            self.living.trash.forget(self.tx, self._living(entry), reason)

    def _restored(self, entry: JournalRecord, _: object) -> None:
        self.living.trash.restore(self.tx, self._record(entry))

    def _merged(self, entry: JournalRecord, said: journal.Merged | None) -> None:
        n = entry.node or 0
        sources = said.sources if said else self._merged_then(entry)
        self.tx.nodes.reserve(n - 1)
        self.merging.merge(self.tx, [name_of(source) for source in sources])
        self.made.append(n)

    def _merged_then(self, entry: JournalRecord) -> Iterator[int]:
        """Return what a memory was made of that was erased since: what went with its making."""
        for later in self.live.journal.after(entry.seq, journal.Forgotten.name):
            if later.at != entry.at:
                return
            said = journal.read(later)
            if not isinstance(said, journal.Forgotten) or said.merged_into == entry.node:
                yield later.node or 0

    def _merged_words(self, n: int) -> NodeRecord | None:
        """Return a merged memory as it was when it was made, if it is still there."""
        node = self.live.nodes.get(n)
        if node is None or not self.faithful:
            return None
        first = self._labels(node)
        words = json.dumps(first.keywords, ensure_ascii=False)
        node = replace(node, content=None, phrase=first.phrase, keywords=words, scans=0, waited=0)
        node = replace(node, kept=0, since_pass=None, fade_at=None, due_at=None, die_at=None)
        return replace(node, forgotten_at=None, reason=None)

    def _undone(self, _: JournalRecord, said: journal.Undone | None) -> None:
        seq = self._same_entry(said.seq if said else 0)
        Undoing(self.tx, self.living.schedule, self._clock).undo(seq)

    def _same_entry(self, seq: int) -> int:
        """Return the number that an entry of the live journal has in this one."""
        entry = self.live.journal.get(seq)
        if entry is None or entry.node is None:
            raise NotFound("the journal no longer says what was undone")
        there = [e.seq for e in self.live.journal.of(entry.node) if e.kind == entry.kind]
        here = [e.seq for e in self.tx.journal.of(entry.node) if e.kind == entry.kind]
        if not here:
            raise NotFound("it did not happen in this history")
        return here[min(there.index(seq), len(here) - 1)]

    def _end_erasure(self) -> None:
        if self._erased:
            self._now, numbers = self._erased[0].at, [e.node or 0 for e in self._erased]
            self._erased = []
            self.operations += 1
            self._erasing.remove_nodes(self.tx, numbers)

    # facts

    def _learned(self, entry: JournalRecord, said: journal.Learned | None) -> None:
        n = entry.node or 0
        learned = self._what_was_learned(entry, said)
        self.tx.nodes.reserve(n - 1)
        corrected = self.tx.nodes.get(self._follows.get(n, 0))
        if corrected is not None:
            self.facts.supersede(self.tx, corrected, learned)
        else:
            self.facts.add(self.tx, learned)

    def _what_was_learned(self, entry: JournalRecord, said: journal.Learned | None) -> Learned:
        n = entry.node or 0
        node, fact = self.live.nodes.get(n), self.live.facts.get(n)
        kind = said.kind if said else node.kind if node and fact else "fact"
        source, verified = (said.source, said.verified) if said else ("background_ai", False)
        if node is None or fact is None:  # it was erased, or its learning undone
            if self.live.tombstones.is_erased("node", name_of(n)):
                self.gaps[ERASED] += 1
            return Learned(SHELL, source=source, verified=verified, kind=kind)
        since = None if node.created_at == entry.at else node.created_at
        evidence = tuple(self.live.facts.evidence_of(n))
        return Learned(node.original, fact.topic, evidence, source, verified, kind, since)

    def _promoted(self, entry: JournalRecord, said: journal.Promoted | None) -> None:
        if said is None or said.reason == REVIEWED:
            self.facts.promote(self.tx, self._living(entry))

    def _aged(self, _: JournalRecord, said: journal.Aged) -> None:
        first, last = said.nodes
        found = self.tx.facts.after(first - 1, -1)
        self.facts.age(self.tx, [r for r in found if r.n <= last], reviewed=said.reviewed)

    # settings, tasks, ticks

    def _ruled(self, _: JournalRecord, said: journal.Rules) -> None:
        before = self.living.schedule.noted_rules()
        self._arrange(settings_by(said.after, self.settings), self.living.lens.extractive)
        if self.living.schedule.noted_rules() != before:
            self.living.trash.adopt(self.tx, before)

    def _set(self, _: JournalRecord, said: journal.Settings) -> None:
        extractive = bool(said.after.get(EXTRACTIVE, self.living.lens.extractive))
        self._arrange(settings_with(said.after, self.settings), extractive)

    def _task(self, _: JournalRecord, said: journal.Task) -> None:
        tasks = self.living.tasks
        change = tasks.begin if said.open else tasks.end
        change(self.tx, said.where)

    def _touched(self, _: JournalRecord, said: journal.Touched) -> None:
        self.living.tasks.touch(self.tx, said.nodes)

    def _spared(self, _: JournalRecord, said: journal.Spared) -> None:
        if self.faithful:
            self.living.sweep.spare(self.tx, said.nodes)

    def _released(self, _: JournalRecord, said: journal.Released) -> None:
        here = [record for n in said.nodes if (record := self.tx.nodes.get(n))]
        held = [r.n for r in here if r.since_pass is None and r.n not in self.tx.links.focus()]
        self.living.tasks.let_go(self.tx, held)

    def _ticking(self, _: JournalRecord, said: journal.Ticking) -> None:
        self.tx.signals.put(said.seen)
        if self.faithful and said.stage:
            self._listen(said.stage, said.said)
            settle(self.tx, self.metabolism.piece(self.tx, said.stage, said.after, said.at))

    def _ticked(self, _: JournalRecord, said: journal.Ticked) -> None:
        if self.faithful:
            return
        for stage in STAGES:
            self._listen(stage, said.said)
            after, more = 0, True
            while more:
                piece = self.metabolism.piece(self.tx, stage, after, said.at)
                settle(self.tx, piece)
                more = not piece.is_last()
                after = piece.found[-1].n if more else 0

    def _listen(self, stage: str, upto: int) -> None:
        """Put what had been said by then into the full text, through which partners are found."""
        while stage == MERGES and self._said < upto:
            last = min(upto, self._said + MESSAGES)
            for message in self.live.messages.between(self._said + 1, last):
                if not message.content:
                    self.gaps["messages have lost their words; merges may be missed"] += 1
                self.tx.index.add(message, indexed(message.content))
            self._said = last


def _fact(name: str) -> Callable[[Player, JournalRecord, Any], None]:
    """Return how something is done to a fact once more, by the name of what does it."""

    def again(player: Player, entry: JournalRecord, _: object) -> None:
        getattr(player.facts, name)(player.tx, player._living(entry))

    return again


# How each kind of entry is done again, with what the entry says (None: it is blank).
_AGAIN: dict[type[journal.Happened], Callable[[Player, JournalRecord, Any], None]] = {
    journal.Compressed: Player._compressed,
    journal.Forgotten: Player._forgotten,
    journal.Restored: Player._restored,
    journal.Merged: Player._merged,
    journal.Undone: Player._undone,
    journal.Learned: Player._learned,
    journal.Boosted: _fact("boost"),
    journal.Revived: _fact("revive"),
    journal.Refreshed: _fact("refresh"),
    journal.Verified: _fact("verify"),
    journal.Kept: _fact("keep"),
    journal.Undecided: _fact("leave_undecided"),
    journal.Promoted: Player._promoted,
    journal.Aged: Player._aged,
    journal.Rules: Player._ruled,
    journal.Settings: Player._set,
    journal.Task: Player._task,
    journal.Touched: Player._touched,
    journal.Released: Player._released,
    journal.Spared: Player._spared,
    journal.Ticking: Player._ticking,
    journal.Ticked: Player._ticked,
}


def _is_reused(said: journal.Happened | journal.Blank) -> bool:
    return isinstance(said, journal.Forgotten) and said.reason == REUSED


def _is_consequence(said: journal.Forgotten) -> bool:
    """Tell whether forgetting followed from another entry: ageing, correcting or merging."""
    instead = (said.successor, said.merged_into)
    return said.reason == AGED or instead != (None, None)


def _nobody(seq: int) -> MessageRecord:
    return MessageRecord(seq, None, "", None, "", None)
