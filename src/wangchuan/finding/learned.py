"""What was learned, as an answer of a search: facts and episodes among what was said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from wangchuan.facts.records import Facts
from wangchuan.finding.found import FORGOTTEN
from wangchuan.finding.query import Query
from wangchuan.finding.words import Words
from wangchuan.living.lens import Lens
from wangchuan.living.view import Reading
from wangchuan.network import ranking
from wangchuan.storage import FactRecord, MessageRecord, NodeRecord, Transaction
from wangchuan.types import Hit, Message, value

BESIDE = 3  # facts and episodes among messages, at most; asked for alone, as many as wanted

Holding = Mapping[str, Sequence[int]]  # facts and episodes by the terms that they hold


@value
class Learned:
    """Facts and episodes that answer one question."""

    tx: Transaction
    lens: Lens
    query: Query
    facts: Facts | None
    words: Words  # of the question

    def among(self, said: Iterable[Hit]) -> list[Hit]:
        """Return what was said and what was learned in one list, best first."""
        query = self.query
        found: list[tuple[float, Hit | NodeRecord]] = [(hit.score, hit) for hit in said]
        if self.facts is not None and self._kinds:
            holding = self.facts.holding(self.tx, query.text)
            then = filter(self._was_said_then, self._related(self.tx, self.facts, holding))
            scored = [(self._score(record, holding), record) for record in islice(then, self._most)]
            found += [one for one in scored if one[0] or self._kinds == query.kinds]
        best = sorted(found, key=lambda one: -one[0])
        best = [*islice(self._once(best), query.limit)] if len(best) > query.limit else best
        self._ask_for([one.n for _, one in best if not isinstance(one, Hit)])
        reading = Reading(self.tx, self.lens)
        return [
            one if isinstance(one, Hit) else self._hit(reading, one, score) for score, one in best
        ]

    def _once(
        self, ranked: Iterable[tuple[float, Hit | NodeRecord]]
    ) -> Iterator[tuple[float, Hit | NodeRecord]]:
        """Yield answers but for what was learned of nothing but messages that stand above it.

        Where there is no room for all, it would tell the same once more in the place of another.
        """
        above: list[Message] = []
        for score, one in ranked:
            if isinstance(one, Hit):
                above += one.sources
            elif above and (said := said_of(self.tx, one.n)) and _are_all(said, above):
                continue
            yield score, one

    def _ask_for(self, learned: list[int]) -> None:
        """Ask for what tells of all that was learned at once."""
        said = [partial(said_of, n=n) for n in learned]
        self.tx.together(lambda tx: tx.facts.read_ahead(learned), *said)

    def soon(self, tx: Transaction) -> None:
        """Ask for what tells of the first facts and episodes, as far as it is known which."""
        if self.facts is None or not self._kinds:
            return
        holding = self.facts.holding(tx, self.query.text)
        for record in islice(self._related(tx, self.facts, holding), self._most):
            tx.ahead(partial(_weighed, n=record.n), partial(said_of, n=record.n))

    @property
    def _kinds(self) -> frozenset[str]:
        return self.query.kinds - {"segment"}

    @property
    def _most(self) -> int:
        """Return how many facts and episodes are told, at most."""
        alone = self._kinds == self.query.kinds
        return self.query.limit if alone else min(self.query.limit, BESIDE)

    def _related(self, tx: Transaction, facts: Facts, holding: Holding) -> Iterator[NodeRecord]:
        """Return facts and episodes by what they hold of the question, best first."""
        ranked = facts.ranked(tx, holding, self._kinds, forgotten=self.query.forgotten)
        return islice(ranked, self.query.limit)

    def _score(self, record: NodeRecord, holding: Holding) -> float:
        """Return the score of something learned by what it holds of the terms of the question."""
        worth = self.words.evidence.worth
        asked = {term: worth.get(term, 1.0) for term in self.words.named()}
        held = [term for term, nodes in holding.items() if term in asked and record.n in nodes]
        if not self.words.are_enough(held) or not self.words.is_met(held):
            return 0.0
        evidence = sum(map(asked.__getitem__, held))
        return ranking.LEARNED * ranking.score_of(evidence, sum(asked.values()))

    def _was_said_then(self, record: NodeRecord) -> bool:
        """Tell whether something learned was said when and where it was asked.

        What a person told us counts as said when it was told, in no session.
        """
        query = self.query
        if query.since is None and query.until is None and not query.tags:
            return True
        said = said_of(self.tx, record.n)
        told = not said and not query.tags and query.admits(record.created_at)
        return told or any(query.admits(m.said_at) and m.has(query.tags) for m in said)

    def _hit(self, reading: Reading, record: NodeRecord, score: float) -> Hit:
        said = said_of(self.tx, record.n)
        return Hit(
            node=reading.present_any(record),
            score=score,
            terms={record.kind: score},
            path=(),
            sources=tuple(m.public for m in said),
            lost=None if record.forgotten_at is None else FORGOTTEN,
        )


def _are_all(said: Iterable[MessageRecord], above: Sequence[Message]) -> bool:
    return all(record.public in above for record in said)


def _weighed(tx: Transaction, n: int) -> FactRecord | None:
    return tx.facts.get(n)


def said_of(tx: Transaction, n: int) -> list[MessageRecord]:
    """Return the messages that a fact or an episode was learned from."""
    return tx.messages.behind(n)
