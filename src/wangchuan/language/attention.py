"""Attention without a model: which lines of a long working log are worth keeping.

A log is cut into lines, long lines into sentences. Each is scored by what it tells: a fixed error
10, a file made or changed 8, a test result 7, a decision or finding 6, a change of state 5,
thinking aloud 2 (see `scores`).

Compacting keeps every event above 6, in the order of time, each fix with the problem before it. Of
a line said several times the last one stays. Then, while there is room: how things stand, the
decisions, and what was said last. What was compacted before carries its scores and is compacted
again like the rest. If there are too many events for the room they are shortened, the early ones
first; only if even so they take twice the room do the least important of the oldest go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wangchuan.language.fit import fit
from wangchuan.language.scores import scored, tells_of_a_problem
from wangchuan.language.text import language, segments
from wangchuan.language.tokens import tokens
from wangchuan.patterns import regex
from wangchuan.types import value

HIGH = 7  # events from this score on are always kept
LONGEST, SHORTEST = 240, 40  # characters of one event: at most, and at least if room is short
TARGET = 8000  # estimated tokens of a compact memory
NEAR = 40  # lines before a fix in which its problem is looked for
STATES = 5  # lines about how things stand
RECENT = 0.1  # the share of a log that counts as recent
DETAIL = 0.25  # the share of the room that its details may take
OVERFULL = 2  # how many times the room the important events may take before any of them goes
SAMPLE = 20_000  # characters that tell the language

_BULLET = regex(r"^\s*(?:[-*+•]|\d{1,3}[.)、])\s+")
_SCORED = regex(r"^\s*[-*]\s*\[(\d{1,2})\]\s*(.+)$")
_HEADING = regex(r"^\s*#{1,6}\s")
_FENCE = regex(r"^\s*(?:```|~~~)")
WORDS = {
    "zh": {"state": "状态", "events": "关键事件", "recent": "最近", "open": "未解决"},
    "en": {"state": "State", "events": "Key events", "recent": "Recent", "open": "Open"},
}


@value
class Line:
    """One line of a log: where it stands, what it tells and is worth, and what it solved."""

    place: int
    text: str
    kind: str
    score: int
    problem: str = ""

    @property
    def key(self) -> str:
        """Return what two lines that say the same have in common."""
        return " ".join(self.text.casefold().split()).rstrip(".。!！;； ")


def lines_of(messages: Sequence[Mapping[str, Any]], before: str = "") -> list[Line]:
    """Return all lines of what was compacted before and of the messages, in order."""
    found = [*_earlier(before)]
    for message in messages:
        for text, origin in _pieces(message):
            kind, score = scored(text, output=bool(origin))
            found.append(Line(len(found), text, origin if origin and score < HIGH else kind, score))
    return found


def _earlier(before: str) -> Iterator[Line]:
    """Return the lines of a compact memory; those without a score have proved their worth."""
    place = 0
    for line in before.splitlines():
        if line.strip() and not _HEADING.match(line):
            known = _SCORED.match(line)
            text, score = (known[2], int(known[1])) if known else (_BULLET.sub("", line), HIGH)
            yield Line(place, text.strip(), "earlier", score)
            place += 1


def _pieces(message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Return the lines of a message, and where each is from: "code", "output", or "" if said."""
    origin, fenced = "output" if message.get("role") == "tool" else "", False
    for line in str(message.get("content", "")).splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            continue
        text = " ".join(_BULLET.sub("", line).split())
        for piece in segments(text, LONGEST) if len(text) > LONGEST else filter(None, [text]):
            yield piece, "code" if fenced else origin


def important(messages: Sequence[Mapping[str, Any]], before: str = "") -> list[Line]:
    """Return the events that must be kept, oldest first; of repeated ones the last."""
    return [line for line in _newest(lines_of(messages, before)) if line.score >= HIGH]


def _newest(lines: Iterable[Line]) -> list[Line]:
    """Return lines without repetitions: the last of each stays."""
    last = {line.key: line for line in lines}
    return sorted(last.values(), key=lambda line: line.place)


def compacted(messages: Sequence[Mapping[str, Any]], before: str = "", target: int = TARGET) -> str:
    """Return the compact memory of a log; a log that is shorter than it comes back whole."""
    whole = "\n".join(filter(None, [before.strip(), plain_log(messages)]))
    lines = lines_of(messages, before)
    if not lines:
        return whole
    tongue = WORDS[language(whole[-SAMPLE:])]
    text = _Choice(lines, target).written(tongue)
    return text if tokens(text) < tokens(whole) else whole


