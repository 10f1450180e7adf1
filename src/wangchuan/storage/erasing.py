"""Destroying what is stored: rows, full text, and the bytes that deleted rows leave behind.

A message that is erased leaves an empty shell: its number orders conversations and marks how far
learning has come, and must not be given to another. Of a memory nothing is left but a tombstone.
"""

from __future__ import annotations

import json
import mmap
import shutil
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from wangchuan.errors import StorageError
from wangchuan.messages import has_our_shape
from wangchuan.spots import MESSAGE_SHIFT
from wangchuan.storage import forking
from wangchuan.storage.contract import MessageRecord, NodeRecord
from wangchuan.storage.files import DRAFT, tidy
from wangchuan.storage.recording import COLUMNS

CHUNK_BYTES = 1 << 22  # of a database, read at once
LONGEST_OF_OURS = 24  # characters of an id of ours; there are no messages of greater numbers
ALONE_MS = 2_000  # how long other programs are waited for
GOING = ".erased-"  # begins the name of a folder that is being destroyed; no agent's does
OF_A_NODE = {
    "links": "erase_links",
    "facts": "erase_fact",
    "evidence": "erase_evidence",
    "index": "erase_kept",
    "signals": "erase_signals",
    "lifecycle": "erase_lifecycle",
    "journal": "blank_journal_of",
    "memories": "erase_node",
}
OF_A_MESSAGE = {"vectors": "erase_vectors", "messages": "erase_message"}


class ErasingStatements:
    """The part of a transaction that destroys; see `Transaction` for what it promises."""

    _connection: apsw.Connection

    if TYPE_CHECKING:

        def _rows(self, name: str, /, **values: Any) -> list[tuple[Any, ...]]: ...
        def _value(self, name: str, /, **values: Any) -> Any: ...
        def _run(self, name: str, /, **values: Any) -> None: ...

    def _changed(self, name: str, /, **values: Any) -> int:
        """Run a statement and return how many rows it changed."""
        self._run(name, **values)
        return self._connection.changes()

    def messages_named(self, public_id: str) -> list[MessageRecord]:
        rows = self._rows("messages_named", id=public_id)
        if has_our_shape(public_id) and len(public_id) <= LONGEST_OF_OURS:
            n = min(int(public_id[4:]), (1 << 63) - 1)
            numbered = self._rows("messages_between", first=n, last=n)
            rows = [row for row in numbered if not rows or MessageRecord(*row).id is None] + rows
        return [record for row in rows if (record := MessageRecord(*row)).role]

    def erase_node(self, n: int) -> Counter[str]:
        removed = Counter({what: self._changed(name, n=n) for what, name in OF_A_NODE.items()})
        self._run("erase_successor", n=n)
        return removed

    def erase_message(self, record: MessageRecord) -> Counter[str]:
        n = record.seq
        removed = Counter({w: self._changed(name, n=n) for w, name in OF_A_MESSAGE.items()})
        removed["index"] = self._unindex(n)
        if record.name is not None:
            removed["speakers"] = self._changed("erase_speaker", name=record.name)
        return removed

    def _unindex(self, n: int) -> int:
        """Take a message out of the full text, whatever its spot says of its place and length."""
        first, last = n << MESSAGE_SHIFT, ((n + 1) << MESSAGE_SHIFT) - 1
        spots = self._rows("spots_between", first=first, last=last)
        for (spot,) in spots:
            self._run("erase_spoken", spot=spot)
        return len(spots)

    def clear_traces(self) -> Counter[str]:
        orphans = self._rows("kept_orphans")
        for (n,) in orphans:
            self._run("erase_kept", n=n)
        return Counter(
            answers=self._changed("clear_answers"),
            jobs=self._changed("blank_reasons") + self._changed("blank_reviews"),
            index=len(orphans),
        )

    def bury(self, kind: str, public_id: str, at: float) -> None:
        self._run("bury", kind=kind, id=public_id, at=at)

    def is_erased(self, kind: str, public_id: str) -> bool:
        return bool(self._value("is_erased", kind=kind, id=public_id))

    def erased(self, kind: str) -> list[str]:
        return [row[0] for row in self._rows("erased", kind=kind)]

    def mentions(self, piece: bytes) -> bool:
        return bool(self._value("mentions", piece=piece))

    def relations_noted(self, n: int) -> list[tuple[int, dict[str, Any]]]:
        return [(seq, json.loads(text)) for seq, text in self._rows("relations_noted", n=n)]

    def rewrite_entry(self, seq: int, detail: dict[str, Any]) -> None:
        text = json.dumps(detail, ensure_ascii=False, separators=(",", ":"))
        self._run("rewrite_entry", seq=seq, detail=text)

    def undone_noted(self) -> list[tuple[int, dict[str, Any]]]:
        return [(seq, json.loads(text)) for seq, text in self._rows("undone_noted")]

    # what was made of what

    def merged_from(self, public_ids: Iterable[str]) -> list[int]:
        rows = self._rows("merged_from", ids=json.dumps(list(public_ids)))
        return [row[0] for row in rows]

    def undone_from(self, messages: Iterable[int]) -> list[int]:
        path = f"$[{COLUMNS['node'].index('message')}]"
        rows = self._rows("undone_from", messages=json.dumps(list(messages)), path=path)
        return [json.loads(row[0])[0] for row in rows]

    def former(self, n: int) -> list[NodeRecord]:
        rows = self._rows("former", key=f"[{n}]")
        return [NodeRecord(*json.loads(text)) for row in rows for text in row if text]

    def made_beside(self, nodes: Iterable[int]) -> list[int]:
        return [row[0] for row in self._rows("made_beside", nodes=json.dumps(list(nodes)))]

    def attended_by(self, job: int) -> list[int]:
        return [row[0] for row in self._rows("attended_by", job=job)]

    # what is kept for a time only

    def old_messages(self, before: float, upto: int, limit: int) -> list[MessageRecord]:
        rows = self._rows("old_messages", before=before, upto=upto, limit=limit)
        return [MessageRecord(*row) for row in rows]

    def blank_message(self, n: int) -> None:
        self._run("blank_message", n=n)

    def old_trash(self, before: float, limit: int) -> list[int]:
        return [row[0] for row in self._rows("old_trash", before=before, limit=limit)]

    def blank_journal(self, before: float, limit: int) -> int:
        return self._changed("blank_journal", before=before, limit=limit)


