"""Looking inside: what is there, why it stands where it stands, and what happened to it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict
from typing import Any

from wangchuan.answers import usage_of
from wangchuan.arguments import texts
from wangchuan.errors import InvalidInput, NotFound, shown
from wangchuan.ids import LARGEST, name_of, number_of
from wangchuan.living.lens import Lens, open_tasks, stored_text
from wangchuan.living.trash import FADED
from wangchuan.network import activity, ageing
from wangchuan.network.activity import ACTIVE, COLD, Signals
from wangchuan.network.fading import is_protected, target_length
from wangchuan.storage import LinkRecord, NodeRecord, Store, Text, Transaction, VitalsRecord
from wangchuan.types import Change, Explanation, Forgotten, Link, Node, Stats


def checked_kinds(kinds: Any, known: Collection[str]) -> frozenset[str]:
    """Return kinds of nodes, if all are `known`, or raise InvalidInput."""
    given = frozenset([kinds] if isinstance(kinds, str) else texts(kinds, "kinds"))
    if not given <= frozenset(known):
        raise InvalidInput(f"kinds are {', '.join(known)}, not {shown(kinds)}")
    return given


def checked_limit(limit: object, name: str = "limit") -> int:
    """Return a number of results that can be asked for, or raise InvalidInput naming it."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise InvalidInput(f"{name} must be a whole number, 0 or more, not {shown(limit, 40)}")
    return min(limit, LARGEST)


def checked_page(limit: object, offset: object) -> tuple[int, int]:
    """Return how many results are asked for, and how many are left out before them."""
    most = LARGEST if limit is None else checked_limit(limit)
    return most, checked_limit(offset, "offset")


def stats_of(agent_id: str, store: Store) -> Stats:
    """Return the figures of an agent's memory."""
    with store.read() as tx:
        passes, usage = tx.passes(), usage_of(tx.models.usage())
        counts, size = tx.meta.counts(passes), store.size()
        first = tx.jobs.first_remember()
    figures = {**counts, "passes": passes, "bytes": size}
    return Stats(agent_id, usage=usage, trouble=first.reason if first else None, **figures)


def read_links(tx: Transaction, records: Iterable[NodeRecord]) -> None:
    """Read at once the links that tell what is left of nodes."""
    passes = tx.passes()
    fading = [r.n for r in records if r.fade_at is not None and r.fade_at <= passes]
    tx.links.read_ahead(fading)


