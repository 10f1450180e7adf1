"""Every version a page of knowledge ever had: who wrote it, when and why.

The versions of a page are lines of JSON in a file beside it, the newest last. What somebody wrote
with an editor becomes a version of its own before the next change, so that nothing is lost and
nobody is blamed for another's words. A version is written down before the page is.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from wangchuan.errors import InvalidInput, NotFound, StorageError, shown
from wangchuan.messages import storable
from wangchuan.notebook.desk import Desk
from wangchuan.notebook.pages import one_line
from wangchuan.types import Clock, value

HAND, FOUND = "hand", "found on the page, not written by Wangchuan"


@value
class Version:
    """One version of a page; numbers count from 1."""

    number: int
    at: float
    author: str
    reason: str
    sha256: str
    text: str


def checksum(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Versions:
    """A page with all its versions."""

    def __init__(self, page: Path, log: Path, desk: Desk, clock: Clock) -> None:
        self.page, self._log, self._desk, self._clock = page, log, desk, clock

    @property
    def text(self) -> str:
        """Return what the page says now; "" if there is none."""
        return self._desk.read(self.page) or ""

    def all(self) -> list[Version]:
        """Return the versions, oldest first; what was written by hand since is the last."""
        with self._desk.locked():
            return self._caught_up()

    def get(self, number: int) -> Version:
        """Return one version, or raise NotFound."""
        wanted = number if type(number) is int else 0
        found = [version for version in self.all() if version.number == wanted]
        if not found:
            raise NotFound(f"{self.page.name} has no version {shown(number, 20)}")
        return found[0]

    def write(self, text: str, author: str, reason: str) -> Version:
        """Make a text the page's newest version; the same text again changes nothing."""
        if not one_line(author) or not one_line(reason):
            raise InvalidInput("a change of knowledge needs an author and a reason")
        text = storable(text)
        with self._desk.locked():
            known = self._caught_up()
            if known and known[-1].text == text:
                return known[-1]
            made = self._version(len(known) + 1, text, one_line(author), one_line(reason))
            self._save([*known, made])
            self._desk.write(self.page, text)
            return made

    def rollback(self, number: int, author: str, reason: str) -> Version:
        """Make an earlier version's text the newest again."""
        return self.write(self.get(number).text, author, reason)

    def diff(self, old: int, new: int) -> str:
        """Return how one version differs from another, line by line."""
        before, after = self.get(old), self.get(new)
        lines = difflib.unified_diff(
            _lines(before.text),
            _lines(after.text),
            f"{self.page.name} v{old}",
            f"{self.page.name} v{new}",
            lineterm="",
        )
        return "\n".join(lines)

    def _version(self, number: int, text: str, author: str, reason: str) -> Version:
        return Version(number, self._clock(), author, reason, checksum(text), text)

    def _caught_up(self) -> list[Version]:
        """Return the versions, after noting what was written by hand."""
        known, text = list(self._read()), self._desk.read(self.page)
        if text is None or (known and known[-1].text == text):
            return known
        known.append(self._version(len(known) + 1, text, HAND, FOUND))
        self._save(known)
        return known

    def _read(self) -> Iterator[Version]:
        text = self._desk.read(self._log, most=None) or ""
        for number, line in enumerate(_lines(text), 1):
            try:
                yield _version_on(line)
            except (ValueError, TypeError, RecursionError) as error:
                raise StorageError(
                    f"{self._log}, line {number} is not a version: mend it, or move the file away"
                ) from error

    def _save(self, versions: list[Version]) -> None:
        lines = [json.dumps(asdict(version), ensure_ascii=False) for version in versions]
        self._desk.write(self._log, "\n".join(lines) + "\n", most=None)


def _lines(text: str) -> list[str]:
    """Return the lines of a text. Not splitlines(): U+2028 and its like are part of a line."""
    return text.removesuffix("\n").split("\n") if text else []


def _version_on(line: str) -> Version:
    """Return the version on a line; raises ValueError or TypeError for anything else."""
    version = Version(**json.loads(line))
    said = (version.text, version.author, version.reason)
    if type(version.number) is not int or not all(isinstance(one, str) for one in said):
        raise TypeError("a number, and texts, belong here")
    return version
