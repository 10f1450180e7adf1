"""Tokens: who somebody is, and what they may do. Only hashes are kept; a token is shown once.

A token is `wc_<id>_<secret>`. The secret has 256 bits, so that a plain hash of it cannot be turned
round. The file is looked at before every request and read again when it has changed: what is
revoked is refused at once, by every process that serves.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from wangchuan.arguments import one_of
from wangchuan.errors import InvalidInput, NotFound, StorageError
from wangchuan.ids import checked_id
from wangchuan.messages import storable
from wangchuan.operations.rights import EVERYONE, RIGHTS, Principal
from wangchuan.storage.files import make_folder, write_file
from wangchuan.storage.locks import FileLock
from wangchuan.types import Clock

FILE, MARK = "tokens.json", "wc"
LOCK_SECONDS = 10.0
SESSION_SECONDS = 12 * 3600.0  # for which one is signed in to the page
Use = Literal["key", "once", "session"]


@dataclass(frozen=True)
class Token:
    """What is kept of a token; `hash` is that of its secret, `expires` seconds since 1970.

    One for `use` "once" opens a session and nothing else. A session is a token as well, which a
    browser keeps; `parent` is the token it was opened with, and with that it ends.
    """

    id: str
    name: str
    agents: tuple[str, ...]
    rights: tuple[str, ...]
    created: float
    expires: float | None = None
    hash: str = ""
    use: Use = "key"
    parent: str = ""

    def is_valid(self, at: float) -> bool:
        """Tell whether it has not expired."""
        return self.expires is None or at < self.expires

    @cached_property
    def principal(self) -> Principal:
        """Return who has it."""
        return Principal(self.name or self.id, frozenset(self.agents), frozenset(self.rights))


class Tokens:
    """The tokens of a root folder."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._path, self._clock = root / FILE, clock
        self._place = str(self._path)
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
        use: Use = "key",
    ) -> str:
        """Keep a new token and return it: it cannot be shown again.

        Raises InvalidInput for no agent, no right, or one that there is not.
        """
        whose = tuple(one if one == EVERYONE else checked_id(one) for one in agents)
        may = tuple(one_of(right, RIGHTS, "each of rights") for right in rights)
        if not whose or not may:
            raise InvalidInput("a token needs at least one agent (* means all) and one right")
        return self._keep(Token("", storable(name), whose, may, self._clock(), expires, use=use))

    def _keep(self, token: Token, instead: str = "") -> str:
        """Keep a token under an id and with a secret of its own, `instead` of another perhaps."""
        identity, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        with self._changing() as tokens:
            if instead and tokens.pop(instead, None) is None:
                raise NotFound("it was used meanwhile")
            for one in [one for one in tokens.values() if one.use != "key"]:
                if not one.is_valid(self._clock()):
                    del tokens[one.id]
            tokens[identity] = replace(token, id=identity, hash=_hash(secret))
        return f"{MARK}_{identity}_{secret}"

    def signed_in(self, given: str) -> str | None:
        """Return the token of a new session for whoever has this one; None for one that is no use.

        A session ends when its token does, or after `SESSION_SECONDS`.
        """
        token = self._found(given)
        if token is None or token.use == "session":
            return None
        until = self._clock() + SESSION_SECONDS
        if token.use == "key" and token.expires is not None:
            until = min(until, token.expires)
        once = token.use == "once"
        name, parent = token.name or token.id, "" if once else token.id
        made = Token(
            "", name, token.agents, token.rights, self._clock(), until, "", "session", parent
        )
        try:
            return self._keep(made, instead=token.id if once else "")
        except NotFound:
            return None

    def revoke(self, identity: str) -> None:
        """Drop a token by its id, or by itself. Raises NotFound."""
        with self._changing() as tokens:
            if tokens.pop(_id_of(identity) or identity, None) is None:
                raise NotFound(f"no token has the id {identity!r:.20}; `wangchuan token list`")

    def principal(self, given: str) -> Principal | None:
        """Return who has this token; None for one that is unknown, revoked or expired."""
        token = self._found(given)
        return None if token is None or token.use == "once" else token.principal

    def _found(self, given: str) -> Token | None:
        """Return what is kept of a token, if it is valid."""
        tokens, identity = self._now(), _id_of(given)
        token = tokens.get(identity or "")
        kept = token.hash if token else _hash("")
        same = hmac.compare_digest(_hash(given.rpartition(f"{identity}_")[2]), kept)
        if token is None or not same or not token.is_valid(self._clock()):
            return None
        return None if token.parent and token.parent not in tokens else token

    def _now(self) -> dict[str, Token]:
        """Return the tokens as the file has them now."""
        try:
            found = os.stat(self._place)
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
