"""What is asked of a search, checked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from wangchuan.arguments import a_flag
from wangchuan.errors import InvalidInput, shown
from wangchuan.language.dates.spans import Span, spans
from wangchuan.living.view import checked_kinds, checked_limit
from wangchuan.types import value

KINDS = ("segment", "episode", "fact", "core", "system")
LONGEST_QUERY = 10_000  # characters


@value
class Query:
    """A checked call of search."""

    text: str
    limit: int = 10
    kinds: frozenset[str] = frozenset(KINDS)
    since: float | None = None
    until: float | None = None
    forgotten: bool = False
    spans: tuple[Span, ...] = ()
    cold: bool = True  # what has gone cold is an answer, too
    tags: tuple[str, ...] = ()  # of the session and the metadata that are asked for

    @classmethod
    def of(cls, text: object, now: float, **options: Any) -> Query:
        """Check the arguments of a search, or raise InvalidInput."""
        if not isinstance(text, str):
            raise InvalidInput(f"a query is a string, not {type(text).__name__}: {shown(text)}")
        text = text[:LONGEST_QUERY]
        return cls(
            text=text,
            limit=checked_limit(options["limit"]),
            kinds=checked_kinds(KINDS if (kinds := options.get("kinds")) is None else kinds, KINDS),
            since=checked_time(options.get("since"), "since"),
            until=checked_time(options.get("until"), "until"),
            forgotten=a_flag(options.get("forgotten"), "forgotten"),
            spans=tuple(spans(text, now)),
            cold=bool(options.get("cold", True)),
            tags=options.get("tags", ()),
        )

    def admits(self, said_at: float) -> bool:
        """Tell whether something said then can be an answer."""
        after = self.since is None or said_at >= self.since
        return after and (self.until is None or said_at < self.until)

    def names_time_of(self, said_at: float) -> bool:
        """Tell whether the question names the time when this was said."""
        return any(span.first <= said_at < span.last for span in self.spans)


def checked_time(at: object, name: str) -> float | None:
    """Return a time in seconds since 1970, None for none, or raise InvalidInput."""
    if at is None:
        return None
    try:
        moment = at.timestamp() if isinstance(at, datetime) else at
        if isinstance(moment, int | float) and not isinstance(moment, bool) and moment == moment:
            return float(moment)
    except (ValueError, OverflowError, OSError):
        pass  # a year that no clock counts to
    raise InvalidInput(f"{name} must be a time (seconds since 1970, or a datetime): {shown(at)}")
