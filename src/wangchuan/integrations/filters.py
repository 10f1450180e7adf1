"""Filters as stores of frameworks have them: by what a value holds, and by its namespace.

`{"score": {"$gte": 3}}` filters values; a namespace fits a prefix or a suffix, in which `*` is any.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def where(wanted: Mapping[str, Any]) -> Callable[[dict[str, Any]], bool]:
    """Return what tells whether a value holds what a filter wants, path by path.

    Raises ValueError for a path that is none, and for an operator that there is not.
    """
    for key in wanted:
        if not key or not all(c.isalnum() or c in "_.-" for c in key):
            raise ValueError(f"Invalid filter key: {key!r}")
    return lambda value: all(_holds(_at(value, key), want) for key, want in wanted.items())


def _at(value: Any, path: str) -> Any:
    if isinstance(value, dict) and path in value:
        return value[path]
    head, _, rest = path.partition(".")
    return _at(value.get(head), rest) if rest and isinstance(value, dict) else None


def _holds(held: Any, want: Any) -> bool:
    if not isinstance(want, dict):
        return json.dumps(held, sort_keys=True) == json.dumps(want, sort_keys=True)
    if not any(str(key).startswith("$") for key in want):
        return isinstance(held, dict) and all(_holds(held.get(k), w) for k, w in want.items())
    return all(_compares(held, sign, other) for sign, other in want.items())


def _compares(held: Any, sign: str, other: Any) -> bool:
    if sign in ("$eq", "$ne"):
        return bool(held == other) == (sign == "$eq")
    if sign not in _ORDER:
        raise ValueError(f"Unsupported operator: {sign}")
    try:
        return held is not None and bool(_ORDER[sign](held, other))
    except TypeError:
        return False


def fits(namespace: Sequence[str], wanted: Iterable[tuple[Sequence[str], str]]) -> bool:
    """Tell whether a namespace begins, or ends, with all paths that are wanted of it."""
    for path, kind in wanted:
        part = namespace[: len(path)] if kind == "prefix" else namespace[-len(path) :]
        if len(part) < len(path) or any(w not in ("*", p) for w, p in zip(path, part, strict=True)):
            return False
    return True


def is_plain(namespace: Iterable[object]) -> bool:
    """Tell whether any store could keep a namespace: some join its labels by dots."""
    return all(isinstance(label, str) and label and "." not in label for label in namespace)


def within(
    scope: str | None = None,
    categories: Iterable[str] | None = None,
    metadata_filter: Mapping[str, Any] | None = None,
) -> Callable[[dict[str, Any]], bool]:
    """Return what tells whether a record lies in a scope (a path) and has what is wanted of it."""
    base, wanted = (scope or "").rstrip("/"), set(categories or ())

    def admits(value: dict[str, Any]) -> bool:
        inside = value["scope"] == base or value["scope"].startswith(f"{base}/")
        held = all(value["metadata"].get(k) == v for k, v in (metadata_filter or {}).items())
        return inside and held and (not wanted or not wanted.isdisjoint(value["categories"]))

    return admits
