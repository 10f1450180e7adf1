"""The names of links as people read them.

The library names some links itself, in Chinese, and stores those names. Whoever speaks English
with an agent reads, and may type, English ones; documents in JSON keep what is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from wangchuan.language.text import language

if TYPE_CHECKING:
    from wangchuan.memory import Memory

Naming = Callable[[str], str]

ENGLISH = {"上文": "before", "下文": "after", "想起": "reminded of", "合并": "merged"}
STORED = {shown: stored for stored, shown in ENGLISH.items()}


def as_stored(name: str) -> str:
    """Return the name of a link as it is stored."""
    return name


def in_english(name: str) -> str:
    """Return the name of a link for a reader of English; names from a model stay as they are."""
    return ENGLISH.get(name, name)


def naming_of(memory: Memory) -> Naming:
    """Return how to name links to those who speak the language of a memory's focus."""
    said = "\n".join(node.content for node in memory.look.focus())
    return in_english if said and language(said) == "en" else as_stored


def typed(names: Iterable[str]) -> list[str]:
    """Return the names that were typed, and what is stored for those that are translations."""
    given = list(names)
    return given + [STORED[name] for name in given if name in STORED]