def plain_log(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return messages as lines of who said what."""
    return "\n".join(f"{m.get('role', 'user')}: {m.get('content', '')}" for m in messages).strip()


class _Choice:
    """The lines of a log that are kept, within a room of so many tokens."""

    def __init__(self, lines: list[Line], target: int) -> None:
        self._all, self._room = lines, target
        unique = _newest(lines)
        self.events = self._within(self._with_problems([n for n in unique if n.score >= HIGH]))
        self._room -= sum(_size(line) for line in self.events)
        self.open = self._unsolved()
        kept = {line.key for line in [*self.events, *self.open]}
        rest = [line for line in unique if line.key not in kept]
        begins = lines[-1].place - max(STATES, int(len(lines) * RECENT))
        self.state = self._fitting([n for n in rest if n.kind == "state"][-STATES:])
        self.events += self._fitting([n for n in rest if n.score == HIGH - 1])
        self.events.sort(key=lambda line: line.place)
        taken = {line.key for line in [*self.events, *self.state]}
        late = [n for n in rest if n.place >= begins and n.kind not in ("code", "output")]
        self._room = min(self._room, int(target * DETAIL))
        self.recent = self._fitting([n for n in late if n.key not in taken])

    def written(self, words: Mapping[str, str]) -> str:
        """Return the choice as text."""
        state = [*self.state, *(replace(n, text=f"{words['open']}: {n.text}") for n in self.open)]
        parts = (("state", state), ("events", self.events), ("recent", self.recent))
        return "\n".join(
            f"## {words[name]}\n" + "\n".join(_bullet(line) for line in lines)
            for name, lines in parts
            if lines
        )

    def _with_problems(self, events: list[Line]) -> list[Line]:
        """Return the events, each fix with the problem it solved if that stands close before it."""
        found, used = [], -1
        for event in events:
            near = self._all[max(used + 1, event.place - NEAR) : event.place]
            problem = next((n for n in reversed(near) if _is_problem(n)), None)
            if event.kind == "fix" and problem is not None:
                used = problem.place
                event = replace(event, problem=problem.text)
            found.append(event)
        return found

    def _unsolved(self) -> list[Line]:
        """Return the last problem, if nothing was fixed after it."""
        solved = max((n.place for n in self._all if n.kind == "fix"), default=-1)
        left = [n for n in self._all if n.place > solved and _is_problem(n)]
        return left[-1:]

    def _within(self, events: list[Line]) -> list[Line]:
        """Return the events shortened until they fit: the early ones first, problems before."""
        early, length = len(events) * 3 // 4, LONGEST
        if self._exceeded(events):
            events = [replace(n, problem="") if at < early else n for at, n in enumerate(events)]
        while self._exceeded(events) and length > SHORTEST:
            length = max(SHORTEST, length * 3 // 4)
            events = [
                replace(n, text=fit(n.text, length)) if at < early or length == SHORTEST else n
                for at, n in enumerate(events)
            ]
        return self._fewer(events)

    def _exceeded(self, events: list[Line]) -> bool:
        return sum(map(_size, events)) > self._room

    def _fewer(self, events: list[Line]) -> list[Line]:
        """Return as many of the events as may stay: they may take more room than was meant."""
        size = sum(map(_size, events))
        for least in sorted(events, key=lambda line: (line.score, line.place)):
            if size <= self._room * OVERFULL:
                break
            size -= _size(least)
            events = [line for line in events if line is not least]
        return events

    def _fitting(self, lines: list[Line]) -> list[Line]:
        """Return as many of the newest lines as there is room for."""
        kept: list[Line] = []
        for line in reversed(lines):
            short = replace(line, text=fit(line.text, LONGEST))
            if _size(short) > self._room:
                break
            self._room -= _size(short)
            kept.append(short)
        return kept[::-1]


def _is_problem(line: Line) -> bool:
    return line.score < HIGH and line.kind != "code" and tells_of_a_problem(line.text)


def _size(line: Line) -> int:
    return tokens(_bullet(line)) + 1


def _bullet(line: Line) -> str:
    problem = f"{fit(line.problem, LONGEST)} → " if line.problem else ""
    return f"- [{line.score}] {problem}{line.text}"


def surroundings(present: str, messages: Sequence[Mapping[str, Any]], target: int) -> str:
    """Return a description of the world with what changed in it: files, results, states.

    What was there stays; of what this function added, the oldest goes if there is no room.
    """
    changes = [n for n in _newest(lines_of(messages)) if n.kind in ("fix", "file", "test", "state")]
    known = {" ".join(line.casefold().split()) for line in present.splitlines()}
    fresh = [f"- {fit(n.text, LONGEST)}" for n in changes]
    fresh = [line for line in fresh if " ".join(line.casefold().split()) not in known]
    while fresh and tokens(present) + sum(map(tokens, fresh)) > target:
        fresh.pop(0)
    return "\n".join([*([present.rstrip("\n")] if present.strip() else []), *fresh])
