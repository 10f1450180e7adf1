"""Moving an agent from cell to cell: exported here, imported there, then only its name is here.

From the first step on nothing of the agent is written here, and reads go on; writers wait as for a
server that cannot be reached. Whoever dies in between leaves the agent here, whole, or there, whole
and here, too, marked as moving: to run the same command again goes on from there. What goes is what
an export tells, with the vectors: not the changes that could be undone. The name that stays behind
leads those on who look for the agent here (`storage.postgres.directory`).
"""

from __future__ import annotations

import tempfile
from typing import Any

from wangchuan.errors import InvalidInput, NotFound, Unreachable
from wangchuan.host import Host
from wangchuan.storage.patience import patiently
from wangchuan.storage.store import Lease


def move(agent: str, source: str, target: str) -> None:
    """Move an agent to another cell. Raises NotFound, InvalidInput and StorageError."""
    with Host(source, adopt=False) as here, Host(target, adopt=False) as there:
        ours: Any = here.backend
        if not here.has(agent):
            raise NotFound(f"no agent {agent!r} in {ours.where}")
        began = ours.moving(agent) == there.backend.where
        if there.has(agent) and not began:
            raise InvalidInput(f"{there.backend.where} has an agent {agent!r} already")
        lease = ours.lease(agent)
        patiently(lambda: _take(lease, agent))
        try:
            ours.hold_back(agent, there.backend.where)
            if not there.has(agent):
                _carry(agent, here, there)
            ours.send_away(agent)
        finally:
            lease.give()


def _take(lease: Lease, agent: str) -> None:
    if not lease.take():
        raise Unreachable(f"another process works on agent {agent!r}; try again later")


def stay(agent: str, source: str) -> None:
    """Let an agent be written again where it is, whose move was begun and is given up."""
    with Host(source, adopt=False) as here:
        backend: Any = here.backend
        backend.hold_back(agent, None)


def _carry(agent: str, here: Host, there: Host) -> None:
    with tempfile.TemporaryFile() as told:
        with here.open(agent) as memory:
            memory.export(told, vectors=True)
        told.seek(0)
        there.import_(agent, told)
