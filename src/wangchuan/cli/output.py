"""What reaches the screen: data on stdout, everything else on stderr.

The text of a memory is a stranger's. It is never read as markup, and on its way to a terminal
control characters are made visible, so that no memory can move the cursor or hide another.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import sys
import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TextIO

from wangchuan.types import value

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

PIPED_WIDTH = 120  # columns of a table nobody looks at directly
BAR = 10
# Controls of the terminal, marks that turn the direction of writing, and lone surrogates.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

Cell = str | int | None
Column = tuple[str, str]  # its title; how it is set: "", "right", "dim", "bold" or elastic
ELASTIC = ("wide", "text")  # cut with an ellipsis; wrapped
SPARED = ("dim", "right")  # left out, in this order, where the screen is too narrow
GAP, NARROWEST = 2, 12


# streams


def prepare_streams() -> None:
    """Speak UTF-8 whatever the system's code page, and send warnings and logs to stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    warnings.showwarning = _show_warning
    # The variable names the agent for the command line; it is not meant to be a setting.
    warnings.filterwarnings("ignore", message="WANGCHUAN_AGENT ")
    reporter = logging.StreamHandler()
    reporter.setFormatter(_Line())
    logging.getLogger("wangchuan").addHandler(reporter)


def _show_warning(
    message: Warning | str,
    category: type[Warning],  # noqa: ARG001 (the signature is Python's)
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    note(f"warning: {message}")


class _Line(logging.Formatter):
    """A log record in one line, with the cause but without its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        cause = record.exc_info[1] if record.exc_info else None
        told = f"{record.levelname.lower()}: {record.getMessage()}"
        return visible(f"{told}: {cause}" if cause else told)


def say(text: str) -> None:
    """Print a line of data."""
    print(text)


def note(text: str) -> None:
    """Print a remark beside the data."""
    print(visible(text), file=sys.stderr)


def complain(text: str) -> None:
    """Print what went wrong."""
    note(f"error: {one_line(text)}")


# text


def visible(text: str) -> str:
    """Return a text with control characters written out, such as `\\x1b`."""
    return _UNSEEN.sub(lambda found: repr(found[0])[1:-1], text)


def one_line(text: str) -> str:
    """Return a text on one line, safe for a terminal."""
    return visible(" ⏎ ".join(text.splitlines()).replace("\t", " "))


def for_stdout(text: str) -> str:
    """Return a text as it is; only a terminal is spared the control characters."""
    return visible(text) if sys.stdout.isatty() else text


def share(part: float, whole: float) -> float:
    """Return what share a part is of a whole, in [0, 1]; of nothing, all is left."""
    return min(1.0, max(0.0, part / whole)) if whole else 1.0


def bar(value: float, width: int = BAR) -> str:
    """Return a value in [0, 1] as a bar."""
    full = round(min(1.0, max(0.0, value)) * width)
    full = max(full, 1) if value > 0 else 0
    return "█" * full + "░" * (width - full)


def kept_bar(kept: float) -> str:
    """Return the share that is kept of a memory as a bar with its figure."""
    return f"{bar(kept)} {kept:4.0%}"


def moment(seconds: float | None) -> str:
    """Return a time as the local clock shows it; a dash for none."""
    if seconds is None:
        return "—"
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


def size(count: int) -> str:
    """Return a number of bytes in words."""
    amount = float(count)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


# documents and tables


def say_json(value: Any) -> None:
    """Print one JSON document."""
    say(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)


@cache
def _rich() -> Any:
    """Return what draws: it is slow to load, and often nothing is drawn."""
    from rich import cells, console, table, text

    return SimpleNamespace(cells=cells, console=console, table=table, text=text)


@cache
def console(*, stderr: bool = False) -> Console:
    """Return the place to draw on; it colours nothing that is piped and reads no markup."""
    width = None if _has_width(sys.stderr if stderr else sys.stdout) else PIPED_WIDTH
    return _rich().console.Console(  # type: ignore[no-any-return]
        stderr=stderr,
        highlight=False,
        markup=False,
        emoji=False,
        width=width,
        # Without a colour system bold and dim are left out as well.
        color_system=None if os.environ.get("NO_COLOR") else "auto",
    )


def _has_width(stream: TextIO) -> bool:
    """Tell whether lines have a width to keep to: that of a terminal, or one asked for."""
    return stream.isatty() or "COLUMNS" in os.environ


def on_screen(text: str) -> str:
    """Return a text on one line, shortened with an ellipsis only to fit a terminal."""
    line = one_line(text)
    if not _has_width(sys.stdout):
        return line
    fitting = styled(line)
    fitting.truncate(console().width, overflow="ellipsis")
    return fitting.plain


def styled(text: str, style: str = "") -> Text:
    """Return a stranger's text to be drawn literally."""
    return _rich().text.Text(visible(text), style=style)  # type: ignore[no-any-return]


def say_table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]]) -> None:
    """Draw a table; cells are literal text on one line.

    On a narrow screen figures and remarks are left out, and the rest is wrapped; bold columns,
    which hold ids and names, stay whole.
    """
    cells = [[one_line("" if cell is None else str(cell)) for cell in row] for row in rows]
    drawn = _drawn(columns, cells)
    table = _rich().table.Table(
        box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim"
    )
    for column in drawn:
        table.add_column(column.name, **column.manners(_room(drawn)))
    for row in cells:
        table.add_row(*(styled(row[column.place]) for column in drawn))
    console().print(table)
    left_out = [name for n, (name, _) in enumerate(columns) if n not in {c.place for c in drawn}]
    if left_out:
        note(f"the screen is too narrow for: {', '.join(left_out)} (--json has everything)")


