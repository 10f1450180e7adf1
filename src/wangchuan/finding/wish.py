"""What is asked of the block for a prompt, checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wangchuan.arguments import shown
from wangchuan.errors import InvalidInput
from wangchuan.language.tokens import tokens

DEFAULT_TOKENS = 1000

Counter = Callable[[str], int]


def checked_tokens(given: object) -> int:
    """Return a budget of tokens, or raise InvalidInput."""
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InvalidInput(f"max_tokens must be a whole number, 0 or more, not {shown(given, 40)}")
    return given


@dataclass(frozen=True, slots=True)
class Wish:
    """A checked call of `context`: what it is asked, and how it is measured."""

    query: str | None
    max_tokens: int = DEFAULT_TOKENS
    since: float = float("-inf")
    count: Counter = tokens
    pages: str = ""  # of the notebook, before all else

    @property
    def text(self) -> str:
        """Return the query, empty if there is none."""
        return self.query or ""
