# mypy: disable-error-code="empty-body"
"""Links between nodes, and the focus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from wangchuan.storage.records import LinkRecord, NodeRecord
from wangchuan.storage.statements import Drawer, columns, many, run

LINK_COLUMNS = len(columns(LinkRecord))
FOCUS = (0,)  # the whole focus counts as one row


class Links(Drawer):
    """The links of one agent's nodes, and the nodes being attended."""

    def put(self, links: Iterable[LinkRecord]) -> None:
        """Make links, or revive them; the name of a relation never changes."""
        made = list(links)
        for link in made:
            self._work.note("link", (link.source, link.target))
            self._remember(link)
        self._engine.run_many("links.put", _by_source(made))
        ways = {(link.source, link.target) for link in made}
        lonely = [(source, target) for source, target in ways if (target, source) not in ways]
        if lonely:
            self.list_oneway(lonely)

    def _remember(self, link: LinkRecord) -> None:
        """Add a new link to the links that were read of its node, if they were read."""
        known = self._work.links.get(link.source)
        if known is None:
            return
        if link.target in known:
            known[link.target] = replace(link, relation=known[link.target].relation)
            return
        later = not known or link.target > next(reversed(known))  # as most are
        known[link.target] = link
        if not later:
            self._work.links[link.source] = dict(sorted(known.items()))

    def list_oneway(self, ways: Iterable[tuple[int, int]]) -> None:
        """See that links whose targets may not lead back are found from there."""
        values = ({"source": source, "target": target} for source, target in ways)
        self._engine.run_many("links.add_oneway", values)

    @run
    def tidy(self) -> None: ...

    def of(self, n: int) -> list[LinkRecord]:
        """Return the links of a node."""
        if n not in self._work.links:
            rows = self._engine.rows("links.of", {"n": n})
            self._work.links[n] = {row[1]: LinkRecord(*row) for row in rows}
        return list(self._work.links[n].values())

    def read_ahead(self, nodes: Iterable[int]) -> None:
        """Read the links of many nodes at once; `of` then answers without asking."""
        wanted = [n for n in nodes if n not in self._work.links]
        for n in wanted:
            self._work.links[n] = {}
        for link in self.of_many(wanted) if wanted else ():
            self._work.links[link.source][link.target] = link

    @many(LinkRecord)
    def of_many(self, nodes: Iterable[int]) -> list[LinkRecord]: ...
    @many(LinkRecord)
    def to(self, n: int) -> list[LinkRecord]: ...

    def neighbours(self, n: int) -> list[tuple[LinkRecord, NodeRecord | None]]:
        """Return the links of a node, with the nodes they lead to."""
        return [
            (
                LinkRecord(*row[:LINK_COLUMNS]),
                None if row[LINK_COLUMNS] is None else NodeRecord(*row[LINK_COLUMNS:]),
            )
            for row in self._engine.rows("links.neighbours", {"n": n})
        ]

    def supporters(self, n: int) -> list[LinkRecord]:
        """Return the links by which nodes in focus hold a node, in the order of the focus."""
        focus = self.focus()
        self.read_ahead(focus)
        held = (self._work.links[holder].get(n) for holder in focus)
        return [link for link in held if link is not None]

    def focus(self) -> list[int]:
        """Return the focus, newest first."""
        if self._work.focus is None:
            self._work.focus = [row[0] for row in self._engine.rows("links.focus", {})]
        return list(self._work.focus)

    def set_focus(self, nodes: Sequence[int]) -> None:
        """Attend these nodes and no others, newest first."""
        self._work.note("focus", FOCUS)
        self._work.focus = list(nodes)
        self._engine.do("links.clear_focus", {})
        places = ({"place": i, "node": n} for i, n in enumerate(nodes))
        self._engine.run_many("links.add_focus", places)

    def drop_from(self, n: int) -> None:
        """Remove the links of a node; those that lead to it stay."""
        self._work.links.pop(n, None)
        self._engine.do("links.drop_from", {"n": n})

    def drop(self, n: int) -> int:
        """Remove the links of a node, both ways; return how many there were."""
        found = {(link.source, link.target) for link in (*self.of(n), *self.to(n))}
        self._work.links.clear()
        self._engine.do("links.drop_to", {"n": n})
        self._engine.do("links.drop_from", {"n": n})
        return len(found)


def _by_source(links: Iterable[LinkRecord]) -> Iterator[dict[str, Any]]:
    """Yield links by node, as JSON. Of one made twice the last counts, by its first name."""
    found: dict[int, dict[int, LinkRecord]] = {}
    for link in links:
        ties = found.setdefault(link.source, {})
        first = ties.get(link.target)
        ties[link.target] = replace(link, relation=first.relation) if first else link
    for source, ties in found.items():
        told = [(link.target, link.strength, link.at_scan, link.relation) for link in ties.values()]
        yield {"source": source, "links": json.dumps(told)}
