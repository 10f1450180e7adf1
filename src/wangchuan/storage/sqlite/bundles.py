"""Bundles: the links of one node, in a few bytes each.

A memory has a dozen links for every node, and a row of its own would cost each of them far more
than it says. So SQLite keeps the links of a node together, in the order of their targets:

    how many links · the last target · for each link: how far its target is from the one before,
    what is usual of it, and then only what is not

Numbers are written seven bits to a byte, the lowest first. `USUAL` is part of the format.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from wangchuan.errors import StorageError
from wangchuan.storage.compact import RELATIONS
from wangchuan.storage.packing import DAMAGED


class Tie(NamedTuple):
    """A link as its source knows it."""

    target: int
    strength: float
    at_scan: int
    relation: str | None


USUAL = (1.0, 0.5)  # strengths that are told by their place here
SPELLED = 1  # the place of a relation that is written out; 0: there is none
KINDS = 2 * (len(USUAL) + 1)  # of links whose relation is the same
_PLACES = {None: 0} | {name: n for n, name in enumerate(RELATIONS, SPELLED + 1)}
_STRENGTH = struct.Struct("<d")
SHORT = 512  # bytes of a bundle that is remembered for a while
FAULTS = (IndexError, TypeError, ValueError, struct.error)  # of what is no bundle


def _json(strength: float, at_scan: int, relation: str | None) -> str:
    """Return how a link goes on after its target."""
    number = int(strength) if strength % 1 == 0 else strength
    return f",{json.dumps([number, at_scan, relation])[1:]}"


_USUAL_REST = {  # a link beside its target of which nothing is unusual, by the byte that says so
    kind: (strength, 0, name)
    for name, place in _PLACES.items()
    for usual, strength in enumerate(USUAL)
    if (kind := place * KINDS + 2 * usual) < 128
}
_USUALLY = {kind: _json(*rest) for kind, rest in _USUAL_REST.items()}


def bundled(ties: Iterable[Tie]) -> bytes:
    """Return links, one for each target, as a bundle."""
    ordered = sorted(ties)
    last, parts = 0, []
    for tie in ordered:
        parts.append(_written(tie, last))
        last = tie.target
    return b"".join((_number(len(ordered)), _number(last), *parts))


def ties_of(bundle: bytes) -> list[Tie]:
    """Return the links of a bundle by target. Raises StorageError if it is damaged."""
    try:
        return list(_ties(bundle))
    except FAULTS as error:
        raise StorageError(DAMAGED) from error


def told(bundle: bytes) -> str:
    """Return the links of a bundle as JSON; strengths that are whole numbers as such."""
    return _told_again(bundle) if _is_short(bundle) else _all_told(bundle)


def _is_short(bundle: object) -> bool:
    """Tell whether a column holds a bundle that is worth remembering."""
    return isinstance(bundle, bytes) and len(bundle) <= SHORT


def _all_told(bundle: bytes) -> str:
    try:
        return f"[{','.join(_told(bundle))}]"
    except FAULTS as error:
        raise StorageError(DAMAGED) from error


_told_again = lru_cache(maxsize=1024)(_all_told)  # one statement asks several times


def size(bundle: bytes) -> int:
    """Return how many links a bundle has."""
    return _head(bundle)[0]


def tied(bundle: bytes | None, links: str) -> bytes:
    """Return a bundle with more links, given as JSON; of known ones the relation stays."""
    new = [Tie(*link) for link in json.loads(links)]
    if not bundle:
        return bundled(new)
    count, last, at = _head(bundle)
    if len(new) == 1 and new[0].target > last:  # as most are: nothing else needs to be read
        (tie,) = new
        return b"".join((_number(count + 1), _number(tie.target), bundle[at:], _written(tie, last)))
    ties = {tie.target: tie for tie in ties_of(bundle)}
    for tie in new:
        known = ties.get(tie.target)
        ties[tie.target] = tie._replace(relation=known.relation) if known else tie
    return bundled(ties.values())


def untied(bundle: bytes, target: int) -> bytes:
    """Return a bundle without the link to a target."""
    return bundled(tie for tie in ties_of(bundle) if tie.target != target)


def leads_to(bundle: bytes, target: int) -> bool:
    """Tell whether a bundle has a link to a target."""
    return _found(bundle, target) is not None


def left(bundle: bytes, target: int, scans: int, rate: float) -> float | None:
    """Return what is left of the strength of a link after so many scans; None if there is none.

    A link that was let go, whose strength is 0, is none.
    """
    if not _is_short(bundle):
        tie = _found(bundle, target)
        return tie.strength * rate ** (scans - tie.at_scan) if tie and tie.strength else None
    strength, at_scan = _strengths(bundle).get(target, (0.0, 0))
    return strength * rate ** (scans - at_scan) if strength else None


@lru_cache(maxsize=1024)
def _strengths(bundle: bytes) -> dict[int, tuple[float, int]]:
    """Return strengths by target: whoever goes over all nodes meets a bundle once for each link."""
    return {tie.target: (tie.strength, tie.at_scan) for tie in ties_of(bundle)}


def _head(bundle: bytes) -> tuple[int, int, int]:
    """Return how many links a bundle has, the last target, and the place after these."""
    try:
        count, at = _count(bundle, 0)
        return count, *_count(bundle, at)
    except FAULTS as error:
        raise StorageError(DAMAGED) from error


def _found(bundle: bytes, target: int) -> Tie | None:
    """Return the link of a bundle to a target; what comes after it is not read."""
    try:
        count, _, at = _head(bundle)
        here = 0
        for _ in range(count):
            step, at = (bundle[at], at + 1) if bundle[at] < 128 else _count(bundle, at)
            here += step
            if here == target:
                return Tie(target, *_rest(bundle, at)[0])
            if here > target:
                return None
            at = at + 1 if bundle[at] in _USUALLY else _rest(bundle, at)[1]
    except FAULTS as error:
        raise StorageError(DAMAGED) from error
    return None


def _written(tie: Tie, last: int) -> bytes:
    """Return a link as it stands after one to the last target."""
    target, strength, at_scan, relation = tie
    place = _PLACES.get(relation, SPELLED)
    usual = USUAL.index(strength) if strength in USUAL else len(USUAL)
    written = _number(target - last) + _number(place * KINDS + 2 * usual + bool(at_scan))
    if at_scan:
        written += _number(at_scan)
    if usual == len(USUAL):
        written += _STRENGTH.pack(strength)
    if place == SPELLED and relation is not None:
        spelled = relation.encode("utf-8", "surrogatepass")
        written += _number(len(spelled)) + spelled
    return written


def _ties(bundle: bytes) -> Iterator[Tie]:
    """Yield links. Most have nothing unusual: what they are is known by one byte."""
    count, _, at = _head(bundle)
    target = 0
    for _ in range(count):
        step = bundle[at]
        if step < 128:
            at += 1
        else:
            step, at = _count(bundle, at)
        target += step
        if rest := _USUAL_REST.get(bundle[at]):
            at += 1
        else:
            rest, at = _rest(bundle, at)
        yield Tie(target, *rest)
    if at != len(bundle):
        raise ValueError("something is left of a bundle")


def _told(bundle: bytes) -> Iterator[str]:
    """Yield links as JSON. Most have nothing unusual: what they say is made beforehand."""
    count, _, at = _head(bundle)
    target = 0
    for _ in range(count):
        step, at = _count(bundle, at)
        target += step
        if rest := _USUALLY.get(bundle[at]):
            at += 1
        else:
            unusual, at = _rest(bundle, at)
            rest = _json(*unusual)
        yield f"[{target}{rest}"
    if at != len(bundle):
        raise ValueError("something is left of a bundle")


def _rest(bundle: bytes, at: int) -> tuple[tuple[float, int, str | None], int]:
    """Return what a link says beside its target, and the place after it."""
    kind, at = _count(bundle, at)
    place, usual, aged = kind // KINDS, kind % KINDS // 2, kind % 2
    at_scan, at = _count(bundle, at) if aged else (0, at)
    strength = USUAL[usual] if usual < len(USUAL) else _STRENGTH.unpack_from(bundle, at)[0]
    at += 0 if usual < len(USUAL) else _STRENGTH.size
    relation = RELATIONS[place - SPELLED - 1] if place > SPELLED else None
    if place == SPELLED:
        length, at = _count(bundle, at)
        relation = bundle[at : at + length].decode("utf-8", "surrogatepass")
        at += length
    return (strength, at_scan, relation), at


def _number(n: int) -> bytes:
    """Return a number that is not negative."""
    if n < 128:
        return bytes((n,))
    low = []
    while n > 127:
        low.append(n & 127 | 128)
        n >>= 7
    return bytes((*low, n))


def _count(bundle: bytes, at: int) -> tuple[int, int]:
    """Return the number that stands at a place, and the place after it."""
    byte = bundle[at]
    if byte < 128:
        return byte, at + 1
    n, shift = 0, 0
    while byte > 127:
        n |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        byte = bundle[at]
    return n | byte << shift, at + 1
