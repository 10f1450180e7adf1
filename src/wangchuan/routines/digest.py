"""Digest: cut messages into nodes, with their labels and their relation to the focus.

One question covers a whole window of messages. A window is as many messages as fit a number of
estimated tokens; a message that is longer alone is cut at a sentence's end where there is one.

An answer is believed as far as it can be checked: every segment must be made of words that were
said, and all segments together must cover the messages. Words that a model adds make no node: a
segment that cannot be believed is replaced by the sentences it was made of. A cut inside a clause
is undone: "I do not" and "want to sell" each say something else. Phrases hold only words that were
said; so do relations, except for the common ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.language.labels import keywords, phrase
from wangchuan.language.text import language, segments
from wangchuan.language.tokens import tokens
from wangchuan.language.words import RELATIONS
from wangchuan.models.seam import TEXT, WHOLE, Ask, ByRule, list_of, object_of
from wangchuan.routines.framing import WARNING, framed
from wangchuan.routines.grounding import (
    Said,
    covers,
    heard,
    is_label,
    is_true_to,
    plain,
    share_within,
    who,
)
from wangchuan.routines.replies import as_list, as_mapping, as_text, as_words, first_of, items_of
from wangchuan.storage import MessageRecord
from wangchuan.types import value

ROUTINE = "digest"
WINDOW_MESSAGES = 200
LONGEST_SEGMENT = 200
LONGEST_PHRASE, LONGEST_RELATION = 40, 20
MOST_WORDS = 2  # of a relation
ENDS = ("。", "！", "？", ".", "!", "?", ";", "；", "…", "”", "」")
SENTENCE_ENDS = ("。", "！", "？", "! ", "? ", ". ", "\n")
UNRELATED = ("无关", "unrelated")  # words of models for no relation
GROUNDED = 0.7  # the share of a segment's words that must have been said
COVERED = 0.7  # the share of the messages that the segments must hold

INSTRUCTIONS = {
    "zh": "你负责把对话整理成记忆片段。把 messages 里的每条消息切成语义完整的片段，"
    "每段不超过 200 字，保持原文的用词和语言，不翻译、不概括、不添加、不遗漏；"
    "把“他/她/它”等代词换成明确的人或事物。每段给出：message（来自第几条消息，从 0 开始）、"
    "text（片段）、phrase（10–20 字的短语）、keywords（3–5 个名词）、"
    "relations（先与 focus、再与 related 里每一项的关系名，各 2–4 个字，如“属于”“关于”“提到”，"
    "顺序与两者相同，与 related 里的某项无关则写“无关”；两者皆空则为空列表）。只输出 JSON。",
    "en": "You turn a conversation into memory segments. Cut every message in `messages` into"
    " pieces that are complete in themselves, at most 200 characters each. Keep the words and the"
    " language of the message: do not translate, summarise, add or leave out. Replace pronouns such"
    " as he, she, it by whom or what they mean. For each piece give: message (which message it is"
    " from, counted from 0), text, phrase (a label of a few words), keywords (3 to 5 nouns),"
    " relations (one or two words naming how it relates to each item of `focus` and then of"
    ' `related`, in the same order; "unrelated" for an item of `related` it has nothing to do'
    " with; an empty list if there are none). Output JSON only.",
}
_SEGMENT = object_of(
    message=WHOLE, text=TEXT, phrase=TEXT, keywords=list_of(TEXT), relations=list_of(TEXT)
)
SCHEMA = object_of(segments=list_of(_SEGMENT))


@value
class Segment:
    """A node in the making: its text, its labels, and its relation to each node in focus.

    `related` holds the numbers of older nodes, each with the relation to it.
    """

    message: int  # index into the window
    text: str
    phrase: str
    keywords: tuple[str, ...]
    relations: tuple[str | None, ...]
    related: tuple[tuple[int, str | None], ...] = ()


@dataclass(frozen=True)
class Window:
    """Messages to digest in one question, and where the next window begins."""

    parts: tuple[tuple[MessageRecord, str], ...]
    next_message: int
    next_offset: int

    @property
    def spoken(self) -> list[tuple[str, str | None, str]]:
        """Return the messages of the window as role, name and text."""
        return [(message.role, message.name, text) for message, text in self.parts]

    @property
    def text(self) -> str:
        """Return the whole text of the window."""
        return "\n".join(text for _, text in self.parts)

    @property
    def names(self) -> list[str]:
        """Return who spoke, and the words for them that a model may put in place of a pronoun."""
        said = [message.name for message, _ in self.parts if message.name]
        return [*said, "user assistant system tool 用户 助手 系统 工具"]

    @cached_property
    def plain(self) -> list[str]:
        """Return the messages as texts are compared with them."""
        return [plain(text) for _, text in self.parts]


def window(messages: Sequence[MessageRecord], offset: int, most_tokens: int) -> Window:
    """Return the first window of the given messages; `offset` is where the first one goes on."""
    parts: list[tuple[MessageRecord, str]] = []
    room = most_tokens
    for message in messages[:WINDOW_MESSAGES]:
        rest = message.content[offset:]
        size = tokens(rest)
        if size <= room:
            parts.append((message, rest))
            room, offset = room - size, 0
        elif parts:
            return Window(tuple(parts), message.seq, 0)
        else:
            cut = _sentence_end(rest, max(1, len(rest) * room // size))
            return Window(((message, rest[:cut]),), message.seq, offset + cut)
    return Window(tuple(parts), parts[-1][0].seq + 1 if parts else 0, 0)


def _sentence_end(text: str, room: int) -> int:
    """Return where to cut: after a sentence in the last half of the room, or between words."""
    for marks in (SENTENCE_ENDS, " \t"):
        ends = [text.rfind(mark, room // 2, room) + len(mark) for mark in marks]
        if max(ends) > room // 2:
            return max(ends)
    return room


def pieces(text: str) -> list[str]:
    """Return a text in pieces that could be segments."""
    return segments(text, LONGEST_SEGMENT)


Focus = Sequence[tuple[str, Sequence[str]]]  # content and keywords of each, newest first
Older = Sequence[tuple[int, str]]  # number and content of each node that may be related


def ask(view: Window, focus: Focus, older: Older = ()) -> Ask:
    """Return the question for a window."""
    messages = [
        {"role": message.role, "name": message.name, "content": text}
        for message, text in view.parts
    ]
    attended = [{"content": content, "keywords": list(words)} for content, words in focus]
    tongue = language(view.text)
    related = [content for _, content in older]
    contents = [content for content, _ in focus]
    return Ask(
        ROUTINE,
        {"messages": messages, "focus": attended, "related": related},
        instructions=f"{INSTRUCTIONS[tongue]} {WARNING[tongue]}",
        prompt=lambda: framed({"messages": messages, "focus": contents, "related": related}),
        schema=SCHEMA,
        most_tokens=lambda: 400 + 4 * tokens(view.text),
    )


def read(answer: Any, view: Window, focus: Focus, older: Older = ()) -> list[Segment]:
    """Return the segments of an answer; raises UnusableAnswer if they cannot be believed."""
    if isinstance(answer, ByRule):
        return [_by_rule(**item) for item in answer["segments"]]
    items = items_of(answer, ("segments", "memories", "items", "片段"))
    beside = [*(text for text, _ in focus), *(text for _, text in older)]
    said = heard(view.spoken, around="\n".join([*view.names, *beside]))
    given = [_segment(as_mapping(item), view, said, len(focus), older) for item in items]
    whole = _rejoined([segment for segment in given if segment.text], view)
    found = [piece for segment in whole for piece in _bounded(segment)]
    if not found and any(view.plain):
        raise UnusableAnswer("digest: no segments came back")
    if _is_verbatim(found, view):
        return found
    found = _without_repeats(found)
    kept = [s for s in found if is_true_to(said, s.text, GROUNDED, who(view.spoken[s.message]))]
    covered = covers([segment.text for segment in kept], view.text) if kept else 0.0
    if covered < COVERED:
        raise UnusableAnswer(
            f"digest: {len(found) - len(kept)} of {len(found)} segments say what nobody said,"
            f" and {covered:.0%} of what was said is covered"
        )
    return _with_refused(found, kept, view)


def _by_rule(keywords: Sequence[str], relations: Sequence[str], **rest: Any) -> Segment:
    return Segment(keywords=tuple(keywords), relations=tuple(relations), **rest)


def _with_refused(found: list[Segment], kept: list[Segment], view: Window) -> list[Segment]:
    """Put, for each message of which a segment was refused, the sentences nothing else holds."""
    made: list[Segment] = []
    for place in {segment.message for segment in found if segment not in kept}:
        texts = [segment.text for segment in kept if segment.message == place]
        for piece in pieces(view.parts[place][1]):
            if covers(texts, piece) < COVERED:
                made.append(Segment(place, piece, phrase(piece), tuple(keywords(piece)), ()))
    parts = {(s.message, s.text) for s in kept for one in made if s.text in one.text}
    whole = [segment for segment in kept if (segment.message, segment.text) not in parts]
    return sorted([*whole, *made], key=lambda segment: segment.message)


def _is_verbatim(found: list[Segment], view: Window) -> bool:
    """Tell whether the segments are simply the messages, cut between sentences."""
    same = "".join(plain(segment.text) for segment in found) == "".join(view.plain)
    return same and all(_is_ended(s.text.rstrip(), view.parts[s.message][1]) for s in found)


def _is_ended(text: str, source: str) -> bool:
    """Tell whether a sentence, a line or the source ends where a text does."""
    return text.endswith(ENDS) or source.rstrip().endswith(text) or f"{text}\n" in source


def _rejoined(found: list[Segment], view: Window) -> list[Segment]:
    """Join segments that were cut from one another inside a clause."""
    joined: list[Segment] = []
    for segment in found:
        last = joined[-1] if joined else None
        text = _uncut(last, segment, view) if last else None
        if last and text:
            words = tuple(dict.fromkeys([*last.keywords, *segment.keywords]))
            joined[-1] = replace(last, text=text, phrase=phrase(text), keywords=words)
        else:
            joined.append(segment)
    return joined


def _uncut(one: Segment, other: Segment, view: Window) -> str | None:
    """Return the text of two segments that are one clause; None where a mark stands between."""
    source = view.parts[one.message][1]
    if one.message != other.message or not one.text[-1].isalnum() or not other.text[0].isalnum():
        return None
    both = (one.text + between + other.text for between in ("", " "))
    return next((text for text in both if text in source), None)


def _without_repeats(found: list[Segment]) -> list[Segment]:
    return list({(segment.message, plain(segment.text)): segment for segment in found}.values())


def _bounded(segment: Segment) -> list[Segment]:
    """Return a segment as it is, or in pieces if it is too long."""
    if len(segment.text) <= LONGEST_SEGMENT:
        return [segment]
    return [
        replace(segment, text=piece, phrase=phrase(piece), keywords=tuple(keywords(piece)))
        for piece in pieces(segment.text)
    ]


def _segment(
    item: Mapping[str, Any], view: Window, said: Said, focus: int, older: Older
) -> Segment:
    text = as_text(first_of(item, ("text", "content", "segment", "文本", "内容")))
    label = as_text(first_of(item, ("phrase", "summary", "短语"))).splitlines()
    words = as_words(first_of(item, ("keywords", "tags", "关键词")))
    relations = [as_text(r) for r in as_list(first_of(item, ("relations", "relation", "关系")))]
    named = [r if is_relation(r, said) else None for r in relations]
    place = _source_of(item.get("message"), text, view)
    speaker = who(view.spoken[place])
    own = phrase(text)
    given = label[0] if label and len(label[0]) <= LONGEST_PHRASE else own
    return Segment(
        message=place,
        text=text,
        phrase=given if given == own or is_label(said, given, speaker) else own,
        keywords=tuple(word for word in words if plain(word) in said.plain),
        relations=tuple((named + [None] * focus)[:focus]),
        related=tuple((n, name) for (n, _), name in zip(older, named[focus:], strict=False)),
    )


def is_relation(text: str, said: Said) -> bool:
    """Tell whether a text can name a relation: one that everybody uses, or a word that was said."""
    one = len(text) <= LONGEST_RELATION and len(text.split()) <= MOST_WORDS and text.isprintable()
    return text.casefold() in RELATIONS or (one and bool(text) and is_label(said, text))


def _source_of(index: Any, text: str, view: Window) -> int:
    """Return the message of a segment: the one named, unless only another holds its words."""
    named = index if isinstance(index, int) and 0 <= index < len(view.parts) else None
    if named is not None and text in view.parts[named][1]:
        return named
    shares = [share_within(text, said) for said in view.plain]
    best = max(range(len(shares)), key=lambda i: shares[i], default=0)
    return named if named is not None and shares[named] >= shares[best] else best
