"""Compress: shorten texts to given lengths, several in one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.language.fit import fit
from wangchuan.language.text import language, phrase
from wangchuan.language.tokens import tokens
from wangchuan.models.seam import Ask
from wangchuan.routines.framing import WARNING, framed
from wangchuan.routines.grounding import heard, is_label, is_true_to, plain
from wangchuan.routines.replies import as_mapping, as_text, as_words, first_of, items_of

ROUTINE = "compress"
Job = tuple[str, int, tuple[str, ...]]  # text, length in characters, keywords
Short = tuple[str, str, tuple[str, ...]]  # content, phrase, keywords
GROUNDED = 0.6  # the share of a short text's words that must come from the long one
LONGEST_PHRASE = 40
TOO_LONG = 1.1  # beyond this multiple of the length asked for, a model is asked once more

INSTRUCTIONS = {
    "zh": "你负责压缩记忆。把每段文字缩短到不超过 length 个字符，保留最重要的人、物、数字和结论，"
    "只用原文里有的信息，不添加、不翻译、不解释。给出 content（压缩后的文字）、"
    "phrase（10–20 字的短语）、keywords（3–5 个名词）。按原来的顺序，每段一项，只输出 JSON。",
    "en": "You compress memories. Shorten each text to at most `length` characters. Keep the most"
    " important people, things, numbers and conclusions; use only what the text says; add nothing,"
    " translate nothing, explain nothing. Give content (the short text), phrase (a label of a few"
    " words) and keywords (3 to 5 nouns). One item per text, in the same order. Output JSON only.",
}
SCHEMA = {
    "type": "object",
    "properties": {
        "texts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "phrase": {"type": "string"},
                    "keywords": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["content", "phrase", "keywords"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["texts"],
    "additionalProperties": False,
}


def ask(texts: Sequence[Job]) -> Ask:
    """Return the question that shortens all texts."""
    data = [
        {"text": text, "length": length, "keywords": list(words)} for text, length, words in texts
    ]
    tongue = language("\n".join(text for text, _, _ in texts))
    asked = framed([{"text": text, "length": length} for text, length, _ in texts])
    return Ask(
        ROUTINE,
        {"texts": data},
        instructions=f"{INSTRUCTIONS[tongue]} {WARNING[tongue]}",
        prompt=asked,
        schema=SCHEMA,
        most_tokens=200 + tokens(asked) + 60 * len(texts),
    )


def read(answer: Any, texts: Sequence[Job], *, final: bool = True) -> list[Short]:
    """Return a short version of every text, or raise UnusableAnswer.

    A version that says what its text does not is replaced by a cut of the text. One that is much
    too long is refused, unless this is `final`: then whoever asked cuts it.
    """
    given = items_of(answer, ("texts", "items", "results", "memories"))
    if len(given) != len(texts):
        raise UnusableAnswer(f"compress: {len(texts)} texts were asked, {len(given)} came back")
    found = [_short(item, text) for item, text in zip(given, texts, strict=True)]
    for (content, _, _), (_, length, _) in zip(found, texts, strict=True):
        if not final and len(content) > length * TOO_LONG:
            raise UnusableAnswer(f"compress: {len(content)} characters came back for {length}")
    return found


def _short(item: Any, job: Job) -> Short:
    text, length, words = job
    labels = as_mapping(item) or {"content": item}
    content = as_text(first_of(labels, ("content", "text", "summary", "compressed")))
    said = heard([("user", None, text)])
    if not content or len(content) > len(text) or not is_true_to(said, content, GROUNDED):
        content = fit(text, length)
    label = as_text(labels.get("phrase")).splitlines()
    kept = [word for word in as_words(labels.get("keywords")) if plain(word) in said.plain]
    labelled = bool(label) and len(label[0]) <= LONGEST_PHRASE and is_label(said, label[0])
    named = label[0] if labelled else phrase(content)
    return content, named, tuple(kept) or _still_there(words, content)


def _still_there(words: Sequence[str], content: str) -> tuple[str, ...]:
    return tuple(word for word in words if plain(word) in plain(content))
