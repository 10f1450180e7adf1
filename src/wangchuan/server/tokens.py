"""Tokens: who somebody is, and what they may do. Only hashes are kept; a token is shown once.

A token is `wc_<id>_<secret>`. The secret has 256 bits, so that a plain hash of it cannot be turned
round. The file is looked at before every request and read again when it has changed: what is
revoked is refused at once, by every process that serves.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from wangchuan.arguments import one_of
from wangchuan.errors import InvalidInput, NotFound, StorageError
from wangchuan.ids import checked_id
from wangchuan.operations.rights import EVERYONE, RIGHTS, Principal
from wangchuan.storage.files import make_folder, write_file
from wangchuan.storage.locks import FileLock
from wangchuan.types import Clock

FILE, MARK = "tokens.json", "wc"
LOCK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token; `hash` is that of its secret, `expires` seconds since 1970."""

    id: str
    name: str
    agents: tuple[str, ...]
    rights: tuple[str, ...]
    created: float
    expires: float | None = None
    hash: str = ""

    def is_valid(self, at: float) -> bool:
        """Tell whether it has not expired."""
        return self.expires is None or at < self.expires

    @property
    def principal(self) -> Principal:
        """Return who has it."""
        return Principal(self.name or self.id, frozenset(self.agents), frozenset(self.rights))


class Tokens:
    """The tokens of a root folder."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._path, self._clock = root / FILE, clock
        self._lock, self._seen = threading.Lock(), (0, 0, 0)
        self._tokens: dict[str, Token] = {}

    def list(self) -> list[Token]:
        """Return all tokens, oldest first, without their hashes."""
        return [replace(token, hash="") for token in self._now().values()]

    def add(
        self,
        agents: Iterable[str],
        rights: Iterable[str],
        *,
        name: str = "",
        expires: float | None = None,
    ) -> str:
        """Keep a new token and return it: it cannot be shown again.

        Raises InvalidInput for no agent, no right, or one that there is not.
        """
        whose = tuple(one if one == EVERYONE else checked_id(one) for one in agents)
        may = tuple(one_of(right, RIGHTS, "each of rights") for right in rights)
        if not whose or not may:
            raise InvalidInput("a token needs at least one agent (* means all) and one right")
        identity, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        made = self._clock()
        token = Token(identity, name, whose, may, made, expires, _hash(secret))
        with self._changing() as tokens:
            tokens[identity] = token
        return f"{MARK}_{identity}_{secret}"

    def revoke(self, identity: str) -> None:
        """Drop a token by its id, or by itself. Raises NotFound."""
        with self._changing() as tokens:
            if tokens.pop(_id_of(identity) or identity, None) is None:
                raise NotFound(f"no token has the id {identity!r:.20}; `wangchuan token list`")

    def principal(self, given: str) -> Principal | None:
        """Return who has this token; None for one that is unknown, revoked or expired."""
        token = self._now().get(_id_of(given) or "")
        kept = token.hash if token else _hash("")
        same = hmac.compare_digest(_hash(given.rpartition(f"{_id_of(given)}_")[2]), kept)
        if token is None or not same or not token.is_valid(self._clock()):
            return None
        return token.principal

    def _now(self) -> dict[str, Token]:
        """Return the tokens as the file has them now."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return {}
        seen = (found.st_mtime_ns, found.st_size, found.st_ino)
        with self._lock:
            if seen != self._seen:
                self._tokens, self._seen = self._read(), seen
            return self._tokens

    def _read(self) -> dict[str, Token]:
        try:
            rows = json.loads(self._path.read_text("utf-8"))
            return {row["id"]: _token(row) for row in rows}
        except FileNotFoundError:
            return {}
        except (ValueError, TypeError, KeyError) as error:
            raise StorageError(f"{self._path} cannot be read as tokens: {error}") from error

    def _changing(self) -> _Changing:
        return _Changing(self._path, self._read)


class _Changing:
    """The tokens under a lock; they are written if nothing was raised."""

    def __init__(self, path: Path, read: Callable[[], dict[str, Token]]) -> None:
        self._path, self._read = path, read
        make_folder(path.parent)
        self._lock = FileLock(path.with_suffix(".lock"), patience=LOCK_SECONDS)

    def __enter__(self) -> dict[str, Token]:
        self._lock.take()
        try:
            self._tokens = self._read()
        except BaseException:
            self._lock.give()
            raise
        return self._tokens

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                rows = [asdict(token) for token in self._tokens.values()]
                write_file(self._path, json.dumps(rows, ensure_ascii=False, indent=1))
        finally:
            self._lock.give()


def _token(row: dict[str, Any]) -> Token:
    return Token(**{**row, "agents": tuple(row["agents"]), "rights": tuple(row["rights"])})


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _id_of(given: str) -> str | None:
    """Return the id within a token."""
    parts = given.split("_", 2)
    return parts[1] if len(parts) == 3 and parts[0] == MARK else None
