"""Learning from what was said: observing facts, summarising episodes, ageing and reviewing them.

Each is a job of its own kind, added when there is something to do and done in steps like
everything else: a question to a model, an answer checked, one transaction. Two marks say how far
learning has come: up to which message facts were observed, and up to which one the working memory
was summarised. A message leaves the working memory only with the transaction that stores its
episode.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any

from wangchuan.arguments import one_of
from wangchuan.errors import InvalidInput
from wangchuan.facts.records import KINDS, PROMOTION, Facts, Learned
from wangchuan.ids import name_of
from wangchuan.jobs.work import Plan
from wangchuan.language.facts.observer import Known, observed
from wangchuan.language.tokens import tokens
from wangchuan.models.offline import review as rules
from wangchuan.network.ageing import DAY
from wangchuan.routines import observe as observing
from wangchuan.routines import review as reviewing
from wangchuan.routines import summarise as summarising
from wangchuan.routines.grounding import Spoken
from wangchuan.settings import groups
from wangchuan.storage import JobRecord, MessageRecord, NodeRecord, Store, Transaction, still_said
from wangchuan.types import Clock, Fact

OBSERVED, SUMMARISED, AGED_AT = "observed", "summarised", "aged_at"  # notes of the store
ERASED = "erased"  # the note that counts erasures
WINDOW = 30  # messages observed at once
EARLIER = 4  # messages before these, by which they are understood
SHOWN = 12  # facts shown to an observer, for each reason
PASSING = 7 * DAY  # how long a state or a plan may be in mind unnamed
AGED_AT_ONCE = 200  # facts per transaction
DECISIONS = ("promote", "keep", "delete")


@dataclass(frozen=True, slots=True)
class Learning:
    """The work of learning on one agent's memory."""

    facts: Facts
    settings: groups.Learning
    window: int  # tokens of messages in one question
    clock: Clock
    given: list[int] = field(default_factory=list)  # facts in the last block for a prompt

    def want(self, tx: Transaction) -> None:
        """See that what was said last is learned from."""
        last = tx.messages.last()
        if last is None or not self.settings.learn:
            return
        if last.seq > mark(tx, OBSERVED):
            self._add(tx, "observe")
        if last.seq - mark(tx, SUMMARISED) > self.settings.working_messages:
            self._add(tx, "summarise")

    def aged_at(self, tx: Transaction) -> float | None:
        """Return since when no fact was aged; None if there are none.

        Before the first time, the days of the oldest one count: opening a memory, or a copy of
        it, on the day it was made changes nothing.
        """
        oldest = tx.facts.after(0, 1)
        return float(tx.meta.get(AGED_AT) or oldest[0].created_at) if oldest else None

    def is_ageing_due(self, tx: Transaction) -> bool:
        """Tell whether there are facts and a day has gone by since they were aged."""
        last = self.aged_at(tx)
        return last is not None and abs(self.clock() - last) >= DAY

    def want_ageing(self, tx: Transaction) -> None:
        """See that facts and episodes are aged."""
        self._add(tx, "age")

    def _add(self, tx: Transaction, kind: str) -> None:
        if not tx.jobs.waits(kind):
            tx.jobs.add(kind, self.clock())

    # the working memory and its episodes

    def working(self, tx: Transaction) -> list[MessageRecord]:
        """Return the messages that no episode holds yet, oldest first."""
        last = tx.messages.last()
        found = tx.messages.between(mark(tx, SUMMARISED) + 1, last.seq) if last else []
        return [message for message in found if message.role]  # an erased one has none

    def summarise(self, store: Store, job: JobRecord) -> Plan:
        """Plan to turn the oldest messages of the working memory into an episode."""
        with store.read() as tx:
            before = mark(tx, SUMMARISED)
            first = _following(tx, before, self.settings.episode_messages)
            last = tx.messages.last()
        full = last is not None and last.seq - before > self.settings.working_messages
        said = [(m.name or m.role, m.content) for m in first if m.content.strip()]

        def act(store: Store, summary: str | None) -> None:
            with store.write() as tx:
                if not still_said(tx, first):
                    return  # something of it was erased: it is asked anew
                if full and mark(tx, SUMMARISED) == before:
                    if summary:
                        self._store_episode(tx, first, summary)
                    tx.meta.set(SUMMARISED, str(_end(tx, first)))
                if self._is_short(tx):
                    tx.jobs.drop(job.seq)

        ask = summarising.ask(said) if full and said else None
        return Plan(ask, lambda answer: summarising.read(answer, said), act)

    def _is_short(self, tx: Transaction) -> bool:
        last = tx.messages.last()
        length = (last.seq if last else 0) - mark(tx, SUMMARISED)
        return length <= self.settings.working_messages

    def _store_episode(self, tx: Transaction, said: Sequence[MessageRecord], text: str) -> None:
        learned = Learned(
            text=summarising.titled(said[0].said_at, text),
            topic="memory",
            messages=tuple(m.seq for m in said),
            kind="episode",
        )
        self.facts.add(tx, learned)

    # observing facts

    def observe(self, store: Store, job: JobRecord) -> Plan:
        """Plan to observe what the next messages do to the facts."""
        user, agent = self.settings.user_name, self.settings.agent_name
        with store.read() as tx:
            before, read_in = mark(tx, OBSERVED), tx
            tx.ahead(
                lambda soon: self._window(soon, before),
                lambda soon: soon.messages.between(before + 1 - EARLIER, before),
                lambda soon: soon.nodes.highest(),
                lambda soon: self.facts.in_mind(soon, 0.0, SHOWN),
                lambda soon: soon.facts.of_kinds(["core"], SHOWN),
                lambda soon: soon.facts.to_review(1),
            )
            window = self._window(tx, before)
            said, earlier = _spoken(window), self._earlier(tx, window)
            tx.ahead(lambda soon: soon.facts.learned_from(m.seq for m in earlier))
            known, erased = self._known(tx, window, earlier), tx.meta.get(ERASED)

        def act(store: Store, operations: list[observing.Operation] | None) -> None:
            with store.write() as tx:
                later = tx is not read_in
                if later and (not still_said(tx, window) or tx.meta.get(ERASED) != erased):
                    return  # something of it was erased: it is asked anew
                if mark(tx, OBSERVED) == before:
                    made: dict[str, str] = {}
                    for operation in operations or ():
                        self._apply(tx, operation, window, made)
                    tx.meta.set(OBSERVED, str(_end(tx, window)))
                    self.want_reviews(tx)  # a use or a request may have made one due
                last = tx.messages.last()
                if last is None or last.seq <= mark(tx, OBSERVED):
                    tx.jobs.drop(job.seq)

        worth = any(text.strip() for _, _, text in said)
        times = [m.said_at for m in window]
        ask = observing.ask(said, known, user, agent, _spoken(earlier), times)
        return Plan(ask if worth else None, lambda answer: observing.read(answer, ask), act)

    def _window(self, tx: Transaction, before: int) -> list[MessageRecord]:
        """Return the next messages of one conversation that fit into one question."""
        found = _following(tx, before, WINDOW)
        talk = list(takewhile(lambda m: m.talk == found[0].talk, found))
        room, most = 0, self.window
        for n, message in enumerate(talk):
            room += tokens(message.content)
            if n and room > most:
                return talk[:n]
        return talk

    def _earlier(self, tx: Transaction, window: Sequence[MessageRecord]) -> list[MessageRecord]:
        """Return the last messages of the conversation before those that are observed."""
        first = window[0] if window else None
        found = tx.messages.between(first.seq - EARLIER, first.seq - 1) if first else []
        return [m for m in found if m.role and first and m.talk == first.talk]

    def _known(
        self, tx: Transaction, window: Sequence[MessageRecord], earlier: Sequence[MessageRecord]
    ) -> list[Known]:
        """Return the facts an observer needs to see.

        They are like what is said, answer the same, or were learned just before; and those that a
        reply may have drawn on though nobody named them: what the last block for a prompt held,
        core ones, and what passes, of late.
        """
        said = _spoken(window)
        text = "\n".join(content for _, _, content in said)
        found = {r.n: r for r in self.facts.related(tx, text, SHOWN)}
        user, agent = self.settings.user_name, self.settings.agent_name
        for operation in observed(said, (), user=user, agent=agent, before=_spoken(earlier)):
            found |= {r.n: r for r in islice(self.facts.same_slot(tx, operation.text), SHOWN)}
        fresh = {n for _, n in tx.facts.learned_from(m.seq for m in earlier)}
        found |= {n: r for n in fresh if (r := _living(tx, name_of(n))) and r.kind in KINDS}
        given = map(name_of, self.given[: 2 * SHOWN])
        found |= {r.n: r for name in given if (r := _living(tx, name)) and r.kind in KINDS}
        late = min((m.said_at for m in window), default=0.0) - PASSING
        found |= {r.n: r for r in self.facts.in_mind(tx, late, SHOWN)}
        tx.facts.read_ahead(found)
        rows = [(record, tx.facts.get(record.n)) for record in found.values()]
        return [
            Known(name_of(r.n), r.text, fact.topic, bool(fact.verified) or r.kind == "core",
                  fresh=r.n in fresh)
            for r, fact in rows
            if fact
        ]  # fmt: skip

    def _apply(
        self,
        tx: Transaction,
        op: observing.Operation,
        window: Sequence[MessageRecord],
        made: dict[str, str],
    ) -> None:
        """Do an operation; `made` has the ids of facts that earlier ones of the window brought."""
        record = _living(tx, made.get(op.id, op.id)) if op.id else None
        if op.id and (record is None or record.kind == "system"):
            return
        if op.verb == "BOOST" and record:
            self.facts.boost(tx, record)
        elif op.verb == "DELETE" and record:
            self.facts.delete(tx, record)
        elif op.makes:
            made[op.makes] = name_of(self._kept(tx, op, record, window))

    def _kept(
        self,
        tx: Transaction,
        op: observing.Operation,
        former: NodeRecord | None,
        window: Sequence[MessageRecord],
    ) -> int:
        """Keep what an operation brings, in the place of a former fact; return its number."""
        learned = self._learned(op, window)
        if former:
            return self.facts.supersede(tx, former, learned)
        there = self.facts.saying(tx, op.text)
        return there.n if there else self.facts.add(tx, learned)

    def _learned(self, op: observing.Operation, window: Sequence[MessageRecord]) -> Learned:
        came_from = [m for m in window if m.role == "user"]
        if op.message is not None and 0 <= op.message < len(window):
            came_from = [window[op.message]]
        return Learned(op.text, op.topic, tuple(m.seq for m in came_from))

    # ageing and reviewing

    def age(self, store: Store, job: JobRecord) -> Plan:  # noqa: ARG002 (a step is given both)
        """Plan to do what days have done, a bounded number of memories at a time."""
        after = int(job.progress or 0)

        def act(store: Store, _: Any) -> None:
            with store.write() as tx:
                records = tx.facts.after(after, AGED_AT_ONCE)
                self.facts.age(tx, records, reviewed=self.settings.reviewer != "none")
                if records:
                    tx.jobs.progress(job.seq, str(records[-1].n))
                else:
                    tx.meta.set(AGED_AT, repr(self.clock()))
                    tx.jobs.drop(job.seq)
                    self.want_reviews(tx)

        return Plan(None, lambda answer: answer, act)

    def want_reviews(self, tx: Transaction) -> None:
        """See that facts that wait for a review get one, unless a person gives it."""
        by_us = self.settings.reviewer in ("auto", "rules")
        if by_us and tx.facts.to_review(1):
            self._add(tx, "review")

    def pending(self, tx: Transaction) -> list[Fact]:
        """Return the living facts that wait for a decision."""
        records = [tx.nodes.get(fact.node) for fact in tx.facts.to_review(-1)]
        return [self.facts.present(tx, record) for record in records if record]

    def review(self, store: Store, job: JobRecord) -> Plan:
        """Plan one round of the review of the next fact that waits for one."""
        progress = Reviewing.of(job.progress)
        with store.read() as tx:
            case, erased = self._case(tx, progress), tx.meta.get(ERASED)
        if case is None or progress.made >= self.settings.reviews_per_run:
            return Plan(None, lambda answer: answer, lambda store, _: _drop(store, job))

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

    def _case(self, tx: Transaction, progress: Reviewing) -> Case | None:
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
        self, tx: Transaction, case: Case, verdict: reviewing.Verdict, progress: Reviewing
    ) -> Reviewing:
        """Do what was decided, or go on to the next round."""
        record, fact = _living(tx, name_of(case.n)), tx.facts.get(case.n)
        if record is None or fact is None or fact.review != case.shown.kind:
            return Reviewing(progress.made + 1)  # it went, was used or decided on meanwhile
        words = progress.words_for(case.n)
        if verdict.search and len(words) + 1 < reviewing.ROUNDS:
            return Reviewing(progress.made, (*words, verdict.search), case.n)
        if verdict.decision is None:
            self.facts.leave_undecided(tx, record)
        else:
            self.decide(tx, record, verdict.decision.lower())
        return Reviewing(progress.made + 1)

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


