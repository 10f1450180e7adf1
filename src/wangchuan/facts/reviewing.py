"""Reviewing facts: who becomes core, who is kept from fading, who goes.

A fact waits for a review when its weight has risen to that of core or fallen low
(`network.ageing`). A model decides, or rules that stand in for it, or a person (the setting
`reviewer`); what is decided is done here.
"""

from __future__ import annotations

import json

from wangchuan.arguments import one_of
from wangchuan.errors import InvalidInput
from wangchuan.facts.records import ERASED, PROMOTION, Facts, living
from wangchuan.ids import name_of
from wangchuan.jobs.work import Plan
from wangchuan.models.offline import review as rules
from wangchuan.routines import review as reviewing
from wangchuan.settings import groups
from wangchuan.storage import JobRecord, NodeRecord, Store, Transaction
from wangchuan.types import Clock, Fact, value

DECISIONS = ("promote", "keep", "delete")


@value
class Case:
    """A fact under review, by its number, and what a reviewer is shown of it."""

    n: int
    shown: reviewing.Case


@value
class Rounds:
    """How far a review job has come: facts judged, and words searched for the one named."""

    made: int = 0
    searched: tuple[str, ...] = ()
    n: int = 0

    @classmethod
    def of(cls, text: str | None) -> Rounds:
        """Return the state that the progress of a job holds."""
        made, searched, n = json.loads(text) if text else (0, [], 0)
        return cls(made, tuple(searched), n)

    def words_for(self, n: int) -> tuple[str, ...]:
        """Return the words searched for a fact, in earlier rounds."""
        return self.searched if self.n == n else ()

    def text(self) -> str:
        """Return the state as the progress of a job."""
        return json.dumps([self.made, list(self.searched), self.n], ensure_ascii=False)


@value
class Reviewing:
    """The reviews of one agent's facts."""

    facts: Facts
    settings: groups.Learning
    clock: Clock

    def want(self, tx: Transaction) -> None:
        """Add the job that reviews facts, if one waits and no person is to review it."""
        by_us = self.settings.reviewer in ("auto", "rules")
        if by_us and tx.facts.to_review(1) and not tx.jobs.waits("review"):
            tx.jobs.add("review", self.clock())

    def pending(self, tx: Transaction) -> list[Fact]:
        """Return the living facts that wait for a decision."""
        records = [tx.nodes.get(fact.node) for fact in tx.facts.to_review(-1)]
        return [self.facts.present(tx, record) for record in records if record]

    def review(self, store: Store, job: JobRecord) -> Plan:
        """Plan one round of the review of the next fact that waits for one."""
        progress = Rounds.of(job.progress)
        with store.read() as tx:
            case, erased = self._case(tx, progress), tx.meta.get(ERASED)
        if case is None or progress.made >= self.settings.reviews_per_run:
            return Plan.of(lambda tx: tx.jobs.drop(job.seq))

        def act(store: Store, verdict: reviewing.Verdict | None) -> None:
            with store.write() as tx:
                if not tx.jobs.is_unchanged(job):
                    return  # another worker was faster
                if tx.meta.get(ERASED) != erased:
                    return  # what was shown may be gone: it is asked anew
                after = self._judge(tx, case, verdict or reviewing.Verdict(), progress)
                tx.jobs.progress(job.seq, after.text())

        ask = reviewing.ask(case.shown)
        if self.settings.reviewer == "rules":
            answer = reviewing.read(rules(ask.data), case.shown)
            return Plan(None, lambda _: None, lambda store, _: act(store, answer))
        return Plan(ask, lambda answer: reviewing.read(answer, case.shown), act)

    def _case(self, tx: Transaction, progress: Rounds) -> Case | None:
        fact = next(iter(tx.facts.to_review(1)), None)
        record = tx.nodes.get(fact.node) if fact else None
        if fact is None or record is None or fact.review is None:
            return None
        shown = self.facts.related(tx, record.text, reviewing.RELATED + 1)
        about = {
            "topic": fact.topic,
            "verified": bool(fact.verified),
            "newer": any(r.n > record.n for r in self.facts.same_slot(tx, record.text)),
        }
        related = [r.text for r in shown if r.n != record.n][: reviewing.RELATED]
        found = [
            (word, [r.text for r in self.facts.related(tx, word, reviewing.RELATED)])
            for word in progress.words_for(record.n)
        ]
        return Case(record.n, reviewing.Case(fact.review, record.text, about, related, found))

    def _judge(
        self, tx: Transaction, case: Case, verdict: reviewing.Verdict, progress: Rounds
    ) -> Rounds:
        """Do what a verdict decides; a verdict that asks for a search leads to another round."""
        record, fact = living(tx, name_of(case.n)), tx.facts.get(case.n)
        if record is None or fact is None or fact.review != case.shown.kind:
            return Rounds(progress.made + 1)  # it went, was used or decided on meanwhile
        words = progress.words_for(case.n)
        if verdict.search and len(words) + 1 < reviewing.ROUNDS:
            return Rounds(progress.made, (*words, verdict.search), case.n)
        if verdict.decision is None:
            self.facts.leave_undecided(tx, record)
        else:
            self.decide(tx, record, verdict.decision.lower())
        return Rounds(progress.made + 1)

    def decide(self, tx: Transaction, record: NodeRecord, decision: str) -> None:
        """Do what a reviewer decided; raises InvalidInput for what cannot be decided."""
        fact = tx.facts.get(record.n)
        waiting = fact.review if fact else None
        one_of(decision, DECISIONS, "decision")
        if waiting is None:
            raise InvalidInput(f"{name_of(record.n)} does not wait for a decision")
        if decision == "promote" and waiting != PROMOTION:
            raise InvalidInput(f"{name_of(record.n)} does not wait for a promotion; it can be kept")
        if decision == "promote":
            self.facts.promote(tx, record)
        elif decision == "keep":
            self.facts.keep(tx, record)
        else:
            self.facts.delete(tx, record, "review")
