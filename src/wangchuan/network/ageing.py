"""How days wear facts and episodes away: one policy per kind, and the arithmetic.

A weight is what it was when the node was last used, times a factor for every full day beyond
the free ones. Nothing accumulates: run daily, hourly or once after a month, the result is the
same. A clock that goes back un-ages nothing, because the days already counted are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

DAY = 86_400.0
PROTECTED = 3.0  # a weight that never wears away
BOOST, PROMOTE_AT, KEPT = 0.3, 2.5, 0.5
DIGITS = 6  # weights move by tenths: 1.9 + 0.3 + 0.3 reaches 2.5


@dataclass(frozen=True, slots=True)
class Policy:
    """What days do to one kind of memory; None: nothing."""

    factor: float | None = None
    free_days: int = 7
    gone_after: int | None = None  # days
    review_below: float | None = None
    gone_below: float | None = None


POLICIES = {
    "system": Policy(),
    "core": Policy(),
    "episode": Policy(factor=0.8, gone_after=14),
    "fact": Policy(factor=0.95, review_below=0.5, gone_below=0.3),
}
INITIAL = {"fact": 1.5, "episode": 1.0, "core": PROTECTED, "system": PROTECTED}


def days_between(earlier: float, later: float) -> int:
    """Return the full days between two moments; 0 if the later one is not later."""
    return max(0, int((later - earlier) // DAY))


def worn(kind: str, weight: float, days: int) -> float:
    """Return what so many days without use have left of a weight."""
    policy = POLICIES[kind]
    if policy.factor is None or weight >= PROTECTED:
        return weight
    return weight * policy.factor ** max(0, days - policy.free_days)


def left(kind: str, weight: float, used_at: float, aged: int, at: float) -> float:
    """Return what is left of a weight at a time; `aged` are days that were counted already."""
    return worn(kind, weight, max(aged, days_between(used_at, at)))


def is_gone(kind: str, weight: float, days: int) -> bool:
    """Tell whether a node's time is over, whoever might still review it."""
    policy = POLICIES[kind]
    if weight >= PROTECTED:
        return False
    return policy.gone_after is not None and days >= policy.gone_after


def falls_below(kind: str, weight: float, days: int) -> str | None:
    """Return the bound a worn weight has fallen below: "gone", "review" or None."""
    policy, left = POLICIES[kind], worn(kind, weight, days)
    if policy.gone_below is not None and left < policy.gone_below:
        return "gone"
    if policy.review_below is not None and left < policy.review_below:
        return "review"
    return None


def boosted(weight: float) -> float:
    """Return a weight after one use."""
    return round(weight + BOOST, DIGITS)


def crosses_up(before: float, after: float) -> bool:
    """Tell whether a weight has just reached the bound for promotion."""
    return before < PROMOTE_AT <= after
