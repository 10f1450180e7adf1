"""Finding the old nodes that what is being woven is related to, at a cost that does not grow.

Each text is looked up by a few of its telling words in the full text of messages, of each word the
newest places; only the messages that have enough in common with it are looked at, and of their
nodes the living ones. Which of them are related to a new node is for `network.relating`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from wangchuan.language.terms import telling
from wangchuan.network.ranking import holders
from wangchuan.network.relating import FLOOR, relatedness, worth
from wangchuan.spots import message_at
from wangchuan.storage import NodeRecord, Transaction
from wangchuan.types import value

MOST_TERMS = 8  # of one text, by which others are looked for
POSTINGS = 50  # places of each that are looked at, newest first
MOST_MESSAGES = 8  # for one text
MOST_NODES = 200  # of all these messages
SHOWN = 6  # to a model, beside the focus


@value
class Related:
    """Old nodes that new texts may be related to."""

    nodes: Mapping[int, NodeRecord]
    worths: Mapping[str, float]
    found: dict[str, list[tuple[float, int]]] = field(default_factory=dict)  # by text

    def to(self, text: str) -> list[tuple[float, int]]:
        """Return the nodes related to a text, the most related first, then the oldest."""
        if text not in self.found:
            here = telling(text)
            scored = [
                (relatedness(here, telling(record.text), self.worths), n)
                for n, record in self.nodes.items()
            ]
            self.found[text] = sorted((o for o in scored if o[0]), key=lambda o: (-o[0], o[1]))
        return self.found[text]

    def shown(self, texts: Iterable[str]) -> list[tuple[int, str]]:
        """Return the few nodes that are most related to any of some texts, and what they say."""
        best: dict[int, float] = {}
        for score, n in (one for text in texts for one in self.to(text)):
            best[n] = max(score, best.get(n, 0.0))
        chosen = heapq.nlargest(SHOWN, best, key=lambda n: (best[n], -n))
        return [(n, self.nodes[n].text) for n in chosen]


NOTHING = Related({}, {})


def _most_telling(text: str) -> dict[str, float]:
    """Return the few terms of a text by which others are looked for, and what they weigh."""
    named = telling(text)
    chosen = heapq.nlargest(MOST_TERMS, named, key=lambda t: (named[t], len(t), t))
    return {term: named[term] for term in chosen}


def related_to(
    tx: Transaction,
    texts: Sequence[str],
    before: int,
    without: Iterable[int],
    said: Transaction | None = None,
) -> Related:
    """Return what texts may be related to that messages `before` a number left, `without` some.

    `said` is the store that has the full text, if that is another one.
    """
    worths, places = dict[str, float](), dict[str, list[int]]()
    wanted = [_most_telling(text) for text in texts]
    terms = list(dict.fromkeys(term for named in wanted for term in named))
    found_in = (said or tx).index.postings_of([(term,) for term in terms], POSTINGS, before)
    for term, spots in zip(terms, found_in, strict=True):
        worths[term] = worth(holders(spots, POSTINGS, before - 1), before - 1)
        places[term] = [message_at(spot) for spot in spots] if worths[term] else []
    messages: set[int] = set()
    for named in wanted:
        common: dict[int, float] = {}
        for term, weight in named.items():
            for message in places[term]:
                common[message] = common.get(message, 0.0) + weight * worths[term]
        likely = [(value, m) for m, value in common.items() if value >= FLOOR]
        messages.update(m for _, m in heapq.nlargest(MOST_MESSAGES, likely))
    apart = set(without)
    found = tx.nodes.living_from(messages, tx.passes(), MOST_NODES) if messages else []
    able = {r.n: r for r in found if r.kind == "segment" and r.n not in apart}
    return Related(able, worths)
