"""Summarise: turn the oldest messages of the working memory into an episode."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.language.labels import beginning
from wangchuan.language.terms import terms
from wangchuan.language.text import language
from wangchuan.language.tokens import tokens
from wangchuan.models.offline import summarise as by_rules
from wangchuan.models.seam import TEXT, Ask, ByRule, object_of
from wangchuan.routines.framing import WARNING, framed
from wangchuan.routines.grounding import follows, heard, plain
from wangchuan.routines.replies import as_mapping, as_text, first_of

ROUTINE = "summarise"
LONGEST = 200  # characters
_TOPICS = re.compile(r"[、，,;；。] ?| and |\. ")
LATEST = 253_370_764_800.0  # the beginning of the year 9999: calendars end there
OPENING = {"zh": "聊了", "en": "talked about "}

INSTRUCTIONS = {
    "zh": "用一句话概括下面的对话聊了哪些事，以“聊了”开头，列出主题，不超过 60 字，"
    "只用对话里有的信息，不要时间。放在 summary 里，只输出 JSON。",
    "en": 'Say in one sentence what this conversation was about. Begin with "talked about", list'
    " the topics, at most 40 words, only what was said, no time. Put it into `summary`; output"
    " JSON only.",
}
SCHEMA = object_of(summary=TEXT)


def ask(said: Sequence[tuple[str, str]]) -> Ask:
    """Return the question what a piece of conversation, as (speaker, text), was about."""
    tongue = _tongue(said)

    def prompt() -> str:
        return framed([{"who": who, "said": text} for who, text in said])

    return Ask(
        ROUTINE,
        {"texts": [text for _, text in said], "said": [list(one) for one in said]},
        instructions=f"{INSTRUCTIONS[tongue]} {WARNING[tongue]}",
        prompt=prompt,
        schema=SCHEMA,
        most_tokens=lambda: 200 + min(tokens(prompt()), 200),
    )


def read(answer: Any, said: Sequence[tuple[str, str]]) -> str:
    """Return the summary, without topics that nobody spoke of.

    If nothing is left, the rules' summary takes its place. Raises UnusableAnswer.
    """
    if isinstance(answer, ByRule):
        return beginning(str(answer["summary"]), LONGEST)
    fields = as_mapping(answer) or {"summary": answer}
    text = " ".join(as_text(first_of(fields, ("summary", "text", "content"))).split())
    opening = OPENING[_tongue(said)]
    opened = text.startswith((opening, opening.capitalize()))
    about = (text[len(opening) :] if opened else text).strip()
    source = heard([(who, None, text) for who, text in said])
    if not about or not (terms(about) or plain(about) in source.plain):
        raise UnusableAnswer("summarise: the summary says nothing")
    if follows(source, about, topics=True):
        return beginning(opening + about, LONGEST)
    parts = _TOPICS.split(about)
    held = [part for part in parts if part and follows(source, part, topics=True)]
    if not held or len(parts) == 1:
        rules: str = by_rules({"texts": [text for _, text in said], "said": said})["summary"]
        return beginning(rules, LONGEST)
    joint = "、" if opening == OPENING["zh"] else ", "
    return beginning(opening + joint.join(held), LONGEST)


def titled(at: float, summary: str) -> str:
    """Return the text of an episode: when it was, by the local clock, and what it was about."""
    return f"[{datetime.fromtimestamp(min(at, LATEST)):%Y-%m-%d %H:%M}] {summary}"


def _tongue(said: Sequence[tuple[str, str]]) -> str:
    return language("\n".join(text for _, text in said))
