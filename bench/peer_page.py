"""The tables of `bench peers`, and what has to be known to read them."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING

from bench.core import table

if TYPE_CHECKING:
    from bench.peers import Plan, Sheet

NONE = "–"
NOTES = """\
- **Not the same work.** Wangchuan and the bare rows search words and vectors (or words alone) and
  join both lists; mem0, LangGraph and Chroma compare vectors only. Wangchuan also cuts messages
  into memories, names keywords, links them and keeps a journal: `remember` returns when the
  message is on disk, the rest follows in the background. *adds/s* is the rate of the calls,
  *until digested* the rate until nothing is left to do; the others finish inside the call.
- **Forgetting.** The first two rows of Wangchuan run with `decay_rate=1`, so that nothing fades
  and all search as many memories as the peers hold. The third has the usual settings: old
  messages are shortened and forgotten by design, so that it searches far fewer, and the first
  ones, which are asked for here, are no longer among them.
- **mem0** runs with `infer=False`: its extraction by a language model is bypassed, it stores the
  messages as they are. Its keyword search and entities need `fastembed` and spaCy with models to
  download, and are off. Local Qdrant is a reimplementation in Python meant for small data;
  a Qdrant server was not measured. With FAISS it writes its whole index and all texts anew at
  every add. The embedder is plugged in through LangChain; what importing that costs is taken off
  its cold start, and its packages off its size.
- **LangGraph** is the store alone (`langgraph-checkpoint-sqlite`), with numpy beside it, which
  its in-memory store advises and which is not counted. **InMemoryStore is not durable**: its
  adds reach no disk, and there is nothing to open.
- **Chroma** has its default settings (an HNSW index, approximate) with cosine distance.
- **bare** is what SQLite allows: WAL, `synchronous=FULL`, one commit for each message, nothing
  else. Its vectors are compared one and all by numpy.
- **syncs** are calls of fsync and fdatasync per add, counted with strace over some adds; for
  Wangchuan with those of the digest that follows; a dash: not checked. Where there are none, what
  was added can be lost when the power goes. Those of mem0 with FAISS are of its history alone:
  index and texts are written without.
- **found** is the share of queries (three words of one of the first messages and one of another)
  whose message was among the ten first: a check that all do answer, not a measure
  of quality.
- All have telemetry and tracing off by their own settings. Installed size is without compiled
  files and without Python itself; Wangchuan needs numpy only for vectors. Import and cold start
  are whole processes with warm file caches; an empty one takes {empty:.0f} ms. A vector costs
  {vector:.0f} µs, in every add and every search. A peer that has been adding for {patience:.0f} s
  is left at the size it has."""


def page(sheets: list[Sheet], plan: Plan, costs: tuple[float, float]) -> str:
    """Return the tables and notes; `costs` are the seconds of a vector and an empty process."""
    small, large = plan.sizes
    parts = [
        "In brackets: the figure divided by that of the first row.",
        adding(sheets, small, large),
        searching(sheets, small, large),
        weighing(sheets, large),
        NOTES.format(vector=costs[0] * 1e6, empty=costs[1] * 1e3, patience=plan.patience),
        f"Versions: {versions(sheets)}.",
    ]
    return "\n\n".join(parts)


def adding(sheets: list[Sheet], small: int, large: int) -> str:
    head = (
        "adding, one message per call",
        f"adds/s, first {small:,}",
        f"adds/s, on to {large:,}",
        "until digested",
        "syncs per add",
        "messages",
    )
    columns = [
        compared(sheets, lambda sheet: rate(sheet, small), per_second),
        compared(sheets, lambda sheet: rate(sheet, large), per_second),
        compared(sheets, lambda sheet: rate(sheet, small, large, settled=True), per_second),
        [NONE if s.syncs is None else f"{s.syncs:.1f}" for s in sheets],
        [f"{s.added:,}" + (", then time was up" if s.added < large else "") for s in sheets],
    ]
    return filled(head, sheets, columns)


def rate(sheet: Sheet, *sizes: int, settled: bool = False) -> float | None:
    """Return messages per second on the way to these sizes."""
    stretches = [sheet.adding[size] for size in sizes if size in sheet.adding]
    seconds = sum(s[1] + (s[2] if settled else 0) for s in stretches)
    return sum(s[0] for s in stretches) / seconds if seconds else None


def searching(sheets: list[Sheet], small: int, large: int) -> str:
    head = ["searching, ten results"]
    columns = []
    for size in (small, large):
        for name, part in (("p50", 0.5), ("p95", 0.95)):
            head.append(f"{name} at {size:,}")
            columns.append(compared(sheets, quantile(size, part), milliseconds, size))
    head += ["memories at the end", "found"]
    columns.append([f"{sheet.held or 0:,}" for sheet in sheets])
    columns.append([f"{statistics.fmean(s.found):.0%}" if s.found else NONE for s in sheets])
    return filled(tuple(head), sheets, columns)


def quantile(size: int, part: float) -> Callable[[Sheet], float | None]:
    def of(sheet: Sheet) -> float | None:
        times = sorted(sheet.searching.get(size, ()))
        return times[int(part * (len(times) - 1))] if times else None

    return of


def weighing(sheets: list[Sheet], large: int) -> str:
    head = ("weight", "installed", "import", f"open() at {large:,}", "new process to first answer")
    columns = [
        compared(sheets, lambda sheet: sheet.room.megabytes, lambda mb: f"{mb:,.0f} MB"),
        compared(sheets, lambda sheet: median(sheet.importing), milliseconds),
        compared(sheets, lambda sheet: median(sheet.opening), milliseconds, large),
        compared(sheets, lambda sheet: median(sheet.cold), milliseconds, large),
    ]
    return filled(head, sheets, columns)


def median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def per_second(value: float) -> str:
    return f"{value:,.0f}"


def milliseconds(value: float) -> str:
    return f"{value * 1000:,.{1 if value < 0.1 else 0}f} ms"


def compared(
    sheets: list[Sheet],
    figure: Callable[[Sheet], float | None],
    shown: Callable[[float], str],
    size: int = 0,
) -> list[str]:
    """Return one cell for each peer: its figure, and the ratio to that of the first.

    A peer that did not reach the size has its own beside the figure, and no ratio.
    """
    values = [None if sheet.reason else figure(sheet) for sheet in sheets]
    first = values[0]
    cells = []
    for sheet, value in zip(sheets, values, strict=True):
        if value is None:
            cells.append(NONE)
        elif sheet.added < size:
            cells.append(f"{shown(value)} of {sheet.added:,}")
        else:
            cells.append(shown(value) + (f" ({value / first:.2f})" if first else ""))
    return cells


def filled(head: tuple[str, ...], sheets: list[Sheet], columns: list[list[str]]) -> str:
    """Return a table; the row of a peer that failed holds the reason."""
    rows = []
    for sheet, cells in zip(sheets, zip(*columns, strict=True), strict=True):
        if sheet.reason:
            cells = (f"not measured: {sheet.reason}", *[NONE] * (len(cells) - 1))
        rows.append((sheet.peer.title, *cells))
    return table(head, rows)


def versions(sheets: list[Sheet]) -> str:
    known = {name: v for sheet in sheets for name, v in sheet.versions.items()}
    return ", ".join(f"{name} {v}" for name, v in sorted(known.items()))
