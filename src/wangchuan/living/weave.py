"""Remembering: from messages to nodes in the network.

A `remember` job is done window by window, each window in one transaction together with a note of
how far the job has come, so that neither a crash nor a second worker can apply anything twice.
The last window also moves the focus and makes the pass, in the same transaction. All windows are
linked with the focus as it was when the job began, and with a few older nodes that say something
related (`living.related`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from itertools import islice

from wangchuan.ids import job_name, name_of
from wangchuan.jobs.work import Plan
from wangchuan.language.text import language
from wangchuan.living.lens import stored_text
from wangchuan.living.related import NOTHING, Related, related_to
from wangchuan.living.trash import REUSED, Trash, tied
from wangchuan.network.focus import attend
from wangchuan.network.relating import MOST_LINKS
from wangchuan.routines import digest
from wangchuan.routines.digest import Segment, Window
from wangchuan.storage import (
    JobRecord,
    LinkRecord,
    NodeRecord,
    Store,
    Transaction,
    journal,
    still_said,
)
from wangchuan.types import AFTER, BEFORE, RELATED, Clock, value

LOOKED_AT = 8  # related nodes, for one new node

ANY = 1 << 62  # above the number of any memory
Attended = tuple[int, str, tuple[str, ...]]  # a node in focus: number, text, keywords


@value
class Progress:
    """How far a remember job has come; kept with the job as JSON."""

    message: int  # the message to go on with
    offset: int = 0
    first: int | None = None  # the nodes made so far
    last: int | None = None
    others: tuple[int, ...] = ()  # numbers in between that went to facts meanwhile
    focus: tuple[int, ...] = ()  # as it was when the job began
    limit: int = 5  # of the focus, likewise
    mentioned: tuple[int, ...] = ()
    related: tuple[int, ...] = ()  # nodes that were shown to the model beside the focus

    @classmethod
    def of(cls, job: JobRecord, focus: Sequence[int], limit: int) -> Progress:
        """Return the progress of a job, or its beginning."""
        if job.progress is None:
            return cls(job.first_message or 0, focus=tuple(focus), limit=limit)
        return cls(**json.loads(job.progress))

    def text(self) -> str:
        """Return the progress as it is kept."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return json.dumps(values, separators=(",", ":"))

    def nodes(self) -> list[int]:
        """Return the numbers of the nodes made so far."""
        if self.first is None or self.last is None:
            return []
        return [n for n in range(self.first, self.last + 1) if n not in self.others]

    def after(self, fresh: Sequence[int]) -> Progress:
        """Return the progress with further nodes made."""
        if not fresh:
            return self
        between = range(fresh[0] if self.last is None else self.last + 1, fresh[0])
        first = fresh[0] if self.first is None else self.first
        return replace(self, first=first, last=fresh[-1], others=(*self.others, *between))


def result_of(job: JobRecord) -> tuple[str, ...]:
    """Return the ids of the nodes a finished job made."""
    if job.progress is None:
        return ()
    return tuple(name_of(n) for n in Progress(**json.loads(job.progress)).nodes())


