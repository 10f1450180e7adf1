"""Telling what was said: what is left of a message in one line, with who said it and when."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from wangchuan.language.dates.spans import told
from wangchuan.language.terms import asked, terms
from wangchuan.language.text import keywords, language
from wangchuan.language.tokens import tokens
from wangchuan.living.lens import Lens
from wangchuan.storage import MessageRecord, NodeRecord, Transaction

LONG = 80  # tokens; of a longer message only what answers is told
ROLES = {"user": "user_name", "assistant": "agent_name"}


@dataclass(frozen=True, slots=True)
class Telling:
    """How one agent's messages are told in one language."""

    tx: Transaction
    lens: Lens
    tongue: str

    def lines(self, numbers: Sequence[int], query: str = "") -> list[str]:
        """Return what is left of messages, of long ones what answers a query.

        What tells nothing is left out, what has been told already, and the query itself.
        """
        wanted = asked(query)
        made: dict[int, list[NodeRecord]] = {}
        for node in self.tx.nodes.segments_of(numbers):
            made.setdefault(node.message or 0, []).append(node)
        known = {record.seq: record for record in self.tx.messages.of(numbers)}
        found: dict[str, str] = {}
        for record in (known[n] for n in numbers if n in known):
            text = self._left(record, made.get(record.seq), wanted)
            if _tells(text) and not is_asked(record.content, query):
                found.setdefault(text, f"{self._when(record.said_at)}{self._who(record)}{text}")
        return list(found.values())

    def _left(
        self, record: MessageRecord, made: Iterable[NodeRecord] | None, wanted: Collection[str]
    ) -> str:
        """Return what is left of a message; a memory faded to one word tells nothing."""
        if made is None:
            return record.content.strip()
        passes = self.tx.passes()
        shown = [
            (node, self.lens.shown(self.tx, node, passes).content)
            for node in made
            if node.is_alive(passes)
        ]
        texts = [text for node, text in shown if text == node.original or len(terms(text)) > 1]
        if tokens("".join(texts)) > LONG:
            texts = _answering(texts, wanted)
        return ("" if language("".join(texts)) == "zh" else " ").join(texts)

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


def is_asked(text: str, query: str) -> bool:
    """Tell whether a text is the question itself: asked before, it is no answer."""
    return text.strip() == query.strip()


def _tells(text: str) -> bool:
    """Tell whether a text says anything: a thing, or a figure."""
    return bool(keywords(text)) or any(map(str.isdigit, text))
