"""Who may do what, by which door: every role, operation and surface, made from the table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from server.doors import DONE, MINE, OTHER, ROLES, SURFACES, WORD, Cell, Stage, World, usual
from server.test_proxy import Upstream

from wangchuan.client.connected import METHODS
from wangchuan.operations.table import TABLE
from wangchuan.server import mem0
from wangchuan.server.mcp.tools import LEFT_OUT


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    upstream = Upstream()
    urls = {"upstream_url": f"{upstream.url}/v1", "upstream_anthropic_url": upstream.url}
    world = World(tmp_path_factory.mktemp("doors"), **urls)
    yield world
    world.close()
    upstream.shutdown()
    upstream.server_close()


def tried(world: World, cell: Cell, who: str) -> list[str]:
    """Return what is wrong with how a cell ended, of somebody who asked."""
    role, stage = ROLES[who], Stage(world)
    expected = role.expected(cell.needs, cell.agent)
    given = usual(cell.operation) if cell.operation else {}
    if expected == DONE and cell.operation:
        given = stage.given(cell.operation)
    ended, told = cell.call(who, given)
    if ended == DONE and cell.spoils:
        world.build(MINE, WORD[MINE])
    foreign = [word for agent, word in WORD.items() if role.expected((), agent) != DONE]
    faults = [f"{cell.name}: {ended}, not {expected}"] if ended != expected else []
    return faults + [f"{cell.name} tells {word}" for word in foreign if word in told]


def whole(world: World) -> list[object]:
    """Return all that a refusal must leave as it is."""
    with world.host.open(MINE) as memory:
        latest = memory.history.latest(1)[0].seq
        return [latest, memory.stats().messages, memory.notebook.world, world.host.agents()]


@pytest.mark.parametrize("who", ROLES)
@pytest.mark.parametrize("surface", SURFACES)
def test_everybody_may_do_what_is_theirs_and_nothing_else(
    world: World, surface: str, who: str
) -> None:
    before = whole(world)
    faults = [fault for cell in SURFACES[surface](world) for fault in tried(world, cell, who)]
    assert faults == []
    if ROLES[who].expected((), MINE) != DONE:
        assert whole(world) == before


def test_every_operation_is_tried_by_every_surface_that_has_it(world: World) -> None:
    cells = {
        name: {cell.operation.name for cell in made(world) if cell.operation}
        for name, made in SURFACES.items()
    }
    assert cells["REST"] == {*TABLE}
    assert cells["MCP"] == {*TABLE} - {*LEFT_OUT}
    assert cells["client"] == {one.name for one in METHODS.values()} | {"remember"}
    routes = [one for one in mem0.routes(world.desk) if one.name != "mem0.missing"]  # type: ignore[attr-defined]
    assert len([*SURFACES["mem0"](world)]) == len(routes)


def test_one_sees_ones_own(world: World) -> None:
    token = world.tokens.add([OTHER], ["read"])
    answer = world.ask("POST", f"/v1/agents/{OTHER}/search", {"query": WORD[OTHER]}, token=token)
    assert WORD[OTHER] in answer.body.decode()
    assert world.ask("GET", "/v1/agents", token=token).json["items"] == [OTHER]
    world.tokens.revoke(token)
    assert world.ask("GET", "/v1/agents", token=token).status == 401
