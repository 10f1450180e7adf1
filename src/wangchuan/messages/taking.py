"""Taking messages in.

Messages of any known shape are copied and checked before anything is stored. One bad message
refuses the whole call, with its index and its fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields
from datetime import datetime
from typing import Any

from wangchuan.arguments import items
from wangchuan.errors import InvalidInput, shown
from wangchuan.messages.wrapping import without_blocks
from wangchuan.spots import tags
from wangchuan.types import Message, Scalar

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
LONGEST_ID = 512  # characters of an id, a name or a session
MOST_METADATA, LONGEST_KEY, LONGEST_VALUE = 32, 64, 1000  # pairs; characters of a key, of a value
LARGEST_VALUE = 1 << 63  # a number of metadata is nearer to 0
LONGEST_CALLED = 200  # characters of what a tool was called with
KINDS_OF_PARTS = ("image", "audio", "video", "file", "document")  # parts of which a note is kept
UNSAID = ("thinking", "redacted_thinking", "reasoning")  # parts that nobody was told


def checked(given: Any, *, session: object = None, metadata: object = None) -> list[Message]:
    """Return messages as values of our own, or raise InvalidInput; nothing is stored here.

    `session` and `metadata` are those of messages that name none.
    """
    if isinstance(given, str | Mapping | Message) or _is_pair(given) or _is_object(given):
        given = [given]
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise InvalidInput(
            "remember takes a string, a message or a list of messages"
            f" ({{'role': …, 'content': …}}), not {type(given).__name__}"
        )
    usual = {"session": session, "metadata": metadata}
    return [_message(item, index, usual) for index, item in enumerate(items(given, "messages"))]


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


def _message(item: Any, index: int, usual: Mapping[str, Any]) -> Message:
    item = _as_mapping(item, index)
    for key in ("role", "content"):
        if key not in item:
            raise _fault(index, f"has no {key!r}")
    more = {key: usual[key] if item.get(key) is None else item[key] for key in usual}
    return Message(
        role=_role(item["role"], index),
        content=_content(item["content"], item.get("tool_calls"), index),
        id=_label(item.get("id"), "id", index),
        name=_label(item.get("name"), "name", index),
        timestamp=_seconds(item.get("timestamp"), index),
        session=_label(more["session"], "session", index),
        metadata=flat(more["metadata"], index),
    )


def _as_mapping(item: Any, index: int) -> Mapping[str, Any]:
    """Return a message of any form that is taken by the names of its parts."""
    if isinstance(item, Message):
        return {part.name: getattr(item, part.name) for part in fields(item)}
    if isinstance(item, str):
        return {"role": "user", "content": item}
    if _is_pair(item):
        return {"role": item[0], "content": item[1]}
    if _is_object(item):
        return {
            key: getattr(item, key, None) for key in ("id", "name", "content", "tool_calls")
        } | {"role": _role_of(item)}
    if not isinstance(item, Mapping):
        raise _fault(index, f"must be a mapping with role and content, not {type(item).__name__}")
    return item


def _is_pair(item: object) -> bool:
    """Tell whether this is a role with a text. Two texts are one message, never two."""
    return isinstance(item, tuple) and len(item) == 2 and all(isinstance(x, str) for x in item)


def _is_object(item: object) -> bool:
    """Tell whether this is a message of another library: it has a role, or a type, and content."""
    if isinstance(item, Mapping | Iterable) and not hasattr(type(item), "model_fields"):
        return False
    with suppress(Exception):  # a stranger's own code
        return hasattr(item, "content") and (hasattr(item, "role") or hasattr(item, "type"))
    return False


def _role_of(item: Any) -> Any:
    """Return who speaks in a message of another library: LangChain calls that a type."""
    role = getattr(item, "role", None) or getattr(item, "type", None)
    return role.removesuffix("MessageChunk") if isinstance(role, str) else role


def _fault(index: int, what: str) -> InvalidInput:
    return InvalidInput(f"message {index} {what}; nothing was stored")


def _role(value: Any, index: int) -> str:
    role = ROLES.get(value.strip().casefold()) if isinstance(value, str) else None
    if role is None:
        raise _fault(
            index, f"has role {shown(value, 40)}; roles are user, assistant, system and tool"
        )
    return role


def _content(value: Any, calls: Any, index: int) -> str:
    """Return the text of a message; a list of parts, as some clients send, gives theirs.

    Images and their like, and the tools that were called, are noted in a few words.
    """
    if isinstance(value, list | tuple):
        value = "\n".join(filter(None, map(_part, value)))
    if value is not None and not isinstance(value, str):
        raise _fault(index, f"has content of type {type(value).__name__}, not text")
    called = map(_call, calls) if isinstance(calls, list | tuple) else ()
    return storable("\n".join(filter(None, [without_blocks(value or ""), *called])))


def _part(part: Any) -> str | None:
    """Return the text of one part of a message; None if it says nothing."""
    if isinstance(part, str):
        return part
    kind, text = _of(part, "type"), _of(part, "text")
    if kind in UNSAID:
        return None
    if isinstance(text, str):
        return text
    if kind in ("tool_use", "tool_call", "function_call"):
        return _call(part)
    if kind == "tool_result":
        inside = _of(part, "content")
        parts = inside if isinstance(inside, list) else [inside]
        return "\n".join(
            t for p in parts if isinstance(t := p if isinstance(p, str) else _of(p, "text"), str)
        )
    return next((f"[{one}]" for one in KINDS_OF_PARTS if one in str(kind)), None)


def _of(value: Any, key: str) -> Any:
    """Return a part of what another library gave, whether a mapping or an object; or None."""
    with suppress(Exception):  # a stranger's own code
        return value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)
    return None


def _call(call: Any) -> str | None:
    """Return a few words on the call of a tool."""
    function = _of(call, "function") or call
    name = _of(function, "name")
    given = next((g for key in ("arguments", "args", "input") if (g := _of(function, key))), "")
    if isinstance(given, Mapping):
        given = json.dumps(given, ensure_ascii=False, default=shown)
    return f"[{name}({str(given)[:LONGEST_CALLED]})]" if isinstance(name, str) else None


def flat(value: Any, index: int = 0) -> dict[str, Scalar]:
    """Return metadata: a flat mapping of few short texts, numbers, truths and nothings."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or len(value) > MOST_METADATA:
        wanted = f"it must be a mapping of at most {MOST_METADATA} keys"
        raise _fault(index, f"has metadata {shown(value, 40)}; {wanted}")
    return {_key(key, index): _scalar(one, index) for key, one in value.items()}


