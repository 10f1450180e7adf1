"""Finding: recall, search, the block for a prompt, and the vectors that search by meaning needs."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.options import Kinds, Limit, Words
from wangchuan.cli.output import (
    counted,
    moment,
    note,
    one_line,
    say_json,
    say_table,
)
from wangchuan.cli.relations import typed
from wangchuan.finding.wish import DEFAULT_TOKENS
from wangchuan.language.dates.spans import spans

if TYPE_CHECKING:
    from wangchuan.types import Hit

LOST = {"forgotten": "forgotten", "faded": "these words have faded", "cold": "cold"}


@of_memory
def search(
    call: Call,
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="What to look for.")],
    limit: Limit = 10,
    kind: Kinds = None,
    since: Annotated[
        str | None, typer.Option(help="Said on this day or later (2026-05-03, last Friday, …).")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Said before the end of this day.")] = None,
    session: Annotated[str | None, typer.Option(help="Said in this session.")] = None,
    where: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Said with this metadata.")
    ] = None,
    forgotten: Annotated[
        bool, typer.Option("--forgotten", help="Look also into what was forgotten or has faded.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each score is made of.")
    ] = False,
) -> None:
    """Search everything that was ever said, by words, dates, names and, if set up, by meaning."""
    text = " ".join(query)
    with call.opened() as here:
        first, last = _bound(since, here.host.clock(), 0), _bound(until, here.host.clock(), 1)
        bounds: dict[str, Any] = {
            "since": first,
            "until": last,
            "session": session,
            "where": _pairs(where),
        }
        pending = here.memory.search(text, limit=limit, kinds=kind, forgotten=forgotten, **bounds)
        hits = pending.result()
    if call.as_json:
        say_json([asdict(hit) for hit in hits])
    elif not hits:
        note(
            "nothing found"
            + ("" if forgotten else "; --forgotten also looks at what has faded or is in the trash")
        )
    else:
        _say_hits(hits, explain)
        if any(hit.lost == "forgotten" for hit in hits):
            note(f"bring back with: {call.to_type('restore ID')}")


def _pairs(given: list[str] | None) -> dict[str, Any]:
    """Return metadata from pairs as they are typed: a value that is JSON means that."""
    found: dict[str, Any] = {}
    for pair in given or ():
        key, mark, value = pair.partition("=")
        if not mark:
            raise typer.BadParameter(f"{pair!r} is no KEY=VALUE")
        try:
            found[key] = json.loads(value)
        except ValueError:
            found[key] = value
    return found


def _bound(given: str | None, now: float, end: int) -> float | None:
    """Return a moment from a date as people write it: its beginning (0) or its end (1)."""
    if given is None:
        return None

    found = spans(given, now)
    if not found:
        raise typer.BadParameter(f"{given!r} is no date; write 2026-05-03, yesterday, 上周五 …")
    return found[0].last if end else found[0].first


def time_of(given: str, now: float) -> float:
    """Return the moment that is meant: a time of day as written, of a day its end."""
    if "T" in given or ":" in given:
        try:
            return datetime.fromisoformat(given).timestamp()
        except ValueError:
            raise typer.BadParameter(f"{given!r} is no time; write 2026-05-03T14:00") from None
    found = _bound(given, now, 1)
    return now if found is None else found


def _say_hits(hits: list[Hit], explain: bool) -> None:
    rows = [
        (
            hit.node.id if hit.node else "not digested",
            *_said(hit),
            one_line(hit.text) + (f" [{LOST[hit.lost]}]" if hit.lost else ""),
            *((_parts(hit),) if explain else ()),
        )
        for hit in hits
    ]
    columns = [("id", "bold"), ("said", "dim"), ("by", "dim"), ("memory", "text")]
    say_table([*columns, *([("score", "text")] if explain else [])], rows)


def _said(hit: Hit) -> tuple[str, str]:
    """Return when something was said and by whom; a fact added by hand has no message."""
    if hit.sources:
        return moment(hit.sources[0].timestamp), hit.sources[0].name or hit.sources[0].role
    return (moment(hit.node.created_at), hit.node.kind) if hit.node else ("", "")


def _parts(hit: Hit) -> str:
    """Return a score as the sum of its parts, and the path that led to it."""
    parts = " + ".join(f"{name} {part:.4f}" for name, part in hit.terms.items())
    path = f"; brought by {' '.join(hit.path)}" if hit.path else ""
    return f"{hit.score:.4f} = {parts}{path}"


@of_memory
def recall(
    call: Call,
    keywords: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEYWORDS", help="Any of them must occur; none: all in reach."),
    ] = None,
    relation: Annotated[
        list[str] | None,
        typer.Option("--relation", "-r", help="Walk only links of this name (repeatable)."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", "-d", min=0, help="Hops to walk from the focus.")
    ] = None,
) -> None:
    """Recall, as text, what the focus leads to.

    The text is meant for a language model: no ids, no scores, no markup.
    """
    words, names = keywords or [], relation or []
    with call.opened() as here:
        text = here.memory.recall(words, typed(names), depth).result()
        hops = here.host.settings.default_search_depth if depth is None else depth
    missing = (
        f"nothing comes to mind within {counted(hops, 'hop')} of the focus;"
        " try other keywords or a larger --depth"
    )
    told = {"keywords": words, "relations": names, "depth": hops, "text": text}
    call.tell({"agent": call.agent, **told}, text, missing)


@of_memory
def context(
    call: Call,
    query: Words = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=0, help="Estimated tokens it may take [default: 1000].")
    ] = None,
) -> None:
    """Print the block of memory for a prompt: what is known and what comes to mind."""
    about, budget = " ".join(query) if query else None, max_tokens
    with call.opened() as here:
        here.settle()
        budget = DEFAULT_TOKENS if budget is None else budget
        text = here.memory.context(about, max_tokens=budget).result()
    told = {"agent": call.agent, "query": about, "max_tokens": budget, "text": text}
    call.tell(told, text, "nothing remembered bears on this, or it does not fit")
