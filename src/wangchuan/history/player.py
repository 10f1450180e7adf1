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
from wangchuan.facts.records import AGED, CORRECTED, DELETED, REVIEWED, Facts, Learned
from wangchuan.history.undo import Undoing
from wangchuan.ids import name_of
from wangchuan.language.terms import indexed
from wangchuan.lifecycle.merging import INTO, Merging
from wangchuan.lifecycle.tick import MERGES, STAGES, Metabolism, settle
from wangchuan.living.lens import Text, settings_by, stored_text
from wangchuan.living.parts import Living
from wangchuan.living.trash import FADED, REUSED
from wangchuan.living.ways import ENTRY, EXTRACTIVE, noted_ways, settings_with
from wangchuan.living.weave import Progress, Weave
from wangchuan.routines.digest import Segment, Window
from wangchuan.settings.fields import Settings, load
from wangchuan.storage import (
    JobRecord,
    JournalRecord,
    MessageRecord,
    NodeRecord,
    SignalsRecord,
    Transaction,
)

SHELL = "□" * 200  # stands for words that are gone; long, so that it does not go by itself
ERASED = "memories were erased: shells without words stand for them, as long as they were there"
LABELS = ("passed", "woven")  # what ends the entries of one window
CONSEQUENCES = (AGED, CORRECTED, INTO)  # how reasons begin that follow from another entry
MESSAGES = 200  # copied at a time
Detail = dict[str, Any]


