"""The network around the focus as a tree for the terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.tree import Tree

from wangchuan.cli.output import bar, console, counted, one_line, styled
from wangchuan.types import Dot, Network

if TYPE_CHECKING:
    from rich.text import Text

    from wangchuan.cli.relations import Naming

INDENT, LEAST_ROOM = 4, 36  # columns of a tree for each step outwards, and for words at least


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
