"""The sweep: doing for good, a bounded number at a time, what passes made due.

Nodes whose time has come go to the trash. Texts whose target length has fallen far enough are
rewritten by the model; a text for which no model could be had stays for some passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from wangchuan.errors import UnusableAnswer
from wangchuan.ids import name_of
from wangchuan.jobs.work import Plan
from wangchuan.language.tokens import tokens
from wangchuan.living.lens import Lens, shortened
from wangchuan.living.schedule import KEPT_PASSES, SWEEP, Schedule
from wangchuan.living.trash import FADED, Trash
from wangchuan.routines import compress
from wangchuan.storage import Failure, JobRecord, NodeRecord, Store, Text, Transaction, journal
from wangchuan.types import value

SWEPT_AT_ONCE = 25  # nodes per transaction, so that callers never wait long for the writer

Due = list[tuple[NodeRecord, Text, int]]  # nodes to rewrite, their text, the length to bring it to


@value
class Sweep:
    """Burying and rewriting one agent's nodes."""

    trash: Trash

    @property
    def lens(self) -> Lens:
        """Return what tells how much of a node is left."""
        return self.trash.lens

    @property
    def schedule(self) -> Schedule:
        """Return what notes when what happens."""
        return self.trash.schedule

    def step(self, store: Store, job: JobRecord) -> Plan:
        """Plan one bounded piece of what is due."""
        with store.read() as tx:
            passes = tx.passes()
            dying = tx.nodes.dying(passes, SWEPT_AT_ONCE)
            due = [] if dying else self.due(tx, passes, self._most(job))
        if dying:
            return Plan.of(lambda tx: self._bury(tx, dying))
        if not due or self._nobody_to_ask(job):
            return Plan.of(lambda tx: self._keep(tx, due, job))
        asked = [(text.content, limit, text.keywords) for _, text, limit in due]
        return Plan(
            compress.ask(asked),
            lambda answer: compress.read(answer, asked, final=job.attempts > 0),
            lambda store, answers: self._rewrite(store, due, answers, job),
        )

    def _most(self, job: JobRecord) -> int:
        """Return how many texts to ask for: fewer with every try, for some models lose some."""
        settings = self.lens.settings
        left = settings.compression_batch_size - int(job.progress or 0)
        tries = 0 if job.attempts > settings.max_retries else job.attempts
        return left if self.lens.extractive else min(left, max(1, compress.AT_ONCE >> tries))

    def _bury(self, tx: Transaction, dying: list[NodeRecord]) -> None:
        for stale in dying:
            record = tx.nodes.get(stale.n)
            if record and record.forgotten_at is None and not record.is_alive(tx.passes()):
                self.trash.forget(tx, record, FADED)

    def _nobody_to_ask(self, job: JobRecord) -> bool:
        """Tell whether the model stayed away; one whose answers are no use has a stand-in."""
        tried = job.attempts > self.lens.settings.max_retries
        return tried and not job.failed_by(UnusableAnswer)

    def _keep(self, tx: Transaction, due: Due, job: JobRecord) -> None:
        """End a sweep; texts for which no model could be had stay while time goes on."""
        tx.jobs.drop(job.seq)
        if due:
            self.spare(tx, [stale.n for stale, _, _ in due])

    def spare(self, tx: Transaction, nodes: Sequence[int]) -> None:
        """Leave texts as they are for some passes; others have their turn meanwhile."""
        tx.journal.log(journal.Spared(tuple(nodes)), self.schedule.now())
        for record in (tx.nodes.get(n) for n in nodes):
            if record is not None and record.due_at is not None:
                tx.nodes.save(replace(record, kept=1, due_at=tx.passes() + KEPT_PASSES))

    def due(self, tx: Transaction, passes: int, most: int) -> Due:
        """Return the nodes to rewrite, with their text and the length to bring it to."""
        records = self._first_due(tx, passes, most)
        starts = [(record, self.lens.start(record)) for record in records]
        sizes = accumulate(tokens(text.content) for _, text in starts)
        window = self.lens.settings.model_window_tokens  # of one question, with at least one text
        fitting = [one for one, size in zip(starts, sizes, strict=True) if size <= window]
        fitting = fitting or starts[:1]
        return [(r, text, self.lens.limit(tx, r, passes)) for r, text in fitting]

    def _first_due(self, tx: Transaction, passes: int, most: int) -> list[NodeRecord]:
        """Return the nodes whose turn it is: least scanned first or, by slots, least important."""
        rarity = self.lens.rules.rarity
        if self.lens.settings.strategy != "slots":
            return tx.nodes.due(passes, rarity, most)
        found = tx.nodes.due(passes, rarity, -1)  # no more than there are slots
        worth = {record.n: self.lens.importance(tx, record, passes) for record in found}
        return sorted(found, key=lambda r: (worth[r.n], r.n))[:most]

    def _rewrite(
        self, store: Store, due: Due, answers: list[compress.Short | None], job: JobRecord
    ) -> None:
        """Store the texts that came back; what is missing is asked again, in smaller groups."""
        given = [(stale, limit, got) for (stale, _, limit), got in zip(due, answers, strict=True)]
        for start in range(0, len(given), SWEPT_AT_ONCE):
            with store.write() as tx:
                for stale, limit, answer in given[start : start + SWEPT_AT_ONCE]:
                    if answer is not None:
                        fits = len(answer[0]) <= limit * compress.TOO_LONG
                        text = Text(*answer)
                        self._replace_text(tx, stale, text if fits else shortened(text, limit))
        done = int(job.progress or 0) + len(due) - answers.count(None)
        with store.write() as tx:
            if missing := answers.count(None):
                reason = Failure(UnusableAnswer.__name__, f"compress: {missing} texts are missing")
                tx.jobs.progress(job.seq, str(done))
                tx.jobs.postpone(job.seq, job.attempts + 1, self.schedule.now(), str(reason))
            else:
                tx.jobs.drop(job.seq)
                self._go_on(tx, done)

    def _go_on(self, tx: Transaction, done: int) -> None:
        """Add another sweep for the other due texts, behind messages accepted meanwhile."""
        more = not self.lens.extractive and done < self.lens.settings.compression_batch_size
        if more and tx.nodes.due_exists(tx.passes()) and not tx.jobs.waits(SWEEP):
            tx.jobs.progress(tx.jobs.add(SWEEP, self.schedule.now()), str(done))

    def _replace_text(self, tx: Transaction, stale: NodeRecord, text: Text) -> None:
        record = tx.nodes.get(stale.n)
        if record is None or record.text != stale.text or record.since_pass is None:
            return  # it was changed meanwhile: its present text decides
        if record.is_alive(tx.passes()):
            self.rewrite(tx, record, self._no_more_than_left(tx, record, text))

    def _no_more_than_left(self, tx: Transaction, record: NodeRecord, text: Text) -> Text:
        """Return a text, shorter if passes that went by since it was asked for leave less of it."""
        limit = self.lens.limit(tx, record, tx.passes())
        if not self.lens.extractive or len(text.content) <= limit:
            return text
        return shortened(self.lens.start(record), limit)

    def rewrite(self, tx: Transaction, record: NodeRecord, text: Text) -> None:
        """Put a shorter text in the place of a node's."""
        with tx.undo.change(journal.Compressed, record.n):
            rewritten = self.schedule.rewritten(tx, record, text, swept=True)
            self.schedule.let_go(tx, self.lens.aged(rewritten, tx.passes()))
        lengths = {"before": len(record.text), "after": len(text.content)}
        self.schedule.tell(tx, "compressed", node=name_of(record.n), **lengths)
