"""Keeping the full text in step with the analysis that made it.

Messages are indexed when they are accepted. Only when the analysis changes, or an older folder is
opened, everything is indexed anew, a batch at a time; what is not there yet is not found yet.
"""

from __future__ import annotations

from typing import Any

from wangchuan.jobs import Plan
from wangchuan.models.terms import VERSION, indexed
from wangchuan.storage import JobRecord, Store, Transaction

BATCH = 500
ANALYSED_BY, DONE_UPTO = "analysis", "indexed"


def is_current(tx: Transaction) -> bool:
    """Tell whether the index was made by the present analysis."""
    return tx.meta(ANALYSED_BY) == VERSION


def note_current(tx: Transaction) -> None:
    """Note that everything was indexed by the present analysis."""
    tx.set_meta(ANALYSED_BY, VERSION)


def adopt(tx: Transaction, at: float) -> None:
    """Begin to make the index anew if another analysis made it."""
    if is_current(tx):
        return
    tx.set_meta(ANALYSED_BY, VERSION)
    last = tx.last_message()
    if last is None:
        return
    tx.clear_index()
    tx.set_meta(DONE_UPTO, f"0 {last.seq}")
    if not tx.upkeep_waits("index"):
        tx.add_job("index", at)


def step(store: Store, job: JobRecord) -> Plan:  # noqa: ARG001 (a step is given its job)
    """Plan to index the next batch of older messages."""

    def act(store: Store, _: Any) -> None:
        with store.write() as tx:
            done, until = map(int, (tx.meta(DONE_UPTO) or "0 0").split())
            upto = min(done + BATCH, until)
            for message in tx.messages_between(done + 1, upto):
                tx.index(message, indexed(message.content))
            tx.set_meta(DONE_UPTO, f"{upto} {until}")
            if upto >= until:
                tx.drop_job(job.seq)

    return Plan(None, lambda answer: answer, act)


def drop(store: Store, job: JobRecord) -> Plan:  # noqa: ARG001
    """Plan to drop a job for which there is no way any more."""

    def act(store: Store, _: Any) -> None:
        with store.write() as tx:
            tx.drop_job(job.seq)

    return Plan(None, lambda answer: answer, act)
