"""What speaks for a message as an answer: the words, who said it and when, and what was added."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from wangchuan.finding.candidates import Candidates
from wangchuan.finding.query import Query
from wangchuan.finding.words import Words
from wangchuan.network import ranking
from wangchuan.network.ranking import Score

ASKS = frozenset("?？")  # at the end of a message


@dataclass(slots=True)
class Weighing:
    """What speaks for each candidate of one search."""

    query: Query
    words: Words
    candidates: Candidates
    faded: set[int] = field(default_factory=set)  # candidates whose words are gone
    stepped: dict[int, float] = field(default_factory=dict)  # what a second step brought
    meant: dict[int, float] = field(default_factory=dict)  # what being near in meaning did
    known: float = 0.0  # the most of the question that was met in one place

    def weigh(self, message: int) -> float:
        """Return what speaks for a message; 0.0 if that is too little to be an answer."""
        total, covered = self.words.evidence.weigh(message, self.candidates.first(message))
        if covered > self.known:
            self.known = covered
        elif not covered and not self.query.spans:
            return 0.0  # neither words nor times speak for it
        more = self._more(message, covered)
        return (total + sum(more.values())) * self._stating(message)

    def score_of(self, weight: float) -> float:
        """Return the score, up to 1, of a message for which so much speaks."""
        return ranking.score_of(weight, self.words.evidence.asked)

    def own(self, message: int) -> float:
        """Return how much of the question's worth a message holds in words that are at hand."""
        return 0.0 if message in self.faded else self.words.evidence.coverage(message)

    def _stating(self, message: int) -> float:
        """Return the share of its worth that a message keeps: what asks tells less."""
        return ranking.ASKING if self.candidates.heads[message][4] in ASKS else 1.0

    def _more(self, message: int, covered: float) -> dict[str, float]:
        """Return what speaks for a message beside words: who said it, and when."""
        _, _, name, said_at, _ = self.candidates.heads[message]
        more: dict[str, float] = {}
        if covered and name in self.words.names:
            more[ranking.SPOKE] = ranking.SPEAKER
        if self.query.spans and self.query.names_time_of(said_at):
            more[ranking.TIMED] = max(ranking.TIME, self.words.evidence.asked / 2, self.words.dated)
        return more

    def score(self, message: int) -> Score:
        """Return the same as `_weigh`, part by part, and what was added to it since."""
        own = message not in self.faded
        score = self.words.evidence.score(message, self.candidates.first(message), own=own)
        more = self._more(message, score.covered)
        kept = self._stating(message)
        parts = {name: part * kept for name, part in {**score.parts, **more}.items()}
        if own:
            parts |= {ranking.STEPPED: self.stepped.get(message, 0.0)}
        parts |= {ranking.VECTORS: self.meant.get(message, 0.0)}
        return replace(score, total=sum(parts.values()), parts=parts)
