"""Digest: cut messages into memories, with their labels and their relation to the focus.

One question covers a whole window of messages. A window is as many messages as fit a number of
characters; a message that is longer alone is cut at a sentence's end where there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wangchuan.errors import ModelError
from wangchuan.models.seam import Ask
from wangchuan.routines.answers import as_list, as_mapping, as_text, as_words
from wangchuan.storage import MessageRecord

ROUTINE = "digest"
WINDOW_CHARACTERS = 8000
WINDOW_MESSAGES = 200
LONGEST_RELATION = 20
SENTENCE_ENDS = "。！？!?\n"


@dataclass(frozen=True, slots=True)
class Segment:
    """One memory to be: its text, its labels, and its relation to each focus memory."""

    message: int  # index into the window
    text: str
    phrase: str
    keywords: tuple[str, ...]
    relations: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """Messages to digest in one question, and where the next window begins."""

    parts: tuple[tuple[MessageRecord, str], ...]
    next_message: int
    next_offset: int

    @property
    def is_blank(self) -> bool:
        """Tell whether there is nothing in it to digest."""
        return not any(text.strip() for _, text in self.parts)


def window(messages: Sequence[MessageRecord], offset: int) -> Window:
    """Return the first window of the given messages; `offset` is where the first one goes on."""
    parts: list[tuple[MessageRecord, str]] = []
    room = WINDOW_CHARACTERS
    for message in messages[:WINDOW_MESSAGES]:
        rest = message.content[offset:]
        if len(rest) <= room:
            parts.append((message, rest))
            room, offset = room - len(rest), 0
        elif parts:
            return Window(tuple(parts), message.seq, 0)
        else:
            cut = _sentence_end(rest, room)
            return Window(((message, rest[:cut]),), message.seq, offset + cut)
    return Window(tuple(parts), parts[-1][0].seq + 1 if parts else 0, 0)


def _sentence_end(text: str, room: int) -> int:
    ends = [text.rfind(mark, 0, room) for mark in SENTENCE_ENDS]
    return max(ends) + 1 or room


def ask(view: Window, focus: Sequence[tuple[str, Sequence[str]]]) -> Ask:
    """Return the question for a window; `focus` is (content, keywords) of each, newest first."""
    messages = [
        {"role": message.role, "name": message.name, "content": text}
        for message, text in view.parts
    ]
    attended = [{"content": content, "keywords": list(words)} for content, words in focus]
    return Ask(ROUTINE, {"messages": messages, "focus": attended})


def read(answer: Any, view: Window, focus: int) -> list[Segment]:
    """Return the segments of an answer, or raise ModelError if there is none to be used."""
    segments = [
        _segment(as_mapping(item), len(view.parts), focus)
        for item in as_list(as_mapping(answer).get("segments"))
    ]
    found = [segment for segment in segments if segment.text]
    if not found and not view.is_blank:
        raise ModelError("digest: no segments came back")
    return found


def _segment(item: Mapping[str, Any], messages: int, focus: int) -> Segment:
    index = item.get("message")
    text = as_text(item.get("text"))
    relations = [as_text(relation) for relation in as_list(item.get("relations"))]
    named = [r if 0 < len(r) <= LONGEST_RELATION and r.isprintable() else None for r in relations]
    return Segment(
        message=index if isinstance(index, int) and 0 <= index < messages else messages - 1,
        text=text,
        phrase=as_text(item.get("phrase")) or text[:20],
        keywords=as_words(item.get("keywords")),
        relations=tuple((named + [None] * focus)[:focus]),
    )
