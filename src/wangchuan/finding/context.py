"""The block of memory an agent puts into its prompt.

It holds, in this order and under a budget of tokens: core memories, facts and episodes that bear on
the query, and what comes to mind: what search finds of all that was said, and what the network
recalls from the focus, without what was corrected since. If nothing bears on the query it is an
empty string. The block stands between two marks, the first with a check of what follows, by which
`remember` recognises it and drops it when it comes back: what the system said itself is never
learned from it. Being put into a prompt is not a use and counts for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from wangchuan.arguments import shown
from wangchuan.errors import InvalidInput
from wangchuan.facts.records import Facts
from wangchuan.finding.recall import Question, folded, indented, reach
from wangchuan.finding.search import DROPPED, FORGOTTEN, LONGEST_QUERY, Nearest, Query, Search
from wangchuan.finding.traces import once_known
from wangchuan.language.terms import asked
from wangchuan.language.text import keywords, language
from wangchuan.language.tokens import tokens
from wangchuan.living.lens import Lens
from wangchuan.messages import as_block, without_blocks
from wangchuan.network.ranking import TEXT, VECTORS
from wangchuan.storage import NodeRecord, Transaction
from wangchuan.types import Hit

DEFAULT_TOKENS = 1000
MOST_CORE, MOST_FACTS, MOST_EPISODES, MOST_FOUND, MOST_RECALLED = 20, 10, 5, 5, 10
LOOKED_AT = 20  # hits, of which some say the same, or what is recalled anyway
LATELY = re.compile(
    r"刚才|刚刚|昨天|前天|上次|上回|最近聊|之前聊"
    r"|\b(?:just now|yesterday|last time|earlier|recently|previously)\b",
    re.IGNORECASE,
)
TITLES = {
    "core": {"zh": "核心记忆", "en": "Core memories"},
    "fact": {"zh": "相关事实", "en": "Facts"},
    "episode": {"zh": "聊过的事", "en": "Earlier conversations"},
    "recalled": {"zh": "想起的事", "en": "What comes to mind"},
}


def checked_tokens(given: object) -> int:
    """Return a budget of tokens, or raise InvalidInput."""
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InvalidInput(f"max_tokens must be a whole number, 0 or more, not {shown(given, 40)}")
    return given


@dataclass(frozen=True, slots=True)
class Context:
    """Builds the block for one moment of one memory."""

    tx: Transaction
    lens: Lens
    facts: Facts
    nearest: Nearest | None = None

    def block(self, query: str | None, max_tokens: int, pages: str = "") -> str:
        """Return the block, after the pages of the notebook if there are any.

        An empty string if there is nothing to say.
        """
        query = None if query is None else query[:LONGEST_QUERY]
        parts = list(self._parts(query))
        spoken = query or "\n".join(line for _, lines in parts for line in lines)
        tongue = language(spoken)
        room = max_tokens - tokens(as_block(""))
        body = [without_blocks(pages).strip()] if pages.strip() else []
        for part, lines in parts:
            title = f"## {TITLES[part][tongue]}"
            kept, room = _fitting(title, lines, room)
            body += kept
        return as_block("\n".join(body)) if body else ""

    def _parts(self, query: str | None) -> Iterator[tuple[str, list[str]]]:
        yield "core", _lines(self.tx.facts.of_kinds(["system", "core"], MOST_CORE))
        facts = _lines(self._about(query, "fact", MOST_FACTS))
        yield "fact", facts
        yield "episode", _lines(self._episodes(query))
        yield "recalled", self._come_to_mind(query, answered=bool(facts))

    def _about(self, query: str | None, kind: str, most: int) -> list[NodeRecord]:
        if query is None:
            return self.tx.facts.of_kinds([kind], most)
        return self.facts.related(self.tx, query, most, [kind])

    def _episodes(self, query: str | None) -> list[NodeRecord]:
        """Return the episodes a query is about; the last ones if it asks what there was lately."""
        if query is not None and not LATELY.search(query):
            return self._about(query, "episode", MOST_EPISODES)
        return self.tx.facts.of_kinds(["episode"], MOST_EPISODES)

    def _come_to_mind(self, query: str | None, *, answered: bool) -> list[str]:
        """Return what the network recalls, after what is found beside that.

        Where nothing answers but something that is lost would, that is said last.
        """
        recalled, hits = self._recalled(query)[:MOST_RECALLED], self._hits(query)
        found = dict.fromkeys(indented(hit.text) for hit in hits)
        beside = [entry for entry in found if entry not in recalled][:MOST_FOUND]
        answered = answered or any({TEXT, VECTORS} & hit.terms.keys() for hit in hits)
        lost = [] if answered else self._once_known(query)
        return [f"- {entry}" for entry in [*beside, *recalled, *lost]]

    def _hits(self, query: str | None, *, forgotten: bool = False) -> list[Hit]:
        """Return what search finds, wherever the attention is."""
        if query is None:
            return []
        options = {"limit": LOOKED_AT, "kinds": ["segment"], "forgotten": forgotten}
        checked = Query.of(query, self.lens.clock(), strict=True, **options)
        hits = Search(self.tx, self.lens, checked, self.nearest).hits()
        return [hit for hit in hits if not _is_asked(hit.sources[0].content, query)]

    def _once_known(self, query: str | None) -> list[str]:
        """Say which words of a query something that is lost would answer to, if any."""
        hits = self._hits(query, forgotten=True)
        lost = "\n".join(h.sources[0].content for h in hits if h.lost in (DROPPED, FORGOTTEN))
        asked_for = [word for word in keywords(query or "") if folded(word) in folded(lost)]
        return [once_known(asked_for, language(lost))] if asked_for else []

    def _recalled(self, query: str | None) -> list[str]:
        """Return what the network recalls from the focus."""
        words = _words(query) if query is not None else []
        if query is not None and not words:
            return []
        depth = self.lens.settings.default_search_depth
        wanted = None if query is None else asked(query)
        question = replace(Question.of(words, (), depth, depth), stale=False, wanted=wanted)
        reached = reach(self.tx, self.lens, question, self.tx.messages.newest())
        entries = map(indented, reached.lines())
        return list(dict.fromkeys(entry for entry in entries if not _is_asked(entry, query)))


def _is_asked(text: str, query: str | None) -> bool:
    """Tell whether a text is the question itself: asked before, it is no answer."""
    return query is not None and text.strip() == query.strip()


def _words(query: str) -> list[str]:
    """Return what to recall by: the keywords of a query, and the words these are made of."""
    found = keywords(query)
    return list(dict.fromkeys([*found, *(word for keyword in found for word in keyword.split())]))


def _lines(records: Iterable[NodeRecord]) -> list[str]:
    return ["- " + " ".join(record.text.split()) for record in records]


def _fitting(title: str, lines: list[str], room: int) -> tuple[list[str], int]:
    """Return as much of a part as fits, and the room that is left; a line too long is left out."""
    kept: list[str] = []
    left = room - tokens(f"{title}\n")
    for line in lines:
        size = tokens(f"{line}\n")
        if size <= left:
            left -= size
            kept.append(line)
    return ([title, *kept], left) if kept else ([], room)
