"""Whatever the description allows, and much that it does not, is answered as described."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import checks, openapi
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from server.served import Served

from wangchuan.operations.table import TABLE
from wangchuan.server.openapi import described

EXAMPLES = int(os.environ.get("SOAK_REQUESTS", 2))
CHECKS = [
    checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SLOW = ("events", "flush", "tick", "facts.age")  # they wait; events never end


def test_every_operation_is_described() -> None:
    told = {
        (verb.upper(), path): one
        for path, verbs in described()["paths"].items()
        for verb, one in verbs.items()
    }
    for operation in TABLE.values():
        one = told.pop((operation.verb, operation.path))
        assert operation.when in one["description"]
        assert str(operation.status) in one["responses"]
    assert [one["operationId"] for one in told.values()] == ["events"]


def test_the_description_can_be_read_as_a_page(world: Served) -> None:
    answer = world.ask("GET", "/openapi", token=None)
    assert (answer.status, answer.headers["content-type"][:9]) == (200, "text/html")
    told = answer.body.decode()
    assert "<script" not in told
    for operation in TABLE.values():
        assert f"{operation.verb} {operation.path}</h2>" in told
        assert html.escape(operation.when) in told


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("world"), server_rate=1e6)
    served.told("a", "one\ntwo\nthree")
    served.post("a/facts", {"text": "Rex is a dog"})
    yield served
    served.close()


def operations() -> list[str]:
    return [name for name in TABLE if name not in SLOW]


@pytest.mark.parametrize("name", operations())
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the tool's own
def test_nothing_that_is_sent_is_answered_by_surprise(world: Served, name: str) -> None:
    operation = found()[name]
    mode = schemathesis.GenerationMode

    @settings(
        max_examples=EXAMPLES,
        database=None,
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    def attempt(case: Any) -> None:
        if "agent" in (case.path_parameters or {}):
            case.path_parameters["agent"] = "a" if name != "agents.erase" else "doomed"
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {world.owner}"}
        case.call_and_validate(base_url=world.url, checks=CHECKS, timeout=600)

    for one in (mode.POSITIVE, mode.NEGATIVE):
        with suppress(ValueError, TypeError):  # what takes nothing cannot be given anything wrong
            given(case=operation.as_strategy(generation_mode=one))(attempt)()


@cache
def found() -> dict[str, Any]:
    operations = [result.ok() for result in openapi.from_dict(described()).get_all_operations()]
    return {operation.definition.raw["operationId"]: operation for operation in operations}
