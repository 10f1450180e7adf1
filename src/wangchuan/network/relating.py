"""What makes two texts related: the telling words they have in common, by how rare these are.

A word's worth is its rarity among the messages and as many others as a young memory has not heard
yet: what was said twice in ten messages is no common word. What every twentieth message holds
tells nothing apart; beyond some rarity one word is as good as another, so that no single noun
relates two texts in however large a memory. `FLOOR` is absolute: where nothing reaches it, a text
is related to nothing, and small talk never reaches it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

UNHEARD = 500  # messages that a memory is taken to have beside its own
COMMON, RAREST = 3.0, 6.0  # a rarity below the first is worth nothing, one above the second no more
FLOOR, ENOUGH = 5.0, 10.0  # of what related texts have in common; more makes none more related
LEAST, ALONE = 2, 3  # telling words that each text needs; those it needs where they share but one
MOST_LINKS = 24  # whole links with which a node is held enough: nothing more is related to it

Telling = Mapping[str, float]  # what a text names, with how much each term tells


def worth(holding: int, total: int) -> float:
    """Return what a term is worth that so many of all messages hold."""
    rarity = math.log((total + UNHEARD) / (holding + 1))
    return min(rarity, RAREST) if rarity >= COMMON else 0.0


def relatedness(one: Telling, other: Telling, worths: Mapping[str, float]) -> float:
    """Return what two texts have in common is worth; 0.0 if that is too little."""
    shared = [term for term in one if term in other and worths.get(term)]
    if min(len(one), len(other)) < (LEAST if len(shared) > 1 else ALONE):
        return 0.0
    common = sum(min(one[term], other[term]) * worths[term] for term in shared)
    return min(common, ENOUGH) if common >= FLOOR else 0.0
