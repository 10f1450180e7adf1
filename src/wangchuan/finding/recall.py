"""Recall: what comes to mind from where the attention is.

The walk starts at the focus and follows links. What is returned is text for a language model and
nothing else: no ids, no scores. Where the walk meets a link whose target was forgotten it says so,
because "I knew once" is a different answer from "I never knew".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice

from wangchuan.arguments import items
from wangchuan.errors import InvalidInput, shown
from wangchuan.facts.records import outdated_among
from wangchuan.finding.traces import FORGOTTEN_LINK, once_knew, once_known
from wangchuan.jobs.work import Answer
from wangchuan.language.terms import terms
from wangchuan.language.text import language
from wangchuan.living.lens import Lens
from wangchuan.network.walk import Visit, walk
from wangchuan.spots import message_at
from wangchuan.storage import NodeRecord, Text, Transaction
from wangchuan.types import MERGED, value

MARK, SEPARATOR = "[记忆] ", "\n---\n"
COLD = {"zh": "（很久没有想起）", "en": " (not thought of for long)"}
MOST_WAITING = 1000  # messages not yet digested that a recall looks at
MOST_MISSED, MOST_HELD = 32, 50  # keywords the index is asked for, and messages of each


@value
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


@dataclass(slots=True)
class Reached:
    """What a walk from the focus brought."""

    trail: Trail
    missed: dict[str, str]  # keywords that nothing in reach holds, as compared and as given
    waiting: list[str] = field(default_factory=list)  # messages not digested yet
    found: list[tuple[Visit, str]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return what to say of it, with traces of what was forgotten."""
        lines, told, lost = [*self.waiting], set(), self.trail.lost
        for visit, content in self.found:
            lines.append(content)
            for relation in lost.get(visit.node, ()):
                if relation is not None:
                    told.add((visit.node, relation))
                    lines.append(once_knew(relation, content))
        rest = [n for n, names in lost.items() for name in names if (n, name) not in told]
        if rest:
            spoken = self.found[0][1] if self.found else self.trail.text(rest[0]).content
            lines.append(FORGOTTEN_LINK[language(spoken)])
        return lines


def recall(tx: Transaction, lens: Lens, question: Question, upto: int) -> Answer[str]:
    """Answer a question from what was said up to a message, digested or not yet."""
    reached = reach(tx, lens, question, upto)
    cold = tx.ticks.cold_among(visit.node for visit, _ in reached.found)
    reached.found = [
        (visit, text + COLD[language(text)] if visit.node in cold else text)
        for visit, text in reached.found
    ]
    lines = [*reached.lines(), *_once_known(tx, question, reached, upto)]
    passed = {n for visit, _ in reached.found for n in visit.path[1:-1]}
    nodes = tuple(visit.node for visit, _ in reached.found)
    facts = tuple(n for n in nodes if reached.trail.is_fact(n))
    told = SEPARATOR.join(MARK + indented(line) for line in lines)
    return Answer(told, nodes, tuple(sorted(passed)), facts)


def reach(tx: Transaction, lens: Lens, question: Question, upto: int) -> Reached:
    """Walk from the focus to what matches; nothing is missed where the walk ends early."""
    trail = Trail(tx, lens, question.relations, upto)
    reached, most = Reached(trail, dict(question.keywords)), lens.settings.max_search_results
    visits = walk(trail.focus, trail.neighbours, question.depth, yield_seeds=not question.relations)
    for visit, text, labels in chain(_waiting(tx, question, upto), _visited(visits, trail)):
        if not question.matches(text, labels):
            continue
        if most and len(reached.waiting) + len(reached.found) == most:
            reached.missed.clear()
            break
        held = "\n".join(map(folded, (text, *labels)))
        reached.missed = {key: word for key, word in reached.missed.items() if key not in held}
        if visit is None:
            reached.waiting.append(text)
        elif question.stale or not trail.is_stale(visit.node, question.wanted):
            reached.found.append((visit, text))
    return reached


Met = tuple[Visit | None, str, tuple[str, ...]]  # a text with its labels, and how it was reached


