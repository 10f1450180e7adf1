"""Is it said there? How much of a text comes from another, and whether it says something else.

A model may move words, resolve a pronoun or drop a filler; it must not add things nobody said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from wangchuan.language.numerals import values
from wangchuan.language.saying import Said, clauses, plain
from wangchuan.language.text import Word, words

__all__ = ["Said", "covers", "heard", "is_label", "is_true_to", "plain", "share_within"]

TELLING = 0.45  # the weight from which a word counts
CLAUSE = 0.5  # the part of the share asked of a text that each of its clauses must have
ROLES = {
    "user": "user",
    "用户": "user",
    "主人": "user",
    "assistant": "assistant",
    "助手": "assistant",
}
Spoken = tuple[str, str | None, str]  # role, name, text


def share_within(text: str, source: str, numbers: Set[str] = frozenset()) -> float:
    """Return which share of a text's telling words, by weight, occurs in the (plain) source.

    An amount does, however it is written, if its values are among the `numbers` of the source.
    """
    if plain(text) in source:
        return 1.0
    telling = [word for word in words(text) if word.weight >= TELLING]
    whole = sum(word.weight for word in telling)
    held = [word for word in telling if plain(word.text) in source or _counted(word, numbers)]
    return sum(word.weight for word in held) / whole if whole else 0.0


def _counted(word: Word, numbers: Set[str]) -> bool:
    stated = values(word.text) if numbers and word.tag in ("num", "time") else set()
    return bool(stated) and stated <= numbers


def covers(texts: Iterable[str], source: str) -> float:
    """Return which share of a source's telling words, by weight, occurs in the texts."""
    whole = "\n".join(texts)
    return share_within(source, plain(whole), values(whole))


def heard(
    spoken: Sequence[Spoken], called: Mapping[str, str] | None = None, around: str = ""
) -> Said:
    """Return what was said by whom; `called` maps further names for a role to it."""
    speakers = {role: {who(one) for one in spoken if one[0] == role} for role, _, _ in spoken}
    known = {name: name for people in speakers.values() for name in people}
    for name, role in {**ROLES, **(called or {})}.items():
        people = speakers.get(role, {role})
        known[name.casefold()] = next(iter(people)) if len(people) == 1 else role
    return Said([(who(one), one[2]) for one in spoken], known, around)


def who(spoken: Spoken) -> str:
    """Return who speaks: by name, else by role."""
    role, name, _ = spoken
    return (name or role).casefold()


def is_true_to(said: Said, text: str, share: float, speaker: str = "user") -> bool:
    """Tell whether a text, and each clause of it, comes from what was said and keeps its sense."""
    if share_within(text, said.plain, said.values) < share:
        return False
    runs = [text[run[0].start : run[-1].end] for run in clauses(text, words(text))]
    return (
        all(
            share_within(run, said.plain, said.values) >= share * CLAUSE
            for run in runs
            if any(word.weight >= TELLING for word in words(run))
        )
        and said.contradiction(text, speaker) is None
    )


def is_label(said: Said, text: str, speaker: str = "user") -> bool:
    """Tell whether a label has only words that were said, and keeps their sense."""
    return is_true_to(said, text, 1.0, speaker)
