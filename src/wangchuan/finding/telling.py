"""Telling what was said: what is left of a message in one entry, with who said it and when."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from wangchuan.finding.recall import indented
from wangchuan.language.dates.spans import told
from wangchuan.language.terms import terms
from wangchuan.language.text import language
from wangchuan.language.tokens import tokens
from wangchuan.language.words import ACKNOWLEDGING
from wangchuan.living.lens import Lens
from wangchuan.patterns import regex
from wangchuan.storage import MessageRecord, NodeRecord, Transaction
from wangchuan.types import Part, value

EARLIER = {"zh": "{}（早先说：{}）", "en": "{} (earlier: {})"}
LONG = 120  # tokens; of a longer message only what answers is told
ROLES = {"user": "user_name", "assistant": "agent_name"}
_ENDS = regex(r"[.!。！\n]")  # a sentence before the last
_ENDED = regex(r"[^\w\s,、，；;:：）)\]】]\s*\Z")
Made = Mapping[int, Sequence[NodeRecord]]  # by message
LEAST_LEFT = 0.2  # of a memory: of which less is left is a scrap, no keywords even


@value
class Telling:
    """How one agent's messages are told in one language, to answer some terms."""

    tx: Transaction
    lens: Lens
    tongue: str
    wanted: Collection[str] = ()

    def parts(self, numbers: Sequence[int]) -> list[Part]:
        """Return what is left of messages, in the order given; what tells nothing is left out."""
        made = self.made(numbers)
        known = {record.seq: record for record in self.tx.messages.of(numbers)}
        told = (self.part(known[n], made) for n in numbers if n in known)
        return [part for part in told if part]

    def made(self, numbers: Iterable[int]) -> dict[int, list[NodeRecord]]:
        """Return the nodes that were made of messages, by message."""
        made: dict[int, list[NodeRecord]] = {}
        for node in self.tx.nodes.segments_of(numbers):
            made.setdefault(node.message or 0, []).append(node)
        return made

    def part(
        self,
        record: MessageRecord,
        made: Made,
        before: MessageRecord | None = None,
        later: MessageRecord | None = None,
        after: Sequence[MessageRecord] = (),
    ) -> Part | None:
        """Return what is left of a message; after the turn `before` that it answers, if given.

        If its speaker put it right in a `later` one, that one is told, with this as said earlier.
        Turns `after` it are told with it.
        """
        left = self._left(record, made.get(record.seq))
        if not after and (self._is_scrap(left, record) or acknowledges(left)):
            return None
        if later:
            left = EARLIER[self.tongue].format(" ".join(later.content.split()), left)
            record = later
        turns = [self._turn(turn, made) for turn in ([before] if before else [])]
        turns += [f"{self._who(record)}{left}", *(self._turn(turn, made) for turn in after)]
        said = self._when(record.said_at) + " ".join(filter(None, turns))
        who = record.name or record.role
        return Part("said", indented(said), left, record.public_id, record.said_at, who)

    def _is_scrap(self, left: str, record: MessageRecord) -> bool:
        """Tell whether what is left of a message tells nothing, or only what is asked about."""
        found = set(terms(left))
        return not found or (found <= {*self.wanted} and len(left) < len(record.content.strip()))

    def _turn(self, record: MessageRecord, made: Made) -> str:
        """Return what is left of a turn beside a message, and who said it; "" if it is too long."""
        left = " ".join(self._left(record, made.get(record.seq)).split())
        return f"{self._who(record)}{left}" if left and tokens(left) <= LONG else ""

    def _left(self, record: MessageRecord, made: Iterable[NodeRecord] | None) -> str:
        """Return what is left of a message; scraps of it tell nothing."""
        if not made:
            return record.content.strip()
        passes = self.tx.passes()
        shown = [
            (node, self.lens.shown(self.tx, node, passes).content)
            for node in made
            if node.is_alive(passes)
        ]
        texts = [text for node, text in shown if len(text) >= LEAST_LEFT * len(node.original)]
        if tokens("".join(texts)) > LONG:
            texts = _answering(texts, self.wanted)
        return joined(texts)

    def _when(self, said_at: float) -> str:
        day = told(said_at, self.lens.clock(), self.tongue)
        return day and day + (" " if self.tongue == "zh" else ", ")

    def _who(self, record: MessageRecord) -> str:
        settings, role = self.lens.settings, record.role
        called = str(getattr(settings, ROLES[role])) if role in ROLES else role
        if self.tongue == "en" and language(called) == "zh":
            called = role
        name = record.name or called
        return f"{name}：" if self.tongue == "zh" else f"{name}: "


def joined(texts: Sequence[str]) -> str:
    """Return pieces of a message as one text; one that faded has lost the mark at its end."""
    chinese = language("".join(texts)) == "zh"
    plain, apart = ("", "；") if chinese else (" ", "; ")
    ends = (plain if _ENDED.search(text) else apart for text in texts)
    return "".join(text + end for text, end in zip(texts, ends, strict=True)).rstrip(" ；;")


def _answering(texts: Sequence[str], wanted: Collection[str]) -> list[str]:
    """Return the pieces that hold wanted terms, each with the one after it; else the first ones."""
    holding = [i for i, text in enumerate(texts) if not set(terms(text)).isdisjoint(wanted)]
    chosen = sorted({near for i in holding or [0] for near in (i, i + 1)})
    kept: list[str] = []
    for text in (texts[i] for i in chosen if i < len(texts)):
        if kept and tokens("".join([*kept, text])) > LONG:
            break
        kept.append(text)
    return kept


def question_of(text: str) -> str:
    """Return the question that a text ends with, which the turn after it may answer; "" if none."""
    end = len(text)
    while end and not (text[end - 1].isalnum() or text[end - 1] in "?？"):
        end -= 1
    if not end or text[end - 1] not in "?？吗呢":
        return ""
    return _ENDS.split(text[:end])[-1] + text[end:]


_WORDS = regex(r"[a-z']+|[\u4e00-\u9fff]+", re.IGNORECASE)


def acknowledges(text: str) -> bool:
    """Tell whether a text says nothing but that one has heard."""
    return all(word.casefold() in ACKNOWLEDGING for word in _WORDS.findall(text)) and not any(
        map(str.isdigit, text)
    )
