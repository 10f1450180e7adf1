"""What time does to memories.

A pass is one step of the network's clock, and making one costs the same however much is
remembered: strengths and scan counts follow from the number of passes. What a pass changes for a
memory is known beforehand. When a memory is let go by the focus, `schedule` notes in which passes
it will start to fade, be due for rewriting and be forgotten. Whoever reads it in between is shown
the text at exactly the length the rules leave it (`shown`); `sweep` then does for good, a bounded
number at a time, what the passes made due: dead memories go to the trash, and texts are rewritten
by the model once their target has fallen far enough to be worth it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.events import Events
from wangchuan.jobs.lanes import Plan
from wangchuan.language.fit import fit
from wangchuan.language.text import phrase as phrase_of
from wangchuan.language.tokens import tokens
from wangchuan.network.fading import Fade, Rules, decayed, scan_order
from wangchuan.routines import compress
from wangchuan.settings.fields import Settings, load
from wangchuan.storage import Decay, JobRecord, LinkRecord, NodeRecord, Store, Transaction
from wangchuan.types import REMINDED, Clock

KEPT_PASSES = 5  # after so many, a model that failed on a text is asked again
SWEEP_CHUNK = 25  # memories per transaction, so that callers never wait long for the writer
TASKS, RELEASE = "tasks", "release"  # the note of open tasks; the job that lets go what they held
FADED, REQUESTED, REUSED = "faded", "on request", "slot reused"


@dataclass(frozen=True, slots=True)
class Text:
    """What is left of a memory."""

    content: str
    phrase: str
    keywords: tuple[str, ...]


def name_of(n: int) -> str:
    """Return the public id of a memory."""
    return f"mem_{n}"


def rules_of(settings: Settings) -> Rules:
    """Return the fading rules of the settings."""
    return Rules(
        decay_rate=settings.decay_rate,
        break_threshold=settings.link_break_threshold,
        delete_threshold=settings.delete_threshold,
        length_base=settings.length_base,
    )


def settings_by(noted: dict[str, Any], settings: Settings) -> Settings:
    """Return settings with the rules that were noted (see `Upkeep.noted_rules`)."""
    values = dict(noted)
    values["link_break_threshold"] = values.pop("break_threshold")
    return load(settings, **values)


def stored_text(record: NodeRecord) -> Text:
    """Return the text of a memory as it is stored."""
    return Text(record.text, record.phrase, tuple(json.loads(record.keywords)))


class Upkeep:
    """The work of time on one agent's memory."""

    def __init__(
        self, settings: Settings, clock: Clock, events: Events, *, extractive: bool
    ) -> None:
        """Take the settings; `extractive` says that the model only leaves words out."""
        self.settings, self.rules, self.extractive = settings, rules_of(settings), extractive
        self._clock, self._events = clock, events

    # rules that changed

    def noted_rules(self) -> dict[str, object]:
        """Return the rules by which schedules are made, as plain data to compare."""
        names = ("compression_step", "dangling_counts", "focus_limit")
        return {**asdict(self.rules), **{name: getattr(self.settings, name) for name in names}}

    def adopt(self, tx: Transaction, former: dict[str, Any]) -> None:
        """Settle everything by the rules that held until now, then go on by the present ones."""
        before = settings_by(former, self.settings)
        at, passes = self._clock(), tx.passes()
        tx.log("rules", None, {"before": former, "after": self.noted_rules()}, at)
        old = Upkeep(before, self._clock, self._events, extractive=self.extractive)
        for record in tx.dying(passes, -1):
            old.forget(tx, record, FADED, at)
        records = [old._settled(tx, record, passes) for record in tx.alive(passes)]
        for record in [*records, *tx.trash(passes)]:
            old._settle_links(tx, record, record.scan_count(passes))
        for record in records:
            if record.since_pass is not None:
                scans = record.scan_count(passes)
                self.schedule(tx, replace(record, scans=scans, since_pass=passes))
        self.refocus(tx, tx.focus()[: self.settings.focus_limit])

    def _settle_links(self, tx: Transaction, record: NodeRecord, scans: int) -> None:
        for link in tx.links_from(record.n):  # what is broken stays so under any rules
            tx.put_link(replace(link, strength=self.strength(link, scans), at_scan=scans))

    # reading what is left

    def now(self) -> float:
        """Return the time."""
        return self._clock()

    def decay(self, tx: Transaction) -> Decay:
        """Return what tells broken links from whole ones at this moment."""
        rules, dangling = self.rules, self.settings.dangling_counts
        return Decay(tx.passes(), rules.decay_rate, rules.break_threshold, dangling)

    def strength(self, link: LinkRecord, scan_count: int) -> float:
        """Return what is left of a link whose source has been scanned so often; 0.0: broken."""
        return decayed(link.strength, scan_count - link.at_scan, self.rules)

    def own_links(
        self, tx: Transaction, record: NodeRecord, passes: int
    ) -> list[tuple[LinkRecord, float]]:
        """Return the links that count for a memory's importance, with their present strength."""
        scans = record.scan_count(passes)
        links = [(link, self.strength(link, scans)) for link in tx.links_from(record.n)]
        counts = self.settings.dangling_counts
        return [(li, left) for li, left in links if left and (counts or self._lives(tx, li.target))]

    def _lives(self, tx: Transaction, n: int) -> bool:
        record = tx.node(n)
        return record is not None and record.is_alive(tx.passes())

    def support(self, tx: Transaction, n: int) -> list[LinkRecord]:
        """Return the unbroken links by which focus memories hold a memory; each counts as 1."""
        links = [(link, tx.node(link.source)) for link in tx.supporters(n)]
        return [link for link, f in links if f is not None and self.strength(link, f.scans)]

    def importance(self, tx: Transaction, record: NodeRecord, passes: int) -> float:
        """Return how important a memory is: its own links, and those of the focus that hold it."""
        own = sum(strength for _, strength in self.own_links(tx, record, passes))
        return own + len(self.support(tx, record.n))

    def fade(self, tx: Transaction, record: NodeRecord) -> Fade:
        """Return how a memory fades from the pass on since which its scans are counted."""
        since = tx.passes() if record.since_pass is None else record.since_pass
        strengths = [strength for _, strength in self.own_links(tx, record, since)]
        return Fade(strengths, len(record.original), len(record.text), self.rules)

    def shown(self, tx: Transaction, record: NodeRecord, passes: int) -> Text:
        """Return what is left of a memory after so many passes."""
        limit = self.length(tx, record, passes)
        if limit >= len(record.text):
            return stored_text(record)
        return shortened(self._start(record), limit)

    def length(self, tx: Transaction, record: NodeRecord, passes: int) -> int:
        """Return how many characters of a memory are left, at most, after so many passes."""
        if record.since_pass is None or record.fade_at is None or passes < record.fade_at:
            return len(record.text)
        if passes <= record.since_pass or record.kept:
            return len(record.text)
        limit = self.fade(tx, record).limit(passes - record.since_pass)
        return min(limit, len(record.text))

    def _start(self, record: NodeRecord) -> Text:
        """Return the text that shortening starts from.

        A model that only leaves words out does best on the whole text: what it keeps of it at a
        smaller length is part of what it keeps at a larger one, so nothing comes back.
        """
        text = stored_text(record)
        return replace(text, content=record.original) if self.extractive else text

    # holding and letting go

    def schedule(
        self, tx: Transaction, record: NodeRecord, *, supported: bool | None = None
    ) -> NodeRecord:
        """Count a memory's scans from now on and note what the coming passes will do to it.

        While a task is open, what stands still goes on standing still.
        """
        if record.since_pass is None and self.tasks(tx):
            return record
        passes = tx.passes()
        record = replace(
            self._settled(tx, record, passes), scans=record.scan_count(passes), since_pass=passes
        )
        record = self.expected(tx, record, supported=supported)
        tx.save_node(record)
        return record

    def expected(
        self, tx: Transaction, record: NodeRecord, *, supported: bool | None = None
    ) -> NodeRecord:
        """Return the record with the schedule that its links give it."""
        if supported is None:
            supported = bool(self.support(tx, record.n))
        if supported or record.since_pass is None:
            return replace(record, fade_at=None, due_at=None, die_at=None)
        return self._with_future(self.fade(tx, record), record, record.since_pass)

    def _with_future(self, fade: Fade, record: NodeRecord, passes: int) -> NodeRecord:
        whole, length = len(record.original), len(record.text)
        due = min(length - 1, length * self.settings.compression_step)
        fades = fade.first(lambda scan: fade.limit(scan) < whole)
        rewritten = fade.first(lambda scan: fade.limit(scan) <= due, fades)
        dies = fade.first(fade.forgets)
        fade_at, due_at, die_at = (
            None if scan is None else passes + scan for scan in (fades, rewritten, dies)
        )
        if length < whole:
            fade_at = passes  # it has begun
        return replace(record, fade_at=fade_at, due_at=due_at, die_at=die_at)

    def _settled(self, tx: Transaction, record: NodeRecord, passes: int) -> NodeRecord:
        """Return the record with its text written as it is shown after so many passes."""
        text = self.shown(tx, record, passes)
        return record if text.content == record.text else self._rewritten(tx, record, text)

    def _rewritten(
        self, tx: Transaction, record: NodeRecord, text: Text, **more: object
    ) -> NodeRecord:
        """Return the record with another text, after noting in the journal what it was."""
        detail = {"before": _logged(stored_text(record)), "length": len(text.content), **more}
        tx.log("compressed", record.n, detail, self._clock())
        return replace(
            record,
            content=text.content,
            phrase=text.phrase,
            keywords=json.dumps(text.keywords, ensure_ascii=False),
            kept=0,
        )

    def refocus(self, tx: Transaction, after: list[int], *, before_node: int = 1 << 62) -> None:
        """Set the focus, holding what enters it and letting go what leaves it.

        What the focus no longer points at is let go as well; of that, memories numbered
        `before_node` and above are left to the caller.
        """
        before = tx.focus()
        tx.set_focus(after)
        for n in set(after) - set(before):
            self._hold(tx, n)
        released = [n for n in before if n not in after]
        loosened = {link.target for n in released for link in tx.links_from(n)}
        for n in sorted({*released, *loosened} - set(after)):
            record = tx.node(n) if n < before_node else None
            if record and record.is_alive(tx.passes()):
                self.schedule(tx, record)

    def _hold(self, tx: Transaction, n: int) -> None:
        record = tx.node(n)
        if record is None or record.since_pass is None:
            return  # it is new, or held already
        tx.save_node(self._stilled(tx, record, tx.passes()))

    def _stilled(self, tx: Transaction, record: NodeRecord, passes: int) -> NodeRecord:
        """Return a record as it is after so many passes, out of time from then on."""
        settled, scans = self._settled(tx, record, passes), record.scan_count(passes)
        still = replace(settled, scans=scans, since_pass=None)
        return replace(still, fade_at=None, due_at=None, die_at=None)

    # tasks: what is made, attended or recalled while one is open stands still until it ends

    def tasks(self, tx: Transaction) -> list[str]:
        """Return where tasks are open."""
        found: list[str] = json.loads(tx.meta(TASKS) or "[]")
        return found

    def begin_task(self, tx: Transaction, where: str) -> None:
        """Hold, from now on, what is touched."""
        self._note_tasks(tx, sorted({*self.tasks(tx), where}), where)

    def end_task(self, tx: Transaction, where: str) -> None:
        """Let go what no other task holds, a few memories at a time."""
        left = [other for other in self.tasks(tx) if other != where]
        self._note_tasks(tx, left, where)
        if not left and not tx.upkeep_waits(RELEASE):
            tx.add_job(RELEASE, self._clock())

    def _note_tasks(self, tx: Transaction, places: list[str], changed: str) -> None:
        tx.set_meta(TASKS, json.dumps(places, ensure_ascii=False))
        tx.log("task", None, {"where": changed, "open": changed in places}, self._clock())

    def touch(self, tx: Transaction, nodes: Iterable[int]) -> None:
        """Hold memories that were made use of, if a task is open."""
        if not self.tasks(tx):
            return
        records = [record for n in nodes if (record := tx.node(n))]
        moving = [r.n for r in records if r.is_alive(tx.passes()) and r.since_pass is not None]
        if moving:
            tx.log("touched", None, {"nodes": moving}, self._clock())
        for n in moving:
            self._hold(tx, n)

    def release(self, _: Store, job: JobRecord) -> Plan:
        """Plan to let go a few of the memories that an ended task held."""
        return Plan(None, lambda _: None, lambda store, _: self._release(store, job))

    def _release(self, store: Store, job: JobRecord) -> None:
        with store.write() as tx:
            present = tx.job(job.seq)
            if present is None or present.progress != job.progress:
                return  # another worker was faster
            found = [] if self.tasks(tx) else tx.still(int(job.progress or 0), SWEEP_CHUNK)
            if found:
                self.let_go(tx, [record.n for record in found])
                tx.progress_job(job.seq, str(found[-1].n))
            else:
                tx.drop_job(job.seq)

    def let_go(self, tx: Transaction, nodes: Sequence[int]) -> None:
        """Let memories that tasks held go on."""
        tx.log("released", None, {"nodes": list(nodes)}, self._clock())
        for n in nodes:
            record = tx.node(n)
            if record is not None and record.forgotten_at is None:
                self.schedule(tx, record)

    # forgetting

    def forget(
        self, tx: Transaction, record: NodeRecord, reason: str, at: float | None = None
    ) -> None:
        """Move a memory to the trash; links that point to it are left dangling.

        `at` is the time of a larger change that this is part of.
        """
        with tx.undoable("forgotten", record.n):
            self._forget(tx, record, reason, self._clock() if at is None else at)

    def _forget(self, tx: Transaction, record: NodeRecord, reason: str, at: float) -> None:
        passes = tx.passes()
        last = passes if record.die_at is None else min(passes, record.die_at - 1)
        gone = replace(self._stilled(tx, record, last), forgotten_at=at, reason=reason)
        focus = tx.focus()
        self._tell_neighbours(tx, record.n)  # up to now it counted for them
        tx.log("forgotten", record.n, {"reason": reason, "focus": focus}, at)
        tx.save_node(gone)
        if record.n in focus:
            self.refocus(tx, [n for n in focus if n != record.n])
        self._tell_neighbours(tx, record.n)
        self.tell(tx, "forgotten", node=name_of(record.n), reason=reason)

    def tell(self, tx: Transaction, event: str, **detail: Any) -> None:
        """Tell of something once it is durable."""
        tx.after(lambda: self._events.emit(event, **detail))

    def _tell_neighbours(self, tx: Transaction, n: int) -> None:
        """Where dangling links do not count, those who pointed here fade differently now."""
        if self.settings.dangling_counts:
            return
        for link in tx.links_to(n):
            source = tx.node(link.source)
            if source and source.since_pass is not None and source.is_alive(tx.passes()):
                self.schedule(tx, source)

    def restore(self, tx: Transaction, record: NodeRecord) -> None:
        """Bring a memory back from the trash, whole, as one thinks of it again.

        It keeps its id and its links, and is linked with the focus like what is new: otherwise
        nothing would lead to it and the next pass would forget it again.
        """
        with tx.undoable("restored", record.n):
            self._restore(tx, record)

    def _restore(self, tx: Transaction, record: NodeRecord) -> None:
        at, focus = self._clock(), tx.focus()
        unswept = record.forgotten_at is None  # its time has come, but nobody buried it yet
        if unswept:
            self.forget(tx, record, FADED, at)
            record = tx.node(record.n) or record
        detail: dict[str, Any] = {"reason": record.reason, "focus": focus}
        if unswept:
            detail["unswept"] = True
        if record.content is not None:
            detail["before"] = _logged(stored_text(record))
        tx.log("restored", record.n, detail, at)
        record = replace(self._whole(tx, record), forgotten_at=None, reason=None, kept=0)
        tx.save_node(record)
        tx.warm([record.n])
        if record.kind != "segment":  # facts and episodes stand outside the network
            self.tell(tx, "restored", node=name_of(record.n))
            return
        for holder in (tx.node(n) for n in focus):
            if holder is not None:
                tx.put_links(tied(record.n, record.scans, holder, REMINDED))
        if focus:
            self.schedule(tx, record)
        else:
            self.refocus(tx, [record.n])
        self._tell_neighbours(tx, record.n)
        self.tell(tx, "restored", node=name_of(record.n))

    def _whole(self, tx: Transaction, record: NodeRecord) -> NodeRecord:
        """Return a record with its original text and labels, which the journal remembers."""
        changes = [e for e in tx.journal_of(record.n) if e.kind == "compressed"]
        noted = json.loads(changes[0].detail).get("before") if changes else None
        if noted is None:  # it never changed, or the journal was not to be kept so long
            return replace(record, content=None)
        _, phrase, keywords = noted
        words = json.dumps(keywords, ensure_ascii=False)
        return replace(record, content=None, phrase=phrase, keywords=words)

    # time

    def make_pass(self, tx: Transaction, job: int | None = None) -> None:
        """Let one unit of time go by after a job, and see that what it makes due is done."""
        tx.advance()
        tx.log("passed", None, {"job": job}, self._clock())
        self._want_sweep(tx)

    def _want_sweep(self, tx: Transaction) -> None:
        if tx.due_exists(tx.passes()) and not tx.upkeep_waits("sweep"):
            tx.add_job("sweep", self._clock())

    def go_on(self, tx: Transaction, n: int) -> None:
        """Let a memory that was put back as it stood go on from now.

        What the focus or a task held then, and holds no longer, is let go; what it leaned on
        then is looked at again.
        """
        record = tx.node(n)
        self._want_sweep(tx)
        if record is None or record.kind != "segment" or not record.is_alive(tx.passes()):
            return
        if record.n in tx.focus():
            return
        if record.since_pass is None:
            job = tx.job(record.job or 0)
            if job is None or job.state != "pending":
                self.schedule(tx, record)
        elif replace(self.expected(tx, record), due_at=record.due_at) != record:
            self.schedule(tx, record)

    # doing for good what passes made due

    def sweep(self, store: Store, job: JobRecord) -> Plan:
        """Plan one bounded piece of what is due."""
        with store.read() as tx:
            passes = tx.passes()
            dying = tx.dying(passes, SWEEP_CHUNK)
            due = [] if dying else self.due(tx, passes)
        if dying:
            return Plan(None, lambda _: None, lambda store, _: self._bury(store, dying))
        if not due or self._nobody_to_ask(job):
            return Plan(None, lambda _: None, lambda store, _: self._keep(store, due, job))
        asked = [(text.content, limit, text.keywords) for _, text, limit in due]
        return Plan(
            compress.ask(asked),
            lambda answer: compress.read(answer, asked, final=job.attempts > 0),
            lambda store, answers: self._rewrite(store, due, answers, job),
        )

    def _bury(self, store: Store, dying: list[NodeRecord]) -> None:
        with store.write() as tx:
            for stale in dying:
                record = tx.node(stale.n)
                if record and record.forgotten_at is None and not record.is_alive(tx.passes()):
                    self.forget(tx, record, FADED)

    def _nobody_to_ask(self, job: JobRecord) -> bool:
        """Tell whether the model stayed away; one whose answers are no use has a stand-in."""
        answered = (job.reason or "").startswith(UnusableAnswer.__name__)
        return job.attempts > self.settings.max_retries and not answered

    def _keep(self, store: Store, due: list[tuple[NodeRecord, Text, int]], job: JobRecord) -> None:
        """End a sweep; texts for which no model could be had stay while time goes on."""
        with store.write() as tx:
            tx.drop_job(job.seq)
            if due:
                self.spare(tx, [stale.n for stale, _, _ in due])

    def spare(self, tx: Transaction, nodes: Sequence[int]) -> None:
        """Leave texts as they are for some passes; others have their turn meanwhile."""
        tx.log("spared", None, {"nodes": list(nodes)}, self._clock())
        for record in (tx.node(n) for n in nodes):
            if record is not None and record.due_at is not None:
                tx.save_node(replace(record, kept=1, due_at=tx.passes() + KEPT_PASSES))

    def due(self, tx: Transaction, passes: int) -> list[tuple[NodeRecord, Text, int]]:
        """Return the memories to rewrite, with their text and the length to bring it to."""
        records = tx.due(passes, self.settings.compression_batch_size)
        sizes = accumulate(tokens(self._start(record).content) for record in records)
        window = self.settings.model_window_tokens  # what one question may hold, at least one text
        fitting = [r for r, size in zip(records, sizes, strict=True) if size <= window]
        fitting = fitting or records[:1]
        fitting.sort(key=lambda r: scan_order(r.scan_count(passes), r.created_at, r.n))
        return [
            (r, self._start(r), self.fade(tx, r).limit(passes - (r.since_pass or 0)))
            for r in fitting
        ]

    def _rewrite(
        self,
        store: Store,
        due: list[tuple[NodeRecord, Text, int]],
        answers: list[tuple[str, str, tuple[str, ...]]],
        job: JobRecord,
    ) -> None:
        for start in range(0, len(due), SWEEP_CHUNK):
            with store.write() as tx:
                chunk = zip(due[start:], answers[start : start + SWEEP_CHUNK], strict=False)
                for (stale, _, limit), answer in chunk:
                    self._replace_text(tx, stale, shortened(Text(*answer), limit))
        with store.write() as tx:
            tx.drop_job(job.seq)

    def _replace_text(self, tx: Transaction, stale: NodeRecord, text: Text) -> None:
        record = tx.node(stale.n)
        if record is None or record.text != stale.text or record.since_pass is None:
            return  # it was changed meanwhile: what is true now decides
        if record.is_alive(tx.passes()):
            self.rewrite(tx, record, text)

    def rewrite(self, tx: Transaction, record: NodeRecord, text: Text) -> None:
        """Put a shorter text in the place of a memory's."""
        passes = tx.passes()
        scans = record.scan_count(passes)
        with tx.undoable("compressed", record.n):
            rewritten = self._rewritten(tx, record, text, swept=True)
            self.schedule(tx, replace(rewritten, scans=scans, since_pass=passes))
        lengths = {"before": len(record.text), "after": len(text.content)}
        self.tell(tx, "compressed", node=name_of(record.n), **lengths)


def _logged(text: Text) -> list[Any]:
    """Return a text as the journal keeps it."""
    return [text.content, text.phrase, list(text.keywords)]


def tied(n: int, scans: int, holder: NodeRecord, relation: str | None) -> list[LinkRecord]:
    """Return the links of a memory with a focus memory, both ways, at full strength."""
    there = LinkRecord(n, holder.n, 1.0, scans, relation)
    return [there, LinkRecord(holder.n, n, 1.0, holder.scans, relation)]


def shortened(text: Text, limit: int) -> Text:
    """Return a text cut to a length by the offline compressor, its labels with it."""
    if len(text.content) <= limit:
        return text
    content = fit(text.content, limit)
    kept = tuple(k for k in text.keywords if k.casefold() in content.casefold())
    return Text(content, phrase_of(content), kept)
