"""The list that operations are put on, and the terms in which they say what they take.

A list comes in pages: as many as `limit`, from `cursor` on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from wangchuan.errors import InvalidInput
from wangchuan.operations.operation import Operation, Page
from wangchuan.operations.rights import Right

T = TypeVar("T")

LONGEST_WAIT = 30.0  # seconds; whoever waits longer asks again
MOST = 200  # items of a page
FURTHEST = 1_000_000  # items that cursors lead past

NodeId = Annotated[str, Field(max_length=40, description="A memory: mem_12.")]
JobId = Annotated[str, Field(max_length=40, description="A job: job_3.")]
Ids = Annotated[list[str], Field(max_length=1000)]
Limit = Annotated[int, Field(ge=1, le=MOST, description="How many at most.")]
Cursor = Annotated[str | None, Field(max_length=40, description="`next` of the page before.")]
Query = Annotated[str | None, Field(max_length=4000, description="What they bear on.")]
Asked = Annotated[str, Field(max_length=100_000, description="What is wanted, in any words.")]
Moment = Annotated[float | None, Field(ge=0, le=1e11, description="Seconds since 1970.")]
Wait = Annotated[float, Field(ge=0, le=LONGEST_WAIT, description="Seconds to wait at most.")]
Kinds = Annotated[list[str], Field(max_length=10)]
Words = Annotated[list[str], Field(max_length=1000)]
FactText = Annotated[str, Field(min_length=1, max_length=10_000)]
Whole = Annotated[int, Field(ge=0, le=2**62)]
States = Annotated[list[Literal["pending", "done", "failed"]], Field(max_length=3)]
Form = Literal["jsonl", "markdown", "turtle"]

TABLE: dict[str, Operation] = {}
Function = TypeVar("Function", bound=Callable[..., Any])


def operation(
    name: str, right: Right, route: str, method: str | None = None, **more: Any
) -> Callable[[Function], Function]:
    """Put a function into the table."""

    def add(function: Function) -> Function:
        TABLE[name] = Operation(name, function, right, route, method, **more)
        return function

    return add


def paged(found: Callable[[int], Sequence[T]], limit: int, cursor: str | None) -> Page[T]:
    """Return a page of a list of which the first so many can be had."""
    start = place_of(cursor) or 0
    items = found(start + limit + 1)[start : start + limit + 1]
    more = str(start + limit) if len(items) > limit else None
    return Page(list(items[:limit]), more)


def place_of(cursor: str | None, furthest: int = FURTHEST) -> int | None:
    """Return where a cursor leads; None for the beginning. Raises InvalidInput."""
    if cursor is None:
        return None
    place = int(cursor) if cursor.isascii() and cursor.isdecimal() else furthest + 1
    if place > furthest:
        raise InvalidInput(f"{cursor!r:.40} is no cursor: give `next` of the page before")
    return place
