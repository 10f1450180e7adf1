"""Where a term stands, packed into one number.

A spot holds a message's number, its place in its conversation and how many terms it has: all that
ranking needs of a posting, without a look at the message itself. Spots of later messages are
greater.
"""

from __future__ import annotations

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
