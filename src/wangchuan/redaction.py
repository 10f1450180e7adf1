"""Keeping keys and passwords out of everything that is stored, logged or said.

What a server answers may hold the key it was sent, and an exception the address it was raised
about. So a message is freed of secrets where it is made, before it is cut and before anybody sees
it: of those that are known, in the forms in which they travel, and of whatever looks like one.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus, unquote, urlsplit

from wangchuan.patterns import regex

HIDDEN = "***"
SHORTEST = 4  # characters of a secret; less would be found in every other word
USERINFO = regex(r"(?<=://)[^/?#\s\"'<>]*@")
CREDENTIALS = regex(r"\b(bearer|basic)(\s+|%20)[\w.~+/=%-]{4,}", re.I)
NAMED = regex(
    r"\b((?:api[-_ ]?key|access[-_ ]?token|password)[\"']?\s*[:=]\s*[\"']?)[^\s\"',}&]+", re.I
)


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text for people with known secrets, credentials and passwords in URLs hidden."""
    text = without(text, secrets)
    text = USERINFO.sub(f"{HIDDEN}@", text)
    text = CREDENTIALS.sub(rf"\1\2{HIDDEN}", text)
    return NAMED.sub(rf"\1{HIDDEN}", text)


def without(text: str, secrets: Iterable[str]) -> str:
    """Return a text with known secrets hidden, in whatever form they travel, and nothing else."""
    for form in _forms_of(tuple(secrets)):
        text = text.replace(form, HIDDEN)
    return text


def passwords(url: str | None) -> list[str]:
    """Return what a URL gives away between `//` and `@`: the password, and both as one."""
    try:
        user, mark, host = urlsplit(url or "").netloc.rpartition("@")
    except ValueError:
        return []
    if not mark or not host:
        return []
    name, colon, password = user.partition(":")
    return [unquote(user), unquote(password if colon else name)]


@lru_cache(maxsize=32)
def _forms_of(secrets: tuple[str, ...]) -> list[str]:
    """Return all forms of secrets, the longest first: a part of one must not hide the whole."""
    forms = {form for secret in secrets for form in _forms(secret)}
    return sorted(forms, key=len, reverse=True)


def _forms(secret: str) -> Iterator[str]:
    if len(secret) < SHORTEST:
        return
    raw = secret.encode("utf-8", "replace")
    yield from (secret, quote(secret), quote(secret, safe=""), quote_plus(secret))
    yield from (json.dumps(secret)[1:-1], repr(secret)[1:-1])
    for encoded in (base64.b64encode(raw), base64.urlsafe_b64encode(raw)):
        yield encoded.decode().rstrip("=")
    yield raw.hex()