class Reading:
    """One agent's memory at one moment, as public values."""

    def __init__(self, tx: Transaction, lens: Lens) -> None:
        self.tx, self.lens, self._passes = tx, lens, tx.passes()

    def record(self, node_id: object) -> NodeRecord:
        """Return the record of a living node, or raise NotFound."""
        record = self.tx.nodes.get(number_of(node_id))
        if record is None:
            raise NotFound(f"no memory has the id {shown(node_id)}")
        if not record.is_alive(self._passes):
            name = name_of(record.n)
            raise NotFound(f"{name} is forgotten; restore({name!r}) brings it back")
        return record

    def forgotten_record(self, node_id: object) -> NodeRecord:
        """Return the record of a forgotten memory, or raise NotFound."""
        record = self.tx.nodes.get(number_of(node_id))
        if record is None:
            raise NotFound(f"no memory has the id {shown(node_id)}")
        if record.is_alive(self._passes):
            raise NotFound(f"{name_of(record.n)} is not forgotten: there is nothing to restore")
        return record

    def restorable(self, node_id: object) -> NodeRecord:
        """Return the record of a forgotten or faded memory, or raise NotFound."""
        record = self.tx.nodes.get(number_of(node_id))
        if record is None or not record.is_alive(self._passes):
            return self.forgotten_record(node_id)
        if self.present(record).content == record.original:
            raise NotFound(f"{name_of(record.n)} is whole: there is nothing to restore")
        return record

    def node(self, node_id: str) -> Node | None:
        """Return a living node; None if it never was, or is forgotten."""
        try:
            return self.present(self.record(node_id))
        except NotFound:
            return None

    def nodes(self, limit: int = LARGEST, offset: int = 0, after: int = 0) -> list[Node]:
        """Return living nodes after a number, oldest first, but for so many of them."""
        records = self.tx.nodes.alive(self._passes, limit, offset, after)
        return [self.present(record) for record in self.faded(records)]

    def faded(self, records: list[NodeRecord]) -> list[NodeRecord]:
        """Return records after reading at once the links that tell what is left of them."""
        read_links(self.tx, records)
        return records

    def focus(self) -> list[Node]:
        """Return the attended nodes, newest first."""
        records = [self.tx.nodes.get(n) for n in self.tx.links.focus()]
        return [self.present(r) for r in records if r and r.is_alive(self._passes)]

    def fading(self, limit: int) -> list[Explanation]:
        """Return the nodes that are fading, those to be forgotten first in front."""
        records = self.faded(self.tx.nodes.fading(self._passes, limit))
        return [self.explain(record) for record in records]

    def forgotten(self, limit: int) -> list[Forgotten]:
        """Return the nodes in the trash, the last to go in front."""
        return [self.gone(record) for record in self.tx.trash.nodes(self._passes, limit)]

    def gone(self, record: NodeRecord) -> Forgotten:
        """Return a forgotten node with the last words that were left of it."""
        if record.forgotten_at is not None or record.die_at is None:
            reason, at = record.reason or FADED, record.forgotten_at
            return Forgotten(self.stored(record), reason, at, record.original)
        last = self.lens.shown(self.tx, record, record.die_at - 1)
        return Forgotten(self.public(record, last), FADED, None, record.original)

    def links(self, record: NodeRecord) -> list[Link]:
        """Return the unbroken links of a node, strongest first."""
        held, scans = record.n in self.tx.links.focus(), self.lens.scans(record, self._passes)
        found = []
        for link, target in self.tx.links.neighbours(record.n):
            strength = self.lens.strength(link, scans)
            if strength:
                dangling = target is None or not target.is_alive(self._passes)
                found.append(self._link(link, 1.0 if held else strength, dangling))
        return sorted(found, key=lambda link: -link.strength)

    def incoming(self, record: NodeRecord) -> list[Link]:
        """Return the unbroken links by which living nodes lead to one, strongest first."""
        sources = [self.tx.nodes.get(link.source) for link in self.tx.links.to(record.n)]
        alive = [source for source in sources if source and source.is_alive(self._passes)]
        name = name_of(record.n)
        found = [link for source in alive for link in self.links(source) if link.target == name]
        return sorted(found, key=lambda link: -link.strength)

    def explain(self, record: NodeRecord) -> Explanation:
        """Return why a node stands where it stands."""
        links = self.links(record)
        support = [self._link(link, 1.0) for link in self.lens.support(self.tx, record.n)]
        counted = [n for n in links if self.lens.settings.dangling_counts or not n.dangling]
        importance = sum(link.strength for link in [*counted, *support])
        node = self.present(record)
        focused, weight = record.n in self.tx.links.focus(), self._weight(record)
        held = weight is None and record.since_pass is None and bool(open_tasks(self.tx))
        base = node.original_length
        if self.lens.settings.length_base == "current":
            base = len(node.content)
        (vitals,) = self.tx.ticks.vitals_of(self.lens.decay(self.tx), [record.n])
        signals = Signals.of(vitals)
        terms = activity.terms(signals, self.lens.clock(), self.lens.coefficients)
        return Explanation(
            node=node,
            importance=importance,
            target_length=base if focused or held else target_length(importance, base),
            links=tuple(links),
            support=tuple(support),
            protections=(
                *_protections(focused, held, support, importance),
                *_lasting(record.kind, weight),
            ),
            passes_left=None if record.die_at is None else record.die_at - self._passes,
            activity=terms,
            score=sum(terms.values()),
            state=COLD if vitals.cold_since is not None and not focused else ACTIVE,
            cold_since=None if focused else vitals.cold_since,
            marks=() if focused else _marks(vitals),
            weight=weight,
            signals=asdict(signals),
            original=record.original,
        )

    def explained(self, limit: int) -> list[Explanation]:
        """Return why the newest living nodes stand where they stand, oldest of them first."""
        before = max(0, self.tx.meta.counts(self._passes)["nodes"] - limit)
        records = self.faded(self.tx.nodes.alive(self._passes, limit, before))
        return [self.explain(record) for record in records]

    def _weight(self, record: NodeRecord) -> float | None:
        """Return what days have left of a fact or an episode."""
        fact = self.tx.facts.get(record.n)
        if fact is None:
            return None
        now = self.lens.clock()
        left = ageing.left(record.kind, fact.weight, fact.used_at, fact.aged, now)
        return round(left, ageing.DIGITS)

    def history(self, node_id: str) -> list[Change]:
        """Return what happened to a node, alive or forgotten, oldest first."""
        entries = self.tx.journal.of(number_of(node_id))
        if not entries:
            raise NotFound(f"no memory has the id {shown(node_id)}")
        return [
            Change(e.seq, e.at, e.passes, e.kind, node_id, json.loads(e.detail)) for e in entries
        ]

    def present(self, record: NodeRecord) -> Node:
        """Return a node as it stands now."""
        return self.public(record, self.lens.shown(self.tx, record, self._passes))

    def stored(self, record: NodeRecord) -> Node:
        """Return a node with its text as it is stored."""
        return self.public(record, stored_text(record))

    def present_any(self, record: NodeRecord) -> Node:
        """Return a node, alive or forgotten, as far as there is something left of it."""
        if record.is_alive(self._passes):
            return self.present(record)
        return self.gone(record).node

    def public(self, record: NodeRecord, text: Text, scans: int | None = None) -> Node:
        """Return a node with a text, after so many scans; without them, after those of now."""
        text = self.lens.readable(record, text)
        return Node(
            id=name_of(record.n),
            kind=record.kind,
            content=text.content,
            phrase=text.phrase,
            keywords=text.keywords,
            created_at=record.created_at,
            scan_count=self.lens.scans(record, self._passes) if scans is None else scans,
            original_length=len(record.original),
            sources=tuple(json.loads(record.sources)),
        )

    def _link(self, link: LinkRecord, strength: float, dangling: bool = False) -> Link:
        return Link(name_of(link.source), name_of(link.target), strength, link.relation, dangling)


def _marks(vitals: VitalsRecord) -> tuple[str, ...]:
    marked = {"merge": vitals.merge_with is not None, "delete": vitals.delete_eligible}
    return tuple(name for name, holds in marked.items() if holds)


def _lasting(kind: str, weight: float | None) -> list[str]:
    """Say why days do nothing to a fact or an episode, if so."""
    if weight is None:
        return []
    if ageing.POLICIES[kind].factor is None:
        return [f"a {kind} memory does not wear away"]
    heavy = weight >= ageing.PROTECTED
    return [f"its weight {weight:.2f} is at least {ageing.PROTECTED:g}"] if heavy else []


def _protections(focused: bool, held: bool, support: list[Link], importance: float) -> list[str]:
    reasons = ["it is in focus"] if focused else []
    reasons += ["a task is open that touched it"] if held and not focused else []
    reasons += [f"{link.source} is in focus and points at it" for link in support]
    if is_protected(importance) and not focused:
        reasons.append(f"its importance {importance:.3f} is at least 1")
    return reasons
