"""Keeping the full text in step with the analysis that made it.

Messages are indexed when they are accepted. Only when the analysis changes, or an older folder is
opened, everything is indexed anew, a batch at a time; what is not there yet is not found yet. A
message whose words were not to be kept is indexed by what the nodes made of it say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wangchuan.jobs.work import Plan
from wangchuan.language.terms import VERSION, indexed
from wangchuan.storage import JobRecord, MessageRecord, Store, Transaction

BATCH = 500
FOLDED = 64  # passes between two foldings, at least; after many, about so many in all of them
ANALYSED_BY, DONE_UPTO = "analysis", "indexed"


def is_current(tx: Transaction) -> bool:
    """Tell whether the index was made by the present analysis."""
    return tx.meta.get(ANALYSED_BY) == VERSION


def note_current(tx: Transaction) -> None:
    """Note that everything was indexed by the present analysis."""
    tx.meta.set(ANALYSED_BY, VERSION)


def adopt(tx: Transaction, at: float) -> None:
    """Begin to make the index anew if another analysis made it."""
    if is_current(tx):
        return
    tx.meta.set(ANALYSED_BY, VERSION)
    last = tx.messages.last()
    if last is None:
        return
    tx.index.clear()
    tx.meta.set(DONE_UPTO, f"0 {last.seq}")
    if not tx.jobs.waits("index"):
        tx.jobs.add("index", at)


def index(tx: Transaction, messages: Sequence[MessageRecord]) -> None:
    """Put messages into the full text."""
    for message in as_known(tx, messages):
        tx.index.add(message, indexed(message.content))


def fold(tx: Transaction) -> None:
    """Fold the full text from time to time, the more rarely the more there is of it.

    Every accepted call adds a part to it, and a term is looked up in each.
    """
    passes = tx.passes()
    if passes % max(FOLDED, 1 << passes.bit_length() >> FOLDED.bit_length()) == 0:
        tx.index.fold()


def as_known(tx: Transaction, messages: Sequence[MessageRecord]) -> list[MessageRecord]:
    """Return messages; those without words say what the nodes made of them said when new."""
    blank = [message.seq for message in messages if message.role and not message.content]
    kept: dict[int, list[str]] = {}
    for node in tx.nodes.segments_of(blank) if blank else ():
        kept.setdefault(node.message or 0, []).append(node.original)
    return [
        replace(message, content="\n".join(kept[message.seq])) if message.seq in kept else message
        for message in messages
    ]


def step(_: Store, job: JobRecord) -> Plan:
    """Plan to index the next batch of older messages."""

    def act(tx: Transaction) -> None:
        done, until = map(int, (tx.meta.get(DONE_UPTO) or "0 0").split())
        upto = min(done + BATCH, until)
        index(tx, tx.messages.between(done + 1, upto))
        tx.meta.set(DONE_UPTO, f"{upto} {until}")
        if upto >= until:
            tx.jobs.drop(job.seq)

    return Plan.of(act)


def drop(_: Store, job: JobRecord) -> Plan:
    """Plan to drop a job for which there is no way any more."""
    return Plan.of(lambda tx: tx.jobs.drop(job.seq))
