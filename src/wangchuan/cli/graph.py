"""The network around the focus as plain values, and as a tree for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wangchuan.cli.output import bar, console, counted, one_line, share, styled
from wangchuan.ids import name_of, number_of
from wangchuan.network.walk import Visit, walk

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from wangchuan.cli.opening import Opened
    from wangchuan.cli.relations import Naming
    from wangchuan.living.view import Reading
    from wangchuan.storage import Transaction
    from wangchuan.types import Link

FURTHEST = 64  # hops; the number of memories is what bounds a picture
INDENT, LEAST_ROOM = 4, 36  # columns of a tree for each step outwards, and for words at least


@dataclass(frozen=True, slots=True)
class Dot:
    """A living memory in the picture; `reached_from` is the dot before it on the best path."""

    id: str
    phrase: str
    content: str
    keywords: tuple[str, ...]
    kept: float
    importance: float
    passes_left: int | None
    in_focus: bool
    reached_from: str | None
    relation: str | None
    strength: float


@dataclass(frozen=True, slots=True)
class Line:
    """Two linked dots; the names and the strength of whichever of the two links is stronger."""

    source: str
    target: str
    strength: float
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stub:
    """A link from a dot to something forgotten."""

    source: str
    target: str
    strength: float
    relation: str | None


@dataclass(frozen=True, slots=True)
class Network:
    """What a picture shows of a memory; `memories` is how many there are in all."""

    agent: str
    memories: int
    passes: int
    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    stubs: tuple[Stub, ...]


def network_of(here: Opened, most: int) -> Network:
    """Return the memories nearest to the focus, at most so many, with their links."""
    with here.moment() as (tx, reading):
        look = _Look(tx, reading)
        visits = list(look.visits(most))
        dots = tuple(look.dot(visit) for visit in visits)
        return Network(
            agent=here.memory.agent_id,
            memories=tx.meta.counts(tx.passes())["nodes"],
            passes=tx.passes(),
            dots=dots,
            lines=_lines(look, dots),
            stubs=_stubs(look, dots),
        )


def renamed(network: Network, named: Naming) -> Network:
    """Return a network with the names of its links as they are to be read."""
    return replace(
        network,
        dots=tuple(replace(dot, relation=_named(dot.relation, named)) for dot in network.dots),
        lines=tuple(
            replace(line, relations=tuple(named(name) for name in line.relations))
            for line in network.lines
        ),
        stubs=tuple(replace(stub, relation=_named(stub.relation, named)) for stub in network.stubs),
    )


def _named(relation: str | None, named: Naming) -> str | None:
    return None if relation is None else named(relation)


class _Look:
    """One look at a memory; the links of each memory are read once."""

    def __init__(self, tx: Transaction, reading: Reading) -> None:
        self._tx, self._reading = tx, reading
        self._links: dict[int, list[Link]] = {}
        self._focus = [number_of(node.id) for node in reading.focus()]

    def links(self, n: int) -> list[Link]:
        """Return the links of a memory, strongest first."""
        if n not in self._links:
            record = self._tx.nodes.get(n)
            self._links[n] = self._reading.links(record) if record else []
        return self._links[n]

    def _neighbours(self, n: int) -> Iterator[tuple[int, float]]:
        for link in self.links(n):
            if not link.dangling:
                yield number_of(link.target), link.strength

    def visits(self, most: int) -> Iterator[Visit]:
        """Yield memories, nearest to the focus first; those out of its reach come last."""
        reached: set[int] = set()
        for visit in walk(self._focus, self._neighbours, FURTHEST):
            if len(reached) == most:
                return
            reached.add(visit.node)
            yield visit
        passes = self._tx.passes()
        rest = [record.n for record in self._tx.nodes.alive(passes) if record.n not in reached]
        for n in rest[::-1][: most - len(reached)]:
            yield Visit(n, 0.0, (n,))

    def dot(self, visit: Visit) -> Dot:
        """Return the dot of a memory that was reached."""
        explanation = self._reading.explain(self._reading.record(name_of(visit.node)))
        node, link = explanation.node, self._last_link(visit)
        return Dot(
            id=node.id,
            phrase=node.phrase,
            content=node.content,
            keywords=node.keywords,
            kept=share(len(node.content), node.original_length),
            importance=explanation.importance,
            passes_left=explanation.passes_left,
            in_focus=visit.node in self._focus,
            reached_from=link.source if link else None,
            relation=link.relation if link else None,
            strength=link.strength if link else 1.0,
        )

    def _last_link(self, visit: Visit) -> Link | None:
        if not visit.hops or visit.node in self._focus:
            return None  # the focus is where pictures begin, even where a link leads to it
        last = (name_of(visit.path[-2]), name_of(visit.node))
        return next(li for li in self.links(visit.path[-2]) if (li.source, li.target) == last)


def _lines(look: _Look, dots: tuple[Dot, ...]) -> tuple[Line, ...]:
    shown = {dot.id for dot in dots}
    pairs: dict[tuple[str, str], list[Link]] = {}
    for dot in dots:
        for link in look.links(number_of(dot.id)):
            if link.target in shown and not link.dangling:
                ends = sorted((link.source, link.target), key=number_of)
                pairs.setdefault((ends[0], ends[1]), []).append(link)
    return tuple(_line(ends, links) for ends, links in sorted(pairs.items()))


def _line(ends: tuple[str, str], links: list[Link]) -> Line:
    names = dict.fromkeys(link.relation for link in links if link.relation)
    return Line(*ends, max(link.strength for link in links), tuple(names))


def _stubs(look: _Look, dots: tuple[Dot, ...]) -> tuple[Stub, ...]:
    return tuple(
        Stub(link.source, link.target, link.strength, link.relation)
        for dot in dots
        for link in look.links(number_of(dot.id))
        if link.dangling
    )


# the terminal


def say_tree(network: Network) -> None:
    """Draw the network as a tree; a deep one runs over the edge rather than out of room."""
    screen = console()
    screen.width = max(screen.width, INDENT * (_depth(network) + 1) + LEAST_ROOM)
    screen.print(tree_of(network))


def _depth(network: Network) -> int:
    depths: dict[str | None, int] = {}
    for dot in network.dots:
        depths[dot.id] = depths.get(dot.reached_from, 0) + 1
    return max(depths.values(), default=0)


def tree_of(network: Network) -> Tree:
    """Return the network as a tree from the focus outwards, for a terminal."""
    from rich.tree import Tree

    told = f"{counted(len(network.dots), 'memory', 'memories')} of {network.memories}"
    tree = Tree(styled(f"{network.agent}  {told}, focus first", "bold"), guide_style="dim")
    branches: dict[str, Tree] = {}
    apart: Tree | None = None
    for dot in network.dots:
        trunk = branches.get(dot.reached_from or "", tree)
        if dot.reached_from is None and not dot.in_focus:
            apart = apart or tree.add(styled("out of reach of the focus", "dim"))
            trunk = apart
        branches[dot.id] = trunk.add(_label(dot))
    for stub in network.stubs:
        name = one_line(stub.relation or "something")
        branches[stub.source].add(styled(f"┄┄ {name} ┄┄ forgotten ({stub.target})", "dim italic"))
    return tree


def _label(dot: Dot) -> Text:
    if dot.in_focus:
        return styled("● ", "yellow").append_text(_words(dot))
    if dot.reached_from is None:
        return styled("○ ", "dim").append_text(_words(dot))
    name = one_line(dot.relation or "linked")
    return styled(f"{bar(dot.strength, 5)} {name} ", "cyan").append_text(_words(dot))


def _words(dot: Dot) -> Text:
    faded = "" if dot.kept >= 1 else f"  {dot.kept:.0%} kept"
    text = styled(f"{dot.id} ", "bold").append_text(styled(one_line(dot.content)))
    return text.append_text(styled(faded, "dim"))
