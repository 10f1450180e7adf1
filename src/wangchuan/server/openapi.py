"""The description of the routes in OpenAPI 3.1, made from the table, and as a page to be read."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from wangchuan import __version__
from wangchuan.operations.operation import PREFIX, Operation
from wangchuan.operations.table import TABLE

REF = "#/components/schemas/{model}"
ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["type", "message"],
            "properties": {"type": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}
# What any operation may answer instead.
MAY_ANSWER = {
    "400": "The request cannot be read.",
    "401": "There is no token, or it is not valid any more.",
    "403": "The token does not have the right, or the request comes from elsewhere.",
    "404": "There is no such agent or memory.",
    "408": "The body took too long.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
    "422": "An argument cannot be used; nothing was stored.",
    "429": "Too many requests with this token.",
    "503": "Too much waits already; try again later.",
}
CONFLICT = {"409": "It cannot be done as things stand."}
AGENT: dict[str, Any] = {
    "name": "agent",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 64},
}
KEY: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
    "description": "The same key gives the same receipt, however often it is sent.",
}


@cache
def described() -> dict[str, Any]:
    """Return the document."""
    schemas: dict[str, Any] = {"Error": ERROR}
    paths: dict[str, dict[str, Any]] = {}
    for operation in TABLE.values():
        told = paths.setdefault(operation.path, {})
        told[operation.verb.lower()] = _operation(operation, schemas)
    paths[f"{PREFIX}/{{agent}}/events"] = {"get": _events()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Wangchuan", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    taken = operation.takes.model_json_schema(ref_template=REF)
    schemas |= taken.pop("$defs", {})
    in_path = [name for name in taken.get("properties", {}) if f"{{{name}}}" in operation.path]
    parameters = [AGENT] if "{agent}" in operation.path else []
    parameters += [_parameter(name, "path", taken) for name in in_path]
    rest = [name for name in taken.get("properties", {}) if name not in in_path]
    told: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.when.partition(".")[0] + ".",
        "description": f"{operation.when} Needs the right to {operation.right}.",
        "tags": [operation.name.partition(".")[0]],
        "responses": _responses(operation, schemas),
    }
    if operation.verb == "POST" and "data" not in operation.given:
        told["requestBody"] = _body(taken, rest)
    else:
        parameters += [_parameter(name, "query", taken) for name in rest]
    if "data" in operation.given:
        told["requestBody"] = {"content": {"application/octet-stream": {}}, "required": True}
    if operation.name == "remember":
        parameters.append(KEY)
    return {**told, "parameters": parameters}


def _parameter(name: str, where: str, taken: dict[str, Any]) -> dict[str, Any]:
    schema = dict(taken["properties"][name])
    options = [one for one in schema.pop("anyOf", []) if one.get("type") != "null"]
    schema |= options[0] if options else {}
    if schema.get("default", "") is None:
        del schema["default"]
    schema.pop("title", None)
    required = where == "path" or name in taken.get("required", ())
    return {"name": name, "in": where, "required": required, "schema": schema}


def _body(taken: dict[str, Any], rest: list[str]) -> dict[str, Any]:
    required = [name for name in taken.get("required", ()) if name in rest]
    schema = {
        "type": "object",
        "properties": {name: taken["properties"][name] for name in rest},
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }
    return {"content": {"application/json": {"schema": schema}}, "required": bool(required)}


def _responses(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    if operation.result is bytes:
        content: dict[str, Any] = {"application/x-ndjson": {"schema": {"type": "string"}}}
    else:
        given = operation.gives.json_schema(
            ref_template=REF, mode="serialization", schema_generator=GenerateJsonSchema
        )
        schemas |= given.pop("$defs", {})
        content = {"application/json": {"schema": given}}
    may = MAY_ANSWER | (CONFLICT if operation.right != "read" else {})
    return {
        str(operation.status): {"description": "Done.", "content": content},
        **{code: _refusal(told) for code, told in may.items()},
    }


def _refusal(told: str) -> dict[str, Any]:
    schema = {"$ref": REF.format(model="Error")}
    return {"description": told, "content": {"application/json": {"schema": schema}}}


def _events() -> dict[str, Any]:
    told = "Call this to hear what happens in a memory as it happens. Needs the right to read."
    return {
        "operationId": "events",
        "summary": "Call this to hear what happens in a memory as it happens.",
        "description": told,
        "tags": ["events"],
        "parameters": [AGENT],
        "responses": {
            "200": {"description": "Events.", "content": {"text/event-stream": {}}},
            **{code: _refusal(told) for code, told in MAY_ANSWER.items()},
        },
    }


@cache
def page() -> str:
    """Return the description as a page: no scripts, nothing from elsewhere."""
    parts = [
        _section(verb, path, told)
        for path, verbs in described()["paths"].items()
        for verb, told in verbs.items()
    ]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    intro = "<h1>Wangchuan</h1><p>Send a token: <code>Authorization: Bearer wc_…</code>. The same"
    intro += ' for tools: <a href="/openapi.json">/openapi.json</a>.</p>'
    whole = f"<!doctype html><html lang=en><head>{head}<title>Wangchuan REST</title></head>"
    return f"{whole}<body>{intro}{''.join(parts)}</body></html>"


def _section(verb: str, path: str, told: dict[str, Any]) -> str:
    """Return one operation: when to call it, what it takes, what it answers."""
    taken = [(one["name"], one["in"], one["schema"]) for one in told["parameters"]]
    bodies = told.get("requestBody", {}).get("content", {}).values()
    for body in (one.get("schema", {}) for one in bodies):
        taken += [(name, "body", one) for name, one in body.get("properties", {}).items()]
    rows = "".join(
        f"<li><code>{escape(name)}</code> ({where}) <code>{escape(json.dumps(schema))}</code></li>"
        for name, where, schema in taken
    )
    answers = "".join(
        f"<li>{code}: {escape(one['description'])}</li>" for code, one in told["responses"].items()
    )
    title = f"<h2 id={json.dumps(told['operationId'])}>{verb.upper()} {escape(path)}</h2>"
    lists = f"<ul>{rows}</ul><details><summary>answers</summary><ul>{answers}</ul></details>"
    return f"<section>{title}<p>{escape(told['description'])}</p>{lists}</section>"
