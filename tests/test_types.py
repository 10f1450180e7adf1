"""Values are like dataclasses that are frozen and have slots; what a search loads."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from wangchuan.storage.journal import Kept, Weighed
from wangchuan.storage.records import LinkRecord
from wangchuan.types import Message, value

# What a process that remembers and searches needs none of.
HEAVY = ("typer", "rich", "click", "numpy", "nupunkt", "snowballstemmer", "http.client", "ssl",
         "asyncio", "multiprocessing", "psycopg", "starlette", "uvicorn", "wangchuan.cli",
         "wangchuan.server", "wangchuan.transfer", "pydantic")  # fmt: skip
SEARCHING = """
import sys
from wangchuan import Memory
with Memory.open("a", root=sys.argv[1]) as memory:
    memory.search("where did we go").result(60)
print(*sys.modules)
"""


@dataclass(frozen=True, slots=True)
class Plain:
    """A value as the standard library makes it."""

    name: str
    size: int = 3
    more: dict[str, int] = field(default_factory=dict, hash=False)


@value
class Quick:
    """The same, made by us."""

    name: str
    size: int = 3
    more: dict[str, int] = field(default_factory=dict, hash=False)


def test_a_value_is_what_a_frozen_dataclass_is() -> None:
    for given in (("a",), ("a", 4), ("a", 4, {"b": 1})):
        plain, quick = Plain(*given), Quick(*given)  # type: ignore[arg-type]
        assert repr(quick) == repr(plain).replace("Plain", "Quick")
        assert (asdict(quick), hash(quick)) == (asdict(plain), hash(plain))
        assert quick == Quick(*given) != plain  # type: ignore[arg-type]
        assert asdict(replace(quick, size=9)) == asdict(replace(plain, size=9))
        assert copy.deepcopy(quick) == pickle.loads(pickle.dumps(quick)) == quick
    assert Quick("a").more is not Quick("a").more
    assert Quick.__slots__ == Plain.__slots__  # type: ignore[attr-defined]


@pytest.mark.parametrize("one", [Quick("a"), LinkRecord(1, 2, 1.0, 0, None), Message("user", "x")])
def test_a_value_cannot_be_changed(one: Any) -> None:
    name = next(iter(asdict(one)))
    with pytest.raises(FrozenInstanceError):
        setattr(one, name, 5)
    with pytest.raises(FrozenInstanceError):
        delattr(one, name)


def test_fields_after_a_star_are_given_by_name() -> None:
    before = Weighed(1.0, 2.0, 0, None)
    kept = Kept(7, before, weight=2.0)
    assert kept == Kept(node=7, before=before, weight=2.0) == pickle.loads(pickle.dumps(kept))
    with pytest.raises(TypeError):
        Kept(7, before, 2.0)  # type: ignore[misc]


def test_searching_loads_nothing_heavy(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SEARCHING, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    loaded = set(done.stdout.split())
    assert "wangchuan.finding.search" in loaded
    assert not loaded & set(HEAVY)
    assert "rjieba" not in loaded  # the dictionary is read for the first Chinese word
