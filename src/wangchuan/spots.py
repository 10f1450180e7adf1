"""Terms of the index, and where they stand, packed into one number.

A spot holds a message's number, its place in its conversation and how many terms it has: all that
ranking needs of a posting, without a look at the message itself. Spots of later messages are
greater.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from wangchuan.types import Scalar

PLACE_BITS, LENGTH_BITS = 6, 12
MESSAGE_SHIFT = PLACE_BITS + LENGTH_BITS
PLACES = (1 << PLACE_BITS) - 1  # the last place in a conversation; a longer one is several
LENGTHS = (1 << LENGTH_BITS) - 1  # the greatest length that is told apart


def spot(message: int, place: int, length: int) -> int:
    """Return the spot of a message at a place in its conversation, with so many terms."""
    return message << MESSAGE_SHIFT | place << LENGTH_BITS | min(length, LENGTHS)


def message_at(spot: int) -> int:
    """Return the number of the message at a spot."""
    return spot >> MESSAGE_SHIFT


def is_character(term: str) -> bool:
    """Tell whether a term is a single Chinese character."""
    return len(term) == 1 and not term.isascii()


def tags(session: str | None, metadata: Mapping[str, Scalar]) -> list[str]:
    """Return the terms by which a message is found in its session, and by its metadata.

    No word of a text can be one of them. Numbers that are equal have the same tag.
    """
    pairs: list[tuple[str, Scalar]] = [] if session is None else [("", session)]
    return [_tag(key, value) for key, value in [*pairs, *metadata.items()]]


def _tag(key: str, value: Scalar) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    pair = json.dumps([key, value]).encode()
    return "§" + hashlib.blake2b(pair, digest_size=10).hexdigest()
