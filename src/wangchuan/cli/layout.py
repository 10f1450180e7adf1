"""Where the dots of a picture go: a small force layout, the same every time.

A memory is mostly a stream: each moment is linked with the few before it. So the dots begin along
a spiral in the order given, nearest to the focus in the middle. Then neighbours push each other
away, linked ones pull together, and everyone is held, loosely, to where they began. Without that
hold a stream unrolls into one long arc and loose dots drift out of sight.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import cos, hypot, pi, sin, sqrt

Point = tuple[float, float]
Pair = tuple[str, str, float]
Spring = tuple[int, int, float]

STEP, ARM = 62.0, 118.0  # pixels from dot to dot along the spiral, and from arm to arm
REACH, ROOMY = 105.0, 165.0  # pixels within which dots push each other, and roomy ones
INNER = 2.6  # the angle at which the spiral begins: there is some room in its middle
ROUNDS = 90
PUSH, PULL, HOLD = 0.34, 0.045, 0.09
WIDER = 1.22  # screens are wider than high, and so are words


def arranged(ids: Sequence[str], pairs: Sequence[Pair], roomy: Collection[str]) -> dict[str, Point]:
    """Return a place for every id.

    The ends of `pairs` are drawn together by their strength; `roomy` ones keep more distance.
    """
    index = {node_id: n for n, node_id in enumerate(ids)}
    springs = [(index[a], index[b], strength) for a, b, strength in pairs]
    crowds = _crowds(len(ids), springs)
    begun, reaches = _spiral(len(ids)), [ROOMY if i in roomy else REACH for i in ids]
    places = list(begun)
    for turn in range(ROUNDS):
        heat = 1 - turn / ROUNDS
        forces = _pushes(places, reaches)
        _add_pulls(forces, places, springs, crowds)
        places = [_moved(*each, heat) for each in zip(places, begun, forces, strict=True)]
    return {node_id: (places[n][0] * WIDER, places[n][1]) for node_id, n in index.items()}


def _spiral(count: int) -> list[Point]:
    growth, angle, places = ARM / (2 * pi), INNER, []
    for _ in range(count):
        radius = growth * angle
        places.append((radius * cos(angle), radius * sin(angle)))
        angle += STEP / hypot(radius, growth * 1.6)
    return places


def _crowds(count: int, springs: Sequence[Spring]) -> list[float]:
    """Return how much each dot is linked; the more it is, the less each link pulls."""
    crowds = [1.0] * count
    for a, b, strength in springs:
        crowds[a] += strength
        crowds[b] += strength
    return crowds


def _pushes(places: list[Point], reaches: list[float]) -> list[list[float]]:
    forces = [[0.0, 0.0] for _ in places]
    for a, (ax, ay) in enumerate(places):
        for b in range(a):
            x, y, reach = ax - places[b][0], ay - places[b][1], max(reaches[a], reaches[b])
            if -reach < x < reach and -reach < y < reach:
                away = hypot(x, y) or 1.0
                push = PUSH * max(0.0, reach - away) / away
                forces[a][0] += x * push
                forces[a][1] += y * push
                forces[b][0] -= x * push
                forces[b][1] -= y * push
    return forces


def _add_pulls(
    forces: list[list[float]], places: list[Point], springs: Sequence[Spring], crowds: list[float]
) -> None:
    for a, b, strength in springs:
        pull = PULL * (0.2 + strength) * 3 / sqrt(crowds[a] * crowds[b])
        for axis in (0, 1):
            force = (places[a][axis] - places[b][axis]) * pull
            forces[a][axis] -= force
            forces[b][axis] += force


def _moved(place: Point, begun: Point, force: list[float], heat: float) -> Point:
    x = force[0] + (begun[0] - place[0]) * HOLD
    y = force[1] + (begun[1] - place[1]) * HOLD
    scale = heat * min(30.0, hypot(x, y)) / (hypot(x, y) or 1.0)
    return place[0] + x * scale, place[1] + y * scale
