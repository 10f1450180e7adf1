"""Recall: what comes to mind from where the attention is.

The walk starts at the focus and follows links. What is returned is text for a language model and
nothing else: no ids, no scores. Where the walk meets a link whose target was forgotten it says so,
because "I knew once" is a different answer from "I never knew".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from wangchuan.arguments import items, shown
from wangchuan.errors import InvalidInput
from wangchuan.facts.records import outdated_among
from wangchuan.jobs.lanes import Answer
from wangchuan.language.text import language
from wangchuan.living.lens import Lens
from wangchuan.network.walk import Visit, walk
from wangchuan.storage import MessageRecord, NodeRecord, Text, Transaction
from wangchuan.types import AFTER, BEFORE, MERGED, REMINDED

MARK, SEPARATOR = "[记忆] ", "\n---\n"
ONCE_KNEW = {
    "zh": "它有个{}，但我想不起来了",
    "en": "It has a link ({}) to something I can no longer recall",
}
SOMETHING = {
    "zh": "与某个已遗忘的事物有关联",
    "en": "There is a link to something I have forgotten",
}
ABOUT = {"zh": "（曾提到：{}）", "en": " (it mentioned: {})"}
RELATION_NAMES = {BEFORE: "beginning", AFTER: "continuation", REMINDED: "reminder"}
MOST_WAITING = 200  # messages not yet digested that a recall looks at


@dataclass(frozen=True, slots=True)
class Question:
    """A checked call of recall; keywords are folded, an empty set means no filter."""

    keywords: Mapping[str, str]  # as compared, and as given
    relations: frozenset[str]
    depth: int
    stale: bool = True  # whether what is cold, or was corrected since, is an answer, too
    wanted: Collection[str] | None = None  # the terms that a correction must concern

    @classmethod
    def of(cls, keywords: object, relations: object, depth: object, default: int) -> Question:
        """Check the arguments of a recall, or raise InvalidInput."""
        if depth is None:
            depth = default
        if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
            raise InvalidInput(
                f"depth must be a whole number of hops, 0 or more, not {shown(depth)}"
            )
        words = {folded(word): word for word in _strings(keywords, "keywords")}
        return cls(words, frozenset(_strings(relations, "relations")), depth)

    def matches(self, text: str, labels: Iterable[str] = ()) -> bool:
        """Tell whether any keyword occurs in the text or the labels."""
        if not self.keywords:
            return True
        searched = [folded(text), *(folded(label) for label in labels)]
        return any(word in part for word in self.keywords for part in searched)

    def mentioned_in(self, texts: list[str]) -> list[str]:
        """Return the keywords, as given, that occur in any of the texts."""
        searched = [folded(text) for text in texts] if self.keywords else []
        return [word for key, word in self.keywords.items() if any(key in s for s in searched)]


def folded(text: str) -> str:
    """Return text as it is compared: width and case do not matter."""
    return unicodedata.normalize("NFKC", text).casefold().strip()


def _strings(given: object, name: str) -> list[str]:
    """Return the non-blank strings of an argument that takes one string or several."""
    if given is None:
        return []
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Iterable):
        raise InvalidInput(f"{name} must be a list of strings, not {type(given).__name__}")
    strings = items(given, name)
    for item in strings:
        if not isinstance(item, str):
            raise InvalidInput(f"{name} must be strings, not {type(item).__name__}: {shown(item)}")
    return [item.strip() for item in strings if item.strip()]


def recall(tx: Transaction, lens: Lens, question: Question) -> Answer[str]:
    """Answer a question from what is stored and from messages still waiting to be digested."""
    waiting = _waiting(tx, question, lens.settings.max_search_results)
    trail = Trail(tx, lens, question.relations)
    visits = walk(trail.focus, trail.neighbours, question.depth, yield_seeds=not question.relations)
    found = _matching(visits, trail, question)
    text = SEPARATOR.join([*waiting, *_lines(found, trail, question)])
    passed = {n for visit, _ in found for n in visit.path[1:-1]}
    return Answer(text, tuple(visit.node for visit, _ in found), tuple(sorted(passed)))


def _waiting(tx: Transaction, question: Question, most: int) -> list[str]:
    """Return the messages not yet digested that match: one reads what one wrote."""
    if question.relations:
        return []
    messages: Sequence[MessageRecord] = tx.messages.waiting(most or MOST_WAITING)
    said = [m.content for m in messages if m.content.strip() and question.matches(m.content)]
    return [_entry(text) for text in said]


def _matching(visits: Iterable[Visit], trail: Trail, question: Question) -> list[tuple[Visit, str]]:
    most = trail.lens.settings.max_search_results
    found: list[tuple[Visit, str]] = []
    for visit in visits:
        text = trail.text(visit.node)
        if text is None or not question.matches(text.content, text.keywords):
            continue
        if question.stale or not trail.is_stale(visit.node, question.wanted):
            found.append((visit, text.content))
            if len(found) == most:
                break
    return found


def _lines(found: list[tuple[Visit, str]], trail: Trail, question: Question) -> list[str]:
    lines, told = [], set()
    for visit, content in found:
        lines.append(_entry(content))
        for relation in trail.lost.get(visit.node, ()):
            if relation is not None:
                told.add((visit.node, relation))
                lines.append(_entry(_once_knew(relation, content)))
    rest = [n for n, relations in trail.lost.items() for r in relations if (n, r) not in told]
    mentioned = question.mentioned_in([record.original for record in trail.gone])
    if rest or mentioned:
        spoken = found[0][1] if found else trail.gone[0].original
        lines.append(_entry(_something(mentioned, language(spoken))))
    return lines


def _something(mentioned: list[str], tongue: str) -> str:
    """Say that something was forgotten, and which of the words asked for it once held."""
    about = ABOUT[tongue].format(", ".join(mentioned)) if mentioned else ""
    return SOMETHING[tongue] + about


def _once_knew(relation: str, content: str) -> str:
    tongue = language(content)
    name = RELATION_NAMES.get(relation, relation) if tongue == "en" else relation
    return ONCE_KNEW[tongue].format(name)


def indented(content: str) -> str:
    """Return a text of which further lines are indented, so that none looks like a mark."""
    return "\n  ".join(content.splitlines())


def _entry(content: str) -> str:
    return MARK + indented(content)


class Trail:
    """What a walk meets in the store: living neighbours, and links to what was forgotten."""

    def __init__(self, tx: Transaction, lens: Lens, relations: Collection[str]) -> None:
        self.lens = lens
        self.lost: dict[int, dict[str | None, None]] = {}
        self.gone: list[NodeRecord] = []
        self._tx, self._relations, self._passes = tx, relations, tx.passes()
        self._known: dict[int, NodeRecord] = {}
        self._walked: dict[int, list[tuple[int, float]]] = {}
        self.focus = [n for n in tx.links.focus() if self._meet(tx.nodes.get(n))]

    def text(self, n: int) -> Text | None:
        """Return what is left of a memory met on the walk."""
        record = self._known.get(n)
        return None if record is None else self.lens.shown(self._tx, record, self._passes)

    def is_stale(self, n: int, wanted: Collection[str] | None) -> bool:
        """Tell whether a memory has gone cold, or what it says of this was corrected since."""
        message = self._known[n].message
        if message is not None and outdated_among(self._tx, [message], wanted):
            return True
        return bool(self._tx.lifecycle.cold_among([n]))

    def neighbours(self, n: int) -> list[tuple[int, float]]:
        """Return where one can go from a memory, noting on the way what was forgotten."""
        if n not in self._walked:
            self._walked[n] = list(self._look_around(n))
        return self._walked[n]

    def _look_around(self, n: int) -> Iterable[tuple[int, float]]:
        held, scans = n in self.focus, self.lens.scans(self._known[n], self._passes)
        around = [(self.lens.strength(li, scans), li, t) for li, t in self._tx.links.neighbours(n)]
        # All links of a focus count as 1: their own strength, then the newer memory, breaks ties.
        for strength, link, target in sorted(around, key=lambda a: (-a[0], -a[1].target)):
            if not strength or (self._relations and link.relation not in self._relations):
                continue
            if self._meet(target):
                yield link.target, 1.0 if held else strength
            elif link.relation != MERGED:  # what was merged is not lost
                self.lost.setdefault(n, {})[link.relation] = None
                self.gone += [target] if target is not None else []

    def _meet(self, record: NodeRecord | None) -> bool:
        if record is None or not record.is_alive(self._passes):
            return False
        self._known[record.n] = record
        return True
