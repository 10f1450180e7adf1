"""Arguments as strangers give them: taken as what they must be, or refused with InvalidInput.

Nothing is asked of a value before its type is known: one whose `repr`, `==` or iteration raises,
or that is nested ten thousand deep, is refused like any other.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from wangchuan.errors import InvalidInput, shown


def a_text(value: object, name: str) -> str:
    """Return a text, or raise InvalidInput naming it."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {type(value).__name__}: {shown(value)}")
    return value


def items(given: Any, name: str) -> list[Any]:
    """Return what can be gone through as a list, or raise InvalidInput naming it."""
    if isinstance(given, str | bytes | bytearray) or not isinstance(given, Iterable):
        raise InvalidInput(f"{name} must be a list, not {type(given).__name__}: {shown(given)}")
    try:
        return list(given)
    except Exception as error:  # a stranger's generator: the cause says what it did
        raise InvalidInput(f"{name} could not be read to the end: {shown(error)}") from error


def texts(given: Any, name: str) -> list[str]:
    """Return a list of texts, or raise InvalidInput naming it."""
    return [a_text(one, f"each of {name}") for one in items(given, name)]


def a_number(value: Any, name: str) -> float:
    """Return a finite number, 0 or more, as it is, or raise InvalidInput naming it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            if math.isfinite(value) and value >= 0:
                return value
        except OverflowError:
            pass  # whole, but with hundreds of digits
    raise InvalidInput(f"{name} must be a number, 0 or more, not {shown(value, 40)}")


def one_of(value: object, known: Iterable[str], name: str) -> str:
    """Return one of the known words, or raise InvalidInput, listing them."""
    words = tuple(known)
    if not isinstance(value, str) or value not in words:
        raise InvalidInput(f"{name} must be one of {', '.join(words)}, not {shown(value, 40)}")
    return value


def a_path(value: Any, name: str) -> Path:
    """Return a path that a system can be asked for, or raise InvalidInput naming it."""
    try:
        text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
        if isinstance(text, str) and text and "\0" not in text and text.encode():
            with suppress(FileNotFoundError, PermissionError, NotADirectoryError):
                os.lstat(text)  # a name may be too long for the system
            return Path(text)
    except Exception as error:  # lone surrogates, too long, or a stranger's own __fspath__
        raise InvalidInput(
            f"{name} cannot be a path: {shown(value)} ({shown(error, 80)})"
        ) from error
    raise InvalidInput(f"{name} must be a path, not {shown(value)}")


def a_flag(value: object, name: str) -> bool:
    """Return a value as true or false, or raise InvalidInput naming it."""
    try:
        return bool(value)
    except Exception as error:  # a stranger's own __bool__
        raise InvalidInput(f"{name} must be True or False, not {shown(value)}") from error


def a_timeout(value: Any, name: str = "timeout") -> float | None:
    """Return seconds to wait, None for as long as it takes, or raise InvalidInput naming it."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise InvalidInput(f"{name} must be a number of seconds or None, not {shown(value, 40)}")
    return max(0.0, min(value, threading.TIMEOUT_MAX))
