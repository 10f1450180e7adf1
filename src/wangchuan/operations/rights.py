"""Who may do what: `authorise` is asked before every operation, whatever surface it comes by."""

from __future__ import annotations

from typing import Literal, get_args

from wangchuan.errors import NotAllowed
from wangchuan.types import value

Right = Literal["read", "write", "erase", "admin"]
RIGHTS: tuple[Right, ...] = get_args(Right)
EVERYONE = "*"  # among the agents of a principal: all of them, those yet to come as well


@value
class Principal:
    """Somebody who asks: a name for the record, the agents and the rights that are theirs."""

    name: str
    agents: frozenset[str]
    rights: frozenset[str]

    def may_see(self, agent: str) -> bool:
        """Tell whether an agent is one of theirs."""
        return EVERYONE in self.agents or agent in self.agents


OWNER = Principal("owner", frozenset([EVERYONE]), frozenset(RIGHTS))


def authorise(principal: Principal, right: Right | None, agent: str | None) -> None:
    """Raise NotAllowed unless a principal has a right, there.

    `right` None: whichever they have; `agent` None: at no agent in particular. What is refused does
    not say whether the agent exists.
    """
    if right is not None and right not in principal.rights:
        raise NotAllowed(f"{principal.name!r} does not have the right to {right}")
    if agent is not None and not principal.may_see(agent):
        raise NotAllowed(f"agent {agent!r:.80} is not one of those {principal.name!r} may act for")
