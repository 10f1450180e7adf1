"""Where terms stand, kept in memory from one search to the next.

SQLite's full text takes as long to find a term as to read its places, and most words of a question
were looked up not long ago. So the newest places of a term are kept, and what this process adds to
the full text is put in front of them. Whether these additions are all that changed is told, at
every moment that is read, by the totals that the full text keeps of itself; and the writer tells
when another process wrote, when something was taken out and when a transaction was given up. Then
every list is read anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

MOST_TERMS = 1000  # whose places are kept, those asked for last
MOST_ADDED = 1000  # messages that no search has taken note of: after more, lists are read anew

# The form of the full text, its totals and its newest spot: what FTS5 keeps of itself.
TOTALS = """SELECT (SELECT block FROM spoken_data WHERE id = 10),
    (SELECT block FROM spoken_data WHERE id = 1),
    coalesce((SELECT max(id) FROM spoken_docsize), 0)"""

Read = Callable[[list[list[str]]], list[list[int]]]
Lists = dict[tuple[int, str], list[int]]  # by limit and term


class Totals(NamedTuple):
    """What the full text says of itself."""

    rows: int
    tokens: int
    newest: int  # spot


class Places:
    """The newest places of terms, for the one connection that reads them."""

    def __init__(self) -> None:
        self._added: dict[int, list[str]] = {}  # by spot; not all of it need be stored yet
        self._lists: Lists = {}
        self._limits: set[int] = set()
        self._form, self._at = b"", Totals(0, 0, 0)
        self._break = self._noticed = object()  # another one: more changed than is in `_added`
        self._version: object = None

    # by whoever writes

    def begin(self, version: object) -> None:
        """Take note that a transaction begins; another `version`: of another process's making."""
        if version != self._version:
            self._version = version
            self.break_off()

    def note(self, spot: int, terms: str) -> None:
        """Take note that a message is put into the full text."""
        if len(self._added) >= MOST_ADDED:
            self.break_off()
        self._added[spot] = terms.split(" ")

    def break_off(self) -> None:
        """Take note that what is noted is not all that changes, or may not change after all."""
        self._added.clear()
        self._break = object()

    # by whoever reads

    def keep_up(self, form: bytes, totals: bytes, newest: int) -> None:
        """Bring the lists to the moment of a transaction.

        The `form` of the full text changes with everything that is stored in it.
        """
        if form == self._form:
            return
        lists, self._lists, self._form = (
            self._lists,
            {},
            b"",
        )  # an interrupt leaves nothing half done
        now = Totals(*_numbers(totals), newest)
        if self._is_caught_up(lists, now):
            self._lists = lists
        self._at, self._form = now, form

    def _is_caught_up(self, lists: Lists, now: Totals) -> bool:
        """Put what was added in front of lists; tell whether that is all that has changed."""
        before, self._noticed = self._noticed, self._break
        rows, tokens, last = self._at
        for spot in sorted(self._added) if before is self._noticed else ():
            terms = self._added.pop(spot, None)
            if terms is not None and spot > last:
                rows, tokens = rows + 1, tokens + len(terms)
                self._put_in_front(lists, spot, terms)
                if (rows, tokens, spot) == now:
                    return True
        return False

    def _put_in_front(self, lists: Lists, spot: int, terms: Sequence[str]) -> None:
        for limit in self._limits:
            for key in [(limit, term) for term in terms]:
                if key in lists:
                    lists[key] = [spot, *lists[key]][:limit]

    def of(self, asked: Sequence[list[str]], limit: int, read: Read) -> list[list[int]]:
        """Return the newest places of terms, reading those that are not here.

        Terms that stand together are always read. Nobody may change a list.
        """
        self._limits.add(limit)
        here = [len(terms) == 1 and (limit, terms[0]) in self._lists for terms in asked]
        read_now = iter(
            read([terms for terms, is_here in zip(asked, here, strict=True) if not is_here])
        )
        found = []
        for terms, is_here in zip(asked, here, strict=True):
            key = limit, terms[0]
            places = self._lists.pop(key) if is_here else next(read_now)
            if len(terms) == 1:
                self._lists[key] = places  # those asked for last stand last
            found.append(places)
        while len(self._lists) > MOST_TERMS:
            del self._lists[next(iter(self._lists))]
        return found


def _numbers(totals: bytes) -> tuple[int, int]:
    """Return how many rows and tokens the full text has, in SQLite's numbers of changing length."""
    found, number = [0], 0
    for byte in totals:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            found.append(number)
            number = 0
    return (found[-2], found[-1]) if len(found) > 2 else (0, 0)
