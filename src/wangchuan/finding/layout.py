"""How the parts of the block are laid out under its budget of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from wangchuan.finding.wish import DEFAULT_TOKENS, Counter, Wish
from wangchuan.language.terms import terms
from wangchuan.language.text import segments
from wangchuan.messages import as_block, without_blocks
from wangchuan.types import Block, Part, value

TITLES = {
    "core": {"zh": "核心记忆", "en": "Core memories"},
    "fact": {"zh": "相关事实", "en": "Facts"},
    "episode": {"zh": "聊过的事", "en": "Earlier conversations"},
    "said": {"zh": "想起的事", "en": "What comes to mind"},
}


@dataclass(slots=True)
class Section:
    """Parts of one kind in the order in which they are taken, and the order they are shown in."""

    kind: str
    parts: list[Part]
    shown: list[Part] = field(default_factory=list)  # as they stand in the block; else as taken
    more: list[Part] = field(default_factory=list)  # taken where the budget is more than usual
    room: float = 1.0  # share of the room that is left which it may take


@value
class Layout:
    """Sections, titled in one language, in the room of one wish."""

    wish: Wish
    tongue: str
    topic: AbstractSet[str]  # its terms

    def block(self, sections: list[Section]) -> Block:
        """Return sections one after the other, as far as they fit and say something new."""
        room = self.wish.max_tokens - self.wish.count(as_block(""))
        extra = max(0, self.wish.max_tokens - DEFAULT_TOKENS)
        laid: list[tuple[str, list[Part]]] = []
        told: set[str] = set()
        for section in sections:
            title = f"## {TITLES[section.kind][self.tongue]}"
            others = room - int(room * section.room)
            fresh = self._fresh(section.parts, told)
            taken, left = fitting(title, fresh, room - others, self.wish.count)
            if extra and section.more and taken:
                fresh = self._fresh(section.more, told)
                more, left = fitting("", fresh, left, self.wish.count)
                taken += more
            room = left + others
            if taken:
                order = {part: n for n, part in enumerate(section.shown)}
                laid.append((title, sorted(taken, key=lambda part: order.get(part, len(order)))))
        body = [without_blocks(self.wish.pages).strip()] if self.wish.pages.strip() else []
        for title, parts in laid:
            body += [title, *(f"- {part.text}" for part in parts)]
        told_all = tuple(part for _, some in laid for part in some)
        return Block(as_block("\n".join(body)), told_all) if body else Block()

    def _fresh(self, parts: Iterable[Part], told: set[str]) -> Iterator[Part]:
        """Yield the parts that say something which was not told yet."""
        for part in parts:
            says = self._says(part)
            if not says <= told:
                told |= says
                yield part

    def _says(self, part: Part) -> set[str]:
        """Return what a part says of the topic: its sentences that hold some of it, or all."""
        if part.kind != "said":
            return {part.content}
        sentences = segments(part.content)
        return {s for s in sentences if not self.topic.isdisjoint(terms(s))} or {*sentences}


def fitting(title: str, parts: Iterable[Part], room: int, count: Counter) -> tuple[list[Part], int]:
    """Return as many parts as fit, and the room that is left; one too long is left out.

    Without a title, the parts go on a section that has one.
    """
    kept = list[Part]()
    left = room - (count(f"{title}\n") if title else 0)
    for part in parts:
        size = count(f"- {part.text}\n")
        if size <= left:
            left -= size
            kept.append(part)
    return (kept, left) if kept else ([], room)
