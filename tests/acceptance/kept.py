"""What is kept of a test's agents, looked at and tampered with behind the library's back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw


def traces(place: Path | str, word: str) -> list[str]:
    """Return the files below a folder, or the tables of a cell, in which a word stands."""
    if isinstance(place, Path):
        files = [path for path in place.rglob("*") if path.is_file()]
        return [path.name for path in files if word.encode() in path.read_bytes()]
    import psycopg

    with psycopg.connect(place) as connection:  # as who may see the rows of every agent
        names = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'wangchuan'"
        ).fetchall()
        forms = [f"%{word}%", f"%{word.encode().hex()}%"]

        def holds(table: str) -> bool:
            found: Any = f"SELECT 1 FROM wangchuan.{table} t WHERE t::text LIKE ANY(%s) LIMIT 1"
            return connection.execute(found, (forms,)).rowcount > 0

        return [name for (name,) in names if holds(name)]


def tamper(place: Path | str, sql: str, agent: str = "default") -> None:
    """Change what is kept of an agent."""
    if isinstance(place, Path):
        connection = apsw.Connection(str(place / agent / "memory.db"))
        connection.execute(sql)
        connection.close()
        return
    import psycopg

    with psycopg.connect(place) as cell:
        cell.execute("SET search_path = wangchuan")
        named = "SELECT set_config('wc.agent', number::text, true) FROM agents WHERE name = %s"
        cell.execute(named, (agent,))
        change: Any = sql
        cell.execute(change)
