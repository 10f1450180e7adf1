"""A talk that a framework has with a memory: the block beside a turn, and what was said, once.

Frameworks hand over the same messages again: after a retry, with a resumed session, with the whole
history of every run. So a message is known by its session and a key of the framework's own; given
again, it is the same message. What a client put around a person's words, our own block among it,
is taken off before anything is asked or remembered.

Some frameworks want their own record of a session, too, item by item: that is a `Transcript`. It
stands beside the memory and is no part of it.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from weakref import WeakSet

from wangchuan.faces.items import Batch
from wangchuan.memory import Memory
from wangchuan.messages import as_written
from wangchuan.pending import Pending, Receipt

LEFT_OVER = 2.0  # seconds that what an earlier process left undone is waited for, once
TURNS = 256  # blocks kept while the turns they stand in go on
FOUND = 8  # memories that the tool for searching shows


class Line(NamedTuple):
    """Something that was said: by whom, and by which key the framework knows it."""

    key: str
    role: str
    text: str


class Talk:
    """One session of a framework with one memory."""

    def __init__(self, memory: Memory, session: str = "default") -> None:
        self.memory, self.session = memory, session

    def block(self, said: str) -> Pending[str]:
        """Return what is to stand beside what the user says now; empty if nothing is known."""
        return settled(self.memory).context(as_written(said) or None)

    def keep(self, lines: Iterable[Line]) -> Receipt | None:
        """Remember what was said; None if nothing of it was written by anybody."""
        messages = [
            {"id": f"{self.session}:{line.key}", "role": line.role, "content": written}
            for line in lines
            if (written := as_written(line.text))
        ]
        return self.memory.remember(messages, session=self.session) if messages else None


def settled(memory: Memory) -> Memory:
    """Return a memory that has digested what was accepted before it was opened, if it is quick.

    A program that lives for one turn ends before the turn is learned from; without this the next
    one would be told a fact that the last one corrected.
    """
    if memory not in _settled:
        _settled.add(memory)
        memory.flush(LEFT_OVER)
    return memory


_settled: WeakSet[Memory] = WeakSet()


class Blocks:
    """The blocks of turns that go on: asked for once, however often a model is asked in a turn."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Pending[str]] = OrderedDict()

    def of(self, talk: Talk, turn: str, said: str) -> Pending[str]:
        """Return the block of a turn, the same each time."""
        key = f"{talk.session}\n{turn}\n{said}"
        if key not in self._kept:
            self._kept[key] = talk.block(said)
            while len(self._kept) > TURNS:
                self._kept.popitem(last=False)
        return self._kept[key]


class Transcript:
    """The items of one session in the form of a framework, in order, beside the memory."""

    def __init__(self, memory: Memory, framework: str, session: str) -> None:
        self._memory, self._space = memory, (framework, session)

    def all(self) -> list[Any]:
        """Return all items, oldest first."""
        with self._memory.items.batch() as batch:
            return [value for _, value in self._kept(batch)]

    def add(self, values: Sequence[Any]) -> int:
        """Add items; return the place in the session of the first of them.

        Values that begin with everything the session holds are the session handed over again:
        their first place is 0, so that what was said keeps its keys.
        """
        with self._memory.items.batch() as batch:
            kept = self._kept(batch)
            first = int(kept[-1][0]) + 1 if kept else 0
            for n, value in enumerate(values, first):
                batch.put(self._space, f"{n:09}", {"item": value}, texts=())
        again = kept and list(values[: len(kept)]) == [value for _, value in kept]
        return int(kept[0][0]) if again else first

    def pop(self) -> Any:
        """Take the last item out and return it; None if there is none."""
        with self._memory.items.batch() as batch:
            kept = self._kept(batch)
            if kept:
                batch.drop(self._space, kept[-1][0])
        return kept[-1][1] if kept else None

    def clear(self) -> None:
        """Take all items out."""
        with self._memory.items.batch() as batch:
            for key, _ in self._kept(batch):
                batch.drop(self._space, key)

    def _kept(self, batch: Batch) -> list[tuple[str, Any]]:
        found = sorted(batch.search(self._space), key=lambda item: item.key)
        return [(item.key, item.value["item"]) for item in found if item.namespace == self._space]


def beside(block: str, said: str) -> str:
    """Return a user's turn with the block before it; without one, the turn as it is."""
    return f"{block}\n\n{said}" if block else said


def at(place: int | str, text: str) -> str:
    """Return the key of a message that its framework gives none: its place, and its words.

    Places alone are used again, by a session that was cut or begun anew.
    """
    return f"{place}:{zlib.crc32(text.encode('utf-8', 'replace')):08x}"


def words(content: Any) -> str:
    """Return the text of a message's content: a string, or parts of which some have a text."""
    if isinstance(content, str):
        return content
    found = [_text(part) for part in content or ()]
    return "\n".join(text for text in found if text)


def _text(part: Any) -> str:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else getattr(part, "text", None)
    return text if isinstance(text, str) else ""


async def search_memory(memory: Memory, query: str) -> str:
    """Return what an agent's tool for searching shows."""
    hits = await memory.search(query, limit=FOUND)
    return "\n".join(f"- {hit.text}" for hit in hits) or "Nothing of it is known."
