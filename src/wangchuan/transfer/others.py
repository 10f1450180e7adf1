"""What other systems export, read as messages or facts.

Conversations (ChatGPT, Claude) become messages with their times and ids, to be remembered like any
others, oldest conversation first. What a memory layer distilled (mem0, a LangGraph store) becomes
facts: nobody here heard them said, so their source is `background_ai` and they are not verified.

A file is read whole and checked before anything of it is stored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import field
from datetime import UTC, datetime
from typing import Any

from wangchuan.errors import InvalidInput
from wangchuan.messages import admitted, checked, storable
from wangchuan.types import Message, value

SPEAKERS = {"user": "user", "human": "user", "assistant": "assistant"}


@value
class Stated:
    """A fact that another system kept, and since when, in seconds since 1970."""

    text: str
    since: float | None = None


@value
class Found:
    """What a file holds: conversations in order, and facts."""

    conversations: list[list[Message]] = field(default_factory=list)
    facts: list[Stated] = field(default_factory=list)


def parsed(data: bytes) -> Any:
    """Return the JSON of a file, or raise InvalidInput."""
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"not UTF-8 (byte {error.start}); nothing was stored") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"not JSON ({error!s:.100}); nothing was stored") from error


def recognised(document: Any) -> str | None:
    """Return which system a document comes from, by its shape; None if it cannot be told."""
    first = _first(document)
    return next((name for name, keys in MARKS.items() if keys <= first.keys()), None)


def _first(document: Any) -> dict[str, Any]:
    items = _items(document)
    first = items[0] if items else None
    return first if isinstance(first, dict) else {}


def _items(document: Any) -> list[Any]:
    """Return the list in a document, whether it stands alone, in an envelope or is one item."""
    if isinstance(document, dict):
        for envelope in ("results", "items", "conversations"):
            if isinstance(document.get(envelope), list):
                return list(document[envelope])
        return [document]
    if not isinstance(document, list):
        raise InvalidInput(f"a list was expected, not {type(document).__name__}")
    return document


def read(document: Any, system: str) -> Found:
    """Return what a document of a system holds, or raise InvalidInput naming the item."""
    found = Found()
    for number, item in enumerate(_items(document), 1):
        try:
            if not isinstance(item, dict):
                raise InvalidInput(f"must be an object, not {type(item).__name__}")
            READERS[system](item, found)
        except InvalidInput as error:
            fault = str(error).removesuffix("; nothing was stored")
            raise InvalidInput(f"item {number}: {fault}; nothing was stored") from error
    found.conversations.sort(key=lambda said: said[0].timestamp or 0.0)
    return found


# memory layers


def _mem0(item: dict[str, Any], found: Found) -> None:
    found.facts.append(Stated(_text(item, "memory"), _time(item.get("created_at"))))


def _langgraph(item: dict[str, Any], found: Found) -> None:
    """Read an item of a store: texts as they are, anything else as its JSON."""
    value = item.get("value")
    if not isinstance(value, dict):
        raise InvalidInput("has no object 'value'")
    texts = [value[name] for name in TEXTS if isinstance(value.get(name), str)]
    text = texts[0] if texts else json.dumps(value, ensure_ascii=False, sort_keys=True)
    if text.strip():
        found.facts.append(Stated(storable(text), _time(item.get("created_at"))))


TEXTS = ("text", "content", "memory", "data")  # where a value usually keeps its words


# conversations


def _chatgpt(item: dict[str, Any], found: Found) -> None:
    """Read the branch of a conversation that its owner saw last."""
    mapping = item.get("mapping")
    if not isinstance(mapping, dict):
        raise InvalidInput("has no object 'mapping'")
    _keep(found, list(_branch(mapping, item.get("current_node"), _time(item.get("create_time")))))


def _branch(mapping: dict[str, Any], leaf: Any, began: float | None) -> Iterator[dict[str, Any]]:
    path: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(leaf, str) and leaf in mapping and leaf not in seen:
        seen.add(leaf)
        node = mapping[leaf]
        if not isinstance(node, dict):
            raise InvalidInput(f"node {leaf!r:.40} of the mapping is no object")
        path.append(node)
        leaf = node.get("parent")
    for node in reversed(path):
        yield from _turn(node.get("message"), began)


def _turn(message: Any, began: float | None) -> Iterator[dict[str, Any]]:
    """Yield a message that one of the two said in words; tools and hidden ones are left out."""
    if not isinstance(message, dict):
        return
    author, content = message.get("author"), message.get("content")
    role = SPEAKERS.get(str(author.get("role"))) if isinstance(author, dict) else None
    hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
    if role is None or hidden or not isinstance(content, dict):
        return
    if content.get("content_type") not in ("text", "multimodal_text"):
        return
    parts = content.get("parts")
    said = "\n".join(p for p in parts if isinstance(p, str)) if isinstance(parts, list) else ""
    at = _time(message.get("create_time"))
    yield _said(role, said, message.get("id"), began if at is None else at)


def _claude(item: dict[str, Any], found: Found) -> None:
    messages = item.get("chat_messages")
    if not isinstance(messages, list):
        raise InvalidInput("has no list 'chat_messages'")
    said = []
    for message in messages:
        if not isinstance(message, dict):
            raise InvalidInput("holds a message that is no object")
        role = SPEAKERS.get(str(message.get("sender")))
        if role is None:
            raise InvalidInput(f"holds a message of sender {message.get('sender')!r:.40}")
        at = _time(message.get("created_at"))
        said.append(_said(role, _claude_text(message), message.get("uuid"), at))
    _keep(found, said)


def _claude_text(message: dict[str, Any]) -> str:
    """Return what a message says: its text blocks, or the plain text of older exports."""
    blocks = message.get("content")
    if isinstance(blocks, list):
        texts = [b.get("text") for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
        told = "\n".join(text for text in texts if isinstance(text, str))
        if told.strip():
            return told
    text = message.get("text")
    return text if isinstance(text, str) else ""


def _said(role: str, content: str, given_id: Any, at: float | None) -> dict[str, Any]:
    return {"role": role, "content": content, "id": given_id, "timestamp": at}


def _keep(found: Found, said: list[dict[str, Any]]) -> None:
    messages = [m for m in admitted(checked(said)) if m.content.strip()]
    if messages:
        found.conversations.append(messages)


# values


def _text(item: dict[str, Any], name: str) -> str:
    value = item.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"has no text {name!r}")
    return storable(value)


def _time(value: Any) -> float | None:
    """Return a time, given in seconds or as ISO 8601 (UTC unless it says otherwise)."""
    if value is None:
        return None
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            value = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("neither seconds nor ISO 8601")
        if not math.isfinite(value):
            raise ValueError("not finite")
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"has the time {value!r:.40} ({error!s:.60})") from error
    return max(0.0, float(value))


# What marks an item of each system, and how it is read.
MARKS: dict[str, frozenset[str]] = {
    "chatgpt": frozenset(("mapping",)),
    "claude": frozenset(("chat_messages",)),
    "langgraph": frozenset(("namespace", "key", "value")),
    "mem0": frozenset(("memory",)),
}
READERS: dict[str, Callable[[dict[str, Any], Found], None]] = {
    "chatgpt": _chatgpt,
    "claude": _claude,
    "langgraph": _langgraph,
    "mem0": _mem0,
}