class Rewoven(Weave):
    """The making of memories once more; what chance decided then is not decided again."""

    def follow(
        self, recorded: Progress | None, reused: list[JournalRecord], at: Callable[[float], None]
    ) -> None:
        """Take what is known of a window: how the job went, and which memories gave their slot."""
        self._recorded, self._reused, self._at = recorded, reused, at

    def _mentioned(
        self, tx: Transaction, progress: Progress, segments: list[Segment]
    ) -> tuple[int, ...]:
        if self._recorded is None:
            return super()._mentioned(tx, progress, segments)
        return self._recorded.mentioned

    def _free_slots(self, tx: Transaction) -> None:
        if self._recorded is None:
            super()._free_slots(tx)
            return
        # Only what time went on for could be chosen; the rest went after the focus had moved.
        for entry in tuple(self._reused):
            record = tx.nodes.get(entry.node or 0)  # read anew: each one that goes moves others
            if record is not None and record.since_pass is not None:
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
        changed: Detail,
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
        self._weave = Rewoven(self.living.trash, clock, events, random.Random(0), lambda _: None)
        self._clock = clock

    def _first_settings(self, settings: Settings) -> tuple[Settings, bool]:
        """Return the settings that held in the beginning."""
        rules, ways = json.loads(self.live.meta.get("rules") or "null"), noted_ways(self.live)
        for entry in reversed(self.live.journal.after(0, ENTRY)):
            ways |= json.loads(entry.detail).get("before", {})
        told = [json.loads(entry.detail) for entry in self.live.journal.after(0, "rules")]
        first = next((detail["before"] for detail in told if "before" in detail), rules)
        settings = settings_by(first, settings) if first else settings
        return settings_with(ways, settings), bool(ways.get(EXTRACTIVE, False))

    def _read_ahead(self) -> None:
        """Learn what an entry means by what comes after it."""
        self._follows: dict[int, int] = {}  # a fact, and the one it corrects
        self._inner: set[int] = set()  # what was forgotten only to be restored
        self._texts: dict[int, list[tuple[int, list[Any]]]] = {}  # texts that undoing replaced
        last: dict[int, int] = {}
        for entry in self.live.journal.after(0, "forgotten"):
            reason = str(json.loads(entry.detail).get("reason") or "")
            if reason.startswith(CORRECTED) and entry.node is not None:
                self._follows[int(reason.rpartition("_")[2])] = entry.node
        for entry in self.live.journal.after(0, "restored"):
            if json.loads(entry.detail).get("unswept") and entry.node is not None:
                earlier = [e for e in self.live.journal.of(entry.node) if e.seq < entry.seq]
                last[entry.seq] = max(e.seq for e in earlier if e.kind == "forgotten")
        self._inner = set(last.values())
        for entry in self.live.journal.after(0, "undone"):
            for n, text in json.loads(entry.detail).get("before", {}).items():
                self._texts.setdefault(int(n), []).append((entry.seq, text))

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
        if self._erased and (entry.kind, entry.at) != ("erased", self._erased[0].at):
            self._end_erasure()
        if entry.kind == "erased" and entry.node is not None:
            self._erased.append(entry)
        elif self._window or entry.kind == "remembered" or entry.kind in LABELS:
            self._window.append(entry)
            if entry.kind in LABELS:
                window, self._window = self._window, []
                self._weave_again(window)
        elif entry.kind in _KINDS:
            self._do(entry)

    def _do(self, entry: JournalRecord) -> None:
        self._now = entry.at
        try:
            detail = json.loads(entry.detail)
            if not detail and entry.kind in _TELLING:
                self._note_blank(entry)
            _KINDS[entry.kind](self, entry, detail)
        except (NotFound, InvalidInput, CannotUndo):
            self.skipped += 1
        self.operations += 1

    def _note_blank(self, entry: JournalRecord) -> None:
        """Note that an entry no longer tells what it told; of what was erased, that is known."""
        if entry.node is None or self.live.nodes.get(entry.node) is not None:
            self.gaps["entries of the journal no longer say what happened"] += 1

    # remembering

    def _weave_again(self, window: Sequence[JournalRecord]) -> None:
        made = [entry for entry in window if entry.kind == "remembered"]
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
        if window[-1].kind == "passed":
            self._now = window[-1].at
            self._after_pass()

    def _job_of(self, label: JournalRecord, made: Sequence[JournalRecord]) -> int | None:
        told = json.loads(label.detail)
        if "job" in told:
            number: int | None = told["job"]
            return number
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
        final = window[-1].kind == "passed"
        view = Window(parts or ((_nobody(last), ""),), last + 1 if final else 0, 0)
        reused = [e for e in window if e.kind == "forgotten" and _reason(e) == REUSED]
        self._weave.follow(recorded if self.faithful else None, reused, self._set_time)
        if made:
            self.tx.nodes.reserve((made[0].node or 1) - 1)
        self._weave.apply(self.tx, job, progress, view, segments)

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
        relations = json.loads(entry.detail).get("relations")
        node = self.live.nodes.get(entry.node or 0)
        if node is None:
            self.gaps[ERASED] += 1
            return Segment(index, SHELL, "", (), (None,) * len(progress.focus))
        if relations is None:
            self._note_blank(entry)
            relations = [self._relation(node.n, n) for n in told]
        if not self.faithful:
            known = dict(zip(told, relations, strict=False))
            relations = [known.get(n) for n in progress.focus]
        first = self._labels(node)
        return Segment(index, node.original, first.phrase, first.keywords, tuple(relations))

    def _relation(self, source: int, target: int) -> str | None:
        links = self.live.links.of(source)
        return next((link.relation for link in links if link.target == target), None)

    def _labels(self, node: NodeRecord) -> Text:
        """Return the first phrase and keywords of a memory."""
        for entry in self.live.journal.of(node.n):
            before = json.loads(entry.detail).get("before") if entry.kind == "compressed" else None
            if before:
                return _text(before)
        return stored_text(node)

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
            due := self.living.sweep.due(self.tx, passes)
        ):
            for record, _, _ in due:
                self.living.sweep.rewrite(
                    self.tx, record, self.living.lens.shown(self.tx, record, passes)
                )

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

    def _compressed(self, entry: JournalRecord, detail: Detail) -> None:
        if not self.faithful or not detail.get("swept"):
            return  # it follows from the rules
        text = self._text_after(entry)
        if text is not None:
            self.living.sweep.rewrite(self.tx, self._living(entry), text)

    def _text_after(self, entry: JournalRecord) -> Text | None:
        """Return the text that a rewriting left: what the next one found, or what is there."""
        n = entry.node or 0
        later = [(e.seq, _before(e)) for e in self.live.journal.of(n) if e.seq > entry.seq]
        later += [found for found in self._texts.get(n, ()) if found[0] > entry.seq]
        for _, before in sorted(later, key=lambda found: found[0]):
            if before:
                return _text(before)
        node = self.live.nodes.get(n)
        return stored_text(node) if node else None

    def _forgotten(self, entry: JournalRecord, detail: Detail) -> None:
        there = self.live.nodes.get(entry.node or 0)
        reason = str(detail.get("reason") or (there.reason if there else "") or FADED)
        if reason.startswith(CONSEQUENCES) or entry.seq in self._inner:
            return
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

    def _restored(self, entry: JournalRecord, _: Detail) -> None:
        record = self._record(entry)
        if record.is_alive(self.tx.passes()):
            raise NotFound("it is not forgotten in this history")
        self.living.trash.restore(self.tx, record)

    def _merged(self, entry: JournalRecord, detail: Detail) -> None:
        n = entry.node or 0
        sources = detail.get("sources") or list(self._merged_then(entry))
        self.tx.nodes.reserve(n - 1)
        self.merging.merge(self.tx, [name_of(source) for source in sources])
        self.made.append(n)

    def _merged_then(self, entry: JournalRecord) -> Iterator[int]:
        """Return what a memory was made of that was erased since: what went with its making."""
        for later in self.live.journal.after(entry.seq, "forgotten"):
            if later.at != entry.at:
                return
            if _reason(later) in ("", f"{INTO} {name_of(entry.node or 0)}"):
                yield later.node or 0

    def _merged_words(self, n: int) -> NodeRecord | None:
        """Return a merged memory as it was when it was made, if it is still there."""
        node = self.live.nodes.get(n)
        if node is None or not self.faithful:
            return None
        first = self._labels(node)
        words = json.dumps(first.keywords, ensure_ascii=False)
        node = replace(node, content=None, phrase=first.phrase, keywords=words, scans=0, kept=0)
        node = replace(node, since_pass=None, fade_at=None, due_at=None, die_at=None)
        return replace(node, forgotten_at=None, reason=None)

    def _undone(self, _: JournalRecord, detail: Detail) -> None:
        seq = self._same_entry(int(detail.get("seq", 0)))
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

    def _learned(self, entry: JournalRecord, detail: Detail) -> None:
        n = entry.node or 0
        learned = self._what_was_learned(entry, detail)
        self.tx.nodes.reserve(n - 1)
        corrected = self.tx.nodes.get(self._follows.get(n, 0))
        if corrected is not None:
            self.facts.supersede(self.tx, corrected, learned)
        else:
            self.facts.add(self.tx, learned)

    def _what_was_learned(self, entry: JournalRecord, detail: Detail) -> Learned:
        n = entry.node or 0
        node, fact = self.live.nodes.get(n), self.live.facts.get(n)
        kind, source = detail.get("kind", "fact"), detail.get("source", "background_ai")
        verified = bool(detail.get("verified"))
        if node is None or fact is None:  # it was erased, or its learning undone
            if self.live.tombstones.is_erased("node", name_of(n)):
                self.gaps[ERASED] += 1
            return Learned(SHELL, source=source, verified=verified, kind=kind)
        since = None if node.created_at == entry.at else node.created_at
        evidence = tuple(self.live.facts.evidence_of(n))
        kind = detail.get("kind", node.kind)
        return Learned(node.original, fact.topic, evidence, source, verified, kind, since)

    def _promoted(self, entry: JournalRecord, detail: Detail) -> None:
        if detail.get("reason", REVIEWED) == REVIEWED:
            self.facts.promote(self.tx, self._living(entry))

    def _aged(self, _: JournalRecord, detail: Detail) -> None:
        first, last = detail.get("nodes", (1, 0))
        found = self.tx.facts.after(first - 1, -1)
        reviewed = bool(detail.get("reviewed"))
        self.facts.age(self.tx, [r for r in found if r.n <= last], reviewed=reviewed)

    # settings, tasks, ticks

    def _ruled(self, _: JournalRecord, detail: Detail) -> None:
        if "after" not in detail:
            return
        before = self.living.schedule.noted_rules()
        self._arrange(settings_by(detail["after"], self.settings), self.living.lens.extractive)
        if self.living.schedule.noted_rules() != before:
            self.living.trash.adopt(self.tx, before)

    def _set(self, _: JournalRecord, detail: Detail) -> None:
        after = detail.get("after", {})
        extractive = bool(after.get(EXTRACTIVE, self.living.lens.extractive))
        self._arrange(settings_with(after, self.settings), extractive)

    def _task(self, _: JournalRecord, detail: Detail) -> None:
        if "where" in detail:
            tasks = self.living.tasks
            change = tasks.begin if detail["open"] else tasks.end
            change(self.tx, detail["where"])

    def _spared(self, _: JournalRecord, detail: Detail) -> None:
        if self.faithful:
            self.living.sweep.spare(self.tx, detail.get("nodes", ()))

    def _released(self, _: JournalRecord, detail: Detail) -> None:
        here = [record for n in detail.get("nodes", ()) if (record := self.tx.nodes.get(n))]
        held = [r.n for r in here if r.since_pass is None and r.n not in self.tx.links.focus()]
        self.living.tasks.let_go(self.tx, held)

    def _ticking(self, _: JournalRecord, detail: Detail) -> None:
        self.tx.signals.put(SignalsRecord(*seen) for seen in detail.get("seen", ()))
        if self.faithful and "stage" in detail:
            self._listen(detail["stage"], detail["said"])
            piece = self.metabolism.piece(self.tx, detail["stage"], detail["after"], detail["at"])
            settle(self.tx, piece)

    def _ticked(self, _: JournalRecord, detail: Detail) -> None:
        if self.faithful or "at" not in detail:
            return
        for stage in STAGES:
            self._listen(stage, detail["said"])
            after, more = 0, True
            while more:
                piece = self.metabolism.piece(self.tx, stage, after, detail["at"])
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