def scrubbed(connection: apsw.Connection) -> bool:
    """Rewrite a database without what was deleted, its log too; False if a reader is in the way."""
    for table in ("spoken", "kept"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    connection.execute("VACUUM")
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    return not busy


def is_open_elsewhere(database: Path) -> bool:
    """Tell whether anyone else has a database open; nobody may have it open here."""
    try:
        with forking.forks.gate, closing(apsw.Connection(str(database))) as connection:
            connection.set_busy_timeout(ALONE_MS)
            alone = str(connection.pragma("journal_mode", "delete")) == "delete"
            connection.pragma("journal_mode", "wal")  # only who is alone can leave it
            return not alone
    except apsw.BusyError:
        return True
    except (apsw.NotADBError, apsw.CorruptError):
        return False  # nobody works with what is no database


def drop_copies(database: Path) -> int:
    """Delete the copies that migrations made and killed writers left; return how many."""
    copies = list(database.parent.glob(f"{database.name}.format*"))
    for copy in copies:
        copy.unlink(missing_ok=True)
    return len(copies) + tidy(database.parent, f"*{DRAFT}")


def destroy(folder: Path, database: Path) -> int:
    """Destroy a folder with all its files; return how many there were.

    It gets another name first, in one step: whatever happens then, the agent is gone, and
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

    The database is read through SQLite: closing a file that was opened by other means drops every
    lock this process has on it. Its index of the log ("-shm") is not read; it holds numbers only.
    """
    wanted, found, index = list(pieces), {}, f"{database.name}-shm"
    for path in sorted(p for p in database.parent.rglob("*") if p.is_file()):
        if path == database:
            here = _pieces_in_database(path, wanted, vfs)
        elif path.name != index:
            here = _pieces_in(path, wanted)
        else:
            continue
        if here:
            found[path.name] = here
    return found


def holds(path: Path, pieces: Iterable[bytes]) -> bool:
    """Tell whether a file, if there is one, holds one of the pieces."""
    return path.is_file() and bool(_pieces_in(path, list(pieces)))


def _pieces_in(path: Path, wanted: list[bytes]) -> list[bytes]:
    if not path.stat().st_size:
        return []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return [piece for piece in wanted if text.find(piece) >= 0]


def _pieces_in_database(path: Path, wanted: list[bytes], vfs: str | None) -> list[bytes]:
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
