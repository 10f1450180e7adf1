"""What search finds in a file that had no say in its numbers: leave one set out.

Every number of a list is set to two other values, one number at a time, and all questions of all
files are asked each time. For every file, the setting is taken that finds most in the other files;
the figure told is what it finds in the file left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import fmean

from wangchuan.network import ranking

AS_IT_IS, NO_STEP = "as it is", "STEP 0"
TRIED: dict[str, tuple[float, float]] = {
    "B": (0.4, 0.8),
    "BACK": (0.4, 0.8),
    "AHEAD": (0.25, 0.6),
    "TALK": (0.4, 1.2),
    "SPEAKER": (1.0, 4.0),
    "ASKING": (0.65, 1.0),
    "CHARACTER": (0.25, 1.0),
    "STEP": (0.0, 1.0),
}
SETTINGS = [AS_IT_IS, *(f"{name} {value:g}" for name, values in TRIED.items() for value in values)]

Found = Callable[[str, str], tuple[float, ...]]  # by file and setting: recall at each depth


@contextmanager
def setting(what: str) -> Iterator[None]:
    """Set a number of search to another value for a while."""
    name, _, value = what.partition(" ")
    usual = getattr(ranking, name, None)
    if what != AS_IT_IS:
        setattr(ranking, name, float(value))
    try:
        yield
    finally:
        if what != AS_IT_IS:
            setattr(ranking, name, usual)


def chosen(files: list[str], left_out: str, found: Found) -> str:
    """Return the setting that finds most in the other files; as it is, in a tie."""
    others = [file for file in files if file != left_out]
    return max(SETTINGS, key=lambda what: round(fmean(fmean(found(f, what)) for f in others), 3))


def lines(files: list[str], found: Found) -> list[tuple[str, ...]]:
    """Return a line for each file left out: the setting chosen, and what it and the usual find."""

    def told(file: str, what: str) -> str:
        return " / ".join(f"{value:.1f}" for value in found(file, what))

    rows = []
    for file in files:
        what = chosen(files, file, found)
        rows.append((file, what, told(file, what), told(file, AS_IT_IS)))
    return rows
