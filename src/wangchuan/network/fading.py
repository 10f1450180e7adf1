"""How strength, importance and length fall from scan to scan, and in which passes scans happen.

Every scan multiplies each link of a node that is not in focus by `decay_rate`. A link below
the break threshold counts for nothing. Importance is the sum of what is left, and the target
length is that share of the text. All of it follows from three numbers: the strengths at some
moment, the length, and how many scans went by since. So nothing has to be touched when a pass
happens: `Fade` answers for any scan, and tells in which scan something will have to be done.

What has been scanned often is scanned more rarely: the interval between two scans grows by
1 / `decay_rate` with every scan, as fast as strengths fall. Over passes, strengths therefore fall
like 1 / (1 + passes · rarity): quickly at first, then ever more slowly.

Scans are counted from 1; the first scan computes importance before it decays anything.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import ceil, expm1, floor, log, log1p

EPSILON = 1e-9  # sums such as ten times 0.1 must reach 1, and 5.0 must not fall below 5
HORIZON = 1 << 40  # scans and passes beyond which a node is taken to live for ever
STEEPEST = 100.0  # e to this power is beyond the horizon


@dataclass(frozen=True)
class Rules:
    """The parameters of fading (see the settings of the same names)."""

    decay_rate: float = 0.97
    break_threshold: float = 0.01
    delete_threshold: float = 5
    length_base: str = "original"
    strategy: str = "scan"

    @cached_property
    def rarity(self) -> float:
        """Return how fast scans become rarer; 0.0: every pass is a scan."""
        return 0.0 if self.strategy == "every" else -log(self.decay_rate)


def pass_of(scan: int, rules: Rules) -> int:
    """Return in which pass out of the focus a node meets the given scan."""
    rarity = rules.rarity
    if not rarity:
        return scan
    return min(HORIZON, floor(expm1(min(STEEPEST, scan * rarity)) / rarity))


def scans_within(passes: int, rules: Rules) -> int:
    """Return how many scans so many passes out of the focus have brought."""
    if not rules.rarity:
        return passes
    passes = max(0, min(passes, HORIZON - 1))
    scans = ceil(log1p((passes + 1) * rules.rarity) / rules.rarity) - 1
    while pass_of(scans + 1, rules) <= passes:  # the logarithm is inexact
        scans += 1
    while pass_of(scans, rules) > passes:
        scans -= 1
    return scans


def decayed(strength: float, scans: int, rules: Rules) -> float:
    """Return what is left of a link after `scans` decays; 0.0 once it is broken."""
    left: float = strength * rules.decay_rate**scans
    return left if left >= rules.break_threshold else 0.0


def target_length(importance: float, length: int) -> float:
    """Return the real-valued number of characters a node of this importance may keep."""
    return min(importance, 1.0) * length


def whole_characters(target: float) -> int:
    """Return the target as the whole number of characters to compress to, at least 1."""
    return max(1, floor(target + EPSILON))


def is_protected(importance: float) -> bool:
    """Tell whether importance alone keeps a node from fading."""
    return importance >= 1 - EPSILON


def is_forgotten(importance: float, target: float, rules: Rules) -> bool:
    """Tell whether a scan forgets a node; importance of 1 protects even the shortest text."""
    if is_protected(importance):
        return False
    return importance <= 0 or target < rules.delete_threshold - EPSILON


class Fade:
    """The future of one node that neither is in focus nor is pointed at by a focus."""

    __slots__ = ("_length", "_original", "_rate", "_rules", "_strengths", "_sums", "_threshold")

    def __init__(
        self, strengths: Iterable[float], original_length: int, length: int, rules: Rules
    ) -> None:
        self._strengths = sorted(strengths, reverse=True)
        self._sums = [0.0, *accumulate(self._strengths)]
        self._original = original_length
        self._length = length
        self._rules, self._rate, self._threshold = rules, rules.decay_rate, rules.break_threshold

    def importance(self, scans: int) -> float:
        """Return the importance after `scans` further decays."""
        factor, threshold, strengths = self._rate**scans, self._threshold, self._strengths
        if not strengths or strengths[0] * factor < threshold:
            return 0.0
        if strengths[-1] * factor >= threshold:
            return self._sums[-1] * factor
        intact = bisect_left(strengths, True, key=lambda s: s * factor < threshold)
        return self._sums[intact] * factor

    def target(self, scan: int) -> float:
        """Return the target length that the given scan computes."""
        return self._target(scan, self.importance(scan - 1))

    def _target(self, scan: int, importance: float) -> float:
        base = self._original if self._rules.length_base == "original" else self.limit(scan - 1)
        return target_length(importance, base)

    def limit(self, scan: int) -> int:
        """Return how many characters are left after the given scan (0: as many as now)."""
        if scan < 1:
            return self._length
        if self._rules.length_base == "original":
            return min(self._length, whole_characters(self.target(scan)))
        length = self._length
        began = self.first(lambda n: not is_protected(self.importance(n - 1)))
        for past in range((began or scan + 1) - 1, scan):
            if length == 1:
                break
            length = min(length, whole_characters(target_length(self.importance(past), length)))
        return length

    def forgets(self, scan: int) -> bool:
        """Tell whether the given scan, or one before it, forgets the node."""
        importance = self.importance(scan - 1)
        return is_forgotten(importance, self._target(scan, importance), self._rules)

    def scan_of(self, importance: float) -> int:
        """Return about which scan finds this importance, as if no link broke before."""
        if not self._sums[-1] > importance > 0 or self._rate == 1:
            return 1
        return 1 + int(log(importance / self._sums[-1]) / log(self._rate))

    def first(
        self, happens: Callable[[int], bool], since: int | None = 1, near: int = 1
    ) -> int | None:
        """Return the first scan, not before `since`, from which on `happens` holds.

        None if there is none in sight, or if `since` is None already. A guess that it is `near`
        a scan makes it quicker to find.
        """
        if since is None or happens(since):
            return since
        if self._rate == 1:
            return None
        before, after, step = since, max(since + 1, near), 1
        if happens(after):
            while after - step > before and happens(after - step):
                after, step = after - step, step * 2
            before = max(before, after - step)
        else:
            before = after
            while not happens(before + step):
                before, step = before + step, step * 2
                if step > HORIZON:
                    return None
            after = before + step
        return bisect_left(range(after), True, lo=before + 1, key=happens)
