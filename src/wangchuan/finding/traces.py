"""What is said of what was forgotten: one sentence each, in the language of the memory."""

from __future__ import annotations

from collections.abc import Iterable

from wangchuan.language.text import language, words
from wangchuan.types import AFTER, BEFORE, REMINDED

FORGOTTEN_LINK = {
    "zh": "与某个已遗忘的事物有关联",
    "en": "There is a link to something I have forgotten",
}
ONCE_KNOWN = {
    "zh": "关于{}，我曾经知道，但现在想不起来了",
    "en": "I once knew something about {}, but it does not come to mind now",
}
SENTENCES = {"zh": "它{}，但我想不起来了", "en": "It {} I can no longer recall"}
SOMETHING = {"zh": "某个事物", "en": "something"}
NOUN = {"zh": "有个{}", "en": "has {} that"}
FOREIGN = {"zh": "与某个事物有联系（{}）", "en": "has a link ({}) to something"}
OWN = {BEFORE: "beginning", AFTER: "continuation", REMINDED: "reminder"}
VERB_TAGS = frozenset({"verb", "light", "key"})
# Names of relations that are no nouns, though some look it, as they stand in a sentence.
FRAMES = {
    "关于": "是关于{}的",
    **{verb: verb + "{}" for verb in ("属于", "提到", "询问", "更正", "反对")},
    **{like: "与{}" + like for like in ("相关", "相同", "相反", "相似", "无关")},
    **{like: "与{}是" + like for like in ("同一人", "同一主题")},
    REMINDED: "让我想起{}",
    "about": "is about {}",
    "mention": "mentions {}",
    "belongs": "belongs to {}",
    "agrees": "agrees with {}",
    "part": "is part of {}",
    "same": "is the same as {}",
    **{like: f"is {like} to {{}}" for like in ("related", "unrelated", "similar")},
    **{verb: verb + " {}" for verb in ("denies", "opposes", "precedes", "quotes")},
}
NOUNS = frozenset(
    (
        "决定",
        "转折",
        "承诺",
        "喜好",
        "对比",
        "answer",
        "cause",
        "feeling",
        "plan",
        "promise",
        "result",
    )
)


def once_knew(relation: str, content: str) -> str:
    """Say that a node has a link of this name to what was forgotten."""
    tongue = language(content)
    name = OWN.get(relation, relation) if tongue == "en" else relation
    return SENTENCES[tongue].format(_predicate(name, tongue))


def _predicate(name: str, tongue: str) -> str:
    """Return what a node does, has or is, by the name of its relation to something."""
    if language(name) != tongue:
        return FOREIGN[tongue].format(name)
    frame = FRAMES.get(name) or _frame(name, tongue)
    if frame is not None:
        return frame.format(SOMETHING[tongue])
    article = "an " if name[0] in "aeiouAEIOU" else "a "
    article = "" if tongue == "zh" or name.endswith("s") else article
    return NOUN[tongue].format(article + name)


def _frame(name: str, tongue: str) -> str | None:
    """Return how a name that is a verb, or ends with a preposition, stands before its object."""
    found = words(name)
    if not found or name in NOUNS:
        return None
    acts = found[0].tag in VERB_TAGS
    if tongue == "zh":
        return name + "{}" if acts else None
    if found[-1].tag == "func" and not acts:
        return f"is {name} {{}}"  # part of
    bent = len(found) > 1 or name.endswith(("s", "ed"))
    return f"{name} {{}}" if acts and bent else None


def once_known(asked: Iterable[str], tongue: str) -> str:
    """Say that what was asked for was known once, and is not at hand any more."""
    quoted = [f"“{word}”" for word in asked]
    return ONCE_KNOWN[tongue].format(("、" if tongue == "zh" else ", ").join(quoted))
