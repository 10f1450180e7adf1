"""What is asked of the block for a prompt, checked."""

from __future__ import annotations

from collections.abc import Callable

from wangchuan.errors import InvalidInput, shown
from wangchuan.language.tokens import tokens
from wangchuan.types import value

DEFAULT_TOKENS = 1000

Counter = Callable[[str], int]
MOST_TOKENS = 1_000_000_000  # a budget above it is one without a bound


def checked_tokens(given: object) -> int:
    """Return a budget of tokens, or raise InvalidInput."""
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InvalidInput(f"max_tokens must be a whole number, 0 or more, not {shown(given, 40)}")
    return min(given, MOST_TOKENS)


def checked_counter(given: object) -> Counter:
    """Return a caller's counter of tokens, whose own errors become InvalidInput."""
    if not callable(given):
        raise InvalidInput(f"counter must be callable, not {type(given).__name__}")

    def count(text: str) -> int:
        try:
            return int(given(text))
        except Exception as error:
            raise InvalidInput(f"counter must return a number: {type(error).__name__}") from error

    return count


@value
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
