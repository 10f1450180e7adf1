"""Where the dots of a picture go: a small force layout, the same every time.

Dots begin on a spiral in the order given, nearest to the focus in the middle, which already
resembles the result; then every two push each other away, linked ones pull together, and all are
drawn to the middle, with steps that grow smaller.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import cos, hypot, pi, sin, sqrt

Point = tuple[float, float]
Pair = tuple[str, str, float]

GOLDEN = pi * (3 - sqrt(5))
DISTANCE = 92.0  # between neighbours, in pixels
ROUNDS = 140


def arranged(ids: Sequence[str], pairs: Sequence[Pair], held: Collection[str]) -> dict[str, Point]:
    """Return a place for every id; `pairs` pull by their strength, `held` stay in the middle."""
    index = {node_id: n for n, node_id in enumerate(ids)}
    xs, ys = _spiral(len(ids))
    springs = [(index[a], index[b], strength) for a, b, strength in pairs]
    crowds = _crowds(len(ids), springs)
    gravity = [0.12 if node_id in held else 0.035 for node_id in ids]
    for turn in range(ROUNDS if len(ids) > 1 else 0):
        longest = DISTANCE * (1 - turn / ROUNDS) ** 1.5 * 0.5 + 0.5
        dx, dy = _pushes(xs, ys)
        _pull(xs, ys, dx, dy, springs, crowds)
        _move(xs, ys, dx, dy, gravity, longest)
    return {node_id: (xs[n] * 1.25, ys[n]) for node_id, n in index.items()}


def _spiral(count: int) -> tuple[list[float], list[float]]:
    turns = [(DISTANCE * 0.62 * sqrt(n + 0.5), n * GOLDEN) for n in range(count)]
    return [r * cos(a) for r, a in turns], [r * sin(a) for r, a in turns]


def _crowds(count: int, springs: Sequence[tuple[int, int, float]]) -> list[float]:
    """Return how many links each dot has; those with many are pulled less by each."""
    crowds = [1.0] * count
    for a, b, strength in springs:
        crowds[a] += strength
        crowds[b] += strength
    return crowds


def _pushes(xs: list[float], ys: list[float]) -> tuple[list[float], list[float]]:
    count, force = len(xs), DISTANCE * DISTANCE
    dx, dy = [0.0] * count, [0.0] * count
    for a in range(count):
        ax, ay, px, py = xs[a], ys[a], 0.0, 0.0
        for b in range(a):
            x, y = ax - xs[b], ay - ys[b]
            push = force / (x * x + y * y + 1.0)
            px += x * push
            py += y * push
            dx[b] -= x * push
            dy[b] -= y * push
        dx[a] += px
        dy[a] += py
    return dx, dy


def _pull(
    xs: list[float],
    ys: list[float],
    dx: list[float],
    dy: list[float],
    springs: Sequence[tuple[int, int, float]],
    crowds: list[float],
) -> None:
    for a, b, strength in springs:
        x, y = xs[a] - xs[b], ys[a] - ys[b]
        pull = hypot(x, y) / DISTANCE * (0.25 + strength) * 4 / sqrt(crowds[a] * crowds[b])
        dx[a] -= x * pull
        dy[a] -= y * pull
        dx[b] += x * pull
        dy[b] += y * pull


def _move(
    xs: list[float],
    ys: list[float],
    dx: list[float],
    dy: list[float],
    gravity: list[float],
    longest: float,
) -> None:
    for n in range(len(xs)):
        x, y = dx[n] - xs[n] * gravity[n] * 3, dy[n] - ys[n] * gravity[n] * 3
        scale = min(longest, hypot(x, y)) / (hypot(x, y) or 1.0)
        xs[n] += x * scale
        ys[n] += y * scale
