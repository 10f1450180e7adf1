"""Taking messages in.

Whatever shape they come in, they are copied and checked before anything is stored, and one bad
message refuses the whole call with its index and its fault.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import pairwise
from typing import Any

from wangchuan.arguments import items, shown
from wangchuan.errors import InvalidInput
from wangchuan.patterns import regex
from wangchuan.types import Message

ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
LONGEST_MESSAGE = 1_000_000  # characters of one message
LONGEST_CALL = 10_000_000  # characters of all messages of one call
LATEST = 1e15  # not a time any more, and not a number either
MILLISECONDS_FROM = 1e11  # as seconds that is the year 5138: such a number counts milliseconds


BLOCK_OPEN, BLOCK_CLOSE = '<wangchuan-memory id="', "</wangchuan-memory>"
CHECK = 12  # characters of the check in the opening mark
_MARK = regex(rf'{BLOCK_OPEN}(?P<check>[0-9a-f]{{{CHECK}}})">|{BLOCK_CLOSE}')
_LIKE_A_MARK = regex(r"<(?=/?wangchuan-memory)", re.IGNORECASE)


def as_block(body: str) -> str:
    """Return a text between the marks of a block; marks inside it become harmless.

    The opening mark holds a check of what follows, so that only what we put into a prompt is taken
    for ours when it comes back. White space does not count: clients change that.
    """
    inside = _LIKE_A_MARK.sub("‹", body)
    return f'{BLOCK_OPEN}{_check(inside)}">\n{inside}\n{BLOCK_CLOSE}'


def _check(body: str) -> str:
    bare = "".join(body.split()).encode("utf-8", "surrogatepass")
    return hashlib.sha256(bare).hexdigest()[:CHECK]


def without_blocks(text: str) -> str:
    """Return a text without the blocks that `as_block` made; what only looks like one stays."""
    if BLOCK_OPEN not in text:
        return text
    kept, at = [], 0
    for opening, closing in pairwise(_MARK.finditer(text)):
        ours = opening["check"] and not closing["check"]
        if ours and _check(text[opening.end() : closing.start()]) == opening["check"]:
            start, end = _around(text, opening.start(), closing.end(), at)
            kept += [text[at:start], _gap(text[start:end])]
            at = end
    return "".join([*kept, text[at:]])


def _around(text: str, start: int, end: int, least: int) -> tuple[int, int]:
    """Return the span of a block with the blanks on its lines, and the end of the last line."""
    while start > least and text[start - 1] in " \t":
        start -= 1
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return start, end + (text[end : end + 1] == "\n")


def _gap(block: str) -> str:
    """Return what stays where a block stood: a space between words that it parted."""
    return " " if block[0].isspace() and block[-1] in " \t" else ""


def checked(given: Any) -> list[Message]:
    """Return messages as values of our own, or raise InvalidInput; nothing is stored here."""
    if isinstance(given, str | Mapping | Message):
        given = [given]
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise InvalidInput(
            "remember takes a string, a message or a list of messages"
            f" ({{'role': …, 'content': …}}), not {type(given).__name__}"
        )
    return [_message(item, index) for index, item in enumerate(items(given, "messages"))]


def admitted(messages: list[Message]) -> list[Message]:
    """Return checked messages each of which may be stored, or raise InvalidInput.

    An id that looks like one of ours would stand for two messages, and a text without limit would
    be digested for hours.
    """
    for index, message in enumerate(messages):
        if message.id is not None and has_our_shape(message.id):
            taken = f"has the id {message.id!r:.40}; only we give ids of this shape"
            raise _fault(index, f"{taken}: leave it out, or give it another")
        if len(message.content) > LONGEST_MESSAGE:
            length = f"has {len(message.content):,} characters of {LONGEST_MESSAGE:,} at most"
            raise _fault(index, f"{length}: give it in several messages")
    return messages


def at_once(messages: list[Message]) -> list[Message]:
    """Return messages that one call may bring, or raise InvalidInput if they are too long."""
    total = sum(len(message.content) for message in admitted(messages))
    if total > LONGEST_CALL:
        raise InvalidInput(
            f"these {len(messages):,} messages have {total:,} characters of {LONGEST_CALL:,} at"
            " most: give them in several calls; nothing was stored"
        )
    return messages


def has_our_shape(public_id: str) -> bool:
    """Tell whether an id looks like those that we give to messages: msg_7."""
    return public_id.startswith("msg_") and public_id[4:].isdecimal()


def _message(item: Any, index: int) -> Message:
    if isinstance(item, Message):
        item = {name: getattr(item, name) for name in Message.__slots__}
    if isinstance(item, str):
        item = {"role": "user", "content": item}
    if not isinstance(item, Mapping):
        raise _fault(index, f"must be a mapping with role and content, not {type(item).__name__}")
    for key in ("role", "content"):
        if key not in item:
            raise _fault(index, f"has no {key!r}")
    return Message(
        role=_role(item["role"], index),
        content=_content(item["content"], index),
        id=_label(item.get("id"), "id", index),
        name=_label(item.get("name"), "name", index),
        timestamp=_seconds(item.get("timestamp"), index),
    )


def _fault(index: int, what: str) -> InvalidInput:
    return InvalidInput(f"message {index} {what}; nothing was stored")


def _role(value: Any, index: int) -> str:
    role = ROLES.get(value.strip().casefold()) if isinstance(value, str) else None
    if role is None:
        raise _fault(
            index, f"has role {shown(value, 40)}; roles are user, assistant, system and tool"
        )
    return role


def _content(value: Any, index: int) -> str:
    """Return the text of a message; a list of parts, as some clients send, gives its texts."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        parts = [p.get("text") if isinstance(p, Mapping) else p for p in value]
        value = "\n".join(p for p in parts if isinstance(p, str))
    if not isinstance(value, str):
        raise _fault(index, f"has content of type {type(value).__name__}, not text")
    return storable(without_blocks(value))


def _label(value: Any, key: str, index: int) -> str | None:
    if value is None or (isinstance(value, str) and not value):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _fault(index, f"has {key} of type {type(value).__name__}, not text")
    try:
        return storable(str(value))
    except ValueError as error:  # a number of thousands of digits
        raise _fault(index, f"has an {key} that is too long") from error


def _seconds(value: Any, index: int) -> float | None:
    if value is None:
        return None
    number: Any = value
    if isinstance(value, datetime):
        try:
            number = value.timestamp()
        except (ValueError, OverflowError, OSError):
            number = -1  # a year that no clock counts to
    known = isinstance(number, int | float) and not isinstance(number, bool)
    if not known or not 0 <= number < LATEST:
        raise _fault(index, f"has timestamp {shown(value, 40)}; it must be seconds since 1970")
    value = number
    return float(value) / 1000 if value >= MILLISECONDS_FROM else float(value)


def storable(text: str) -> str:
    """Return text that every store and terminal can take: lone surrogates become U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def ids_of(given: object, name: str) -> list[str]:
    """Return one id or several as a list, or raise InvalidInput."""
    if isinstance(given, str):
        return [storable(given)]
    ids = items(given, name) if isinstance(given, Iterable) else [given]
    strings = [storable(one) for one in ids if isinstance(one, str)]
    if len(strings) < len(ids):
        raise InvalidInput(f"{name} must be an id, or several, not {shown(given)}")
    return strings
