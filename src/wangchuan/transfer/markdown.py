"""Markdown: a memory to be read by people.

What was said, by conversation and day; facts; episodes; and last what was forgotten. The words of
strangers stand in quotations and list items with everything escaped that Markdown or HTML would
act on, so that no message can make a heading, a link or a picture. Times are UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from wangchuan.facts.records import KINDS, Facts
from wangchuan.ids import name_of
from wangchuan.living.trash import FADED
from wangchuan.storage import MessageRecord, NodeRecord, Transaction
from wangchuan.types import Fact

# What acts anywhere in a line, and what acts at its beginning.
_ACTIVE = re.compile(r"[\\`*_\[\]|~$]")
_LEADING = re.compile(r"^(\s*)(?:([#+=:-])|(\d{1,9})([.)]))")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_BARE_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto)(?=:)|\bwww(?=\.)")


def escaped(text: str) -> str:
    """Return one line of text so that Markdown shows it and acts on nothing in it."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _ACTIVE.sub(lambda found: "\\" + found[0], text)
    text = _LEADING.sub(_held_back, text)
    text = _BARE_ADDRESS.sub(lambda found: found[0] + "\u200b", text)
    return _UNSEEN.sub("\ufffd", text).replace("\t", " ")


def _held_back(found: re.Match[str]) -> str:
    space, mark, digits, dot = found.groups()
    return f"{space.strip(' ')}\\{mark}" if mark else f"{space.strip(' ')}{digits}\\{dot}"


def quoted(text: str) -> Iterator[str]:
    """Yield a text as the lines of a quotation; its own line breaks stay."""
    lines = text.splitlines() or [""]
    for n, line in enumerate(lines, 1):
        shown = escaped(line.strip(" \t"))
        yield f"> {shown}{chr(92) if shown and n < len(lines) else ''}".rstrip(" ")


def in_line(text: str) -> str:
    """Return a text on one line, for a list."""
    return escaped(" ".join(text.split()))


def written(tx: Transaction, agent: str, facts: Facts) -> Iterator[str]:
    """Yield the lines of a memory, without their ends, as they are read from the store."""
    passes = tx.passes()
    counts = tx.meta.counts(passes)
    yield f"# Memory of {escaped(agent)}"
    yield ""
    yield "{messages} messages, {nodes} memories, {forgotten} forgotten.".format(**counts)
    yield from _said(tx)
    yield from _learned(tx, facts, "Facts", KINDS)
    yield from _learned(tx, facts, "Episodes", ("episode",))
    yield from _gone(tx, passes)


def _said(tx: Transaction) -> Iterator[str]:
    yield from ("", "## What was said")
    heading = ""
    for message in (said for said in tx.rows.every("message") if said.role):  # not erased
        title = f"### {_day(message.said_at)}, conversation {message.talk}"
        if title != heading:
            yield from ("", title)
            heading = title
        yield from _message(message)


def _message(message: MessageRecord) -> Iterator[str]:
    who = f"{in_line(message.name)} ({message.role})" if message.name else message.role
    yield ""
    yield f"**{who}**, {_moment(message.said_at):%H:%M} · {in_line(message.public_id)}"
    yield ""
    yield from quoted(message.content)


def _learned(tx: Transaction, facts: Facts, title: str, kinds: tuple[str, ...]) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    none = True
    for record in tx.rows.every("node"):
        if record.kind in kinds and record.forgotten_at is None:
            yield f"- {_fact(facts.present(tx, record))}"
            none = False
    if none:
        yield "None."


def _fact(fact: Fact) -> str:
    about = [fact.id, *(["core"] if fact.kind == "core" else []), fact.topic]
    about += [f"weight {fact.weight:g}", f"from {fact.source}", f"since {_day(fact.created_at)}"]
    about += ["verified"] if fact.verified else []
    about += [", ".join(map(in_line, fact.sources))] if fact.sources else []
    return f"{in_line(fact.text)}  \n  ({'; '.join(about)})"


def _gone(tx: Transaction, passes: int) -> Iterator[str]:
    yield from ("", "## Forgotten", "")
    none = True
    for record in tx.rows.every("node"):
        if not record.is_alive(passes):
            yield f"- {_forgotten(record)}"
            none = False
    if none:
        yield "None."


def _forgotten(record: NodeRecord) -> str:
    when = f", {_day(record.forgotten_at)}" if record.forgotten_at is not None else ""
    text = in_line(record.original)
    return f"{text}  \n  ({name_of(record.n)}; {in_line(record.reason or FADED)}{when})"


def _moment(seconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):  # a year no calendar has
        return datetime.fromtimestamp(0, UTC)


def _day(seconds: float) -> str:
    return f"{_moment(seconds):%Y-%m-%d}"
