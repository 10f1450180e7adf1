"""World: what an agent knows of its surroundings, brought up to date after something happened.

There is no schema, on purpose: a debugging session and a negotiation see different worlds, and the
shape of the page is the model's to find (002, 1.4). Only that the words come from the page or from
what was said is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.language.attention import plain_log
from wangchuan.models.seam import TEXT, Ask, object_of
from wangchuan.notebook.routines.compact import Said
from wangchuan.routines.framing import WARNING, framed
from wangchuan.routines.grounding import plain, share_within
from wangchuan.routines.replies import as_mapping, as_text, first_of

ROUTINE = "world"
GROUNDED = 0.5  # the share of the page's telling words that must be known or said
TARGET = 2000  # tokens of the page

INSTRUCTIONS = (
    "你维护一份关于外部世界的状态说明：文件、项目、环境、人和约定。present 是现在的说明，"
    "messages 是刚刚发生的对话。写出更新后的完整说明：保留仍然成立的，"
    "改掉已经变化的，加上新知道的，去掉过时的。"
    "用什么结构由内容决定，不要套用模板。保持原文的语言和用词，不添加没有说过的内容，不写你自己的计划。"
    '只输出 JSON：{"world_state": "说明"}。'
)
SCHEMA = object_of(world_state=TEXT)


def ask(present: str, messages: Sequence[Said]) -> Ask:
    """Return the question that brings a page up to date."""
    return Ask(
        ROUTINE,
        {"present": present, "messages": list(messages), "target": TARGET},
        instructions=f"{INSTRUCTIONS}{WARNING['zh']}",
        prompt=framed({"present": present, "messages": list(messages)}),
        schema=SCHEMA,
        most_tokens=2 * TARGET,
    )


def read(answer: Any, present: str, messages: Sequence[Said]) -> str:
    """Return the page of an answer, or raise UnusableAnswer."""
    text = as_text(first_of(as_mapping(answer), ("world_state", "world", "state", "说明")))
    if not text:
        raise UnusableAnswer("world: nothing came back")
    grounded = share_within(text, plain("\n".join([present, plain_log(messages)])))
    if grounded < GROUNDED:
        raise UnusableAnswer(f"world: only {grounded:.0%} of the answer is known or was said")
    return text
