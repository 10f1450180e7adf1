"""The types behind the patterns for claims, and how a table of them is compiled."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from wangchuan.patterns import regex
from wangchuan.types import value

Caught = Mapping[str, str]  # what the groups of a shape caught, "" for those that caught nothing


class Shape(NamedTuple):
    """One way to say something about oneself.

    `says` is the fact in the third person, with {who} or {whose} and the groups of the pattern.
    `pattern` has placeholders in braces for the subject and other common parts; its groups `thing`
    and `value` become the key and the value of the claim.  `mark` is the value of a shape whose
    words are none (liking a thing or not, having it or having lost it).
    """

    slot: str
    says: str
    pattern: str
    mark: str = ""


Reading = tuple[tuple[Shape, re.Pattern[str]], ...]


@value
class Tongue:
    """A language as claims need it.

    `spoken` and `stored` give the shapes for the first person and for a name.  `lead` matches the
    padding before a clause, `subject` its subject and the padding after that, `tail` the padding
    at its end, `opens` what a clause about its speaker begins with.  `pointing` finds words that
    mean something only where they are said, `future` times that have not come.  `checks` tell for
    a slot whether what was caught can be meant.
    """

    spoken: Callable[[], Reading]
    stored: Callable[[], Reading]
    lead: re.Pattern[str]
    subject: re.Pattern[str]
    tail: re.Pattern[str]
    opens: re.Pattern[str]
    promise: re.Pattern[str]
    offer: re.Pattern[str]
    pointing: re.Pattern[str]
    future: re.Pattern[str]
    checks: Mapping[str, Callable[[Caught], bool]]
    things: Callable[[str], list[str]]
    bare: Callable[[str], str]
    polished: Callable[[str], str]


def compiled(shapes: Sequence[Shape], parts: Mapping[str, str]) -> Reading:
    """Fill the placeholders of every shape, which has to match to the end of a clause."""
    return tuple((shape, _filled(shape.pattern, parts)) for shape in shapes)


def _filled(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    """Fill one pattern; a part may hold parts that stand after it in the mapping."""
    for name, part in parts.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return regex(pattern + r"\Z", re.IGNORECASE)


def listed(words: str) -> str:
    """Turn "word word …" into an alternation, longest first; a _ stands for a space."""
    found = sorted(words.split(), key=len, reverse=True)
    return "|".join(re.escape(word).replace("_", r"\s") for word in found)


def gathered(words: str) -> frozenset[str]:
    """Turn "word word …" into a set."""
    return frozenset(words.split())