def _fact(name: str) -> Callable[[Player, JournalRecord, Detail], None]:
    """Return how something is done to a fact once more, by the name of what does it."""

    def again(player: Player, entry: JournalRecord, _: Detail) -> None:
        getattr(player.facts, name)(player.tx, player._living(entry))

    return again


def _touched(player: Player, _: JournalRecord, detail: Detail) -> None:
    player.living.tasks.touch(player.tx, detail.get("nodes", ()))


_KINDS: dict[str, Callable[[Player, JournalRecord, Detail], None]] = {
    "compressed": Player._compressed,
    "forgotten": Player._forgotten,
    "restored": Player._restored,
    "merged": Player._merged,
    "undone": Player._undone,
    "learned": Player._learned,
    "boosted": _fact("boost"),
    "revived": _fact("revive"),
    "verified": _fact("verify"),
    "kept": _fact("keep"),
    "undecided": _fact("leave_undecided"),
    "promoted": Player._promoted,
    "aged": Player._aged,
    "rules": Player._ruled,
    ENTRY: Player._set,
    "task": Player._task,
    "touched": _touched,
    "released": Player._released,
    "spared": Player._spared,
    "ticking": Player._ticking,
    "ticked": Player._ticked,
}
_TELLING = frozenset(_KINDS) - {"ticked"}  # kinds whose detail is never empty


def _reason(entry: JournalRecord) -> str:
    return str(json.loads(entry.detail).get("reason") or "")


def _before(entry: JournalRecord) -> list[Any] | None:
    """Return the text that an entry about one memory replaced."""
    if entry.kind not in ("compressed", "restored"):
        return None
    found: list[Any] | None = json.loads(entry.detail).get("before")
    return found


def _text(noted: list[Any]) -> Text:
    return Text(noted[0], noted[1], tuple(noted[2]))


def _nobody(seq: int) -> MessageRecord:
    return MessageRecord(seq, None, "", None, "", None)
