"""The type of a pattern for claims, and how a table of them is compiled."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Shape(NamedTuple):
    """One way to say something about oneself.

    `pattern` has placeholders in braces for the subject and other common parts; its
    groups `thing` and `value` become the key and the value of the claim.  `says` is the fact in
    the third person, with {who} and the groups.  `mark` is the value of a shape whose words are
    not one (likes and dislikes of a thing, having it and losing it).
    """

    slot: str
    pattern: str
    says: str
    mark: str = ""


Reading = tuple[tuple[Shape, re.Pattern[str]], ...]


def compiled(shapes: Sequence[Shape], parts: Mapping[str, str]) -> Reading:
    """Fill the placeholders of every shape, whose whole clause has to match."""
    return tuple((shape, _filled(shape.pattern, parts)) for shape in shapes)


def _filled(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    """Fill one pattern; parts may name parts that stand after them in the mapping."""
    for name, part in parts.items():
        pattern = pattern.replace(f"{{{name}}}", part)
    return re.compile(pattern + r"\Z", re.IGNORECASE)


def listed(words: str) -> str:
    """Turn "word word …" into an alternation, longest first; a _ stands for a space."""
    found = sorted(words.split(), key=len, reverse=True)
    return "|".join(re.escape(word).replace("_", r"\s") for word in found)
