"""Compact forms: columns that SQLite keeps short, because their text stands elsewhere or is common.

Statements read and write such a column through an expression, so nobody above sees the short form.
A text that is part of its node's message, or follows from other columns, is kept as bytes that say
where the text stands. No text has the type of bytes, so the two are told apart. A trigger writes
the text out before its message changes. Rows written before there was a short form are read as they
are. The names and their order are part of the format: new names may only be added at the end.
"""

from __future__ import annotations

from collections.abc import Iterable

_RELATIONS = """
    mention 关于 下文 上文 question 提到 feeling about contrast 询问 related 相关 plan reason
    感受 计划 转折 原因 addition 补充 decision 决定 correction 更正 example 举例
"""  # by how often they occur
RELATIONS = tuple(_RELATIONS.split())
ENTRIES = ("remembered", "compressed", "passed", "forgotten")  # kinds that no statement names
FIRST = 1  # the control character that stands for the first name
SHORTER = 8  # characters; a shorter text takes no more bytes than its place

# How many links there are; how many unbroken ones lead from living nodes to a chosen node.
COUNTED = {
    "sqlite": {
        "links": "(SELECT coalesce(sum(ties_counted(ties)), 0) FROM bundles)",
        "inbound": """(SELECT count(*) FROM (
        SELECT target AS source FROM links WHERE source = chosen.n
        UNION SELECT source FROM oneway WHERE target = chosen.n
     ) l JOIN bundles b ON b.source = l.source JOIN nodes s ON s.n = l.source
     WHERE s.forgotten_at IS NULL AND (s.die_at IS NULL OR s.die_at > :passes)
        AND tie_left(b.ties, chosen.n, $scans(s), :rate) >= :broken)""",
    },
    "postgresql": {
        "links": "(SELECT count(*) FROM links)",
        "inbound": """(SELECT count(*) FROM links l JOIN nodes s ON s.n = l.source
     WHERE l.target = chosen.n AND l.strength > 0 AND l.source IN (
        SELECT target FROM links WHERE source = chosen.n
        UNION SELECT source FROM oneway WHERE target = chosen.n)
        AND s.forgotten_at IS NULL AND (s.die_at IS NULL OR s.die_at > :passes)
        AND l.strength * power(:rate, $scans(s) - l.at_scan) >= :broken)""",
    },
}


def _coded(names: Iterable[str], column: str) -> str:
    """Return SQL for the short form of a name."""
    cases = (f"WHEN '{name}' THEN '{chr(FIRST + n)}'" for n, name in enumerate(names))
    return f"CASE {column} {' '.join(cases)} ELSE {column} END"


def _named(names: Iterable[str], column: str) -> str:
    """Return SQL for the name that a short form stands for."""
    cases = (f"WHEN '{chr(FIRST + n)}' THEN '{name}'" for n, name in enumerate(names))
    return f"CASE {column} {' '.join(cases)} ELSE {column} END"


def spelled(relation: str | None) -> str | None:
    """Return the relation that a short form of format 14 or older stands for."""
    place = ord(relation) - FIRST if relation is not None and len(relation) == 1 else -1
    return RELATIONS[place] if 0 <= place < len(RELATIONS) else relation


def _meant(column: str, meant: str) -> str:
    """Return SQL for a text that may be kept as bytes: then `meant` finds it."""
    return f"CASE typeof({column}) WHEN 'blob' THEN {meant} ELSE {column} END"


_START = "CAST(CAST({0} AS TEXT) AS INTEGER)"
_LENGTH = "CAST(substr(CAST({0} AS TEXT), instr({0}, x'2C') + 1) AS INTEGER)"
_ID = """'["' || coalesce(said.id, 'msg_' || said.seq) || '"]'"""


def _of_message(told: str, message: str) -> str:
    return f"(SELECT {told} FROM messages said WHERE said.seq = {message})"


def _original(place: str) -> str:
    """Return SQL for the text that was cut from a message, by its start and length."""
    column = f"{place}original"
    part = f"substr(said.content, {_START}, {_LENGTH})".format(column)
    return _meant(column, _of_message(part, f"{place}message"))


def _sources(place: str) -> str:
    return _meant(f"{place}sources", _of_message(_ID, f"{place}message"))


def _phrase(place: str) -> str:
    return _meant(f"{place}phrase", f"coalesce({place}content, {_original(place)})")


READ = {"original": _original, "sources": _sources, "phrase": _phrase}  # of a node
_WRITTEN = {
    "original": f"""coalesce((
        SELECT CAST(instr(said.content, :original) || ',' || length(:original) AS BLOB)
        FROM messages said WHERE said.seq = :message AND length(:original) >= {SHORTER}
            AND substr(said.content, instr(said.content, :original), length(:original)) = :original
    ), :original)""",
    "sources": f"CASE :sources WHEN {_of_message(_ID, ':message')} THEN x'' ELSE :sources END",
    "phrase": "CASE :phrase WHEN coalesce(:content, :original) THEN x'' ELSE :phrase END",
}
NAMES = {("entry", "kind"): ENTRIES}
PACKED = frozenset({("entry", "detail"), ("job", "progress")})


def read(dialect: str, kind: str, column: str, prefix: str = "") -> str:
    """Return SQL for the value of a column of a kind of record."""
    place = prefix + column
    if dialect == "sqlite" and (kind, column) in NAMES:
        return _named(NAMES[kind, column], place)
    if dialect == "sqlite" and (kind, column) in PACKED:
        return f"unfolded({place})"
    if dialect == "sqlite" and kind == "node" and column in READ:
        return READ[column](prefix)
    return place


def reading(dialect: str, kind: str, column: str, prefix: str = "") -> str:
    """Return SQL by which a column of a kind of record is read under its own name."""
    told = read(dialect, kind, column, prefix)
    return told if told == prefix + column else f"{told} AS {column}"


def writing(dialect: str, kind: str, column: str) -> str:
    """Return SQL by which a value for a column of a kind of record is written."""
    if dialect == "sqlite" and (kind, column) in NAMES:
        return _coded(NAMES[kind, column], f":{column}")
    if dialect == "sqlite" and (kind, column) in PACKED:
        return f"folded(:{column})"
    if dialect == "sqlite" and kind == "node":
        return _WRITTEN.get(column, f":{column}")
    return f":{column}"