def _key(key: Any, index: int) -> str:
    if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY:
        wanted = f"it must be a text of 1 to {LONGEST_KEY} characters"
        raise _fault(index, f"has the key {shown(key, 40)} in its metadata; {wanted}")
    return storable(key)


def _scalar(value: Any, index: int) -> Scalar:
    text = isinstance(value, str) and len(value) <= LONGEST_VALUE
    number = isinstance(value, int | float) and abs(value) < LARGEST_VALUE
    if value is None or isinstance(value, bool) or text or number:
        scalar: Scalar = storable(value) if text else value
        return scalar
    wanted = f"a text of at most {LONGEST_VALUE:,} characters, a number, true, false or null"
    raise _fault(index, f"has {shown(value, 40)} in its metadata; a value is {wanted}")


def wanted_tags(session: object, where: object) -> tuple[str, ...]:
    """Return the tags that a message must have to be of a session and to have some metadata.

    Raises InvalidInput for metadata that no message could have.
    """
    try:
        (message,) = checked("", session=session, metadata=where)
    except InvalidInput as error:
        fault = str(error).removeprefix("message 0 has ").removesuffix("; nothing was stored")
        raise InvalidInput(f"cannot look for that: {fault}") from error
    return tuple(tags(message.session, message.metadata))


def _label(value: Any, key: str, index: int) -> str | None:
    if value is None or (isinstance(value, str) and not value):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _fault(index, f"has {key} of type {type(value).__name__}, not text")
    with suppress(ValueError):  # a number of thousands of digits
        if len(text := str(value)) <= LONGEST_ID:
            return storable(text)
    raise _fault(index, f"has a longer {key} than {LONGEST_ID} characters")


def _seconds(value: Any, index: int) -> float | None:
    if value is None:
        return None
    number: Any = value
    if isinstance(value, str):
        with suppress(ValueError):
            value = datetime.fromisoformat(value.strip())
    if isinstance(value, datetime):
        try:
            number = value.timestamp()
        except (ValueError, OverflowError, OSError):
            number = -1  # a year that no clock counts to
    known = isinstance(number, int | float) and not isinstance(number, bool)
    if not known or not 0 <= number < LATEST:
        wanted = "it must be seconds since 1970, or ISO 8601"
        raise _fault(index, f"has timestamp {shown(value, 40)}; {wanted}")
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
