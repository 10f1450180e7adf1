"""RDF Turtle: the network as triples, for tools that speak RDF.

The triples are those of document 001 §2.2: nodes with their properties, `memory:link` from node to
node, a `link:from:to` with its strength and relation, and the focus. It is the network as it stands
now: what is alive, with what is left of it, and links that are not broken, at the strength they
have. A link to something forgotten leads to a node of which nothing else is said.

Values are plain strings, as the document writes them; times are milliseconds since 1970.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from wangchuan.ids import name_of
from wangchuan.living.lens import Lens
from wangchuan.living.view import Reading
from wangchuan.storage import NodeRecord, Transaction

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
BASE = "urn:wangchuan:"

_SPECIAL = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL |= {"\b": "\\b", "\f": "\\f"}
_TO_ESCAPE = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]')

Pair = tuple[str, str]


def literal(text: str) -> str:
    """Return a text as a Turtle string."""
    return '"' + _TO_ESCAPE.sub(_escape, text) + '"'


def _escape(found: re.Match[str]) -> str:
    return _SPECIAL.get(found[0]) or f"\\u{ord(found[0]):04X}"


def written(tx: Transaction, agent: str, lens: Lens) -> Iterator[str]:
    """Yield the lines of a document, without their ends, as they are read from the store."""
    yield from _prefixes(agent)
    reading, passes = Reading(tx, lens), tx.passes()
    for record in tx.rows.every("node"):
        if record.is_alive(passes):
            yield from _node(reading, record)
    yield from _focus(tx)


def _prefixes(agent: str) -> Iterator[str]:
    own = f"{BASE}agent:{quote(agent, safe='')}:"
    yield f"@prefix rdf: <{RDF}> ."
    yield f"@prefix memory: <{BASE}memory#> ."
    for name in ("node", "link", "focus"):
        yield f"@prefix {name}: <{own}{name}:> ."


def _node(reading: Reading, record: NodeRecord) -> Iterator[str]:
    node, links = reading.present(record), reading.links(record)
    about = [
        ("rdf:type", "memory:Node"),
        ("memory:kind", literal(node.kind)),
        ("memory:content", literal(node.content)),
        ("memory:phrase", literal(node.phrase)),
        ("memory:keywords", literal(json.dumps(list(node.keywords), ensure_ascii=False))),
        ("memory:createdAt", literal(str(round(node.created_at * 1000)))),
        ("memory:scanCount", literal(str(node.scan_count))),
    ]
    yield from _said_of(
        f"node:{node.id}", about + [("memory:link", f"node:{k.target}") for k in links]
    )
    for link in links:
        about = [("rdf:type", "memory:Link"), ("memory:strength", literal(repr(link.strength)))]
        if link.relation is not None:
            about.append(("memory:relation", literal(link.relation)))
        yield from _said_of(f"link:{link.source}:{link.target}", about)


def _focus(tx: Transaction) -> Iterator[str]:
    """Yield the focus; `memory:order` belongs to the member, 1 being the oldest."""
    members = [name_of(n) for n in reversed(tx.links.focus())]
    about = [("memory:member", f"node:{node_id}") for node_id in members]
    yield from _said_of("focus:current", [("rdf:type", "memory:FocusList"), *about])
    for order, node_id in enumerate(members, 1):
        yield from _said_of(f"node:{node_id}", [("memory:order", literal(str(order)))])


def _said_of(subject: str, pairs: Iterable[Pair]) -> Iterator[str]:
    yield ""
    lines = [f"{predicate} {value}" for predicate, value in pairs]
    yield f"{subject} {lines[0]}" + (" ;" if lines[1:] else " .")
    for n, line in enumerate(lines[1:], 2):
        yield f"    {line}" + (" ;" if n < len(lines) else " .")
