"""The words of a text that tell what it is about."""

from functools import lru_cache

from wangchuan.language.facts.shapes import gathered
from wangchuan.language.terms import terms

IDLE = gathered(
    """
    user 主人 岁 old years 现在 now day last week month year get got go like time thing
    没 说 一个 叫 called name
    时候 是 有 在 去 来 要 会 能 is are have do was be has did say said
    """
)


@lru_cache(1 << 10)
def matter_of(text: str) -> set[str]:
    """Return the terms of a text that tell what it is about."""
    return set(terms(text)) - IDLE
