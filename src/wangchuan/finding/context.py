"""The block of memory an agent puts into its prompt.

It holds, in this order and under a budget of tokens: core memories, facts and episodes that bear on
the query, and what comes to mind: what search finds of all that was said, with who said it and
when, and what the network recalls from the focus, without what was corrected since. A question
about a day is answered with that day, one about what was just said with the last turns. Where
people speak of themselves, room that is left goes to the weightiest facts. If nothing bears on the
query it is an empty string.

The block stands between two marks, the first with a check of what follows, by which `remember`
recognises it and drops it when it comes back: what the system said itself is never learned from it.
Being put into a prompt is not a use and counts for nothing, but for one thing: what had gone cold
and alone answers is warmed by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from wangchuan.arguments import shown
from wangchuan.errors import InvalidInput
from wangchuan.facts.records import Facts
from wangchuan.finding.recall import Question, folded, indented, reach
from wangchuan.finding.search import (
    DROPPED,
    FORGOTTEN,
    LONGEST_QUERY,
    Found,
    Nearest,
    Query,
    Search,
)
from wangchuan.finding.telling import Telling, is_asked
from wangchuan.finding.traces import once_known
from wangchuan.language.dates.coming import as_of
from wangchuan.language.dates.spans import spans
from wangchuan.language.terms import asked
from wangchuan.language.text import keywords, language
from wangchuan.language.tokens import tokens
from wangchuan.living.lens import Lens
from wangchuan.messages import as_block, without_blocks
from wangchuan.network.activity import COLD
from wangchuan.patterns import regex
from wangchuan.storage import NodeRecord, Transaction

DEFAULT_TOKENS = 1000
MOST_CORE, MOST_FACTS, MOST_EPISODES, MOST_FOUND, MOST_RECALLED = 20, 10, 5, 20, 5
MOST_KNOWN = 100  # facts, where room is left
MOST_OF_DAY = 40  # messages, the last ones of a day or of the conversation
NEAR = 0.4  # of what speaks for the best answer: the least that speaks for another
JUST = regex(r"刚才|刚刚|\b(?:just now|a (?:moment|minute) ago)\b", re.IGNORECASE)
LATELY = regex(
    r"上次|上回|最近聊|之前聊|\b(?:last time|earlier|recently|previously)\b", re.IGNORECASE
)
ASKS = regex(
    r"[?？吗]|什么|哪|谁|几|记得|聊|\b(?:what|wh(?:o|en|ere|ich|y)|how|did|remember|remind)\b",
    re.IGNORECASE,
)
PERSONAL = regex(r"[我咱]|\b(?:I|me|my|mine|we|us|our)\b", re.IGNORECASE)
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
    warmed: list[int] = field(default_factory=list)  # what was cold, and answers alone
    shown: list[int] = field(default_factory=list)  # the facts in the block, and those beside them

    def block(self, query: str | None, max_tokens: int, pages: str = "") -> str:
        """Return the block, after the pages of the notebook if there are any.

        An empty string if there is nothing to say.
        """
        query = None if query is None else query[:LONGEST_QUERY]
        facts = self._about(query, "fact", MOST_FACTS)
        core = self.tx.facts.of_kinds(["system", "core"], MOST_CORE)
        spoken = query or " ".join(record.text for record in [*core, *facts])
        tongue = language(spoken or self._last_said())
        now = self.lens.clock()
        self.shown.extend(record.n for record in [*core, *facts])
        parts = {
            "core": _lines(core, now),
            "fact": _lines(facts, now),
            **self._said(query, tongue, answered=bool(facts)),
        }
        laid, room = dict[str, list[str]](), max_tokens - tokens(as_block(""))
        for part, lines in parts.items():
            laid[part], room = _fitting(_title(part, tongue), lines, room)
        if query is not None and PERSONAL.search(query):
            title = "" if laid["fact"] else _title("fact", tongue)
            laid["fact"] += _fitting(title, self._more_known(parts["fact"]), room)[0]
        body = [without_blocks(pages).strip()] if pages.strip() else []
        body += [line for lines in laid.values() for line in lines]
        return as_block("\n".join(body)) if body else ""

    def _last_said(self) -> str:
        last = self.tx.messages.last()
        return last.content if last else ""

    def _about(self, query: str | None, kind: str, most: int) -> list[NodeRecord]:
        if query is None:
            return self.tx.facts.of_kinds([kind], most)
        return self.facts.related(self.tx, query, most, [kind])

    def _more_known(self, told: list[str]) -> list[str]:
        """Return the facts beside those that are told already, the weightiest first."""
        found = self.tx.facts.of_kinds(["fact"], MOST_KNOWN)
        kept = {record.n: self.tx.facts.get(record.n) for record in found}
        weights = {r.n: self.facts.weight(r, fact) for r in found if (fact := kept[r.n])}
        found.sort(key=lambda record: (-weights.get(record.n, 0.0), -record.n))
        self.shown.extend(record.n for record in found if record.n not in self.shown)
        return [line for line in _lines(found, self.lens.clock()) if line not in told]

    # what was said

    def _said(self, query: str | None, tongue: str, *, answered: bool) -> dict[str, list[str]]:
        """Return episodes, and what comes to mind."""
        if query is None:
            told = Telling(self.tx, self.lens, tongue).lines(self._focus())
            episodes = self.tx.facts.of_kinds(["episode"], MOST_EPISODES)
            return {"episode": _lines(episodes, 0.0), "recalled": _marked(told)}
        found = self._found(query)
        day = self._just_said() if JUST.search(query) else self._day_asked(query)
        if day is not None:
            return self._of_day(query, tongue, day, found)
        return {
            "episode": _lines(self._episodes(query, found), 0.0),
            "recalled": self._come_to_mind(query, tongue, found, answered),
        }

    def _focus(self) -> list[int]:
        records = [self.tx.nodes.get(n) for n in self.tx.links.focus()]
        return [record.message for record in records if record and record.message]

    def _day_asked(self, query: str) -> list[int] | None:
        """Return what was said at the past time a question asks about, in order; None: at none."""
        now = self.lens.clock()
        past = [span for span in spans(query, now) if span.last <= now]
        if not past or not ASKS.search(query):
            return None
        found = (self.tx.messages.said_between(s.first, s.last, MOST_OF_DAY) for s in past)
        return sorted({message for messages in found for message in messages}) or None

    def _just_said(self) -> list[int]:
        """Return the messages of the present conversation, in their order."""
        last = self.tx.messages.last()
        if last is None:
            return []
        return list(range(last.seq - min(last.place, MOST_OF_DAY - 1), last.seq + 1))

    def _of_day(
        self, query: str, tongue: str, day: list[int], found: list[Found]
    ) -> dict[str, list[str]]:
        """Return what was said at a time: on the topic of the question, or else all of it."""
        on_topic = [one.record.seq for one in found if one.record.seq in day]
        episodes = [] if on_topic else self._episodes_of(day)
        said = Telling(self.tx, self.lens, tongue).lines(on_topic or day, query)
        return {"episode": _lines(episodes, 0.0), "recalled": _marked(said)}

    def _episodes_of(self, messages: list[int]) -> list[NodeRecord]:
        learned = sorted({n for _, n in self.tx.facts.learned_from(messages)})
        found = [record for n in learned if (record := self.tx.nodes.get(n))]
        return [r for r in found if r.kind == "episode" and r.forgotten_at is None]

    def _episodes(self, query: str, found: list[Found]) -> list[NodeRecord]:
        """Return the episodes a query is about; the last ones if it asks what there was lately."""
        episodes = self._about(query, "episode", MOST_EPISODES)
        if not episodes and not found and LATELY.search(query):
            return self.tx.facts.of_kinds(["episode"], MOST_EPISODES)
        return episodes

    def _come_to_mind(
        self, query: str, tongue: str, found: list[Found], answered: bool
    ) -> list[str]:
        """Return what was found, then what the network recalls.

        Where nothing answers but something that is lost would, that is said last.
        """
        nodes = [self.tx.nodes.get(n) for n in self._recalled(query)]
        beside = [node.message for node in nodes if node and node.message]
        numbers = dict.fromkeys([*(one.record.seq for one in found), *beside])
        told = Telling(self.tx, self.lens, tongue).lines(list(numbers), query)
        lost = [] if answered or told else self._once_known(query)
        return _marked([*told, *lost])

    def _found(self, query: str) -> list[Found]:
        """Return what search finds of the active; of the cold where nothing active answers."""
        found = self._searched(query, cold=False)
        if any(one.score.matched for one in found):
            return found
        found = self._searched(query)
        cold = (one for one in found if one.lost == COLD and one.score.matched)
        self.warmed.extend(node.n for one in cold for node in one.alive)
        return found

    def _searched(self, query: str, *, cold: bool = True, forgotten: bool = False) -> list[Found]:
        """Return what search finds, wherever the attention is, without what is far behind."""
        options: dict[str, Any] = {"limit": 2 * MOST_FOUND, "kinds": ["segment"]}
        options |= {"cold": cold, "forgotten": forgotten}
        checked = Query.of(query, self.lens.clock(), strict=True, **options)
        search = Search(self.tx, self.lens, checked, self.nearest)
        found = [one for one in search.found() if not is_asked(one.record.content, query)]
        least = NEAR * max((one.score.total for one in found), default=0.0)
        near = [one for one in found if not one.score.total or one.score.total >= least]
        return near[:MOST_FOUND]

    def _once_known(self, query: str) -> list[str]:
        """Say which words of a query something that is lost would answer to, if any."""
        found = self._searched(query, forgotten=True)
        lost = "\n".join(one.record.content for one in found if one.lost in (DROPPED, FORGOTTEN))
        asked_for = [word for word in keywords(query) if folded(word) in folded(lost)]
        return [once_known(asked_for, language(lost))] if asked_for else []

    def _recalled(self, query: str) -> list[int]:
        """Return what the network recalls from the focus."""
        words = _words(query)
        if not words:
            return []
        depth = self.lens.settings.default_search_depth
        question = Question.of(words, (), depth, depth)
        question = replace(question, stale=False, wanted=asked(query))
        reached = reach(self.tx, self.lens, question, self.tx.messages.newest())
        return [visit.node for visit, _ in reached.found[:MOST_RECALLED]]


def _title(part: str, tongue: str) -> str:
    return f"## {TITLES[part][tongue]}"


def _marked(lines: Iterable[str]) -> list[str]:
    return [f"- {indented(line)}" for line in lines]


def _words(query: str) -> list[str]:
    """Return what to recall by: the keywords of a query, and the words these are made of."""
    found = keywords(query)
    return list(dict.fromkeys([*found, *(word for keyword in found for word in keyword.split())]))


def _lines(records: Iterable[NodeRecord], now: float) -> list[str]:
    return ["- " + as_of(" ".join(record.text.split()), now) for record in records]


def _fitting(title: str, lines: list[str], room: int) -> tuple[list[str], int]:
    """Return as much of a part as fits, and the room that is left; a line too long is left out.

    Without a title, the lines go on a part that has one.
    """
    kept: list[str] = []
    left = room - (tokens(f"{title}\n") if title else 0)
    for line in lines:
        size = tokens(f"{line}\n")
        if size <= left:
            left -= size
            kept.append(line)
    return ([title] * bool(title) + kept, left) if kept else ([], room)
