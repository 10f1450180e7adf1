"""What was learned, as an answer of a search: facts and episodes among what was said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from wangchuan.facts.records import Facts
from wangchuan.finding.found import FORGOTTEN
from wangchuan.finding.query import Query
from wangchuan.finding.words import Words
from wangchuan.living.lens import Lens
from wangchuan.living.view import Reading
from wangchuan.network import ranking
from wangchuan.storage import NodeRecord, Transaction
from wangchuan.types import Hit

BESIDE = 3  # facts and episodes among messages, at most; asked for alone, as many as wanted


@dataclass(frozen=True, slots=True)
class Learned:
    """Facts and episodes that answer one question."""

    tx: Transaction
    lens: Lens
    query: Query
    facts: Facts | None
    words: Words  # of the question

    def among(self, said: Iterable[Hit]) -> list[Hit]:
        """Return what was said and what was learned in one list, best first."""
        kinds, query = self.query.kinds - {"segment"}, self.query
        found: list[tuple[float, Hit | NodeRecord]] = [(hit.score, hit) for hit in said]
        if kinds and self.facts is not None:
            most = query.limit if kinds == query.kinds else min(query.limit, BESIDE)
            holding = self.facts.holding(self.tx, query.text)
            ranked = self.facts.ranked(self.tx, holding, kinds, forgotten=query.forgotten)
            related = islice(ranked, query.limit)
            learned = islice(filter(self._was_said_then, related), most)
            scored = [(self._score(record, holding), record) for record in learned]
            found += [one for one in scored if one[0] or kinds == query.kinds]
        best = sorted(found, key=lambda one: -one[0])[: query.limit]
        reading = Reading(self.tx, self.lens)
        return [
            one if isinstance(one, Hit) else self._hit(reading, one, score) for score, one in best
        ]

    def _score(self, record: NodeRecord, holding: Mapping[str, Sequence[int]]) -> float:
        """Return the score of something learned by what it holds of the terms of the question."""
        worth = self.words.evidence.worth
        asked = {term: worth.get(term, 1.0) for term in self.words.named()}
        held = [term for term, nodes in holding.items() if term in asked and record.n in nodes]
        evidence = sum(map(asked.__getitem__, held))
        return ranking.LEARNED * ranking.score_of(evidence, sum(asked.values()))

    def _was_said_then(self, record: NodeRecord) -> bool:
        """Tell whether something learned was said when and where it was asked.

        What a person told us counts as said when it was told, in no session.
        """
        query = self.query
        if query.since is None and query.until is None and not query.tags:
            return True
        said = self.tx.messages.of(self.tx.facts.evidence_of(record.n))
        told = not said and not query.tags and query.admits(record.created_at)
        return told or any(query.admits(m.said_at) and m.has(query.tags) for m in said)

    def _hit(self, reading: Reading, record: NodeRecord, score: float) -> Hit:
        said = self.tx.messages.of(self.tx.facts.evidence_of(record.n))
        return Hit(
            node=reading.present_any(record),
            score=score,
            terms={record.kind: score},
            path=(),
            sources=tuple(m.public for m in said),
            lost=None if record.forgotten_at is None else FORGOTTEN,
        )
