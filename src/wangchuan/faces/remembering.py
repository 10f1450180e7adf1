"""Accepting messages: `memory.remember`."""

from __future__ import annotations

from collections.abc import Sequence

from wangchuan.faces.face import Face
from wangchuan.ids import job_name
from wangchuan.language.terms import indexed
from wangchuan.pending import Receipt
from wangchuan.storage import Repeated, Store, Transaction
from wangchuan.storage.patience import patiently
from wangchuan.types import Message


class Remembering(Face):
    """Accepts messages durably, for a lane to digest them."""

    def accept_each(self, calls: Sequence[Sequence[Message]]) -> list[Receipt]:
        """Store the messages of several calls, each with the job to digest them; return their
        receipts at once. It is one transaction: one sync makes all of them durable.
        """
        found_by = [[indexed(message.content) for message in given] for given in calls]
        with self._borrow() as store:
            with self._agent.lane.making_way():
                stored = patiently(lambda: self._stored(store, calls, found_by))
            return [self._receipt(store, seq, again) for seq, again in stored]

    def _stored(
        self,
        store: Store,
        calls: Sequence[Sequence[Message]],
        found_by: Sequence[Sequence[Sequence[str]]],
    ) -> list[tuple[int | None, Repeated]]:
        with store.write(again=True) as tx:
            return [self._add(tx, given, found_by[n]) for n, given in enumerate(calls)]

    def _add(
        self, tx: Transaction, given: Sequence[Message], found_by: Sequence[Sequence[str]]
    ) -> tuple[int | None, Repeated]:
        """Store the messages that are new, with the job to digest them."""
        again = tx.given_again(given)
        fresh = [given[n] for n in again.fresh]
        if again.known and not fresh:
            return again.job, again
        terms = [found_by[n] for n in again.fresh]
        limit = self._agent.settings.max_queue_size
        seq = tx.accept(fresh, self._agent.clock(), limit, terms)
        if seq is not None and self._agent.vectors:
            self._agent.vectors.want(tx)
        return seq, again

    def _receipt(self, store: Store, seq: int | None, again: Repeated) -> Receipt:
        """Return the receipt of a remember, and tell that it was accepted, or not."""
        limit = self._agent.settings.max_queue_size
        if again.known and not again.fresh:
            receipt = Receipt.of_erased()
            if seq is not None:
                future = self._agent.lane.expect_again(store, seq)
                receipt = Receipt(job_name(seq), future, self._hurry)
        elif seq is None:
            reason = f"队列已满 queue full: {limit} remembers of agent {self._agent.id!r} wait"
            self._agent.complain("%s; nothing of this call was stored", reason)
            self._agent.events.emit("queue_full", limit=limit)
            return Receipt.rejected(reason)
        else:
            self._agent.events.emit("accepted", job=job_name(seq), messages=len(again.fresh))
            receipt = Receipt(job_name(seq), self._agent.lane.expect(seq), self._hurry)
        receipt.known, receipt.changed = again.known, again.changed
        return receipt

    def _hurry(self) -> None:
        """Wait for no lull: somebody waits for a receipt, which keeps its memory open by this."""
        self._agent.lane.hurry()
