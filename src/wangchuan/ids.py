"""Public ids: `mem_12` is a node, `msg_7` a message, `job_3` a job. Inside they are numbers."""

from __future__ import annotations

from wangchuan.arguments import shown
from wangchuan.errors import NotFound

LARGEST = (1 << 63) - 1  # what a database counts up to
NODE, MESSAGE, JOB = "mem_", "msg_", "job_"


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
