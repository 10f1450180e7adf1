"""Filters by what a value holds, as stores of frameworks have them: `{"score": {"$gte": 3}}`."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_KEY = re.compile(r"[\w.\-]+\Z")


def where(wanted: Mapping[str, Any]) -> Callable[[dict[str, Any]], bool]:
    """Return what tells whether a value holds what a filter wants, path by path.

    Raises ValueError for a path that is none, and for an operator that there is not.
    """
    for key in wanted:
        if not _KEY.match(key):
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
