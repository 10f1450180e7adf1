"""What SQLite is taught to read and write of its own rows: texts that are kept packed."""

from __future__ import annotations

import apsw

from wangchuan.storage.packing import NOTES, opened, packed


def teach(connection: apsw.Connection) -> None:
    """Let statements of a connection fold and unfold texts."""
    connection.create_scalar_function("folded", _folded, 1, deterministic=True)
    connection.create_scalar_function("unfolded", _unfolded, 1, deterministic=True)


def _folded(*texts: apsw.SQLiteValue) -> apsw.SQLiteValue:
    """Return a text packed, if that is shorter; anything else as it is."""
    text = texts[0]
    if not isinstance(text, str):
        return text
    short = packed(text, NOTES)
    return short if len(short) < len(text) else text


def _unfolded(*kept: apsw.SQLiteValue) -> apsw.SQLiteValue:
    """Return the text that was packed; anything else as it is."""
    blob = kept[0]
    return opened(blob, NOTES) if isinstance(blob, bytes) else blob
