"""Soundness: what in a memory contradicts the rules of the network, or itself. It only reads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from wangchuan.ids import job_name, name_of
from wangchuan.living.lens import Lens, open_tasks
from wangchuan.living.tasks import RELEASE
from wangchuan.living.weave import Progress
from wangchuan.storage import KEPT, NodeRecord, Transaction


def faults(tx: Transaction, lens: Lens) -> Iterator[str]:
    """Yield in words what in a memory contradicts the rules or itself, and which jobs failed."""
    _read_all(tx)
    passes = tx.passes()
    records = {r.n: r for r in [*tx.nodes.alive(passes), *tx.trash.nodes(passes)]}
    yield from _focus(tx, records, lens.settings.focus_limit)
    yield from _links(tx, records)
    yield from _jobs(tx, records.values())
    yield from _schedules(tx, lens, records.values())
    for job in tx.jobs.in_state("failed"):
        yield f"{job_name(job.seq)} ({job.kind}) was given up: {job.reason}"


def _read_all(tx: Transaction) -> None:
    """Raise StorageError if there is a record that cannot be read."""
    for kind in KEPT:
        for _ in tx.rows.every(kind):
            pass
    tx.undo.holds(())  # unpacks what changes replaced


def _focus(tx: Transaction, records: dict[int, NodeRecord], limit: int) -> Iterator[str]:
    focus = tx.links.focus()
    if len(focus) > limit:
        yield f"the focus holds {len(focus)} memories, the limit is {limit}"
    for n in focus:
        if n not in records or not records[n].is_alive(tx.passes()):
            yield f"the focus names {name_of(n)}, which is not alive"
        elif records[n].since_pass is not None:
            yield f"{name_of(n)} is in focus but not held still"


def _links(tx: Transaction, records: dict[int, NodeRecord]) -> Iterator[str]:
    pruned = tx.nodes.last_number() if tx.pruned().entry else 0
    for n in records:
        for link in tx.links.of(n):
            where = f"the link {name_of(n)} → {name_of(link.target)}"
            if not 0 <= link.strength <= 1:
                yield f"{where} has strength {link.strength}"
            if link.target not in records and not 0 < link.target <= pruned:
                yield f"{where} leads to a memory that never was"


def _jobs(tx: Transaction, records: Iterable[NodeRecord]) -> Iterator[str]:
    made = Counter(record.job for record in records)
    for job in tx.jobs.in_state("done"):
        if job.kind != "remember" or job.progress is None:
            continue
        numbers = Progress(**json.loads(job.progress)).nodes()
        expected = sum(not tx.tombstones.is_erased("node", name_of(n)) for n in numbers)
        if made[job.seq] > expected or (made[job.seq] < expected and not tx.pruned().entry):
            yield f"{job_name(job.seq)} made {expected} memories, {made[job.seq]} are there"


def _schedules(tx: Transaction, lens: Lens, records: Iterable[NodeRecord]) -> Iterator[str]:
    focus, tasks = set(tx.links.focus()), open_tasks(tx)
    for record in records:
        if record.forgotten_at is not None or record.n in focus:
            continue
        if record.kind != "segment":
            if tx.facts.get(record.n) is None:
                yield f"{name_of(record.n)} is a {record.kind} without a weight"
            continue
        if record.since_pass is None:
            job = tx.jobs.get(record.job or 0)
            held = tasks or tx.jobs.waits(RELEASE)
            if not held and (job is None or job.state == "done"):
                yield f"{name_of(record.n)} is neither in focus nor on its way"
        elif replace(lens.expected(tx, record), due_at=record.due_at) != record:
            yield f"{name_of(record.n)} has a schedule that its links do not give"