class Weave:
    """The making of one agent's nodes."""

    def __init__(
        self,
        trash: Trash,
        clock: Clock,
        chance: random.Random,
        afterwards: Callable[[Transaction], None],
    ) -> None:
        self._trash, self._clock, self._chance = trash, clock, chance
        self._afterwards = afterwards  # what follows a remember

    def step(self, store: Store, job: JobRecord) -> Plan:
        """Plan to digest and store the next window of a job's messages."""
        with store.read() as tx:
            tx.ahead(
                lambda soon: soon.links.focus(),
                lambda soon: self._window(soon, job, Progress.of(job, (), 0)),
            )
            progress = Progress.of(job, tx.links.focus(), self._trash.lens.settings.focus_limit)
            view = self._window(tx, job, progress)
            tx.ahead(
                lambda soon: soon.nodes.read_ahead(progress.focus),
                lambda soon: soon.links.read_ahead(progress.focus),
            )
            texts = [piece for _, part in view.parts for piece in digest.pieces(part)]
            near, read_in = self.near(tx, job, progress, texts), tx
            tx.links.read_ahead(progress.focus)
            attended = self._attended(tx, progress.focus)
        focus, shown = [(text, words) for _, text, words in attended], near.shown(texts)
        seen = sorted({*progress.related, *(n for n, _ in shown)})
        progress = replace(progress, related=tuple(seen))

        def act(store: Store, segments: list[Segment] | None) -> None:
            with store.write() as tx:
                seen = [n for n, _, _ in attended] + [n for n, _ in shown]
                if tx is not read_in and not self._stands(tx, job, view, seen):
                    return
                done = self.apply(tx, job, progress, view, segments or [], near)
                if done is not None:
                    ids = tuple(name_of(n) for n in done.nodes())
                    self._trash.schedule.tell(tx, "stored", job=job_name(job.seq), nodes=ids)

        ask = digest.ask(view, focus, shown) if any(view.plain) else None
        return Plan(ask, lambda answer: digest.read(answer, view, focus, shown), act)

    def _window(self, tx: Transaction, job: JobRecord, progress: Progress) -> Window:
        last = min(job.last_message or 0, progress.message + digest.WINDOW_MESSAGES - 1)
        messages = tx.messages.between(progress.message, last)
        most = self._trash.lens.settings.model_window_tokens
        return digest.window(messages, progress.offset, most)

    def near(
        self,
        tx: Transaction,
        job: JobRecord,
        progress: Progress,
        texts: Sequence[str],
        said: Transaction | None = None,
    ) -> Related:
        """Return what texts of a job may be related to, outside the focus and what the job made."""
        if not self._trash.lens.settings.related_links:
            return NOTHING
        without = {*progress.focus, *tx.links.focus(), *progress.nodes()}
        return related_to(tx, texts, job.first_message or 0, without, said)

    def _stands(self, tx: Transaction, job: JobRecord, view: Window, nodes: Iterable[int]) -> bool:
        """Tell whether a later transaction finds the job and what the model was shown as they were.

        Else another worker was faster, or something was erased: then the model is asked anew.
        """
        shown = still_said(tx, [message for message, _ in view.parts])
        return tx.jobs.is_unchanged(job) and shown and all(map(tx.nodes.get, nodes))

    def _attended(self, tx: Transaction, focus: Sequence[int]) -> list[Attended]:
        tx.nodes.read_ahead(focus)
        records = [tx.nodes.get(n) for n in focus]
        texts = [(r.n, stored_text(r)) for r in records if r is not None]
        return [(n, text.content, text.keywords) for n, text in texts]

    def apply(
        self,
        tx: Transaction,
        job: JobRecord,
        progress: Progress,
        view: Window,
        segments: list[Segment],
        near: Related = NOTHING,
    ) -> Progress | None:
        """Store one window; return the whole job's progress if it was the last."""
        fresh = self._store(tx, job, progress, view, segments, near)
        progress = replace(
            progress.after(fresh),
            message=view.next_message,
            offset=view.next_offset,
            mentioned=self._mentioned(tx, progress, segments),
        )
        self._let_go(tx, progress, fresh)
        self._free_slots(tx, progress.first or ANY)
        if view.parts and view.next_message <= (job.last_message or 0):
            tx.jobs.progress(job.seq, progress.text())
            tx.journal.log(journal.Woven(job.seq), self._clock())
            return None
        tx.jobs.finish(job.seq, self._clock(), progress.text())
        tx.ahead(
            lambda soon: soon.nodes.due_exists(tx.passes() + 1),
            lambda soon: soon.messages.last(),
            lambda soon: soon.jobs.upkeep(),
        )
        if progress.first is not None:
            self._make_pass(tx, job, progress)
        self._afterwards(tx)
        return progress

    def _store(
        self,
        tx: Transaction,
        job: JobRecord,
        progress: Progress,
        view: Window,
        segments: list[Segment],
        near: Related,
    ) -> list[int]:
        at, previous, fresh = self._clock(), progress.last, []
        tx.nodes.read_ahead(progress.focus)
        holders = [record for n in progress.focus if (record := tx.nodes.get(n))]
        for segment in segments:
            met = self._related(tx, segment, near)
            n = self._add(tx, job, view, segment, at)
            names = tuple((record.n, name) for record, name in met)
            tx.journal.log(journal.Remembered(n, job.seq, segment.relations, names), at)
            tx.links.put(self._links(n, previous, holders, segment.relations))
            for record, name in met:
                self._meet(tx, n, record, name)
            fresh.append(n)
            previous = n
        return fresh

    def _related(
        self, tx: Transaction, segment: Segment, near: Related
    ) -> list[tuple[NodeRecord, str | None]]:
        """Return the nodes to link a segment with, and the names of these links.

        A node that many links hold already needs no more of them, and a model may know better.
        """
        passes, focus, names = tx.passes(), tx.links.focus(), dict(segment.related)
        ranked = [n for _, n in near.to(segment.text)[:LOOKED_AT]]
        records = [r for n in ranked if n not in focus and (r := tx.nodes.get(n))]
        able = (
            (r, names.get(r.n) or RELATED[language(segment.text)])
            for r in records
            if r.is_alive(passes)
            and names.get(r.n) not in digest.UNRELATED
            and len(self._trash.lens.own_links(tx, r, passes)) < MOST_LINKS
        )
        return list(islice(able, self._trash.lens.settings.related_links))

    def _meet(self, tx: Transaction, n: int, record: NodeRecord, name: str | None) -> None:
        """Link a new node with an old one, both ways; the old one's time goes on by that."""
        schedule, strength = self._trash.schedule, self._trash.lens.settings.link_initial_strength
        passes, moving = tx.passes(), record.since_pass is not None
        if moving:  # up to now, this link did not count for its text
            record = self._trash.lens.aged(schedule.settled(tx, record, passes), passes)
        there = LinkRecord(record.n, n, strength, record.scans, name)
        tx.links.put([LinkRecord(n, record.n, strength, 0, name), there])
        if moving:
            schedule.let_go(tx, record)

    def _add(
        self, tx: Transaction, job: JobRecord, view: Window, segment: Segment, at: float
    ) -> int:
        source = view.parts[segment.message][0]
        return tx.nodes.add(
            kind="segment",
            job=job.seq,
            message=source.seq,
            original=segment.text,
            phrase=segment.phrase,
            keywords=json.dumps(segment.keywords, ensure_ascii=False),
            sources=json.dumps([source.public_id], ensure_ascii=False),
            created_at=at,
        )

    def _links(
        self,
        n: int,
        previous: int | None,
        holders: Sequence[NodeRecord],
        relations: Sequence[str | None],
    ) -> list[LinkRecord]:
        links = []
        if previous is not None:
            strength = self._trash.lens.settings.link_initial_strength
            links.append(LinkRecord(previous, n, strength, 0, AFTER))
            links.append(LinkRecord(n, previous, strength, 0, BEFORE))
        for holder, relation in zip(holders, relations, strict=False):
            if holder.forgotten_at is None:
                links += tied(n, 0, holder, relation)
        return links

    def _mentioned(
        self, tx: Transaction, progress: Progress, segments: list[Segment]
    ) -> tuple[int, ...]:
        """Return the focus nodes that share a keyword with what is new."""
        if not self._trash.lens.settings.focus_refresh_on_mention:
            return ()
        words = {word.casefold() for segment in segments for word in segment.keywords}
        found = {
            n
            for n, _, keys in self._attended(tx, progress.focus)
            if words & {key.casefold() for key in keys}
        }
        return tuple(sorted({*progress.mentioned, *found}))

    def _let_go(self, tx: Transaction, progress: Progress, fresh: list[int]) -> None:
        """Schedule the nodes that can neither be nor touch the focus when the job is done.

        Those are all but the last few new nodes, which may fill the focus.
        """
        if not fresh:
            return
        undecided = progress.limit + 1
        for n in range(max(progress.first or 0, fresh[0] - undecided), fresh[-1] + 1 - undecided):
            self._schedule(tx, n, supported=False)

    def _schedule(self, tx: Transaction, n: int, *, supported: bool | None = None) -> None:
        record = tx.nodes.get(n)
        still = record is not None and record.since_pass is None and record.forgotten_at is None
        if record is not None and still and record.kind == "segment":
            self._trash.schedule.let_go(tx, record, supported=supported)

    def _make_pass(self, tx: Transaction, job: JobRecord, progress: Progress) -> None:
        """Move the focus to what is new, let go what it leaves, and let one unit of time go by."""
        made, limit = progress.nodes(), progress.limit
        alive = [n for n in made[-limit:] if (r := tx.nodes.get(n)) and r.forgotten_at is None]
        after = attend(tx.links.focus(), alive, progress.mentioned, limit)
        self._trash.schedule.refocus(tx, after, before_node=made[0])
        for n in made[-limit - 1 :]:
            if n not in after:
                self._schedule(tx, n)
        self._free_slots(tx, ANY)
        self._trash.schedule.make_pass(tx, job.seq)

    # strategy A: a fixed number of slots

    def _free_slots(self, tx: Transaction, before: int) -> None:
        """Forget as many nodes as there are too many, the least important first.

        What a task holds goes if there is nothing else, of nodes below a number.
        """
        settings = self._trash.lens.settings
        if settings.strategy == "slots":
            for _ in range(tx.nodes.living(tx.passes()) - settings.max_nodes):
                self._free_slot(tx, before)

    def _free_slot(self, tx: Transaction, before: int) -> None:
        """Forget the least important of a few nodes outside the focus, the oldest in a tie."""
        passes, lowest, highest = tx.passes(), tx.nodes.lowest_alive(), tx.nodes.highest()
        sampled: dict[int, NodeRecord] = {}
        for _ in range(self._trash.lens.settings.slot_sample):
            start = self._chance.randint(lowest, max(lowest, highest))
            record = tx.nodes.nearest_alive(start, passes) or tx.nodes.nearest_alive(lowest, passes)
            if record is not None:
                sampled[record.n] = record
        if not sampled:
            held = tx.nodes.held(before, self._trash.lens.settings.slot_sample)
            sampled = {record.n: record for record in held}
        if sampled:
            worth = self._trash.lens.importance
            least = min(sampled.values(), key=lambda r: (worth(tx, r, passes), r.n))
            self._trash.forget(tx, least, REUSED)
