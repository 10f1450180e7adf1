"""The doctor: is everything on disk as the rules say it must be?

It only reads. Each check returns its findings in words; no findings means sound.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from wangchuan.errors import StorageError
from wangchuan.living.upkeep import RELEASE, Upkeep, name_of
from wangchuan.living.weave import Progress
from wangchuan.memory import Memory
from wangchuan.storage import KEPT, NodeRecord, Transaction


def examine(memory: Memory) -> list[str]:
    """Return what is wrong with a memory's folder, in words; nothing means sound."""
    agent = memory._agent
    with agent.store() as store:
        damage = store.check()
        if damage:
            return damage
        try:
            with store.read() as tx:
                return [*faults(tx, agent.upkeep), *_given_up(tx)]
        except StorageError as error:
            return [str(error)]


def retry_failed(memory: Memory) -> int:
    """Take failed jobs up again; return how many there were."""
    with memory._agent.store() as store, store.write() as tx:
        failed = tx.jobs("failed")
        for job in failed:
            tx.retry_job(job.seq)
    memory._agent.lane.wake()
    return len(failed)


def faults(tx: Transaction, upkeep: Upkeep) -> Iterator[str]:
    """Yield in words what in a memory contradicts the rules or itself."""
    _read_all(tx)
    passes = tx.passes()
    records = {r.n: r for r in [*tx.alive(passes), *tx.trash(passes)]}
    yield from _focus(tx, records, upkeep.settings.focus_limit)
    yield from _links(tx, records)
    yield from _jobs(tx, records.values())
    yield from _schedules(tx, upkeep, records.values())


def _read_all(tx: Transaction) -> None:
    """Raise StorageError if there is a record that cannot be read."""
    for kind in KEPT:
        for _ in tx.every(kind):
            pass


def _focus(tx: Transaction, records: dict[int, NodeRecord], limit: int) -> Iterator[str]:
    focus = tx.focus()
    if len(focus) > limit:
        yield f"the focus holds {len(focus)} memories, the limit is {limit}"
    for n in focus:
        if n not in records or not records[n].is_alive(tx.passes()):
            yield f"the focus names {name_of(n)}, which is not alive"
        elif records[n].since_pass is not None:
            yield f"{name_of(n)} is in focus but not held still"


def _links(tx: Transaction, records: dict[int, NodeRecord]) -> Iterator[str]:
    for n in records:
        for link in tx.links_from(n):
            where = f"the link {name_of(n)} → {name_of(link.target)}"
            if not 0 <= link.strength <= 1:
                yield f"{where} has strength {link.strength}"
            if link.target not in records:
                yield f"{where} leads to a memory that never was"


def _jobs(tx: Transaction, records: Iterable[NodeRecord]) -> Iterator[str]:
    made = Counter(record.job for record in records)
    for job in tx.jobs("done"):
        if job.kind != "remember" or job.progress is None:
            continue
        numbers = Progress(**json.loads(job.progress)).nodes()
        expected = sum(not tx.is_erased("node", name_of(n)) for n in numbers)
        if made[job.seq] != expected:
            yield f"job_{job.seq} made {expected} memories, {made[job.seq]} are there"


def _given_up(tx: Transaction) -> Iterator[str]:
    for job in tx.jobs("failed"):
        yield f"job_{job.seq} ({job.kind}) was given up: {job.reason}"


def _schedules(tx: Transaction, upkeep: Upkeep, records: Iterable[NodeRecord]) -> Iterator[str]:
    focus, tasks = set(tx.focus()), upkeep.tasks(tx)
    for record in records:
        if record.forgotten_at is not None or record.n in focus:
            continue
        if record.kind != "segment":
            if tx.fact(record.n) is None:
                yield f"{name_of(record.n)} is a {record.kind} without a weight"
            continue
        if record.since_pass is None:
            job = tx.job(record.job or 0)
            held = tasks or tx.upkeep_waits(RELEASE)
            if not held and (job is None or job.state == "done"):
                yield f"{name_of(record.n)} is neither in focus nor on its way"
        elif replace(upkeep.expected(tx, record), due_at=record.due_at) != record:
            yield f"{name_of(record.n)} has a schedule that its links do not give"