@value
class _Drawn:
    """A column that is drawn: its place in the rows, and the width its longest cell needs."""

    place: int
    name: str
    manner: str
    width: int

    def needs(self) -> int:
        """Return the columns of the screen that it takes at least."""
        return GAP + (min(self.width, NARROWEST) if self.manner in ELASTIC else self.width)

    def manners(self, room: int) -> dict[str, Any]:
        """Return how it is set, where each elastic column has so much room."""
        whole = min(self.width, console().width) if self.manner == "bold" else None
        return {
            "justify": "right" if self.manner == "right" else "left",
            "style": self.manner if self.manner in ("dim", "bold") else "",
            "overflow": "ellipsis" if self.manner == "wide" else "fold",
            "no_wrap": self.manner in ("wide", "bold") and whole in (None, self.width),
            "min_width": whole,
            "max_width": room if self.manner in ELASTIC else None,
        }


def _drawn(columns: Sequence[Column], cells: list[list[str]]) -> list[_Drawn]:
    """Return the columns for which the screen has room."""
    width_of = _rich().cells.cell_len
    drawn = [
        _Drawn(n, name, manner, max(width_of(text) for text in [name, *(row[n] for row in cells)]))
        for n, (name, manner) in enumerate(columns)
    ]
    for spare in (c for manner in SPARED for c in drawn[::-1] if c.manner == manner):
        if sum(column.needs() for column in drawn) <= console().width + GAP:
            break
        drawn = [column for column in drawn if column is not spare]
    return drawn


def _room(drawn: list[_Drawn]) -> int:
    """Return the width of each elastic column: what the others leave, in equal parts."""
    elastic = [column for column in drawn if column.manner in ELASTIC]
    fixed = sum(column.width for column in drawn if column not in elastic)
    left = console().width - fixed - GAP * (len(drawn) - 1)
    return max(NARROWEST, left // max(1, len(elastic)))


def say_pairs(pairs: Iterable[tuple[str, Cell]]) -> None:
    """Draw names with their values, one a line; values may have several lines."""
    table = _rich().table.Table(
        box=None,
        padding=(0, 2),
        show_header=False,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, told in pairs:
        table.add_row(styled(name), styled("" if told is None else str(told)))
    console().print(table)
