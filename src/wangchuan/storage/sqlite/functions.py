"""What SQLite is taught to read and write of its own rows: packed texts, and bundles of links."""

from __future__ import annotations

from typing import Any

import apsw

from wangchuan.storage.packing import NOTES, opened, packed
from wangchuan.storage.sqlite import bundles

OF_BUNDLES: tuple[tuple[str, Any, int], ...] = (  # name, function, how many values it is given
    ("ties_told", bundles.told, 1),
    ("ties_counted", bundles.size, 1),
    ("ties_hold", bundles.leads_to, 2),
    ("tie_left", bundles.left, 4),
    ("tied", bundles.tied, 2),
    ("untied", bundles.untied, 2),
)


def teach(connection: apsw.Connection) -> None:
    """Let statements of a connection fold and unfold texts, and read and write bundles."""
    connection.create_scalar_function("folded", _folded, 1, deterministic=True)
    connection.create_scalar_function("unfolded", _unfolded, 1, deterministic=True)
    for name, function, given in OF_BUNDLES:
        connection.create_scalar_function(name, function, given, deterministic=True)


def _folded(*texts: apsw.SQLiteValue) -> apsw.SQLiteValue:
    """Return a text packed, if packing makes it shorter; any other value as it is."""
    text = texts[0]
    if not isinstance(text, str):
        return text
    short = packed(text, NOTES)
    return short if len(short) < len(text) else text


def _unfolded(*kept: apsw.SQLiteValue) -> apsw.SQLiteValue:
    """Return the text of a packed value; any other value as it is."""
    blob = kept[0]
    return opened(blob, NOTES) if isinstance(blob, bytes) else blob
