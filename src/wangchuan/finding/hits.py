"""Which of the messages that search found are told, and with which turns beside them.

One measure decides: how much a message holds of what the question names (`matter`). The best must
hold enough, or nothing was ever said of it; others must come near the best. Who asks for a number
is not answered by what has none. A reply of the agent is told after the turn it replies to, and
only if it holds more than what people said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wangchuan.finding.exchange import AHEAD, Exchange, Figure, is_reply
from wangchuan.finding.found import Found
from wangchuan.finding.latest import PAST
from wangchuan.finding.matter import BESIDE, Matter
from wangchuan.finding.telling import question_of
from wangchuan.language.facts.answering import may_answer, sets_right
from wangchuan.language.terms import terms
from wangchuan.patterns import regex
from wangchuan.storage import MessageRecord, Transaction
from wangchuan.types import value

MOST = 0.8  # of what the best hit holds: those that hold so much are as good
HEAVY = 0.5  # of what speaks for the best hit: the last that has so much is the last told
STATES = 0.6  # of what must be held, where the figure that is asked for is stated
LENT = 0.5  # of what the turns around a message hold, beside 1 for what it holds itself
SOON = 8  # messages after one in which its speaker may put it right
TURN = 2  # messages
MOST_BY_NAME = 3  # that have the name of somebody, and nothing of what is asked of him
SEVERAL = regex(r"[，,。.;；]\s{0,2}\w")  # parts of a message


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """A message that was found, how much of the topic it holds, and what is told with it."""

    found: Found
    share: float
    before: MessageRecord | None = None  # the turn that it answers
    later: MessageRecord | None = None  # in which its speaker put it right
    after: tuple[MessageRecord, ...] = ()  # turns that go on from it

    @property
    def record(self) -> MessageRecord:
        """Return the message."""
        return self.found.record

    @property
    def beside(self) -> set[int]:
        """Return the turns that are told with it."""
        return {turn.seq for turn in (self.before, *self.after) if turn}


@value
class Hits:
    """How hits are chosen to answer one question."""

    tx: Transaction
    matter: Matter
    figure: Figure
    meant: Mapping[int, float]  # messages that are near in meaning, and how near
    replies: bool = True  # whether it is asked for what the agent said, too

    def near(self, found: list[Found]) -> tuple[list[Hit], list[Hit]]:
        """Return the hits that are told, and others; only others, if these state no number."""
        exchange, least = self._exchange(found), self.matter.least
        every = [self._hit(one, exchange) for one in found]
        hits = self._of_more_than_names([hit for hit in every if not self._is_open(hit)])
        if not any(map(self._answers, hits)):
            return [], [hit for hit in every if hit.share >= least and self._is_open(hit)]
        heavy = HEAVY * max(hit.found.score.total for hit in hits)
        last = max(n for n, hit in enumerate(hits) if hit.found.score.total >= heavy)
        first = hits[: last + 1] if any(map(self._answers, hits[: last + 1])) else hits
        best = max(hit.share for hit in first)
        near = [h for h in first if h.share >= BESIDE * best or self._states(h, heavy)]
        near += [hit for hit in hits[len(first) :] if hit.record.seq in self.meant]
        near = self._of_kind(self._without_replies(near))
        near = once([hit if hit.share >= MOST * best else replace(hit, after=()) for hit in near])
        told = {hit.record.seq for hit in near}
        rest = [hit for hit in hits if hit.record.seq not in told]
        if PAST.search(self.figure.query):
            return near, rest  # how it was is asked for
        return set_right(self.tx, self.matter, near), rest

    def _states(self, hit: Hit, heavy: float) -> bool:
        """Tell whether a hit that much speaks for states the figure or whoever is asked for.

        "When is it finished?" names nothing but what was finished: a verb tells little by itself,
        beside a date it tells enough.
        """
        told = hit.share > 0 and not is_reply(hit.record) and self._is_asked_for(hit)
        return told and hit.found.score.total >= heavy

    def _of_more_than_names(self, hits: list[Hit]) -> list[Hit]:
        """Return the hits that hold more than a name, if something else was said of what is asked.

        A figure that is asked for is more, too. What does not hold the name tells of others. If a
        thing is asked of somebody that was never named, none of those is an answer.
        """
        named = [hit for hit in hits if self._is_of_named(hit) or self._is_asked_for(hit)]
        for some in (named, hits):
            more = [hit for hit in some if self._is_figure(hit) or not self._is_by_name(hit)]
            if any(map(self._answers, more)):
                return more
            if self.matter.is_met and any(map(self._answers, some)):
                return some[:MOST_BY_NAME]
        return [] if not self.matter.is_met else hits

    def _of_kind(self, hits: list[Hit]) -> list[Hit]:
        """Return the hits that state a time or name somebody, where that is asked for.

        Of times those that state one themselves, else those that do with the turns beside them; all
        of them, if none does that holds as much as others.
        """
        best = MOST * max((hit.share for hit in hits), default=0.0)
        alone = list(filter(self._is_figure, hits))
        stating = [hit for hit in hits if self.figure.is_of_kind(self._told(hit))]
        for some in (alone, stating):
            if any(hit.share >= best for hit in some):
                return some
        return hits

    def _is_figure(self, hit: Hit) -> bool:
        return self.figure.is_asked and not self.figure.is_lacking(hit.record.content)

    def _is_asked_for(self, hit: Hit) -> bool:
        return self.figure.is_kind_asked and self.figure.is_stated(hit.record.content)

    def _is_of_named(self, hit: Hit) -> bool:
        return self.matter.is_of_named(terms(self._told(hit)))

    def _is_by_name(self, hit: Hit) -> bool:
        return self.matter.is_by_name(terms(self._told(hit)))

    def _told(self, hit: Hit) -> str:
        return "\n".join(turn.content for turn in (hit.before, hit.record, *hit.after) if turn)

    def _without_replies(self, hits: list[Hit]) -> list[Hit]:
        """Return hits without the replies that hold no more than people said, unless asked for."""
        said = max((hit.share for hit in hits if not is_reply(hit.record)), default=0.0)
        return [h for h in hits if self.replies or not is_reply(h.record) or h.share > said]

    def _exchange(self, found: list[Found]) -> Exchange:
        wanted = {one.record.seq + far for one in found for far in range(-1, AHEAD + 1)}
        turns = {record.seq: record for record in self.tx.messages.of(wanted)}
        held = {one.record.seq: one.score.matched for one in found}
        return Exchange(self.figure, turns, held, with_replies=self.replies)

    def _hit(self, found: Found, exchange: Exchange) -> Hit:
        record, held = found.record, found.score.matched
        own = max(self.matter.share(held), self.meant.get(record.seq, 0.0))
        before = exchange.before(record)
        after = exchange.after(record, self.matter.worth.keys() - held) if own else ()
        if before and (asked := question_of(before.content)):
            both = self.matter.share({*held, *terms(asked)})
            if both > own:
                return Hit(found, both, before, after=after)
        return Hit(found, own, before if own and is_reply(record) else None, after=after)

    def _answers(self, hit: Hit) -> bool:
        """Tell whether a hit holds enough: less will do if it states the figure asked for."""
        told = (hit.record, *hit.after)
        states = self.figure.is_asked and not self.figure.is_lacking(told[-1].content)
        least = self.matter.least * (STATES if states and self.matter.naming else 1.0)
        return self._around(hit) >= least

    def _is_open(self, hit: Hit) -> bool:
        return self.figure.is_open(turn.content for turn in (hit.record, *hit.after))

    def _around(self, hit: Hit) -> float:
        """Return how much a hit and, in part, the turns around it hold of what is asked."""
        more = self.matter.share(hit.found.score.around) - hit.share
        return hit.share + LENT * max(0.0, more) if hit.share else 0.0


def once(hits: list[Hit]) -> list[Hit]:
    """Return hits without those that another one tells, too.

    A reply to a turn that is told goes on from it.
    """
    told: set[int] = set()
    kept: dict[int, Hit] = {}
    for hit in sorted(hits, key=_rank):
        record = hit.record
        if record.seq in told:
            continue
        if is_reply(record) and (asked := kept.get(record.seq - 1)):
            kept[asked.record.seq] = replace(asked, after=(record, *asked.after))
        elif not (is_reply(record) and told & hit.beside):
            kept[record.seq] = hit
        told |= {record.seq, *hit.beside}
    beside = {seq for hit in kept.values() for seq in hit.beside}
    return [
        _joined(kept[hit.record.seq], kept)
        for hit in hits
        if hit.record.seq in kept and hit.record.seq not in beside
    ]


def _joined(hit: Hit, others: Mapping[int, Hit]) -> Hit:
    """Return a hit that goes on as far as the last turn it is told with, if that is one, too."""
    last = others.get(hit.after[-1].seq) if hit.after else None
    return replace(hit, after=(*hit.after, *last.after)) if last else hit


def _rank(hit: Hit) -> tuple[float, bool, bool]:
    """Return what hits are sorted by: of equals people's go first, and answers to a question."""
    return -hit.share, is_reply(hit.record), hit.before is None


