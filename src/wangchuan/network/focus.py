"""Which nodes are attended: a short list, newest first."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def attend(
    focus: Sequence[int], fresh: Sequence[int], mentioned: Collection[int], limit: int
) -> list[int]:
    """Return the focus list after `fresh` (oldest first) was remembered.

    Focus nodes that were mentioned again move up, keeping their relative order; then the new
    ones go in front; then the tail is cut at `limit`.
    """
    moved = [n for n in focus if n in mentioned]
    rest = [n for n in focus if n not in mentioned]
    return list(dict.fromkeys([*reversed(fresh), *moved, *rest]))[:limit]
