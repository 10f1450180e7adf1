"""The script `run`, with a stand-in for the environment it would set up."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
UV = """#!/bin/sh
[ "$1" = venv ] || exit 0
mkdir -p .venv/bin
cat > .venv/bin/wangchuan <<'END'
#!/bin/sh
pwd
printf '<%s>' "$@"
END
chmod +x .venv/bin/wangchuan
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with only what the script reads, and a `uv` that installs nothing."""
    folder = tmp_path / "the clone"
    (folder / "bin").mkdir(parents=True)
    for name in ("run", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    (folder / "bin" / "uv").write_text(UV)
    (folder / "bin" / "uv").chmod(0o755)
    return folder


def call(clone: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Call the script from the folder above its own."""
    path = f"{clone / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [f"./{clone.name}/run", *args],
        cwd=clone.parent,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_commands_run_where_the_user_stands(clone: Path) -> None:
    told = call(clone, "wangchuan", "recall", "two words")
    assert told.stdout == f"{clone.parent}\n<recall><two words>", told.stderr
    assert call(clone, "demo", "--json").stdout == f"{clone.parent}\n<demo><--json>"


def test_setting_up_happens_once_and_leaves_nothing_beside(clone: Path) -> None:
    first, second = (call(clone, "wangchuan", "stats") for _ in range(2))
    assert "setting up" in first.stderr
    assert second.stderr == ""
    (clone / "pyproject.toml").write_text("changed")
    with ThreadPoolExecutor(2) as pool:
        overlapping = list(pool.map(lambda _: call(clone, "wangchuan", "stats"), range(2)))
    assert [done.returncode for done in overlapping] == [0, 0]
    assert sorted(p.name for p in clone.iterdir()) == [".venv", "bin", "pyproject.toml", "run"]
    assert sorted(p.name for p in (clone / ".venv").iterdir()) == ["bin", "stamp"]


def test_help_tells_of_every_command(clone: Path) -> None:
    told = call(clone, "help").stdout
    for name in ("demo", "wangchuan", "test", "bench", "soak"):
        assert f"./run {name} " in told
    assert "set -eu" not in told
