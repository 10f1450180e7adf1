"""What the notebook gives to the memory: messages that are not remembered yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wangchuan.errors import QueueFull
from wangchuan.notebook.owner import Owner
from wangchuan.types import Message

LOOK_BACK = 200  # messages, at least, among which a known message is looked for


def remember_once(agent: Owner, messages: Sequence[Message]) -> None:
    """Remember messages that are not among the latest already; raises QueueFull."""
    fresh = _not_yet_known(agent, messages)
    if fresh:
        receipt = agent.remember(fresh)
        if receipt.status == "rejected":
            raise QueueFull(
                "the messages could not be remembered, as too many wait: nothing was changed;"
                " try again when some of them are digested"
            )


def _not_yet_known(agent: Owner, messages: Sequence[Message]) -> list[Message]:
    """Return the messages that are not, word for word, among the latest remembered."""
    with agent.store() as store, store.read() as tx:
        jobs = (tx.jobs.get(seq) for seq in range(tx.jobs.last(), 0, -1))
        newest = next((job.last_message for job in jobs if job and job.last_message), 0)
        first = newest - max(LOOK_BACK, 2 * len(messages))
        latest = tx.messages.between(first, newest)
    known = Counter((record.role, record.content) for record in latest)
    fresh = []
    for message in messages:
        known[message.role, message.content] -= 1
        if known[message.role, message.content] < 0:
            fresh.append(message)
    return fresh
