"""Open stores, as many as needed and no more than agreed: the least recently used is closed."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from wangchuan.storage.store import Store


class User:
    """Someone who has borrowed a store, for as long as the call lives that did."""


@dataclass(eq=False, slots=True)
class Place:
    """A place on the shelf; its store is opened when first needed."""

    store: Store | None = None
    users: weakref.WeakSet[User] = field(
        default_factory=weakref.WeakSet
    )  # interrupts may leave one
    opening: threading.Lock = field(default_factory=threading.Lock)
    dropped: bool = False  # it is off the shelf: its last user closes the store


class Shelf:
    """Stores by agent id; a store in use is never closed under its user."""

    def __init__(self, open_store: Callable[[str], Store], capacity: int) -> None:
        self._open_store, self._capacity = open_store, capacity
        self._places: OrderedDict[str, Place] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def borrow(self, agent: str) -> Iterator[Store]:
        """Lend the store of an agent, opening it if need be."""
        user = User()
        place = self._take(agent, user)
        try:
            with place.opening:
                if place.store is None:
                    place.store = self._open_store(agent)
            yield place.store
        finally:
            self._put_back(place, user)

    def _take(self, agent: str, user: User) -> Place:
        with self._lock:
            place = self._places.setdefault(agent, Place())
            place.users.add(user)
            self._places.move_to_end(agent)
            return place

    def _put_back(self, place: Place, user: User) -> None:
        with self._lock:
            place.users.discard(user)
            surplus = len(self._places) - self._capacity
            idle = [a for a, p in self._places.items() if not p.users] if surplus > 0 else []
            closing = [self._places.pop(agent) for agent in idle[: max(0, surplus)]]
            if place.dropped and not place.users:
                closing.append(place)
        _close(closing)

    def let_go(self, agent: str) -> None:
        """Let go of what an interrupted call of this thread left locked in a store."""
        place = self._places.get(agent)
        if place is not None and place.store is not None:
            place.store.let_go()

    def clear(self, agent: str | None = None) -> None:
        """Close all stores, or that of one agent; a store in use is closed by its last user."""
        with self._lock:
            gone = [self._places.pop(a) for a in list(self._places) if agent in (None, a)]
            for place in gone:
                place.dropped = True
            idle = [place for place in gone if not place.users]
        _close(idle)


def _close(places: list[Place]) -> None:
    for place in places:
        if place.store is not None:
            place.store.close()