def putting_right(record: MessageRecord, said: Sequence[MessageRecord]) -> MessageRecord | None:
    """Return the last of some messages in which the speaker of an earlier one puts it right."""
    last = None
    for other in said if record.role == "user" else ():
        at_once = other.talk == record.talk and other.seq - record.seq <= TURN
        if other.seq > record.seq and sets_right(other.content, (last or record).content, at_once):
            last = other
    return last


def set_right(tx: Transaction, matter: Matter, hits: list[Hit]) -> list[Hit]:
    """Return hits with what their speakers put right soon after; such a hit hides the other."""
    there = {hit.record.seq for hit in hits}
    soon = {n + far for n in there for far in range(SOON + 1)}
    said = [record for record in tx.messages.of(soon) if record.role == "user"]
    turning = [record for record in said if may_answer(record.content)]
    later = {hit: _later(hit.record, turning, matter) for hit in hits}
    found = [replace(hit, later=now, after=()) if now else hit for hit, now in later.items()]
    return [hit for hit in found if hit.later is None or hit.later.seq not in there]


def renewed(hits: list[Hit], since: Mapping[int, MessageRecord]) -> list[Hit]:
    """Return hits with what was said since in their place, each such statement once."""
    told = {hit.record.seq for hit in hits} | {hit.later.seq for hit in hits if hit.later}
    kept: list[Hit] = []
    for hit in hits:
        later = None if hit.later else since.get(hit.record.seq)
        if later is None:
            kept.append(hit)
        elif later.seq not in told:
            told.add(later.seq)
            kept.append(replace(hit, later=later, after=()))
    return kept


def _later(
    record: MessageRecord, turning: Sequence[MessageRecord], matter: Matter
) -> MessageRecord | None:
    """Return what puts a message right, unless it speaks of another part than is asked for."""
    later = putting_right(record, turning)
    if later is None:
        return None
    said, of = set(terms(record.content)), set(terms(later.content))
    asked = said & matter.worth.keys()
    parts = SEVERAL.search(record.content)
    return None if parts and said & of and asked and asked.isdisjoint(of) else later
