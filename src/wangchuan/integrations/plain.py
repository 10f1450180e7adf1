"""Plain loops: a decorator for a function that asks a model with a list of messages.

    @remembering(memory)
    def ask(messages):
        return client.chat.completions.create(model="…", messages=messages)

`ask(history)` then puts the block beside the user's last turn, asks, and remembers the turn. What
the function returns is returned as it is: a text, or an answer of OpenAI's or Anthropic's client.
A function that is asynchronous stays so. The history itself is never changed, so that what was
sent before stays as it was; a message is known by all that was said before it.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from wangchuan.integrations.talk import Line, Talk, beside, words
from wangchuan.memory import Memory

F = TypeVar("F", bound=Callable[..., Any])
SPEAKERS = ("user", "assistant")


def remembering(memory: Memory, *, session: str = "default") -> Callable[[F], F]:
    """Return a decorator that gives a function's messages a memory."""
    talk = Talk(memory, session)

    def decorate(ask: F) -> F:
        @functools.wraps(ask)
        def asked(messages: Sequence[Any], *args: Any, **options: Any) -> Any:
            block = talk.block(_last_said(messages)).result()
            answer = ask(placed(messages, block), *args, **options)
            keep(talk, messages, answer)
            return answer

        @functools.wraps(ask)
        async def awaited(messages: Sequence[Any], *args: Any, **options: Any) -> Any:
            block = await talk.block(_last_said(messages))
            answer = await ask(placed(messages, block), *args, **options)
            keep(talk, messages, answer)
            return answer

        return awaited if inspect.iscoroutinefunction(ask) else asked  # type: ignore[return-value]

    return decorate


def placed(messages: Sequence[Any], block: str) -> list[Any]:
    """Return messages with a block beside the user's last turn; the given ones stay as they are."""
    given, last = list(messages), _last(messages)
    if block and last is not None:
        content = given[last]["content"]
        if isinstance(content, str):
            content = beside(block, content)
        else:
            content = [{"type": "text", "text": block}, *content]
        given[last] = {**given[last], "content": content}
    return given


def keep(talk: Talk, messages: Sequence[Any], answer: Any) -> None:
    """Remember what was said since the last answer, and the answer to it."""
    told = [*messages, {"role": "assistant", "content": answered(answer)}]
    before, lines = hashlib.sha256(), list[Line]()
    for n, message in enumerate(told):
        text, role = words(message.get("content")), message.get("role")
        before.update(json.dumps([role, text]).encode())
        if role == "assistant" and n < len(messages):
            lines.clear()  # it was remembered with its turn
        elif role in SPEAKERS and text:
            lines.append(Line(before.hexdigest()[:24], role, text))
    talk.keep(lines)


def answered(answer: Any) -> str:
    """Return the words of an answer: a text, or what OpenAI's or Anthropic's client returns."""
    if isinstance(answer, str):
        return answer
    if choices := getattr(answer, "choices", None):
        return words(choices[0].message.content)
    return words(getattr(answer, "output_text", None) or getattr(answer, "content", None))


def _last(messages: Sequence[Any]) -> int | None:
    said = [n for n, message in enumerate(messages) if message.get("role") == "user"]
    return said[-1] if said else None


def _last_said(messages: Sequence[Any]) -> str:
    last = _last(messages)
    return "" if last is None else words(messages[last]["content"])
