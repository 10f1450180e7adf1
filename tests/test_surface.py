"""The public surface and the house rules: names, layers, no noise."""

from __future__ import annotations

import ast
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from stage import PATIENCE

import wangchuan
from wangchuan import Memory

PACKAGE = Path(wangchuan.__file__).parent
# The rooms of the house, lowest first: a room may know those below, and none beside it.
FLOORS = (
    {"types", "errors", "patterns"},
    {"arguments", "events", "ids", "language", "redaction", "spots"},
    {"messages", "models", "network", "pending", "settings", "storage"},
    {"answers", "jobs", "routines"},
    {"living"},
    {"facts", "lifecycle", "notebook"},
    {"erasing", "finding"},
    {"agent", "history", "transfer"},
    {"faces", "host"},
    {"memory", "cells"},
    {"chat", "doctor", "hooks", "integrations", "operations"},
    {"client", "server"},
    {"cli"},
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
# `Host.open` and `Memory.connect` return what stands above them.
EXCEPTIONS = {("host", "memory"), ("memory", "client")}
UNWANTED = ("manager", "service", "helper", "utils", "handler", "_v2")


def test_all_names_are_sorted_few_and_real() -> None:
    assert wangchuan.__all__ == sorted(wangchuan.__all__)
    assert len(wangchuan.__all__) <= 20
    assert all(hasattr(wangchuan, name) for name in wangchuan.__all__)


def test_names_are_loaded_on_use_and_others_are_refused() -> None:
    assert set(wangchuan._HOME) == set(wangchuan.__all__) <= set(dir(wangchuan))
    with pytest.raises(AttributeError, match="no attribute 'Mermory'"):
        wangchuan.Mermory  # type: ignore[attr-defined]  # noqa: B018
    loaded = "import sys, wangchuan; print('pydantic' in sys.modules, 'apsw' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, check=True)
    assert done.stdout.split() == [b"False", b"False"]


def test_what_serves_is_loaded_by_nobody_who_does_not_serve() -> None:
    used = "import sys; from wangchuan import Chat, Host, Memory; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", used], capture_output=True, text=True, check=True)
    loaded = set(told.stdout.split())
    assert "wangchuan.memory" in loaded
    parts = ("server", "mcp", "hooks", "client", "operations", "integrations", "cells", "cli")
    assert not {f"wangchuan.{part}" for part in parts} & loaded
    assert not {"starlette", "uvicorn", "prometheus_client", "psycopg", "numpy", "asyncio"} & loaded


def test_the_facade_stays_small_and_documented() -> None:
    public = {name: value for name, value in vars(Memory).items() if not name.startswith("_")}
    faces = {name for name, value in public.items() if isinstance(value, property)}
    assert len(faces) <= 9
    assert len(public) - len(faces) <= 25
    for name in public:
        assert getattr(Memory, name).__doc__, name


def test_no_class_has_more_than_30_methods_and_no_file_more_than_600_lines() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        assert text.count("\n") <= 600, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef):
                methods = [m for m in node.body if isinstance(m, ast.FunctionDef)]
                assert len(methods) <= 30, node.name


def rooms_met(path: Path) -> set[tuple[str, str]]:
    """The (importing, imported) rooms in one file: function-local and type-only imports, too."""
    importer = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
            if node.module == "wangchuan":
                names = [f"wangchuan.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {(importer, n.split(".")[1]) for n in names if n.startswith("wangchuan.")}
    return {(one, other) for one, other in found if one != other and other != "__version__"}


def test_a_room_knows_only_those_below() -> None:
    met = {pair for path in PACKAGE.rglob("*.py") for pair in rooms_met(path)}
    assert ("memory", "storage") in met  # the walk does see imports
    upwards = {(a, b) for a, b in met if a != "__init__" and FLOOR[b] >= FLOOR[a]}
    assert upwards == EXCEPTIONS


def imported(path: Path) -> set[str]:
    """The modules, or names in modules, that one file imports anywhere."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_only_the_wiring_knows_an_engine() -> None:
    engine = "wangchuan.storage.sqlite"
    knowing = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(f"{name}.".startswith(f"{engine}.") for name in imported(path))
    }
    outside = {path for path in knowing if not path.startswith("storage/sqlite/")}
    # a copy of an agent of a cell is a file of SQLite
    assert outside == {"storage/configured.py", "storage/postgres/copying.py"}


def test_the_rules_of_the_network_know_numbers_only() -> None:
    known = {name for path in (PACKAGE / "network").glob("*.py") for name in imported(path)}
    ours = {name for name in known if name.startswith("wangchuan.")}
    assert {name.split(".")[1] for name in ours} <= {"network", "spots"}


def test_few_imports_hide_in_functions() -> None:
    hidden = {
        (path, node.lineno)
        for path in PACKAGE.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert 0 < len(hidden) <= 25


def test_every_room_has_its_floor() -> None:
    assert len(FLOORS) <= 13
    rooms = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if not p.name.startswith("_")}
    assert rooms - {"py.typed"} == set(FLOOR)


def test_few_modules_stand_in_no_room() -> None:
    assert len([p for p in PACKAGE.glob("*.py") if not p.name.startswith("_")]) <= 15


def test_words_we_do_not_use_name_nothing() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                assert not any(word in node.name.lower() for word in UNWANTED), node.name


def test_the_library_prints_nothing_and_asks_no_logger_to(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with Memory.open("a", root=tmp_path) as memory:
        memory.remember("我们决定登录模块用 JWT。").result(PATIENCE)
        memory.recall(["登录"]).result(PATIENCE)
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("wangchuan").handlers == []


def test_a_script_that_never_closes_ends_and_loses_nothing(tmp_path: Path) -> None:
    script = (
        "from wangchuan import Memory\n"
        f"memory = Memory.open('a', root={str(tmp_path)!r})\n"
        "memory.remember('The last word is never lost.')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with Memory.open("a", root=tmp_path) as memory:
        assert memory.flush(PATIENCE)
        assert [node.content for node in memory.nodes()] == ["The last word is never lost."]


# The command line comes in by the door: what it needs of a memory is public.
BEHIND = ("storage", "living", "history", "lifecycle", "erasing", "facts", "jobs")
# Files of mode 600, and what entries of the journal mean: there is no store in either.
ALLOWED = {"wangchuan.storage.files", "wangchuan.storage.journal"}


def test_the_command_line_knows_a_memory_by_its_public_face_only() -> None:
    files = sorted((PACKAGE / "cli").rglob("*.py"))
    assert files
    for path in files:
        tree = ast.parse(path.read_text("utf-8"))
        rooms = {
            n for n in imported(path) if n.startswith(tuple(f"wangchuan.{r}." for r in BEHIND))
        }
        assert {n for n in rooms if not n.startswith(tuple(ALLOWED))} == set(), path.name
        private = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and node.attr.startswith("_")
            and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
            and not node.attr.startswith("__")
        }
        assert private == set(), path.name


def test_the_lines_of_help_are_those_of_the_commands() -> None:
    from wangchuan.cli.app import HELP, loaded

    for name, told in HELP.items():
        assert (loaded(name).help or "").strip().splitlines()[0] == told, name


def test_imports_stand_at_the_top_but_for_a_few_that_are_slow_and_seldom_needed() -> None:
    inner = [
        (path.name, inside.lineno)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
        for inside in ast.walk(node)
        if isinstance(inside, ast.Import | ast.ImportFrom)
    ]
    assert len(set(inner)) <= 25, sorted(set(inner))
