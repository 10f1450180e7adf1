"""Files that nobody else may read, and drafts that do not outlive a killed writer for ever.

Folders are made with mode 700, files with mode 600, whatever the umask says. A file that is to be
there whole or not at all is written as a draft: a hidden name beside its place, with a lock beside
the draft. The system releases the lock when its holder dies, so whoever can take a draft's lock may
remove the draft. A process id would not do: it may have been given to another process, or mean
another machine. A draft outside the agent's folder is noted in that folder, where the next start
looks.
"""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, BinaryIO

from wangchuan.patterns import later
from wangchuan.storage.locks import FileLock

if TYPE_CHECKING:
    import shutil
else:
    shutil = later("shutil")

FOLDER, FILE = 0o700, 0o600
DRAFT, LOCK, NOTED = ".draft", ".lock", ".draft-at"  # ends of names
TOKEN = 6  # bytes by which drafts of one place differ
HIDDEN = f".*{DRAFT}"  # no agent's folder is named so
READ_ONLY = (
    "{} is read-only: it can be looked at, but nothing in it can be changed; make the folder and"
    " its files writable, or copy the folder to where they are"
)


def make_folder(path: Path) -> None:
    """Make a folder, and the missing ones above it, for nobody else to look into."""
    for one in reversed([p for p in (path, *path.parents) if not p.exists()]):
        one.mkdir(mode=FOLDER, exist_ok=True)


def is_writable(path: Path) -> bool:
    """Tell whether a file can be written, and others be made beside it."""
    return os.access(path.parent, os.W_OK | os.X_OK) and os.access(path, os.W_OK)


def make_file(path: Path) -> None:
    """Make an empty file that others will write, such as SQLite; one that is there stays as it is.

    The file there is not opened: closing it would let go the locks that SQLite holds on it.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE))


def open_file(path: Path) -> BinaryIO:
    """Open a file to be written anew."""
    return open(path, "wb", opener=lambda name, flags: os.open(name, flags, FILE))


def tighten(folder: Path) -> None:
    """Take rights away that older versions gave to others, on a folder and all in it."""
    for path in (folder, *folder.rglob("*")):
        with suppress(OSError):  # not ours, gone, or on a disk that is only read
            mode = path.stat(follow_symlinks=False).st_mode
            if mode & 0o077 and not path.is_symlink():
                path.chmod(mode & 0o700)


@contextmanager
def draft_of(place: Path, noted_in: Path | None = None) -> Iterator[Path]:
    """Lend the name of a draft beside a place; the draft, unless renamed, is gone afterwards.

    `noted_in` is the agent's folder, for drafts that are made elsewhere.
    """
    if not place.name:  # there is no place beside a root
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
    token = token_hex(TOKEN)
    draft = place.with_name(f".{place.name}.{token}{DRAFT}")
    note = noted_in / f"{token}{NOTED}" if noted_in else None
    with _locked(draft):
        try:
            if note is not None:
                _write_note(note, draft)
            yield draft
        finally:
            with suppress(OSError):
                _remove(draft)
                if note is not None:
                    note.unlink(missing_ok=True)


def _write_note(note: Path, draft: Path) -> None:
    with suppress(OSError), open_file(note) as out:  # a folder that is only read has no notes
        out.write(os.fsencode(draft.absolute()))


def write_file(place: Path, text: str) -> None:
    """Put a text in a place, whole or not at all; raises OSError."""
    with draft_of(place) as draft:
        with open_file(draft) as out:
            out.write(text.encode("utf-8"))
        draft.replace(place)


@contextmanager
def _locked(draft: Path) -> Iterator[None]:
    beside = draft.with_name(draft.name + LOCK)
    lock = FileLock(beside, patience=0)
    lock.take()
    try:
        yield
    finally:
        lock.give()
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def tidy(folder: Path, pattern: str = HIDDEN) -> int:
    """Remove drafts whose writers died, in a folder and as noted there; return how many."""
    count = 0
    for draft in [*folder.glob(pattern), *folder.glob(pattern + LOCK)]:
        count += _remove_if_dead(draft.with_name(draft.name.removesuffix(LOCK)))
    for note in folder.glob(f"*{NOTED}"):
        with suppress(OSError):
            draft = Path(os.fsdecode(note.read_bytes()))
            if not _is_ours(draft.name):
                continue  # a stranger's note: the file it names is no draft of ours
            count += _remove_if_dead(draft)
            if not draft.exists():
                note.unlink(missing_ok=True)
    return count


def _is_ours(name: str) -> bool:
    """Tell whether a draft is named as `draft_of` does."""
    token = name.removesuffix(DRAFT).rpartition(".")[2]
    return (
        name.startswith(".") and len(token) == 2 * TOKEN and set(token) <= set("0123456789abcdef")
    )


def _remove_if_dead(draft: Path) -> bool:
    """Remove a draft unless its writer lives; a name that is no draft's is left alone."""
    if not draft.name.endswith(DRAFT) or not draft.parent.is_dir():
        return False
    try:
        with _locked(draft):
            there = draft.exists()
            _remove(draft)
    except OSError:
        return False
    return there


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def holds(path: Path, pieces: Iterable[bytes]) -> list[bytes]:
    """Return which of the pieces a file holds; none if there is no such file."""
    if not path.is_file() or not path.stat().st_size:
        return []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return [piece for piece in pieces if text.find(piece) >= 0]


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder durable, where folders can be synced."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
