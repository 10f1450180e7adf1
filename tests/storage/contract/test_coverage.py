"""Every method of every drawer is named by the contract tests of that drawer."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from wangchuan.storage import Transaction
from wangchuan.storage.sqlite.scratch import scratch
from wangchuan.storage.statements import Drawer

HERE = Path(__file__).parent


def drawers() -> dict[str, type[Drawer]]:
    with scratch() as tx:
        return {name: type(found) for name, found in vars(tx).items() if isinstance(found, Drawer)}


def methods(kind: type[object]) -> set[str]:
    found = inspect.getmembers(kind, inspect.isfunction)
    return {name for name, _ in found if not name.startswith("_")}


@pytest.mark.parametrize("name", sorted(drawers()))
def test_every_method_of_a_drawer_has_a_contract_test(name: str) -> None:
    said = (HERE / f"test_{name}.py").read_text(encoding="utf-8")
    named = set(re.findall(rf"\.{name}\.(\w+)", said))
    assert sorted(methods(drawers()[name]) - named) == []


def test_every_method_of_a_transaction_has_a_contract_test() -> None:
    said = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py"))
    named = set(re.findall(r"\b(?:tx|moment)\.(\w+)\(", said))
    assert sorted(methods(Transaction) - named) == []