def _waiting(tx: Transaction, question: Question, upto: int) -> Iterator[Met]:
    """Return the messages not yet digested: one reads what one wrote."""
    messages = [] if question.relations else tx.messages.waiting(MOST_WAITING, upto)
    return ((None, message.content, ()) for message in messages if message.content.strip())


def _visited(visits: Iterable[Visit], trail: Trail) -> Iterator[Met]:
    for visit in visits:
        text = trail.text(visit.node)
        yield visit, text.content, text.keywords


def _once_known(tx: Transaction, question: Question, reached: Reached, upto: int) -> Iterator[str]:
    """Say, in one line, which keywords nothing in reach holds, though something did once.

    Where only some relations were to be followed, what others lead to is not said to be gone.
    """
    lost: dict[str, str] = {}
    for key, word in islice(reached.missed.items(), MOST_MISSED):
        held = _held(tx, key, upto)
        if held and not (question.relations and any(reached.trail.shows(n, key) for n in held)):
            lost[word] = held[0].original
    if lost:
        yield once_known(lost, language("\n".join(lost.values())))


def _held(tx: Transaction, key: str, upto: int) -> list[NodeRecord]:
    """Return nodes, alive or forgotten, made of messages that held a keyword, newest first."""
    postings = [tx.index.postings(term, MOST_HELD) for term in dict.fromkeys(terms(key))]
    rarest = min(filter(None, postings), key=len, default=[])
    numbers = [n for n in map(message_at, rarest) if n <= upto]
    said = {m.seq: folded(m.content) for m in tx.messages.of(numbers)} if numbers else {}
    made = tx.nodes.segments_of(list(said)) if said else []
    return [n for n in reversed(made) if key in folded(n.original) or key in said[n.message or 0]]


def indented(content: str) -> str:
    """Return a text of which further lines are indented, so that none looks like a mark."""
    return "\n  ".join(content.splitlines())


class Trail:
    """What a walk meets in the store: living neighbours, and links to what was forgotten."""

    def __init__(self, tx: Transaction, lens: Lens, relations: Collection[str], upto: int) -> None:
        self.lens, self._upto = lens, upto
        self.lost: dict[int, dict[str | None, None]] = {}
        self._tx, self._relations, self._passes = tx, relations, tx.passes()
        self._known: dict[int, NodeRecord] = {}
        self._walked: dict[int, list[tuple[int, float]]] = {}
        self.focus = [n for n in tx.links.focus() if self._meet(tx.nodes.get(n))]

    def text(self, n: int) -> Text:
        """Return what is left of a node met on the walk."""
        record = self._known[n]
        return self.lens.readable(record, self.lens.shown(self._tx, record, self._passes))

    def shows(self, record: NodeRecord, key: str) -> bool:
        """Tell whether a node, met or not, is there and still holds a keyword."""
        alive = record.is_alive(self._passes)
        return alive and key in folded(self.lens.shown(self._tx, record, self._passes).content)

    def is_fact(self, n: int) -> bool:
        """Tell whether a node met on the walk is a fact."""
        return self._known[n].kind == "fact"

    def is_stale(self, n: int, wanted: Collection[str] | None) -> bool:
        """Tell whether a node has gone cold, or what it says of this was corrected since."""
        message = self._known[n].message
        if message is not None and outdated_among(self._tx, [message], wanted):
            return True
        return bool(self._tx.ticks.cold_among([n]))

    def neighbours(self, n: int) -> list[tuple[int, float]]:
        """Return where one can go from a node, noting on the way what was forgotten."""
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
            elif link.relation != MERGED and not self._is_later(target):  # which are not lost
                self.lost.setdefault(n, {})[link.relation] = None

    def _is_later(self, record: NodeRecord | None) -> bool:
        """Tell whether a node was made of what was said after the question."""
        return record is not None and (record.message or 0) > self._upto

    def _meet(self, record: NodeRecord | None) -> bool:
        if record is None or not record.is_alive(self._passes) or self._is_later(record):
            return False
        self._known[record.n] = record
        return True
