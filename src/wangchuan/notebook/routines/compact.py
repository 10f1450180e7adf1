"""Compact: from a long history to the little that has to stay at hand.

This is attention, and it is the model's: what weighs how much, what early and late mean, is in the
prompt and nowhere in code. Code only checks what came back. An answer must be shorter than the
history and made of it; events that score 7 or more and are missing are added; if most of them are
missing the answer is no use. The history goes in one question, or, for a model with a small
window, in several, each with what was compacted so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.language.attention import Line, important, plain_log
from wangchuan.language.text import language, words
from wangchuan.language.tokens import tokens
from wangchuan.models.seam import TEXT, Ask, object_of
from wangchuan.routines.framing import WARNING, framed
from wangchuan.routines.grounding import plain, share_within
from wangchuan.routines.replies import as_mapping, as_text, first_of
from wangchuan.types import Message

ROUTINE = "compact"
GROUNDED = 0.5  # the share of the answer's telling words that must come from the history
PRESENT = 0.6  # the share of an event's telling words by which it counts as kept
MISSED = 0.5  # beyond this share of missing events an answer is no use
SAMPLE = 20_000  # characters that tell the language
MOST_WRITTEN = 16_384  # tokens of an answer

COMPRESS_PROMPT = (
    "\n压缩以下对话历史，应用注意力机制选择重要信息。\n"
    "\n## 重要性评分（优先保留）\n"
    "- 错误修复和解决方案：极其重要（10分）\n"
    "- 文件创建/修改操作：非常重要（8分）  \n"
    "- 测试结果和验证：重要（7分）\n"
    "- 关键决策和发现：重要（6分）\n"
    "- 状态变化：中等重要（5分）\n"
    "- 普通思考过程：不重要（2分）\n"
    "\n## 时间敏感性\n"
    "- 最近的操作：保留更多细节\n"
    "- 早期的讨论：只保留结论\n"
    "- 重复的内容：只保留最新版本\n"
    "\n## 压缩原则\n"
    "1. 保留所有高分（>6分）事件\n"
    "2. 删除重复思考和冗余解释\n"
    "3. 保留因果链：问题→解决→结果\n"
    "4. 忽略中间调试信息，只保留最终状态\n"
    "5. 保持时间顺序和逻辑连贯性\n"
    "\n输出紧凑的结构化记忆，包含状态和关键事件。\n"
)
FORM = (
    "messages 是对话历史，before 是此前的压缩记忆（须并入）。保持原文的语言和用词，"
    '不添加原文没有的内容。只输出 JSON：{"memory": "压缩记忆"}。'
)
# The document's own choice of model, as settings; temperature 0 and the prompt are fixed here.
COMPRESS_CONFIG = {
    "compact_model_url": "https://openrouter.ai/api/v1",
    "compact_model_name": "google/gemini-2.0-flash-001",
}
SCHEMA = object_of(memory=TEXT)
ADDED = {"zh": "补记", "en": "Also"}

Said = Mapping[str, Any]  # role, name and content of a message


def as_said(messages: Sequence[Message]) -> list[Said]:
    """Return messages as the data of a question."""
    return [{"role": m.role, "name": m.name, "content": m.content} for m in messages if m.content]


def ask(messages: Sequence[Said], before: str, target: int) -> Ask:
    """Return the question for a history."""
    return Ask(
        ROUTINE,
        {"messages": list(messages), "before": before, "target": target},
        instructions=f"{COMPRESS_PROMPT}\n{FORM}\n{WARNING['zh']}",
        prompt=framed({"before": before, "messages": list(messages)}),
        schema=SCHEMA,
        most_tokens=min(MOST_WRITTEN, 2 * target),
    )


def read(answer: Any, messages: Sequence[Said], before: str) -> str:
    """Return the compact memory of an answer, or raise UnusableAnswer."""
    names = ("memory", "compact", "compact_memory", "summary", "记忆", "压缩记忆")
    text = as_text(first_of(as_mapping(answer), names))
    history = "\n".join([before, plain_log(messages)])
    if not text:
        raise UnusableAnswer("compact: nothing came back")
    if tokens(text) > tokens(history):
        raise UnusableAnswer(f"compact: {tokens(text)} tokens came back for {tokens(history)}")
    grounded = share_within(text, plain(history))
    if grounded < GROUNDED:
        raise UnusableAnswer(f"compact: only {grounded:.0%} of the answer is in the history")
    return _completed(text, important(messages, before))


def missing_from(text: str, events: Sequence[Line]) -> list[Line]:
    """Return the events that a compact memory does not tell of."""
    said = plain(text)
    own = _own_words(events)
    return [
        event
        for event in events
        if share_within(event.text, said) < PRESENT or not all(w in said for w in own[event.place])
    ]


def _own_words(events: Sequence[Line]) -> dict[int, list[str]]:
    """Return, for events that others are much like, the words by which each can be told apart."""
    told = {event.place: (plain(event.text), event) for event in events}
    found = {}
    for place, (_, event) in told.items():
        near = [one for n, (one, _) in told.items() if n != place and one]
        alike = [one for one in near if share_within(event.text, one) >= PRESENT]
        parts = [plain(word.text) for word in words(event.text)] if alike else []
        found[place] = [w for w in parts if w and not all(w in one for one in alike)]
    return found


def _completed(text: str, events: Sequence[Line]) -> str:
    """Return a compact memory with the important events it left out."""
    missing = missing_from(text, events)
    if len(missing) > MISSED * len(events):
        raise UnusableAnswer(f"compact: {len(missing)} of {len(events)} important events are gone")
    if not missing:
        return text
    added = "\n".join(f"- [{event.score}] {event.text}" for event in missing)
    return f"{text}\n## {ADDED[language(text[:SAMPLE])]}\n{added}"


def windows(messages: Sequence[Said], most: int) -> Iterator[list[Said]]:
    """Cut a history into parts of at most so many tokens each (0: one part)."""
    if not most:
        yield list(messages)
        return
    part: list[Said] = []
    room = most
    for piece in (piece for message in messages for piece in _cut(message, most)):
        size = tokens(str(piece["content"]))
        if part and size > room:
            yield part
            part, room = [], most
        part.append(piece)
        room -= size
    if part:
        yield part


def _cut(message: Said, most: int) -> Iterator[Said]:
    """Cut a message that is longer than a window, between lines if it has any."""
    text = str(message["content"])
    while tokens(text) > most:
        length = max(1, len(text) * most // tokens(text))
        end = text.rfind("\n", length // 2, length) + 1 or length
        yield {**message, "content": text[:end]}
        text = text[end:]
    if text:
        yield {**message, "content": text}
