"""The calls of others on the page "coming from …": each is there, and takes what is given."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from typing import Any

import pytest
from coming_from import PAGES, calls, column

# What stands before the dot on the page, and what it is: a module and a name in it.
OBJECTS = {
    ("mem0", "Memory"): "mem0 Memory",
    ("mem0", "m"): "mem0 Memory",
    ("LangMem", "create_memory_store_manager"): "langmem create_memory_store_manager",
    ("LangMem", "manager"): "langmem.knowledge.extraction MemoryStoreManager",
    ("LangMem", "store"): "langgraph.store.base BaseStore",
    ("Graphiti", "Graphiti"): "graphiti_core Graphiti",
    ("Graphiti", "g"): "graphiti_core Graphiti",
    (
        "Graphiti",
        "clear_data",
    ): "graphiti_core.utils.maintenance.graph_data_operations clear_data",
    ("Letta", "Letta"): "letta_client Letta",
    ("Letta", "client"): "letta_client Letta",
}


def found(library: str, path: str) -> Any:
    """Return what a name on the page stands for."""
    first, _, rest = path.partition(".")
    module, name = OBJECTS[library, first].split()
    thing = getattr(import_module(module), name)
    if (library, first) == ("Letta", "client"):
        thing = thing(api_key="none", base_url="http://localhost:1")
    for part in filter(None, rest.split(".")):
        thing = getattr(thing, part)
    return thing


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("library", ["mem0", "LangMem", "Graphiti", "Letta"])
def test_every_call_of_theirs_is_there_and_takes_what_is_given(page: str, library: str) -> None:
    seen = 0
    for code in calls(column(page, library)):
        call = code.body
        assert isinstance(call, ast.Call)
        thing = found(library, ast.unparse(call.func))
        assert callable(thing), ast.unparse(code)
        own = inspect.isfunction(thing) and "." in ast.unparse(call.func)
        given = [None] * (own + len(call.args))
        named = {key.arg: None for key in call.keywords if key.arg}
        inspect.signature(thing).bind_partial(*given, **named)
        seen += 1
    assert seen >= 3
