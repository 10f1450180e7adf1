"""Scrubbing: destroying the bytes that deleted rows leave behind, and whole folders."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from wangchuan.errors import StorageError
from wangchuan.patterns import later
from wangchuan.storage.files import DRAFT, sync_folder, tidy
from wangchuan.storage.sqlite import forking

if TYPE_CHECKING:
    import shutil
else:
    shutil = later("shutil")

CHUNK_BYTES = 1 << 22  # of a database, read at once
ALONE_MS = 2_000  # how long other programs are waited for
LOOK_SECONDS = 0.02  # how often it is looked whether other users are gone
GOING = ".erased-"  # begins the name of a folder that is being destroyed; no agent's does


def scrubbed(connection: apsw.Connection, vfs: str | None = None) -> bool:
    """Rewrite a database and its log without deleted rows; False if a reader hinders it.

    SQLite does not sync the emptied log: after a power cut the log could have its old bytes again.
    So the log is synced here. Opening and closing it does no harm: nobody locks the log.
    """
    for table in ("spoken", "kept"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    connection.execute("VACUUM")
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    log = Path(f"{connection.filename}-wal")
    if not busy and log.exists():
        _sync(log, vfs)
    return not busy


def _sync(log: Path, vfs: str | None) -> None:
    file = apsw.VFSFile(vfs or "", str(log), [apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_READWRITE, 0])
    try:
        file.xSync(apsw.SQLITE_SYNC_FULL)
    finally:
        file.xClose()


def is_open_elsewhere(database: Path) -> bool:
    """Tell whether another user keeps a database open for longer than a moment.

    A thread of ours may be closing the database, and SQLite itself does not wait for that thread.
    """
    until = time.monotonic() + ALONE_MS / 1000
    while taken := _is_open_elsewhere(database):
        if time.monotonic() >= until:
            break
        time.sleep(LOOK_SECONDS)
    return taken


def _is_open_elsewhere(database: Path) -> bool:
    try:
        with forking.forks.gate, closing(apsw.Connection(str(database))) as connection:
            connection.set_busy_timeout(ALONE_MS)
            alone = str(connection.pragma("journal_mode", "delete")) == "delete"
            connection.pragma("journal_mode", "wal")  # only a single user can leave WAL mode
            return not alone
    except apsw.BusyError:
        return True
    except (apsw.NotADBError, apsw.CorruptError):
        return False  # nobody works with a file that is no database


def drop_copies(database: Path) -> int:
    """Delete the copies that migrations made and killed writers left; return how many."""
    copies = list(database.parent.glob(f"{database.name}.format*"))
    for copy in copies:
        copy.unlink(missing_ok=True)
    if copies:
        sync_folder(database.parent)
    return len(copies) + tidy(database.parent, f"*{DRAFT}")


def destroy(folder: Path, database: Path) -> int:
    """Destroy a folder with all its files; return how many there were.

    The folder is renamed first, in one step: after a crash the agent is gone all the same, and
    `finish_destroying` does the rest.
    """
    if folder.is_symlink():
        raise StorageError(f"{folder} is a link; erase what it leads to by hand")
    taken = StorageError(f"another program has {database} open: close it there, then try again")
    if is_open_elsewhere(database):
        raise taken
    count = sum(path.is_file() for path in folder.rglob("*"))
    going = folder.with_name(GOING + folder.name)
    shutil.rmtree(going, ignore_errors=True)
    try:
        folder.rename(going)
        if is_open_elsewhere(going / database.name):  # by one who came in between
            going.rename(folder)
            raise taken
        shutil.rmtree(going)
        sync_folder(folder.parent)
    except OSError as error:
        raise StorageError(f"cannot destroy {folder}: {error}") from error
    return count


def finish_destroying(root: Path) -> None:
    """Destroy what someone who died had begun to."""
    for going in root.glob(GOING + "*"):
        shutil.rmtree(going, ignore_errors=True)


def found_in(
    database: Path, pieces: Iterable[bytes], vfs: str | None = None
) -> dict[str, list[bytes]]:
    """Return which of the pieces stand in which files of a database's folder, byte by byte.

    Files are read through SQLite. Closing a file that was opened by other means drops every lock of
    this process on it, and a link or a backup in the folder may be a database in use.
    The index of a log ("-shm") is not read; it holds numbers only.
    """
    wanted, found = list(pieces), {}
    for path in sorted(p for p in database.parent.rglob("*") if p.is_file()):
        if not path.name.endswith("-shm") and (here := _held(path, wanted, vfs)):
            found[path.name] = here
    return found


def _held(path: Path, wanted: list[bytes], vfs: str | None) -> list[bytes]:
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    file = apsw.VFSFile(vfs or "", str(path), flags)
    found: set[bytes] = set()
    try:
        before, size = b"", file.xFileSize()
        overlap = max(map(len, wanted), default=1) - 1
        for start in range(0, size, CHUNK_BYTES):
            text = before + file.xRead(min(CHUNK_BYTES, size - start), start)
            found.update(piece for piece in wanted if piece in text)
            before = text[len(text) - overlap :]
    finally:
        file.xClose()
    return [piece for piece in wanted if piece in found]
