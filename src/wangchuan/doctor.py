"""The doctor: is everything on disk as the rules say it must be?

It only reads. Each check returns its findings in words; no findings means sound.
"""

from __future__ import annotations

from collections.abc import Iterator

from wangchuan.errors import StorageError
from wangchuan.ids import job_name
from wangchuan.living.soundness import faults
from wangchuan.memory import Memory
from wangchuan.storage import Transaction


def examine(memory: Memory) -> list[str]:
    """Return what is wrong with a memory's folder, in words; nothing means sound."""
    agent = memory._agent
    with agent.store() as store:
        damage = store.check()
        if damage:
            return damage
        try:
            with store.read() as tx:
                return [*faults(tx, agent.living.lens), *_given_up(tx)]
        except StorageError as error:
            return [str(error)]


def retry_failed(memory: Memory) -> int:
    """Take failed jobs up again; return how many there were."""
    with memory._agent.store() as store, store.write() as tx:
        failed = tx.jobs.in_state("failed")
        for job in failed:
            tx.jobs.retry(job.seq)
    memory._agent.lane.wake()
    return len(failed)


def _given_up(tx: Transaction) -> Iterator[str]:
    for job in tx.jobs.in_state("failed"):
        yield f"{job_name(job.seq)} ({job.kind}) was given up: {job.reason}"
