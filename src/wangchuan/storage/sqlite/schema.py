"""The format of the database: versioned migrations, applied in order, with a copy made first.

A migration is a file `migrations/NNNN_name.sql`. The number of the newest is the format version,
kept in SQLite's own `user_version`. A database that is newer than this code is refused untouched.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import apsw

from wangchuan.errors import NewerFormat, StorageError
from wangchuan.storage import files as private
from wangchuan.storage.compact import spelled
from wangchuan.storage.locks import FileLock
from wangchuan.storage.packing import packed
from wangchuan.storage.sqlite.bundles import Tie, bundled

T = TypeVar("T")
BUSY_TRIES = 600
PAGE = 2048  # bytes of a page of a new database: every table takes one, however empty


@cache
def migrations() -> tuple[str, ...]:
    """Return the SQL of all migrations, oldest first."""
    files = sorted((Path(__file__).parent / "migrations").glob("*.sql"))
    return tuple(file.read_text(encoding="utf-8") for file in files)


def prepare(connection: apsw.Connection, path: Path, steps: tuple[str, ...] | None = None) -> None:
    """Bring a database to the present format, or raise NewerFormat or StorageError."""
    steps = migrations() if steps is None else steps
    try:
        if _version(connection, path, len(steps)) == len(steps):
            _restore_log(connection)
            return
        if connection.readonly("main"):
            raise StorageError(
                f"{path} is of an older format and read-only: open it once where it can be written"
            )
        with FileLock(path.with_name("open.lock")):
            _migrate(connection, path, steps)
    except (apsw.Error, OSError) as error:
        raise StorageError(
            f"cannot use {path}: {error}. If it is damaged, restore a copy of the folder;"
            " nothing was changed."
        ) from error


def _restore_log(connection: apsw.Connection) -> None:
    """Go back to the write-ahead log, if one who wanted to be alone died before doing so."""
    if not connection.readonly("main") and connection.pragma("journal_mode") != "wal":
        _patiently(lambda: connection.pragma("journal_mode", "wal"))


def _version(connection: apsw.Connection, path: Path, newest: int) -> int:
    version: int = _patiently(lambda: connection.pragma("user_version"))
    if version > newest:
        raise NewerFormat(
            f"{path} has format {version}, this version of Wangchuan knows up to {newest}:"
            " upgrade Wangchuan. Nothing was changed."
        )
    return version


def _migrate(connection: apsw.Connection, path: Path, steps: tuple[str, ...]) -> None:
    version = _version(connection, path, len(steps))
    if version == len(steps):
        return
    if not version:
        connection.pragma("page_size", PAGE)
    else:
        _copy(connection, path.with_name(f"{path.name}.format{version}"))
    _patiently(lambda: connection.pragma("journal_mode", "wal"))
    grow(connection, steps, version)


def grow(connection: apsw.Connection, steps: tuple[str, ...], version: int = 0) -> None:
    """Apply the migrations after a version, each in a transaction."""
    connection.create_scalar_function("packed", _packed, 1, deterministic=True)
    connection.create_aggregate_function("bundled", lambda: ([], _step, bundled), 4)
    for number, step in enumerate(steps[version:], version + 1):
        with connection:
            connection.execute(step)
            connection.pragma("user_version", number)


def _step(ties: list[Tie], *link: Any) -> None:
    """Gather a link, whose relation may stand as the character that names it."""
    target, strength, at_scan, relation = link
    ties.append(Tie(target, strength, at_scan, spelled(relation)))


def _packed(*texts: Any) -> Any:
    return packed(texts[0])


def _copy(connection: apsw.Connection, target: Path) -> None:
    target.unlink(missing_ok=True)
    private.make_file(target)
    connection.execute("VACUUM INTO ?", (str(target),))


def _patiently(step: Callable[[], T]) -> T:
    """Retry while another process holds the file in a way the busy timeout does not cover."""
    for _ in range(BUSY_TRIES):
        try:
            return step()
        except apsw.BusyError:
            time.sleep(0.05)
    return step()
