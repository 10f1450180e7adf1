"""The network around the focus, or a node, as plain values: what a picture shows of a memory."""

from __future__ import annotations

from collections.abc import Iterator

from wangchuan.ids import name_of, number_of
from wangchuan.living.view import Reading
from wangchuan.network.walk import Visit, walk
from wangchuan.types import Dot, Line, Link, Network, Stub

FURTHEST = 64  # hops; the number of nodes is what bounds a picture


class Around:
    """The network around the focus, or a node, at one moment; links of each node are read once."""

    def __init__(self, reading: Reading, middle: int | None = None) -> None:
        self._tx, self._reading = reading.tx, reading
        self._links: dict[int, list[Link]] = {}
        self._focus = [number_of(node.id) for node in reading.focus()]
        self._begin = self._focus if middle is None else [middle]

    def network(self, agent: str, most: int) -> Network:
        """Return the nodes nearest to the focus, at most so many, with their links."""
        dots = tuple(self._dot(visit) for visit in list(self._visits(most)))
        return Network(
            agent=agent,
            memories=self._tx.meta.counts(self._tx.passes())["nodes"],
            passes=self._tx.passes(),
            dots=dots,
            lines=self._lines(dots),
            stubs=self._stubs(dots),
        )

    def _links_of(self, n: int) -> list[Link]:
        """Return the links of a node, strongest first."""
        if n not in self._links:
            record = self._tx.nodes.get(n)
            self._links[n] = self._reading.links(record) if record else []
        return self._links[n]

    def _neighbours(self, n: int) -> Iterator[tuple[int, float]]:
        for link in self._links_of(n):
            if not link.dangling:
                yield number_of(link.target), link.strength

    def _visits(self, most: int) -> Iterator[Visit]:
        """Yield nodes, nearest to the focus first; those out of its reach come last."""
        reached: set[int] = set()
        for visit in walk(self._begin, self._neighbours, FURTHEST):
            if len(reached) == most:
                return
            reached.add(visit.node)
            yield visit
        if self._begin is not self._focus:
            return  # what a node does not lead to is not around it
        passes = self._tx.passes()
        rest = [record.n for record in self._tx.nodes.alive(passes) if record.n not in reached]
        for n in rest[::-1][: most - len(reached)]:
            yield Visit(n, 0.0, (n,))

    def _dot(self, visit: Visit) -> Dot:
        """Return the dot of a node that was reached."""
        explanation = self._reading.explain(self._reading.record(name_of(visit.node)))
        node, link = explanation.node, self._last_link(visit)
        return Dot(
            id=node.id,
            phrase=node.phrase,
            content=node.content,
            keywords=node.keywords,
            kept=min(1.0, len(node.content) / (node.original_length or 1)),
            importance=explanation.importance,
            passes_left=explanation.passes_left,
            in_focus=visit.node in self._focus,
            reached_from=link.source if link else None,
            relation=link.relation if link else None,
            strength=link.strength if link else 1.0,
        )

    def _last_link(self, visit: Visit) -> Link | None:
        if not visit.hops or visit.node in self._begin:
            return None  # where pictures begin, even if a link leads to it
        last = (name_of(visit.path[-2]), name_of(visit.node))
        return next(li for li in self._links_of(visit.path[-2]) if (li.source, li.target) == last)

    def _lines(self, dots: tuple[Dot, ...]) -> tuple[Line, ...]:
        shown = {dot.id for dot in dots}
        pairs: dict[tuple[str, str], list[Link]] = {}
        for dot in dots:
            for link in self._links_of(number_of(dot.id)):
                if link.target in shown and not link.dangling:
                    ends = sorted((link.source, link.target), key=number_of)
                    pairs.setdefault((ends[0], ends[1]), []).append(link)
        return tuple(_line(ends, links) for ends, links in sorted(pairs.items()))

    def _stubs(self, dots: tuple[Dot, ...]) -> tuple[Stub, ...]:
        return tuple(
            Stub(link.source, link.target, link.strength, link.relation)
            for dot in dots
            for link in self._links_of(number_of(dot.id))
            if link.dangling
        )


def _line(ends: tuple[str, str], links: list[Link]) -> Line:
    names = dict.fromkeys(link.relation for link in links if link.relation)
    return Line(*ends, max(link.strength for link in links), tuple(names))
