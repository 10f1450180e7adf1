"""The player: goes through a journal and does the history again, in a store of its own.

The player decides nothing. It hands three things to the rules of the live memory once more: the
deeds of people (forget, restore, merge, undo, state a fact), the messages, and how a model digested
them. Consequences are not read from the journal; they follow from the rules again. Models are not
asked: the texts they wrote stand in the nodes and, where a node changed since, in the journal.

A faithful player does each thing when it happened: a sweep forgets the nodes that it forgot then. A
player with other settings sweeps after each pass whatever that pass makes due. A deed about a node
that is not there under these settings cannot be done, and is counted as skipped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from wangchuan.errors import CannotUndo, InvalidInput, NotFound
from wangchuan.history.deeds import AGAIN
from wangchuan.history.rebuilt import ERASED, SHELL, Rebuilt
from wangchuan.living.lens import shortened
from wangchuan.living.trash import FADED, REUSED
from wangchuan.living.weave import Progress
from wangchuan.routines.digest import Segment, Window
from wangchuan.storage import JobRecord, JournalRecord, MessageRecord, NodeRecord, journal
from wangchuan.types import BEFORE

LABELS = (journal.Passed.name, journal.Woven.name)  # the last entry of a window


class Player:
    """One history, done again."""

    def __init__(self, again: Rebuilt, passed: Callable[[Rebuilt], None]) -> None:
        """Play into the memory that is rebuilt; `passed` is called after every pass."""
        self._again, self._passed = again, passed
        self._live, self._tx = again.live, again.tx
        self._window: list[JournalRecord] = []
        self._erased: list[JournalRecord] = []

    # going through the journal

    def play(self) -> None:
        """Do the whole history again, from the first entry to the last."""
        self._copy()
        for entry in self._live.rows.every("entry"):
            self._take(entry)
        self._end_erasure()

    def _copy(self) -> None:
        """Copy the rows that the rules read: messages without their words, and jobs."""
        for message in self._live.rows.every("message"):
            self._tx.rows.take_in("message", replace(message, content=""))
        for job in self._live.rows.every("job"):
            if job.kind == "remember":
                self._tx.rows.take_in("job", replace(job, state="done", progress=None))

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
        elif journal.KINDS.get(entry.kind) in AGAIN:
            self._do(entry)

    def _do(self, entry: JournalRecord) -> None:
        self._again.now, kind, said = entry.at, journal.KINDS[entry.kind], journal.read(entry)
        blank = isinstance(said, journal.Blank)
        if blank and kind is not journal.Ticked:
            self._again.note_blank(entry)
        try:
            if not blank or entry.node is not None:  # a blank entry about no node tells nothing
                AGAIN[kind](self._again, entry, None if blank else said)
        except (NotFound, InvalidInput, CannotUndo):
            self._again.skipped += 1
        self._again.operations += 1

    def _end_erasure(self) -> None:
        if self._erased:
            self._again.now, numbers = self._erased[0].at, [e.node or 0 for e in self._erased]
            self._erased = []
            self._again.operations += 1
            self._again.erasing.remove_nodes(self._tx, numbers)

    # remembering

    def _weave_again(self, window: Sequence[JournalRecord]) -> None:
        made = [entry for entry in window if entry.kind == journal.Remembered.name]
        number = self._job_of(window[-1], made)
        self._again.now = (made or window)[0].at
        self._again.operations += 1
        if number is None:
            if made:
                self._again.gaps["windows of messages are not told to whom they belong"] += 1
            self._again.living.schedule.make_pass(self._tx)
        else:
            self._weave_window(number, made, window)
        self._again.made += [entry.node for entry in made if entry.node is not None]
        if window[-1].kind == journal.Passed.name:
            self._again.now = window[-1].at
            self._after_pass()

    def _job_of(self, label: JournalRecord, made: Sequence[JournalRecord]) -> int | None:
        said = journal.read(label)
        if isinstance(said, journal.Passed | journal.Woven):
            return said.job
        self._again.gaps["passes do not say what made them"] += 1
        nodes = [self._live.nodes.get(entry.node or 0) for entry in made]
        return next((node.job for node in nodes if node is not None), None)

    def _weave_window(
        self, number: int, made: Sequence[JournalRecord], window: Sequence[JournalRecord]
    ) -> None:
        there = self._live.jobs.get(number)
        job = self._begun(number, there)
        recorded = Progress(**json.loads(there.progress)) if there and there.progress else None
        now = (self._tx.links.focus(), self._again.settings.focus_limit)
        then = (recorded.focus, recorded.limit) if recorded and self._again.faithful else now
        progress = Progress.of(job, *then)
        told = recorded.focus if recorded else ()
        segments = [self._segment(i, entry, told, progress) for i, entry in enumerate(made)]
        parts = tuple((self._message(entry, job), "") for entry in made)
        last = job.last_message or 0
        final = window[-1].kind == journal.Passed.name
        view = Window(parts or ((_nobody(last), ""),), last + 1 if final else 0, 0)
        reused = [e for e in window if _is_reused(journal.read(e))]
        self._again.weave.follow(recorded, reused, self._set_time, faithful=self._again.faithful)
        if made:
            self._tx.nodes.reserve((made[0].node or 1) - 1)
        texts = [] if self._again.faithful else [segment.text for segment in segments]
        near = self._again.weave.near(self._tx, job, progress, texts, self._live)
        self._again.weave.apply(self._tx, job, progress, view, segments, near)

    def _set_time(self, at: float) -> None:
        self._again.now = at

    def _begun(self, number: int, there: JobRecord | None) -> JobRecord:
        """Return a job as it is being done."""
        job = self._tx.jobs.get(number)
        if job is not None and job.state == "pending":
            return job
        known = there or job
        if known is None:
            known = JobRecord(number, "remember", "", 0, 0, None, None, 0, 0, 0.0, None, number)
        begun = replace(known, state="pending", progress=None, finished_at=None)
        self._tx.jobs.drop(number)
        self._tx.rows.take_in("job", begun)
        return begun

    def _segment(
        self, index: int, entry: JournalRecord, told: Sequence[int], progress: Progress
    ) -> Segment:
        """Return the segment of a digest, from the node that was made of it."""
        said = journal.read(entry)
        node = self._live.nodes.get(entry.node or 0)
        if node is None:
            self._again.gaps[ERASED] += 1
            met = said.related if isinstance(said, journal.Remembered) else ()
            return Segment(index, SHELL, "", (), (None,) * len(progress.focus), met)
        if isinstance(said, journal.Remembered):
            relations, met = said.relations, said.related
        else:
            self._again.note_blank(entry)
            relations = tuple(self._again.relation(node.n, n) for n in told)
            met = self._older(node, told)
        if not self._again.faithful:
            known = dict(zip(told, relations, strict=False))
            relations = tuple(known.get(n) for n in progress.focus)
        first = self._again.labels(node)
        return Segment(index, node.original, first.phrase, first.keywords, relations, met)

    def _older(self, node: NodeRecord, told: Sequence[int]) -> tuple[tuple[int, str | None], ...]:
        """Return the nodes a node was related to, judging by its links with older nodes."""
        older = [li for li in self._live.links.of(node.n) if li.target < node.n]
        apart = [li for li in older if li.target not in told and li.relation != BEFORE]
        return tuple((link.target, link.relation) for link in apart)

    def _message(self, entry: JournalRecord, job: JobRecord) -> MessageRecord:
        """Return the message a node was cut from, with the id of that time."""
        node = self._live.nodes.get(entry.node or 0)
        found = self._live.messages.of([node.message or 0]) if node else []
        message = found[0] if found else _nobody(job.first_message or 0)
        sources = json.loads(node.sources) if node else []
        named = sources and sources[0] != message.public_id
        return replace(message, id=sources[0]) if named else message

    def _after_pass(self) -> None:
        if not self._again.faithful:
            self._sweep()
        self._passed(self._again)

    def _sweep(self) -> None:
        """Sweep after a pass; texts are rewritten only where their length decides what follows."""
        passes, living, settings = self._tx.passes(), self._again.living, self._again.settings
        while dying := self._tx.nodes.dying(passes, -1):
            for record in dying:
                living.trash.forget(self._tx, record, FADED)
        while settings.length_base == "current" and (
            due := living.sweep.due(self._tx, passes, settings.compression_batch_size)
        ):
            for record, text, limit in due:
                living.sweep.rewrite(self._tx, record, shortened(text, limit))


def _is_reused(said: journal.Happened | journal.Blank) -> bool:
    return isinstance(said, journal.Forgotten) and said.reason == REUSED


def _nobody(seq: int) -> MessageRecord:
    return MessageRecord(seq, None, "", None, "", None)
