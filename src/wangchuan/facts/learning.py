"""Learning from what was said: observing facts, summarising episodes, and ageing them.

Each is a job of its own kind, added when there is something to do and done in steps like
everything else: a question to a model, an answer checked, one transaction. Two marks say how far
learning has come: up to which message facts were observed, and up to which one the working memory
was summarised. A message leaves the working memory only with the transaction that stores its
episode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import islice, takewhile

from wangchuan.facts.records import ERASED, KINDS, Facts, Learned, living
from wangchuan.facts.reviewing import Reviewing
from wangchuan.ids import name_of
from wangchuan.jobs.work import Plan
from wangchuan.language.facts.observer import Known, observed
from wangchuan.language.tokens import tokens
from wangchuan.network.ageing import DAY
from wangchuan.routines import observe as observing
from wangchuan.routines import summarise as summarising
from wangchuan.routines.grounding import Spoken
from wangchuan.settings import groups
from wangchuan.storage import JobRecord, MessageRecord, NodeRecord, Store, Transaction, still_said
from wangchuan.types import Clock, value

OBSERVED, SUMMARISED, AGED_AT = "observed", "summarised", "aged_at"  # notes of the store
WINDOW = 30  # messages observed at once
EARLIER = 12  # messages before these, by which they are understood
SHOWN = 12  # facts shown to an observer, for each reason
PASSING = 7 * DAY  # how long a state or a plan may be in mind unnamed
AGED_AT_ONCE = 200  # facts per transaction


@value
class Learning:
    """The work of learning on one agent's memory."""

    facts: Facts
    settings: groups.Learning
    window: int  # tokens of messages in one question
    clock: Clock
    reviewing: Reviewing
    given: list[int] = field(default_factory=list)  # facts in the last block for a prompt

    def want(self, tx: Transaction) -> None:
        """Add the jobs that learn from the last messages."""
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
        """Add the job that ages facts and episodes."""
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
                    self.reviewing.want(tx)  # a use or a request may have made one due
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
        before, at = _spoken(earlier), [m.said_at for m in window]
        for operation in observed(said, (), user=user, agent=agent, before=before, at=at):
            found |= {r.n: r for r in islice(self.facts.same_slot(tx, operation.text), SHOWN)}
        fresh = {n for _, n in tx.facts.learned_from(m.seq for m in earlier)}
        found |= {n: r for n in fresh if (r := living(tx, name_of(n))) and r.kind in KINDS}
        given = map(name_of, self.given[: 2 * SHOWN])
        found |= {r.n: r for name in given if (r := living(tx, name)) and r.kind in KINDS}
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
        record = living(tx, made.get(op.id, op.id)) if op.id else None
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

    # ageing

    def age(self, _: Store, job: JobRecord) -> Plan:
        """Plan to age a bounded number of facts and episodes by the days that went by."""
        return Plan.of(lambda tx: self._age(tx, job))

    def _age(self, tx: Transaction, job: JobRecord) -> None:
        records = tx.facts.after(int(job.progress or 0), AGED_AT_ONCE)
        self.facts.age(tx, records, reviewed=self.settings.reviewer != "none")
        if records:
            tx.jobs.progress(job.seq, str(records[-1].n))
        else:
            tx.meta.set(AGED_AT, repr(self.clock()))
            tx.jobs.drop(job.seq)
            self.reviewing.want(tx)


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
