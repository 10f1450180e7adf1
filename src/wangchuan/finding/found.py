"""A message that a search found, and whether it is still at hand."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from wangchuan.finding.words import terms_of
from wangchuan.network.activity import COLD
from wangchuan.network.ranking import Score
from wangchuan.storage import MessageRecord, NodeRecord
from wangchuan.types import value

DROPPED, FORGOTTEN = "faded", "forgotten"  # see also COLD


@value
class Found:
    """A message that was found, with the nodes made of it."""

    record: MessageRecord
    score: Score
    made: list[NodeRecord]
    passes: int
    cold: Collection[int] = ()

    @property
    def alive(self) -> list[NodeRecord]:
        """Return the nodes of it that are not forgotten."""
        return [node for node in self.made if node.is_alive(self.passes)]

    @property
    def dead(self) -> list[NodeRecord]:
        """Return the nodes of it that are forgotten."""
        return [node for node in self.made if not node.is_alive(self.passes)]

    @property
    def lost(self) -> str | None:
        """Say whether what was found is no longer at hand; None while nothing was made of it."""
        alive, matched = self.alive, self.score.matched
        if not alive:
            return FORGOTTEN if self.made else None
        if all(node.n in self.cold for node in alive):
            return COLD
        whole = [node for node in alive if node.content is None]
        if not matched or len(whole) == len(self.made) or _any_holds(alive, matched):
            return None
        if _any_holds(self.dead, matched, once=True):
            return FORGOTTEN
        faded = [node for node in alive if node.content is not None]
        return DROPPED if not whole or _any_holds(faded, matched, once=True) else None

    def closest(self, lost: str | None) -> NodeRecord | None:
        """Return the node that holds most of what was asked for."""
        nodes = self.dead if lost == FORGOTTEN else self.alive
        matched = self.score.matched
        if len(nodes) < 2 or not matched:
            return nodes[0] if nodes else None
        return max(nodes, key=lambda n: (len(matched.intersection(terms_of(n.text))), -n.n))


def _any_holds(nodes: Iterable[NodeRecord], wanted: Iterable[str], *, once: bool = False) -> bool:
    """Tell whether any of these nodes holds, or `once` held, one of the terms."""
    left = {term for node in nodes for term in terms_of(node.original if once else node.text)}
    short = tuple(term for term in wanted if len(term) == 1)  # these find what begins with them
    return not left.isdisjoint(wanted) or any(term.startswith(short) for term in left)
