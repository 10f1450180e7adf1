"""The nine tools of the official memory server, kept as facts.

That there is an entity, what is observed of it and how it is related are facts, each of a form of
its own ("Ann [person]", "Ann: likes tea", "Ann --works at--> Bank"), so that they can be read back;
other facts are observations of what they are about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from wangchuan.errors import InvalidInput

Json = dict[str, Any]
Run = Callable[[str, Json], Any]

MOST = 1000  # facts that are read


def _text(value: Any, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, str) or not found.strip():
        raise InvalidInput(f"{name} must be a text that says something")
    return " ".join(found.split())


def _list(value: Any, name: str) -> list[Any]:
    found = value.get(name, []) if isinstance(value, dict) else None
    if not isinstance(found, list):
        raise InvalidInput(f"{name} must be a list")
    return found


def _facts(run: Run, query: str | None = None) -> list[Any]:
    found: list[Any] = []
    cursor = None
    while len(found) < MOST:
        page = run("facts", {"query": query, "limit": 200, "cursor": cursor})
        found += page.items
        cursor = page.next
        if cursor is None:
            break
    return found


def _add(run: Run, text: str) -> bool:
    """Keep a fact, unless it is known; return whether it was new."""
    if run("facts.saying", {"text": text}) is not None:
        return False
    run("facts.add", {"text": text})
    return True


def _told(facts: Iterable[Any]) -> Json:
    """Return facts as a graph."""
    entities: dict[str, Json] = {}
    relations = []
    for fact in facts:
        if ends := _related(fact.text):
            relations.append(dict(zip(("from", "relationType", "to"), ends, strict=True)))
        elif named := _named(fact.text):
            _entity(entities, named[0])["entityType"] = named[1]
        else:
            name, seen = _observed(fact)
            _entity(entities, name)["observations"].append(seen)
    return {"entities": list(entities.values()), "relations": relations}


def _observed(fact: Any) -> tuple[str, str]:
    """Return whom a fact is about, and what it says of them."""
    name, _, seen = fact.text.partition(": ")
    return (name, seen) if name and seen and ":" not in name else (fact.topic, fact.text)


def _related(text: str) -> tuple[str, str, str] | None:
    """Return the ends of a relation, and its name between them, from its fact: `A --knows--> B`."""
    source, _, rest = text.partition(" --")
    relation, _, target = rest.partition("--> ")
    whole = source and relation and target and not {"<", ">"} & set(relation)
    return (source, relation, target) if whole else None


def _named(text: str) -> tuple[str, str] | None:
    """Return the name and the type of an entity from its fact: `Anna [person]`."""
    name, _, kind = text.removesuffix("]").rpartition(" [")
    is_one = name and text.endswith("]") and not {"[", "]"} & set(kind)
    return (name, kind) if is_one else None


def _about(fact: Any) -> set[str]:
    """Return the entities that a fact is about."""
    if ends := _related(fact.text):
        return {ends[0], ends[2]}
    named = _named(fact.text)
    return {named[0] if named else _observed(fact)[0]}


def _entity(entities: dict[str, Json], name: str) -> Json:
    return entities.setdefault(name, {"name": name, "entityType": "thing", "observations": []})


def _arrow(relation: Any) -> str:
    ends = _text(relation, "from"), _text(relation, "to")
    return f"{ends[0]} --{_text(relation, 'relationType')}--> {ends[1]}"


def create_entities(run: Run, given: Json) -> Json:
    """Keep entities with what is observed of them."""
    made = []
    for entity in _list(given, "entities"):
        name = _text(entity, "name")
        if _add(run, f"{name} [{_text(entity, 'entityType')}]"):
            made.append(entity)
        for seen in _list(entity, "observations"):
            _add(run, f"{name}: {_text({'observation': seen}, 'observation')}")
    return {"entities": made}


def create_relations(run: Run, given: Json) -> Json:
    """Keep relations between entities."""
    relations = _list(given, "relations")
    return {"relations": [r for r in relations if _add(run, _arrow(r))]}


def add_observations(run: Run, given: Json) -> Json:
    """Keep what is observed of entities."""
    results = []
    for one in _list(given, "observations"):
        name = _text(one, "entityName")
        seen = [_text({"contents": text}, "contents") for text in _list(one, "contents")]
        added = [text for text in seen if _add(run, f"{name}: {text}")]
        results.append({"entityName": name, "addedObservations": added})
    return {"results": results}


def _forget(run: Run, wanted: Callable[[Any], bool]) -> Json:
    for fact in filter(wanted, _facts(run)):
        run("forget", {"node_id": fact.id})
    return {"success": True, "message": "forgotten; restore brings it back"}


def delete_entities(run: Run, given: Json) -> Json:
    """Forget entities, with what is observed of them and their relations."""
    names = set(_list(given, "entityNames"))
    return _forget(run, lambda fact: bool(_about(fact) & names))


def delete_observations(run: Run, given: Json) -> Json:
    """Forget what was observed of entities."""
    gone = {
        (_text(one, "entityName"), text)
        for one in _list(given, "deletions")
        for text in _list(one, "observations")
    }
    return _forget(run, lambda fact: _observed(fact) in gone)


def delete_relations(run: Run, given: Json) -> Json:
    """Forget relations."""
    gone = {_arrow(relation) for relation in _list(given, "relations")}
    return _forget(run, lambda fact: fact.text in gone)


def read_graph(run: Run, given: Json) -> Json:  # noqa: ARG001 (it takes nothing)
    """Return all that is kept, as a graph."""
    return _told(_facts(run))


def search_nodes(run: Run, given: Json) -> Json:
    """Return what bears on a query, as a graph."""
    return _told(_facts(run, _text(given, "query")))


def open_nodes(run: Run, given: Json) -> Json:
    """Return entities by their names, as a graph."""
    names = set(_list(given, "names"))
    return _told(fact for fact in _facts(run) if _about(fact) <= names)


CALLS: dict[str, Callable[[Run, Json], Json]] = {
    call.__name__: call
    for call in (
        create_entities,
        create_relations,
        add_observations,
        delete_entities,
        delete_observations,
        delete_relations,
        read_graph,
        search_nodes,
        open_nodes,
    )
}


def _of(**fields: Any) -> Json:
    return {"type": "object", "properties": fields, "required": list(fields)}


_STRING: Json = {"type": "string"}
_STRINGS: Json = {"type": "array", "items": _STRING}


def _many(item: Json) -> Json:
    return {"type": "array", "items": item}


_RELATED = _of(**{"from": _STRING, "to": _STRING, "relationType": _STRING})
_TAKES: dict[str, Json] = {
    "create_entities": _of(
        entities=_many(_of(name=_STRING, entityType=_STRING, observations=_STRINGS))
    ),
    "create_relations": _of(relations=_many(_RELATED)),
    "add_observations": _of(observations=_many(_of(entityName=_STRING, contents=_STRINGS))),
    "delete_entities": _of(entityNames=_STRINGS),
    "delete_observations": _of(deletions=_many(_of(entityName=_STRING, observations=_STRINGS))),
    "delete_relations": _of(relations=_many(_RELATED)),
    "read_graph": _of(),
    "search_nodes": _of(query=_STRING),
    "open_nodes": _of(names=_STRINGS),
}
TOOLS: list[Json] = [
    {
        "name": name,
        "description": f"{call.__doc__} Call this to keep knowledge as entities and relations.",
        "inputSchema": _TAKES[name],
        "annotations": {
            "readOnlyHint": not name.startswith(("create", "add", "delete")),
            "destructiveHint": name.startswith("delete"),
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }
    for name, call in CALLS.items()
]
