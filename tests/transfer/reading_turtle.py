"""A small reader of Turtle: the grammar that our documents use, and nothing else."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<prefix>@prefix)
  | (?P<iri><[^\x00-\x20<>"{}|^`\\]*>)
  | (?P<text>"(?:[^"\\\n\r]|\\[tbnrf"'\\]|\\u[0-9A-Fa-f]{4})*")
  | (?P<name>[A-Za-z]+:(?:[\w:-]*[\w:-])?)
  | (?P<mark>[.;,])
    )""",
    re.X,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))")
_SHORT = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}

Triple = tuple[str, str, str]


def tokens(document: str) -> list[tuple[str, str]]:
    found, at, end = [], 0, len(document.rstrip())
    while at < end:
        token = _TOKEN.match(document, at)
        assert token, document[at : at + 60]
        assert token.lastgroup
        found.append((token.lastgroup, token[token.lastgroup]))
        at = token.end()
    return found


def triples(document: str) -> list[Triple]:
    """Return the triples of a document; an assertion fails where it is not Turtle."""
    rest, prefixes, found = tokens(document), dict[str, str](), list[Triple]()

    def term(kinds: tuple[str, ...]) -> str:
        kind, value = rest.pop(0)
        assert kind in kinds, (kind, value)
        if kind == "text":
            return _ESCAPE.sub(
                lambda e: chr(int(e[1], 16)) if e[1] else _SHORT.get(e[2], e[2]), value[1:-1]
            )
        if kind == "iri":
            return value[1:-1]
        prefix, _, local = value.partition(":")
        return prefixes[prefix] + local

    while rest:
        if rest[0][0] == "prefix":
            rest.pop(0)
            name = rest.pop(0)[1]
            prefixes[name.removesuffix(":")] = term(("iri",))
            assert rest.pop(0) == ("mark", ".")
            continue
        subject = term(("name",))
        while True:
            found.append((subject, term(("name",)), term(("name", "text"))))
            mark = rest.pop(0)
            assert mark[1] in (";", "."), mark
            if mark[1] == ".":
                break
    return found