@dataclass(frozen=True, slots=True)
class Case:
    """A fact under review, by its number, and what a reviewer is shown of it."""

    n: int
    shown: reviewing.Case


@dataclass(frozen=True, slots=True)
class Reviewing:
    """How far a review job has come: facts judged, and words searched for the one named."""

    made: int = 0
    searched: tuple[str, ...] = ()
    n: int = 0

    @classmethod
    def of(cls, text: str | None) -> Reviewing:
        """Read it from a job's progress."""
        made, searched, n = json.loads(text) if text else (0, [], 0)
        return cls(made, tuple(searched), n)

    def words_for(self, n: int) -> tuple[str, ...]:
        """Return the words searched for a fact, in earlier rounds."""
        return self.searched if self.n == n else ()

    def text(self) -> str:
        """Write it for a job's progress."""
        return json.dumps([self.made, list(self.searched), self.n], ensure_ascii=False)


def mark(tx: Transaction, name: str) -> int:
    """Return up to which message something has been done."""
    return int(tx.meta.get(name) or 0)


def _following(tx: Transaction, before: int, count: int) -> list[MessageRecord]:
    """Return the messages after one; numbers may have gaps, however wide."""
    return tx.messages.between(before + 1, before + count) or tx.messages.page(before, count)


def _end(tx: Transaction, messages: Sequence[MessageRecord]) -> int:
    """Return the number up to which all is done once some messages are; if none are left, all."""
    last = tx.messages.last()
    return messages[-1].seq if messages else last.seq if last else 0


def _spoken(messages: Sequence[MessageRecord]) -> list[Spoken]:
    return [(m.role, m.name, m.content) for m in messages]


def _living(tx: Transaction, node_id: str) -> NodeRecord | None:
    number = node_id.removeprefix("mem_")
    record = tx.nodes.get(int(number)) if number.isdecimal() else None
    return record if record and record.forgotten_at is None and tx.facts.get(record.n) else None


def _drop(store: Store, job: JobRecord) -> None:
    with store.write() as tx:
        tx.jobs.drop(job.seq)
