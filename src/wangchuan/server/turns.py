"""A conversation as the three model APIs send it: whose turn it is, where a block goes, what the
reply says. Pure: nothing here sends or stores anything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from wangchuan.messages import as_written
from wangchuan.patterns import regex
from wangchuan.types import value

CHAT, RESPONSES, MESSAGES = "chat/completions", "responses", "messages"
LISTS = {CHAT: "messages", RESPONSES: "input", MESSAGES: "messages"}  # where turns stand
SESSION = ("user", "metadata", "conversation", "session_id", "prompt_cache_key")  # whose talk it is
SHORTEST = 64  # tokens: whoever lets a model say no more wants a title or a verdict
# What clients ask for by themselves, beside the conversation.
_BY_ITSELF = regex(
    r"(?is)\b(?:generate|create|write|suggest|extract|summari[sz]e|analy[sz]e)\b[^.\n]{0,60}"
    r"\b(?:title|tags?|follow-?up questions?|memories|memory entries|conversation topic"
    r"|topic name|this (?:coding )?conversation)\b"
    r"|(?:生成|提取|总结|概括)[^。\n]{0,20}(?:标题|标签|记忆|这段对话|本次对话)"
)


@value
class Turn:
    """The last turn of a user: its place, what the person wrote, and the key of all up to it.

    `later` counts the turns after it: none where nothing was answered to it yet.
    """

    place: int
    text: str
    key: str
    later: int

    @property
    def is_new(self) -> bool:
        """Tell whether it ends the conversation."""
        return not self.later

    @property
    def reply_id(self) -> str:
        """Return the id of the reply: the same whenever the request is sent again."""
        return f"proxy:{self.key}:{self.later + 1}"


def last_turn(api: str, body: Mapping[str, Any]) -> Turn | None:
    """Return the last turn of a user; None if there is none, or a client asks by itself."""
    turns = body.get(LISTS[api])
    if isinstance(turns, str):
        turns = [{"role": "user", "content": turns}]
    if not isinstance(turns, list) or _is_by_itself(api, body, turns):
        return None
    for place in reversed(range(len(turns))):
        turn = turns[place]
        if isinstance(turn, Mapping) and turn.get("role") == "user" and (said := text_of(turn)):
            text = as_written(said)
            return Turn(place, text, _key(body, turns, place), len(turns) - 1 - place)
    return None


def _is_by_itself(api: str, body: Mapping[str, Any], turns: list[Any]) -> bool:
    """Tell whether a client asks for something of its own: a title, tags, an extraction."""
    form = body.get("response_format") or (body.get("text") or {})
    if isinstance(form, Mapping) and "json" in str(form.get("type") or form.get("format") or ""):
        return True
    most = body.get("max_tokens") or body.get("max_completion_tokens")
    if isinstance(most, int) and most <= SHORTEST:
        return True
    system = body.get("system") or body.get("instructions") or ""
    first = turns[0] if turns and isinstance(turns[0], Mapping) else {}
    told = system if api != CHAT else text_of(first) if first.get("role") != "user" else ""
    users = [t for t in turns if isinstance(t, Mapping) and t.get("role") == "user"]
    last = text_of(users[-1]) if users else ""
    wanted = [text_of({"content": told}), last] if len(users) == 1 else [last]
    return any(_BY_ITSELF.search(one[:400]) for one in wanted if len(one) > SHORTEST)


def text_of(turn: Mapping[str, Any]) -> str:
    """Return the text of a turn; results of tools and pictures have none."""
    content = turn.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    kinds = ("text", "input_text", "output_text")
    texts = [p["text"] for p in parts if isinstance(p, Mapping) and p.get("type") in kinds]
    return "\n".join(text for text in texts if isinstance(text, str))


def _key(body: Mapping[str, Any], turns: list[Any], place: int) -> str:
    """Return the key of a conversation up to a turn: the same whenever it is sent again."""
    whose = {name: body[name] for name in SESSION if name in body}
    upto = [[t.get("role"), text_of(t)] for t in turns[: place + 1] if isinstance(t, Mapping)]
    whole = json.dumps([whose, upto], sort_keys=True, default=str).encode()
    return hashlib.sha256(whole).hexdigest()[:24]


def with_block(api: str, body: dict[str, Any], turn: Turn, block: str) -> dict[str, Any]:
    """Return a request with a block in that turn of the user; all else stays as it is."""
    name = LISTS[api]
    if isinstance(body[name], str):
        return {**body, name: f"{body[name]}\n\n{block}"}
    turns = list(body[name])
    was = turns[turn.place]
    content = was["content"]
    if isinstance(content, str):
        content = f"{content}\n\n{block}"
    else:
        kind = "input_text" if api == RESPONSES else "text"
        content = [*content, {"type": kind, "text": block}]
    turns[turn.place] = {**was, "content": content}
    return {**body, name: turns}


def reply_in(api: str, answer: Any) -> str:
    """Return the text of a whole answer."""
    if not isinstance(answer, Mapping):
        return ""
    if api == CHAT:
        choices = answer.get("choices") or [{}]
        return text_of(choices[0].get("message") or {})
    if api == MESSAGES:
        return text_of(answer)
    said = [one for one in answer.get("output") or () if one.get("type") == "message"]
    return "\n".join(text_of(one) for one in said)


class Reply:
    """The text of an answer that is streamed, gathered from its events."""

    def __init__(self, api: str) -> None:
        self._api, self._left, self._said, self.ended = api, b"", list[str](), False

    def feed(self, piece: bytes) -> None:
        """Take a piece of the stream, cut anywhere."""
        *lines, self._left = (self._left + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                self._take(line[5:].strip())

    def _take(self, data: bytes) -> None:
        if data == b"[DONE]":
            self.ended = True
            return
        try:
            event = json.loads(data)
        except ValueError:
            return
        if isinstance(event, dict):
            self.ended = self.ended or event.get("type") in ("message_stop", "response.completed")
            self._said += [text for text in _deltas(self._api, event) if isinstance(text, str)]

    @property
    def text(self) -> str:
        """Return what was said so far."""
        return "".join(self._said)


def _deltas(api: str, event: Mapping[str, Any]) -> Iterator[Any]:
    if api == CHAT:
        for choice in (event.get("choices") or ())[:1]:
            yield (choice.get("delta") or {}).get("content")
    elif api == MESSAGES and event.get("type") == "content_block_delta":
        yield (event.get("delta") or {}).get("text")
    elif api == RESPONSES and event.get("type") == "response.output_text.delta":
        yield event.get("delta")
