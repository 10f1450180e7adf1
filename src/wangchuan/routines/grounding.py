"""Grounding: how much of a text comes from another, and whether it says something else.

A model may move words, resolve a pronoun or drop a filler; it must not add things nobody said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache

from wangchuan.language.numerals import values
from wangchuan.language.saying import FORM, TURNED, Said, plain
from wangchuan.language.text import words

__all__ = ["Said", "covers", "follows", "heard", "is_label", "is_true_to", "plain", "share_within"]

GROUNDED = 1 / 3  # from this share of its words on, a text counts as put in the words of the talk
TELLING = 0.45  # the weight from which a word counts
ROLES = {"user": "user", "用户": "user", "主人": "user", "assistant": "assistant",
         "助手": "assistant"}  # fmt: skip
Spoken = tuple[str, str | None, str]  # role, name, text


def share_within(text: str, source: str, numbers: Set[str] = frozenset()) -> float:
    """Return the share of a text's telling words, by weight, that the (plain) source holds.

    An amount counts as held if its values are among the `numbers` of the source.
    """
    whole = held = 0.0
    bare, telling = _telling(text)
    if bare in source:
        return 1.0
    for word, weight, stated in telling:
        whole += weight
        held += weight if word in source or (stated and stated <= numbers) else 0.0
    return held / whole if whole else 0.0


@lru_cache(64)
def _telling(text: str) -> tuple[str, list[tuple[str, float, set[str]]]]:
    """Return a text as it is compared, and its words that count: weights, and amounts."""
    told = [word for word in words(text) if word.weight >= TELLING]
    counted = [values(w.text, [w]) if w.tag in ("num", "time") else set() for w in told]
    return plain(text), [(plain(w.text), w.weight, n) for w, n in zip(told, counted, strict=True)]


def covers(texts: Iterable[str], source: str) -> float:
    """Return which share of a source's telling words, by weight, occurs in the texts."""
    whole = "\n".join(texts)
    return share_within(source, plain(whole), values(whole))


def heard(
    spoken: Sequence[Spoken], called: Mapping[str, str] | None = None, around: str = ""
) -> Said:
    """Return what was said by whom; `called` maps further names for a role to it."""
    speakers: dict[str, set[str]] = defaultdict(set)
    for one in spoken:
        speakers[one[0]].add(who(one))
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
    """Tell whether a text comes from what was said and keeps its sense."""
    enough = share_within(text, said.plain, said.values) >= share
    return enough and said.contradiction(text, speaker) is None


def follows(said: Said, text: str, *, topics: bool = False) -> bool:
    """Tell whether a text can follow from what was said: nothing in it is made up, or turned round.

    Names, numbers and orders must occur there. A denial or a role is compared where the text is in
    the words of what was said; what is inferred has words of its own. Mere `topics` may have been
    asked about, or supposed.
    """
    trouble = said.contradiction(text)
    if trouble == FORM and topics:
        return True
    if trouble not in (TURNED, FORM):
        return trouble is None
    about = text.casefold()
    for name in said.called:  # which of them it is about is no word of the talk
        about = about.replace(name, " ")
    return share_within(about, said.plain, said.values) < GROUNDED


def is_label(said: Said, text: str, speaker: str = "user") -> bool:
    """Tell whether a label has only words that were said, and keeps their sense."""
    return is_true_to(said, text, 1.0, speaker)
