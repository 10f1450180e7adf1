"""What is told with a message that was found, so that it can be understood and answers.

People talk in turns of few words: what a reply replies to, the answer to a question and a turn that
begins with "he" say little without the other. So a message that was found is told with the turn it
answers, and, where it leaves open some of what is asked, with the turns that go on from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set

from wangchuan.finding.telling import question_of
from wangchuan.language.clauses import names_in
from wangchuan.language.dates.spans import spans
from wangchuan.language.facts.figures import figures
from wangchuan.language.kinds import is_person
from wangchuan.language.numerals import values
from wangchuan.language.terms import terms
from wangchuan.language.text import words
from wangchuan.patterns import regex
from wangchuan.storage import MessageRecord
from wangchuan.types import value

AHEAD = 4  # messages after one in which it may go on

_WHEN = regex(
    r"什么时候|何时|哪一?[天年月日]|[几哪]号|几[点月]|多久|(?:周|星期)几"
    r"|(?:\A|[,.;:!?] )\W{0,3}(?:\w{1,20} )?"
    r"(?:when|(?:what|which) (?:day|date|time|year|month)s?)\b",
    re.IGNORECASE,
)
_HOW_MUCH = regex(
    r"多少|几|多[长高重远]|\bhow (?:many|much|old|far|long|heavy|expensive|tall|big|often)\b",
    re.IGNORECASE,
)
WHO = regex(r"谁|哪个人|家里|\bwho", re.IGNORECASE)
_HOW_MANY = regex(r"[几个只条位名]|多少人|\bhow (?:many|long|often)\b", re.IGNORECASE)
_ONE = regex(r"\b(?:an?|one|no|half)\b|[一半没无]", re.IGNORECASE)
_TODAY = regex(r"今天|\btoday\b", re.IGNORECASE)
_HALF = regex(r"\bhalf an?\b|半个?(?:小时|钟头|天|年|月)", re.IGNORECASE)
_LEANS = regex(
    r"\W{0,3}(?:(?:yes|no|right|and|but|so|then|afterwards)\W{1,3})?"
    r"(?:(?:s?he|they|it)(?! is| has|['’]s)|his|hers?|their)\b"
    r"|exactly|(?:然后|后来|结果)?\w?[他她它]|[对是嗯]的?[，,。]",
    re.IGNORECASE,
)


@value
class Figure:
    """The time or the number that a question asks for, if it asks for one."""

    query: str
    now: float

    @property
    def is_asked(self) -> bool:
        """Tell whether a time or a number is asked for."""
        return bool(_WHEN.search(self.query) or _HOW_MUCH.search(self.query))

    @property
    def is_kind_asked(self) -> bool:
        """Tell whether a time, a number or somebody is asked for."""
        return self.is_asked or bool(WHO.search(self.query))

    def is_lacking(self, text: str) -> bool:
        """Tell whether a time or a number is asked for that a text does not state."""
        if _WHEN.search(self.query):
            text = _TODAY.sub(" ", text)
            timed = spans(text, self.now) or any(f.kind in ("day", "hour") for f in figures(text))
            return not timed and not any(v.startswith("day") for v in values(text))
        stated = self._numbers(text) or _HALF.search(text)
        return bool(_HOW_MUCH.search(self.query)) and not stated

    def _numbers(self, text: str) -> set[str]:
        """Return the numbers of a text that the question does not give, and no part of a date."""
        for span in reversed(spans(text, self.now)):
            text = text[: span.start] + " " + text[span.end :]
        return values(text) - values(self.query)

    def is_told(self, text: str) -> bool:
        """Tell whether a text states what is asked for, if a time or a number is."""
        return not self.is_lacking(text) or bool(_HOW_MANY.search(self.query) and _ONE.search(text))

    def is_of_kind(self, text: str) -> bool:
        """Tell whether a text states a time, or names somebody, if that is asked for."""
        if _WHEN.search(self.query):
            return not self.is_lacking(text)
        if not WHO.search(self.query):
            return True
        named = {*names_in(words(text))} - {word.text for word in words(self.query)}
        return bool(named) or any(map(is_person, terms(text)))

    def is_stated(self, text: str) -> bool:
        """Tell whether a text states what is asked for, a figure or somebody, if either is."""
        return self.is_told(text) and self.is_of_kind(text)

    def is_open(self, texts: Iterable[str]) -> bool:
        """Tell whether a number is asked for that no text states, so that they are no answer.

        Of times nobody can be sure: people tell them in many ways, and a message has its own. How
        many there are is told by "a" and "no", too.
        """
        if _WHEN.search(self.query) or not _HOW_MUCH.search(self.query):
            return False
        return not any(map(self.is_told, texts))


@value
class Exchange:
    """The turns around messages that were found, as seen from one question."""

    figure: Figure
    turns: Mapping[int, MessageRecord]
    held: Mapping[int, Set[str]]  # terms of the question, by the messages that hold them
    with_replies: bool = False  # whether what the agent said is asked for

    def before(self, record: MessageRecord) -> MessageRecord | None:
        """Return the turn right before a message, in the same conversation."""
        return self.turns.get(record.seq - 1) if record.place else None

    def after(self, record: MessageRecord, left: Set[str]) -> tuple[MessageRecord, ...]:
        """Return the turns that go on from a message: so far as to tell the figure asked for.

        If it is told, or none is asked for, one step, if terms of the question are `left`.
        """
        figure = self.figure
        if not figure.is_asked and not left:
            return ()
        steps = list(self._steps(record, left))
        many = 1 if left else 0
        if figure.is_lacking(record.content):
            lacking = [figure.is_lacking(step[-1].content) for step in steps]
            many = lacking.index(False) + 1 if False in lacking else 0
        return tuple(turn for step in steps[:many] for turn in step)

    def _steps(self, record: MessageRecord, left: Set[str]) -> Iterator[list[MessageRecord]]:
        """Yield what goes on from a message, step by step.

        A step is the answer to a question, or another turn of the same speaker that leans on the
        last one, holds some of what is left, or tells the figure that is lacking.
        """
        last, lacking = record, self.figure.is_lacking(record.content)

        def tells(turn: MessageRecord) -> bool:
            return lacking and not self.figure.is_lacking(turn.content)

        while last.seq < record.seq + AHEAD:
            ahead = (self.turns.get(last.seq + far) for far in (1, 2))
            one, two = (turn if turn and turn.talk == record.talk else None for turn in ahead)
            if one and self._answers(one, last):
                step = [one]
            elif one and two and not is_reply(two) and question_of(one.content):
                step = [one, two]
            elif two and _is_of(two, last) and (tells(two) or self._goes_on(two, left)):
                step = [two]
            else:
                return
            yield step
            last = step[-1]

    def _answers(self, turn: MessageRecord, last: MessageRecord) -> bool:
        if is_reply(turn):
            return self.with_replies and not is_reply(last)
        return bool(question_of(last.content))

    def _goes_on(self, turn: MessageRecord, left: Set[str]) -> bool:
        leans = _LEANS.match(turn.content)
        return bool(leans) or not left.isdisjoint(self.held.get(turn.seq, ()))


def _is_of(turn: MessageRecord, last: MessageRecord) -> bool:
    """Tell whether a turn is of the same speaker as another, and no reply."""
    return not is_reply(turn) and turn.role == last.role


def is_reply(record: MessageRecord) -> bool:
    """Tell whether a message is the agent's; one with a name is of somebody who has a say."""
    return record.role == "assistant" and not record.name
