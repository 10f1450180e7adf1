"""Compact forms: what SQLite keeps short of columns that say much the same in every row.

Statements read and write such a column through an expression, so nobody above sees the short form.
Rows written before there was one are read as they are. The names and their order are part of the
format: further ones may only be added at the end.
"""

from __future__ import annotations

from collections.abc import Iterable

_RELATIONS = """
    mention 关于 下文 上文 question 提到 feeling about contrast 询问 related 相关 plan reason
    感受 计划 转折 原因 addition 补充 decision 决定 correction 更正 example 举例
"""  # by how often they occur
RELATIONS = tuple(_RELATIONS.split())
ENTRIES = ("remembered", "compressed", "passed", "forgotten")  # kinds that no statement names
FIRST = 1  # the character that stands for the first name; none of them can be said


def _coded(names: Iterable[str], column: str) -> str:
    """Return SQL for the short form of a name."""
    cases = (f"WHEN '{name}' THEN '{chr(FIRST + n)}'" for n, name in enumerate(names))
    return f"CASE {column} {' '.join(cases)} ELSE {column} END"


def _named(names: Iterable[str], column: str) -> str:
    """Return SQL for the name that a short form stands for."""
    cases = (f"WHEN '{chr(FIRST + n)}' THEN '{name}'" for n, name in enumerate(names))
    return f"CASE {column} {' '.join(cases)} ELSE {column} END"


NAMES = {("link", "relation"): RELATIONS, ("entry", "kind"): ENTRIES}
PACKED = frozenset({("entry", "detail"), ("job", "progress")})


def reading(dialect: str, kind: str, column: str, prefix: str = "") -> str:
    """Return SQL by which a column of a kind of record is read."""
    place = prefix + column
    if dialect == "sqlite" and (kind, column) in NAMES:
        return f"{_named(NAMES[kind, column], place)} AS {column}"
    if dialect == "sqlite" and (kind, column) in PACKED:
        return f"unfolded({place}) AS {column}"
    return place


def writing(dialect: str, kind: str, column: str) -> str:
    """Return SQL by which a value for a column of a kind of record is written."""
    if dialect == "sqlite" and (kind, column) in NAMES:
        return _coded(NAMES[kind, column], f":{column}")
    if dialect == "sqlite" and (kind, column) in PACKED:
        return f"folded(:{column})"
    return f":{column}"
