"""Packing: values as JSON, deflated, small where they are short and alike.

`WORDS` is what packed values have in common. It is part of the format: a change of it would make
what was packed before unreadable.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from wangchuan.errors import StorageError

RAW = -15  # deflate without a frame: a few bytes less for each
WORDS = (
    b'["evidence",[["focus",[0],["fact",[{"node":,"weight":0.5,"used_at":17,"aged":0,"source":'
    b'"background_ai","verified":0,"topic":"","successor":null,"review":null}["link",[{"source":,'
    b'"target":,"strength":1.0,"at_scan":0,"relation":"mention"}],["lifecycle",[{"node":,'
    b'"cold_since":,"merge_with":null,"delete_eligible":0}[["node",[1],null,{"n":1,"kind":'
    b'"segment","job":1,"original":"","sources":"[\\"msg_1\\"]","created_at":17,"message":1,'
    b'"content":null,"phrase":"","keywords":"[\\"\\"]","scans":0,"since_pass":null,"fade_at":null,'
    b'"due_at":null,"die_at":null,"kept":0,"forgotten_at":null,"reason":null},{"content":"",'
    b'"phrase":"","keywords":"[]","scans":1,"since_pass":1,"fade_at":1,"due_at":1,"die_at":1}]],'
    b'"since_pass":null,"fade_at":null,"due_at":null,"die_at":null,"forgotten_at":17,'
    b'"reason":"faded"}]]"slot reused"}]]"on request"}]]'
)


NOTES = (  # words that details of the journal and the progress of jobs have in common
    b'{"text":"","source":"user","kept":true,"words":"","messages":[]}{"reason":"faded","focus":[,'
    b'"others":[],"limit":5,"mentioned":[],"related":[]}{"message":1,"offset":0,"first":1,"last":,'
    b'{"relations":["question",5]}{"relations":["\xe5\x85\xb3\xe4\xba\x8e",5]}{"job":1,"relations":'
    b'["mention",5]}{"job":1}{"before":[" "," ",[" "," "]],"length":10,"swept":true}'
)


DAMAGED = (
    "the database is damaged: what was kept of a change or an entry cannot be read; restore a copy"
    " of the folder"
)


def packed(text: str, words: bytes = WORDS) -> bytes:
    """Return a text packed."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, RAW, 9, zdict=words)
    return deflate.compress(text.encode("utf-8", "surrogatepass")) + deflate.flush()


def unpacked(blob: bytes) -> Any:
    """Return the value of a packed JSON text. Raises StorageError if the bytes are damaged."""
    try:
        return json.loads(opened(blob))
    except ValueError as error:
        raise StorageError(DAMAGED) from error


def opened(blob: bytes, words: bytes = WORDS) -> str:
    """Return the text of packed bytes. Raises StorageError if they are damaged."""
    inflate = zlib.decompressobj(RAW, zdict=words)
    try:
        return (inflate.decompress(blob) + inflate.flush()).decode("utf-8", "surrogatepass")
    except (zlib.error, ValueError) as error:
        raise StorageError(DAMAGED) from error
