"""Trials: two versions of a page, tried against each other.

A key (a user, a conversation) is always given the same version: half of the keys one version, half
the other. Outcomes are counted, and the verdict says whether one version is surely better.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Any

from wangchuan.arguments import a_number, a_text
from wangchuan.errors import InvalidInput, NotFound, StorageError
from wangchuan.notebook.desk import Desk
from wangchuan.types import value

ARMS = ("a", "b")
MOST = 10**15  # outcomes; more cannot have been counted
Z = 1.96  # standard deviations of a 95 % interval


@value
class Arm:
    """One side of a trial: the version tried, and how it went."""

    version: int
    good: int = 0
    bad: int = 0

    @property
    def count(self) -> int:
        """Return the number of outcomes."""
        return self.good + self.bad

    @property
    def rate(self) -> float | None:
        """Return the share of good outcomes; None if there are none."""
        return self.good / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float]:
        """Return between which shares the true one lies, with 95 % confidence (Wilson)."""
        if not self.count:
            return 0.0, 1.0
        n, share = self.count, self.good / self.count
        middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)


@value
class Trial:
    """Two versions of a page, tried side by side."""

    name: str
    page: str
    a: Arm
    b: Arm
    open: bool = True
    began: float = field(default=0.0)

    def arm_of(self, key: str) -> str:
        """Return which side a key belongs to, always the same."""
        a_text(key, "a key")
        digest = hashlib.sha256(f"{self.name}\x00{key}".encode("utf-8", "replace")).digest()
        return ARMS[digest[0] & 1]

    def version_for(self, key: str) -> int:
        """Return the version a key is given."""
        arm: Arm = getattr(self, self.arm_of(key))
        return arm.version

    @property
    def verdict(self) -> str:
        """Return in words what can be said: "a", "b" or "undecided"."""
        if self.a.interval[0] > self.b.interval[1]:
            return "a"
        return "b" if self.b.interval[0] > self.a.interval[1] else "undecided"


class Trials:
    """The trials of one agent."""

    def __init__(self, path: Path, desk: Desk) -> None:
        self._path, self._desk = path, desk

    def all(self) -> dict[str, Trial]:
        """Return all trials by name."""
        text = self._desk.read(self._path)
        try:
            return {name: _trial(value) for name, value in json.loads(text or "{}").items()}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StorageError(f"{self._path} holds no trials: mend or remove it") from error

    def get(self, name: str) -> Trial:
        """Return one trial, or raise NotFound."""
        found = self.all()
        if a_text(name, "the name of a trial") not in found:
            raise NotFound(f"no trial is called {name!r:.60}; there are: {', '.join(found) or '-'}")
        return found[name]

    def start(self, trial: Trial) -> Trial:
        """Begin a trial; raises InvalidInput if the name is taken or the versions are the same."""
        if not isinstance(trial, Trial):
            raise InvalidInput(f"a trial is a Trial, not {type(trial).__name__}")
        _checked(trial)
        if trial.a.version == trial.b.version:
            raise InvalidInput("a trial needs two different versions")
        with self._changing() as trials:
            if trial.name in trials:
                raise InvalidInput(f"a trial called {trial.name!r} is there already")
            trials[trial.name] = trial
        return trial

    def count(self, name: str, key: str, good: bool) -> Trial:
        """Count an outcome for the side that a key belongs to."""
        trial = self.get(name)
        if not isinstance(good, bool):
            raise InvalidInput(f"good must be True or False, not {type(good).__name__}")

        def counted(arm: Arm) -> Arm:
            return replace(arm, good=arm.good + good, bad=arm.bad + (not good))

        return self._change(name, trial.arm_of(key), counted)

    def end(self, name: str) -> Trial:
        """End a trial: from now on all keys are given the newest version."""
        self.get(name)
        with self._changing() as trials:
            trials[name] = replace(trials[name], open=False)
            return trials[name]

    def _change(self, name: str, arm: str, change: Callable[[Arm], Arm]) -> Trial:
        with self._changing() as trials:
            trial = trials[name]
            if not trial.open:
                raise InvalidInput(f"the trial {name!r} has ended; its counts stay as they are")
            sides = {side: getattr(trial, side) for side in ARMS}
            sides[arm] = change(sides[arm])
            trials[name] = replace(trial, a=sides["a"], b=sides["b"])
            return trials[name]

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Trial]]:
        with self._desk.locked():
            trials = self.all()
            yield trials
            found = {name: asdict(trial) for name, trial in trials.items()}
            self._desk.write(self._path, json.dumps(found, ensure_ascii=False, indent=2) + "\n")


def _trial(value: Mapping[str, Any]) -> Trial:
    return _checked(Trial(**{**value, "a": Arm(**value["a"]), "b": Arm(**value["b"])}))


def _checked(trial: Trial) -> Trial:
    """Return a trial that can be kept, or raise InvalidInput."""
    a_text(trial.name, "the name of a trial")
    a_text(trial.page, "the page of a trial")
    a_number(trial.began, "began")
    arms = (trial.a, trial.b)
    counts = [n for arm in arms if isinstance(arm, Arm) for n in (arm.version, arm.good, arm.bad)]
    if len(counts) < 6 or not all(type(n) is int and 0 <= n < MOST for n in counts):
        raise InvalidInput("a trial compares two arms: numbers of versions, and counts")
    return trial
