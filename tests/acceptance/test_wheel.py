"""The wheel: what is installed from it works from an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from stage import PATIENCE

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
def test_the_command_installed_from_the_wheel_works_in_an_empty_folder(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, timeout=PATIENCE)
    (wheel,) = tmp_path.glob("wangchuan-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    there = {
        "storage/sqlite/migrations/0001_network.sql",
        "storage/sql/jobs.sql",
        "cli/stories.toml",
        "server/page/static/index.html",
        "server/page/static/vendor/vendor.json",
    }
    assert {f"wangchuan/{name}" for name in there} <= set(names)
    assert not any(name.startswith(("tests/", "bench/")) for name in names)

    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, timeout=PATIENCE)
    python = environment / "bin" / "python"
    # The dependencies are those of this environment: what is tested is our wheel, not the net.
    purelib = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    install = [python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, timeout=PATIENCE)
    borrowed = Path(sysconfig.get_path("purelib"))
    (Path(purelib) / "borrowed.pth").write_text(f"{borrowed}\n")

    empty = tmp_path / "empty"
    empty.mkdir()
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "WANGCHUAN"))}

    def wangchuan(*arguments: str) -> str:
        command = [environment / "bin" / "wangchuan", *arguments]
        done = subprocess.run(
            command,
            cwd=empty,
            env=clean,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = [python, "-c", "import wangchuan; print(wangchuan.__file__)"]
    found = subprocess.run(where, cwd=empty, env=clean, capture_output=True, text=True, check=True)
    assert found.stdout.startswith(str(environment))
    wangchuan("remember", "我们决定登录模块用 JWT。")
    assert wangchuan("recall", "登录") == "[记忆] 我们决定登录模块用 JWT。\n"
    assert [entry.name for entry in empty.iterdir()] == ["memory_data"]
