"""Best-first search outwards from the focus.

All focus nodes start together at strength 1. The strongest path is taken up first; ties go
to the newer focus, then to fewer hops, then to what was found first. A node is yielded once,
by its strongest path, but may be expanded again when it is reached in fewer hops: a plain
visited set would lose whatever lies behind a strong but long path (F→A→B .81 uses up the hops
that F→B .5 still had). So the set found is that of a breadth-first search, the order best-first,
and no memory is expanded more often than there are hops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

Neighbours = Callable[[int], Iterable[tuple[int, float]]]


@dataclass(frozen=True, slots=True)
class Visit:
    """A node reached: by which path (the node itself is last) and how strongly."""

    node: int
    strength: float
    path: tuple[int, ...]

    @property
    def hops(self) -> int:
        """Return the number of links walked."""
        return len(self.path) - 1


def walk(
    seeds: Sequence[int], neighbours: Neighbours, depth: int, *, yield_seeds: bool = True
) -> Iterator[Visit]:
    """Yield every node within `depth` hops of the seeds, strongest path first.

    `seeds` come newest first. `neighbours(n)` gives the (target, strength) pairs that may be
    walked. With `yield_seeds=False` a seed is yielded only when a link leads to it.
    """
    heap: list[tuple[float, int, int, int, Visit]] = []
    for rank, seed in enumerate(seeds):
        heappush(heap, (-1.0, rank, 0, rank, Visit(seed, 1.0, (seed,))))
    count = len(heap)
    fewest: dict[int, int] = {}
    yielded: set[int] = set()
    while heap:
        _, rank, hops, _, visit = heappop(heap)
        if visit.node not in yielded and (hops or yield_seeds):
            yielded.add(visit.node)
            yield visit
        if hops >= fewest.get(visit.node, depth):
            continue
        fewest[visit.node] = hops
        for target, strength in neighbours(visit.node):
            if target in yielded and hops + 1 >= fewest.get(target, depth):
                continue
            onward = Visit(target, visit.strength * strength, (*visit.path, target))
            heappush(heap, (-onward.strength, rank, hops + 1, count, onward))
            count += 1
