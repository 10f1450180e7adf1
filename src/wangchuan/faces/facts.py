"""A person's view of the facts: listing them, adding, correcting and confirming.

`memory.facts` is one of these. Nobody sets a weight: a fact that a person states counts as said by
the user and verified, and its weight moves by the same fixed steps as that of any other fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from wangchuan.arguments import a_timeout, one_of
from wangchuan.errors import InvalidInput, NotFound
from wangchuan.faces.face import Face
from wangchuan.facts.records import KINDS, LONGEST, TOPICS, Facts, Learned
from wangchuan.ids import number_of
from wangchuan.living.view import Reading, checked_kinds, checked_limit
from wangchuan.messages import storable
from wangchuan.network.ageing import POLICIES
from wangchuan.routines.observe import topic_of
from wangchuan.storage import NodeRecord, Transaction
from wangchuan.types import Fact

STATED = (*KINDS, "system")


class KnownFacts(Face):
    """The facts of one agent: call it for a list."""

    @property
    def _facts(self) -> Facts:
        return self._agent.facts

    def __call__(
        self, query: str | None = None, *, kinds: Iterable[str] = KINDS, limit: int = 100
    ) -> list[Fact]:
        """Return the living facts that bear on a query, or all of them, newest first.

        Raises InvalidInput for arguments that make no sense.
        """
        most, wanted = checked_limit(limit), checked_kinds(kinds, POLICIES)
        if query is not None and not isinstance(query, str):
            raise InvalidInput(f"a query is a string, not {type(query).__name__}")
        with self._borrow() as store, store.read() as tx:
            found = tx.facts.of_kinds(wanted, most)
            if query is not None:
                found = self._facts.related(tx, query, most, wanted)
            return [self._facts.present(tx, record) for record in found]

    def episodes(self, query: str | None = None, limit: int = 100) -> list[Fact]:
        """Return the episodes that bear on a query, or all of them, newest first."""
        return self(query, kinds=["episode"], limit=limit)

    def saying(self, text: str) -> Fact | None:
        """Return the living fact that says exactly this, if one does."""
        stated = _stated(text, None)
        with self._borrow() as store, store.read() as tx:
            record = self._facts.saying(tx, stated.text)
            return None if record is None else self._facts.present(tx, record)

    def add(self, text: str, *, topic: str | None = None, kind: str = "fact") -> Fact:
        """Add a fact that a person states; a known fact is confirmed and returned.

        A fact of `kind` "core" always holds: days do not wear it away, and every block has it. So
        does one of kind "system", which no message changes either. Raises InvalidInput for an
        empty text.
        """
        stated = replace(_stated(text, topic), kind=one_of(kind, STATED, "kind"))

        def add(tx: Transaction) -> int:
            known = self._facts.saying(tx, stated.text)
            if known is None or kind == "system":
                return self._facts.add(tx, stated)
            if kind == "core":
                self._facts.promote(tx, known)
            return self._confirm(tx, known)

        return self._write(add)

    def promote(self, node_id: str) -> Fact:
        """Make a fact core, as a person decides: it always holds. Raises NotFound."""

        def promote(tx: Transaction) -> int:
            record = _fact(tx, node_id)
            if record.kind not in KINDS:
                raise InvalidInput(f"{node_id} is an {record.kind}, not a fact")
            self._facts.promote(tx, record)
            return self._confirm(tx, record)

        return self._write(promote)

    def correct(self, node_id: str, text: str) -> Fact:
        """Replace a fact by a person's words; the old fact stays in the history of the new one.

        A fact that says the same already is confirmed.
        """
        stated = _stated(text, None)

        def correct(tx: Transaction) -> int:
            record = _fact(tx, node_id)
            if record.text == stated.text:
                return self._confirm(tx, record)
            return self._facts.supersede(tx, record, stated)

        return self._write(correct)

    def verify(self, node_id: str) -> Fact:
        """Note that a person confirms a fact."""
        return self._write(lambda tx: self._confirm(tx, _fact(tx, node_id)))

    def _confirm(self, tx: Transaction, record: NodeRecord) -> int:
        self._facts.verify(tx, record)
        return record.n

    def history(self, node_id: str) -> list[Fact]:
        """Return a fact with all that it replaced, newest first. Raises NotFound."""
        with self._borrow() as store, store.read() as tx:
            n, found = number_of(node_id), list[Fact]()
            record = tx.nodes.get(n)
            if record is None or tx.facts.get(n) is None:
                raise NotFound(f"{node_id} is not the id of a fact")
            while record is not None:
                found.append(self._facts.present(tx, record))
                n = next((former for former in self._facts.replaced_by(tx, n)), 0)
                record = tx.nodes.get(n) if n else None
            return found

    def pending(self) -> list[Fact]:
        """Return the facts that wait for a decision; see `decide`."""
        with self._borrow() as store, store.read() as tx:
            return self._agent.reviewing.pending(tx)

    def decide(self, node_id: str, decision: str) -> None:
        """Decide on a fact that waits for a review: "promote", "keep" or "delete".

        Raises NotFound, and InvalidInput for a decision that the fact does not wait for.
        """
        with self._borrow() as store, store.write() as tx:
            record = Reading(tx, self._agent.living.lens).record(node_id)
            self._agent.reviewing.decide(tx, record, decision)

    def age(self, timeout: float | None = None) -> bool:
        """Age facts and episodes now, reviews included; False: it took too long.

        The host does the same by itself once a day.
        """
        seconds = a_timeout(timeout)
        with self._borrow() as store, store.write() as tx:
            self._agent.learning.want_ageing(tx)
        return self._agent.lane.flush(seconds)

    def _write(self, change: Callable[[Transaction], int]) -> Fact:
        with self._borrow() as store, store.write() as tx:
            record = tx.nodes.get(change(tx))
            if record is None:
                raise NotFound("the fact is gone")
            return self._facts.present(tx, record)


def _stated(text: object, topic: str | None) -> Learned:
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput("a fact is a text that says something")
    if topic is not None:
        one_of(topic, TOPICS, "topic")
    plain = storable(" ".join(text.split()))
    if len(plain) > LONGEST:
        raise InvalidInput(f"a fact has at most {LONGEST} characters, not {len(plain)}")
    return Learned(plain, topic or topic_of(plain), source="user", verified=True)


def _fact(tx: Transaction, node_id: str) -> NodeRecord:
    record = tx.nodes.get(number_of(node_id))
    if record is None or tx.facts.get(record.n) is None:
        raise NotFound(f"{node_id} is not the id of a fact; `facts` lists them")
    if record.forgotten_at is not None:
        raise NotFound(f"{node_id} is forgotten; restore({node_id!r}) brings it back")
    if record.kind == "system":
        raise InvalidInput(f"{node_id} is a system memory, which nobody changes")
    return record
