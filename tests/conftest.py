"""Memories in a folder of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from faults import Server
from hypothesis import settings
from stage import FakeClock, LineModel
from storage.postgres import NONE, binaries
from storage.postgres import server as postgres_server

from wangchuan import Memory

# Nothing of whoever runs the tests: no settings of their own, no proxy before the loopback.
os.environ["XDG_CONFIG_HOME"] = str(Path(__file__).parent / "nobody")
os.environ["NO_PROXY"] = "*"

# The same examples every time, however slow the machine; `./run soak` looks for others.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("other", deadline=None, print_blob=True)
settings.load_profile("same")


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    """Return the DSN of a PostgreSQL that is there for these tests."""
    if binaries() is None:
        pytest.skip(NONE)
    with postgres_server() as dsn:
        yield dsn


@pytest.fixture(scope="session")
def cell(database: str) -> str:
    """Return the DSN of a cell."""
    from wangchuan.storage.postgres import schema

    schema.make(database, partitions=2)
    return database


# Where agents are kept in the tests of what anybody sees: a folder, a cell, or one after the other.
# TEST_STORE=cell runs all that ask for `kept_at` in a cell, but for those that are about folders.
STORE = os.environ.get("TEST_STORE", "folder")
_databases = count()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "kept_at" not in metafunc.fixturenames:
        return
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    if "in_a_folder" in marks:
        return
    if STORE == "cell":
        metafunc.parametrize("kept_at", ["cell"], indirect=True)
    elif "in_both" in marks:
        metafunc.parametrize("kept_at", ["folder", "cell"], indirect=True)


@pytest.fixture(scope="session")
def template(database: str) -> str:
    """Return the name of a database with an empty cell, to be copied."""
    from wangchuan.storage.postgres import schema

    with schema.connected(database) as connection:
        connection.execute("CREATE DATABASE template_cell")
    schema.make(database.replace("/postgres?", "/template_cell?"), partitions=1)
    return "template_cell"


@pytest.fixture
def own_cell(database: str, template: str) -> Iterator[str]:
    """Return the DSN of a cell of the test's own."""
    from wangchuan.storage.postgres import schema

    name = f"own_{next(_databases)}"
    with schema.connected(database) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield database.replace("/postgres?", f"/{name}?")
    with schema.connected(database) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def kept_at(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path | str:
    """Return where the test's agents are kept, as `Host` takes it."""
    root = tmp_path / "memory_data"
    if getattr(request, "param", "folder") == "folder":
        return root
    monkeypatch.setenv("WANGCHUAN_ROOT", str(root))  # for what is beside their memories
    return str(request.getfixturevalue("own_cell"))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def model() -> LineModel:
    return LineModel()


Open = Callable[..., Memory]


@pytest.fixture
def open_with(kept_at: Path | str, clock: FakeClock, model: LineModel) -> Iterator[Open]:
    """Open memories with an embedder, or None; they are closed after the test."""
    opened: list[Memory] = []

    def open_one(embedder: Any, /, agent: str = "agent_001", **settings: Any) -> Memory:
        settings.setdefault("learn", False)  # the network alone; facts have tests of their own
        memory = Memory.open(
            agent,
            root=kept_at,
            settings=settings,
            model=settings.pop("model", model),
            clock=settings.pop("clock", clock),
            embedder=embedder,
        )
        opened.append(memory)
        return memory

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def open_memory(open_with: Open) -> Open:
    return partial(open_with, None)


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    return open_memory()


@pytest.fixture
def server() -> Iterator[Server]:
    """A model's server that answers as a test wants."""
    server = Server()
    yield server
    server.close()


@pytest.fixture
def talk(server: Server, tmp_path: Path, clock: FakeClock) -> Iterator[Open]:
    """Open memories whose model is that server; they are closed after the test."""
    opened = []

    def open_one(**settings: Any) -> Memory:
        values = {"model_url": server.url, "model_name": "tiny", "durability": "normal"}
        values |= {"worker_timeout_ms": 2000, "max_retries": 0, "learn": False, **settings}
        opened.append(Memory.open("a", root=tmp_path, settings=values, clock=clock))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()
