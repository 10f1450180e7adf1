"""Conversations with questions, read from files, and how an answer is scored.

A file has one JSON line per space (one conversation, or one user, and so one agent):

    {"space", "lang", "sessions": [{"at": ISO time, "messages": [{"id", "role", "name",
    "content"}]}], "questions": [{"id", "category", "question", "evidence": [[id, …], …]}]}

A question with "roles" has two groups of evidence, one of which replaced or contradicted the other.

A question scores the share of its groups of evidence of which at least one message is among the
first k distinct message ids of the answer. Several messages may share an id, such as a question
and its answer; they count as one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

DEPTHS = (5, 10, 20)
HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Turn:
    """One message; `at` is when its session was, in seconds since 1970."""

    id: str
    role: str
    name: str
    content: str
    at: float


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the ids that answer it: one of every group."""

    category: str
    text: str
    evidence: tuple[frozenset[str], ...]
    told: tuple[frozenset[str], ...] = ()  # the older and the newer, where one changed the other


@dataclass(frozen=True, slots=True)
class Space:
    """One conversation or user."""

    name: str
    language: str
    sessions: tuple[tuple[Turn, ...], ...]
    questions: tuple[Question, ...]

    @property
    def turns(self) -> list[Turn]:
        return [turn for session in self.sessions for turn in session]

    @property
    def asked_at(self) -> float:
        """Return when the questions are asked: an hour after the last session."""
        return max(turn.at for turn in self.turns) + HOUR

    @property
    def limit(self) -> int:
        """Return how many messages hold the deepest number of distinct ids, whatever they are."""
        return max(DEPTHS) * max(Counter(turn.id for turn in self.turns).values())


def found_files(names: Sequence[str], how: str) -> list[Path]:
    """Return the files named on the command line; ends with `how` to call it if there are none."""
    missing = [name for name in names if not Path(name).is_file()]
    if missing or not names:
        raise SystemExit("\n".join([*(f"there is no file {name}" for name in missing), how]))
    return [Path(name) for name in names]


def spaces(file: Path) -> list[Space]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [_space(json.loads(line)) for line in lines if line.strip()]


def _space(line: dict[str, Any]) -> Space:
    ids = [message["id"] for session in line["sessions"] for message in session["messages"]]
    order = {name: place for place, name in enumerate(ids)}
    return Space(
        name=line["space"],
        language=line["lang"],
        sessions=tuple(_session(session) for session in line["sessions"]),
        questions=tuple(_question(question, order) for question in line["questions"]),
    )


def _question(line: dict[str, Any], order: dict[str, int]) -> Question:
    evidence = tuple(map(frozenset, line["evidence"]))
    by_time = sorted(set(evidence), key=lambda group: max(order[name] for name in group))
    told = tuple(by_time) if "roles" in line and len(by_time) == 2 else ()
    return Question(line["category"], line["question"], evidence, told)


def _session(session: dict[str, Any]) -> tuple[Turn, ...]:
    at = datetime.fromisoformat(session["at"]).timestamp()
    return tuple(Turn(m["id"], m["role"], m["name"], m["content"], at) for m in session["messages"])


def share(evidence: Sequence[frozenset[str]], ranked: Iterable[str], depth: int) -> float:
    """Return the share of the groups of evidence found among the first distinct ids."""
    top = set(islice(dict.fromkeys(ranked), depth))
    return fmean(bool(group & top) for group in evidence)


def recall(scored: Sequence[tuple[Question, Sequence[str]]], depth: int) -> float:
    """Return the mean share of questions with their answers, in percent."""
    return 100 * fmean(share(question.evidence, ranked, depth) for question, ranked in scored)
