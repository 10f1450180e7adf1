"""Public ids: `mem_12` is a node, `msg_7` a message, `job_3` a job; inside they are numbers.

An agent's id names its folder. Ids that could leave the root, name two folders on one disk or none
on another are refused rather than rewritten, wherever the agent is kept: it may be moved.
"""

from __future__ import annotations

import unicodedata

from wangchuan.errors import InvalidInput, NotFound, shown

LARGEST = (1 << 63) - 1  # what a database counts up to
NODE, MESSAGE, JOB = "mem_", "msg_", "job_"
LONGEST_ID, LONGEST_NAME = 64, 255
PUNCTUATION = "_-.@+"
RESERVED = {"con", "prn", "aux", "nul", *(f"{p}{i}" for p in ("com", "lpt") for i in "123456789")}
ALLOWED = "letters and digits of any script and the characters _ - . @ +"


def name_of(n: int) -> str:
    """Return the public id of a node."""
    return f"{NODE}{n}"


def message_name(seq: int) -> str:
    """Return the public id of a message to which its author gave none."""
    return f"{MESSAGE}{seq}"


def job_name(seq: int) -> str:
    """Return the public id of a job."""
    return f"{JOB}{seq}"


def number_in(public_id: object, prefix: str) -> int | None:
    """Return the number in a public id; None if it is none with this prefix."""
    if not isinstance(public_id, str) or not public_id.startswith(prefix):
        return None
    digits = public_id.removeprefix(prefix)
    if not (digits.isascii() and digits.isdecimal()):
        return None
    return min(int(digits[:20]), LARGEST)


def number_of(node_id: object) -> int:
    """Return the number of a node by its public id, or raise NotFound."""
    n = number_in(node_id, NODE)
    if n is None:
        raise NotFound(f"{shown(node_id)} is not the id of a memory; ids look like mem_12")
    return n


def checked_id(agent_id: object) -> str:
    """Return an agent id that can name a folder on any system, or raise InvalidInput."""
    if not isinstance(agent_id, str):
        raise InvalidInput(f"an agent id must be a string, not {type(agent_id).__name__}")
    fault = _fault_of(agent_id)
    if fault:
        raise InvalidInput(f"agent id {agent_id!r:.80} {fault}")
    return agent_id


def _fault_of(agent_id: str) -> str | None:
    if not 1 <= len(agent_id) <= LONGEST_ID:
        return f"must have 1 to {LONGEST_ID} characters"
    if not all(c in PUNCTUATION or unicodedata.category(c)[0] in "LMN" for c in agent_id):
        return f"may contain only {ALLOWED}"
    if agent_id[0] == "." or agent_id[-1] == ".":
        return "must not begin or end with a dot"
    if agent_id.split(".")[0].casefold() in RESERVED:
        return "is a name reserved by Windows"
    if not unicodedata.is_normalized("NFC", agent_id):
        return "must be in Unicode normal form C (composed accents)"
    return "is too long for a folder name" if len(agent_id.encode()) > LONGEST_NAME else None
