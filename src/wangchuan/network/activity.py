"""How much a node still takes part: its activity, and the states that follow from it.

Activity is no judgement of importance. It is made of behaviour alone: how many nodes lead here
and from here, how often this one was returned or passed, how recently, and how old it is. It is a
function of what was recorded, the time and the coefficients, so it is computed whenever it is
wanted and kept nowhere. Logarithms let much use count little more than some; exponentials let
recency wane without a jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log1p
from typing import Any

HOUR, DAY = 3600.0, 86_400.0
ACTIVE, COLD = "active", "cold"


@dataclass(frozen=True, slots=True)
class Coefficients:
    """How much each signal counts, and the bounds of the states, by the names of the settings."""

    activity_in_degree: float
    activity_out_degree: float
    activity_access: float
    activity_traverse: float
    activity_recent_access: float
    activity_recent_link: float
    activity_age: float
    activity_access_hours: float
    activity_link_hours: float
    activity_age_days: float
    theta_active: float
    theta_delete: float
    long_unaccessed_days: float
    merge_cold_days: float
    merge_max_degree: int

    @classmethod
    def of(cls, found: Any) -> Coefficients:
        """Take them from anything that has fields of these names."""
        return cls(**{name: getattr(found, name) for name in cls.__slots__})


@dataclass(frozen=True, slots=True)
class Signals:
    """What was recorded of one node; times are seconds since 1970, None means never."""

    in_degree: int = 0
    out_degree: int = 0
    access_count: int = 0
    traverse_count: int = 0
    created_at: float = 0.0
    last_accessed_at: float | None = None
    last_linked_at: float | None = None

    @classmethod
    def of(cls, found: Any) -> Signals:
        """Take them from anything that has fields of these names."""
        return cls(**{name: getattr(found, name) for name in cls.__slots__})

    def idle(self, now: float) -> float:
        """Return the seconds since it was last accessed; since it was made if it never was."""
        return elapsed(max(self.created_at, self.last_accessed_at or self.created_at), now)


def elapsed(since: float, now: float) -> float:
    """Return the seconds between two moments; 0 if the clock went back."""
    return max(0.0, now - since)


def terms(signals: Signals, now: float, coefficients: Coefficients) -> dict[str, float]:
    """Return the seven terms of a node's activity; their sum is its score."""
    c = coefficients
    return {
        "in_degree": c.activity_in_degree * log1p(max(0, signals.in_degree)),
        "out_degree": c.activity_out_degree * log1p(max(0, signals.out_degree)),
        "access": c.activity_access * log1p(max(0, signals.access_count)),
        "traverse": c.activity_traverse * log1p(max(0, signals.traverse_count)),
        "recent_access": c.activity_recent_access
        * _recency(signals.last_accessed_at, now, c.activity_access_hours * HOUR),
        "recent_link": c.activity_recent_link
        * _recency(signals.last_linked_at, now, c.activity_link_hours * HOUR),
        "age": -c.activity_age * elapsed(signals.created_at, now) / (c.activity_age_days * DAY),
    }


def _recency(last: float | None, now: float, constant: float) -> float:
    return 0.0 if last is None else exp(-elapsed(last, now) / constant)


def score(signals: Signals, now: float, coefficients: Coefficients) -> float:
    """Return a node's activity."""
    return sum(terms(signals, now, coefficients).values())


def state(activity: float, coefficients: Coefficients) -> str:
    """Return the state that an activity puts a node in: active or cold."""
    return ACTIVE if activity >= coefficients.theta_active else COLD


def is_deletable(signals: Signals, now: float, coefficients: Coefficients) -> bool:
    """Tell whether a node may be proposed for deletion: nothing and nobody comes here."""
    if signals.in_degree > 0 or signals.idle(now) < coefficients.long_unaccessed_days * DAY:
        return False
    return score(signals, now, coefficients) <= coefficients.theta_delete


def is_mergeable(signals: Signals, cold_since: float | None, now: float, c: Coefficients) -> bool:
    """Tell whether a node has been quiet for long enough, and alone enough, to be merged."""
    if cold_since is None or elapsed(cold_since, now) < c.merge_cold_days * DAY:
        return False
    return signals.in_degree + signals.out_degree <= c.merge_max_degree
