"""Compress: shorten texts to given lengths, several in one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wangchuan.errors import UnusableAnswer
from wangchuan.language.fit import fit
from wangchuan.language.labels import phrase
from wangchuan.language.text import language
from wangchuan.language.tokens import tokens
from wangchuan.models.seam import TEXT, WHOLE, Ask, ByRule, list_of, object_of
from wangchuan.routines.framing import WARNING, framed
from wangchuan.routines.grounding import heard, is_label, is_true_to, plain
from wangchuan.routines.replies import as_mapping, as_text, as_words, first_of, items_of

ROUTINE = "compress"
Job = tuple[str, int, tuple[str, ...]]  # text, length in characters, keywords
Short = tuple[str, str, tuple[str, ...]]  # content, phrase, keywords
GROUNDED = 0.6  # the share of a short text's words that must come from the long one
LONGEST_PHRASE = 40
AT_ONCE = 8  # texts of one question: new messages wait for no more than that
TOO_LONG = 1.1  # beyond this multiple of the length asked for, a model is asked once more

INSTRUCTIONS = {
    "zh": "你负责压缩记忆。把每段文字缩短到不超过 length 个字符，保留最重要的人、物、数字和结论，"
    "只用原文里有的信息，不添加、不翻译、不解释。给出 n（原文的编号）、content（压缩后的文字）、"
    "phrase（10–20 字的短语）、keywords（3–5 个名词）。按原来的顺序，每段一项，只输出 JSON。",
    "en": "You compress memories. Shorten each text to at most `length` characters. Keep the most"
    " important people, things, numbers and conclusions; use only what the text says; add nothing,"
    " translate nothing, explain nothing. Give n (the number of the text), content (the short"
    " text), phrase (a label of a few words) and keywords (3 to 5 nouns). One item per text, in the"
    " same order. Output JSON only.",
}
_SHORT = object_of(n=WHOLE, content=TEXT, phrase=TEXT, keywords=list_of(TEXT))
SCHEMA = object_of(texts=list_of(_SHORT))


def ask(texts: Sequence[Job]) -> Ask:
    """Return the question that shortens all texts."""
    data = [
        {"text": text, "length": length, "keywords": list(words)} for text, length, words in texts
    ]
    tongue = language("\n".join(text for text, _, _ in texts))
    numbered = enumerate(texts, 1)
    asked = framed([{"n": n, "text": text, "length": length} for n, (text, length, _) in numbered])
    return Ask(
        ROUTINE,
        {"texts": data},
        instructions=f"{INSTRUCTIONS[tongue]} {WARNING[tongue]}",
        prompt=asked,
        schema=SCHEMA,
        most_tokens=200 + tokens(asked) + 60 * len(texts),
    )


def read(answer: Any, texts: Sequence[Job], *, final: bool = True) -> list[Short | None]:
    """Return a short version of every text, None for a missing one; raises UnusableAnswer.

    A version that adds to its text is replaced by a cut of the text. A version that is much too
    long counts as missing, unless this is `final`: then the caller cuts it.
    """
    given = _by_number(items_of(answer, ("texts", "items", "results", "memories")), texts)
    short = _by_rule if isinstance(answer, ByRule) else _short
    found = [short(given[n], job) if n in given else None for n, job in enumerate(texts, 1)]
    for n, (made, (_, length, _)) in enumerate(zip(found, texts, strict=True)):
        if made and not final and len(made[0]) > length * TOO_LONG:
            found[n] = None
    if not any(found):
        raise UnusableAnswer(f"compress: of {len(texts)} texts none came back short enough")
    return found


def _by_number(items: list[Any], texts: Sequence[Job]) -> dict[int, Any]:
    """Return items by the number of their text: as given, else by place if all are there.

    If some items are missing, one without a number goes to the first text it can be of.
    """
    numbered = {n: item for item in items if type(n := as_mapping(item).get("n")) is int}
    if len(numbered) == len(items):
        return numbered
    if len(items) == len(texts):
        return dict(enumerate(items, 1))
    left, given = iter(enumerate(texts, 1)), {}
    for item in items:
        content = _content(item)
        for n, (text, _, _) in left:
            if content and is_true_to(heard([("user", None, text)]), content, GROUNDED):
                given[n] = item
                break
    return given


def _content(item: Any) -> str:
    labels = as_mapping(item) or {"content": item}
    return as_text(first_of(labels, ("content", "text", "summary", "compressed")))


def _by_rule(item: Any, job: Job) -> Short:
    """Return a short text that was cut from the long one: it needs no comparing."""
    text, length, words = job
    content, source = as_text(item["content"]) or fit(text, length), plain(text)
    kept = tuple(word for word in as_words(item["keywords"]) if plain(word) in source)
    return content, item["phrase"], kept or _still_there(words, content)


def _short(item: Any, job: Job) -> Short:
    text, length, words = job
    content, labels, said = _content(item), as_mapping(item), heard([("user", None, text)])
    if not content or len(content) > len(text) or not is_true_to(said, content, GROUNDED):
        content = fit(text, length)
    label = as_text(labels.get("phrase")).splitlines()
    kept = [word for word in as_words(labels.get("keywords")) if plain(word) in said.plain]
    labelled = bool(label) and len(label[0]) <= LONGEST_PHRASE and is_label(said, label[0])
    named = label[0] if labelled else phrase(content)
    return content, named, tuple(kept) or _still_there(words, content)


def _still_there(words: Sequence[str], content: str) -> tuple[str, ...]:
    return tuple(word for word in words if plain(word) in plain(content))
