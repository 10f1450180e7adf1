"""Messages: taking them in, and telling a person's words from what stands around them."""

from wangchuan.messages.taking import (
    LONGEST_CALL,
    LONGEST_MESSAGE,
    ROLES,
    admitted,
    at_once,
    checked,
    flat,
    ids_of,
    storable,
    wanted_tags,
)
from wangchuan.messages.wrapping import (
    BLOCK_CLOSE,
    BLOCK_OPEN,
    as_block,
    as_written,
    without_blocks,
)

__all__ = [
    "BLOCK_CLOSE",
    "BLOCK_OPEN",
    "LONGEST_CALL",
    "LONGEST_MESSAGE",
    "ROLES",
    "admitted",
    "as_block",
    "as_written",
    "at_once",
    "checked",
    "flat",
    "ids_of",
    "storable",
    "wanted_tags",
    "without_blocks",
]
